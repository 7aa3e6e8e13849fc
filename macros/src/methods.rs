//! The methods of floats that a body may call.

/// The methods with the number of their arguments and how they are written.
pub(crate) const METHODS: [(&str, usize, &str); 9] = [
    ("abs", 0, "x.abs()"),
    ("clamp", 2, "x.clamp(a, b)"),
    ("copysign", 1, "x.copysign(y)"),
    ("max", 1, "x.max(y)"),
    ("min", 1, "x.min(y)"),
    ("mul_add", 2, "x.mul_add(a, b)"),
    ("powi", 1, "x.powi(n)"),
    ("recip", 0, "x.recip()"),
    ("signum", 0, "x.signum()"),
];
