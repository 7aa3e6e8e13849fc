//! The network, its likelihood and its priors as the options and the target ask for them, and what is refused because an option
//! has no meaning beside the others or beside the target.

use gaussform_bnn::method::{self, Method};
use gaussform_bnn::{
    Blueprint, Covariances, Function, LikelihoodKind, Prior, TransformChoice, TrendChoice,
};

use crate::args::{self, ClassForm, Likelihood, Noise, RELEVANCE, TargetTransform, Train, Trend};
use crate::encoding::Encoding;
use crate::failure::Failure;

/// The kind and number of the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicted {
    /// So many targets that are numbers, and whether some rows are censored.
    Numbers { targets: usize, censored: bool },
    /// One of so many classes.
    Classes(usize),
}

impl Predicted {
    pub(crate) fn of(encoding: &Encoding) -> Self {
        match &encoding.target.words {
            Some(words) => Self::Classes(words.len()),
            None => Self::Numbers {
                targets: encoding.targets().count(),
                censored: encoding.censoring.is_some(),
            },
        }
    }

    pub(crate) fn is_classes(self) -> bool {
        matches!(self, Self::Classes(_))
    }

    /// Number of outputs of a network for the means of the targets.
    pub(crate) fn outputs(self) -> usize {
        match self {
            Self::Numbers { targets, .. } => targets,
            Self::Classes(classes) => classes,
        }
    }
}

