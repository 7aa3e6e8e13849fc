//! Means, mean slopes and covariances of the activations of a layer on the host, and the pullback of their derivatives.
//!
//! ```text
//! K_ij = Cov(g(u_i), g(u_j)),  s_i = E g′(u_i)       for u ~ N(γ, C + diag(d))
//! exact          by the kernels of pairs, with ∂s/∂γ = E g″ and ∂s/∂ξ² = ½ E g‴
//! linearised     E g = g(γ),  s = g′(γ),  K = diag(s) (C + diag(d)) diag(s)
//! ```
//!
//! A row is computed by itself, in f64, so that no bit depends on the other rows or on the number of threads. No result is
//! subnormal.

use gaussform_runtime::MomentsGradMut;
use gaussform_runtime::pair::LayerGradient;

use super::slices::flush;
use crate::function::{Bound, Kernels, Slices};
use crate::subnormals::keep_subnormals;
use crate::threads::each;

/// So many pairs take no longer to compute than a thread to start.
const FEW: usize = 1 << 12;

/// How an activation maps jointly Normal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Map {
    /// All moments by the kernels.
    Exact,
    /// The value and the slope at the mean.
    Linearised,
}

/// For each row E g(u), E g′(u) and Cov g(u), of length (2 + units) · units.
pub(super) fn forward<T: Kernels>(
    g: &dyn Bound,
    map: Map,
    inputs: [&[T]; 3],
    units: usize,
) -> Vec<T> {
    let rows = inputs[0].len() / units;
    let mut out = vec![T::ZERO; rows * (2 + units) * units];
    let parts = out.chunks_exact_mut((2 + units) * units).enumerate().collect();
    of_rows(rows, units, parts, |(row, out): (usize, &mut [T])| {
        let law = Law::of(inputs, row, units);
        let values = match map {
            Map::Exact => law.exact(g),
            Map::Linearised => law.linearised(g),
        };
        store(out, &values);
    });
    out
}

/// The cotangents of γ, C and d.
pub(super) fn pull_back<T: Kernels>(
    g: &dyn Bound,
    map: Map,
    inputs: [&[T]; 3],
    cotangent: &[T],
    units: usize,
) -> [Vec<T>; 3] {
    let rows = inputs[0].len() / units;
    let mut out = inputs.map(|of| vec![T::ZERO; of.len()]);
    let [gamma, covariance, own] = &mut out;
    let of_unit = gamma.chunks_exact_mut(units).zip(own.chunks_exact_mut(units));
    let places = of_unit.zip(covariance.chunks_exact_mut(units * units));
    let cotangents = cotangent.chunks_exact((2 + units) * units);
    let parts = places.zip(cotangents).enumerate().collect();
    of_rows(rows, units, parts, |(row, (((gamma, own), covariance), cotangent))| {
        let law = Law::of(inputs, row, units);
        let cotangent = Cotangent::of(cotangent, units);
        let Gradient { gamma: on_gamma, covariance: on_covariance } = match map {
            Map::Exact => law.exact_back(g, &cotangent),
            Map::Linearised => law.linearised_back(g, &cotangent),
        };
        store(gamma, &on_gamma);
        store(covariance, &on_covariance);
        // d is added to the diagonal of C, so that both have the same derivative.
        let diagonal: Vec<f64> = on_covariance.iter().step_by(units + 1).copied().collect();
        store(own, &diagonal);
    });
    out
}

fn of_rows<I: Send>(rows: usize, units: usize, parts: Vec<I>, work: impl Fn(I) + Sync) {
    let work = |part| keep_subnormals(|| work(part));
    if rows * units * units < FEW {
        parts.into_iter().for_each(work);
    } else {
        each(parts, work);
    }
}

fn store<T: Kernels>(out: &mut [T], values: &[f64]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = T::from_f64(*value);
    }
    flush(out);
}

/// The pre-activations of one row: their means, and the matrix of their covariances, which is symmetric.
struct Law {
    gamma: Vec<f64>,
    covariance: Vec<f64>,
}

/// Derivatives of a loss in the means and in the entries of the matrix.
struct Gradient {
    gamma: Vec<f64>,
    covariance: Vec<f64>,
}

/// Derivatives of a loss in the results for one row.
struct Cotangent {
    mean: Vec<f64>,
    slope: Vec<f64>,
    /// Symmetric.
    covariance: Vec<f64>,
}

impl Cotangent {
    fn of<T: Kernels>(values: &[T], units: usize) -> Self {
        let numbers = |from: &[T]| from.iter().map(|x| x.to_f64()).collect();
        Self {
            mean: numbers(&values[..units]),
            slope: numbers(&values[units..2 * units]),
            // The two entries of a pair are one number: only the mean of their cotangents matters.
            covariance: symmetric(&values[2 * units..], units),
        }
    }
}

/// The mean of a matrix and its transpose.
fn symmetric<T: Kernels>(values: &[T], units: usize) -> Vec<f64> {
    let mut out = vec![0.0; units * units];
    for i in 0..units {
        for j in 0..=i {
            let both = values[i * units + j].to_f64() + values[j * units + i].to_f64();
            out[i * units + j] = 0.5 * both;
            out[j * units + i] = 0.5 * both;
        }
    }
    out
}

