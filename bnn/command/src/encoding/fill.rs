//! Missing inputs as Normal numbers: their mean and variance given the other inputs of the row.
//!
//! All inputs are taken as jointly Normal, N(μ, Σ). Of a row with observed inputs O and missing ones M, the missing ones have
//!
//! ```text
//! mean      μ_M + Σ_MO Σ_OO⁻¹ (x_O − μ_O)
//! variance  diag(Σ_MM − Σ_MO Σ_OO⁻¹ Σ_OM)
//! ```
//!
//! which is the regression of each missing input on those observed, with its residual variance. μ and Σ maximise the
//! likelihood of what is observed, by EM (Little and Rubin, Statistical Analysis with Missing Data, 11.2), with a prior of
//! 1 + d²/n observations of uncorrelated inputs, for d inputs and n rows: more where few rows must say much. The shares of words are cut to [0, 1] and add up to 1; a share p has the
//! variance p(1 − p) of a word that is drawn.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::rows::Rows;

/// More inputs are filled by their means alone.
const MOST: usize = 150;
/// Rows that Σ is learned from, at most, evenly spaced.
const ROWS: usize = 2000;
const STEPS: usize = 30;
const SETTLED: f64 = 1e-3;

/// Inputs that are missing together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) width: usize,
    /// Whether the inputs are the probabilities of words.
    pub(crate) shares: bool,
}

/// The joint Normal distribution of all inputs, fitted to the rows of training: means, standard deviations and
/// correlations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fill {
    groups: Vec<Group>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    /// Means in units of `sd` from `mean`, given the missing cells of training.
    shift: Vec<f64>,
    /// The covariances in units of `sd`, row by row up to the diagonal; none if columns are filled by themselves.
    covariance: Option<Vec<f32>>,
}

impl Fill {
    /// Fits the distribution to `rows`, in which missing inputs are NaN. With `from_others` the correlations between
    /// columns are fitted too.
    pub(crate) fn of(rows: &Rows, groups: Vec<Group>, from_others: bool) -> Self {
        let width: usize = groups.iter().map(|group| group.width).sum();
        let (mut mean, mut sd) = (vec![0.0; width], vec![1.0; width]);
        for j in 0..width {
            let known = rows.iter().map(|row| row[j]).filter(|v| !v.is_nan());
            let scale = gaussform_bnn::Scale::fit(known);
            (mean[j], sd[j]) = (scale.mean, scale.sd);
        }
        let mut fill = Self { groups, mean, sd, shift: vec![0.0; width], covariance: None };
        if from_others && width <= MOST {
            let step = rows.rows.div_ceil(ROWS).max(1);
            let chosen: Vec<DVector<f64>> =
                rows.iter().step_by(step).map(|row| fill.standardised(row)).collect();
            let (shift, covariance) = joint(&chosen, width);
            fill.shift = shift.iter().copied().collect();
            let below = (0..width).flat_map(|i| (0..=i).map(move |j| (i, j)));
            fill.covariance = Some(below.map(|at| covariance[at] as f32).collect());
        }
        fill
    }

    fn standardised(&self, row: &[f64]) -> DVector<f64> {
        let scales = self.mean.iter().zip(&self.sd);
        DVector::from_iterator(row.len(), row.iter().zip(scales).map(|(x, (m, s))| (x - m) / s))
    }

    /// Replaces NaN by means, and puts the variances of these inputs into `variance`.
    pub(crate) fn fill(&self, rows: &mut Rows, variance: &mut Rows) {
        // Rows that miss the same inputs share one factorisation.
        let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (i, row) in rows.iter().enumerate() {
            let missing: Vec<usize> = (0..row.len()).filter(|j| row[*j].is_nan()).collect();
            if !missing.is_empty() {
                patterns.entry(missing).or_default().push(i);
            }
        }
        let covariance = self.covariance();
        let mean = DVector::from_column_slice(&self.shift);
        for (missing, members) in patterns {
            let given = Given::new(&covariance, &missing);
            for i in members {
                let x = self.standardised(rows.row(i));
                let filled = given.mean(&mean, &x);
                let (row, variance) = (rows.row_mut(i), variance.row_mut(i));
                for (k, &j) in missing.iter().enumerate() {
                    row[j] = self.mean[j] + self.sd[j] * filled[k];
                    variance[j] = self.sd[j].powi(2) * given.rest[(k, k)].max(0.0);
                }
                self.shares(&missing, row, variance);
            }
        }
    }

