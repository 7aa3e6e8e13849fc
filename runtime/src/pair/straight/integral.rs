//! The integral over the correlation from 0 to ρ: its path, its nodes, and the sums over these for a pair of knots.
//!
//! In t = tan(½ asin r) the integrand needs no sine and no root:
//!
//! ```text
//! φ₂ dr = 2φ(α)φ(β) e^(−e) dt/(1 + t²)   e = 2t (t(α² + β²) − (1 + t²)αβ)/(1 − t²)²   ρ − r = ρ(1 − x)(1 − t_ρ t)/(1 + t²)
//! ```
//!
//! for t = t_ρ x, with nodes of Gauss and Legendre for x ([`correlation`](crate::pair::correlation)).
//!
//! Near |ρ| = 1 the terms 1 − |ρ| and α − σβ decide, with σ the sign of ρ. The first is (ξ²ξ′² − c²)/(ξ²ξ′²) over 1 + |ρ|, with an exact
//! numerator; the second is taken from double words. With δ = α − σβ and u = 1 − |t|, in which nothing cancels,
//!
//! ```text
//! e = 2|t|(|t|δ²/u² − σαβ)/(1 + |t|)²   1 − t_ρ t = u_ρ + |t_ρ|u
//! ```

use super::unit::Knot;
use crate::kernel::exponential::density;
use crate::kernel::{Lanes, Pair, number};
use crate::lanes::double::two_sum;
use crate::precision::Precision;

/// The correlations from 0 to ρ.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Path<V> {
    pub(in crate::pair) rho: V,
    /// 1 − ρ²
    pub(in crate::pair) squared_rest: V,
    /// t_ρ
    pub(in crate::pair) end: V,
    /// 1 − |t_ρ| of a strong correlation.
    pub(in crate::pair) end_rest: V,
    /// σ
    pub(in crate::pair) sign: V,
}

impl<V: Lanes> Path<V> {
    /// To a ρ that is not near 1 or −1.
    #[inline(always)]
    pub(in crate::pair) fn weak(rho: V) -> Self {
        let one = number::<V>(1.0);
        let squared_rest = (one - rho) * (one + rho);
        let end = rho / (one + squared_rest.sqrt());
        Self { rho, squared_rest, end, end_rest: number(0.0), sign: sign(rho) }
    }

    /// To any ρ, from 1 − ρ² too.
    #[inline(always)]
    pub(in crate::pair) fn strong(rho: V, squared_rest: V) -> Self {
        let one = number::<V>(1.0);
        let rest = squared_rest.sqrt();
        let end = rho / (one + rest);
        let end_rest = (rest + squared_rest / (one + rho.abs())) / (one + rest);
        Self { rho, squared_rest, end, end_rest, sign: sign(rho) }
    }

    /// φ₂(ρ) of a pair of knots.
    #[inline(always)]
    pub(in crate::pair) fn joint<const STRONG: bool>(&self, at: &KnotPair<V>) -> V {
        let Self { squared_rest, end, end_rest, sign, .. } = *self;
        let one = number::<V>(1.0);
        let q = end * end;
        let m = if STRONG { end_rest * (one + end.abs()) } else { one - q };
        let four = number::<V>(4.0) * end / (m * m);
        let on_products = if STRONG { sign * (end_rest * end_rest) } else { one + q };
        let y = (four * end).mul_sub(at.square, four * on_products * at.product);
        let joint = density(y) * number(f64::ROOT_TAU) * at.density;
        joint / squared_rest.sqrt()
    }
}

/// −1 of what is negative, else 1.
#[inline(always)]
fn sign<V: Lanes>(x: V) -> V {
    V::select(x.lt(number(0.0)), number(-1.0), number(1.0))
}

/// c/(ξξ′), and ξ²ξ′² and ξ²ξ′² − c², of exact products.
#[inline(always)]
pub(in crate::pair) fn determinant<V: Lanes>([variance, variance_h]: [V; 2], c: V) -> [V; 2] {
    let product = Pair::exact(variance) * Pair::exact(variance_h);
    let determinant = (product - Pair::exact(c) * Pair::exact(c)).round();
    [product.round(), determinant]
}

