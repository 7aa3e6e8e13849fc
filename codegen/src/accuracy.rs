//! The bounds that the errors of kernels stay below.

/// The bound on the errors of all results of a kernel of a straight function, single or batched, in units in the last place.
///
/// Of the second moment and the variance relative to themselves. What crosses zero is measured against a scale where
/// that is larger than the value: the mean against √E\[g²\], its derivatives against √Var/ξ and √Var/ξ², those of the
/// variance against Var/ξ and Var/ξ². The mean of a function that is nowhere negative is right relative to itself. A derivative in a
/// parameter is measured against √E\[ġ²\], that of the variance against √Var √E\[ġ²\] (ġ is the derivative of g in it), with
/// what the motion of a jump adds. Results near the ends of the range have the absolute error that underflow leaves.
///
/// The bound does not depend on the number of knots. It is not derived line by line. `tests/accuracy` holds every kernel of its
/// registry to it in dense sweeps, kernels of formulas with the mean and its derivatives measured against E|g|, E|g′| and
/// ½ E|g″|; and it hunts for random functions, with numbers and with parameters, of up to 64 knots, that break it.
pub const ACCURACY: f64 = 32.0;

/// The bound for functions with a curved piece, in units in the last place: its terms may cancel by as much more.
pub const ACCURACY_CURVED: f64 = 128.0;

/// The bound for functions with a curved piece and with parameters, in units in the last place: pieces whose coefficients are computed are
/// not cut where their terms nearly cancel.
pub const ACCURACY_UNCUT: f64 = 256.0;

/// The bound for ∂Var g/∂γ and ∂Var g/∂ξ² of a straight function: in the tails they are sums of parts on both sides of γ, which
/// are larger than Var g/ξ and nearly cancel in the middle between two knots.
pub const ACCURACY_OF_SLOPE: f64 = 64.0;
