//! The attributes that declare activations, with their documentation.

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
/// let g = LeakyRelu::new(0.01).expect("in the domain");
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
/// # let _ = (Bent::new(0.5, 1.0).expect("in the domain"), bent(0.0, 0.5, 1.0));
/// ```
///
/// # Bodies
///
/// All arguments and the value are `f64`, or all are `f32`, or all of the one type that the function
/// is generic in. A body is made of
///
/// - `+`, `-`, `*`, and `/` by a number, or by parameters that are declared not to be 0 there;
/// - literals, each the decimal that is written: `0.01` is 1/100;
/// - `abs`, `clamp`, `copysign`, `max`, `min`, `mul_add`, `powi` with an integer that is written out,
///   `recip` and `signum`, as `x.max(y)` or as `f64::max(x, y)`;
/// - `if … else if … else …`, with comparisons by `<`, `<=`, `>`, `>=` and `(a..=b).contains(&x)`
///   joined by `&&`, `||`, `!`;
/// - `match` on a number, with ranges, names, guards and a last `_`;
/// - `f64::from` of a number or of a condition, which is 1 or 0;
/// - `let` of a number, a condition or an integer, which may hide what had the name before;
/// - blocks, parentheses, and `const` and `fn` of the body's own, in any order.
///
/// ```
/// #[gaussform::activation]
/// fn bump(x: f64) -> f64 {
///     const WIDTH: f64 = 1.5;
///     let inside = x > -WIDTH && x < WIDTH;
///     if inside { (WIDTH - x.abs()).powi(2) } else { 0.0 }
/// }
///
/// #[gaussform::activation]
/// fn bent(x: f64) -> f64 {
///     match x {
///         ..=-1.0 => -1.0,
///         -1.0..=1.0 => x,
///         x if x < 2.0 => x * x,
///         _ => 4.0,
///     }
/// }
/// # let _ = (Bump, bump(0.0), Bent, bent(0.0));
/// ```
///
/// A generic function has the constants and methods of its bounds; those of `gaussform::Float`, and
/// of other traits `T::zero()`, `T::one()` and `T::from(2)`, are understood:
///
/// ```
/// use gaussform::Float;
///
/// #[gaussform::activation]
/// fn soft_step<T: Float>(x: T) -> T {
///     let half = T::from_f64(0.5);
///     if x < -T::ONE { T::ZERO } else if x > T::ONE { T::ONE } else { half * x + half }
/// }
/// # let _ = (SoftStep, soft_step(0.0_f32));
/// ```
///
/// Everything else is an error at its place: what is not piecewise polynomial, such as `exp` and
/// a division by `x`; what the macro cannot see, such as a function or a constant from outside, for
/// which there is [`activations`](macro@activations), and a macro; loops, `mut`, `return` and `as`;
/// comparisons with `==` and arms for one number, which no expectation sees. So is a function whose
/// pieces meet at points that depend on the parameters in an order that the attribute leaves open.
/// After an error the function stays, and the type too, so that their uses give no further ones.
///
/// # Values at single points
///
/// `value` calls the function itself, so that it has the function's value on a knot, at −0 and for
/// NaN; for a function on `f32`, which would lose digits in `f64`, it evaluates the formula, which
/// takes −0 for 0 and NaN for NaN. A single point makes no difference to an expectation.
///
/// `signum` is 1 at 0, as in Rust. Where the argument of `signum`, or the second of `copysign`, is 0 on
/// an interval, Rust's result depends on the sign that the 0 got on its way; that is an error, and
/// `if y >= 0.0 { 1.0 } else { -1.0 }` says what is meant.
///
/// # The facade under another name
///
/// The generated code refers to the dependency as the manifest names it, so that
/// `gf = { package = "gaussform" }` needs nothing else. Where gaussform is no dependency of the
/// crate, but re-exported by one, `crate = path` names it:
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
pub use gaussform_macros::activation;

/// Lets the activations of a module use its functions and constants.
///
/// The functions that are marked with `#[activation]` are declared as by that
/// [attribute](macro@activation), with the same arguments. Beside what that one allows, their
/// bodies may use the constants of the module and call its functions, activations or not, in whatever
/// order they stand. Everything else in the module stays as it is.
///
/// ```
/// use gaussform::Activation;
///
/// #[gaussform::activations]
/// mod hinges {
///     /// A hinge with two slopes.
///     #[activation(0 < small < large)]
///     pub fn hinge(x: f64, small: f64, large: f64) -> f64 {
///         (small * x).max(large * x)
///     }
///
///     /// Two of them.
///     #[activation]
///     pub fn valley(x: f64) -> f64 {
///         hinge(x, THIRD, 1.0) + mirrored(x)
///     }
///
///     fn mirrored(x: f64) -> f64 {
///         hinge(-x, THIRD, 1.0)
///     }
///
///     const THIRD: f64 = 1.0 / 3.0;
/// }
///
/// assert_eq!(hinges::Valley.value(3.0), hinges::valley(3.0));
/// ```
///
/// A constant is exact: `1.0 / 3.0` is a third, whatever a float makes of it. A called function is
/// put in the place of the call; declared domains are for the type, and not asked there. A function
/// that needs its own value is an error, and so is a constant. What is wrong with a function is
/// reported in it, once; what is wrong with the values that a call gives it, at the call.
///
/// The facade's path is found as by `#[activation]`; `#[activations(crate = path)]` states it for
/// all of the module.
pub use gaussform_macros::activations;
