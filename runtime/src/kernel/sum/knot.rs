//! The tails beyond a knot: τ_n = (σξ)ⁿ J_n(s) with s = |t − γ|/ξ and σ the sign of t − γ.
//!
//! J_n(s) = E\[(z − s)₊ⁿ\]/n! for z ~ N(0, 1) are the repeated integrals of the Normal tail, J₋₁ = φ, and R_n = J_n/φ. They
//! obey J_{n−1} = (n + 1) J_{n+1} + s J_n, which has positive terms only when it is used backwards: Y_M = P(s) and
//! Y_{M−1} = Q(s) start it, from a rational fit of J_M/J_{M−1}, and R_n = Y_n/Y₋₁. The recurrence damps the error of the start.
//!
//! Error: 3 to 6 ulp of R_n (`constants/fits.rs`), 0.6 to 0.9 in the root mean square.

use super::element::{Distance, Element};
use super::level::{Level, Truncated};
use super::rows::{Knot, Side};
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
    pub(super) level: &'a Level<V>,
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
        let Self { knot, wide, level, element, mut sums } = self;
        let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
        let distance = Distance::new(element.gamma, knot.at);
        let right = zero.lt(distance.high);
        let tails = tails::<V, D, SHIFTS>(element, &distance, right);
        let mut apart = zero;
        for i in 0..2 {
            // To the right of the knot tails lead away from γ if the knot is to the right of γ.
            let sign =
                if i == 1 { V::select(right, one, -one) } else { V::select(right, -one, one) };
            let weight = match wide[i] {
                Some(wide) => V::select(wide, sign, zero),
                None => sign,
            };
            let mask = if D > 1 { wide[i] } else { None };
            apart = level.below(knot.sides[i].value).mul_add(weight, apart);
            add::<V, D, SHIFTS, false>(&knot.sides[i], &tails, level, weight, mask, &mut sums);
        }
        // At a knot where the function is continuous and both pieces are wide, nothing is left of this, exactly.
        for q in 0..SHIFTS {
            sums[2 * q] = apart.mul_add(tails[FIRST - q], sums[2 * q]);
        }
        sums
    }
}

/// The tails of a piece beyond a place on it, away from γ, in some lanes.
pub(super) struct Beyond<'a, V: Lanes> {
    pub(super) side: &'a Side<Option<V>>,
    pub(super) distance: Distance<V>,
    pub(super) mask: V::Mask,
    pub(super) level: &'a Level<V>,
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
                let Beyond { side, distance, mask, level, element, mut sums } = self.0;
                let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
                let right = zero.lt(distance.high);
                let tails = tails::<V, D, SHIFTS>(element, &distance, right);
                let weight = V::select(mask, one, zero);
                add::<V, D, SHIFTS, true>(side, &tails, level, weight, Some(mask), &mut sums);
                sums
            }
        }
        let (mask, sums) = (self.mask, self.sums);
        V::if_any(mask, Add::<V, D, SHIFTS>(self), sums)
    }
}

/// Adds the tails of one side times a weight to the sums; to the means with or without the level. In lanes without the mask
/// the tails may overflow.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add<V: Lanes, const D: usize, const SHIFTS: usize, const LEVEL: bool>(
    side: &Side<Option<V>>,
    tails: &[V; COUNT],
    level: &Level<V>,
    weight: V,
    mask: Option<V::Mask>,
    sums: &mut Sums<V>,
) {
    let value = level.below(side.value);
    for q in 0..SHIFTS {
        let mut truncated = Truncated {
            mass: tails[FIRST - q],
            mean: dot(&side.mean, D, tails, FIRST + 1 - q),
            square: dot(&side.square, 2 * D - 1, tails, FIRST + 2 - q),
        };
        if let Some(mask) = mask {
            truncated = truncated.only(mask);
        }
        truncated.add::<LEVEL>(value, weight, sums, q);
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

/// τ_n at n + [`FIRST`], from τ_{1−SHIFTS} to τ_{2D}.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tails<V: Lanes, const D: usize, const SHIFTS: usize>(
    element: &Element<V>,
    distance: &Distance<V>,
    right: V::Mask,
) -> [V; COUNT] {
    let zero = V::splat(V::Scalar::ZERO);
    let h = element.density(distance, None);
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
    let mut scale = h.quotient(current);
    let step = V::select(right, element.xi, -element.xi);
    let mut tails = [zero; COUNT];
    for n in 0..=2 * D {
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
