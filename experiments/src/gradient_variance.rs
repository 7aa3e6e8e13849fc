//! Variances of the gradients of the bound, where one layer is sampled and where all are (Jankowiak, Table 1).
//!
//! ```text
//! 1/W Σ_w Var ∂(ELBO/N)/∂w        over samples of a fixed batch, w the means or the log standard deviations of a layer
//! ```

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use burn::tensor::{Gradients, Tensor};
use gaussform_bnn::{
    Blueprint, ChainLayer, LikelihoodKind, Matrix, Model, ModelError, Pass, Random, Schedule,
    Signal, Table, TargetScale, TrainConfig, TrainError, Weight, bound, layer::PassError, method,
};
use gaussform_uci::Dataset;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::published::variances;
use crate::record::{Build, Record, make_folder, other_run};
use crate::tensor::numbers;
use crate::training::{done, progress_bar, relu, trained};

const LAYERS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct GradientVariance {
    /// The folder that holds uci/SET/data.txt.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// The set; all of its rows train.
    #[arg(long, default_value = "protein")]
    set: String,
    /// Units of each of the two hidden layers.
    #[arg(long, default_value = "200")]
    hidden: NonZeroUsize,
    /// Rows of a batch, in training and for the gradients that are measured.
    #[arg(long, default_value = "500")]
    batch: NonZeroUsize,
    /// Number of gradients for each variance, at least 2.
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u32).range(2..))]
    samples: u32,
    /// Epochs of training before the second half of the table.
    #[arg(long, default_value = "50")]
    epochs: NonZeroUsize,
    /// The seed of first weights, batches and samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A run of `gradient-variance`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct VarianceRecord {
    build: Build,
    data: String,
    plan: GradientPlan,
    cells: Vec<Cell>,
}

