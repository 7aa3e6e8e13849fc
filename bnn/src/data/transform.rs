//! Monotone transforms of a target: y = t(u), so that u is closer to Normal than y.
//!
//! A transform is strictly increasing and has a slope everywhere. Far from all rows that it was fitted on it goes on
//! along a line; so the moments of y are finite where those of u are. The density of y is that of u times du/dy.

use serde::{Deserialize, Serialize};

use super::trend::{Fitted, NOTHING, Trend};
use super::{Matrix, Scale};
use crate::standard_normal::normal_quantile;

/// The distance of two knots of a quantile transform, in standard deviations of u.
const STEP: f64 = 0.25;

/// By how many nats a row a transform must raise the likelihood of a Normal before [`TransformChoice::Auto`] takes it.
const GAIN: f64 = 0.3;

/// From so few rows a network learns next to nothing, since the bound prefers the prior of its weights: any trend is taken that
/// predicts better than the mean.
const FEW: f64 = 16.0;

/// Of more rows than these, as many are looked at first, since a trend costs a product for each row and pair of inputs.
const SOME_ROWS: usize = 4096;

/// How far beyond its rows a trend is trusted to bend as its transform does, by the standard deviation of u over that of what the trend
/// leaves, in standard deviations of u; and the farthest.
const TRUSTED: f64 = 0.1;
const FARTHEST: f64 = 4.0;

/// The least standard deviation of what a trend leaves, in standard deviations of the target.
const LEAST: f64 = 1e-8;

/// Which transform a target gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformChoice {
    /// None: the target is standardised alone.
    #[default]
    None,
    /// ln y, for targets above 0.
    Log,
    /// asinh((y − median)/width), a logarithm on both sides of the median.
    Asinh,
    /// The Normal score of y among the rows, interpolated.
    Quantile,
    /// The one of `None`, `Log` and `Asinh` under which the rows are most likely as draws of one Normal (Box and Cox
    /// 1964, "An Analysis of Transformations", with their Jacobian); `None` unless it gains 0.3 nats a row. It goes on along a line
    /// from the outermost row on, and not from a standard deviation beyond; with a [`Trend`] that leaves little, from farther on.
    Auto,
}

/// A fitted transform.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// u = y.
    #[default]
    None,
    /// u = ln y below `top`, and a line from there on.
    Log {
        /// In units of u.
        top: f64,
    },
    /// u = asinh((y − center)/width) where |u| ≤ `reach`, and lines beyond.
    Asinh {
        /// The median of the rows.
        center: f64,
        /// The distance of the quartiles by that of a standard Normal.
        width: f64,
        /// In units of u.
        reach: f64,
    },
    /// Straight between knots, and beyond the outer ones.
    Quantile {
        /// y at each knot, ascending.
        y: Vec<f64>,
        /// u at each knot, ascending.
        u: Vec<f64>,
    },
}

impl Transform {
    /// The transform of this kind for the numbers `y`; none if the logarithm is asked for and a number is not above 0.
    #[must_use]
    pub fn fit(choice: TransformChoice, y: &[f64]) -> Option<Self> {
        let mut sorted = y.to_vec();
        sorted.sort_by(f64::total_cmp);
        let constant = sorted.first() == sorted.last();
        match choice {
            _ if constant => Some(Self::None),
            TransformChoice::None => Some(Self::None),
            TransformChoice::Log => log(&sorted),
            TransformChoice::Asinh => Some(asinh(&sorted)),
            TransformChoice::Quantile => Some(quantile(&sorted)),
            TransformChoice::Auto => {
                let mut best = (Self::None, Self::None.log_likelihood(&sorted) + GAIN);
                let candidates = [log(&sorted), Some(asinh(&sorted))].into_iter().flatten();
                for transform in candidates.map(|transform| transform.within(&sorted, 0.0)) {
                    let value = transform.log_likelihood(&sorted);
                    if value > best.1 {
                        best = (transform, value);
                    }
                }
                Some(best.0)
            }
        }
    }