/// The layers, likelihood and priors of a method with gradients.
pub(crate) fn blueprint(
    options: &Train,
    g: &Function,
    inputs: usize,
    target: Predicted,
    hidden: &[usize],
) -> Result<Blueprint, Failure> {
    if let Method::Cf | Method::Dvi = options.method {
        numbers_only(options, target)?;
    }
    if options.method == Method::Cf && hidden.len() != 1 {
        return Err(one_layer("cf"));
    }
    let likelihood = likelihood(options, target)?;
    let blueprint = match options.method {
        Method::Vbp => method::vbp(inputs, hidden, likelihood, g),
        Method::Varout => method::varout(inputs, hidden, likelihood, g),
        Method::Bbb => method::bbb(inputs, hidden, likelihood, g),
        _ => method::nnvi(inputs, hidden, likelihood, g),
    };
    let prior = match (options.prior, options.method) {
        (Some(given), _) => Some(given),
        (None, Method::Nnvi) if options.pretrained.from.is_none() => Some(RELEVANCE),
        (None, Method::Dvi) => Some(method::DVI_PRIOR),
        // Its blueprint brings a prior of its own.
        (None, Method::Bbb) => None,
        (None, _) => {
            let precision = if target.is_classes() { 1.0 } else { 10.0 };
            Some(Prior::Normal { precision })
        }
    };
    let blueprint = match prior {
        Some(prior) => blueprint.with_every_prior(prior),
        None => blueprint,
    };
    let covariances = match options.covariances {
        args::Covariances::Independent => Covariances::Independent,
        args::Covariances::Full => Covariances::Full,
    };
    if covariances == Covariances::Full {
        let problem = match options.method {
            Method::Varout => Some("varout samples, and a sample has no covariances".to_owned()),
            _ if !g.start().is_empty() => {
                Some(format!("`{}` learns its parameters, and has no covariances", g.name()))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let help = "leave --covariances full out, or choose another method or activation";
            return Err(Failure::options(problem, help));
        }
    }
    let target_transform = match options.targets.target_transform {
        _ if target.is_classes() => TransformChoice::None,
        // Counts stay counts.
        TargetTransform::Auto if options.targets.likelihood == Likelihood::Poisson => {
            TransformChoice::None
        }
        // A network that was trained elsewhere predicts what it was trained on.
        TargetTransform::Auto if options.pretrained.from.is_some() => TransformChoice::None,
        given => given.choice(),
    };
    let trend = match (options.targets.trend, options.method) {
        (Some(given), _) => given.choice(),
        // A network that was trained elsewhere predicts all of its target.
        (None, Method::Nnvi) if options.pretrained.from.is_none() => TrendChoice::Auto,
        (None, _) => TrendChoice::None,
    };
    Ok(Blueprint { target_transform, trend, covariances, ..blueprint })
}

/// The likelihood that the options and the target ask for.
fn likelihood(options: &Train, target: Predicted) -> Result<LikelihoodKind, Failure> {
    let (given, class_form) = (&options.targets, options.classes.class_form);
    let poisson = given.likelihood == Likelihood::Poisson;
    let (targets, censored) = match target {
        Predicted::Classes(classes) => {
            let options = [
                ("--noise", given.noise.is_some()),
                ("--likelihood poisson", poisson),
                ("--censored", given.censored.is_some()),
                ("--event", given.event.is_some()),
                ("--trend auto", given.trend == Some(Trend::Auto)),
                (
                    "--target-transform",
                    !matches!(
                        given.target_transform,
                        TargetTransform::Auto | TargetTransform::None
                    ),
                ),
            ];
            if let Some((option, _)) = options.into_iter().find(|(_, given)| *given) {
                let problem =
                    format!("{option} is for a target of numbers, and this one has classes");
                return Err(Failure::options(
                    problem,
                    "leave it out; --numbers COLUMN reads classes as numbers",
                ));
            }
            let form = class_form.into();
            return Ok(LikelihoodKind::Categorical { classes, form });
        }
        Predicted::Numbers { targets, censored } => (targets, censored),
    };
    if class_form != ClassForm::Exact {
        let problem = "--class-form is for a target of classes, and this one has numbers";
        return Err(Failure::options(
            problem,
            "leave it out; --words COLUMN reads numbers as classes",
        ));
    }
    if given.trend == Some(Trend::Auto) && (poisson || censored) {
        let what = if poisson { "counts" } else { "a target that is censored" };
        let problem = format!("--trend auto is not for {what}");
        return Err(Failure::options(problem, "leave it out"));
    }
    let transform = given.target_transform;
    if poisson && !matches!(transform, TargetTransform::Auto | TargetTransform::None) {
        let problem = "--target-transform is not for counts, whose logarithm is learned already";
        return Err(Failure::options(problem, "leave it out"));
    }
    if targets > 1 && (poisson || censored) {
        let what = if poisson { "--likelihood poisson" } else { "--censored" };
        let problem = format!("{what} is for one target, and there are {targets}");
        return Err(Failure::options(problem, "predict them one by one"));
    }
    let noise = match (given.noise, options.method) {
        (Some(noise), _) => noise,
        // The weights of another network have outputs for the means alone.
        (None, Method::Dvi | Method::Nnvi)
            if !poisson && !censored && options.pretrained.from.is_none() =>
        {
            Noise::ByInput
        }
        (None, _) => Noise::Normal,
    };
    Ok(match (poisson, censored, noise) {
        (true, true, _) => {
            let problem = "--likelihood poisson does not go with --censored";
            return Err(Failure::options(problem, "leave one of them out"));
        }
        (true, false, Noise::Normal) if given.noise.is_none() => LikelihoodKind::Poisson,
        (true, false, _) => {
            let problem = "--likelihood poisson has no noise but that of counts";
            return Err(Failure::options(problem, "leave --noise out"));
        }
        (false, true, Noise::Normal) => LikelihoodKind::Censored,
        (false, true, _) => {
            let problem = "a target that is censored has normal noise";
            return Err(Failure::options(problem, "leave --noise out"));
        }
        (false, false, Noise::Normal) => LikelihoodKind::normal(targets),
        (false, false, Noise::ByInput) => LikelihoodKind::NormalPerInput { targets },
        (false, false, Noise::Student) => LikelihoodKind::StudentT { targets },
    })
}

/// Refuses options that the method has no use for: methods without gradients take fewer.
pub(crate) fn unused(options: &Train) -> Result<(), Failure> {
    let gradients = [
        ("--batch", options.batch.is_some()),
        ("--learning-rate", options.learning_rate.is_some()),
        ("--initial-sd", options.initial_sd.is_some()),
        ("--likelihood-weight", options.likelihood_weight.is_some()),
        ("--validation", options.validation.is_some()),
    ];
    if options.method.has_gradients() {
        return Ok(());
    }
    let others = [
        ("--prior", options.method == Method::Pbp && options.prior.is_some()),
        ("--prior relevance", matches!(options.prior, Some(Prior::Relevance { .. }))),
        ("--covariances full", options.covariances == args::Covariances::Full),
        ("--noise by-input", options.targets.noise == Some(Noise::ByInput)),
        ("--noise student", options.targets.noise == Some(Noise::Student)),
        ("--trend auto", options.targets.trend == Some(Trend::Auto)),
        ("--class-form", options.classes.class_form != ClassForm::Exact),
        ("--likelihood poisson", options.targets.likelihood == Likelihood::Poisson),
        ("--censored", options.targets.censored.is_some()),
        ("--event", options.targets.event.is_some()),
        ("--weight", options.targets.weight.is_some()),
        ("--checkpoint", options.interruption.checkpoint.is_some()),
        ("--resume", options.interruption.resume),
    ];
    let given = gradients.into_iter().chain(others).find(|(_, given)| *given);
    match given {
        Some((option, _)) => {
            let problem = format!("{} has no use for {option}", options.method);
            Err(Failure::options(problem, "leave it out, or choose another method"))
        }
        None => Ok(()),
    }
}

/// Refuses a target of classes, for methods that predict numbers.
pub(crate) fn numbers_only(options: &Train, target: Predicted) -> Result<(), Failure> {
    if !target.is_classes() {
        return Ok(());
    }
    let problem =
        format!("{} predicts numbers, but `{}` has classes", options.method, options.target);
    let help = "choose nnvi, vbp, varout or bbb; --numbers COLUMN reads whole numbers as such";
    Err(Failure::options(problem, help))
}

/// The error of a method that has one hidden layer.
pub(crate) fn one_layer(method: &str) -> Failure {
    let problem = format!("{method} is for one hidden layer");
    Failure::options(problem, "give --hidden one number, or choose nnvi")
}
