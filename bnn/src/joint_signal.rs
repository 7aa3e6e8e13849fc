//! Signals between layers whose elements are jointly Normal: means, and covariances between all elements of an example.
//!
//! ```text
//! x ~ N(m, C + diag(d))
//! ```
//!
//! C is what elements share, d what each has by itself. Of known inputs the first layer's outputs have d alone, and each
//! layer adds the variance of its weights to d, so that no matrix is made of what is a diagonal.

use burn::tensor::Tensor;

use crate::signal::Signal;

/// Rows of jointly Normal numbers.
#[derive(Clone, Debug)]
pub(crate) struct JointSignal {
    /// m, of shape \[n, units\].
    pub(crate) mean: Tensor<2>,
    /// C, of shape \[n, units, units\]; none where it is 0.
    pub(crate) covariance: Option<Tensor<3>>,
    /// d, of shape \[n, units\]; none where it is 0.
    pub(crate) own: Option<Tensor<2>>,
    /// For each residual sum that is open, from the outermost: the covariances of what it began with and what there is
    /// now, of shape \[n, units there, units here\]; none where they are 0.
    pub(crate) begun: Vec<Option<Tensor<3>>>,
}

impl JointSignal {
    /// Independent elements, or known ones.
    pub(crate) fn of(x: Signal<2>) -> Self {
        Self { mean: x.mean, covariance: None, own: x.variance, begun: Vec::new() }
    }

    /// The elements taken to be independent.
    pub(crate) fn apart(&self) -> Signal<2> {
        Signal { mean: self.mean.clone(), variance: self.variance() }
    }

    /// The variances, of shape \[n, units\]; none if the elements are known.
    pub(crate) fn variance(&self) -> Option<Tensor<2>> {
        sum(self.covariance.as_ref().map(diagonal), self.own.clone())
    }

    /// C + diag(d), of shape \[n, units, units\]; none if the elements are known.
    pub(crate) fn whole(&self) -> Option<Tensor<3>> {
        sum(self.covariance.clone(), self.own.as_ref().map(on_diagonal))
    }

    /// x + f(x), with the covariances of the two.
    pub(crate) fn residual<E>(self, f: impl FnOnce(Self) -> Result<Self, E>) -> Result<Self, E> {
        let mut inner = self.clone();
        inner.begun.push(self.whole());
        let mut y = f(inner)?;
        let cross = y.begun.pop().flatten();
        let both = cross.map(|cross| cross.clone() + cross.transpose());
        Ok(Self {
            mean: self.mean + y.mean,
            covariance: sum(sum(self.covariance, y.covariance), both),
            own: sum(self.own, y.own),
            begun: self.begun.into_iter().zip(y.begun).map(|(x, y)| sum(x, y)).collect(),
        })
    }
}

/// The sum of two tensors, each of which may be 0.
pub(crate) fn sum<const D: usize>(a: Option<Tensor<D>>, b: Option<Tensor<D>>) -> Option<Tensor<D>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

/// The diagonals of matrices, of shape \[n, units\].
pub(crate) fn diagonal(of: &Tensor<3>) -> Tensor<2> {
    let [n, units, _] = of.dims();
    (of.clone() * eye(of, units)).sum_dim(2).reshape([n, units])
}

fn on_diagonal(of: &Tensor<2>) -> Tensor<3> {
    let [n, units] = of.dims();
    of.clone().reshape([n, units, 1]) * eye(of, units)
}

fn eye<const D: usize>(like: &Tensor<D>, units: usize) -> Tensor<3> {
    Tensor::<2>::eye(units, &like.device()).cast(like.dtype()).unsqueeze::<3>()
}
