//! The stretch of one piece on one side of γ.
//!
//! A stretch is described outward from its end that is nearer to γ. The density falls from there on.

use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::number::{number, pair as two_words};
use crate::kernel::{Deviation, Edge, Lanes, Mask, Pair, pair};
use crate::lanes::double::{fast_two_sum, two_sum};
use crate::precision::Precision;

/// A knot seen from γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<V: Lanes> {
    pub(super) edge: Edge<V>,
    /// Whether the knot lies to the right of γ.
    pub(super) is_right: V::Mask,
    /// t − γ.
    pub(super) displacement: Pair<V>,
}

impl<V: Lanes> End<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(gamma: V, knot: [f64; 3], deviation: &Deviation<V>) -> Self {
        Self::of(Edge::precisely_at(gamma, knot, deviation), displacement(gamma, knot))
    }

    /// The end of a panel from its edge and t − γ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of(edge: Edge<V>, displacement: Pair<V>) -> Self {
        let is_right = V::splat(V::Scalar::ZERO).lt(displacement.round());
        Self { edge, is_right, displacement }
    }
}

/// t − γ to twice the precision.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn displacement<V: Lanes>(gamma: V, knot: [f64; 3]) -> Pair<V> {
    let [t, t_low] = two_words([knot[0], knot[1]]);
    displacement_of(gamma, [t, t_low, number(knot[2])])
}

/// The distance t − γ as a double word, for a knot t in three words of the precision.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn displacement_of<V: Lanes>(gamma: V, [t, t_low, lowest]: [V; 3]) -> Pair<V> {
    let [difference, error] = two_sum(t, -gamma);
    if !V::Accuracy::COMPENSATED {
        // The third word is beneath what is wanted here.
        return Pair::exact(difference + t_low);
    }
    let [high, low] = fast_two_sum(difference, t_low);
    // The lowest word counts where γ is the number nearest to the knot; then it is the only one that is left.
    let low = low + (error + lowest);
    // The error of an infinite difference is NaN.
    let finite = difference.abs().lt(V::splat(V::Scalar::INFINITY));
    let low = V::select(finite, low, V::splat(V::Scalar::ZERO));
    let high = V::select(finite, high, difference);
    Pair::normal(high, low)
}

/// A stretch from its near end outward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<V: Lanes> {
    /// Lanes in which it lies to the left of γ.
    pub(super) leftward: V::Mask,
    /// The distance of the near end from γ in units of ξ, not negative.
    pub(super) near: Pair<V>,
    /// The density at the near end, in its unit.
    pub(super) density: Pair<V>,
    /// The length of the stretch, in units of u; beyond any density where there is no far end.
    pub(super) width: Pair<V>,
}

impl<V: Lanes> Panel<V> {
    /// ±1: the direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn sign(&self) -> V {
        let one = V::splat(V::Scalar::ONE);
        V::select(self.leftward, -one, one)
    }

    /// The panel from γ to the end of its piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn from_gamma(far: Option<&End<V>>, leftward: V::Mask) -> Self {
        let zero = Pair::exact(V::splat(V::Scalar::ZERO));
        let width = match far {
            Some(far) => {
                let d = far.displacement;
                Pair::select(V::splat(V::Scalar::ZERO).le(d.round()), d, -d)
            }
            None => endless(),
        };
        Self { leftward, near: zero, density: at_gamma(DENSITY_AT_GAMMA), width }
    }

    /// A piece that lies on one side of γ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn beyond(near: &End<V>, width: Option<Pair<V>>, leftward: V::Mask) -> Self {
        Self {
            leftward,
            near: near.edge.distance_pair(),
            density: near.edge.density_pair(),
            width: width.unwrap_or_else(endless),
        }
    }

    /// The panel `yes` in the lanes of `mask`, `no` elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Self {
            leftward: mask.and(yes.leftward).or(mask.not().and(no.leftward)),
            near: Pair::select(mask, yes.near, no.near),
            density: Pair::select(mask, yes.density, no.density),
            width: Pair::select(mask, yes.width, no.width),
        }
    }

    /// Whether anything is left of the density in any lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn has_density(&self) -> bool {
        V::splat(V::Scalar::ZERO).lt(self.density.round()).any()
    }
}

/// A number in the unit of densities.
#[cfg_attr(not(debug_assertions), inline(always))]
fn at_gamma<V: Lanes>(value: [f64; 2]) -> Pair<V> {
    pair(value) * Pair::exact(unit())
}

/// φ(0) in two words.
pub(super) const DENSITY_AT_GAMMA: [f64; 2] = [0.398_942_280_401_432_7, -2.492_327_202_777_433e-17];

/// One over the unit of densities, in which 1 is measured.
#[cfg_attr(not(debug_assertions), inline(always))]
fn unit<V: Lanes>() -> V {
    V::splat(V::Scalar::power_of_two(V::Accuracy::DENSITY_EXPONENT))
}

/// A length beyond all others.
#[cfg_attr(not(debug_assertions), inline(always))]
fn endless<V: Lanes>() -> Pair<V> {
    Pair::exact(V::splat(V::Scalar::MAX))
}
