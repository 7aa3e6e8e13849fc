//! The band of uncertainty around a sine (Roth and Pernkopf, Fig. 2a): mean ± 2 standard deviations of a network with
//! one hidden layer, trained on noisy points by L-BFGS.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use gaussform_bnn::{
    Blueprint, DataError, LikelihoodKind, Matrix, Model, ModelError, Precision, Prior, Random,
    RealPrediction, Table, TrainConfig, TrainError, method, rmse, train,
};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::picture::{Band, band};
use crate::record::{Build, Record, make_folder, other_run, write_whole};
use crate::training::relu;

/// The interval of the data's inputs.
const DATA: [f64; 2] = [0.0, 1.0];
/// The interval of the predictions' inputs, in steps of 1/100.
const SHOWN: [i32; 2] = [-100, 200];

#[derive(clap::Args)]
pub(crate) struct Sine {
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// Number of points; their inputs are uniform in [0, 1].
    #[arg(long, default_value = "20")]
    points: NonZeroUsize,
    /// The standard deviation of the noise of the points.
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    noise: f64,
    /// Hidden units.
    #[arg(long, default_value = "50")]
    hidden: NonZeroUsize,
    /// The precision of the Normal prior of every weight.
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    prior_precision: f64,
    /// λ, the factor of the likelihood (Roth and Pernkopf, 3.3).
    #[arg(long, value_name = "λ", default_value_t = 10.0, allow_negative_numbers = true)]
    likelihood_weight: f64,
    /// Calls of L-BFGS, each of up to 20 iterations.
    #[arg(long, default_value = "100")]
    epochs: NonZeroUsize,
    /// The seed of the points and of the first weights.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A run of `sine`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SineRecord {
    build: Build,
    plan: SinePlan,
    /// The bound after training, in nats and standardised units.
    elbo: f64,
    /// Root mean squared difference of the predictive means from the sine, over the interval of the data.
    rmse: f64,
    /// Mean standard deviation that the weights bring, over the interval of the data and elsewhere.
    sd_at_data: f64,
    sd_away: f64,
    /// Seconds of training alone.
    seconds: f64,
}

