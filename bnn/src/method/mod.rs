//! The methods of the papers as blueprints: each is a choice of layers, posterior, prior and likelihood.
//!
//! A method takes the number of inputs, the sizes of hidden layers, the likelihood and the activation. Its
//! [`Blueprint`] is one like any other: change a prior, a layer or a likelihood, and train it.

mod list;
mod pbp;
mod vrelunet;

pub use list::Method;
pub use pbp::{PbpConfig, pbp};
pub use vrelunet::{VReluNetConfig, vrelunet};

use crate::blueprint::{Blueprint, Covariances};
use crate::function::Function;
use crate::layer::Rule;
use crate::likelihood::{LikelihoodKind, NoiseRule};
use crate::posterior::PosteriorKind;
use crate::prior::Prior;
use crate::signal::WeightUse;

/// Jankowiak's exact bound for one hidden layer and real targets (Eq. 4 to 9): nothing is sampled and
/// nothing approximated.
#[must_use]
pub fn cf(inputs: usize, hidden: usize, targets: usize, g: &Function) -> Blueprint {
    nnvi(inputs, &[hidden], LikelihoodKind::normal(targets), g)
}

/// Jankowiak's exact bound for one hidden layer and real targets, with full covariances of the weights into each
/// hidden unit (Eq. 3) and of those into each output (Eq. 8).
#[must_use]
pub fn cf_full(inputs: usize, hidden: usize, targets: usize, g: &Function) -> Blueprint {
    let first = Blueprint::new(&[inputs], LikelihoodKind::normal(targets));
    let first = first.with_posterior(PosteriorKind::Full);
    first.linear(hidden).activation(g.clone()).linear(targets)
}

/// Jankowiak's partly analytic bound for two hidden layers (4.1): the first layer is sampled, the two
/// closest to the outputs are integrated out.
#[must_use]
pub fn cf_partly(
    inputs: usize,
    hidden: [usize; 2],
    likelihood: LikelihoodKind,
    g: &Function,
) -> Blueprint {
    let sampled = Blueprint::new(&[inputs], likelihood)
        .linear(hidden[0])
        .layer(crate::blueprint::LayerSpec::Sample);
    sampled
        .activation(g.clone())
        .linear(hidden[1])
        .activation(g.clone())
        .linear(likelihood.outputs())
}

/// Roth and Pernkopf's closed-form objective: moments are matched after each layer. λ is
/// [`TrainConfig::likelihood_weight`](crate::TrainConfig::likelihood_weight).
#[must_use]
pub fn nnvi(
    inputs: usize,
    hidden: &[usize],
    likelihood: LikelihoodKind,
    g: &Function,
) -> Blueprint {
    stack(Blueprint::new(&[inputs], likelihood), hidden, g)
}

/// Haußmann et al.'s variance backpropagation with C → ∞, and its noise by Eq. 12.
///
/// The divergence on Z (Eq. 11) is left out, as the authors do;
/// [`with_gate_divergence`](Blueprint::with_gate_divergence) puts it in.
#[must_use]
pub fn vbp(inputs: usize, hidden: &[usize], likelihood: LikelihoodKind, g: &Function) -> Blueprint {
    vbp_with(inputs, hidden, likelihood, g, Rule::Linearised)
}

/// Haußmann et al.'s variance backpropagation with gates of the finite sharpness C, which is `sharpness` > 0.
#[must_use]
pub fn vbp_gated(
    inputs: usize,
    hidden: &[usize],
    likelihood: LikelihoodKind,
    g: &Function,
    sharpness: f64,
) -> Blueprint {
    vbp_with(inputs, hidden, likelihood, g, Rule::Gated { sharpness })
}

