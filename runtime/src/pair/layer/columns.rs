//! Numbers of many pairs side by side, each in a column: those of the units of one shape, and those of the quadrants of two tails.
//!
//! Units have the same shape if their tails lie on the same sides and have the same orders. What is done for one of them is done for all. Quadrants are
//! sorted by the nodes and branches of their integrals, so that all lanes of a vector take the same ones.

use alloc::vec::Vec;

use super::Unit;
use crate::kernel::{Lanes, number};
use crate::lanes::double::two_sum;
use crate::pair::decomposition::Decomposition;
use crate::pair::quadrant::{Fan, Rule, SUMS, WIDEST};
use crate::pair::tail::{Seen, TERMS, Tail, power, power_means, ratios};

/// A number of each unit, with room for whole vectors.
pub(super) type Column = Vec<f64>;

/// The most orders of a tail: those of two tails make [`SUMS`] sums at most.
const ORDERS: usize = 4;
const _: () = assert!(ORDERS * ORDERS <= SUMS);
/// Farther knots have a density that is no normal number for vectors.
const FARTHEST: f64 = 35.0;
/// Units of length may differ by such a power of two, so that a covariance is rescaled exactly.
const EXPONENTS: i32 = 200;

/// The shape of a decomposition, by which units are put side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    /// How many coefficients the polynomial of the mean's piece has.
    pub(super) polynomial: usize,
    /// The side of each tail, and its number of orders.
    pub(super) tails: Vec<(f64, usize)>,
}

impl Shape {
    /// `None` if vectors do not serve: parts of the unit are narrow, far, or of a high degree.
    pub(super) fn of(unit: &Unit) -> Option<Self> {
        let Decomposition { polynomial, tails, narrow_pieces, .. } = &unit.side;
        let serves = |tail: &Tail| {
            let is_near = (0.0..FARTHEST).contains(&tail.place.z);
            is_near
                && tail.coefficients.len() <= ORDERS
                && tail.coefficients.iter().all(|c| c.is_finite())
        };
        let is_plain = narrow_pieces.is_empty() && unit.exponent.abs() <= EXPONENTS;
        let is_finite = polynomial.iter().all(|p| p.is_finite());
        (is_plain && is_finite && tails.iter().all(serves)).then(|| Self {
            polynomial: polynomial.len(),
            tails: tails.iter().map(|tail| (tail.place.side, tail.coefficients.len())).collect(),
        })
    }
}

/// The units of one shape.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) shape: Shape,
    /// Their places in the layer, in ascending order.
    pub(super) members: Vec<usize>,
    /// 2⁻ᵏ for the unit of length 2ᵏ of each.
    pub(super) scale: Column,
    /// ξ² and ξ.
    pub(super) variance: Column,
    pub(super) deviation: Column,
    /// ξᵏ E\[q⁽ᵏ⁾\]
    pub(super) polynomial: Vec<Column>,
    pub(super) tails: Vec<TailColumns>,
}

/// A tail of each unit.
#[derive(Debug)]
pub(super) struct TailColumns {
    /// The distance of the knot, and that in standard deviations with its square.
    pub(super) distance: [Column; 2],
    pub(super) z: Column,
    pub(super) square: [Column; 2],
    /// φ there.
    pub(super) density: Column,
    /// From order 0 on.
    pub(super) coefficients: Vec<Column>,
    /// J_n(z), and J_n(−z) of the tail on the other side.
    pub(super) single: [Vec<Column>; 2],
    /// R_n(z), of as many orders as two tails may have together.
    pub(super) ratios: Vec<Column>,
    /// ξᵏE\[T⁽ᵏ⁾\]/φ, up to the sign of its side.
    pub(super) features: Vec<Column>,
    /// σᵏE\[p⁽ᵏ⁾\] of the polynomial p that the tail is on its side.
    pub(super) inside: Vec<Column>,
}

fn columns(count: usize, of: impl Fn(usize) -> Column) -> Vec<Column> {
    (0..count).map(of).collect()
}

