//! The tails beyond a knot: τ_n = (σξ)ⁿ J_n(s) with s = |t − γ|/ξ and σ the sign of t − γ.
//!
//! J_n(s) = E\[(z − s)₊ⁿ\]/n! for z ~ N(0, 1) are the repeated integrals of the Normal tail, J₋₁ = φ, and R_n = J_n/φ. They
//! obey J_{n−1} = (n + 1) J_{n+1} + s J_n, which has positive terms only when it is used backwards: Y_M = P(s) and
//! Y_{M−1} = Q(s) start it, from a rational fit of J_M/J_{M−1}, and R_n = Y_n/Y₋₁. The recurrence damps the error of the start.
//!
//! Error: 3 to 6 ulp of R_n (`constants/fits.rs`), 0.6 to 0.9 in the root mean square.

use super::element::{Distance, Element};
use super::level::{Levels, Reference};
use super::rows::{Knot, Side, either};
use super::{MAX_DEGREE, SHIFTS_MOST, Sums};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::constants::fits::Fit;
use crate::kernel::exponential::farthest;
use crate::kernel::polynomial::horner;
use crate::lanes::{Lanes, Mask, Work};

/// The index of τ₀.
const FIRST: usize = SHIFTS_MOST - 1;
/// The number of tails, from τ₋₄ to τ₆.
const COUNT: usize = FIRST + 2 * MAX_DEGREE + 1;

/// The contribution of a knot to the sums, where a piece beside it is wide in some lane. A side without a mask is
/// wide in all lanes.
pub(super) struct Beside<'a, V: Lanes> {
    pub(super) knot: Knot<Option<V>>,
    /// Whether the pieces to the left and to the right are wide.
    pub(super) wide: [Option<V::Mask>; 2],
    pub(super) levels: &'a Levels<V>,
    pub(super) element: &'a Element<V>,
    pub(super) sums: Sums<V>,
}

impl<V: Lanes> Beside<'_, V> {
    /// The sums with those of the knot.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<const D: usize, const SHIFTS: usize>(self) -> Sums<V> {
        struct Add<'a, V: Lanes, const D: usize, const SHIFTS: usize>(Beside<'a, V>);
        impl<V: Lanes, const D: usize, const SHIFTS: usize> Work for Add<'_, V, D, SHIFTS> {
            type Output = Sums<V>;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run(self) -> Sums<V> {
                self.0.added::<D, SHIFTS>()
            }
        }
        let sums = self.sums;
        match self.wide {
            [Some(left), Some(right)] => V::if_any(left.or(right), Add::<V, D, SHIFTS>(self), sums),
            _ => self.added::<D, SHIFTS>(),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn added<const D: usize, const SHIFTS: usize>(self) -> Sums<V> {
        let Self { knot, wide, levels, element, sums } = self;
        let zero = V::splat(V::Scalar::ZERO);
        let distance = Distance::new(element.gamma, knot.at);
        let right = zero.lt(distance.high);
        let mut density = element.density(&distance, None);
        if let [Some(left), Some(right)] = wide {
            // A lane in which neither piece is wide has coefficients of one all the same.
            density = V::select(left.or(right), density, zero);
        }
        // To the right of the knot tails lead away from γ if the knot is to the right of γ.
        let density = V::select(right, density, -density);
        // Tails beyond those of an outer piece are for the inner one. Where that is narrow they may overflow.
        let last = match (&knot.sides, wide) {
            ([outer, _], [None, Some(mask)]) | ([_, outer], [Some(mask), None]) => {
                Some((2 * degree(outer), mask))
            }
            _ => None,
        };
        let tails = tails::<V, D, SHIFTS>(element, &distance, right, density, last);
        let part = Part::beside(&knot, wide, &levels.on(right));
        part.add::<D, SHIFTS>(&tails, sums)
    }
}

/// The tails of a piece beyond a place on it, away from γ, in some lanes.
pub(super) struct Beyond<'a, V: Lanes> {
    pub(super) side: &'a Side<Option<V>>,
    pub(super) distance: Distance<V>,
    pub(super) mask: V::Mask,
    pub(super) levels: &'a Levels<V>,
    pub(super) element: &'a Element<V>,
    pub(super) sums: Sums<V>,
}

