//! The command `train`: reads a table, trains a model or an ensemble, and writes it with its encoding.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use gaussform_bnn::method::{self, Method};
use gaussform_bnn::{
    Blueprint, EarlyStopping, Ensemble, Function, Functions, Model, Prior, Progress, Run, Table,
    TargetScale, TargetUnit, Targets, TrainConfig, resume, train,
};

use crate::args::{TargetTransform, Train};
use crate::checkpoints::{Beginning, Checkpoints};
use crate::design::{Predicted, blueprint, numbers_only, one_layer, unused};
use crate::effort::{Effort, Trial};
use crate::encoding::{Encoding, Roles, Target, Trained};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check, check_apart, check_size, deliver, note};
use crate::pretrained::Pretrained;
use crate::progress::{Epoch, progress_bar};
use crate::table::Cells;

pub(crate) fn run(options: &Train) -> Result<(), Failure> {
    let summary = options.columns.summary.as_deref();
    check_apart(&[&options.csv], &[&[options.out.as_path()], summary.as_slice()].concat())?;
    check(&options.out)?;
    if let Some(path) = &options.columns.summary {
        check(path)?;
    }
    let library = Functions::library();
    let g = activation(options, &library)?;
    let cells = Cells::read(&options.csv)?;
    let Trained { encoding, mut table, cells: used, summary } =
        Encoding::train(&cells, &Roles::of(options, &cells)?, &options.columns())?;
    if !options.quiet {
        deliver(&summary.text(), None)?;
    }
    if let Some(text) = without_variances(options, &mut table) {
        note(text);
    }
    let checkpoints =
        if options.method.has_gradients() { Some(Checkpoints::of(options)?) } else { None };
    if checkpoints.is_some() {
        // Only training by gradients can end early with a model; else an interrupt ends it all.
        interrupt::prepare();
    }
    let bar = progress_bar(options.quiet);
    let mut told = |now: Epoch| {
        bar.set_length(now.all as u64);
        bar.set_position(now.done as u64);
        bar.set_message(format!("bound {:.1}", now.bound));
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let beside = Beside { checkpoints: checkpoints.as_ref(), told: &mut told };
    let trained = trained(options, g, &table, &encoding, beside);
    bar.finish_and_clear();
    let trained = trained.map_err(|failure| encoding.located(failure, &used))?;
    let store = |source| Failure::Model { path: options.out.clone(), source };
    trained.model.save(&options.out, &encoding.notes()).map_err(store)?;
    if let Some((epoch, epochs)) = trained.interrupted {
        // The checkpoints stay, for `--resume`.
        return Err(Failure::Interrupted { epoch, epochs, out: options.out.clone() });
    }
    if let Some(checkpoints) = checkpoints {
        // Only now: until the model was written they were all that training had.
        checkpoints.remove();
    }
    if let Some(path) = &options.columns.summary {
        deliver(&summary.json(), Some(path))?;
    }
    match options.quiet {
        true => Ok(()),
        false => {
            let forms = forms_taken(options, &encoding, &trained.model);
            deliver(&(forms + if trained.is_cautious { CAUTIOUS } else { "" }), None)
        }
    }
}

/// The activation that the options name, which fit their method.
pub(crate) fn activation<'a>(
    options: &Train,
    functions: &'a Functions,
) -> Result<&'a Function, Failure> {
    unused(options)?;
    functions.get(&options.activation).ok_or_else(|| {
        let names: Vec<&str> = functions.names().collect();
        let problem = format!("there is no activation `{}`", options.activation);
        Failure::options(problem, format!("there are {}", names.join(", ")))
    })
}

/// Takes variances of inputs out of the table where the method has no use for them, and says so if there were any.
pub(crate) fn without_variances(options: &Train, table: &mut Table) -> Option<&'static str> {
    if options.method != Method::Vrelunet {
        return None;
    }
    table.x_variance.take().map(|_| {
        "vrelunet has no variances of inputs: what is missing is learned from as if it were its mean"
    })
}

/// The line on a model that has learned with caution.
const CAUTIOUS: &str = "rows that were held out are predicted better by a cautious network: the likelihood counts once, in half of the epochs \
                        (--likelihood-weight says otherwise)\n";

