//! A chain of layers, each of which maps a signal of means and variances to the next.
//!
//! ```text
//! (m, v) → layer 1 → (m₁, v₁) → … → layer n → outputs        divergence: the sum over all layers with weights
//! ```

mod joint;

use burn::module::Module;

use crate::blueprint::{BlueprintError, LayerSpec};
use crate::layer::{
    Activation, Conv1d, Conv2d, ConvShape, GateDivergence, Linear, LinearOutput, MaxPool, MeanPool,
    Noise, PassError, Rule, Sample,
};
use crate::posterior::{Independent, PosteriorKind, Start, Weight};
use crate::prior::{Divergence, Prior};
use crate::signal::{Pass, Signal};

/// A layer of a [`Chain`].
#[derive(Module, Debug)]
pub enum ChainLayer {
    /// y = xW + b.
    Linear(Linear),
    /// A convolution along one axis.
    Conv1d(Conv1d),
    /// A convolution along two axes.
    Conv2d(Conv2d),
    /// g(x), element by element.
    Activation(Activation),
    /// The divergence of the gates of the next layer.
    GateDivergence(GateDivergence),
    /// A sample of the signal, known from there on.
    Sample(Sample),
    /// Independent Normal noise.
    Noise(Noise),
    /// The largest element of each window.
    MaxPool(MaxPool),
    /// The mean of each window.
    MeanPool(MeanPool),
    /// The axes of an example joined into one.
    Flatten(Flatten),
    /// x + f(x).
    Residual(Chain),
}

/// Joins all axes of an example into one. In a chain signals are rows already, so that nothing changes but the shape.
#[derive(Module, Debug, Default)]
pub struct Flatten;

/// Layers one after the other. The signals between them are rows of shape \[n, numbers of an example\]. A convolution
/// or a pool gets its rows in the shape of images.
#[derive(Module, Debug)]
pub struct Chain {
    pub(crate) layers: Vec<ChainLayer>,
    /// The shape of an example before each layer.
    #[module(skip)]
    shapes: Vec<Vec<usize>>,
}

/// The initial numbers of a chain: the random generator, the first standard deviation and the gain.
pub(crate) struct Initial<'a> {
    pub(crate) start: Start<'a>,
    pub(crate) sd: f64,
    pub(crate) gain: f64,
}

impl Chain {
    /// The layers of `specs` for examples of the shape `input`, and the shape that they give.
    pub(crate) fn new(
        specs: &[LayerSpec],
        input: &[usize],
        place: &str,
        initial: &mut Initial<'_>,
    ) -> Result<(Self, Vec<usize>), BlueprintError> {
        let mut shape = input.to_vec();
        let (mut layers, mut shapes) = (Vec::new(), Vec::new());
        for (i, spec) in specs.iter().enumerate() {
            let place = format!("{place}layer {i}");
            let gates = matches!(spec, LayerSpec::GateDivergence { .. });
            if gates && !specs.get(i + 1).is_some_and(LayerSpec::is_gate) {
                return Err(BlueprintError::Parts {
                    place,
                    problem: "the divergence of gates that no layer has".to_owned(),
                    help: "put it right before an activation with one slope on either side of 0",
                });
            }
            let (layer, next) = step(spec, &shape, &place, initial)?;
            layers.push(layer);
            shapes.push(std::mem::replace(&mut shape, next));
        }
        Ok((Self { layers, shapes }, shape))
    }

    /// The layers.
    #[must_use]
    pub fn layers(&self) -> &[ChainLayer] {
        &self.layers
    }

    /// The signal after all layers, of shape \[n, outputs\], for a signal of shape \[n, numbers of an example\].
    ///
    /// # Errors
    ///
    /// [`PassError`], if an activation fails.
    pub fn forward(&self, x: Signal<2>, pass: &mut Pass) -> Result<Signal<2>, PassError> {
        self.forward_to(self.layers.len(), x, pass)
    }

