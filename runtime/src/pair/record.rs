//! The integral over the correlation as functions of numbers alone, for the generator. It runs them over lanes that record
//! each operation, and prints the record in other languages.
//!
//! Two simplifications make one text of them. The forms for strong correlations serve all correlations. A result is not judged: a knot that is too far
//! is left out, and terms may cancel, which bounds the error of the covariance in units of ξξ′ and the slopes, not of itself.

use alloc::vec::Vec;

use super::straight::integral::{
    HALF, KnotPair, Node, PANEL, Path, SERVES_GRADED, STRONGEST_RULE, determinant,
};
use super::straight::unit::{FARTHEST, Knot, Seen, Slope};
use super::straight::{STRENGTH, StraightKnots, Terms};
use crate::Float;
use crate::constants::rules::Row;
use crate::kernel::pieces::Table;
use crate::kernel::{Deviation, KnotWords, Lanes, number};
use crate::precision::Precision;

/// The numbers of a straight function.
#[derive(Clone, Debug)]
pub struct Straight {
    /// The knots, ascending: the place in three words, by how much the slope changes, and by how much the function jumps.
    pub knots: Vec<[f64; 5]>,
    /// The slopes of the pieces.
    pub slopes: Vec<f64>,
}

impl Straight {
    /// `None` if a piece is curved, or the coefficients have a unit of their own.
    #[must_use]
    pub fn of(table: &Table<'_>) -> Option<Self> {
        if table.degree > 1 || table.exponent != 0 {
            return None;
        }
        let Some(straight) = StraightKnots::of(table) else {
            let [slope, ..] = table.rows.places[0].taylor;
            return Some(Self { knots: Vec::new(), slopes: [slope].into() });
        };
        let knots = 0..straight.count();
        let numbers = knots.clone().map(|k| {
            let ([high, middle, low], knot) = (straight.place(k), straight.at(k));
            [high, middle, low, knot.kink, knot.jump]
        });
        let slopes = knots.clone().map(|k| straight.at(k).slopes[1]);
        let slopes = [straight.at(0).slopes[0]].into_iter().chain(slopes);
        Some(Self { knots: numbers.collect(), slopes: slopes.collect() })
    }
}

/// The rules that nodes are made of: for |ρ| up to 0.95; for x up to ½; and for panels beyond. A row has the node, what rounding took from it, and
/// the weight.
pub const RULES: [&[Row<f64>]; 3] = [STRONGEST_RULE, HALF, PANEL];

/// The least 1 − |t_ρ| of the first rule: that of |ρ| = 0.95, rounded down. A rule of the panels that are down to the length 2⁻ᴶ serves from
/// [`SERVES`]·2⁻ᴶ on.
pub const FEW: f64 = 0.27;
/// By how much a correlation may be nearer to 1 than the length of the last panel.
pub const SERVES: f64 = SERVES_GRADED;

/// The exponent of the least 1 − ρ², which stands for |ρ| = 1, in double and in single precision.
pub const LEAST_REST: [i32; 2] = [-200, -110];

/// A knot of a unit, by its place, its kink and its jump: the distance, φ, ξ times the kink, what the distance lost, 1 if the knot is to the right of
/// the mean, its part in ŝ, in f, and in the derivatives of both.
pub fn knot<V: Lanes>([gamma, xi2]: [V; 2], at: [V; 3], [kink, jump]: [V; 2]) -> [V; 9] {
    let (zero, one) = (number::<V>(0.0), number::<V>(1.0));
    let deviation = Deviation::new(xi2, [0, 0]);
    let seen = Seen::new(gamma, &KnotWords::of_lanes(at), &deviation);
    let kink = kink * deviation.xi;
    let is_near = seen.z.abs().le(number(FARTHEST[2]));
    let near = |x: V| V::select(is_near, x, zero);
    let [first, second] = seen.derivatives(kink, jump).map(near);
    [
        near(seen.z),
        near(seen.phi),
        kink,
        near(seen.lost(&deviation)),
        V::select(seen.is_right, one, zero),
        seen.outward(seen.beyond(kink)),
        near(jump * seen.phi),
        first,
        second,
    ]
}