/// The transforms and trends that `auto` has chosen: a line for each target that has one.
fn forms_taken(options: &Train, encoding: &Encoding, model: &Ensemble) -> String {
    let TargetScale::Real(units) = model.targets() else { return String::new() };
    let asked = options.targets.target_transform != TargetTransform::Auto;
    let line = |(target, unit): (&Target, &TargetUnit)| {
        let (name, transform) = (&target.name, unit.transform.name());
        match (unit.transform.is_none() || asked, unit.trend.is_some()) {
            (true, false) => String::new(),
            (false, false) => format!(
                "`{name}` is learned by its {transform}: its rows are far closer to Normal then (--target-transform none leaves it \
                 as it is)\n"
            ),
            (true, true) => format!(
                "`{name}` has its linear part by least squares: the network learns what that leaves of it (--trend none leaves \
                 all of it to the network)\n"
            ),
            (false, true) => format!(
                "the {transform} of `{name}` has its linear part by least squares: the network learns what that leaves of it \
                 (--trend none leaves all of it to the network)\n"
            ),
        }
    };
    encoding.targets().zip(units).map(line).collect()
}

/// Result of training: the model, and the state of a run that was interrupted.
pub(crate) struct Outcome {
    pub(crate) model: Ensemble,
    /// The epochs that are done and the epochs in all, if training was interrupted.
    pub(crate) interrupted: Option<(usize, usize)>,
    /// Whether held-out rows have chosen the cautious [`Effort`].
    pub(crate) is_cautious: bool,
}

/// Checkpoints and reports of training, for methods with gradients.
pub(crate) struct Beside<'a> {
    /// Where training is kept, so that it can go on after an end before its last epoch.
    pub(crate) checkpoints: Option<&'a Checkpoints>,
    /// Hears of each epoch, and may end training.
    pub(crate) told: &'a mut dyn FnMut(Epoch) -> ControlFlow<()>,
}

/// Trains as the options say.
pub(crate) fn trained(
    options: &Train,
    g: &Function,
    table: &Table,
    encoding: &Encoding,
    beside: Beside<'_>,
) -> Result<Outcome, Failure> {
    let target = Predicted::of(encoding);
    let pretrained = Pretrained::read(options, table, target.outputs())?;
    let hidden: Vec<usize> = match &pretrained {
        Some(network) => network.hidden(),
        None => options.hidden.iter().copied().map(NonZeroUsize::get).collect(),
    };
    if options.method.has_gradients() {
        let blueprint = blueprint(options, g, table.x.columns(), target, &hidden)?;
        return gradient(options, blueprint, table, target, pretrained, &encoding.notes(), beside);
    }
    numbers_only(options, target)?;
    if let Predicted::Numbers { targets: 2.., .. } = target {
        let problem = format!("{} predicts one target, and there are several", options.method);
        return Err(Failure::options(problem, "predict them one by one, or choose nnvi"));
    }
    let member = |number| without_gradients(options, g, table, &hidden, seed(options, number));
    let members = (0..options.members.get()).map(member).collect::<Result<Vec<_>, _>>()?;
    Ok(Outcome { model: Ensemble::new(members)?, interrupted: None, is_cautious: false })
}

/// The seed of a member, its number counted from 0.
fn seed(options: &Train, number: usize) -> u64 {
    options.seed.wrapping_add(number as u64)
}

fn without_gradients(
    options: &Train,
    g: &Function,
    table: &Table,
    hidden: &[usize],
    seed: u64,
) -> Result<Model, Failure> {
    let epochs = options.epochs.map(NonZeroUsize::get);
    let target_transform = options.targets.target_transform.choice();
    if options.method == Method::Pbp {
        if !g.start().is_empty() {
            let problem = format!("pbp learns no parameters, and `{}` has some", g.name());
            return Err(Failure::options(problem, "choose another activation or method"));
        }
        let passes = epochs.unwrap_or(method::PbpConfig::default().passes);
        let config = method::PbpConfig { passes, seed, target_transform };
        return Ok(method::pbp(hidden, g, table, &config)?);
    }
    let &[hidden] = hidden else { return Err(one_layer("vrelunet")) };
    if options.activation != "relu" {
        let problem = "vrelunet is for relu";
        return Err(Failure::options(problem, "leave --activation out, or choose another method"));
    }
    let default = method::VReluNetConfig::default();
    let sweeps = epochs.unwrap_or(default.sweeps);
    let alpha = match options.prior {
        Some(Prior::Normal { precision }) => precision,
        _ => default.alpha,
    };
    let config =
        method::VReluNetConfig { hidden, sweeps, alpha, seed, target_transform, ..default };
    Ok(method::vrelunet(table, &config)?.0)
}