    /// The signal of [`forward`](Self::forward) with its variance split into the part of the layers below and the
    /// part of the last layer's weights, if the last layer is linear. The covariances of the outputs come with it, if
    /// `covariance`.
    ///
    /// # Errors
    ///
    /// [`PassError`], if an activation fails.
    pub fn output(
        &self,
        x: Signal<2>,
        covariance: bool,
        pass: &mut Pass,
    ) -> Result<LinearOutput, PassError> {
        if let Some((ChainLayer::Linear(last), before)) = self.layers.split_last() {
            let x = self.forward_to(before.len(), x, pass)?;
            return Ok(last.output(x, covariance, pass));
        }
        let Signal { mean, variance } = self.forward(x, pass)?;
        Ok(LinearOutput { mean, below: variance, own: None, covariance: None })
    }

    /// The signal after the first `count` layers, such as the features that hidden layers make; after all of
    /// them if there are no more.
    ///
    /// # Errors
    ///
    /// [`PassError`], if an activation fails.
    pub fn forward_to(
        &self,
        count: usize,
        mut x: Signal<2>,
        pass: &mut Pass,
    ) -> Result<Signal<2>, PassError> {
        for (layer, shape) in self.layers.iter().zip(&self.shapes).take(count) {
            x = layer.forward(x, shape, pass)?;
        }
        Ok(x)
    }

    /// KL of the posterior of all weights from their priors, in nats; none if no weight has uncertainty.
    ///
    /// # Errors
    ///
    /// [`PassError`], if a moment of a prior cannot be taken.
    pub fn divergence(&self, pass: &mut Pass) -> Result<Option<Divergence>, PassError> {
        let mut total: Option<Divergence> = None;
        for layer in &self.layers {
            let term = match layer {
                ChainLayer::Linear(layer) => layer.divergence(pass)?,
                ChainLayer::Conv1d(layer) => layer.divergence(pass)?,
                ChainLayer::Conv2d(layer) => layer.divergence(pass)?,
                ChainLayer::Residual(chain) => chain.divergence(pass)?,
                _ => None,
            };
            total = match (total, term) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            };
        }
        Ok(total)
    }

    /// The independent weights of all layers.
    pub(crate) fn independent_weights(&self) -> Vec<Independent> {
        let both = |weight: Option<Independent>, bias: Option<&Weight<1>>| -> Vec<Independent> {
            weight.into_iter().chain(bias.and_then(Weight::independent)).collect()
        };
        let of = |layer: &ChainLayer| match layer {
            ChainLayer::Linear(layer) => both(layer.weight.independent(), layer.bias.as_ref()),
            ChainLayer::Conv1d(layer) => both(layer.weight.independent(), layer.bias.as_ref()),
            ChainLayer::Conv2d(layer) => both(layer.weight.independent(), layer.bias.as_ref()),
            ChainLayer::Residual(chain) => chain.independent_weights(),
            _ => Vec::new(),
        };
        self.layers.iter().flat_map(of).collect()
    }

    /// How many numbers of an example stand before layers, within residual sums too.
    pub(crate) fn numbers(&self) -> usize {
        let of = |layer: &ChainLayer| match layer {
            ChainLayer::Residual(chain) => chain.numbers(),
            _ => 0,
        };
        let before: usize = self.shapes.iter().map(|shape| shape.iter().product::<usize>()).sum();
        before + self.layers.iter().map(of).sum::<usize>()
    }

    /// The largest number of numbers that an example has before or within a layer.
    pub(crate) fn widest(&self) -> usize {
        let of = |(layer, shape): (&ChainLayer, &Vec<usize>)| match layer {
            ChainLayer::Residual(chain) => chain.widest(),
            _ => shape.iter().product(),
        };
        self.layers.iter().zip(&self.shapes).map(of).max().unwrap_or(0)
    }

    /// The layers with these numbers added to the outputs, in the bias of the last linear layer. What comes after it samples,
    /// if it is something. Without a linear layer that has a bias the layers stay.
    pub(crate) fn with_outputs_shifted(mut self, by: &[f64]) -> Self {
        let last = self.layers.iter().rposition(|layer| !matches!(layer, ChainLayer::Sample(_)));
        let layers = self.layers.into_iter().enumerate().map(|(i, layer)| match layer {
            ChainLayer::Linear(layer) if Some(i) == last => {
                ChainLayer::Linear(layer.with_bias_shifted(by))
            }
            other => other,
        });
        self.layers = layers.collect();
        self
    }

    /// The layers with their posteriors as the priors for the next data.
    #[must_use]
    pub(crate) fn carried_over(self) -> Self {
        let layers = self.layers.into_iter().map(|layer| match layer {
            ChainLayer::Linear(layer) => ChainLayer::Linear(layer.carried_over()),
            ChainLayer::Conv1d(layer) => ChainLayer::Conv1d(layer.carried_over()),
            ChainLayer::Conv2d(layer) => ChainLayer::Conv2d(layer.carried_over()),
            ChainLayer::Residual(chain) => ChainLayer::Residual(chain.carried_over()),
            other => other,
        });
        Self { layers: layers.collect(), shapes: self.shapes }
    }
}

