//! The covariance and its derivatives as a sum: the part of the expected slopes, and one term for each pair of knots.
//!
//! Beside each sum stands the sum of the sizes of its terms, by which a result is judged.
//!
//! ```text
//! Cov = ρ (ŝ ŝ′ + ŝ f′ + f ŝ′) + Σ_kl (D D′ I₁ + C D′ A₁ + D C′ B₁ + C C′ I₀)
//! −∂I₁ = A₁   −∂A₁ = αA₁ + I₁ − ρI₀   −∂²A₁ = α(−∂A₁) − ρA₀   −∂I₀ = A₀   −∂A₀ = αA₀ − ρφ₂(ρ)
//! −∂B₁ = I₀ (with what ρ f′ŝ loses)
//! ```
//!
//! Of a strong correlation, with σ the sign of ρ and δ = α − σβ, (1 − r²)A = δ + σβ(1 − |r|) and (1 − r²)B = −σδ + σα(1 − |r|).

use super::integral::{KnotPair, Path, Sums, apart};
use super::unit::{Knot, Slope};
use crate::kernel::{Lanes, number};
use crate::precision::Precision;

/// The covariance and its derivatives, in units of the deviations.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Terms<V> {
    /// In nothing, α, β, twice α, twice β, and ρ.
    pub(in crate::pair) values: [V; 6],
    /// The sums of the sizes of the terms.
    pub(in crate::pair) sizes: [V; 6],
    /// The covariance, and its derivative in ρ, of the functions that increase as steeply as g and h change.
    pub(in crate::pair) scales: [V; 2],
}

impl<V: Lanes> Terms<V> {
    /// The part of the expected slopes, and of those of the steep functions with their fluxes.
    #[inline(always)]
    pub(in crate::pair) fn new<const GRADIENT: bool, const JUMPS: bool>(
        rho: V,
        left: &Slope<V>,
        right: &Slope<V>,
        steep: [[V; 2]; 2],
    ) -> Self {
        let zero = number::<V>(0.0);
        let product = product::<V, JUMPS>([[left.slope, left.flux], [right.slope, right.flux]]);
        let [size, first_size, second_size] = left.sizes;
        let [size_h, first_size_h, second_size_h] = right.sizes;
        let size_rho = rho.abs();
        let mut values = [rho * product, zero, zero, zero, zero, product];
        let mut sizes = [size_rho * size * size_h, zero, zero, zero, zero, size * size_h];
        if GRADIENT {
            let ([first, second], [first_h, second_h]) = (left.derivatives, right.derivatives);
            values[1] = rho * first * right.slope;
            values[2] = rho * first_h * left.slope;
            values[3] = rho * second * right.slope;
            values[4] = rho * second_h * left.slope;
            sizes[1] = size_rho * first_size * size_h;
            sizes[2] = size_rho * first_size_h * size;
            sizes[3] = size_rho * second_size * size_h;
            sizes[4] = size_rho * second_size_h * size;
        }
        let steep = self::product::<V, JUMPS>(steep);
        Self { values, sizes, scales: [rho * steep, steep] }
    }

    /// Adds a multiple of a term, of which the size of what it is a sum of is known.
    #[inline(always)]
    fn add(&mut self, at: usize, factor: V, [term, size]: [V; 2]) {
        self.values[at] = factor.mul_add(term, self.values[at]);
        self.sizes[at] = factor.abs().mul_add(size, self.sizes[at]);
    }