impl Law {
    /// The law of a row, without the rounding that makes a covariance larger than its variances allow.
    fn of<T: Kernels>([gamma, covariance, own]: [&[T]; 3], row: usize, units: usize) -> Self {
        let of = row * units..(row + 1) * units;
        let square = of.start * units..of.end * units;
        let mut covariance = symmetric(&covariance[square], units);
        for (i, own) in own[of.clone()].iter().enumerate() {
            let at = i * units + i;
            covariance[at] = (covariance[at] + own.to_f64()).max(0.0);
        }
        let sd: Vec<f64> = covariance.iter().step_by(units + 1).map(|v| v.sqrt()).collect();
        for i in 0..units {
            for j in 0..units {
                let most = sd[i] * sd[j];
                let c = &mut covariance[i * units + j];
                if i != j && c.abs() > most {
                    *c = most.copysign(*c);
                }
            }
        }
        Self { gamma: gamma[of].iter().map(|x| x.to_f64()).collect(), covariance }
    }

    fn units(&self) -> usize {
        self.gamma.len()
    }

    fn variances(&self) -> Vec<f64> {
        self.covariance.iter().step_by(self.units() + 1).copied().collect()
    }

    /// Mean, variance, and derivatives of the mean in γ and ξ².
    fn gradients(&self, g: &dyn Bound) -> [Vec<f64>; 6] {
        let mut rows: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; self.units()]);
        let out = MomentsGradMut::new(rows.each_mut().map(|row| &mut row[..]));
        Slices::<f64>::gradients(g, &self.gamma, &self.variances(), out);
        rows
    }

    fn exact(&self, g: &dyn Bound) -> Vec<f64> {
        let n = self.units();
        let [mean, _, slope, ..] = self.gradients(g);
        let mut out = [mean, slope].concat();
        out.resize((2 + n) * n, 0.0);
        g.covariances(&self.gamma, &self.covariance, &mut out[2 * n..]);
        out
    }

    fn exact_back(&self, g: &dyn Bound, cotangent: &Cotangent) -> Gradient {
        let n = self.units();
        let mut matrix = vec![0.0; n * n];
        let mut out = Gradient { gamma: vec![0.0; n], covariance: vec![0.0; n * n] };
        let gradient = LayerGradient { gamma: &mut out.gamma, cov: &mut out.covariance };
        let law = [&self.gamma[..], &self.covariance];
        g.covariances_back(law, &cotangent.covariance, &mut matrix, gradient);
        let [_, _, by_gamma, by_xi2, ..] = self.gradients(g);
        for i in 0..n {
            out.gamma[i] += cotangent.mean[i] * by_gamma[i];
            out.covariance[i * n + i] += cotangent.mean[i] * by_xi2[i];
            // Nobody but a residual sum asks for the slope.
            if cotangent.slope[i] != 0.0 {
                let [by_gamma, by_xi2] =
                    g.slope_gradient(self.gamma[i], self.covariance[i * n + i]);
                out.gamma[i] += cotangent.slope[i] * by_gamma;
                out.covariance[i * n + i] += cotangent.slope[i] * by_xi2;
            }
        }
        out
    }

    /// g′ and g″ at the means.
    fn derivatives(&self, g: &dyn Bound) -> Vec<[f64; 2]> {
        let derivatives = g.pieces().derivatives();
        self.gamma.iter().map(|m| derivatives.at(*m)).collect()
    }

    fn linearised(&self, g: &dyn Bound) -> Vec<f64> {
        let n = self.units();
        let mut out = vec![0.0; n];
        Slices::<f64>::values(g, &self.gamma, &mut out);
        let slopes: Vec<f64> = self.derivatives(g).iter().map(|[slope, _]| *slope).collect();
        out.extend(&slopes);
        let between = |k: usize| slopes[k / n] * self.covariance[k] * slopes[k % n];
        out.extend((0..n * n).map(between));
        out
    }

    fn linearised_back(&self, g: &dyn Bound, cotangent: &Cotangent) -> Gradient {
        let n = self.units();
        let derivatives = self.derivatives(g);
        let slope = |i: usize| derivatives[i][0];
        let gamma = |i: usize| {
            let [slope_here, bend] = derivatives[i];
            let row = i * n..(i + 1) * n;
            let both = self.covariance[row.clone()].iter().zip(&cotangent.covariance[row]);
            // The slope at i is a factor of row i and of column i, which are alike: hence the 2.
            let sum: f64 = both.enumerate().map(|(j, (c, d))| 2.0 * c * d * slope(j)).sum();
            cotangent.mean[i] * slope_here + bend * (cotangent.slope[i] + sum)
        };
        let between = |k: usize| slope(k / n) * cotangent.covariance[k] * slope(k % n);
        Gradient {
            gamma: (0..n).map(gamma).collect(),
            covariance: (0..n * n).map(between).collect(),
        }
    }
}
