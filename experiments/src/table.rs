//! The tables of `docs/experiments.md` from the `result.json` of runs: printed, or put in their place.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::Archive;

use crate::calibration::CalibrationRecord;
use crate::failure::Failure;
use crate::fast_prediction::FastRecord;
use crate::gradient_variance::VarianceRecord;
use crate::images::ImageRecord;
use crate::record::{Found, Record, write_whole};
use crate::sine::SineRecord;
use crate::uci::UciRecord;
use crate::vae::VaeRecord;
use crate::{calibration, fast_prediction, gradient_variance, images, sine, uci, vae};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folders with results, or archives of such folders by tar and gzip; every result.json in them or below is read.
    #[arg(required = true)]
    out: Vec<PathBuf>,
    /// The file in which to replace the tables, instead of printing them: for each experiment with results the block
    /// between the marks `<!-- experiments: NAME -->` and `<!-- experiments: end -->`. NAME is that of the
    /// subcommand, or uci-settings for runs by changed settings.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

const END: &str = "<!-- experiments: end -->";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut results = Vec::new();
    for out in &options.out {
        let found = if out.is_file() { in_archive(out)? } else { in_folder(out)? };
        if found.is_empty() {
            let help = "name a folder that a subcommand wrote with --out, or an archive of some";
            return Err(Failure::file(out, "holds no result.json", help));
        }
        results.extend(found);
    }
    let tables = tables(results)?;
    match &options.write {
        None => {
            let all: Vec<String> = tables.into_iter().map(|(_, text)| text).collect();
            io::stdout().write_all(all.join("\n").as_bytes()).map_err(Failure::Output)
        }
        Some(path) => replace(path, &tables),
    }
}

/// The table of each experiment with results, with the name of its marks.
fn tables(results: Vec<Found>) -> Result<Vec<(&'static str, String)>, Failure> {
    let (mut uci, mut images) = (Vec::new(), Vec::new());
    let mut calibrations = Vec::new();
    let (mut fast, mut sines) = (Vec::new(), Vec::new());
    let (mut variances, mut autoencoders) = (Vec::new(), Vec::new());
    for found in results {
        match found.experiment.as_str() {
            UciRecord::EXPERIMENT => uci.push(found.record()?),
            ImageRecord::EXPERIMENT => images.push(found.record()?),
            CalibrationRecord::EXPERIMENT => calibrations.push(found.record()?),
            FastRecord::EXPERIMENT => fast.push(found.record()?),
            SineRecord::EXPERIMENT => sines.push(found.record()?),
            VarianceRecord::EXPERIMENT => variances.push(found.record()?),
            VaeRecord::EXPERIMENT => autoencoders.push(found.record()?),
            _ => return Err(found.unknown()),
        }
    }
    let mut tables = uci::tables(uci);
    if !images.is_empty() {
        tables.push((ImageRecord::EXPERIMENT, images::table(images)));
    }
    if !calibrations.is_empty() {
        tables.push((CalibrationRecord::EXPERIMENT, calibration::table(calibrations)));
    }
    if !fast.is_empty() {
        tables.push((FastRecord::EXPERIMENT, fast_prediction::table(&fast)));
    }
    if !sines.is_empty() {
        tables.push((SineRecord::EXPERIMENT, sine::table(&sines)));
    }
    if !variances.is_empty() {
        tables.push((VarianceRecord::EXPERIMENT, gradient_variance::table(&variances)));
    }
    if !autoencoders.is_empty() {
        tables.push((VaeRecord::EXPERIMENT, vae::table(&autoencoders)));
    }
    Ok(tables)
}

/// The contents of all `result.json` in an archive by tar and gzip, in the order of their paths.
fn in_archive(path: &Path) -> Result<Vec<Found>, Failure> {
    let unreadable =
        |e| Failure::file(path, e, "name a folder of results, or an archive of it by tar and gzip");
    let file = File::open(path).map_err(unreadable)?;
    // An archive has its files in any order; tables are to have one.
    let mut found = BTreeMap::new();
    for entry in Archive::new(GzDecoder::new(file)).entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let name = entry.path().map_err(unreadable)?.into_owned();
        if name.file_name().is_some_and(|name| name == "result.json") {
            let mut text = String::new();
            entry.read_to_string(&mut text).map_err(unreadable)?;
            let contents = Found::parse(&text, &path.join(&name))?;
            found.insert(name, contents);
        }
    }
    Ok(found.into_values().collect())
}

/// The contents of all `result.json` in a folder and below.
fn in_folder(folder: &Path) -> Result<Vec<Found>, Failure> {
    let mut paths = Vec::new();
    results(folder, &mut paths)?;
    let read = paths.iter().map(|path| Found::read(path));
    Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Paths of all `result.json` in `folder` and below, in the order of their names.
fn results(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |e| Failure::file(folder, e, "name a folder that can be read");
    let mut inside = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        inside.push(entry.map_err(unreadable)?.path());
    }
    // A folder lists its entries in any order; tables are to have one.
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
