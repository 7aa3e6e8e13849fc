//! `predict`.

use gaussform_bnn::{ClassPrediction, NormalPrediction, Prediction};

use crate::args::Predict;
use crate::failure::Failure;
use crate::output::{check, deliver, load};
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
    let (model, encoding) = load(&options.model)?;
    let cells = Cells::read(&options.csv)?;
    let rows = match model.predict(&encoding.inputs(&cells)?)? {
        Prediction::Normal(p) => numbers(&p, &options.quantiles),
        Prediction::Classes(p) => classes(&p),
    };
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

fn numbers(p: &NormalPrediction, quantiles: &[f64]) -> Vec<Vec<String>> {
    let mut header: Vec<String> =
        ["mean", "sd", "sd_weights", "sd_noise"].map(str::to_owned).to_vec();
    header.extend(quantiles.iter().map(|q| format!("q{q}")));
    let quantiles: Vec<_> = quantiles.iter().map(|q| p.quantile(*q)).collect();
    let (total, weights) = (p.variance(), p.epistemic());
    let row = |i: usize| {
        let parts = [total.values()[i], weights.values()[i], p.noise.values()[i]];
        let mut row = vec![p.mean.values()[i].to_string()];
        row.extend(parts.map(|v| v.sqrt().to_string()));
        row.extend(quantiles.iter().map(|q| q.values()[i].to_string()));
        row
    };
    std::iter::once(header).chain((0..p.mean.rows()).map(row)).collect()
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