impl Record for SineRecord {
    const EXPERIMENT: &'static str = "sine";
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct SinePlan {
    points: usize,
    noise: f64,
    hidden: usize,
    prior_precision: f64,
    likelihood_weight: f64,
    epochs: usize,
    seed: u64,
}

pub(crate) fn run(options: &Sine) -> Result<(), Failure> {
    let plan = SinePlan {
        points: options.points.into(),
        noise: options.noise,
        hidden: options.hidden.into(),
        prior_precision: options.prior_precision,
        likelihood_weight: options.likelihood_weight,
        epochs: options.epochs.into(),
        seed: options.seed,
    };
    if !(plan.noise >= 0.0 && plan.noise.is_finite()) {
        let problem = format!("--noise is {}", plan.noise);
        let help = "it is a standard deviation, a finite number of at least 0".to_owned();
        return Err(Failure::Options { problem, help });
    }
    let out = &options.out;
    let result = out.join("result.json");
    match SineRecord::read(&result)? {
        None => {}
        Some(old) if old.plan == plan => {}
        Some(_) => return Err(other_run(&result)),
    }

    let points = points(&plan);
    let start = Instant::now();
    let (model, elbo) = fitted(&plan, &points)?;
    let seconds = start.elapsed().as_secs_f64();
    let grid: Vec<f64> = (SHOWN[0]..=SHOWN[1]).map(|i| f64::from(i) / 100.0).collect();
    let prediction = ask(&model, &grid)?;
    let [mean, weights, variance] =
        [prediction.mean.clone(), prediction.epistemic(), prediction.variance()];
    let sd_weights: Vec<f64> = weights.values().iter().map(|v| v.sqrt()).collect();
    let sd: Vec<f64> = variance.values().iter().map(|v| v.sqrt()).collect();

    let inside = |x: f64| (DATA[0]..=DATA[1]).contains(&x);
    let mean_sd = |of: &dyn Fn(f64) -> bool| {
        let sds: Vec<f64> =
            grid.iter().zip(&sd_weights).filter(|(x, _)| of(**x)).map(|(_, sd)| *sd).collect();
        sds.iter().sum::<f64>() / sds.len() as f64
    };
    let at_data: (Vec<f64>, Vec<f64>) = grid
        .iter()
        .zip(mean.values())
        .filter(|(x, _)| inside(**x))
        .map(|(x, m)| (m, sine(*x)))
        .unzip();
    let record = SineRecord {
        build: Build::THIS,
        plan,
        elbo,
        rmse: rmse(&at_data.0, &at_data.1),
        sd_at_data: mean_sd(&inside),
        sd_away: mean_sd(&|x| !inside(x)),
        seconds,
    };

    make_folder(out)?;
    let mut lines = String::from("x,y\n");
    for [x, y] in &points {
        lines += &format!("{x},{y}\n");
    }
    write_whole(&out.join("data.csv"), &lines)?;
    let mut lines = String::from("x,truth,mean,variance,variance_of_weights\n");
    let moments = mean.values().iter().zip(variance.values()).zip(weights.values());
    for (x, ((m, v), w)) in grid.iter().zip(moments) {
        lines += &format!("{x},{},{m},{v},{w}\n", sine(*x));
    }
    write_whole(&out.join("predictions-0.csv"), &lines)?;
    let path = out.join("model-0.safetensors");
    let saved = model.save(&path, &BTreeMap::new());
    saved.map_err(|source| Failure::Model { path, source })?;
    let picture = band(&Band {
        caption: &format!("{} points, {} hidden units, L-BFGS", plan.points, plan.hidden),
        x: &grid,
        truth: &grid.iter().map(|x| sine(*x)).collect::<Vec<_>>(),
        mean: mean.values(),
        sd_weights: &sd_weights,
        sd: &sd,
        points: &points,
    });
    write_whole(&out.join("sine.svg"), &picture.to_svg())?;
    // The record is last, so that beside it all files are whole.
    record.write(&result)
}

fn sine(x: f64) -> f64 {
    (TAU * x).sin()
}

/// Points with x uniform over the interval of the data, and y the sine with Normal noise.
fn points(plan: &SinePlan) -> Vec<[f64; 2]> {
    let mut random = Random::new(plan.seed);
    let mut point = |_| {
        let x = DATA[0] + (DATA[1] - DATA[0]) * random.uniform();
        [x, sine(x) + plan.noise * random.normal()]
    };
    (0..plan.points).map(&mut point).collect()
}

/// The model after training, and its bound in nats and standardised units.
fn fitted(plan: &SinePlan, points: &[[f64; 2]]) -> Result<(Model, f64), TrainError> {
    let x = column(points.iter().map(|p| p[0]))?;
    let y: Vec<f64> = points.iter().map(|p| p[1]).collect();
    let table = Table::regression(x, &y).map_err(ModelError::from)?;
    let network = method::nnvi(1, &[plan.hidden], LikelihoodKind::normal(1), &relu()?)
        .with_every_prior(Prior::Normal { precision: plan.prior_precision });
    // The line search of L-BFGS compares values that differ by less than f32 can tell.
    let network = Blueprint { precision: Precision::Double, ..network };
    let mut elbo = f64::NAN;
    let config = TrainConfig {
        seed: plan.seed,
        likelihood_weight: plan.likelihood_weight,
        ..TrainConfig::lbfgs(plan.epochs)
    };
    let model = train(Model::new(&network, &table, plan.seed)?, &table, &config, |now| {
        elbo = now.elbo;
        ControlFlow::Continue(())
    })?;
    Ok((model, elbo))
}

fn ask(model: &Model, x: &[f64]) -> Result<RealPrediction, TrainError> {
    let prediction = model.predict(&column(x.iter().copied())?)?;
    prediction.real().ok_or(TrainError::Settings("the model predicts classes"))
}

fn column(x: impl Iterator<Item = f64>) -> Result<Matrix, ModelError> {
    Matrix::new(1, x.collect()).map_err(|_| DataError::Empty.into())
}

/// The table of these runs.
pub(crate) fn table(records: &[SineRecord]) -> String {
    let mut text = String::from(
        "| points | noise | hidden units | prior precision | λ | epochs | bound | RMSE | sd at data | sd away \
         | seconds |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for r in records {
        let p = &r.plan;
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.3} | {:.3} | {:.3} | {:.1} |\n",
            p.points,
            p.noise,
            p.hidden,
            p.prior_precision,
            p.likelihood_weight,
            p.epochs,
            r.elbo,
            r.rmse,
            r.sd_at_data,
            r.sd_away,
            r.seconds
        );
    }
    text
}
