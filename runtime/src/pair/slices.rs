//! Slices of pairs, element by element.
//!
//! Pairs of straight functions are computed side by side with the vectors of the machine ([`straight`](super::straight)). What the integral over the
//! correlation does not serve is computed one pair after the other, with the nodes of one quadrant side by side. An element's result depends on no other
//! element.

use super::covariance::one_by_one;
use super::quadrant::{Quadrant, WIDEST};
use super::straight::{Columns, Single, StraightKnots, Units, numbers, pairs, see};
use super::{Inputs, PairMoments, Piecewise};
use crate::Float;
use crate::kernel::Deviation;
use crate::kernel::pieces::Table;
use crate::lanes::dispatch::{InDoubles, Vectors};
use crate::lanes::{Lanes, Mask};

/// How many pairs are converted at a time.
const BLOCK: usize = 64;

/// Where [`moments_into`] writes, each as long as the inputs.
#[derive(Debug)]
pub struct Outputs<'a, T> {
    /// In the order of the fields of [`PairMoments`](super::PairMoments).
    pub columns: [&'a mut [T]; 7],
}

/// [`moments`](super::moments) of slices of γ, ξ², γ′, ξ′² and c, element by element. Single precision is computed in double and rounded once.
///
/// Integrals are computed with the vectors of the machine, so that results differ in the last digits from those of
/// [`moments`](super::moments) and between machines. A covariance in `f32` that exceeds
/// its bound by rounding counts as the bound.
///
/// # Panics
///
/// If a slice is not as long as the others.
pub fn moments_into<T: Float, G, H>(g: &G, h: &H, inputs: [&[T]; 5], out: Outputs<'_, T>)
where
    G: Piecewise + ?Sized,
    H: Piecewise + ?Sized,
{
    g.with_pieces(|g| h.with_pieces(|h| slices(g, h, inputs, out)));
}

/// Pairs side by side.
struct Straight<'a, 'b> {
    functions: [StraightKnots<'a>; 2],
    /// Each as long as the others.
    inputs: [&'b [f64]; 5],
    out: &'b mut dyn FnMut(usize, Option<Single>),
}

impl InDoubles for Straight<'_, '_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(self) {
        if self.functions.iter().any(|g| g.jumps()) {
            self.with_all::<V, true>();
        } else {
            self.with_all::<V, false>();
        }
    }
}

impl Straight<'_, '_> {
    /// Does all pairs, in code of this crate: where that of slices is compiled without optimization, vectors would take megabytes of the stack.
    #[inline(never)]
    fn fill(self) {
        f64::dispatch(self);
    }

    #[inline(always)]
    fn with_all<V: Lanes<Element = f64>, const JUMPS: bool>(self) {
        let Self { functions: [g, h], inputs, out } = self;
        let count = inputs[0].len();
        let mut rows = [g, h].map(|g| alloc::vec![0.0; numbers(g.count()) * V::COUNT]);
        for start in (0..count).step_by(V::COUNT) {
            let lanes = V::COUNT.min(count - start);
            // The last one stands for those that there are not.
            let [gamma, xi2, gamma_h, xi2_h, cov] = inputs.map(|from| {
                let each: [f64; WIDEST] = core::array::from_fn(|i| from[start + i.min(lanes - 1)]);
                V::load(&each)
            });
            let [left, right] = &mut rows;
            see_columns(g, [gamma, xi2], left);
            see_columns(h, [gamma_h, xi2_h], right);
            let units = |rows, knots| Units::<true> { rows, stride: V::COUNT, at: 0, knots };
            let (left, right) = (units(&rows[0][..], g.count()), units(&rows[1], h.count()));
            let mut found = pairs::<V, true, JUMPS, false>(&left, &right, cov);
            if !found.serves.all() {
                found.or(&pairs::<V, true, JUMPS, true>(&left, &right, cov));
            }
            let bits = found.serves.bits();
            let mut values = [[0.0; WIDEST]; 6];
            values.iter_mut().zip(found.values).for_each(|(into, value)| value.store(into));
            for lane in 0..lanes {
                let of = |unit: usize, row: usize| rows[unit][row * V::COUNT + lane];
                let single = Single::new(of, values.map(|values| values[lane]));
                out(start + lane, (bits >> lane & 1 == 1).then_some(single));
            }
        }
    }
}

/// Writes the numbers of a unit for each lane.
#[inline(always)]
fn see_columns<V: Lanes<Element = f64>>(
    g: StraightKnots<'_>,
    [gamma, xi2]: [V; 2],
    rows: &mut [f64],
) {
    let mut columns = Columns { rows, stride: V::COUNT, at: 0 };
    see(&g, gamma, xi2, &Deviation::new(xi2, [0, 0]), true, &mut columns);
}

fn slices<T: Float>(g: &Table<'_>, h: &Table<'_>, inputs: [&[T]; 5], out: Outputs<'_, T>) {
    let count = inputs[0].len();
    assert!(inputs.iter().all(|slice| slice.len() == count), "slices of different lengths");
    assert!(out.columns.iter().all(|slice| slice.len() == count), "slices of different lengths");
    let mut columns = out.columns;
    // 1 + ε is a number in double precision alone.
    let is_rounded = T::from_f64(f64::EPSILON + 1.0) == T::ONE;
    let law = |i: usize| {
        let [gamma, xi2, gamma_h, xi2_h, cov] = inputs.map(|slice| slice[i].to_f64());
        let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov };
        if is_rounded { at.pulled(f32::EPSILON.into()) } else { at }
    };
    let mut write = |i: usize, found: Option<Single>| {
        let at = law(i);
        let result = found.and_then(|found| found.moments(g, h, &at));
        let result = result.map_or_else(|| one_by_one(g, h, at, Quadrant::in_vectors), Ok);
        let result = result.unwrap_or(PairMoments::OF_NO_LAW);
        for (column, value) in columns.iter_mut().zip(result.to_array()) {
            column[i] = T::from_f64(value);
        }
    };
    let Some((first, second)) = StraightKnots::of(g).zip(StraightKnots::of(h)) else {
        (0..count).for_each(|i| write(i, None));
        return;
    };
    for start in (0..count).step_by(BLOCK) {
        let lanes = BLOCK.min(count - start);
        // The terms of all of them would cancel.
        let is_narrow = |i: usize| {
            let at = law(i);
            first.is_narrow(at.gamma, at.xi2) || second.is_narrow(at.gamma_h, at.xi2_h)
        };
        if (start..start + lanes).all(is_narrow) {
            (start..start + lanes).for_each(|i| write(i, None));
            continue;
        }
        let mut block = [[0.0; BLOCK]; 5];
        for i in 0..lanes {
            let Inputs { gamma, xi2, gamma_h, xi2_h, cov } = law(start + i);
            for (row, value) in block.iter_mut().zip([gamma, xi2, gamma_h, xi2_h, cov]) {
                row[i] = value;
            }
        }
        let mut out = |i: usize, found: Option<Single>| write(start + i, found);
        let inputs = block.each_ref().map(|row| &row[..lanes]);
        Straight { functions: [first, second], inputs, out: &mut out }.fill();
    }
}
