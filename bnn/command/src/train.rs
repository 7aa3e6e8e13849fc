//! `train`.

use std::io::{IsTerminal, stderr};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use gaussform_bnn::{
    Blueprint, EarlyStopping, Function, Functions, LikelihoodKind, Model, Prior, Table,
    TrainConfig, method, train,
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Method, Train};
use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::output::check;
use crate::pretrained::Pretrained;
use crate::table::Cells;

pub(crate) fn run(options: &Train) -> Result<(), Failure> {
    check(&options.out)?;
    unused(options)?;
    let library = Functions::library();
    let g = library.get(&options.activation).ok_or_else(|| {
        let names: Vec<&str> = library.names().collect();
        let problem = format!("there is no activation `{}`", options.activation);
        Failure::options(problem, format!("there are {}", names.join(", ")))
    })?;
    let cells = Cells::read(&options.csv)?;
    let encoding = Encoding::of(&cells, &options.target, &options.words, &options.ignore)?;
    let table = encoding.table(&cells)?;
    let classes = encoding.target.words.as_ref().map(Vec::len);
    let model = trained(options, g, &table, classes)?;
    let (path, notes) = (options.out.clone(), encoding.notes());
    model.save(&options.out, &notes).map_err(|source| Failure::Model { path, source })
}

fn trained(
    options: &Train,
    g: &Function,
    table: &Table,
    classes: Option<usize>,
) -> Result<Model, Failure> {
    let pretrained = Pretrained::read(options, table, classes)?;
    let hidden: Vec<usize> = match &pretrained {
        Some(network) => network.hidden(),
        None => options.hidden.iter().copied().map(NonZeroUsize::get).collect(),
    };
    let (Method::Pbp | Method::Vrelunet) = options.method else {
        return gradient(options, g, table, classes, &hidden, pretrained);
    };
    numbers_only(options, classes)?;
    let epochs = options.epochs.map(NonZeroUsize::get);
    let seed = options.seed;
    if options.method == Method::Pbp {
        let passes = epochs.unwrap_or(method::PbpConfig::default().passes);
        let config = method::PbpConfig { passes, seed };
        return Ok(method::pbp(&hidden, g, table, &config)?);
    }
    let &[hidden] = &hidden[..] else { return Err(one_layer("vrelunet")) };
    if options.activation != "relu" {
        let problem = "vrelunet is for relu";
        return Err(Failure::options(problem, "leave --activation out, or choose another method"));
    }
    let default = method::VReluNetConfig::default();
    let sweeps = epochs.unwrap_or(default.sweeps);
    let alpha = options.prior.unwrap_or(default.alpha);
    let config = method::VReluNetConfig { hidden, sweeps, alpha, seed, ..default };
    Ok(method::vrelunet(table, &config)?.0)
}