impl ChainLayer {
    fn forward(
        &self,
        x: Signal<2>,
        shape: &[usize],
        pass: &mut Pass,
    ) -> Result<Signal<2>, PassError> {
        let n = x.mean.dims()[0];
        let rows = |x: Signal<4>| x.map(|t| t.flatten::<2>(1, 3));
        Ok(match self {
            Self::Linear(layer) => layer.forward(x, pass),
            Self::Conv1d(layer) => {
                let [channels, length] = axes(shape);
                let y = layer.forward(x.reshape([n, channels, length]), pass);
                y.map(|t| t.flatten::<2>(1, 2))
            }
            Self::Conv2d(layer) => rows(layer.forward(as_image(x, shape), pass)),
            Self::Activation(layer) => layer.forward(x)?,
            Self::GateDivergence(layer) => layer.forward(x, pass)?,
            Self::Sample(layer) => layer.forward(x, pass),
            Self::Noise(layer) => layer.forward(x),
            Self::MaxPool(layer) => rows(layer.forward(as_image(x, shape))?),
            Self::MeanPool(layer) => rows(layer.forward(as_image(x, shape))),
            Self::Flatten(_) => x,
            Self::Residual(chain) => x.clone().plus(chain.forward(x, pass)?),
        })
    }
}

fn axes<const N: usize>(shape: &[usize]) -> [usize; N] {
    std::array::from_fn(|i| shape.get(i).copied().unwrap_or(1))
}

/// Rows as images of shape \[n, channels, height, width\]. A row with one axis is an image of height 1.
fn as_image(x: Signal<2>, shape: &[usize]) -> Signal<4> {
    let n = x.mean.dims()[0];
    let [channels, height, width] = match *shape {
        [channels, length] => [channels, 1, length],
        _ => axes(shape),
    };
    x.reshape([n, channels, height, width])
}

