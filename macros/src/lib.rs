//! The attribute that turns a Rust function into an activation with exact Gaussian moments.
//!
//! It is a front end: [the function](macro@activation) becomes a declaration of the language,
//! which `gaussform-symbolic` derives from and `gaussform-codegen` prints. Use it through the
//! facade, as `gaussform::activation`.

mod attribute;
mod block;
mod body;
mod call;
mod condition;
mod declaration;
mod domain;
mod expand;
mod facade;
mod item;
mod matching;
mod module;
mod number;
mod place;
mod relation;
mod scope;
mod signature;
#[cfg(test)]
mod tests;
mod unsupported;

/// Declares an activation by a function of plain numbers.
///
/// The function stays as it is. Beside it comes a type, named after it in `PascalCase` and as
/// visible, that implements `Activation` for `f32` and `f64`: the mean, second moment and
/// variance of g(u) for a Normal u, exact up to rounding, with gradients.
///
/// ```
/// use gaussform::Activation;
///
/// #[gaussform::activation]
/// fn hard_swish(x: f64) -> f64 {
///     x * (x + 3.0).clamp(0.0, 6.0) / 6.0
/// }
///
/// let m = HardSwish.moments(0.5, 2.0);
/// assert!(m.mean > hard_swish(0.5) && m.variance > 0.0);
/// ```
///
/// # Parameters
///
/// The arguments after the first are parameters: fields of the type, and arguments of its `new`,
/// which checks their domains. A domain is declared in the attribute, and needed where the shape
/// of the function depends on it:
///
/// ```
/// use gaussform::Activation;
///
/// #[gaussform::activation(eps in (0, 1))]
/// fn leaky_relu(x: f64, eps: f64) -> f64 {
///     x.max(eps * x)
/// }
///
/// let g = LeakyRelu { eps: 0.01 };
/// assert_eq!(g.value(-2.0), leaky_relu(-2.0, 0.01));
/// assert!(LeakyRelu::new(1.5).is_err());
/// ```
///
/// A domain is `eps in (0, 1)` without its ends or `eps in [0, 1]` with them, or a comparison:
/// `alpha > 0`, `alpha <= 1`, `0 < alpha <= 1`. An end is a number, `inf` or `-inf`. Rust has no
/// tokens for a half-open `[0, 1)`; write `0 <= eps < 1`. Domains are separated by commas, and
/// parameters without one may be left out.
///
/// A comparison of parameters is a relation, which `new` checks too: `a < b`, `0 < a < b < 1`,
/// `alpha > 2 * beta`. Its sides are made of parameters and numbers by `+`, `-`, `*` and `/`.
///
/// ```
/// #[gaussform::activation(0 < small < large)]
/// fn bent(x: f64, small: f64, large: f64) -> f64 {
///     (small * x).max(large * x)
/// }
/// # let _ = (Bent { small: 0.5, large: 1.0 }, bent(0.0, 0.5, 1.0));
/// ```
///
/// # Bodies
///
/// All arguments and the value are `f64`, or all are `f32`. A body is made of
///
/// - `+`, `-`, `*`, and `/` by a number, or by parameters that are declared not to be 0 there;
/// - literals, each the decimal that is written: `0.01` is 1/100;
/// - `abs`, `clamp`, `max`, `min`, `mul_add`, `powi` with an integer that is written out, and
///   `signum`, as `x.max(y)` or as `f64::max(x, y)`; and `f64::from(2)`;
/// - `if … else if … else …`, with comparisons by `<`, `<=`, `>`, `>=` joined by `&&`, `||`, `!`;
/// - `let` and `const`, blocks and parentheses.
///
/// ```
/// #[gaussform::activation]
/// fn bump(x: f64) -> f64 {
///     const WIDTH: f64 = 1.5;
///     let inside = WIDTH - x.abs();
///     if x > -WIDTH && x < WIDTH { inside.powi(2) } else { 0.0 }
/// }
/// # let _ = (Bump, bump(0.0));
/// ```
///
/// Everything else is an error at its place: what is not piecewise polynomial, such as `exp` and
/// a division by `x`; what the macro cannot see into, such as another function, a constant from
/// outside and a macro; and loops, `mut`, `return`, `match` and `as`. So is a function whose
/// pieces meet at points that depend on the parameters in an order that the attribute leaves open.
///
/// The derivation takes `x.signum()` to be 0 at 0, where Rust has 1, or −1 for −0. A single
/// point makes no difference to an expectation.
///
/// # The facade under another name
///
/// `crate = path` names the facade where it is not `::gaussform`:
///
/// ```
/// mod numerics {
///     pub use gaussform;
/// }
///
/// #[numerics::gaussform::activation(crate = numerics::gaussform, slope > 0)]
/// fn ramp(x: f64, slope: f64) -> f64 {
///     slope * x.max(0.0)
/// }
/// # let _ = (Ramp::new(1.0), ramp(0.0, 1.0));
/// ```
#[proc_macro_attribute]
pub fn activation(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::expand(attribute.into(), item.into()).into()
}

/// Declares the activations of a module.
#[proc_macro_attribute]
pub fn activations(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    module::expand(attribute.into(), item.into()).into()
}
