//! The command `predict`: a row of predictions for each row of a table.

use std::borrow::Cow;

use gaussform_bnn::{ClassPrediction, Matrix, Prediction, RealPrediction};

use crate::answer::{Answer, ColumnValues, Format};
use crate::args::Predict;
use crate::calibration::Calibration;
use crate::encoding::{Encoding, Target};
use crate::failure::Failure;
use crate::output::{check_apart, load, note};
use crate::table::Cells;

pub(crate) fn run(options: &Predict) -> Result<(), Failure> {
    let format = Format::of(options.out.as_deref())?;
    check_apart(&[&options.model, &options.csv], options.out.as_deref().as_slice())?;
    let quantiles = options.quantiles.clone().unwrap_or_else(|| vec![0.05, 0.95]);
    for p in &quantiles {
        if !(*p > 0.0 && *p < 1.0) {
            let problem = format!("--quantiles has {p}");
            return Err(Failure::options(problem, "a quantile lies between 0 and 1"));
        }
    }
    if let Some(p) = repeated(&quantiles) {
        return Err(Failure::options(format!("--quantiles names {p} twice"), "name it once"));
    }
    if let Some(name) = repeated(&options.keep) {
        return Err(Failure::options(format!("--keep names `{name}` twice"), "name it once"));
    }
    let loaded = load(&options.model)?.sampled(&options.sampling)?;
    if options.interval.is_some() && loaded.calibration.is_none() {
        let problem = "--interval needs a model that was calibrated";
        return Err(Failure::options(problem, "let `gaussform-bnn calibrate` make one of it"));
    }
    if options.quantiles.is_some() && loaded.encoding.target.words.is_some() {
        let problem = "--quantiles is for a target of numbers, and this one has classes";
        return Err(Failure::options(problem, "leave it out"));
    }
    let cells = Cells::read(&options.csv)?;
    let kept = options.keep.iter().map(|name| {
        let j = cells.readable(name)?;
        Ok((cells.header[j].clone(), ColumnValues::of(&cells, j)))
    });
    let mut columns = kept.collect::<Result<Vec<_>, Failure>>()?;
    let inputs = loaded.encoding.inputs(&cells)?;
    inputs.notes.iter().for_each(|text| note(text));
    let prediction = loaded.predict(&cells, &inputs.mean, inputs.variance.as_ref())?;
    let (scaled, added) = match &loaded.calibration {
        Some(calibration) => {
            let promised =
                options.interval.map(|p| promised(calibration, &prediction, &loaded.encoding, p));
            (calibration.scaled(&prediction)?, promised.transpose()?)
        }
        None => (prediction, None),
    };
    columns.extend(match scaled {
        Prediction::Real(p) => numbers(&p, &loaded.encoding, &quantiles),
        Prediction::Classes(p) => classes(&p),
    });
    columns.extend(added.into_iter().flatten());
    check_names(&columns, options.keep.len())?;
    Answer { columns }.deliver(format, options.out.as_deref())
}

/// The first value that is there a second time.
fn repeated<T: PartialEq>(values: &[T]) -> Option<&T> {
    let mut numbered = values.iter().enumerate();
    numbered.find_map(|(i, value)| values[..i].contains(value).then_some(value))
}

/// Whether no predicted column has the name of one of the first `kept` columns, which come from the table. Columns are found
/// by name.
fn check_names(columns: &[(String, ColumnValues)], kept: usize) -> Result<(), Failure> {
    let (kept, predicted) = columns.split_at(kept);
    let is_predicted = |name: &String| predicted.iter().any(|(predicted, _)| predicted == name);
    match kept.iter().find(|(name, _)| is_predicted(name)) {
        Some((name, _)) => {
            let problem =
                format!("--keep names `{name}`, which is also a column of the predictions");
            Err(Failure::options(problem, "rename the column of the table, or do not keep it"))
        }
        None => Ok(()),
    }
}

