//! The canonical form of a moment: polynomials in the means, variances, the covariance and the
//! parameters, times named transcendental functions.

mod asymptotic;
mod derivative;
mod form;
mod function;
mod limit;
mod pair;

pub(crate) use asymptotic::limiting;
pub use asymptotic::{LimitError, Point};
pub use form::{Form, Product};
pub use function::{Axis, Function};
pub use limit::Expansion;
