//! Models as ONNX files, for any runtime with the standard operators (version 17).
//!
//! The graph has what [`Ensemble::predict`] computes, from inputs in the units of the data to predictions in those of the
//! targets, without samples and, but for classes, without special functions: Exp, Log and Sqrt are all that it calls. Classes have
//! Erf and Sigmoid. Moments of activations are sums over the pieces of the function, right in their tails.

mod activation;
mod graph;
mod layers;
mod output;
mod proto;
mod rule;

use burn::module::Module;

use crate::blueprint::{Covariances, Precision};
use crate::data::Standardizer;
use crate::ensemble::Ensemble;
use crate::layer::PassError;
use graph::{Graph, Value};
use layers::{Flow, outputs};
use proto::Element;

/// Why a model cannot be written as ONNX.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// A layer that has no operators.
    #[error(
        "layer {number} is {kind}, which cannot be exported: linear layers, activations, noise and residual sums can"
    )]
    Layer {
        /// The number of the layer, from 0.
        number: usize,
        /// The kind of the layer.
        kind: &'static str,
    },
    /// The network predicts by samples.
    #[error(
        "the network predicts by samples, and a graph has none: train by a method without samples, such as nnvi"
    )]
    Samples,
    /// The network carries covariances.
    #[error(
        "the network carries covariances between the units of a layer, for which a graph has no operators: train with \
         independent units, without `--covariances full`"
    )]
    Covariances,
    /// A number of the network cannot be read.
    #[error(transparent)]
    Pass(#[from] PassError),
}

impl Ensemble {
    /// The model as bytes of an ONNX file.
    ///
    /// Its input `inputs` has the shape \[rows, columns\], as the matrices that [`Ensemble::predict`] takes. Of real
    /// targets the outputs are `mean` and `variance`, of shape \[rows, targets\], in the units of the data; of classes
    /// `probabilities`, of shape \[rows, classes\]. All are in double precision; between them the graph computes in that
    /// of the network.
    ///
    /// # Errors
    ///
    /// [`OnnxError`], if a layer has no operators, or the network samples or carries covariances.
    pub fn to_onnx(&self) -> Result<Vec<u8>, OnnxError> {
        // An ensemble has at least one member, so that this error is never met.
        let Some(first) = self.members().first() else { return Err(OnnxError::Samples) };
        let blueprint = first.network().blueprint();
        if blueprint.samples() {
            return Err(OnnxError::Samples);
        }
        if blueprint.covariances == Covariances::Full {
            return Err(OnnxError::Covariances);
        }
        let element = match blueprint.precision {
            Precision::Single => Element::Single,
            Precision::Double => Element::Double,
        };
        let mut graph = Graph::new(element);
        let x = graph.input("inputs", blueprint.columns());
        let doubles = standardised(&mut graph, &x, first.inputs());
        let x = graph.cast(&doubles, element);
        let mut members = Vec::new();
        for model in self.members() {
            let network = model.network().valid();
            let x = Flow { mean: x.clone(), variance: None };
            let out = outputs(&mut graph, network.chain(), x)?;
            members.push(output::Member::new(
                &mut graph,
                network.likelihood(),
                model.targets(),
                out,
                &doubles,
            )?);
        }
        output::write(&mut graph, &members, first.targets(), &doubles);
        let description = "Predictions of a Bayesian neural network, in closed form";
        Ok(graph.into_file("gaussform-bnn", description))
    }
}

/// The inputs in standardised units, in double precision: a date has more digits than f32.
fn standardised(graph: &mut Graph, x: &Value, inputs: &Standardizer) -> Value {
    let scales = inputs.scales();
    let [mean, sd]: [Vec<f64>; 2] =
        [scales.iter().map(|s| s.mean).collect(), scales.iter().map(|s| s.sd).collect()];
    let [mean, sd] = [mean, sd].map(|v| graph.doubles(&v, &[1, scales.len()]));
    let centred = graph.sub(x, &mean);
    graph.div(&centred, &sd)
}
