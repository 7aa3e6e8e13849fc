//! The command `predict`: a row of predictions for each row of a table, as CSV.

use gaussform_bnn::{ClassPrediction, Prediction, RealPrediction};

use crate::args::Predict;
use crate::calibration::Calibration;
use crate::encoding::{Encoding, Target};
use crate::failure::Failure;
use crate::output::{check, deliver, load, note};
use crate::table::Cells;

pub(crate) fn run(options: &Predict) -> Result<(), Failure> {
    if let Some(out) = &options.out {
        check(out)?;
    }
    for p in &options.quantiles {
        if !(*p > 0.0 && *p < 1.0) {
            let problem = format!("--quantiles has {p}");
            return Err(Failure::options(problem, "a quantile lies between 0 and 1"));
        }
    }
    let loaded = load(&options.model)?.sampled(&options.sampling)?;
    if options.interval.is_some() && loaded.calibration.is_none() {
        let problem = "--interval needs a model that was calibrated";
        return Err(Failure::options(problem, "let `gaussform-bnn calibrate` make one of it"));
    }
    let cells = Cells::read(&options.csv)?;
    let kept = options.keep.iter().map(|name| cells.column(name)).collect::<Result<Vec<_>, _>>()?;
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
    let mut rows = match scaled {
        Prediction::Real(p) => numbers(&p, &loaded.encoding, &options.quantiles),
        Prediction::Classes(p) => classes(&p),
    };
    for (row, more) in rows.iter_mut().zip(added.into_iter().flatten()) {
        row.extend(more);
    }
    for (i, row) in rows.iter_mut().enumerate() {
        let column = |j: &usize| match i.checked_sub(1) {
            None => cells.header[*j].clone(),
            Some(i) => cells.text(i, *j).to_owned(),
        };
        row.splice(0..0, kept.iter().map(column));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| {
        Failure::file(&options.csv, format!("cannot be written as CSV: {e}"), "report this")
    };
    for row in rows {
        writer.write_record(row).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    deliver(&String::from_utf8_lossy(&bytes), options.out.as_deref())
}

/// The columns of the intervals or sets for a probability, with their header.
fn promised(
    calibration: &Calibration,
    prediction: &Prediction,
    encoding: &Encoding,
    probability: f64,
) -> Result<Vec<Vec<String>>, Failure> {
    Ok(match (calibration, prediction) {
        (Calibration::Numbers(c), Prediction::Real(p)) => {
            let intervals = c.intervals(p, probability)?;
            let ends = intervals.lower.iter().zip(intervals.upper.iter());
            let header = named(&["lower", "upper"].map(str::to_owned), encoding);
            let row = |(a, b): (&[f64], &[f64])| {
                a.iter().zip(b).flat_map(|(a, b)| [a.to_string(), b.to_string()]).collect()
            };
            std::iter::once(header).chain(ends.map(row)).collect()
        }
        (Calibration::Classes(c), Prediction::Classes(p)) => {
            let name = |class: &usize| p.names.get(*class).map_or("", String::as_str);
            let joined = |set: &Vec<usize>| set.iter().map(name).collect::<Vec<_>>().join("|");
            let rows = c.sets(p, probability)?;
            let rows = rows.iter().map(|set| vec![joined(set)]);
            std::iter::once(vec!["set".to_owned()]).chain(rows).collect()
        }
        _ => Vec::new(),
    })
}

fn numbers(p: &RealPrediction, encoding: &Encoding, quantiles: &[f64]) -> Vec<Vec<String>> {
    let first = ["mean", "sd", "sd_weights", "sd_noise"].map(str::to_owned).into_iter();
    let columns: Vec<String> = first.chain(quantiles.iter().map(|q| format!("q{q}"))).collect();
    let header = named(&columns, encoding);
    let k = p.mean.columns();
    let quantiles: Vec<_> = quantiles.iter().map(|q| p.quantile(*q)).collect();
    let (total, weights) = (p.variance(), p.epistemic());
    let of_target = |i: usize| {
        let parts = [total.values()[i], weights.values()[i], p.noise.values()[i]];
        let mut cells = vec![p.mean.values()[i].to_string()];
        cells.extend(parts.map(|v| v.sqrt().to_string()));
        cells.extend(quantiles.iter().map(|q| q.values()[i].to_string()));
        cells
    };
    let row = |i: usize| (i * k..(i + 1) * k).flat_map(of_target).collect();
    std::iter::once(header).chain((0..p.mean.rows()).map(row)).collect()
}

/// The names of columns for each target, with its name if there are several.
fn named(columns: &[String], encoding: &Encoding) -> Vec<String> {
    let several = encoding.targets().count() > 1;
    let of = |target: &Target| {
        let name = |column: &String| match several {
            true => format!("{column}({})", target.name),
            false => column.clone(),
        };
        columns.iter().map(name).collect::<Vec<_>>()
    };
    encoding.targets().flat_map(of).collect()
}

fn classes(p: &ClassPrediction) -> Vec<Vec<String>> {
    let mut header = vec!["class".to_owned()];
    header.extend(p.names.iter().map(|name| format!("p({name})")));
    header.extend(["entropy", "entropy_weights"].map(str::to_owned));
    let entropy = p.entropy();
    let row = |((i, row), label): ((usize, &[f64]), usize)| {
        let mut out = vec![p.names.get(label).cloned().unwrap_or_default()];
        out.extend(row.iter().map(f64::to_string));
        out.extend([entropy[i], p.information[i]].map(|v| v.to_string()));
        out
    };
    let rows = p.probabilities.iter().enumerate().zip(p.labels());
    std::iter::once(header).chain(rows.map(row)).collect()
}
