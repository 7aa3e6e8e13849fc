//! Calibration of the networks that `images` trained, and their entropy on turned and on foreign images. Neither is
//! in the papers.
//!
//! ```text
//! ECE = Σ_bins (rows of the bin/rows) |confidence − accuracy|        AUROC = P(entropy of a shifted image > that of a test image)
//! ```

mod rotation;
mod table;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use gaussform_bnn::{ClassPrediction, ClassScore, Functions, Model, auroc, class_score};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::images::args::{Dataset, Method, Network};
use crate::images::{ImageRecord, asked, first, load, tested};
use crate::picture::reliability;
use crate::record::{Build, Found, Record, make_folder, other_run, write_whole};
use crate::training::progress_bar;
use rotation::rotated;
pub(crate) use table::table;

#[derive(clap::Args)]
pub(crate) struct Calibration {
    /// The folder that holds mnist and fashion-mnist, each with its idx files, plain or .gz.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// A folder that `images` wrote, with its models.
    #[arg(long, value_name = "OUT")]
    pub(crate) images: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// Angles in degrees by which the test images are turned.
    #[arg(long, value_delimiter = ',', default_value = "15,30,45,60,90,180")]
    pub(crate) angles: Vec<f64>,
    /// Number of test images to use, from the first [default: all].
    #[arg(long)]
    pub(crate) rows: Option<NonZeroUsize>,
}

/// A run of `calibration`: a shift for each model and each kind of image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CalibrationRecord {
    build: Build,
    data: Dataset,
    network: Network,
    method: Method,
    angles: Vec<f64>,
    rows: usize,
    shifts: Vec<Shift>,
}

impl Record for CalibrationRecord {
    const EXPERIMENT: &'static str = "calibration";
}

/// Scores of a model on images that differ from those it was trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Shift {
    run: usize,
    images: String,
    /// The scores; none where the classes are not those of the model.
    score: Option<Score>,
    /// How well the entropy of a prediction, and the mutual information of class and weights, tell these images from
    /// test images: 1 is perfect, 0.5 is chance. None for test images.
    auroc: Option<Auroc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Score {
    error: f64,
    log_likelihood: f64,
    calibration_error: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Auroc {
    entropy: f64,
    /// 0.5 for `vrelunet`, whose predictions do not have the quantity; tables leave it out.
    information: f64,
}

pub(crate) fn run(options: &Calibration) -> Result<(), Failure> {
    if let Some(angle) = options.angles.iter().find(|angle| !angle.is_finite()) {
        let help = "angles are finite numbers of degrees".to_owned();
        return Err(Failure::Options { problem: format!("--angles has {angle}"), help });
    }
    let trained = options.images.join("result.json");
    let found = Found::read(&trained)?.filter(|found| found.experiment == ImageRecord::EXPERIMENT);
    let Some(found) = found else {
        let help = "name a folder that `images` wrote with --out";
        return Err(Failure::file(&trained, "is of no run of `images`", help));
    };
    let ImageRecord { data, network, method, runs, .. } = found.record()?;
    if runs.is_empty() {
        let help = "give the command `images` of this folder once more; it goes on";
        return Err(Failure::file(&trained, "has no run that is whole", help));
    }
    let [_, test] = load(&options.data, data)?;
    let [_, other] = load(&options.data, data.other())?;
    if test.size != other.size {
        let problem =
            format!("images are {:?}, but those of {} {:?}", other.size, data.name(), test.size);
        return Err(Failure::file(&options.data.join(data.other().name()), problem, data.source()));
    }
    let (size, test, other) =
        (test.size, first(test.table, options.rows), first(other.table, options.rows));
    let result = options.out.join("result.json");
    let mut record = CalibrationRecord {
        build: Build::THIS,
        data,
        network,
        method,
        angles: options.angles.clone(),
        rows: test.x.rows(),
        shifts: Vec::new(),
    };
    match CalibrationRecord::read(&result)? {
        None => {}
        Some(old) if (CalibrationRecord { shifts: Vec::new(), ..old.clone() }) == record => {
            record = old;
        }
        Some(_) => return Err(other_run(&result)),
    }
    let is_done = |run: usize| record.shifts.iter().any(|shift| shift.run == run);
    let library = Functions::library();
    let models = runs.iter().map(|run| run.run).filter(|run| !is_done(*run)).map(|run| {
        let path = options.images.join(format!("model-{run}.safetensors"));
        let model = Model::load(&path, &library);
        let (model, _) = model.map_err(|source| Failure::Model { path, source })?;
        Ok((run, model))
    });
    // All are read before anything is computed, so that a missing one shows at once.
    let models = models.collect::<Result<Vec<_>, Failure>>()?;
    make_folder(&options.out)?;
    let bar = progress_bar(models.len() * (2 + options.angles.len()));
    for (run, model) in &models {
        let (prediction, labels) = tested(model, &test)?;
        bar.inc(1);
        let score = class_score(&prediction, labels);
        let name = |ending| options.out.join(format!("reliability-{run}.{ending}"));
        write_whole(&name("csv"), &csv(&score))?;
        let caption = format!("Expected calibration error {:.4}", score.calibration_error);
        write_whole(&name("svg"), &reliability(&caption, &score.calibration).to_svg())?;
        record.shifts.push(Shift {
            run: *run,
            images: "test".to_owned(),
            score: Some(Score::of(&score)),
            auroc: None,
        });
        for &angle in &options.angles {
            let turned = asked(model, &rotated(&test.x, size, angle))?;
            bar.inc(1);
            record.shifts.push(Shift {
                run: *run,
                images: format!("turned {angle}°"),
                score: Some(Score::of(&class_score(&turned, labels))),
                auroc: Some(Auroc::of(&turned, &prediction)),
            });
        }
        let foreign = asked(model, &other.x)?;
        bar.inc(1);
        record.shifts.push(Shift {
            run: *run,
            images: data.other().name(),
            score: None,
            auroc: Some(Auroc::of(&foreign, &prediction)),
        });
        record.write(&result)?;
    }
    bar.finish_and_clear();
    Ok(())
}

fn csv(score: &ClassScore) -> String {
    let mut text = String::from("promised,observed,rows\n");
    for point in &score.calibration {
        text += &format!("{},{},{}\n", point.promised, point.observed, point.rows);
    }
    text
}

impl Score {
    fn of(score: &ClassScore) -> Self {
        let (error, log_likelihood) = (score.error, score.log_likelihood);
        Self { error, log_likelihood, calibration_error: score.calibration_error }
    }
}

impl Auroc {
    fn of(shifted: &ClassPrediction, test: &ClassPrediction) -> Self {
        Self {
            entropy: auroc(&shifted.entropy(), &test.entropy()),
            information: auroc(&shifted.information, &test.information),
        }
    }
}
