//! The tables of `docs/experiments.md` from the `result.json` of runs: printed, or put in their place.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gaussform_uci::Estimate;

use crate::args::Table;
use crate::failure::Failure;
use crate::record::{Record, write_whole};
use crate::{archive, calibration, fast_prediction, gradient_variance, images, sine, uci, vae};

const END: &str = "<!-- experiments: end -->";

pub(crate) fn run(options: &Table) -> Result<(), Failure> {
    let mut records = Vec::new();
    for out in &options.out {
        let found = if out.is_file() { archive::records(out)? } else { in_folder(out)? };
        if found.is_empty() {
            let help = "name a folder that a subcommand wrote with --out, or an archive of some";
            return Err(Failure::file(out, "holds no result.json", help));
        }
        records.extend(found);
    }
    let tables = tables(records);
    match &options.write {
        None => {
            let all: Vec<String> = tables.into_iter().map(|(_, text)| text).collect();
            io::stdout().write_all(all.join("\n").as_bytes()).map_err(Failure::Output)
        }
        Some(path) => replace(path, &tables),
    }
}

/// The table of each experiment with records, with the name of its marks.
fn tables(records: Vec<Record>) -> Vec<(&'static str, String)> {
    let (mut uci, mut images) = (Vec::new(), Vec::new());
    let mut calibrations = Vec::new();
    let (mut fast, mut sines) = (Vec::new(), Vec::new());
    let (mut variances, mut autoencoders) = (Vec::new(), Vec::new());
    for record in records {
        match record {
            Record::Uci(record) => uci.push(record),
            Record::Images(record) => images.push(record),
            Record::Calibration(record) => calibrations.push(record),
            Record::FastPrediction(record) => fast.push(record),
            Record::Sine(record) => sines.push(record),
            Record::GradientVariance(record) => variances.push(record),
            Record::Vae(record) => autoencoders.push(record),
        }
    }
    let mut tables = uci::tables(uci);
    if !images.is_empty() {
        tables.push(("images", images::table(images)));
    }
    if !calibrations.is_empty() {
        tables.push(("calibration", calibration::table(calibrations)));
    }
    if !fast.is_empty() {
        tables.push(("fast-prediction", fast_prediction::table(&fast)));
    }
    if !sines.is_empty() {
        tables.push(("sine", sine::table(&sines)));
    }
    if !variances.is_empty() {
        tables.push(("gradient-variance", gradient_variance::table(&variances)));
    }
    if !autoencoders.is_empty() {
        tables.push(("vae", vae::table(&autoencoders)));
    }
    tables
}

/// The records of all `result.json` in a folder and below.
fn in_folder(folder: &Path) -> Result<Vec<Record>, Failure> {
    let mut paths = Vec::new();
    results(folder, &mut paths)?;
    let read = paths.iter().map(|path| Record::read(path));
    Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Paths of all `result.json` in `folder` and below, in the order of their names.
fn results(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |e| Failure::file(folder, e, "name a folder that can be read");
    let mut inside = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        inside.push(entry.map_err(unreadable)?.path());
    }
    inside.sort();
    for path in inside {
        if path.is_dir() {
            results(&path, found)?;
        } else if path.file_name().is_some_and(|name| name == "result.json") {
            found.push(path);
        }
    }
    Ok(())
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    Estimate::of(values).mean
}

/// The mean with its standard error; in words, if a value is infinite or NaN.
pub(crate) fn estimate(values: &[f64]) -> String {
    if values.iter().any(|value| !value.is_finite()) {
        return "not finite".to_owned();
    }
    let Estimate { mean, standard_error } = Estimate::of(values);
    if values.len() < 2 {
        return format!("{mean:.3}");
    }
    format!("{mean:.3} ± {standard_error:.3}")
}

/// Replaces the block between the marks of each table in a file.
fn replace(path: &Path, tables: &[(&str, String)]) -> Result<(), Failure> {
    let mut page = fs::read_to_string(path)
        .map_err(|e| Failure::file(path, e, "name a file that can be read"))?;
    for (name, text) in tables {
        let begin = format!("<!-- experiments: {name} -->\n");
        let parts = page.split_once(&begin);
        let parts = parts.and_then(|(before, rest)| rest.split_once(END).map(|(_, a)| (before, a)));
        let Some((before, after)) = parts else {
            let help = format!("write a line `{}` and a line `{END}` in it", begin.trim_end());
            let problem = format!("has no marks for the table of {name}");
            return Err(Failure::file(path, problem, help));
        };
        page = format!("{before}{begin}\n{text}\n{END}{after}");
    }
    write_whole(path, &page)
}
