//! The integral over the correlation from 0 to ρ: its path, its nodes, and the sums over these for a pair of knots.
//!
//! In t = tan(½ asin r) the integrand needs no sine and no root:
//!
//! ```text
//! φ₂ dr = 2φ(α)φ(β) e^(−e) dt/(1 + t²)   e = 2t (t(α² + β²) − (1 + t²)αβ)/(1 − t²)²   ρ − r = ρ(1 − x)(1 − t_ρ t)/(1 + t²)
//! ```
//!
//! for t = t_ρ x, with nodes of Gauss and Legendre for x.
//!
//! Near |ρ| = 1 the terms 1 − |ρ| and α − σβ decide, with σ the sign of ρ. The first is (ξ²ξ′² − c²)/(ξ²ξ′²) over 1 + |ρ|, with an exact
//! numerator; the second is taken from double words. With δ = α − σβ and u = 1 − |t|, in which nothing cancels,
//!
//! ```text
//! e = 2|t|(|t|δ²/u² − σαβ)/(1 + |t|)²   1 − t_ρ t = u_ρ + |t_ρ|u
//! ```
//!
//! # Nodes
//!
//! Up to |ρ| = 0.95 one Gauss–Legendre rule on \[0, 1\] has all digits. Nearer to 1 the integrand changes within |α ∓ β| of |t| = 1, however
//! small that is. So panels there are half as long as the one before, down to the length 2⁻ᴶ, which is about 1 − |t_ρ|.
//!
//! Error: each integral is right to 3·10⁻¹⁵ of itself, for knots within 8 deviations.

use super::unit::Knot;
use crate::constants::rules::{PAIRS, Row};
use crate::kernel::exponential::density;
use crate::kernel::{Lanes, Mask, Pair, number};
use crate::lanes::double::two_sum;
use crate::lanes::twice::Twice;
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
    pub(super) fn weak(rho: V) -> Self {
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
        // With w = √(1 − ρ²), 1 − |t| = (w + 1 − |ρ|)/(1 + w) and 1 − |ρ| = w²/(1 + |ρ|): nothing cancels.
        let end_rest = (rest + squared_rest / (one + rho.abs())) / (one + rest);
        Self { rho, squared_rest, end, end_rest, sign: sign(rho) }
    }

    /// φ₂(ρ) of a pair of knots.
    #[inline(always)]
    pub(super) fn joint<const STRONG: bool>(&self, at: &KnotPair<V>) -> V {
        let Self { squared_rest, end, end_rest, sign, .. } = *self;
        let one = number::<V>(1.0);
        let q = end * end;
        let m = if STRONG { end_rest * (one + end.abs()) } else { one - q };
        let four = number::<V>(4.0) * end / (m * m);
        let on_products = if STRONG { sign * (end_rest * end_rest) } else { one + q };
        let y = (four * end).mul_sub(at.square, four * on_products * at.product);
        // `density` has the factor 1/√2π, of which φ(α)φ(β) has two already.
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
pub(super) fn apart<V: Lanes>(left: &Knot<V>, right: &Knot<V>, sign: V) -> V {
    let [high, error] = two_sum(left.z, -(sign * right.z));
    high + (error + (left.lost - sign * right.lost))
}

/// Sums over the nodes for a pair of knots, over φ(α) φ(β) and a constant: I₀, I₁, ∫(ρ−r)φ₂/(1−r²), ∫ q(ρ−r)φ₂/(1−r²), ∫φ₂/(1−r²) and
/// ∫ qφ₂/(1−r²), with q = r, and 1 − |r| for strong correlations.
pub(super) type Sums<V> = [V; 6];

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
        // 1 − |t_ρ|x as a sum of numbers that are not negative.
        let u = end.abs().mul_add(left_out, end_rest);
        let (p, m) = (one + q, if STRONG { u * (one + t.abs()) } else { one - q });
        // One division for both reciprocals.
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

/// Nodes side by side, for one pair of pre-activations.
type Nodes = Twice<Twice<f64>>;
const SIDE_BY_SIDE: usize = Nodes::COUNT;

// Nodes come in full groups.
const _: () = {
    let mut i = 0;
    while i < PAIRS.len() {
        assert!(PAIRS[i].len().is_multiple_of(SIDE_BY_SIDE));
        i += 1;
    }
    let mut i = 0;
    while i < GRADED.len() {
        assert!(GRADED[i].1.len().is_multiple_of(SIDE_BY_SIDE));
        i += 1;
    }
};

/// A number of one pair for all nodes.
#[inline(always)]
fn spread<V: Lanes<Element = f64>>(x: V) -> Nodes {
    let mut one = [0.0];
    x.store(&mut one);
    Nodes::splat(one[0])
}

/// The sum over nodes side by side.
#[inline(always)]
fn total<V: Lanes<Element = f64>>(x: Nodes) -> V {
    let Twice(Twice(a, b), Twice(c, d)) = x;
    V::load(&[(a + c) + (b + d)])
}

/// The sums over the nodes for some pairs of knots, which run side by side.
#[inline(always)]
pub(super) fn sums<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
    const COUNT: usize,
>(
    path: &Path<V>,
    at_pairs: &[KnotPair<V>; COUNT],
    nodes: &[Row<f64>],
) -> [Sums<V>; COUNT] {
    if V::COUNT > 1 {
        return over::<V, GRADIENT, JUMPS, STRONG, COUNT, 1>(path, at_pairs, nodes);
    }
    let path = Path {
        rho: spread(path.rho),
        squared_rest: spread(path.squared_rest),
        end: spread(path.end),
        end_rest: spread(path.end_rest),
        sign: spread(path.sign),
    };
    let at_pairs = at_pairs.map(|at| KnotPair {
        square: spread(at.square),
        product: spread(at.product),
        density: spread(at.density),
    });
    over::<Nodes, GRADIENT, JUMPS, STRONG, COUNT, SIDE_BY_SIDE>(&path, &at_pairs, nodes)
        .map(|sums| sums.map(total))
}

/// A number in all lanes, or one for each lane.
#[inline(always)]
fn each<V: Lanes<Element = f64>, const NODES: usize>(numbers: &[f64; NODES]) -> V {
    if NODES == 1 { number(numbers[0]) } else { V::load(numbers) }
}

/// The sums over nodes that are the same in all lanes, or one for each lane.
#[inline(always)]
fn over<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
    const COUNT: usize,
    const NODES: usize,
>(
    path: &Path<V>,
    at_pairs: &[KnotPair<V>; COUNT],
    nodes: &[Row<f64>],
) -> [Sums<V>; COUNT] {
    let mut sums: [Sums<V>; COUNT] = [[number(0.0); 6]; COUNT];
    for rows in nodes.chunks_exact(NODES) {
        let [x, x_low, weight] = [0, 1, 2].map(|k| {
            let each: [f64; NODES] = core::array::from_fn(|i| rows[i][k]);
            each
        });
        let [x, x_low, weight] = [each(&x), each(&x_low), each(&weight)];
        let node = Node::new::<STRONG>(path, [x, (number::<V>(1.0) - x) - x_low, weight]);
        for (at_pair, sums) in at_pairs.iter().zip(&mut sums) {
            node.add::<GRADIENT, JUMPS>(at_pair, sums);
        }
    }
    sums
}

/// Which rule has all digits for |ρ| and |ρ| times the farthest knot: each is for what is at most so large.
const SERVES: [[f64; 2]; 4] = [[0.3, 0.6], [0.6, 1.5], [0.8, 1.6], [0.9, 4.5]];

/// The nodes up to |ρ| = 0.95.
#[inline(always)]
pub(super) fn rule<V: Lanes>(rho: V, strength: V) -> &'static [Row<f64>] {
    let size = rho.abs();
    let is_enough =
        |[most, product]: [f64; 2]| size.le(number(most)).and(strength.le(number(product))).all();
    let rule = SERVES.iter().position(|limits| is_enough(*limits)).unwrap_or(SERVES.len());
    PAIRS[rule]
}

