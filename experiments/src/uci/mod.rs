//! Regression on the UCI sets (Haußmann et al., Table 1): mean log likelihood and root mean squared error of test
//! rows, split by split.

pub(crate) mod args;
mod method;
mod record;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gaussform_bnn::{Table, TrainError};
use gaussform_uci::{Dataset, Fold, Split};

use crate::failure::Failure;
use crate::record::{Build, Record, make_folder, other_run, write_whole};
use crate::training::{done, progress_bar};
use args::Uci;
use method::{plan, trained};
pub(crate) use record::UciRecord;
use record::{Outcome, UciPlan};
pub(crate) use table::tables;

/// The sets of the benchmark, in its order.
pub(crate) const SETS: [&str; 9] =
    ["boston", "concrete", "energy", "kin8nm", "naval", "power", "protein", "wine", "yacht"];

pub(crate) fn run(options: &Uci) -> Result<(), Failure> {
    let sets: Vec<&str> = match &options.sets[..] {
        [] => SETS.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some(unknown) = sets.iter().find(|set| !SETS.contains(set)) {
        let problem = format!("there is no set `{unknown}`");
        return Err(Failure::Options { problem, help: format!("there are {}", SETS.join(", ")) });
    }
    // All data is read before anything is trained.
    let load = |set: &&str| -> Result<(UciPlan, Dataset), Failure> {
        let data = Dataset::load(&options.data.join("uci").join(set));
        let data = data.map_err(|source| Failure::Uci { source })?;
        Ok((plan(options, set, data.y.len())?, data))
    };
    let loaded = sets.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    for (set, (plan, data)) in sets.iter().zip(&loaded) {
        one(options, set, *plan, data)?;
    }
    Ok(())
}

fn one(options: &Uci, set: &str, plan: UciPlan, data: &Dataset) -> Result<(), Failure> {
    let out = options.out.join(set);
    make_folder(&out)?;
    let result = out.join("result.json");
    let mut record = UciRecord {
        build: Build::THIS,
        data: set.to_owned(),
        method: options.method,
        plan,
        splits: Vec::new(),
    };
    match UciRecord::read(&result)? {
        None => {}
        // Compared without splits: more of them may be asked for than before.
        Some(old) if (UciRecord { splits: Vec::new(), ..old.clone() }) == record => {
            record = old;
        }
        Some(_) => return Err(other_run(&result)),
    }
    // Written before the first checkpoint, which is read only beside a record of the same options.
    record.write(&result)?;
    let count = options.splits.get();
    let splits = match options.validation_seed {
        Some(seed) => (0..count).map(|k| Split::draw(data.y.len(), seed, k as u64)).collect(),
        None => data.splits_or_draw(count, options.seed),
    };
    let splits: Vec<&Split> = splits.iter().take(count).collect();
    let bar = progress_bar(splits.len() * plan.epochs);
    bar.set_position((record.splits.len() * plan.epochs) as u64);
    bar.reset_eta();
    for (k, split) in splits.into_iter().enumerate().skip(record.splits.len()) {
        bar.set_message(format!("{set}, split {k}"));
        let outcome = train_and_test(&out, data, split, k, &record, |epoch| {
            bar.set_position((k * plan.epochs + epoch) as u64);
        })?;
        // The record comes after the files of the split, so that a split in it has all of them.
        record.splits.push(outcome);
        record.write(&result)?;
        done(&checkpoint(&out, k));
    }
    bar.finish_and_clear();
    Ok(())
}

/// The path of the checkpoint of split `k`, which exists while the split is not whole.
fn checkpoint(out: &Path, k: usize) -> PathBuf {
    out.join(format!("checkpoint-{k}.safetensors"))
}

fn train_and_test(
    out: &Path,
    data: &Dataset,
    split: &Split,
    k: usize,
    record: &UciRecord,
    progress: impl FnMut(usize),
) -> Result<Outcome, Failure> {
    let (set, plan) = (&record.data, &record.plan);
    let fold = Fold::new(data, split).map_err(|e| Failure::Options {
        problem: format!("{set}, split {k}: {e}"),
        help: "compare index_train_K.txt and index_test_K.txt with data.txt".to_owned(),
    })?;
    let failed = |e: TrainError| Failure::Train { set: set.clone(), split: k, source: Box::new(e) };
    let table =
        Table::regression(fold.x_train.clone(), &fold.y_train).map_err(|e| failed(e.into()))?;
    let seed = plan.seed.wrapping_add(k as u64);
    let (model, seconds) =
        trained(record.method, plan, seed, &table, &checkpoint(out, k), progress)
            .map_err(failed)?;
    let Some(prediction) = model.predict(&fold.x_test)?.real() else {
        return Err(failed(TrainError::Settings("the model predicts classes")));
    };
    let variance = prediction.variance();
    let (mean, variance) = (prediction.mean.values(), variance.values());
    let score = fold.score(mean, variance);

    let mut lines = String::from("row,y,mean,variance\n");
    for (((row, y), mean), variance) in split.test.iter().zip(&fold.y_test).zip(mean).zip(variance)
    {
        lines += &format!("{row},{y},{mean},{variance}\n");
    }
    write_whole(&out.join(format!("predictions-{k}.csv")), &lines)?;
    let path = out.join(format!("model-{k}.safetensors"));
    let saved = model.save(&path, &BTreeMap::new());
    saved.map_err(|source| Failure::Model { path, source })?;
    let (log_likelihood, rmse) = (score.log_likelihood, score.rmse);
    Ok(Outcome { split: k, log_likelihood, rmse, epochs: plan.epochs, seconds })
}