    /// The name of its kind, as options have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Log { .. } => "log",
            Self::Asinh { .. } => "asinh",
            Self::Quantile { .. } => "quantile",
        }
    }

    /// Whether u is y.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// u of y; −∞ for the logarithm of 0 and less.
    #[must_use]
    pub fn apply(&self, y: f64) -> f64 {
        match self {
            Self::None => y,
            Self::Log { top } => {
                let edge = top.exp();
                if y > edge { top + (y / edge - 1.0) } else { y.max(0.0).ln() }
            }
            Self::Asinh { center, width, reach } => {
                let (t, edge) = ((y - center) / width, reach.sinh());
                match t.abs() > edge {
                    true => t.signum() * (reach + (t.abs() - edge) / reach.cosh()),
                    false => t.asinh(),
                }
            }
            Self::Quantile { y: from, u } => interpolated(from, u, y).0,
        }
    }

    /// y of u.
    #[must_use]
    pub fn invert(&self, u: f64) -> f64 {
        match self {
            Self::None => u,
            Self::Log { top } => {
                if u > *top {
                    top.exp() * (1.0 + (u - top))
                } else {
                    u.exp()
                }
            }
            Self::Asinh { center, width, reach } => {
                let t = match u.abs() > *reach {
                    true => u.signum() * (reach.sinh() + (u.abs() - reach) * reach.cosh()),
                    false => u.sinh(),
                };
                center + width * t
            }
            Self::Quantile { y, u: from } => interpolated(from, y, u).0,
        }
    }

    /// ln du/dy at y, which the log density of y has more than that of u.
    #[must_use]
    pub fn log_slope(&self, y: f64) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Log { top } => -if y > top.exp() { *top } else { y.max(0.0).ln() },
            Self::Asinh { center, width, reach } => {
                let t = (y - center) / width;
                -width.ln() - t.hypot(1.0).min(reach.cosh()).ln()
            }
            Self::Quantile { y: from, u } => interpolated(from, u, y).1.ln(),
        }
    }

    /// The transform with its lines from so far beyond the outermost of ascending numbers on, in units of u. Where it was not asked
    /// for they begin at these: a prediction in doubt would else have a mean far beyond all of them, since the mean of e^u grows as
    /// e^(s²/2) with the standard deviation s of u.
    fn within(self, sorted: &[f64], beyond: f64) -> Self {
        let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return self };
        let ends = [self.apply(*first), self.apply(*last)];
        match self {
            Self::Log { .. } => Self::Log { top: ends[1] + beyond },
            Self::Asinh { center, width, .. } => {
                Self::Asinh { center, width, reach: ends[0].abs().max(ends[1].abs()) + beyond }
            }
            other => other,
        }
    }

    /// The mean log density of ascending numbers as draws of one Normal in u, without what no transform changes.
    fn log_likelihood(&self, sorted: &[f64]) -> f64 {
        let u: Vec<f64> = sorted.iter().map(|y| self.apply(*y)).collect();
        let slopes: f64 = sorted.iter().map(|y| self.log_slope(*y)).sum();
        slopes / sorted.len() as f64 - Scale::fit(u.iter().copied()).sd.ln()
    }
}

fn log(sorted: &[f64]) -> Option<Transform> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    // Where a number is not above 0 this is no number, and no transform is returned.
    let sd = Scale::fit(sorted.iter().map(|y| y.ln())).sd;
    (first > 0.0).then(|| Transform::Log { top: last.ln() + sd })
}

fn asinh(sorted: &[f64]) -> Transform {
    let at = |p: f64| {
        let place = p * (sorted.len() - 1) as f64;
        let below = sorted[place as usize];
        below + place.fract() * (sorted[place.ceil() as usize] - below)
    };
    let center = at(0.5);
    let mut width = (at(0.75) - at(0.25)) / (2.0 * normal_quantile(0.75));
    if width <= 0.0 || width.is_nan() {
        // Half of the rows have one value.
        width = Scale::fit(sorted.iter().copied()).sd;
    }
    let u = sorted.iter().map(|y| ((y - center) / width).asinh());
    let reach = u.clone().fold(0.0, |far: f64, u| far.max(u.abs())) + Scale::fit(u).sd;
    Transform::Asinh { center, width, reach }
}

fn quantile(sorted: &[f64]) -> Transform {
    let n = sorted.len() as f64;
    // The score of each different number, at the middle of its rows.
    let (mut all, mut before) = (Vec::new(), 0);
    for tied in sorted.chunk_by(|a, b| a == b) {
        let middle = before as f64 + 0.5 * tied.len() as f64;
        all.push((tied[0], normal_quantile(middle / n)));
        before += tied.len();
    }
    let last = all.len() - 1;
    let mut knots: Vec<(f64, f64)> = Vec::new();
    for (i, (y, u)) in all.into_iter().enumerate() {
        let far = |knot: &(f64, f64)| u - knot.1 >= STEP;
        if knots.last().is_none_or(far) {
            knots.push((y, u));
        } else if i == last {
            // The last number is a knot, in the place of one that is too close.
            if knots.len() > 1 {
                knots.pop();
            }
            knots.push((y, u));
        }
    }
    let (y, u) = knots.into_iter().unzip();
    Transform::Quantile { y, u }
}