    /// Makes probabilities of the inputs of missing words.
    fn shares(&self, missing: &[usize], row: &mut [f64], variance: &mut [f64]) {
        let mut first = 0;
        for group in &self.groups {
            let range = first..first + group.width;
            first = range.end;
            if !group.shares || !missing.contains(&range.start) {
                continue;
            }
            let shares = &mut row[range.clone()];
            shares.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
            let sum: f64 = shares.iter().sum();
            // A single share is that of yes. Where a line leads outside, the frequencies of the words are left.
            if group.width > 1 {
                let means = &self.mean[range.clone()];
                shares
                    .iter_mut()
                    .zip(means)
                    .for_each(|(p, m)| *p = if sum > 0.0 { *p / sum } else { *m });
            }
            for j in range {
                variance[j] = row[j] * (1.0 - row[j]);
            }
        }
    }

    fn covariance(&self) -> DMatrix<f64> {
        let width = self.mean.len();
        let Some(below) = &self.covariance else { return DMatrix::identity(width, width) };
        DMatrix::from_fn(width, width, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            below.get(i * (i + 1) / 2 + j).copied().unwrap_or(0.0).into()
        })
    }
}

/// The distribution of the missing inputs given the others.
struct Given {
    missing: Vec<usize>,
    observed: Vec<usize>,
    /// Σ_MO Σ_OO⁻¹
    slopes: DMatrix<f64>,
    /// Σ_MM − Σ_MO Σ_OO⁻¹ Σ_OM
    rest: DMatrix<f64>,
}

impl Given {
    fn new(covariance: &DMatrix<f64>, missing: &[usize]) -> Self {
        let observed: Vec<usize> =
            (0..covariance.nrows()).filter(|j| missing.binary_search(j).is_err()).collect();
        let part = |a: &[usize], b: &[usize]| {
            DMatrix::from_fn(a.len(), b.len(), |i, j| covariance[(a[i], b[j])])
        };
        let between = part(&observed, missing);
        // The prior keeps Σ away from singular; where rounding does not, columns are filled by themselves.
        let solved = match part(&observed, &observed).cholesky() {
            Some(root) => root.solve(&between),
            None => DMatrix::zeros(observed.len(), missing.len()),
        };
        let rest = part(missing, missing) - between.transpose() * &solved;
        Self { missing: missing.to_vec(), observed, slopes: solved.transpose(), rest }
    }

    fn mean(&self, mean: &DVector<f64>, x: &DVector<f64>) -> DVector<f64> {
        let off = DVector::from_fn(self.observed.len(), |i, _| {
            x[self.observed[i]] - mean[self.observed[i]]
        });
        let start = DVector::from_fn(self.missing.len(), |i, _| mean[self.missing[i]]);
        start + &self.slopes * off
    }
}

/// μ and Σ of rows that are NaN where a number is missing, in units of the numbers that are observed.
fn joint(rows: &[DVector<f64>], width: usize) -> (DVector<f64>, DMatrix<f64>) {
    let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        let missing = (0..width).filter(|j| row[*j].is_nan()).collect();
        patterns.entry(missing).or_default().push(i);
    }
    let n = rows.len() as f64;
    let prior = 1.0 + (width * width) as f64 / n;
    let mut mean = DVector::zeros(width);
    let mut covariance = DMatrix::identity(width, width);
    for _ in 0..STEPS {
        let mut sum = DVector::zeros(width);
        let mut filled = DMatrix::zeros(width, rows.len());
        let mut rest = DMatrix::zeros(width, width);
        for (missing, members) in &patterns {
            let given = Given::new(&covariance, missing);
            for &i in members {
                let mut row = rows[i].clone();
                let means = given.mean(&mean, &row);
                for (k, &j) in missing.iter().enumerate() {
                    row[j] = means[k];
                }
                sum += &row;
                filled.set_column(i, &row);
            }
            let count = members.len() as f64;
            for (k, &i) in missing.iter().enumerate() {
                for (l, &j) in missing.iter().enumerate() {
                    rest[(i, j)] += count * given.rest[(k, l)];
                }
            }
        }
        mean = sum / n;
        for mut column in filled.column_iter_mut() {
            column -= &mean;
        }
        let squares = &filled * filled.transpose() + rest + DMatrix::identity(width, width) * prior;
        let next = squares / (n + prior);
        let change = (&next - &covariance).amax();
        covariance = next;
        // With nothing missing the first step is the last.
        if change < SETTLED || patterns.keys().all(Vec::is_empty) {
            break;
        }
    }
    (mean, covariance)
}

