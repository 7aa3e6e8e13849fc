//! A variational autoencoder whose decoder is Bayesian or not (Jankowiak, Table 2): the importance-weighted log
//! likelihood of test rows for three variants.

mod estimate;
mod network;
mod table;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use gaussform_bnn::{Matrix, Model, Random, Scale, Standardizer, TargetScale};
use gaussform_uci::Dataset;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::record::{Build, Record, make_folder, other_run, write_whole};
use crate::training::progress_bar;
use estimate::log_likelihoods;
use network::{Vae, trained};
pub(crate) use table::table;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder that holds uci/SET/data.txt.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// The set, whose inputs are modelled.
    #[arg(long, default_value = "protein")]
    set: String,
    /// Number of latent numbers of an example.
    #[arg(long, default_value = "3")]
    latent: NonZeroUsize,
    /// Units of each of the two hidden layers of the encoder, and of the hidden layer of the decoder.
    #[arg(long, default_value = "500")]
    hidden: NonZeroUsize,
    /// Number of epochs; the network of the best epoch by the validation rows is tested.
    #[arg(long, default_value = "200")]
    epochs: NonZeroUsize,
    /// Number of samples K inside the logarithm of the test log likelihood.
    #[arg(long, default_value = "100")]
    inner: NonZeroUsize,
    /// Number of such logarithms that are averaged.
    #[arg(long, default_value = "10")]
    trials: NonZeroUsize,
    /// Number of runs, each with other splits and first weights.
    #[arg(long, default_value = "3")]
    seeds: NonZeroUsize,
    /// The seed of splits, first weights, batches and samples; run K has seed + K.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Variants of the autoencoder, by the weights that have a posterior and the numbers that training samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Variant {
    /// A plain decoder; z is sampled.
    V1,
    /// A Bayesian decoder; z and the weights before its hidden units are sampled.
    V2,
    /// A Bayesian decoder; z alone is sampled, the weights are integrated out.
    V3,
}

impl Variant {
    /// The name of the variant in files and among the published figures.
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

const VARIANTS: [Variant; 3] = [Variant::V1, Variant::V2, Variant::V3];

/// A run of `vae`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct VaeRecord {
    build: Build,
    data: String,
    plan: VaePlan,
    runs: Vec<Run>,
}

impl Record for VaeRecord {
    const EXPERIMENT: &'static str = "vae";
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct VaePlan {
    latent: usize,
    hidden: usize,
    epochs: usize,
    batch: usize,
    learning_rate: f64,
    inner: usize,
    trials: usize,
    seed: u64,
}

/// Results of the three variants on the rows of one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    run: usize,
    variants: Vec<Outcome>,
}

/// Mean log likelihood of a test row in nats and standardised units, and the costs of training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Outcome {
    variant: Variant,
    log_likelihood: f64,
    /// The best epoch by the validation rows, counted from 1.
    epoch: usize,
    /// Seconds of training alone.
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let data = Dataset::load(&options.data.join("uci").join(&options.set));
    let data = data.map_err(|source| Failure::Uci { source })?;
    let plan = VaePlan {
        latent: options.latent.into(),
        hidden: options.hidden.into(),
        epochs: options.epochs.into(),
        batch: 2000,
        learning_rate: 1e-3,
        inner: options.inner.into(),
        trials: options.trials.into(),
        seed: options.seed,
    };
    let (out, result) = (&options.out, options.out.join("result.json"));
    let mut record =
        VaeRecord { build: Build::THIS, data: options.set.clone(), plan, runs: Vec::new() };
    match VaeRecord::read(&result)? {
        None => {}
        Some(old) if (VaeRecord { runs: Vec::new(), ..old.clone() }) == record => {
            record = old;
        }
        Some(_) => return Err(other_run(&result)),
    }
    make_folder(out)?;
    let each = VARIANTS.len() * (plan.epochs + plan.trials);
    let bar = progress_bar(options.seeds.get() * each);
    bar.set_position((record.runs.len() * each) as u64);
    bar.reset_eta();
    for k in record.runs.len()..options.seeds.get() {
        record.runs.push(one(out, &data.x, k, &plan, &bar)?);
        record.write(&result)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// All variants on the k-th split into training, test and validation rows, 7 : 2 : 1.
fn one(
    out: &Path,
    x: &Matrix,
    k: usize,
    plan: &VaePlan,
    bar: &ProgressBar,
) -> Result<Run, Failure> {
    let seed = plan.seed.wrapping_add(k as u64);
    let order = Random::new(seed).permutation(x.rows());
    let (training, rest) = order.split_at(7 * x.rows() / 10);
    let (test, validation) = rest.split_at(2 * x.rows() / 10);
    let part = |rows: &[usize]| x.select(rows).unwrap_or_else(|| x.clone());
    let inputs = Standardizer::fit(&part(training));
    let standardised = |rows: &[usize]| inputs.apply(&part(rows));
    let rows = [training, validation].map(standardised);

    let (mut variants, mut columns) = (Vec::new(), Vec::new());
    for variant in VARIANTS {
        bar.set_message(format!("run {k}, {variant:?}"));
        let start = Instant::now();
        let (vae, epoch) = trained(variant, &rows, plan, seed, bar)?;
        let seconds = start.elapsed().as_secs_f64();
        let each = log_likelihoods(&vae, &standardised(test), plan, seed, bar)?;
        let log_likelihood = each.iter().sum::<f64>() / each.len() as f64;
        variants.push(Outcome { variant, log_likelihood, epoch, seconds });
        columns.push(each);
        save(out, vae, variant, k, &inputs)?;
    }
    let mut lines = String::from("row,v1,v2,v3\n");
    for (i, row) in test.iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| column[i].to_string()).collect();
        lines += &format!("{row},{}\n", cells.join(","));
    }
    write_whole(&out.join(format!("predictions-{k}.csv")), &lines)?;
    Ok(Run { run: k, variants })
}

/// Saves the encoder as a model of the latent means and log variances, and the decoder as a model of the data.
fn save(
    out: &Path,
    vae: Vae,
    variant: Variant,
    k: usize,
    inputs: &Standardizer,
) -> Result<(), Failure> {
    let latent = vec![Scale { mean: 0.0, sd: 1.0 }; vae.latent()];
    let data = TargetScale::real(inputs.scales().to_vec());
    let Vae { encoder, decoder } = vae;
    let encoder = Model::from_parts(encoder, inputs.clone(), TargetScale::real(latent.clone()));
    let decoder = Model::from_parts(decoder, Standardizer::new(latent), data);
    let variant = variant.name();
    for (part, model) in [("encoder", encoder), ("decoder", decoder)] {
        let path = out.join(format!("{part}-{variant}-{k}.safetensors"));
        let saved = model.save(&path, &BTreeMap::new());
        saved.map_err(|source| Failure::Model { path, source })?;
    }
    Ok(())
}