/// The share of the variance of n targets that a trend may leave, of rows that it was not fitted to: 1 up to [`FEW`] rows, and then
/// (16/n)⁴ down to [`NOTHING`]. Where it leaves more, a network that learns all of the target is as close, and mostly closer: it is
/// free to leave inputs out.
fn most_left(n: usize) -> f64 {
    (FEW / n as f64).powi(4).clamp(NOTHING, 1.0)
}

/// Some of the rows, evenly from first to last, with their targets and weights; `None` if they are few.
fn some_rows(
    x: &Matrix,
    u: &[f64],
    weights: Option<&[f64]>,
) -> Option<(Matrix, Vec<f64>, Option<Vec<f64>>)> {
    if u.len() <= SOME_ROWS {
        return None;
    }
    let rows: Vec<usize> = (0..SOME_ROWS).map(|i| i * u.len() / SOME_ROWS).collect();
    let of = |values: &[f64]| rows.iter().map(|row| values[*row]).collect();
    Some((x.select(&rows)?, of(u), weights.map(of)))
}

/// The value at x of the straight lines through ascending knots, at least two, and its slope there.
fn interpolated(from: &[f64], to: &[f64], x: f64) -> (f64, f64) {
    // Beyond the outer knots the outer lines go on.
    let right = from.partition_point(|knot| *knot <= x).clamp(1, from.len() - 1);
    let slope = (to[right] - to[right - 1]) / (from[right] - from[right - 1]);
    (to[right - 1] + slope * (x - from[right - 1]), slope)
}

/// How a target is measured: by its transform, and then by a mean and a standard deviation. With a trend these are of what
/// the trend leaves, and a row has the unit that [`at`](Self::at) gives for its inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetUnit {
    /// The mean and standard deviation of u, or of what is left of it.
    #[serde(flatten)]
    pub scale: Scale,
    /// From y to u.
    #[serde(default, skip_serializing_if = "Transform::is_none")]
    pub transform: Transform,
    /// The linear part of u, in its units, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
}

impl From<Scale> for TargetUnit {
    fn from(scale: Scale) -> Self {
        Self { scale, transform: Transform::None, trend: None }
    }
}

impl TargetUnit {
    /// The units of the numbers `y`; none if the logarithm is asked for and a number is not above 0.
    #[must_use]
    pub fn fit(choice: TransformChoice, y: &[f64]) -> Option<Self> {
        let transform = Transform::fit(choice, y)?;
        let scale = Scale::fit(y.iter().map(|y| transform.apply(*y)));
        Some(Self { scale, transform, trend: None })
    }

    /// The units of `y` with the trend in the standardised inputs `x` that leaves little of it; none if every trend leaves
    /// more than [`most_left`] of the variance.
    ///
    /// [`TransformChoice::Auto`] takes the transform under which the rows are most likely, each predicted by the others' trend
    /// with Normal errors, by the rule that it has without trends.
    pub(crate) fn fit_with_trend(
        choice: TransformChoice,
        y: &[f64],
        x: &Matrix,
        weights: Option<&[f64]>,
    ) -> Option<Self> {
        let mut sorted = y.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.first() == sorted.last() {
            return None;
        }
        let candidates: Vec<Transform> = match choice {
            TransformChoice::Auto => {
                let others = [log(&sorted), Some(asinh(&sorted))].into_iter().flatten();
                [Transform::None].into_iter().chain(others).collect()
            }
            other => Transform::fit(other, y).into_iter().collect(),
        };
        // Without a trend the transform of the rows as they are.
        let plain = Transform::fit(choice, y)?.log_likelihood(&sorted);
        let mut best: Option<(f64, Self)> = None;
        for transform in candidates {
            let u: Vec<f64> = y.iter().map(|y| transform.apply(*y)).collect();
            let whole = Scale::fit(u.iter().copied()).sd;
            let most_left = most_left(u.len()) * whole.powi(2);
            let leaves_little = |fitted: &Fitted| fitted.error <= most_left;
            let is_likely = some_rows(x, &u, weights).is_none_or(|(x, u, weights)| {
                Trend::fit(&x, &u, weights.as_deref()).is_some_and(|fitted| leaves_little(&fitted))
            });
            let fitted = is_likely.then(|| Trend::fit(x, &u, weights)).flatten();
            let Some(Fitted { trend, residuals, error }) = fitted.filter(leaves_little) else {
                continue;
            };
            let gained = (whole / error.sqrt()).ln();
            let price = if transform.is_none() { 0.0 } else { GAIN };
            let value = transform.log_likelihood(&sorted) + gained - price;
            if value <= plain || best.as_ref().is_some_and(|(best, _)| value <= *best) {
                continue;
            }
            // The lines of a transform that was asked for begin a standard deviation beyond the rows.
            let asked = if choice == TransformChoice::Auto { 0.0 } else { whole };
            let beyond = (TRUSTED * whole / error.sqrt()).min(FARTHEST) * whole;
            let transform = transform.within(&sorted, beyond.max(asked));
            let left = Scale::fit(residuals.into_iter());
            // A target that is a linear function to its last digit leaves rounding.
            let scale = Scale { mean: left.mean, sd: left.sd.max(LEAST * whole) };
            best = Some((value, Self { scale, transform, trend: Some(trend) }));
        }
        best.map(|(_, unit)| unit)
    }

