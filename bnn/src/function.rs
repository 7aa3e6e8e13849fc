//! Activations of networks: the kernels of both precisions behind one pointer, the name, and the parameters.

use std::fmt::{self, Debug};
use std::sync::Arc;

use gaussform_runtime::hessian::moments_hessian;
use gaussform_runtime::pair::{self, LayerGradient, Piecewise};
use gaussform_runtime::{Activation, DomainError, Float, MomentsGradMut, ParameterGrad};

use crate::pieces::Pieces;
#[cfg(feature = "wgpu")]
use crate::programs::{Programs, recorded};

/// A nonlinearity of a network: an activation with kernels in both precisions, and with the numbers of its pieces.
/// Every declared activation is one.
///
/// A tensor's precision is known at run time only; hence both. The pieces serve the covariances of a layer and the
/// moments on other devices than Flex. The trait is implemented for every type that qualifies, and never by hand.
pub trait Nonlinearity:
    Activation<f32> + Activation<f64> + Piecewise + Clone + Debug + Send + Sync + 'static
{
}

impl<A> Nonlinearity for A where
    A: Activation<f32> + Activation<f64> + Piecewise + Clone + Debug + Send + Sync + 'static
{
}

/// The methods of [`Activation`] that work on slices, of one precision, behind a pointer.
pub(crate) trait Slices<T> {
    fn values(&self, x: &[T], out: &mut [T]);
    fn moments(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]);
    fn gradients(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>);
    fn pull_back(&self, inputs: [&[T]; 2], cotangents: [&[T]; 2], out: [&mut [T]; 2]);
    fn parameter_gradients(&self, gamma: T, xi2: T, out: &mut [ParameterGrad<T>]);
}

impl<T: Float, A: Activation<T>> Slices<T> for A {
    fn values(&self, x: &[T], out: &mut [T]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = self.value(*x);
        }
    }

    fn moments(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        self.moments_into(gamma, xi2, mean, variance);
    }

    fn gradients(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        self.moments_grad_into(gamma, xi2, out);
    }

    fn pull_back(&self, inputs: [&[T]; 2], cotangents: [&[T]; 2], out: [&mut [T]; 2]) {
        let ([gamma, xi2], [d_mean, d_variance], [d_gamma, d_xi2]) = (inputs, cotangents, out);
        self.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2);
    }

    fn parameter_gradients(&self, gamma: T, xi2: T, out: &mut [ParameterGrad<T>]) {
        self.parameter_grad(gamma, xi2, out);
    }
}

/// A precision of the kernels.
pub(crate) trait Kernels: Float {
    /// The smallest positive normal number.
    const LEAST_NORMAL: Self;
    /// The largest number.
    const LARGEST: Self;

    /// The kernels of this precision.
    fn of(activation: &dyn Bound) -> &dyn Slices<Self>;
}

impl Kernels for f32 {
    const LEAST_NORMAL: Self = f32::MIN_POSITIVE;
    const LARGEST: Self = f32::MAX;

    fn of(activation: &dyn Bound) -> &dyn Slices<Self> {
        activation
    }
}

impl Kernels for f64 {
    const LEAST_NORMAL: Self = f64::MIN_POSITIVE;
    const LARGEST: Self = f64::MAX;

    fn of(activation: &dyn Bound) -> &dyn Slices<Self> {
        activation
    }
}

/// An activation with numbers for its parameters, in both precisions.
pub(crate) trait Bound: Slices<f32> + Slices<f64> + Debug + Send + Sync {
    fn parameters(&self) -> &'static [&'static str];

    /// The numbers of the pieces.
    fn pieces(&self) -> Pieces;

    /// The graphs for kernels of cards, if there are any.
    #[cfg(feature = "wgpu")]
    fn programs(&self) -> Option<Programs>;

    /// Covariances of the activations of a layer, given means (n) and covariances (n × n, row by row) of its
    /// pre-activations.
    fn covariances(&self, gamma: &[f64], cov: &[f64], out: &mut [f64]);

    /// The covariances again, in `out`, and the derivatives of a loss in means and covariances, given those in `out`
    /// (n × n, symmetric).
    fn covariances_back(
        &self,
        law: [&[f64]; 2],
        cotangent: &[f64],
        out: &mut [f64],
        gradient: LayerGradient<'_>,
    );

    /// ∂E\[g′(u)\]/∂γ and ∂E\[g′(u)\]/∂ξ² for u ~ N(γ, ξ²).
    fn slope_gradient(&self, gamma: f64, xi2: f64) -> [f64; 2];
}

impl<A: Nonlinearity> Bound for A {
    fn parameters(&self) -> &'static [&'static str] {
        <A as Activation<f64>>::PARAMETERS
    }

    fn pieces(&self) -> Pieces {
        self.with_pieces(Pieces::of)
    }

    #[cfg(feature = "wgpu")]
    fn programs(&self) -> Option<Programs> {
        self.with_pieces(recorded)
    }

    fn covariances(&self, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
        pair::layer(self, gamma, cov, out);
    }

    fn covariances_back(
        &self,
        [gamma, cov]: [&[f64]; 2],
        cotangent: &[f64],
        out: &mut [f64],
        gradient: LayerGradient<'_>,
    ) {
        pair::layer_vjp(self, gamma, cov, cotangent, out, gradient);
    }

    fn slope_gradient(&self, gamma: f64, xi2: f64) -> [f64; 2] {
        let second = moments_hessian(self, gamma, xi2);
        [second.d2mean_dgamma2, second.d2mean_dgamma_dxi2]
    }
}