impl<V: Lanes> Beyond<'_, V> {
    /// The sums with these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<const D: usize, const SHIFTS: usize>(self) -> Sums<V> {
        struct Add<'a, V: Lanes, const D: usize, const SHIFTS: usize>(Beyond<'a, V>);
        impl<V: Lanes, const D: usize, const SHIFTS: usize> Work for Add<'_, V, D, SHIFTS> {
            type Output = Sums<V>;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run(self) -> Sums<V> {
                let Beyond { side, distance, mask, levels, element, sums } = self.0;
                let zero = V::splat(V::Scalar::ZERO);
                let right = zero.lt(distance.high);
                let density = V::select(mask, element.density(&distance, None), zero);
                let tails = tails::<V, D, SHIFTS>(element, &distance, right, density, None);
                Part::beyond(side, &levels.on(right)).add::<D, SHIFTS>(&tails, sums)
            }
        }
        let (mask, sums) = (self.mask, self.sums);
        V::if_any(mask, Add::<V, D, SHIFTS>(self), sums)
    }
}

/// The integrand from a knot on, by coefficients of the tails τ_j: the integrals of g − c and of (g − c)². An integral that
/// is known to be 0 has no coefficient.
///
/// With d the piece to the right less the piece to the left, a + b their sum and v_a, v_b their values at the knot less the level,
///
/// ```text
/// (a − c)² − (b − c)² = (v_a + v_b) d + d (a′ + b′),
/// ```
///
/// where d (a′ + b′) does not depend on γ. So nothing cancels that both pieces have in common. Where one piece v + a′ is wide, its
/// square is 2v (v + a′) − v² + a′².
struct Part<V> {
    /// Of g − c.
    first: [Option<V>; MAX_DEGREE + 1],
    /// Of (g − c)² without `factor` times g − c.
    second: [Option<V>; 2 * MAX_DEGREE + 1],
    factor: V,
}

impl<V: Lanes> Part<V> {
    /// The pieces beside a knot, each where it is wide.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn beside(knot: &Knot<Option<V>>, wide: [Option<V::Mask>; 2], from: &Reference<V>) -> Self {
        let Knot { sides: [left, right], jump, .. } = knot;
        let (at_left, at_right) = (from.below(left.value), from.below(right.value));
        let [a, b, c] = jump.mean;
        let [second, third, fourth, fifth, sixth, seventh] = jump.square;
        let mut part = Self {
            first: [jump.value, a, b, c],
            second: [None, second, third, fourth, fifth, sixth, seventh],
            factor: at_left + at_right,
        };
        let (both, one) = match wide {
            [None, None] => {
                part.factor = with(part.factor, from.twice);
                return part;
            }
            [None, Some(both)] => (both, One::Left),
            [Some(both), None] => (both, One::Right),
            [Some(left), Some(right)] => (left.and(right), One::RightIn(right)),
        };
        let zero = V::splat(V::Scalar::ZERO);
        let value = one.of(at_right, at_left);
        let signed = one.of(at_right, -at_left);
        part.factor = with(V::select(both, part.factor, value + value), from.twice);
        part.first[0] = either(both, part.first[0], Some(signed), zero);
        part.second[0] = Some(V::select(both, zero, -(signed * value)));
        part.second[1] = either(both, part.second[1], None, zero);
        for j in 0..MAX_DEGREE {
            let alone = one.difference(right.mean[j], left.mean[j], zero);
            part.first[j + 1] = either(both, part.first[j + 1], alone, zero);
        }
        for j in 0..2 * MAX_DEGREE - 1 {
            let alone = one.difference(right.square[j], left.square[j], zero);
            part.second[j + 2] = either(both, part.second[j + 2], alone, zero);
        }
        part
    }

    /// One piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn beyond(side: &Side<Option<V>>, from: &Reference<V>) -> Self {
        let value = from.below(side.value);
        let [a, b, c] = side.mean;
        let [second, third, fourth, fifth, sixth] = side.square;
        Self {
            first: [Some(value), a, b, c],
            second: [Some(-(value * value)), None, second, third, fourth, fifth, sixth],
            factor: with(value + value, from.twice),
        }
    }

    /// The sums with these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<const D: usize, const SHIFTS: usize>(
        &self,
        tails: &[V; COUNT],
        mut sums: Sums<V>,
    ) -> Sums<V> {
        for q in 0..SHIFTS {
            let first = dot(&self.first, D + 1, tails, FIRST - q);
            let mut second = dot(&self.second, 2 * D + 1, tails, FIRST - q);
            if let Some(first) = first {
                sums[2 * q] = sums[2 * q] + first;
                second = Some(match second {
                    Some(second) => self.factor.mul_add(first, second),
                    None => self.factor * first,
                });
            }
            if let Some(second) = second {
                sums[2 * q + 1] = sums[2 * q + 1] + second;
            }
        }
        sums
    }
}