/// The nodes beyond, by 1 − |t_ρ|, of which NaN asks for nothing.
#[inline(always)]
pub(super) fn graded_rule<V: Lanes>(rest: V) -> &'static [Row<f64>] {
    let last = GRADED.len() - 1;
    let is_enough = |levels: i32| {
        let least = number::<V>(SERVES_GRADED) * V::splat(V::Scalar::power_of_two(-levels));
        rest.lt(least).not().all()
    };
    let enough = GRADED.iter().position(|(levels, _)| is_enough(*levels));
    GRADED[enough.unwrap_or(last)].1
}

/// By how much 1 − |t_ρ| may be less than the length of the last panel.
pub(in crate::pair) const SERVES_GRADED: f64 = 0.7;

/// J, and the nodes for it.
const GRADED: [(i32, &[Row<f64>]); 5] = [
    (2, &graded::<{ count(2) }>()),
    (3, &graded::<{ count(3) }>()),
    (4, &graded::<{ count(4) }>()),
    (6, &graded::<{ count(6) }>()),
    (8, &graded::<{ count(8) }>()),
];

/// The rule for |ρ| up to 0.95.
#[cfg(feature = "source")]
pub(in crate::pair) const STRONGEST_RULE: &[Row<f64>] = PAIRS[4];

/// The rules of the first half, with 24 nodes, and of the panels after it, with 16.
pub(in crate::pair) const HALF: &[Row<f64>] = PAIRS[3];
pub(in crate::pair) const PANEL: &[Row<f64>] = PAIRS[2];

const fn count(levels: usize) -> usize {
    HALF.len() + levels * PANEL.len()
}

/// The nodes on panels from 1 − 2⁻ʲ to 1 − 2⁻ʲ⁻¹, and on the last one of length 2⁻ᴶ.
const fn graded<const N: usize>() -> [Row<f64>; N] {
    let mut rows = [[0.0; 3]; N];
    let levels = (N - HALF.len()) / PANEL.len();
    let (mut row, mut panel, mut width) = (0, 0, 0.5);
    while panel <= levels {
        let start = if panel == levels { 1.0 - width } else { 1.0 - 2.0 * width };
        let rule = if panel == 0 { HALF } else { PANEL };
        let mut i = 0;
        while i < rule.len() {
            let [node, low, weight] = rule[i];
            let (far, low) = (width * node, width * low);
            let place = start + far;
            // What rounding took from the place, so that 1 − x is right next to 1 too.
            rows[row] = [place, (far - (place - start)) + low, width * weight];
            (row, i) = (row + 1, i + 1);
        }
        if panel + 1 < levels {
            width *= 0.5;
        }
        panel += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::GRADED;

    #[test]
    fn the_panels_fill_the_interval() {
        for (levels, rows) in GRADED {
            let ascend = rows.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            assert!(ascend && rows[0][0] > 0.0, "{levels}");
            let sum: f64 = rows.iter().map(|row| row[2]).sum();
            assert!((sum - 1.0).abs() < 1e-15, "{levels}: {sum}");
            // ∫ 1/(2⁻ᴶ + 1 − x) dx
            let end = f64::from(-levels).exp2();
            let value: f64 = rows.iter().map(|[x, low, w]| w / (end + ((1.0 - x) - low))).sum();
            let truth = libm::log1p(1.0 / end);
            assert!((value / truth - 1.0).abs() < 1e-14, "{levels}: {value} {truth}");
        }
    }
}
