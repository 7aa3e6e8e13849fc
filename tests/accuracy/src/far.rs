//! Points far from all knots, where a derivative is the density at the nearest knot times a slow factor, and whether a result
//! is away from a change of its sign there.

use crate::error::Precision;
use crate::function::Function;
use crate::oracle::Oracle;
use crate::real::{to_f64, to_pair};

/// The distance of the points that a result is compared at, in units of ξ.
const STEP: f64 = 0.4;

/// The most by which ln |f| may lie below the mean of its values at both neighbours. ln φ exceeds it by ½ STEP², and a power of
/// the distance changes little beyond 4 ξ.
const SLACK: f64 = 0.05;

/// γ and ξ² on both sides of each knot, `count` times, from 4 to `farthest` deviations away. ξ is the shortest piece divided by
/// `widths`.
#[must_use]
pub fn points<T: Precision>(
    function: &Function,
    (farthest, widths): (f64, f64),
    count: u32,
) -> Vec<(T, T)> {
    let knots: Vec<f64> = function.knots.iter().map(to_f64).collect();
    let shortest = knots.windows(2).map(|pair| pair[1] - pair[0]).fold(100.0, f64::min);
    let xi = shortest / widths;
    let step = (farthest - 4.0) / f64::from(count);
    let distances = (0..=count).map(|i| 4.0 + step * f64::from(i));
    let places = distances.flat_map(|s| knots.iter().flat_map(move |t| [t - s * xi, t + s * xi]));
    let points = places.map(|gamma| (T::from_f64(gamma), T::from_f64(xi * xi)));
    let is_far = |&(gamma, xi2): &(T, T)| {
        let s = nearest(function, gamma.to_f64(), xi2.to_f64());
        (3.9..=farthest + 0.1).contains(&s)
    };
    points.filter(is_far).collect()
}

/// The distance of the nearest knot in units of ξ.
#[must_use]
pub fn nearest(function: &Function, gamma: f64, xi2: f64) -> f64 {
    let distance = |knot: &_| (gamma - to_f64(knot)).abs() / xi2.sqrt();
    function.knots.iter().map(distance).fold(f64::MAX, f64::min)
}

/// The seven results in two doubles each; `None` where the sign of one may change near by.
#[must_use]
pub fn steady(oracle: &Oracle, function: &Function, gamma: f64, xi2: f64) -> [Option<[f64; 2]>; 7] {
    let step = STEP * xi2.sqrt();
    let at = |gamma: f64| oracle.truth(function, gamma, xi2);
    let (before, here, after) = (at(gamma - step), at(gamma), at(gamma + step));
    std::array::from_fn(|i| {
        let [a, b, c] = [&before, &here, &after].map(|truth| to_f64(&truth.values[i]));
        let is_steady = a * b > 0.0
            && b * c > 0.0
            && b.abs().ln() > 0.5 * (a.abs().ln() + c.abs().ln()) - SLACK;
        is_steady.then(|| to_pair(&here.values[i]))
    })
}