fn step(
    spec: &LayerSpec,
    shape: &[usize],
    place: &str,
    initial: &mut Initial<'_>,
) -> Result<(ChainLayer, Vec<usize>), BlueprintError> {
    let place = place.to_owned();
    let refuse = |needs: &str, help| BlueprintError::Shape {
        place: place.clone(),
        needs: needs.to_owned(),
        found: shape.to_vec(),
        help,
    };
    let parts =
        |problem: String, help| BlueprintError::Parts { place: place.clone(), problem, help };
    let positive = |field, value: f64| {
        if value > 0.0 && value.is_finite() {
            Ok(())
        } else {
            Err(BlueprintError::Field { place: place.clone(), field, value })
        }
    };
    let prior_fits = |prior: Prior, posterior: PosteriorKind| match prior.problem() {
        // Such weights have no divergence, so that nothing reads their prior.
        _ if matches!(posterior, PosteriorKind::Point | PosteriorKind::Fixed) => Ok(()),
        Some((field, value)) => Err(BlueprintError::Field { place: place.clone(), field, value }),
        None => Ok(()),
    };
    Ok(match spec {
        LayerSpec::Linear { outputs, bias, posterior, prior } => {
            let &[inputs] = shape else {
                return Err(refuse("rows of numbers", "put `Flatten` before it"));
            };
            positive("outputs", *outputs as f64)?;
            prior_fits(*prior, *posterior)?;
            // With inputs of variance 1 the outputs begin with a variance of about gain².
            let spread = initial.gain / (inputs as f64).sqrt();
            let (weight, bias) = if *posterior == PosteriorKind::Full {
                let rows = inputs + usize::from(*bias);
                let sizes = [rows, *outputs];
                (initial.start.full(sizes, *bias, spread, initial.sd), None)
            } else {
                let start = &mut initial.start;
                let weight = start.weight(*posterior, [inputs, *outputs], spread, initial.sd);
                (weight, bias.then(|| start.weight(*posterior, [*outputs], 0.0, initial.sd)))
            };
            let mut layer = Linear::new(weight, bias, *prior);
            layer.joint_bias = *posterior == PosteriorKind::Full && layer_has_bias(spec);
            (ChainLayer::Linear(layer), vec![*outputs])
        }
        LayerSpec::Convolution {
            channels,
            kernel,
            stride,
            padding,
            groups,
            bias,
            posterior,
            prior,
        } => {
            let axes_of = kernel.len();
            if shape.len() != axes_of + 1 || !(1..=2).contains(&axes_of) {
                return Err(refuse(
                    "channels and as many axes as its kernel has, one or two",
                    "give the blueprint the shape of an example",
                ));
            }
            if stride.len() != axes_of || padding.len() != axes_of {
                return Err(parts(
                    format!("kernel {kernel:?}, stride {stride:?} and padding {padding:?}"),
                    "all three have a number for each axis",
                ));
            }
            if *posterior == PosteriorKind::Full {
                return Err(parts(
                    "a convolution with full covariances".to_owned(),
                    "full covariances are for linear layers; use `PosteriorKind::MeanField`",
                ));
            }
            prior_fits(*prior, *posterior)?;
            for (field, value) in [("channels", *channels), ("groups", *groups)] {
                positive(field, value as f64)?;
            }
            if !shape[0].is_multiple_of(*groups) || !channels.is_multiple_of(*groups) {
                return Err(refuse(
                    &format!("channels that {groups} groups divide"),
                    "choose `groups` so that it divides the channels on both sides",
                ));
            }
            let mut next = vec![*channels];
            for i in 0..axes_of {
                let size = shape[i + 1] + 2 * padding[i];
                if kernel[i] == 0 || stride[i] == 0 || kernel[i] > size {
                    return Err(refuse(
                        &format!("axes of at least {kernel:?} with its padding"),
                        "the kernel and its steps are at least 1 and fit the image",
                    ));
                }
                next.push((size - kernel[i]) / stride[i] + 1);
            }
            // An output sees the channels of its own group alone.
            let inputs = shape[0] / groups;
            let fan_in = (inputs * kernel.iter().product::<usize>()) as f64;
            let spread = initial.gain / fan_in.sqrt();
            let (start, sd) = (&mut initial.start, initial.sd);
            let layer = match (&kernel[..], &stride[..], &padding[..]) {
                (&[k], &[s], &[p]) => {
                    let weight = start.weight(*posterior, [*channels, inputs, k], spread, sd);
                    let bias = bias.then(|| start.weight(*posterior, [*channels], 0.0, sd));
                    let shape = ConvShape { stride: [s], padding: [p], groups: *groups };
                    ChainLayer::Conv1d(Conv1d::new(weight, bias, shape, *prior))
                }
                (&[k, l], &[s, t], &[p, q]) => {
                    let weight = start.weight(*posterior, [*channels, inputs, k, l], spread, sd);
                    let bias = bias.then(|| start.weight(*posterior, [*channels], 0.0, sd));
                    let shape = ConvShape { stride: [s, t], padding: [p, q], groups: *groups };
                    ChainLayer::Conv2d(Conv2d::new(weight, bias, shape, *prior))
                }
                _ => return Err(refuse("one or two axes", "give the blueprint such a shape")),
            };
            (layer, next)
        }
        LayerSpec::Activation { function, rule } => {
            if let Rule::Gated { sharpness } = rule {
                positive("sharpness", *sharpness)?;
                if function.slopes().is_none() || !function.start().is_empty() {
                    return Err(parts(
                        format!("the gate of VBP with `{}`", function.name()),
                        "it is for functions with one slope on either side of 0, without learned \
                         parameters; `Rule::Linearised` takes any",
                    ));
                }
            }
            let place = (initial.start.device, initial.start.dtype);
            let layer = Activation::new(function.clone(), *rule, place);
            (ChainLayer::Activation(layer), shape.to_vec())
        }
        LayerSpec::GateDivergence { sharpness } => {
            positive("sharpness", *sharpness)?;
            (ChainLayer::GateDivergence(GateDivergence::new(*sharpness)), shape.to_vec())
        }
        LayerSpec::Sample => (ChainLayer::Sample(Sample), shape.to_vec()),
        LayerSpec::Noise { variance } => {
            positive("variance", *variance)?;
            (ChainLayer::Noise(Noise::new(*variance)), shape.to_vec())
        }
        LayerSpec::MaxPool { size, stride, rule } => {
            let (size, stride, next) = pool(size, stride, shape).ok_or_else(|| {
                refuse("channels and axes that its window fits", "choose a smaller window")
            })?;
            (ChainLayer::MaxPool(MaxPool::new(size, stride, *rule)), next)
        }
        LayerSpec::MeanPool { size, stride } => {
            let (size, stride, next) = pool(size, stride, shape).ok_or_else(|| {
                refuse("channels and axes that its window fits", "choose a smaller window")
            })?;
            (ChainLayer::MeanPool(MeanPool::new(size, stride)), next)
        }
        LayerSpec::Flatten => (ChainLayer::Flatten(Flatten), vec![shape.iter().product()]),
        LayerSpec::Residual { layers } => {
            let (chain, next) = Chain::new(layers, shape, &format!("{place}, "), initial)?;
            if next != shape {
                return Err(BlueprintError::Shape {
                    place,
                    needs: format!("layers that give {shape:?} back"),
                    found: next,
                    help: "the sum needs both in one shape",
                });
            }
            (ChainLayer::Residual(chain), next)
        }
    })
}

fn layer_has_bias(spec: &LayerSpec) -> bool {
    matches!(spec, LayerSpec::Linear { bias: true, .. })
}

type Pool = ([usize; 2], [usize; 2], Vec<usize>);

fn pool(size: &[usize], stride: &[usize], shape: &[usize]) -> Option<Pool> {
    if size.len() != stride.len() || shape.len() != size.len() + 1 {
        return None;
    }
    let mut next = vec![shape[0]];
    for ((&k, &s), &length) in size.iter().zip(stride).zip(&shape[1..]) {
        if k == 0 || s == 0 || k > length {
            return None;
        }
        next.push((length - k) / s + 1);
    }
    match (size, stride) {
        (&[k], &[s]) => Some(([1, k], [1, s], next)),
        (&[k, l], &[s, t]) => Some(([k, l], [s, t], next)),
        _ => None,
    }
}