/// The columns of the intervals or sets for a probability.
fn promised(
    calibration: &Calibration,
    prediction: &Prediction,
    encoding: &Encoding,
    probability: f64,
) -> Result<Vec<(String, ColumnValues)>, Failure> {
    Ok(match (calibration, prediction) {
        (Calibration::Numbers(c), Prediction::Real(p)) => {
            let intervals = c.intervals(p, probability)?;
            let names = ["lower", "upper"].map(str::to_owned);
            let ends = [&intervals.lower, &intervals.upper].map(|end| end.values().to_vec());
            by_target(&names, ends.to_vec(), encoding)
        }
        (Calibration::Classes(c), Prediction::Classes(p)) => {
            let name = |class: &usize| quoted(p.names.get(*class).map_or("", String::as_str));
            let joined = |set: &Vec<usize>| set.iter().map(name).collect::<Vec<_>>().join("|");
            let sets = c.sets(p, probability)?.iter().map(joined).collect();
            vec![("set".to_owned(), ColumnValues::Texts(sets))]
        }
        _ => Vec::new(),
    })
}

/// The name of a class in a set. One with a bar or a quote has quotes around it, and its own quotes are doubled.
fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains(['|', '"']) {
        format!("\"{}\"", name.replace('"', "\"\"")).into()
    } else {
        name.into()
    }
}

fn numbers(
    p: &RealPrediction,
    encoding: &Encoding,
    quantiles: &[f64],
) -> Vec<(String, ColumnValues)> {
    let first = ["mean", "sd", "sd_weights", "sd_noise"].map(str::to_owned).into_iter();
    let names: Vec<String> = first.chain(quantiles.iter().map(|q| format!("q{q}"))).collect();
    let sd = |variance: &Matrix| variance.values().iter().map(|v| v.sqrt()).collect();
    let parts = [sd(&p.variance()), sd(&p.epistemic()), sd(&p.noise)];
    let quantiles = quantiles.iter().map(|q| p.quantile(*q).values().to_vec());
    let values = std::iter::once(p.mean.values().to_vec()).chain(parts).chain(quantiles);
    by_target(&names, values.collect(), encoding)
}

/// A column for each target and name. `values` has for each name those of all rows and targets, of shape \[rows, targets\]. Columns
/// have the name of their target besides, if there are several.
fn by_target(
    names: &[String],
    values: Vec<Vec<f64>>,
    encoding: &Encoding,
) -> Vec<(String, ColumnValues)> {
    let targets = encoding.targets().count();
    let of = |(k, target): (usize, &Target)| {
        let column = |(name, values): (&String, &Vec<f64>)| {
            let name = match targets {
                1 => name.clone(),
                _ => format!("{name}({})", target.name),
            };
            (name, ColumnValues::Numbers(values.iter().skip(k).step_by(targets).copied().collect()))
        };
        names.iter().zip(&values).map(column).collect::<Vec<_>>()
    };
    encoding.targets().enumerate().flat_map(of).collect()
}

fn classes(p: &ClassPrediction) -> Vec<(String, ColumnValues)> {
    let label = |label: usize| p.names.get(label).cloned().unwrap_or_default();
    let labels = p.labels().into_iter().map(label).collect();
    let mut columns = vec![("class".to_owned(), ColumnValues::Texts(labels))];
    columns.extend(p.names.iter().enumerate().map(|(k, name)| {
        let probabilities = p.probabilities.iter().map(|row| row[k]).collect();
        (format!("p({name})"), ColumnValues::Numbers(probabilities))
    }));
    columns.push(("entropy".to_owned(), ColumnValues::Numbers(p.entropy())));
    columns.push(("entropy_weights".to_owned(), ColumnValues::Numbers(p.information.clone())));
    columns
}

#[cfg(test)]
mod tests {
    use super::quoted;

    /// Sets of other classes are other texts.
    #[test]
    fn the_bars_of_a_set_stand_between_its_classes_alone() {
        for (name, text) in [("low", "low"), ("a|b", "\"a|b\""), ("\"a", "\"\"\"a\""), ("", "")] {
            assert_eq!(quoted(name), text);
        }
    }
}
