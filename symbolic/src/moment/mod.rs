//! The canonical form of a moment: polynomials in γ, ξ² and the parameters, times named
//! transcendental functions.

mod asymptotic;
mod form;
mod function;
mod limit;

pub use asymptotic::{LimitError, Point};
pub use form::{Form, Product};
pub use function::Function;
pub use limit::Expansion;