/// ρ, 1 − ρ², t_ρ and 1 − |t_ρ|, from the variances and c.
pub fn path<V: Lanes>(variances: [V; 2], c: V) -> [V; 4] {
    let one = number::<V>(1.0);
    let [inverse, inverse_h] = variances.map(|xi2| Deviation::new(xi2, [0, 0]).inverse);
    let given = c * inverse * inverse_h;
    let [product, determinant] = determinant(variances, c);
    // 1 + ε is a number in double precision alone.
    let is_single = V::Scalar::from_f64(1.0 + f64::EPSILON) == V::Scalar::ONE;
    let least = V::splat(V::Scalar::power_of_two(LEAST_REST[usize::from(is_single)]));
    let Path { rho, squared_rest, end, end_rest, .. } =
        Path::strong(given.max(-one).min(one), (determinant / product).max(least));
    [rho, squared_rest, end, end_rest]
}

fn path_of<V: Lanes>([rho, squared_rest, end, end_rest]: [V; 4]) -> Path<V> {
    Path { squared_rest, end, end_rest, ..Path::strong(rho, squared_rest) }
}

/// Two knots, by distance, φ and what the distance lost: the distances, the square and the product that the exponent is made of, and the density. It is
/// 0 where |ρ| times a distance is too large.
pub fn knot_pair<V: Lanes>(rho: V, left: [V; 3], right: [V; 3]) -> [V; 5] {
    let zero = number::<V>(0.0);
    let near = |[z, phi, lost]: [V; 3]| {
        let is_near = (rho * z).abs().le(number(STRENGTH[1]));
        Knot {
            z: V::select(is_near, z, zero),
            phi: V::select(is_near, phi, zero),
            lost,
            ..nothing()
        }
    };
    let [left, right] = [left, right].map(near);
    let sign = Path::strong(rho, zero).sign;
    let KnotPair { square, product, density } = KnotPair::new::<true>(&left, &right, sign);
    [left.z, right.z, square, product, density]
}

fn nothing<V: Lanes>() -> Knot<V> {
    let zero = number::<V>(0.0);
    Knot { z: zero, phi: zero, kink: zero, jump: zero, steep: zero, lost: zero }
}

/// The terms of one node in the sums of two knots, from x, 1 − x and the weight of the rule. Without jumps, the last two are 0.
pub fn node<V: Lanes, const JUMPS: bool>(
    path: [V; 4],
    node: [V; 3],
    [square, product]: [V; 2],
) -> [V; 6] {
    let mut sums = [number::<V>(0.0); 6];
    let at = KnotPair { square, product, density: sums[0] };
    Node::new::<true>(&path_of(path), node).add::<true, JUMPS>(&at, &mut sums);
    sums
}

/// The terms of two knots in the covariance and in its derivatives, in units of the deviations: from the path, the distances and what these lost, kinks and
/// jumps, square, product and density, and the sums.
pub fn terms<V: Lanes, const JUMPS: bool>(
    path: [V; 4],
    [left, right]: [[V; 4]; 2],
    [square, product, density]: [V; 3],
    sums: [V; 6],
) -> [V; 6] {
    let knot = |[z, lost, kink, jump]: [V; 4]| Knot { z, lost, kink, jump, ..nothing() };
    let zero = number::<V>(0.0);
    let mut terms = Terms { values: [zero; 6], sizes: [zero; 6], scales: [zero; 2] };
    let at = KnotPair { square, product, density };
    terms.add_pair::<true, JUMPS, true>(&path_of(path), &knot(left), &knot(right), &at, sums);
    terms.values
}

/// The covariance, and its derivatives in γ, γ′, ξ², ξ′² and c: from the variances; for each unit the slope of the piece of the mean, the sum of the
/// parts of the knots in ŝ, f and the derivatives; and the terms of all pairs of knots.
pub fn covariance<V: Lanes, const JUMPS: bool>(
    variances: [V; 2],
    rho: V,
    units: [[V; 5]; 2],
    terms: [V; 6],
) -> [V; 6] {
    let zero = number::<V>(0.0);
    let deviations = variances.map(|xi2| Deviation::new(xi2, [0, 0]));
    let slope = |i: usize| {
        let [base, sum, flux, first, second] = units[i];
        let slope = base.mul_add(deviations[i].xi, sum);
        Slope { slope, flux, derivatives: [first, second], sizes: [zero; 3] }
    };
    let outer = Terms::new::<true, JUMPS>(rho, &slope(0), &slope(1), [[zero; 2]; 2]);
    let mut values = outer.values;
    for (value, term) in values.iter_mut().zip(terms) {
        *value = *value + term;
    }
    Terms::in_units(deviations.map(|deviation| deviation.inverse), values)
}
