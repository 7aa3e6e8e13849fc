//! All pairs of a layer of one straight function, in the vectors of the machine: covariances, and what a loss loses by them.

use alloc::vec::Vec;

use crate::kernel::{Deviation, Lanes, Mask, number};
use crate::lanes::dispatch::{InDoubles, Vectors};
use crate::pair::quadrant::WIDEST;
use crate::pair::straight::{Columns, STRONGEST, StraightKnots, Units, numbers, pairs, row, see};

/// Where the derivatives of a loss go: those in the covariances of g come in, those in means and covariances of u go out.
pub(super) struct Chain<'a> {
    /// n × n.
    pub(super) cotangent: &'a [f64],
    /// n, to which is added.
    pub(super) gamma: &'a mut [f64],
    /// n × n; to the diagonal is added, the rest is written.
    pub(super) cov: &'a mut [f64],
}

/// A layer of g.
pub(super) struct Layer<'a> {
    pub(super) g: StraightKnots<'a>,
    /// n
    pub(super) gamma: &'a [f64],
    /// n × n, of which the diagonal and what is below it are read.
    pub(super) cov: &'a [f64],
    /// n × n, of which what is below the diagonal is written.
    pub(super) out: &'a mut [f64],
    pub(super) chain: Option<Chain<'a>>,
    /// Gets the pairs that the integral does not serve, of which nothing is written or added.
    pub(super) missing: &'a mut Vec<[usize; 2]>,
}

impl InDoubles for Layer<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(self) {
        match (self.chain.is_some(), self.g.jumps()) {
            (false, false) => self.with_all::<V, false, false>(),
            (false, true) => self.with_all::<V, false, true>(),
            (true, false) => self.with_all::<V, true, false>(),
            (true, true) => self.with_all::<V, true, true>(),
        }
    }
}

impl Layer<'_> {
    /// Does all pairs.
    pub(super) fn fill(self) {
        f64::dispatch(self);
    }

    #[inline(always)]
    fn with_all<V: Lanes<Element = f64>, const GRADIENT: bool, const JUMPS: bool>(self) {
        let Self { g, gamma, cov, out, mut chain, missing } = self;
        let n = gamma.len();
        let stride = n.next_multiple_of(WIDEST) + WIDEST;
        let column = |of: &dyn Fn(usize) -> f64, other: f64| -> Vec<f64> {
            (0..stride).map(|i| if i < n { of(i) } else { other }).collect()
        };
        // Lanes beyond the last unit compute with a mean of 0 and a variance of 1. No one reads them.
        let (means, variances) = (column(&|i| gamma[i], 0.0), column(&|i| cov[i * n + i], 1.0));
        let knots = g.count();
        let mut rows = alloc::vec![0.0; numbers(knots) * stride];
        for start in (0..n).step_by(V::COUNT) {
            let (mean, variance) = (V::load(&means[start..]), V::load(&variances[start..]));
            let deviation = Deviation::new(variance, [0, 0]);
            let mut columns = Columns { rows: &mut rows, stride, at: start };
            see(&g, mean, variance, &deviation, true, &mut columns);
        }
        let [mut row, mut values, mut weights, mut slopes] =
            [(); 4].map(|()| alloc::vec![0.0; stride]);
        let [mut on_mean, mut on_variance] = [(); 2].map(|()| alloc::vec![0.0; stride]);
        let zero = number::<V>(0.0);
        for i in 0..n {
            row[..i].copy_from_slice(&cov[i * n..][..i]);
            if let Some(Chain { cotangent, .. }) = &chain {
                // Beyond the diagonal the weights are still 0: lanes there add nothing.
                for (j, weight) in weights[..i].iter_mut().enumerate() {
                    *weight = cotangent[i * n + j] + cotangent[j * n + i];
                }
            }
            let left = Units::<false> { rows: &rows, stride, at: i, knots };
            let [mut mean, mut variance] = [zero; 2];
            for start in (0..i).step_by(V::COUNT) {
                let right = Units::<true> { rows: &rows, stride, at: start, knots };
                let c = V::load(&row[start..]);
                let found = pairs::<V, GRADIENT, JUMPS, false>(&left, &right, c);
                found.values[0].store(&mut values[start..]);
                if !found.serves.all() {
                    let fails = !found.serves.bits();
                    // The vector at the diagonal has lanes beyond it.
                    let lanes = 0..V::COUNT.min(i - start);
                    let fail = lanes.filter(|lane| fails >> lane & 1 == 1);
                    missing.extend(fail.map(|lane| [i, start + lane]));
                }
                if GRADIENT {
                    let weight = V::load(&weights[start..]);
                    // What does not serve may be NaN, which no weight takes away.
                    let of = |k: usize| V::select(found.serves, weight * found.values[k], zero);
                    (mean, variance) = (mean + of(1), variance + of(3));
                    let add = |column: &mut [f64], term: V| {
                        (V::load(&column[start..]) + term).store(&mut column[start..]);
                    };
                    add(&mut on_mean, of(2));
                    add(&mut on_variance, of(4));
                    found.values[5].store(&mut slopes[start..]);
                }
            }
            out[i * n..][..i].copy_from_slice(&values[..i]);
            if let Some(Chain { cotangent, cov, .. }) = &mut chain {
                let sum = |lanes: V| {
                    let mut each = [0.0; WIDEST];
                    lanes.store(&mut each);
                    each[..V::COUNT].iter().sum::<f64>()
                };
                on_mean[i] += sum(mean);
                on_variance[i] += sum(variance);
                for (j, slope) in slopes[..i].iter().enumerate() {
                    cov[i * n + j] = cotangent[i * n + j] * slope;
                    cov[j * n + i] = cotangent[j * n + i] * slope;
                }
            }
        }
        let all = UnitNumbers { rows: &rows, stride, knots };
        let covariance = |[i, j]: [usize; 2]| cov[i * n + j];
        let mut write = |[i, j]: [usize; 2], values: [f64; 6]| {
            let [value, mean, mean_h, variance, variance_h, slope] = values;
            out[i * n + j] = value;
            if let Some(Chain { cotangent, cov, .. }) = &mut chain {
                let [there, back] = [cotangent[i * n + j], cotangent[j * n + i]];
                on_mean[i] += (there + back) * mean;
                on_mean[j] += (there + back) * mean_h;
                on_variance[i] += (there + back) * variance;
                on_variance[j] += (there + back) * variance_h;
                cov[i * n + j] = there * slope;
                cov[j * n + i] = back * slope;
            }
        };
        all.strong::<V, GRADIENT, JUMPS>(covariance, missing, &mut write);
        if let Some(Chain { gamma, cov, .. }) = chain {
            for i in 0..n {
                gamma[i] += on_mean[i];
                cov[i * n + i] += on_variance[i];
            }
        }
    }
}

