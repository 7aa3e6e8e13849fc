//! Training and testing on every split of every data set.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use gaussform_bnn::{
    Blueprint, Function, Model, Prior, Random, RealPrediction, Standardizer, Table, TrainConfig,
    method, train,
};
use gaussform_uci::{Dataset, Fold, Ridge, Score, Split};
use indicatif::{ProgressBar, ProgressStyle};

use crate::Relu;
use crate::arguments::Arguments;

/// Any error of the experiment.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A data set with the splits to use.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) data: Dataset,
    pub(crate) splits: Vec<Split>,
}

/// Result of one split: scores of the network and of ridge regression, and the network's predictions for the test
/// rows.
pub(crate) struct Trial {
    pub(crate) network: Score,
    pub(crate) ridge: Score,
    pub(crate) fold: Fold,
    pub(crate) prediction: RealPrediction,
}

/// A data set and its trials, in the order of its splits.
pub(crate) struct Outcome<'a> {
    pub(crate) set: &'a Set,
    pub(crate) trials: Vec<Trial>,
}

impl Set {
    /// The data set in `dir`, with as many splits as asked for.
    pub(crate) fn load(dir: &Path, arguments: &Arguments) -> Result<Self, Failure> {
        let data = Dataset::load(dir)?;
        let wanted = arguments.splits.map(NonZeroUsize::get);
        let mut splits = data.splits_or_draw(wanted.unwrap_or(20), arguments.seed);
        if let Some(wanted) = wanted {
            if splits.len() < wanted {
                let (dir, have) = (dir.display(), splits.len());
                return Err(
                    format!("{dir} has {have} splits, but --splits asks for {wanted}").into()
                );
            }
            splits.truncate(wanted);
        }
        let name = dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, data, splits })
    }
}

/// Trains on all splits, a few at a time; the result does not depend on how many.
pub(crate) fn run<'a>(sets: &'a [Set], arguments: &Arguments) -> Result<Vec<Outcome<'a>>, Failure> {
    let jobs = || sets.iter().flat_map(|set| (0..set.splits.len()).map(move |k| (set, k)));
    let count = jobs().count();
    let bar = progress_bar(count * arguments.epochs.get())?;
    let queue = Mutex::new(jobs().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut done = Vec::new();
        while let Some((job, (set, k))) = next() {
            let trial = trial(set, k, arguments, &bar);
            if trial.is_err() {
                while next().is_some() {}
            }
            done.push((job, trial?));
        }
        Ok::<_, Failure>(done)
    };

    let threads = arguments.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, |n| n.get().min(count));
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|w| w.join().unwrap_or_else(|p| resume_unwind(p)));
        joined.collect::<Result<Vec<_>, _>>()
    });
    bar.finish_and_clear();

    let mut done: Vec<_> = done?.into_iter().flatten().collect();
    done.sort_by_key(|(job, _)| *job);
    let mut trials = done.into_iter().map(|(_, trial)| trial);
    let outcome =
        |set: &'a Set| Outcome { set, trials: trials.by_ref().take(set.splits.len()).collect() };
    Ok(sets.iter().map(outcome).collect())
}

/// Trains and tests on the `k`-th split of `set`.
fn trial(set: &Set, k: usize, arguments: &Arguments, bar: &ProgressBar) -> Result<Trial, Failure> {
    let fold = Fold::new(&set.data, &set.splits[k])?;

    // A penalty on weights means the same for all of them only if the inputs have one scale.
    let scales = Standardizer::fit(&fold.x_train);
    let ridge = Ridge::fit(&scales.apply(&fold.x_train), &fold.y_train)?;
    let noise = vec![ridge.noise(); fold.y_test.len()];
    let ridge = fold.score(&ridge.predict(&scales.apply(&fold.x_test)), &noise);

    // Each split has its own stream: one unlucky start must not weigh on all of them.
    let seed = Random::stream(!arguments.seed, k as u64).bits();
    let table = Table::regression(fold.x_train.clone(), &fold.y_train)?;
    let model = Model::new(&network(table.x.columns(), arguments), &table, seed)?;
    let training = TrainConfig {
        epochs: arguments.epochs.get(),
        batch: arguments.batch.get(),
        learning_rate: arguments.learning_rate,
        seed,
        ..TrainConfig::default()
    };
    let model = train(model, &table, &training, |progress| {
        bar.inc(1);
        if progress.epoch % 100 == 0 {
            bar.set_message(format!("{}, split {k}: bound {:.1}", set.name, progress.elbo));
        }
        ControlFlow::Continue(())
    })?;
    let prediction = model.predict(&fold.x_test)?.real().ok_or("real targets are predicted")?;
    let network = fold.score(prediction.mean.values(), prediction.variance().values());
    Ok(Trial { network, ridge, fold, prediction })
}

/// Jankowiak's network: one hidden layer, nothing sampled, nothing approximated.
fn network(inputs: usize, arguments: &Arguments) -> Blueprint {
    let relu = Function::new("relu", Relu);
    method::cf(inputs, arguments.hidden.get(), 1, &relu)
        .with_every_prior(Prior::Normal { precision: arguments.prior })
}

fn progress_bar(epochs: usize) -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template("{bar:40.cyan/blue} {percent:>3}%  {eta:>4}  {msg}")?;
    Ok(ProgressBar::new(epochs as u64).with_style(style.progress_chars("━╸─")))
}