type Make = dyn Fn(&[f64]) -> Result<Arc<dyn Bound>, DomainError> + Send + Sync;

/// A declared activation under its name, with its parameters fixed or to be learned.
///
/// ```
/// use gaussform_bnn::Function;
/// use gaussform::activations::{Prelu, Relu};
///
/// let fixed = Function::new("relu", Relu);
/// let learned = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0]))?;
/// # Ok::<(), gaussform_bnn::FunctionError>(())
/// ```
#[derive(Clone)]
pub struct Function {
    name: String,
    bound: Arc<dyn Bound>,
    learned: Option<Learned>,
    declaration: Option<Arc<str>>,
}

#[derive(Clone)]
struct Learned {
    start: Vec<f64>,
    make: Arc<Make>,
}

/// Why there is no activation with these parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// A parameter lies outside the domain that its declaration states.
    #[error("{0}; a lower learning rate, or a declaration without that bound, keeps it inside")]
    Domain(DomainError),
    /// There are not as many numbers as parameters.
    #[error("`{name}` has the parameters {names:?}, but {found} numbers are given")]
    Count {
        /// The name of the activation.
        name: String,
        /// The names of its parameters, in the order of the declaration.
        names: Vec<&'static str>,
        /// The number of values that were given.
        found: usize,
    },
}

impl PartialEq for Function {
    /// Whether both have one name and one start, and compute the same at the points of their fingerprints.
    fn eq(&self, other: &Self) -> bool {
        let bits = |f: &Self| f.fingerprint().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        self.name == other.name && self.start() == other.start() && bits(self) == bits(other)
    }
}

impl Function {
    /// A function of this name with the parameters of `activation`, which do not learn.
    #[must_use]
    pub fn new<A: Nonlinearity>(name: &str, activation: A) -> Self {
        Self {
            name: name.to_owned(),
            bound: Arc::new(activation),
            learned: None,
            declaration: None,
        }
    }

    /// An activation whose parameters train with the weights, from `start` on; `make` gives the
    /// activation for any values of them, in the order of the declaration.
    ///
    /// # Errors
    ///
    /// [`FunctionError`], if `start` lies outside the domain or has another length.
    pub fn learned<A: Nonlinearity>(
        name: &str,
        start: &[f64],
        make: impl Fn(&[f64]) -> Result<A, DomainError> + Send + Sync + 'static,
    ) -> Result<Self, FunctionError> {
        let names = <A as Activation<f64>>::PARAMETERS;
        if names.len() != start.len() {
            let (name, names, found) = (name.to_owned(), names.to_vec(), start.len());
            return Err(FunctionError::Count { name, names, found });
        }
        let make = Arc::new(move |values: &[f64]| {
            make(values).map(|activation| Arc::new(activation) as Arc<dyn Bound>)
        });
        let bound = make(start).map_err(FunctionError::Domain)?;
        let learned = Some(Learned { start: start.to_vec(), make });
        Ok(Self { name: name.to_owned(), bound, learned, declaration: None })
    }

    /// The activation with the text of its declaration, such as `relu(x) = max(0, x)`. The text goes
    /// into files of models, for their readers; nothing is computed from it.
    #[must_use]
    pub fn declared_as(self, text: &str) -> Self {
        self.with_declaration(Some(text))
    }

    pub(crate) fn with_declaration(self, text: Option<&str>) -> Self {
        Self { declaration: text.map(Into::into), ..self }
    }

    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The text of the declaration, if it was given.
    #[must_use]
    pub fn declaration(&self) -> Option<&str> {
        self.declaration.as_deref()
    }

    /// The name of the function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The initial values of the learned parameters; empty if none are learned.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        self.learned.as_ref().map_or(&[], |learned| &learned.start)
    }

    /// g(x) for the given parameters, or for the initial values of learned ones.
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        let mut out = [0.0];
        Slices::<f64>::values(&*self.bound, &[x], &mut out);
        out[0]
    }

    /// Values, means and variances of g at eight points, by which two functions of one name are told apart.
    #[must_use]
    pub fn fingerprint(&self) -> Vec<f64> {
        let gamma = [-7.3, -2.6, -1.1, -0.4, 0.3, 0.9, 2.2, 6.7];
        let xi2 = [0.7, 1.9, 0.2, 3.1, 0.05, 1.0, 0.4, 5.0];
        let mut out = [[0.0; 8]; 3];
        let [values, mean, variance] = &mut out;
        Slices::<f64>::values(&*self.bound, &gamma, values);
        Slices::<f64>::moments(&*self.bound, &gamma, &xi2, mean, variance);
        out.concat()
    }

    /// The slopes of g left and right of 0, if g(t·x) = t·g(x) for every t > 0, as the gate of VBP needs.
    pub(crate) fn slopes(&self) -> Option<[f64; 2]> {
        self.bound.pieces().slopes()
    }

    pub(crate) fn bound(&self) -> &Arc<dyn Bound> {
        &self.bound
    }

    /// The activation with `values` for its learned parameters.
    pub(crate) fn at(&self, values: &[f64]) -> Result<Arc<dyn Bound>, FunctionError> {
        match &self.learned {
            Some(learned) => (learned.make)(values).map_err(FunctionError::Domain),
            None => Ok(self.bound.clone()),
        }
    }
}

impl Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("name", &self.name).field("start", &self.start()).finish()
    }
}