fn gradient(
    options: &Train,
    mut blueprint: Blueprint,
    table: &Table,
    target: Predicted,
    pretrained: Option<Pretrained>,
    notes: &BTreeMap<String, String>,
    beside: Beside<'_>,
) -> Result<Outcome, Failure> {
    let Beside { checkpoints, told } = beside;
    blueprint.initial_sd = options.initial_sd.unwrap_or(blueprint.initial_sd);
    if let Some(count) = options.pretrained.learn_last {
        blueprint = blueprint.with_last_learned(count.get());
    }
    let default = TrainConfig::suited_to(&blueprint);
    let batch = options.batch.map_or(default.batch, NonZeroUsize::get);
    if let Some(share) = options.validation {
        some_of_each(share, table.x.rows())?;
    }
    let learning_rate = options.learning_rate.unwrap_or(default.learning_rate);
    let default = TrainConfig { batch, learning_rate, seed: options.seed, ..default };
    let trial = Trial {
        options,
        blueprint: &blueprint,
        table,
        target,
        config: default.clone(),
        told: &mut *told,
    };
    let full = Effort::full(options, &blueprint, target, table.x.rows(), batch);
    let effort = trial.effort(full)?;
    let (is_cautious, Effort { likelihood_weight, epochs }) = (effort != full, effort);
    let from = pretrained.as_ref().map(Pretrained::to_string);
    let count = options.members.get();
    let classes = match &table.y {
        Targets::Classes { names, .. } => Some(names.join(", ")),
        Targets::Real(_) => None,
    };
    let beginning = Beginning { blueprint: &blueprint, classes, members: count, from };
    let mut members = Vec::new();
    let mut interrupted = None;
    for number in 0..count {
        let seed = seed(options, number);
        let config = TrainConfig {
            epochs,
            likelihood_weight,
            early_stopping: options
                .validation
                .map(|share| EarlyStopping { share, patience: (epochs / 5).max(1) }),
            checkpoint: checkpoints.map(|checkpoints| checkpoints.place(number, &beginning)),
            seed,
            ..default.clone()
        };
        let run = Run::of(&config, table);
        let finished = checkpoints.map(|c| c.finished(number, &beginning, &run)).transpose()?;
        if let Some(member) = finished.flatten() {
            members.push(member);
            continue;
        }
        let mut model = Model::new(&blueprint, table, seed)?;
        if number == 0 && checkpoints.is_some() {
            // The written files will be as large as this many models.
            let store = |source| Failure::Model { path: options.out.clone(), source };
            check_size(&options.out, count * model.to_bytes(notes).map_err(store)?.len())?;
        }
        if let Some(network) = pretrained.clone() {
            model = network.put_into(model)?;
        }
        let report = |now: &Progress<'_>| {
            let (done, all) = (number * epochs + now.epoch, epochs * count);
            let answer = told(Epoch { done, all, bound: now.elbo });
            // After the last epoch there is nothing to break off.
            if answer.is_break() && done < all {
                interrupted = Some((done, all));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let checkpoint = checkpoints.map(|c| c.to_resume(number, &beginning)).transpose()?;
        let model = match checkpoint.flatten() {
            Some(checkpoint) => resume(&checkpoint, &Functions::library(), table, &config, report),
            None => train(model, table, &config, report),
        };
        // The noise of the bound counts the variance that the weights bring, which predictions add again.
        members.push(model?.with_residual_noise(table)?);
        if interrupted.is_some() {
            break;
        }
        if let Some(checkpoints) = checkpoints
            // A run that has written no checkpoint so far is short, and keeps no members either.
            && number + 1 < count
            && checkpoints.are_written()
        {
            checkpoints.finish(number, &members[number], &beginning, &run)?;
        }
    }
    Ok(Outcome { model: Ensemble::new(members)?, interrupted, is_cautious })
}

/// Whether a fraction of the rows is some of them, and not all.
fn some_of_each(share: f64, rows: usize) -> Result<(), Failure> {
    let count = (share * rows as f64).round() as usize;
    if count > 0 && count < rows {
        return Ok(());
    }
    let problem = format!("--validation is {share}, which is {count} of the {rows} rows");
    Err(Failure::options(problem, "some rows must decide when to stop, and some must train"))
}