/// A knot of each function.
#[derive(Clone, Copy)]
pub(in crate::pair) struct KnotPair<V> {
    /// α² + β²; of a strong correlation δ².
    pub(in crate::pair) square: V,
    /// αβ; of a strong correlation σαβ.
    pub(in crate::pair) product: V,
    /// φ(α) φ(β)
    pub(in crate::pair) density: V,
}

impl<V: Lanes> KnotPair<V> {
    #[inline(always)]
    pub(in crate::pair) fn new<const STRONG: bool>(
        left: &Knot<V>,
        right: &Knot<V>,
        sign: V,
    ) -> Self {
        let (a, b) = (left.z, right.z);
        let density = left.phi * right.phi;
        if STRONG {
            let apart = apart(left, right, sign);
            Self { square: apart * apart, product: sign * a * b, density }
        } else {
            Self { square: a.mul_add(a, b * b), product: a * b, density }
        }
    }
}

/// δ = α − σβ of two knots.
#[inline(always)]
pub(in crate::pair) fn apart<V: Lanes>(left: &Knot<V>, right: &Knot<V>, sign: V) -> V {
    let [high, error] = two_sum(left.z, -(sign * right.z));
    high + (error + (left.lost - sign * right.lost))
}

/// Sums over the nodes for a pair of knots, over φ(α) φ(β) and a constant: I₀, I₁, ∫(ρ−r)φ₂/(1−r²), ∫ q(ρ−r)φ₂/(1−r²), ∫φ₂/(1−r²) and
/// ∫ qφ₂/(1−r²), with q = r, and 1 − |r| for strong correlations.
pub(in crate::pair) type Sums<V> = [V; 6];

/// A node, the same for all pairs of knots.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Node<V> {
    /// 2e is the square times one less the product times the other.
    on_squares: V,
    on_products: V,
    weight: V,
    /// ρ − r
    distance: V,
    /// 1/(1 − r²)
    scale: V,
    /// q
    q: V,
}

impl<V: Lanes> Node<V> {
    /// At x, with 1 − x and the weight of the rule.
    #[inline(always)]
    pub(in crate::pair) fn new<const STRONG: bool>(
        path: &Path<V>,
        [x, left_out, weight]: [V; 3],
    ) -> Self {
        let Path { rho, end, end_rest, sign, .. } = *path;
        let one = number::<V>(1.0);
        let t = end * x;
        let q = t * t;
        let u = end.abs().mul_add(left_out, end_rest);
        let (p, m) = (one + q, if STRONG { u * (one + t.abs()) } else { one - q });
        let inverse = one / (p * m);
        let (p_inverse, m_inverse) = (m * inverse, p * inverse);
        let four = number::<V>(4.0) * t * m_inverse * m_inverse;
        let (on_squares, on_products) =
            if STRONG { (four * t, four * sign * (u * u)) } else { (four * t, four * p) };
        let moved_end =
            if STRONG { end.abs().mul_add(u, end_rest) } else { end.neg_mul_add(t, one) };
        let scale = p * m_inverse;
        Self {
            on_squares,
            on_products,
            weight: weight * p_inverse,
            distance: rho * (left_out * p_inverse) * moved_end,
            scale: scale * scale,
            q: if STRONG { u * u * p_inverse } else { (t + t) * p_inverse },
        }
    }

    /// Adds what the node gives to the sums.
    #[inline(always)]
    pub(in crate::pair) fn add<const GRADIENT: bool, const JUMPS: bool>(
        &self,
        at: &KnotPair<V>,
        sums: &mut Sums<V>,
    ) {
        let y = self.on_squares.mul_sub(at.square, self.on_products * at.product);
        let f = density(y) * self.weight;
        let moved = f * self.distance;
        sums[1] = sums[1] + moved;
        if GRADIENT || JUMPS {
            sums[0] = sums[0] + f;
            let scaled = moved * self.scale;
            sums[2] = sums[2] + scaled;
            sums[3] = scaled.mul_add(self.q, sums[3]);
        }
        if GRADIENT && JUMPS {
            let scaled = f * self.scale;
            sums[4] = sums[4] + scaled;
            sums[5] = scaled.mul_add(self.q, sums[5]);
        }
    }
}
