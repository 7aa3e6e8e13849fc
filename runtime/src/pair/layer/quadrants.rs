//! Quadrants of many pairs of tails, of which the same node is computed side by side.

use alloc::vec::Vec;

use crate::kernel::{Lanes, number};
use crate::lanes::double::two_sum;
use crate::pair::quadrant::{Fan, Rule};
use crate::pair::quadrant_lanes::{SUMS, WIDEST};

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
