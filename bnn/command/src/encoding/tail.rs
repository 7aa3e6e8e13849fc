//! Numbers with heavy tails, transformed so that one value far from all others does not hide what the rest say.
//!
//! A column has a heavy tail if a value lies more than 10 standard deviations from its mean. With a centre c (the median)
//! and a scale s (the width of the middle half, as a standard deviation of a Normal)
//!
//! ```text
//! asinh:     u(x) = asinh((x − c)/s), nearly linear in the middle and logarithmic in the tails
//! quantile:  u(x) = the share of training values below x, linear between 101 quantiles
//! ```

use gaussform_bnn::Scale;
use serde::{Deserialize, Serialize};

use crate::args::Tails;

/// Beyond so many standard deviations a tail is heavy.
const FAR: f64 = 10.0;
/// Number of quantiles that are kept.
const QUANTILES: usize = 101;
/// The width of the middle half of a standard Normal.
const MIDDLE: f64 = 1.349;

/// The transformation of a column of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tail {
    Plain,
    Asinh {
        centre: f64,
        scale: f64,
    },
    /// Rising values, and the fraction of training values below each, in [0, 1].
    Quantile {
        knots: Vec<[f64; 2]>,
    },
}

impl Tail {
    /// The transformation that `values` need; none if their tails are light.
    pub(crate) fn of(values: &[f64], choice: Tails) -> Self {
        let Scale { mean, sd } = Scale::fit(values.iter().copied());
        if choice == Tails::None || values.iter().all(|v| (v - mean).abs() <= FAR * sd) {
            return Self::Plain;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let centre = quantile(&sorted, 0.5);
        if choice == Tails::Asinh {
            let mut scale = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / MIDDLE;
            if scale <= 0.0 {
                // At least half of the values are one: the others have a size of their own.
                let mut others: Vec<f64> =
                    values.iter().map(|v| (v - centre).abs()).filter(|v| *v > 0.0).collect();
                others.sort_by(f64::total_cmp);
                scale = quantile(&others, 0.5);
            }
            return Self::Asinh { centre, scale };
        }
        let mut knots: Vec<[f64; 2]> = Vec::new();
        for i in 0..QUANTILES {
            let share = i as f64 / (QUANTILES - 1) as f64;
            let value = quantile(&sorted, share);
            match knots.last_mut() {
                // A value that many rows have lies in the middle of their shares.
                Some(last) if last[0] == value => last[1] = 0.5 * (last[1] + share),
                _ => knots.push([value, share]),
            }
        }
        Self::Quantile { knots }
    }

    /// The transformed number, and the derivative of the transformation at `value`.
    pub(crate) fn apply(&self, value: f64) -> (f64, f64) {
        match self {
            Self::Plain => (value, 1.0),
            Self::Asinh { centre, scale } => {
                let u = (value - centre) / scale;
                (u.asinh(), 1.0 / (scale * u.hypot(1.0)))
            }
            Self::Quantile { knots } => {
                let above = knots.iter().position(|[knot, _]| *knot > value);
                match above {
                    // Beyond the quantiles of training the share stays, and has no slope.
                    Some(0) => (knots[0][1], 0.0),
                    None => (knots.last().map_or(0.5, |knot| knot[1]), 0.0),
                    Some(i) => {
                        let ([a, p], [b, q]) = (knots[i - 1], knots[i]);
                        let slope = (q - p) / (b - a);
                        (p + slope * (value - a), slope)
                    }
                }
            }
        }
    }

    /// The transformation as a formula in x; none of plain numbers.
    pub(crate) fn formula(&self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Asinh { centre, scale } => Some(format!("asinh((x − {centre})/{scale})")),
            Self::Quantile { .. } => Some("the share of the rows of training below x".to_owned()),
        }
    }

    /// The transformation in words.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Asinh { .. } => ", by asinh for its heavy tail",
            Self::Quantile { .. } => ", by quantiles for its heavy tail",
        }
    }
}

/// The quantile of rising values, linear between them; 0 of none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * sorted.len().saturating_sub(1) as f64;
    let value = |i: usize| sorted.get(i).or(sorted.last()).copied().unwrap_or(0.0);
    let (low, high) = (value(at.floor() as usize), value(at.ceil() as usize));
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::{Tail, Tails};

    #[test]
    fn transformations_rise_and_have_their_derivatives() {
        let mut values: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 101) / 10.0).collect();
        assert_eq!(Tail::of(&values, Tails::Asinh), Tail::Plain);
        values.push(1e6);
        assert_eq!(Tail::of(&values, Tails::None), Tail::Plain);
        for choice in [Tails::Asinh, Tails::Quantile] {
            let tail = Tail::of(&values, choice);
            let mut last = f64::NEG_INFINITY;
            for i in 0..200 {
                let x = 0.0503 * f64::from(i) + 0.01;
                let (u, slope) = tail.apply(x);
                let h = 1e-6;
                let difference = (tail.apply(x + h).0 - tail.apply(x - h).0) / (2.0 * h);
                assert!((slope - difference).abs() < 1e-6 * (1.0 + slope), "{choice:?} at {x}");
                assert!(u > last);
                last = u;
            }
            let (far, _) = tail.apply(1e6);
            assert!(far >= last && far < 20.0);
        }
    }

    #[test]
    fn most_values_may_be_one() {
        let mut values = vec![0.0; 1000];
        values.extend([1.0, 2.0, 500.0]);
        let tail = Tail::of(&values, Tails::Asinh);
        assert_eq!(tail, Tail::Asinh { centre: 0.0, scale: 2.0 });
    }
}