    /// The unit of a row with these standardised inputs: its mean has the trend in it.
    #[must_use]
    pub fn at(&self, x: &[f64]) -> Self {
        let trend = self.trend.as_ref().map_or(0.0, |trend| trend.at(x));
        let scale = Scale { mean: self.scale.mean + trend, sd: self.scale.sd };
        Self { scale, transform: self.transform.clone(), trend: None }
    }

    /// The variance that the coefficients of the trend bring at these standardised inputs, by that of the noise.
    pub(crate) fn leverage_of_trend(&self, x: &[f64]) -> f64 {
        self.trend.as_ref().map_or(0.0, |trend| trend.leverage(x))
    }

    /// The variance that these of the standardised inputs bring into the trend, in squared standardised units.
    pub(crate) fn doubt_of_trend(&self, variances: &[f64]) -> f64 {
        self.trend.as_ref().map_or(0.0, |trend| trend.doubt(variances) / self.scale.sd.powi(2))
    }

    /// A number in standardised units.
    #[must_use]
    pub fn apply(&self, y: f64) -> f64 {
        self.scale.apply(self.transform.apply(y))
    }

    /// A standardised number in the units of the data.
    #[must_use]
    pub fn invert(&self, standardised: f64) -> f64 {
        self.transform.invert(self.scale.invert(standardised))
    }

    /// Logarithm of the slope of the standardised number in y, log ds/dy. The log density of y is that of s plus
    /// this.
    #[must_use]
    pub fn log_slope(&self, y: f64) -> f64 {
        self.transform.log_slope(y) - self.scale.sd.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::{Matrix, TargetUnit, Transform, TransformChoice};

    fn skewed() -> Vec<f64> {
        (0..200)
            .map(|i| (f64::from(i) * 0.7).sin().mul_add(2.0, 0.01 * f64::from(i)).exp())
            .collect()
    }

    const ALL: [TransformChoice; 4] = [
        TransformChoice::None,
        TransformChoice::Log,
        TransformChoice::Asinh,
        TransformChoice::Quantile,
    ];

    #[test]
    fn what_is_applied_is_undone_and_the_slope_is_that_of_differences() {
        let y = skewed();
        let largest = y.iter().copied().fold(0.0, f64::max);
        for choice in ALL {
            let unit = TargetUnit::fit(choice, &y).unwrap();
            for at in [0.3 * largest, 0.9 * largest, 1.5 * largest, 1e3 * largest, 0.02] {
                let u = unit.apply(at);
                assert!(
                    (unit.invert(u) / at - 1.0).abs() < 1e-9,
                    "{choice:?} {at}: {}",
                    unit.invert(u)
                );
                let step = 1e-5 * at;
                let slope = (unit.apply(at + step) - unit.apply(at - step)) / (2.0 * step);
                let error = slope.ln() - unit.log_slope(at);
                assert!(error.abs() < 1e-5, "{choice:?} at {at}: {error}");
            }
        }
    }

    #[test]
    fn transforms_make_the_rows_standard() {
        let y = skewed();
        for choice in ALL {
            let unit = TargetUnit::fit(choice, &y).unwrap();
            let n = y.len() as f64;
            let mean = y.iter().map(|y| unit.apply(*y)).sum::<f64>() / n;
            let variance = y.iter().map(|y| unit.apply(*y).powi(2)).sum::<f64>() / n - mean * mean;
            assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-9, "{choice:?}");
        }
    }