/// The numbers of all units, row by row.
#[derive(Clone, Copy)]
struct UnitNumbers<'a> {
    rows: &'a [f64],
    stride: usize,
    knots: usize,
}

impl UnitNumbers<'_> {
    /// Writes those of the missing pairs that are strongly correlated, side by side in the order of |ρ|, so that neighbours need as many nodes. What
    /// is missing still stays in the list.
    #[inline(always)]
    fn strong<V: Lanes<Element = f64>, const GRADIENT: bool, const JUMPS: bool>(
        self,
        covariance: impl Fn([usize; 2]) -> f64,
        missing: &mut Vec<[usize; 2]>,
        write: &mut impl FnMut([usize; 2], [f64; 6]),
    ) {
        let Self { rows, stride, knots } = self;
        let inverse = |i: usize| rows[row::INVERSE * stride + i];
        let size =
            |pair: [usize; 2]| (covariance(pair) * inverse(pair[0]) * inverse(pair[1])).abs();
        let mut strong: Vec<(f64, [usize; 2])> = Vec::new();
        missing.retain(|pair| {
            let size = size(*pair);
            let is_strong = size > STRONGEST;
            if is_strong {
                strong.push((size, *pair));
            }
            !is_strong
        });
        strong.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut sides = [(); 2].map(|()| alloc::vec![0.0; numbers(knots) * V::COUNT]);
        for some in strong.chunks(V::COUNT) {
            let mut c = [0.0; WIDEST];
            for lane in 0..V::COUNT {
                // The last one stands for those that there are not.
                let (_, pair) = some[lane.min(some.len() - 1)];
                c[lane] = covariance(pair);
                for (side, i) in sides.iter_mut().zip(pair) {
                    for row in 0..numbers(knots) {
                        side[row * V::COUNT + lane] = rows[row * stride + i];
                    }
                }
            }
            let [left, right] =
                sides.each_ref().map(|rows| Units::<true> { rows, stride: V::COUNT, at: 0, knots });
            let c = V::load(&c);
            let found = pairs::<V, GRADIENT, JUMPS, true>(&left, &right, c);
            let mut values = [[0.0; WIDEST]; 6];
            values.iter_mut().zip(found.values).for_each(|(into, value)| value.store(into));
            let bits = found.serves.bits();
            for (lane, (_, pair)) in some.iter().enumerate() {
                if bits >> lane & 1 == 1 {
                    write(*pair, values.map(|values| values[lane]));
                } else {
                    missing.push(*pair);
                }
            }
        }
        // Unit by unit again, since a unit shares its work among the pairs that follow each other.
        missing.sort_unstable();
    }
}