    /// Adds the terms of a pair of knots, from the sums over the nodes.
    #[inline(always)]
    pub(in crate::pair) fn add_pair<const GRADIENT: bool, const JUMPS: bool, const STRONG: bool>(
        &mut self,
        path: &Path<V>,
        left: &Knot<V>,
        right: &Knot<V>,
        at: &KnotPair<V>,
        sums: Sums<V>,
    ) {
        let Path { rho, end, sign, .. } = *path;
        // √2π of the density, and 2 of the measure.
        let unit = at.density * end * number(2.0 * f64::ROOT_TAU);
        let [i0, i1, s0, s1, m0, m1] = sums.map(|sum| sum * unit);
        let (a, b) = (left.z, right.z);
        let both = left.kink * right.kink;
        let steep_both = left.steep * right.steep;
        self.add(0, both, plain(i1));
        self.scales[0] = steep_both.mul_add(i1, self.scales[0]);
        if !(GRADIENT || JUMPS) {
            return;
        }
        let delta = if STRONG { apart(left, right, sign) } else { number(0.0) };
        let [a1, b1] = crossing::<V, STRONG>([a, b], [sign, delta], [s0, s1]);
        let rest = i1 - rho * i0;
        let (a2, b2) = (moved(a, a1, rest), moved(b, b1, rest));
        if GRADIENT {
            self.add(1, both, a1);
            self.add(2, both, b1);
            self.add(3, both, a2);
            self.add(4, both, b2);
            self.add(5, both, plain(i0));
            self.scales[1] = steep_both.mul_add(i0, self.scales[1]);
        }
        if !JUMPS {
            return;
        }
        let (jump_kink, kink_jump) = (left.jump * right.kink, left.kink * right.jump);
        let jumps = left.jump * right.jump;
        self.add(0, jump_kink, a1);
        self.add(0, kink_jump, b1);
        self.add(0, jumps, plain(i0));
        let jump_steep = left.jump.abs() * right.steep;
        let (steep_jump, steps) = (left.steep * right.jump.abs(), jumps.abs());
        self.scales[0] = self.scales[0] + jump_steep * a1[0] + steep_jump * b1[0] + steps * i0;
        if !GRADIENT {
            return;
        }
        let [a0, b0] = crossing::<V, STRONG>([a, b], [sign, delta], [m0, m1]);
        let joint = path.joint::<STRONG>(at);
        let tail = rho * joint;
        self.add(1, jump_kink, a2);
        self.add(1, kink_jump, plain(i0));
        self.add(1, jumps, a0);
        self.add(2, kink_jump, b2);
        self.add(2, jump_kink, plain(i0));
        self.add(2, jumps, b0);
        self.add(3, jump_kink, moved(a, a2, -(rho * a0[0])));
        self.add(3, kink_jump, a0);
        self.add(3, jumps, moved(a, a0, -tail));
        self.add(4, kink_jump, moved(b, b2, -(rho * b0[0])));
        self.add(4, jump_kink, b0);
        self.add(4, jumps, moved(b, b0, -tail));
        self.add(5, jump_kink, a0);
        self.add(5, kink_jump, b0);
        self.add(5, jumps, plain(joint));
        self.scales[1] = self.scales[1] + jump_steep * a0[0] + steep_jump * b0[0] + steps * joint;
    }

    /// The covariance, and its derivatives in γ, γ′, ξ², ξ′² and c, from 1/ξ and 1/ξ′.
    #[inline(always)]
    pub(in crate::pair) fn in_units([inverse, inverse_h]: [V; 2], values: [V; 6]) -> [V; 6] {
        let half = number::<V>(0.5);
        let [covariance, first, first_h, second, second_h, rho] = values;
        [
            covariance,
            first * inverse,
            first_h * inverse_h,
            half * second * inverse * inverse,
            half * second_h * inverse_h * inverse_h,
            rho * inverse * inverse_h,
        ]
    }
}

/// ŝ ŝ′ + ŝ f′ + f ŝ′
#[inline(always)]
fn product<V: Lanes, const JUMPS: bool>([[slope, flux], [slope_h, flux_h]]: [[V; 2]; 2]) -> V {
    if JUMPS {
        slope.mul_add(slope_h, slope.mul_add(flux_h, flux * slope_h))
    } else {
        slope * slope_h
    }
}

/// A term that is no sum, and its size.
#[inline(always)]
fn plain<V: Lanes>(x: V) -> [V; 2] {
    [x, x.abs()]
}

/// x − y, and its size.
#[inline(always)]
fn difference<V: Lanes>(x: V, y: V) -> [V; 2] {
    [x - y, x.abs() + y.abs()]
}

/// α x + y, and its size.
#[inline(always)]
fn moved<V: Lanes>(distance: V, [x, size]: [V; 2], y: V) -> [V; 2] {
    [distance.mul_add(x, y), distance.abs().mul_add(size, y.abs())]
}

/// ∫ A f and ∫ B f with their sizes, from the integrals of f and of q f over 1 − r².
#[inline(always)]
fn crossing<V: Lanes, const STRONG: bool>(
    [a, b]: [V; 2],
    [sign, delta]: [V; 2],
    [f, qf]: [V; 2],
) -> [[V; 2]; 2] {
    if STRONG {
        let apart = delta * f;
        let both = [sign * b * qf, sign * a * qf];
        [difference(apart, -both[0]), difference(-(sign * apart), -both[1])]
    } else {
        [difference(a * f, b * qf), difference(b * f, a * qf)]
    }
}
