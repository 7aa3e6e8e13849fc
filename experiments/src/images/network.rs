//! The networks for images: LeNet, two dense layers or a wide one, changed to what a method needs.

use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, CategoricalForm, Function, LayerSpec, LikelihoodKind, Prior, Scaling, WeightUse,
    method,
};

use super::args::{Method, Network};

/// Number of classes of either set of images.
pub(crate) const CLASSES: usize = 10;
/// Number of hidden units of [`Network::Wide`].
pub(super) const WIDE: usize = 500;
const SAMPLES: usize = 10;

/// The blueprint of a method for images of this height and width.
pub(crate) fn blueprint(
    network: Network,
    method: Method,
    [height, width]: [usize; 2],
    g: &Function,
) -> Blueprint {
    let rule = match method {
        Method::Vbp | Method::VbpExact => Rule::Linearised,
        _ => Rule::Exact,
    };
    let (blueprint, precision) = match network {
        Network::Lenet => (method::lenet([1, height, width], CLASSES, g, rule), 100.0),
        Network::Mlp => (dense(height * width, &[400, 400], g, rule), 10.0),
        Network::Wide => (dense(height * width, &[WIDE], g, rule), 10.0),
    };
    let with = |form| Blueprint {
        likelihood: LikelihoodKind::Categorical { classes: CLASSES, form },
        ..blueprint.clone()
    };
    // The form of Roth and Pernkopf and of Haußmann et al., unless the method is about the form.
    let with_delta = with(CategoricalForm::Delta);
    match method {
        Method::Exact | Method::VbpExact => with(CategoricalForm::Exact),
        // V-ReLU-Net has a network of its own.
        Method::Nnvi | Method::Vbp | Method::Vrelunet => with_delta,
        Method::NnviLaplace => {
            // A variance of 2b² = 1/precision.
            with_delta.with_every_prior(Prior::Laplace { scale: (0.5_f64 / precision).sqrt() })
        }
        Method::Varout => {
            let layers = with_delta.layers.into_iter().flat_map(|layer| {
                let weights =
                    matches!(layer, LayerSpec::Linear { .. } | LayerSpec::Convolution { .. });
                [Some(layer), weights.then_some(LayerSpec::Sample)]
            });
            Blueprint { layers: layers.flatten().collect(), ..with(CategoricalForm::Delta) }
        }
        Method::Taylor => with(CategoricalForm::Taylor2),
        Method::ControlVariate => with(CategoricalForm::ControlVariate { samples: SAMPLES }),
        Method::Sampled => with(CategoricalForm::Sampled { samples: SAMPLES }),
        Method::Bbb => {
            let prior = Prior::ScaleMixture { share: 0.5, wide: 1.0, narrow: 0.1 };
            Blueprint { weights: WeightUse::Drawn, ..with_delta.with_every_prior(prior) }
        }
    }
}

fn dense(inputs: usize, hidden: &[usize], g: &Function, rule: Rule) -> Blueprint {
    let of = if rule == Rule::Linearised { method::vbp } else { method::nnvi };
    let blueprint = of(inputs, hidden, LikelihoodKind::categorical(CLASSES), g);
    // The beginning of `method::lenet`: deep networks learn nothing from wide posteriors.
    Blueprint { scaling: Scaling::Whole, initial_sd: 0.01, gain: 2f64.sqrt(), ..blueprint }
}