impl Columns {
    /// Of units that have the shape.
    pub(super) fn new(shape: Shape, members: Vec<usize>, units: &[Option<Unit>]) -> Self {
        let units: Vec<&Unit> = members.iter().filter_map(|i| units[*i].as_ref()).collect();
        let column = |of: &dyn Fn(&Unit) -> f64| {
            let mut column: Column = units.iter().map(|unit| of(unit)).collect();
            // Not 0, which some divide by.
            column.resize(column.len() + WIDEST, 1.0);
            column
        };
        Self {
            scale: column(&|unit| libm::scalbn(1.0, -unit.exponent)),
            variance: column(&|unit| unit.side.unit[0]),
            deviation: column(&|unit| unit.side.unit[1]),
            polynomial: columns(shape.polynomial, |k| column(&|unit| unit.side.polynomial[k])),
            tails: (0..shape.tails.len()).map(|m| TailColumns::new(&shape, m, &units)).collect(),
            shape,
            members,
        }
    }
}

impl TailColumns {
    fn new(shape: &Shape, m: usize, units: &[&Unit]) -> Self {
        let (side, count) = shape.tails[m];
        let tails: Vec<&Tail> = units.iter().map(|unit| &unit.side.tails[m]).collect();
        let column = |of: &dyn Fn(&Tail) -> f64| {
            let mut column: Column = tails.iter().map(|tail| of(tail)).collect();
            column.resize(column.len() + WIDEST, 1.0);
            column
        };
        // Several numbers of each tail, which are computed together.
        let several = |count: usize, of: &dyn Fn(&Tail) -> Vec<f64>| {
            let lists: Vec<Vec<f64>> = tails.iter().map(|tail| of(tail)).collect();
            columns(count, |k| {
                let mut column: Column = lists.iter().map(|list| list[k]).collect();
                column.resize(column.len() + WIDEST, 1.0);
                column
            })
        };
        let here = |tail: &Tail| -> Vec<f64> {
            tail.upper().iter().map(|ratio| ratio * tail.place.density).collect()
        };
        let beyond = |tail: &Tail| -> Vec<f64> {
            let parts = here(tail).into_iter().zip(power_means(tail.place.z, count)).enumerate();
            parts.map(|(n, (j, all))| if n % 2 == 0 { all - j } else { all + j }).collect()
        };
        let depth = shape.polynomial.max(TERMS + 1);
        Self {
            distance: [0, 1].map(|part| column(&|tail| tail.place.distance[part])),
            z: column(&|tail| tail.place.z),
            square: [0, 1].map(|part| column(&|tail| tail.place.square[part])),
            density: column(&|tail| tail.place.density),
            coefficients: columns(count, |i| column(&|tail| tail.coefficients[i])),
            single: [several(count, &here), several(count, &beyond)],
            ratios: several(2 * ORDERS, &|tail| ratios(tail.place.z, 2 * ORDERS)),
            features: columns(depth, |k| column(&|tail| tail.ratio(k, 0))),
            inside: several(shape.polynomial, &|tail| {
                let means = power_means(-tail.place.z, count + 1);
                let of = |k: usize| -> f64 {
                    let terms = tail.coefficients.iter().enumerate().skip(k);
                    terms.map(|(i, c)| c * power(side, k) * means[i - k]).sum()
                };
                (0..shape.polynomial).map(of).collect()
            }),
        }
    }
}

/// The numbers of a quadrant besides its weights: y, sine, cosine, and the sum of the distances.
const NUMBERS: usize = 5;

/// The kinds of quadrants, by the nodes and branches of their integrals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) is_obtuse: bool,
    pub(super) is_short: bool,
}

impl Class {
    pub(super) const ALL: [Self; 4] = [
        Self { is_obtuse: false, is_short: false },
        Self { is_obtuse: false, is_short: true },
        Self { is_obtuse: true, is_short: false },
        Self { is_obtuse: true, is_short: true },
    ];
}