#[cfg(test)]
mod tests {
    use super::{Fill, Group, Rows};

    const NUMBER: Group = Group { width: 1, shares: false };

    fn rows_of(rows: &[Vec<f64>]) -> Rows {
        Rows { values: rows.concat(), width: rows[0].len(), rows: rows.len() }
    }

    fn zeros(rows: &Rows) -> Rows {
        Rows { values: vec![0.0; rows.values.len()], ..*rows }
    }

    /// y = 2x + noise of variance 0.25: a missing y has the mean of that line and the variance of that noise.
    #[test]
    fn a_missing_number_lies_on_the_line_of_the_others() {
        let noise = |i: usize| if i.is_multiple_of(2) { 0.5 } else { -0.5 };
        let mut rows: Vec<Vec<f64>> = (0..1000)
            .map(|i| vec![(i / 2) as f64 / 100.0, (i / 2) as f64 / 50.0 + noise(i)])
            .collect();
        for i in (0..1000).step_by(7) {
            rows[i][1] = f64::NAN;
        }
        let truth = |x: f64| 2.0 * x;
        let mut rows = rows_of(&rows);
        let fill = Fill::of(&rows, vec![NUMBER; 2], true);
        let mut variance = zeros(&rows);
        let mut filled = rows.clone();
        fill.fill(&mut filled, &mut variance);
        for ((row, filled), variance) in rows.iter().zip(filled.iter()).zip(variance.iter()) {
            if row[1].is_nan() {
                assert!((filled[1] - truth(filled[0])).abs() < 0.1, "{filled:?}");
                assert!((variance[1] - 0.25).abs() < 0.05, "{}", variance[1]);
            } else {
                assert_eq!((filled[1], variance[1]), (row[1], 0.0));
            }
        }
        // By the mean of the column the variance is that of the column.
        let fill = Fill::of(&rows, vec![NUMBER; 2], false);
        fill.fill(&mut rows, &mut variance);
        assert!((rows.row(0)[1] - rows.row(7)[1]).abs() < 1e-12 && variance.row(0)[1] > 5.0);
    }

    #[test]
    fn missing_words_are_shares() {
        let words = Group { width: 3, shares: true };
        let mut rows: Vec<Vec<f64>> = (0..100)
            .map(|i| {
                let word = [0, 0, 1, 2][i % 4];
                let mut row = vec![word as f64; 4];
                (0..3).for_each(|j| row[j + 1] = f64::from(u8::from(j == word)));
                row
            })
            .collect();
        rows.push(vec![0.0, f64::NAN, f64::NAN, f64::NAN]);
        rows.push(vec![f64::NAN; 4]);
        let mut rows = rows_of(&rows);
        let fill = Fill::of(&rows, vec![NUMBER, words], true);
        let mut variance = zeros(&rows);
        fill.fill(&mut rows, &mut variance);
        for (row, variance) in rows.iter().zip(variance.iter()).skip(100) {
            assert!((row[1..].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for j in 1..4 {
                assert!((variance[j] - row[j] * (1.0 - row[j])).abs() < 1e-12);
            }
        }
        // The number 0 belongs to the first word; with nothing known half of the rows have it.
        assert!(rows.row(100)[1] > 0.75, "{:?}", rows.row(100));
        assert!((rows.row(101)[1] - 0.5).abs() < 0.05, "{:?}", rows.row(101));
    }
}
