//! The contribution of a straight stretch, in closed form.
//!
//! With δ the distance from the near end in units of ξ, at s, the integrals of 1, δ and δ²/2 are tails there less
//! those beyond the far end. Where these tails would cancel, the integrals are sums of integrals of powers around the middle
//! ([`powers`](crate::kernel::powers)). The integrals with Hermite polynomials follow by parts:
//!
//! ∫ (δ − m)² z φ = m² φ(s) − (L − m)² φ(f),
//! ∫ (δ − m)² (z² − 1) φ = 2P + m (m s − 2) φ(s) − (L − m) ((L − m) f + 2) φ(f)
//!
//! with L the length, f the place of the far end, P the integral of 1 and m that of δ over P.

use super::panel::{End, Panel};
use super::share::{Share, Slopes};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::accuracy::limits::Limits;
use crate::kernel::exponential::farthest;
use crate::kernel::number::number;
use crate::kernel::powers::{decay, integrals};
use crate::kernel::{Deviation, Lanes, Mask, Pair};
use crate::precision::Precision;

/// The contribution of c₀ + c₁ w on a panel, with w the distance from its near end in the direction of u.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn share<V: Lanes, const SLOPES: bool>(
    panel: &Panel<V>,
    [constant, slope]: [Pair<V>; 2],
    deviation: &Deviation<V>,
) -> Share<V> {
    let length = length(panel, deviation);
    let narrow = is_narrow_panel(panel, length);
    let wide = if narrow.all() { None } else { Some(by_tails::<V, SLOPES>(panel, length)) };
    let parts = match wide {
        Some(wide) if narrow.any() => {
            let series = by_series::<V, SLOPES>(panel, length);
            Parts::select(narrow, series, wide)
        }
        Some(wide) => wide,
        None => by_series::<V, SLOPES>(panel, length),
    };
    along::<V, SLOPES>(panel, [constant, slope], deviation, parts)
}

/// The length of a panel in units of ξ, as far as anything is left of the density.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn length<V: Lanes>(panel: &Panel<V>, deviation: &Deviation<V>) -> Pair<V> {
    let farthest = Pair::exact(V::splat(V::Scalar::S_MAX + V::Scalar::S_MAX));
    let length = panel.width * deviation.inverse_pair();
    Pair::select(length.round().lt(farthest.round()), length, farthest)
}

/// The contribution of a panel from integrals of functions of δ.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn along<V: Lanes, const SLOPES: bool>(
    panel: &Panel<V>,
    [constant, slope]: [Pair<V>; 2],
    deviation: &Deviation<V>,
    parts: Parts<V>,
) -> Share<V> {
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    // Per δ, in the direction of the panel.
    let rise = slope * deviation.xi_pair();
    let rise = Pair::select(panel.leftward, -rise, rise);
    let Parts { mass, middle, square, hermite, first, second } = parts;
    let seen = zero.lt(mass.round());
    let middle = Pair::select(seen, middle, Pair::exact(zero));
    let rise_one = rise.round();
    let squares = Pair::exact(rise_one * (rise_one * square.max(zero)));
    let mut slopes = Slopes::zero();
    if SLOPES {
        let sign = V::select(panel.leftward, -one, one);
        let smooth = slope * mass;
        let smooth = smooth.round();
        slopes = Slopes {
            hermite: [sign * hermite[0], hermite[1]],
            first: [sign * (rise_one * first[0]), rise_one * first[1]],
            second: [sign * (rise_one * (rise_one * second[0])), rise_one * (rise_one * second[1])],
            smooth: [smooth, zero],
            size: [smooth.abs(), zero],
        };
    }
    Share { mass, mean: constant + rise * middle, squares, slopes }
}

/// Integrals of functions of δ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<V> {
    /// P, the probability of the panel.
    pub(super) mass: Pair<V>,
    /// m, the mean of δ on the panel.
    pub(super) middle: Pair<V>,
    /// The integral of (δ − m)².
    pub(super) square: V,
    /// The integrals of z and z² − 1, with z in the direction of the panel.
    pub(super) hermite: [V; 2],
    /// The integrals of (δ − m) z and (δ − m)(z² − 1).
    pub(super) first: [V; 2],
    /// The integrals of (δ − m)² z and (δ − m)² (z² − 1).
    pub(super) second: [V; 2],
}

impl<V: Lanes> Parts<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Self {
            mass: Pair::select(mask, yes.mass, no.mass),
            middle: Pair::select(mask, yes.middle, no.middle),
            square: V::select(mask, yes.square, no.square),
            hermite: each::<V>(mask, yes.hermite, no.hermite),
            first: each::<V>(mask, yes.first, no.first),
            second: each::<V>(mask, yes.second, no.second),
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn each<V: Lanes>(mask: V::Mask, yes: [V; 2], no: [V; 2]) -> [V; 2] {
    [V::select(mask, yes[0], no[0]), V::select(mask, yes[1], no[1])]
}

/// Where a piece takes the tails at its ends; `here` are those in which γ lies on it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn takes_tails<V: Lanes>(
    [left, right]: [&End<V>; 2],
    width: V,
    here: V::Mask,
    deviation: &Deviation<V>,
) -> V::Mask {
    let length = width * deviation.inverse;
    let near = V::select(here, V::splat(V::Scalar::ZERO), left.edge.s.min(right.edge.s));
    // A little sooner than a panel, whose length is rounded otherwise.
    is_narrow(length, near, 0.99).not()
}