impl Record for VarianceRecord {
    const EXPERIMENT: &'static str = "gradient-variance";
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct GradientPlan {
    hidden: usize,
    batch: usize,
    samples: usize,
    epochs: usize,
    learning_rate: f64,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Start,
    Late,
}

impl Stage {
    /// The name of the stage among the published figures.
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Variances of the gradients of the bound of a row, averaged over the weights of a layer: those with
/// respect to means and to logarithms of standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Cell {
    stage: Stage,
    /// Number of the layer, from 1 for the layer of the inputs.
    layer: usize,
    mean_analytic: f64,
    mean_sampled: f64,
    log_sd_analytic: f64,
    log_sd_sampled: f64,
}

/// For each layer the variances for means and for logarithms of standard deviations.
type Variances = [[f64; 2]; LAYERS];

pub(crate) fn run(options: &GradientVariance) -> Result<(), Failure> {
    let data = Dataset::load(&options.data.join("uci").join(&options.set));
    let data = data.map_err(|source| Failure::Uci { source })?;
    let table = Table::regression(data.x, &data.y).map_err(ModelError::from)?;
    let plan = GradientPlan {
        hidden: options.hidden.into(),
        batch: options.batch.into(),
        samples: options.samples as usize,
        epochs: options.epochs.into(),
        learning_rate: 1e-3,
        seed: options.seed,
    };
    let result = options.out.join("result.json");
    let mut record =
        VarianceRecord { build: Build::THIS, data: options.set.clone(), plan, cells: Vec::new() };
    match VarianceRecord::read(&result)? {
        None => {}
        Some(old) if old.data == options.set && old.plan == plan => {
            record.cells = old.cells;
        }
        Some(_) => return Err(other_run(&result)),
    }
    if !record.cells.is_empty() {
        return Ok(());
    }
    make_folder(&options.out)?;
    // Written before the first checkpoint, which is read only beside a record of the same options.
    record.write(&result)?;
    let (inputs, hidden) = (table.x.columns(), plan.hidden);
    let (normal, relu) = (LikelihoodKind::normal(1), relu()?);
    let analytic = method::cf_partly(inputs, [hidden; 2], normal, &relu);
    let sampled = method::varout(inputs, &[hidden; 2], normal, &relu);
    let bar = progress_bar(2 * (plan.epochs + 2 * plan.samples));
    let checkpoints = ["analytic", "sampled"]
        .map(|name| options.out.join(format!("checkpoint-{name}.safetensors")));
    let a = stages(&analytic, &table, &plan, &checkpoints[0], &bar)?;
    let s = stages(&sampled, &table, &plan, &checkpoints[1], &bar)?;
    bar.finish_and_clear();

    for (k, stage) in [Stage::Start, Stage::Late].into_iter().enumerate() {
        for layer in 0..LAYERS {
            let ([mean_analytic, log_sd_analytic], [mean_sampled, log_sd_sampled]) =
                (a[k][layer], s[k][layer]);
            let layer = layer + 1;
            let cell =
                Cell { stage, layer, mean_analytic, mean_sampled, log_sd_analytic, log_sd_sampled };
            record.cells.push(cell);
        }
    }
    record.write(&result)?;
    // Only now: until the record was written they were all that training had.
    checkpoints.iter().for_each(|checkpoint| done(checkpoint));
    Ok(())
}

/// The variances before training and after it; training goes on from the checkpoint, if there is one.
fn stages(
    blueprint: &Blueprint,
    table: &Table,
    plan: &GradientPlan,
    checkpoint: &Path,
    bar: &ProgressBar,
) -> Result<[Variances; 2], Failure> {
    let model = Model::new(blueprint, table, plan.seed).map_err(TrainError::from)?;
    let start = measured(&model, table, plan, bar)?;
    let config = TrainConfig {
        epochs: plan.epochs,
        batch: plan.batch,
        learning_rate: plan.learning_rate,
        schedule: Schedule::Constant,
        warm_up: 0.0,
        seed: plan.seed,
        ..TrainConfig::default()
    };
    bar.set_message("training");
    let before = bar.position();
    let (model, _) = trained(
        || Ok(model),
        table,
        config,
        checkpoint,
        |epoch| {
            bar.set_position(before + epoch as u64);
        },
    )?;
    // Training that goes on from its last epoch reports none.
    bar.set_position(before + plan.epochs as u64);
    Ok([start, measured(&model, table, plan, bar)?])
}

/// The variances of a model's gradients on a batch, which is the same for all models.
fn measured(
    model: &Model,
    table: &Table,
    plan: &GradientPlan,
    bar: &ProgressBar,
) -> Result<Variances, Failure> {
    let rows = table.x.rows();
    let mut batch = Random::new(plan.seed).permutation(rows);
    batch.truncate(plan.batch);
    let network = model.network();
    let batch = table.select(&batch).unwrap_or_else(|| table.clone());
    let x = network.tensor(&model.inputs().apply(&batch.x));
    let y = network.tensor(&standardised(model, &batch)?);
    let mut moments: Vec<[Running; 2]> = vec![<[Running; 2]>::default(); LAYERS];
    bar.set_message("gradients");
    for sample in 0..plan.samples {
        let mut pass = Pass::new(network.blueprint().weights, plan.seed, sample as u64);
        let signal = Signal::known(x.clone());
        let bound = bound(network, signal, y.clone(), rows, &mut pass).map_err(ModelError::from)?;
        let gradients = bound.elbo().div_scalar(rows as f64).backward();
        let layers = network.chain().layers().iter().filter_map(|step| match step {
            ChainLayer::Linear(layer) => Some(layer.weight()),
            _ => None,
        });
        for (weight, [mean, log_sd]) in layers.zip(&mut moments) {
            if let Weight::MeanField(weight) = weight {
                mean.add(&gradient(&weight.mean(), &gradients)?);
                log_sd.add(&gradient(&weight.log_sd(), &gradients)?);
            }
        }
        bar.inc(1);
    }
    let mut variances = Variances::default();
    for (variances, moments) in variances.iter_mut().zip(&moments) {
        *variances = [moments[0].variance(), moments[1].variance()];
    }
    Ok(variances)
}

fn standardised(model: &Model, batch: &Table) -> Result<Matrix, TrainError> {
    let no_numbers = TrainError::Settings("the targets are not real numbers");
    let (gaussform_bnn::Targets::Real(y), TargetScale::Real(units)) = (&batch.y, model.targets())
    else {
        return Err(no_numbers);
    };
    let y = y.values().iter().zip(units.iter().cycle()).map(|(y, unit)| unit.apply(*y));
    Matrix::new(1, y.collect()).map_err(|_| no_numbers)
}

fn gradient(weight: &Tensor<2>, gradients: &Gradients) -> Result<Vec<f64>, ModelError> {
    let missing = || ModelError::from(PassError::Read("no gradient".to_owned()));
    numbers(weight.grad(gradients).ok_or_else(missing)?)
}

/// Means and sums of squared deviations, updated number by number (Welford).
#[derive(Clone, Default)]
struct Running {
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Running {
    fn add(&mut self, values: &[f64]) {
        self.mean.resize(values.len(), 0.0);
        self.squares.resize(values.len(), 0.0);
        self.count += 1.0;
        for ((mean, squares), value) in self.mean.iter_mut().zip(&mut self.squares).zip(values) {
            let before = value - *mean;
            *mean += before / self.count;
            *squares += before * (value - *mean);
        }
    }

    /// The unbiased variance, averaged over the components.
    fn variance(&self) -> f64 {
        self.squares.iter().sum::<f64>() / (self.count - 1.0) / self.squares.len() as f64
    }
}

/// The table of these runs.
pub(crate) fn table(records: &[VarianceRecord]) -> String {
    let mut text = String::from(
        "| set | epochs | samples | layer | means: analytic | sampled | ratio | published \
         | log sds: analytic | sampled | ratio | published |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for r in records {
        for cell in &r.cells {
            let epochs = if cell.stage == Stage::Start { 0 } else { r.plan.epochs };
            let of = |analytic: f64, sampled: f64, published: Option<[f64; 2]>| {
                let published = published.map_or_else(|| "–".to_owned(), |[a, s]| ratio(s / a));
                format!(
                    "{analytic:.1e} | {sampled:.1e} | {} | {published}",
                    ratio(sampled / analytic)
                )
            };
            let published = variances(&cell.stage.name(), cell.layer);
            text += &format!(
                "| {} | {epochs} | {} | {} | {} | {} |\n",
                r.data,
                r.plan.samples,
                cell.layer,
                of(cell.mean_analytic, cell.mean_sampled, published.map(|p| p[0])),
                of(cell.log_sd_analytic, cell.log_sd_sampled, published.map(|p| p[1])),
            );
        }
    }
    text
}

/// A ratio with one decimal below 100, and as a power of ten above.
fn ratio(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0e}") }
}