/// The piece that is wide where not both are: always the left one, always the right one, or the right one in some lanes.
#[derive(Clone, Copy)]
enum One<V: Lanes> {
    Left,
    Right,
    RightIn(V::Mask),
}

impl<V: Lanes> One<V> {
    /// A number of that piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(self, right: V, left: V) -> V {
        match self {
            Self::Left => left,
            Self::Right => right,
            Self::RightIn(mask) => V::select(mask, right, left),
        }
    }

    /// A coefficient of that piece as it counts, right less left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn difference(self, right: Option<V>, left: Option<V>, zero: V) -> Option<V> {
        let left = match left {
            Some(left) => Some(-left),
            None => None,
        };
        match self {
            Self::Left => left,
            Self::Right => right,
            Self::RightIn(mask) => either(mask, right, left, zero),
        }
    }
}

/// The degree of a piece, as far as it is known.
fn degree<V>(side: &Side<Option<V>>) -> usize {
    let mut degree = 0;
    for j in 0..MAX_DEGREE {
        if side.mean[j].is_some() {
            degree = j + 1;
        }
    }
    degree
}

/// A sum of which a term may be known to be 0.
#[cfg_attr(not(debug_assertions), inline(always))]
fn with<V: Lanes>(value: V, other: Option<V>) -> V {
    match other {
        Some(other) => value + other,
        None => value,
    }
}

/// Σ c_i x_{i + from} over the first `count` coefficients; nothing if all are known to be 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn dot<V: Lanes>(
    coefficients: &[Option<V>],
    count: usize,
    numbers: &[V],
    from: usize,
) -> Option<V> {
    let mut sum: Option<V> = None;
    for i in 0..count {
        if let Some(c) = coefficients[i] {
            sum = Some(match sum {
                Some(sum) => c.mul_add(numbers[from + i], sum),
                None => c * numbers[from + i],
            });
        }
    }
    sum
}

/// τ_n at n + [`FIRST`], from τ_{1−SHIFTS} to τ_{2D}, with h for the density. Those beyond a `last` one are 0 in lanes without its
/// mask: what is not needed may overflow.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tails<V: Lanes, const D: usize, const SHIFTS: usize>(
    element: &Element<V>,
    distance: &Distance<V>,
    right: V::Mask,
    h: V,
    last: Option<(usize, V::Mask)>,
) -> [V; COUNT] {
    let zero = V::splat(V::Scalar::ZERO);
    // Where s is cut off the density is 0: all that matters is that the polynomials are numbers.
    let s = (distance.high.abs() * element.inverse).min(farthest::<V>());
    let Fit { start, p, q } = V::Accuracy::FITS[D - 1];
    let mut upper = horner(p, s);
    let mut current = horner(q, s);
    let mut y = [zero; 2 * MAX_DEGREE + 1];
    // `current` is Y_n, `upper` is Y_{n+1}; a step gives Y_{n−1}.
    for n in (0..start).rev() {
        if n <= 2 * D {
            y[n] = current;
        }
        let factor = V::splat(V::Scalar::from_f64((n + 1) as f64));
        let lower = s.mul_add(current, factor * upper);
        (upper, current) = (current, lower);
    }
    // `current` is Y₋₁ here, which stands for φ.
    let mut scale = h.quotient(current);
    let step = V::select(right, element.xi, -element.xi);
    let mut tails = [zero; COUNT];
    for n in 0..=2 * D {
        match last {
            Some((last, mask)) if n == last + 1 => scale = V::select(mask, scale, zero),
            _ => {}
        }
        tails[FIRST + n] = y[n] * scale;
        scale = scale * step;
    }
    if SHIFTS > 1 {
        let inverse = V::select(right, element.inverse, -element.inverse);
        tails[FIRST - 1] = h * inverse;
        tails[FIRST - 2] = (h * s) * element.precision;
    }
    if SHIFTS > 3 {
        // φ He_n(s), by the recurrence of the Hermite polynomials.
        let square = s * s;
        let [one, three] = [1.0, 3.0].map(|n| V::splat(V::Scalar::from_f64(n)));
        tails[FIRST - 3] = (tails[FIRST - 1] * element.precision) * (square - one);
        tails[FIRST - 4] = (tails[FIRST - 2] * element.precision) * (square - three);
    }
    tails
}