/// Where the tails at both ends of a panel of some length would cancel.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn is_narrow_panel<V: Lanes>(panel: &Panel<V>, length: Pair<V>) -> V::Mask {
    is_narrow(length.round(), panel.near.round(), 1.0)
}

/// Where the tails at both ends would cancel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_narrow<V: Lanes>(length: V, s: V, share: f64) -> V::Mask {
    let Limits { exponent, .. } = V::Accuracy::STRAIGHT;
    let half = V::splat(V::Scalar::HALF);
    (length * half.mul_add(length, s)).lt(number::<V>(share * exponent))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn by_tails<V: Lanes, const SLOPES: bool>(
    panel: &Panel<V>,
    length: Pair<V>,
) -> Parts<V> {
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let [j0, j1, j2] = panel.tails;
    let [k0, k1, k2] = panel.far_tails;
    // Beyond the far end the polynomials of the near one.
    let shifted = k1 + length * k0;
    let mass = j0 - k0;
    let linear = j1 - shifted;
    let half_square =
        j2 - (k2 + length * (k1 + Pair::exact(V::splat(V::Scalar::HALF)) * length * k0));
    let middle = divide(linear, mass);
    let square = ((half_square + half_square) - linear * middle).round();
    let none = [zero; 2];
    if !SLOPES {
        return Parts { mass, middle, square, hermite: none, first: none, second: none };
    }
    let (s, f) = (panel.near, panel.far);
    let (h, g) = (panel.density, panel.far_density);
    let rest = length - middle;
    // Where there is no far end its density is 0, and the rest finite.
    let sf = s * h;
    let ff = Pair::exact(f) * g;
    let twice = Pair::exact(one + one);
    Parts {
        mass,
        middle,
        square,
        hermite: [(h - g).round(), (sf - ff).round()],
        first: [square, ((h - g) - (middle * sf + rest * ff)).round()],
        second: [
            (middle * middle * h - rest * rest * g).round(),
            ((mass + mass) + middle * (middle * sf - twice * h) - rest * (rest * ff + twice * g))
                .round(),
        ],
    }
}

/// a/b for b > 0; something finite elsewhere.
#[cfg_attr(not(debug_assertions), inline(always))]
fn divide<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let divisor = b.round();
    let safe = V::select(zero.lt(divisor), divisor, one);
    let inverse = one.quotient(safe);
    let quotient = a.round() * inverse;
    if !V::Accuracy::COMPENSATED {
        return Pair::exact(quotient);
    }
    let rest = (a - Pair::exact(quotient) * b).round();
    Pair::normal(quotient, rest * inverse)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn by_series<V: Lanes, const SLOPES: bool>(
    panel: &Panel<V>,
    length: Pair<V>,
) -> Parts<V> {
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let half = V::splat(V::Scalar::HALF);
    // Where the panel is not narrow, anything finite.
    let a = (half * length.round()).min(one);
    let most = if V::UNBOUNDED { farthest::<V>() } else { V::splat(V::Scalar::S_MAX) };
    let place = (panel.near.round() + a).min(most);
    let y = (place * a).min(one);
    let [j0, j1, j2, j3, j4] = integrals(y, a * a);
    let scale = panel.density.round() * ((a + a) * decay(y));
    let tau = j1.quotient(j0);
    let middle = a * (one + tau);
    let square = tau.neg_mul_add(j1, j2);
    let reach = scale * a;
    let squared = reach * a * square;
    let none = [zero; 2];
    let parts = Parts {
        mass: Pair::exact(scale * j0),
        middle: Pair::exact(middle),
        square: squared,
        hermite: none,
        first: none,
        second: none,
    };
    if !SLOPES {
        return parts;
    }
    // Central moments of τ.
    let cube = tau.mul_add((tau + tau).mul_add(j1, -(number::<V>(3.0) * j2)), j3);
    let inner =
        tau.mul_add(number::<V>(6.0) * j2 - number::<V>(3.0) * tau * j1, -(number::<V>(4.0) * j3));
    let fourth = tau.mul_add(inner, j4);
    let cubed = reach * (a * a) * cube;
    let fourth = reach * (a * a * a) * fourth;
    let at = tau.mul_add(a, place);
    let second = at.mul_sub(at, one);
    Parts {
        hermite: [
            place.mul_add(scale * j0, reach * j1),
            place
                .mul_sub(place, one)
                .mul_add(scale * j0, reach * (a.mul_add(j2, (place + place) * j1))),
        ],
        first: [squared, (at + at).mul_add(squared, cubed)],
        second: [
            at.mul_add(squared, cubed),
            second.mul_add(squared, (at + at).mul_add(cubed, fourth)),
        ],
        ..parts
    }
}
