//! Convolutions along one axis and two with Normal weights N(m, s²), for inputs of mean x and variance v.
//!
//! ```text
//! mean = conv(x, m) + m_b        variance = conv(x², s²) + conv(v, s² + m²) + s_b²
//! ```

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::module::{conv1d, conv2d};
use burn::tensor::ops::ConvOptions;

use super::{Earlier, divergence};
use crate::operation::MomentsError;
use crate::posterior::Weight;
use crate::prior::{Divergence, Prior};
use crate::signal::{Pass, Signal, WeightUse};

/// How a kernel moves over `S` axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape<const S: usize> {
    /// The steps, ≥ 1.
    pub stride: [usize; S],
    /// How many zeros stand on either side.
    pub padding: [usize; S],
    /// Into how many groups the channels are divided, ≥ 1.
    pub groups: usize,
}

impl<const S: usize> ConvShape<S> {
    fn options(self) -> ConvOptions<S> {
        let padding = self.padding.map(|p| (p, p));
        ConvOptions { stride: self.stride, padding, dilation: [1; S], groups: self.groups }
    }
}

macro_rules! convolution {
    ($Name:ident, $conv:ident, $S:literal, $D:literal, $axes:literal, $kernel:literal) => {
        #[doc = concat!("A convolution of \\[n, channels, ", $axes, "\\] with Normal weights.")]
        ///
        /// With convolutions in the place of the products of the linear layer, the mean is conv(x, m) and the
        /// variance conv(x², s²) + conv(v, s² + m²), for inputs of mean x and variance v and weights N(m, s²). The
        /// bias adds its mean and variance.
        #[derive(Module, Debug)]
        pub struct $Name {
            #[doc = concat!("Of shape \\[out channels, in channels / groups, ", $kernel, "\\].")]
            pub(crate) weight: Weight<$D>,
            /// Of shape \[out channels\].
            pub(crate) bias: Option<Weight<1>>,
            pub(crate) earlier: Vec<Earlier>,
            #[module(skip)]
            pub(crate) shape: ConvShape<$S>,
            #[module(skip)]
            pub(crate) prior: Prior,
        }

        impl $Name {
            /// The layer with these weights, whose covariances are not full.
            #[must_use]
            pub fn new(
                weight: Weight<$D>,
                bias: Option<Weight<1>>,
                shape: ConvShape<$S>,
                prior: Prior,
            ) -> Self {
                Self { weight, bias, earlier: Vec::new(), shape, prior }
            }

            /// The posterior of the kernel.
            #[must_use]
            pub fn weight(&self) -> &Weight<$D> {
                &self.weight
            }

            #[doc = concat!("A signal of shape \\[n, in channels, ", $axes, "\\] to one with the out channels.")]
            #[must_use]
            pub fn forward(&self, x: Signal<$D>, pass: &mut Pass) -> Signal<$D> {
                let conv = |x: Tensor<$D>, w: Tensor<$D>, b: Option<Tensor<1>>| {
                    $conv(x, w, b, self.shape.options())
                };
                if pass.weights != WeightUse::Moments {
                    let w = self.weight.numbers(pass);
                    let bias = self.bias.as_ref().map(|b| b.numbers(pass));
                    let variance = x.variance.map(|v| conv(v, w.clone().powi_scalar(2), None));
                    return Signal { mean: conv(x.mean, w, bias), variance };
                }
                let (m, s2) = (self.weight.mean(), self.weight.variance_in(pass));
                let bias = self.bias.as_ref().map(Weight::mean);
                let bias_variance = self.bias.as_ref().and_then(|b| b.variance_in(pass));
                let own = s2.map(|s2| conv(x.mean.clone().powi_scalar(2), s2, bias_variance));
                let below =
                    x.variance.map(|v| conv(v, self.weight.second_moment_in(pass), None));
                let variance = match (own, below) {
                    (Some(a), Some(b)) => Some(a + b),
                    (a, b) => a.or(b),
                };
                Signal { mean: conv(x.mean, m, bias), variance }
            }

            /// KL from the prior; none if the weights have no uncertainty.
            ///
            /// # Errors
            ///
            /// [`MomentsError`], if a moment of the prior cannot be taken.
            pub fn divergence(&self, pass: &mut Pass) -> Result<Option<Divergence>, MomentsError> {
                divergence(&self.weight, self.bias.as_ref(), self.prior, &self.earlier, pass)
            }

            /// The layer with its posterior as the prior for the next data.
            #[must_use]
            pub(crate) fn carried_over(mut self) -> Self {
                let weight = Earlier::of(&self.weight);
                let bias = self.bias.as_ref().and_then(Earlier::of);
                self.earlier = weight.into_iter().chain(bias).collect();
                self.prior = Prior::Earlier;
                self
            }
        }
    };
}

convolution!(Conv1d, conv1d, 1, 3, "length", "kernel");
convolution!(Conv2d, conv2d, 2, 4, "height, width", "kernel height, kernel width");