fn gradient(
    options: &Train,
    g: &Function,
    table: &Table,
    classes: Option<usize>,
    hidden: &[usize],
    pretrained: Option<Pretrained>,
) -> Result<Model, Failure> {
    let mut blueprint = blueprint(options, g, table.x.columns(), classes, hidden)?;
    blueprint.initial_sd = options.initial_sd.unwrap_or(blueprint.initial_sd);
    if let Some(count) = options.pretrained.learn_last {
        blueprint = blueprint.with_last_learned(count.get());
    }
    let epochs = options.epochs.map_or(1000, NonZeroUsize::get);
    if let Some(share) = options.validation {
        some_of_each(share, table.x.rows())?;
    }
    let default = TrainConfig::suited_to(&blueprint);
    let config = TrainConfig {
        epochs,
        batch: options.batch.map_or(default.batch, NonZeroUsize::get),
        learning_rate: options.learning_rate.unwrap_or(default.learning_rate),
        likelihood_weight: options.likelihood_weight.unwrap_or(default.likelihood_weight),
        early_stopping: options
            .validation
            .map(|share| EarlyStopping { share, patience: (epochs / 5).max(1) }),
        seed: options.seed,
        ..default
    };
    let mut model = Model::new(&blueprint, table, options.seed)?;
    if let Some(network) = pretrained {
        model = network.put_into(model)?;
    }
    let bar = progress_bar(epochs, options.quiet);
    let model = train(model, table, &config, |now| {
        bar.set_position(now.epoch as u64);
        bar.set_message(format!("bound {:.1}", now.elbo));
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    // The noise of the bound counts the doubt of the weights, which predictions add.
    Ok(model?.with_residual_noise(table)?)
}

fn blueprint(
    options: &Train,
    g: &Function,
    inputs: usize,
    classes: Option<usize>,
    hidden: &[usize],
) -> Result<Blueprint, Failure> {
    let form = options.classes.class_form.into();
    let likelihood = classes
        .map_or(LikelihoodKind::normal(1), |classes| LikelihoodKind::Categorical { classes, form });
    let blueprint = match options.method {
        Method::Cf => {
            numbers_only(options, classes)?;
            let &[hidden] = hidden else { return Err(one_layer("cf")) };
            method::cf(inputs, hidden, 1, g)
        }
        Method::Dvi => {
            numbers_only(options, classes)?;
            method::dvi(inputs, hidden, 1, g)
        }
        Method::Vbp => method::vbp(inputs, hidden, likelihood, g),
        Method::Varout => method::varout(inputs, hidden, likelihood, g),
        Method::Bbb => method::bbb(inputs, hidden, likelihood, g),
        _ => method::nnvi(inputs, hidden, likelihood, g),
    };
    Ok(match (options.prior, options.method) {
        (Some(precision), _) => blueprint.with_every_prior(Prior::Normal { precision }),
        (None, Method::Dvi | Method::Bbb) => blueprint,
        (None, _) => {
            let precision = if classes.is_some() { 1.0 } else { 10.0 };
            blueprint.with_every_prior(Prior::Normal { precision })
        }
    })
}

/// The methods without gradients take fewer options.
fn unused(options: &Train) -> Result<(), Failure> {
    let gradients = [
        ("--batch", options.batch.is_some()),
        ("--learning-rate", options.learning_rate.is_some()),
        ("--initial-sd", options.initial_sd.is_some()),
        ("--likelihood-weight", options.likelihood_weight.is_some()),
        ("--validation", options.validation.is_some()),
    ];
    let method = match options.method {
        Method::Pbp => "pbp",
        Method::Vrelunet => "vrelunet",
        _ => return Ok(()),
    };
    let prior = options.method == Method::Pbp && options.prior.is_some();
    let given = gradients.into_iter().chain([("--prior", prior)]).find(|(_, given)| *given);
    match given {
        Some((option, _)) => {
            let problem = format!("{method} has no use for {option}");
            Err(Failure::options(problem, "leave it out, or choose another method"))
        }
        None => Ok(()),
    }
}

/// Whether a share of the rows is some of them, and not all.
fn some_of_each(share: f64, rows: usize) -> Result<(), Failure> {
    let count = (share * rows as f64).round() as usize;
    if count > 0 && count < rows {
        return Ok(());
    }
    let problem = format!("--validation is {share}, which is {count} of the {rows} rows");
    Err(Failure::options(problem, "some rows must decide when to stop, and some must train"))
}

fn numbers_only(options: &Train, classes: Option<usize>) -> Result<(), Failure> {
    match classes {
        None => Ok(()),
        Some(_) => {
            let method = format!("{:?}", options.method).to_lowercase();
            let problem = format!("{method} predicts numbers, but `{}` has words", options.target);
            Err(Failure::options(problem, "choose nnvi, vbp, varout or bbb"))
        }
    }
}

fn one_layer(method: &str) -> Failure {
    let problem = format!("{method} is for one hidden layer");
    Failure::options(problem, "give --hidden one number, or choose nnvi")
}

fn progress_bar(epochs: usize, quiet: bool) -> ProgressBar {
    if quiet || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40.cyan/blue} {percent:>3}%  {eta:>4}  {msg}");
    let bar = ProgressBar::new(epochs as u64);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("━╸─")),
        Err(_) => bar,
    }
}
