//! What the errors of kernels stay below.

/// The bound on the errors of all results of a kernel, single or batched, in units in the last place.
///
/// Of the second moment and the variance relative to themselves. What crosses zero is measured
/// against the same with absolute values: the mean and its derivatives against E|g|, E|g′| and ½ E|g″|, the
/// derivatives of the variance against Var/ξ and Var/ξ². Results near the ends of the range have the
/// absolute error that underflow leaves. Parameters that differ by less than a thousandth of their size
/// where knots or slopes depend on the difference may cost more.
///
/// It is not derived line by line: the accuracy suite (`tests/accuracy`) holds every kernel of its
/// registry to it in dense sweeps.
pub const ACCURACY: f64 = 8.0;
