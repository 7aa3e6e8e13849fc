//! Whether a table fits a blueprint, and the units of its targets.

use super::Blueprint;
use crate::data::{
    DataError, LARGEST, Matrix, Scale, Standardizer, Table, TargetScale, TargetUnit, Targets,
    TrendChoice, check_noisy, finite, rows_fit,
};
use crate::likelihood::{LikelihoodKind, NoiseRule};
use crate::subnormals::keep_subnormals;

impl Table {
    /// The units of the targets, if the table fits the blueprint.
    pub(crate) fn scale<F>(&self, blueprint: &Blueprint<F>) -> Result<TargetScale, DataError> {
        self.check(blueprint)?;
        let inputs = Standardizer::fit_by(&self.x, blueprint.scaling);
        wide("inputs", inputs.scales())?;
        let has_trend = blueprint.trend == TrendChoice::Auto && has_trend(blueprint.likelihood);
        let x = has_trend.then(|| inputs.apply(&self.x));
        Ok(match &self.y {
            // Counts have no unit.
            Targets::Real(y) if blueprint.likelihood == LikelihoodKind::Poisson => {
                TargetScale::real(vec![Scale { mean: 0.0, sd: 1.0 }; y.columns()])
            }
            Targets::Real(y) => {
                let unit = |column: usize| {
                    let y = self::column(y, column);
                    let choice = blueprint.target_transform;
                    let weights = self.weights.as_deref();
                    let with_trend = x.as_ref().and_then(|x| {
                        // The flags of the calling thread must change no bit.
                        keep_subnormals(|| TargetUnit::fit_with_trend(choice, &y, x, weights))
                    });
                    if let Some(unit) = with_trend {
                        return Ok(unit);
                    }
                    TargetUnit::fit(choice, &y).ok_or_else(|| {
                        let row = y.iter().position(|y| *y <= 0.0 || y.is_nan()).unwrap_or(0);
                        DataError::NotPositive { row, column, value: y[row] }
                    })
                };
                let units = (0..y.columns()).map(unit).collect::<Result<Vec<_>, _>>()?;
                let scales: Vec<Scale> = units.iter().map(|unit| unit.scale).collect();
                wide("targets", &scales)?;
                TargetScale::Real(units)
            }
            Targets::Classes { names, .. } => TargetScale::Classes(names.clone()),
        })
    }

    /// Whether the table fits the blueprint.
    pub(crate) fn check<F>(&self, blueprint: &Blueprint<F>) -> Result<(), DataError> {
        check_noisy(&self.x, self.x_variance.as_ref(), blueprint.columns())?;
        self.check_weights()?;
        self.check_censored()?;
        let wanted = blueprint.likelihood;
        if self.censored.is_some() && wanted != LikelihoodKind::Censored {
            return Err(DataError::Censored);
        }
        let expected = match wanted.classes() {
            Some(classes) => format!("{classes} classes"),
            None => format!("{} real targets", wanted.target_columns()),
        };
        let (rows, fits, found) = match &self.y {
            Targets::Real(y) => {
                finite("targets", y)?;
                let is_count = |y: &f64| *y >= 0.0 && y.fract() == 0.0;
                let counts = wanted == LikelihoodKind::Poisson;
                if let Some(row) = y.values().iter().position(|y| counts && !is_count(y)) {
                    return Err(DataError::Count { row, value: y.values()[row] });
                }
                let fits = wanted.classes().is_none() && y.columns() == wanted.target_columns();
                (y.rows(), fits, format!("{} real targets", y.columns()))
            }
            Targets::Classes { labels, names } => {
                let fits = wanted.classes() == Some(names.len());
                (labels.len(), fits, format!("{} classes", names.len()))
            }
        };
        if !fits {
            return Err(DataError::Targets { expected, found });
        }
        rows_fit("targets", &self.x, rows)
    }
}

/// Whether targets of this likelihood can have a trend: numbers with noise that is learned and adds to them.
fn has_trend(likelihood: LikelihoodKind) -> bool {
    match likelihood {
        LikelihoodKind::Normal { noise, .. } => noise == NoiseRule::Gradient,
        LikelihoodKind::NormalPerInput { .. } | LikelihoodKind::StudentT { .. } => true,
        _ => false,
    }
}

/// Whether the squares of these units are numbers.
fn wide(part: &'static str, scales: &[Scale]) -> Result<(), DataError> {
    match scales.iter().enumerate().find(|(_, scale)| scale.sd < 1.0 / LARGEST) {
        Some((column, scale)) => Err(DataError::Narrow { part, column, sd: scale.sd }),
        None => Ok(()),
    }
}

/// The numbers of one column.
fn column(y: &Matrix, j: usize) -> Vec<f64> {
    y.iter().map(|row| row[j]).collect()
}