    #[test]
    fn the_data_choose() {
        let auto = |y: &[f64]| Transform::fit(TransformChoice::Auto, y).unwrap().name();
        assert_eq!(auto(&skewed()), "log");
        let line: Vec<f64> = (0..100).map(|i| 1e3 + f64::from(i)).collect();
        assert_eq!(auto(&line), "none");
        let both: Vec<f64> = skewed()
            .iter()
            .enumerate()
            .map(|(i, y)| if i % 2 == 0 { y.powi(3) } else { -y.powi(3) })
            .collect();
        assert_eq!(auto(&both), "asinh");
        assert_eq!(auto(&[3.0, 3.0]), "none");
        assert_eq!(Transform::fit(TransformChoice::Log, &[0.0, 1.0]), None);
    }

    #[test]
    fn beyond_all_rows_a_chosen_transform_is_a_line() {
        let both = [skewed(), skewed().into_iter().map(|y| -y.powi(3)).collect()].concat();
        for (y, name) in [(skewed(), "log"), (both, "asinh")] {
            let transform = Transform::fit(TransformChoice::Auto, &y).unwrap();
            assert_eq!(transform.name(), name);
            let largest = y.iter().copied().fold(f64::MIN, f64::max);
            let at = |steps: f64| transform.invert(transform.apply(largest) + steps);
            let steps = [at(1.0) - at(0.0), at(2.0) - at(1.0), at(9.0) - at(8.0)];
            if name == "log" {
                assert!(steps.iter().all(|step| (step / largest - 1.0).abs() < 1e-9), "{steps:?}");
            }
            let smallest = y.iter().copied().fold(f64::MAX, f64::min);
            let below = |steps: f64| transform.invert(transform.apply(smallest) - steps);
            let outer = [below(1.0) - below(2.0), below(8.0) - below(9.0)];
            if name == "asinh" {
                assert!((outer[0] / outer[1] - 1.0).abs() < 1e-9, "{outer:?}");
            }
        }
    }

    /// ln y = 3x: rows with inputs beyond all others are on the curve too, since the trend leaves next to nothing. With noise, the
    /// transform is a line from the largest row on.
    #[test]
    fn a_trend_that_is_sure_bends_on_beyond_the_rows() {
        let x = |i: usize| (i as f64 - 100.0) / 50.0;
        let rows = Matrix::new(1, (0..200).map(x).collect()).unwrap();
        for (noise, sure) in [(0.0, true), (0.7, false)] {
            let y: Vec<f64> =
                (0..200).map(|i| (3.0 * x(i) + noise * (1.7 * i as f64).sin()).exp()).collect();
            let unit = TargetUnit::fit_with_trend(TransformChoice::Auto, &y, &rows, None);
            assert_eq!(unit.is_some(), sure);
            let unit = unit.unwrap_or_else(|| TargetUnit::fit(TransformChoice::Auto, &y).unwrap());
            let (far, error) = ((3.0_f64 * 3.0).exp(), 1e-6);
            if sure {
                let found = unit.at(&[3.0]).invert(0.0);
                assert!((found / far - 1.0).abs() < error, "{found} for {far}");
            }
            let Transform::Log { top } = unit.transform else { panic!("{:?}", unit.transform) };
            let largest = y.iter().copied().fold(0.0, f64::max).ln();
            assert_eq!(top > largest + 1.0, sure);
        }
    }

    #[test]
    fn ties_and_few_rows_have_transforms() {
        for y in [vec![0.0, 0.0, 0.0, 5.0], vec![1.0, 2.0], vec![0.0, 0.0, 1.0, 1.0, 1.0]] {
            for choice in [TransformChoice::Asinh, TransformChoice::Quantile, TransformChoice::Auto]
            {
                let unit = TargetUnit::fit(choice, &y).unwrap();
                for at in [-3.0, 0.5, 9.0] {
                    assert!((unit.invert(unit.apply(at)) - at).abs() < 1e-9, "{choice:?} {y:?}");
                    assert!(unit.log_slope(at).is_finite());
                }
            }
        }
    }
}