/// The quadrants of one class for two tails, one after the other in columns.
#[derive(Debug)]
pub(super) struct Quadrants {
    class: Class,
    /// The highest orders of both tails.
    top: [usize; 2],
    stride: usize,
    columns: Vec<f64>,
    /// Which pair each belongs to.
    pairs: Vec<usize>,
}

/// The numbers of some quadrants, before they are sorted by class.
pub(super) struct Lot {
    numbers: [[f64; WIDEST]; NUMBERS],
    weights: [[f64; WIDEST]; SUMS],
}

impl Lot {
    /// From y, sine, cosine, the sum of distances, and a weight for each order of both.
    #[inline(always)]
    pub(super) fn new<V: Lanes<Element = f64>>(numbers: [V; NUMBERS], weights: &[V; SUMS]) -> Self {
        let mut lot = Self { numbers: [[0.0; WIDEST]; NUMBERS], weights: [[0.0; WIDEST]; SUMS] };
        for (into, value) in lot.numbers.iter_mut().zip(numbers) {
            value.store(into);
        }
        for (into, value) in lot.weights.iter_mut().zip(weights) {
            value.store(into);
        }
        lot
    }
}

impl Quadrants {
    /// None yet, of at most so many.
    pub(super) fn new(class: Class, top: [usize; 2], most: usize) -> Self {
        let stride = most.next_multiple_of(WIDEST);
        let columns = alloc::vec![0.0; (NUMBERS + (top[0] + 1) * (top[1] + 1)) * stride];
        Self { class, top, stride, columns, pairs: Vec::with_capacity(most) }
    }

    /// Adds those of a lot whose bit is set; the first of the lot belongs to this pair.
    pub(super) fn push(&mut self, lot: &Lot, mut bits: u64, first: usize) {
        let rows = self.columns.len() / self.stride;
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize;
            // Without its lowest bit.
            bits &= bits - 1;
            let place = self.pairs.len();
            let values = lot.numbers.iter().chain(&lot.weights).take(rows);
            for (row, values) in values.enumerate() {
                self.columns[row * self.stride + place] = values[lane];
            }
            self.pairs.push(first + lane);
        }
    }

    /// Adds the weighted integrals of all to the sums of their pairs, and forgets the quadrants.
    #[inline(always)]
    pub(super) fn drain<V: Lanes<Element = f64>>(&mut self, sums: [&mut [f64]; 2]) {
        match self.top[0] + self.top[1] + 2 {
            0..=3 => self.drain_of::<V, 3>(sums),
            4..=5 => self.drain_of::<V, 5>(sums),
            _ => self.drain_of::<V, 9>(sums),
        }
    }

    #[inline(always)]
    fn drain_of<V: Lanes<Element = f64>, const N: usize>(&mut self, [high, low]: [&mut [f64]; 2]) {
        let rule = Rule::new(self.class.is_short);
        for (start, pairs) in (0..).step_by(V::COUNT).zip(self.pairs.chunks(V::COUNT)) {
            let row = |row: usize| &self.columns[row * self.stride + start..];
            let y = [V::load(row(0)), V::load(row(1))];
            let shape = [V::load(row(2)), V::load(row(3)), V::load(row(4))];
            let fan = Fan::new(y, shape, self.class.is_obtuse);
            let mut sums = [number::<V>(0.0); SUMS];
            for (t, weight) in rule.nodes.iter().zip(rule.weights) {
                fan.add::<N>(number(*t), number(*weight), self.top, &mut sums);
            }
            let mut all = number::<V>(0.0);
            for (k, sum) in sums.iter().enumerate().take((self.top[0] + 1) * (self.top[1] + 1)) {
                all = V::load(row(NUMBERS + k)).mul_add(*sum, all);
            }
            let mut parts = [0.0; WIDEST];
            all.store(&mut parts);
            for (pair, part) in pairs.iter().zip(parts) {
                let [sum, error] = two_sum(high[*pair], part);
                high[*pair] = sum;
                low[*pair] += error;
            }
        }
        self.pairs.clear();
    }
}