fn vbp_with(
    inputs: usize,
    hidden: &[usize],
    likelihood: LikelihoodKind,
    g: &Function,
    rule: Rule,
) -> Blueprint {
    let likelihood = match likelihood {
        LikelihoodKind::Normal { targets, .. } => {
            LikelihoodKind::Normal { targets, noise: NoiseRule::ClosedForm }
        }
        other => other,
    };
    stack(Blueprint::new(&[inputs], likelihood).with_rule(rule), hidden, g)
}

/// The prior of [`dvi`].
pub const DVI_PRIOR: Prior = Prior::EmpiricalBayes { shape: 1.0, scale: 10.0 };

/// Wu et al.'s deterministic variational inference, mean field: noise that depends on the input, and
/// empirical Bayes for the prior of each layer.
#[must_use]
pub fn dvi(inputs: usize, hidden: &[usize], targets: usize, g: &Function) -> Blueprint {
    let likelihood = LikelihoodKind::NormalPerInput { targets };
    stack(Blueprint::new(&[inputs], likelihood).with_prior(DVI_PRIOR), hidden, g)
}

/// Wu et al.'s deterministic variational inference with full covariances: [`dvi`], its layers carrying the covariances
/// between all their units. With one hidden layer and known inputs units are independent, and both are the same.
#[must_use]
pub fn dvi_full(inputs: usize, hidden: &[usize], targets: usize, g: &Function) -> Blueprint {
    dvi(inputs, hidden, targets, g).with_covariances(Covariances::Full)
}

/// Local reparameterisation (Kingma et al. 2015), which Haußmann et al. compare with as VarOut: the
/// pre-activations of every layer are sampled.
#[must_use]
pub fn varout(
    inputs: usize,
    hidden: &[usize],
    likelihood: LikelihoodKind,
    g: &Function,
) -> Blueprint {
    let sample = crate::blueprint::LayerSpec::Sample;
    let mut blueprint = Blueprint::new(&[inputs], likelihood);
    for &units in hidden {
        blueprint = blueprint.linear(units).layer(sample.clone()).activation(g.clone());
    }
    blueprint.linear(likelihood.outputs()).layer(sample)
}

/// Bayes by backprop (Blundell et al. 2015): all weights are drawn once for each batch, and the prior
/// is a scale mixture.
#[must_use]
pub fn bbb(inputs: usize, hidden: &[usize], likelihood: LikelihoodKind, g: &Function) -> Blueprint {
    let prior = Prior::ScaleMixture { share: 0.5, wide: 1.0, narrow: 0.1 };
    let blueprint = Blueprint::new(&[inputs], likelihood).with_prior(prior);
    Blueprint { weights: WeightUse::Drawn, ..stack(blueprint, hidden, g) }
}

/// LeNet as Haußmann et al. have it: strides in the place of pools, 20 and 50 channels, 500 units. The expectation
/// over classes is exact here; the authors' form is [`CategoricalForm::Delta`](crate::CategoricalForm::Delta).
#[must_use]
pub fn lenet(image: [usize; 3], classes: usize, g: &Function, rule: Rule) -> Blueprint {
    let blueprint = Blueprint::new(&image, LikelihoodKind::categorical(classes))
        .with_prior(Prior::Normal { precision: 100.0 })
        .with_rule(rule)
        .convolution(20, &[5, 5], &[2, 2])
        .activation(g.clone())
        .convolution(50, &[5, 5], &[2, 2])
        .activation(g.clone())
        .layer(crate::blueprint::LayerSpec::Flatten)
        .linear(500)
        .activation(g.clone())
        .linear(classes);
    Blueprint {
        scaling: crate::data::Scaling::Whole,
        // The code of Haußmann et al. begins with log s² = −9.
        initial_sd: 0.011,
        gain: 2f64.sqrt(),
        ..blueprint
    }
}

fn stack(mut blueprint: Blueprint, hidden: &[usize], g: &Function) -> Blueprint {
    for &units in hidden {
        blueprint = blueprint.linear(units).activation(g.clone());
    }
    let outputs = blueprint.likelihood.outputs();
    blueprint.linear(outputs)
}
