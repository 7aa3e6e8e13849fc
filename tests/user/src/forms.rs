//! The forms that a body may have.

/// Arithmetic and methods.
#[gf::activation]
#[must_use]
pub fn hard_swish(x: f64) -> f64 {
    x * (x + 3.0).clamp(0.0, 6.0) / 6.0
}

/// A chain of branches.
#[gf::activation]
#[must_use]
pub fn hat(x: f64) -> f64 {
    if x < -1.0 {
        0.0
    } else if x < 0.0 {
        1.0 + x
    } else if x < 1.0 {
        1.0 - x
    } else {
        0.0
    }
}

/// Ranges, and a name with a guard.
#[gf::activation]
#[must_use]
pub fn ranges(x: f64) -> f64 {
    match x {
        ..=-1.0 => -1.0,
        -1.0..=1.0 => x,
        y if y < 2.0 => y * y,
        _ => 4.0,
    }
}

/// A guard for each piece.
#[gf::activation]
#[must_use]
pub fn guards(x: f64) -> f64 {
    match x {
        _ if x < -0.5 => x.min(-1.0),
        _ if x <= 1.5 => x * 2.0,
        _ => 2.0 - x,
    }
}

/// Conditions that have names.
#[gf::activation]
#[must_use]
pub fn window(x: f64) -> f64 {
    const NEAR: f64 = 1.0;
    let inside = (-NEAR..=NEAR).contains(&x);
    let far = !(x <= 2.0 * NEAR || x >= 3.0);
    if inside || far { x } else { f64::from(x > 10.0) }
}

/// Names that hide others, and a function of its own.
#[gf::activation]
#[must_use]
pub fn named(x: f64) -> f64 {
    const fn shifted(y: f64) -> f64 {
        y - SHIFT
    }
    const SHIFT: f64 = 0.5;
    let x = shifted(x);
    let y = x.max(-1.0).min({
        let x = x + 1.0;
        x.abs()
    });
    y + f64::max(x, 2.0 * y) - 1e-3_f64
}

/// 1 at 0, as Rust has it.
#[gf::activation]
#[must_use]
pub const fn sign(x: f64) -> f64 {
    x.signum()
}

/// The size of one number and the sign of another.
#[gf::activation]
#[must_use]
pub const fn two_signs(x: f64) -> f64 {
    x.copysign(x - 1.0)
}

/// In single precision.
#[gf::activation]
#[must_use]
pub const fn single(x: f32) -> f32 {
    if x > 0.25 { x } else { 0.25 }
}

/// For every type of numbers.
#[gf::activation(slope in (0, 1))]
#[must_use]
pub fn leaky<T: gf::Float>(x: T, slope: T) -> T {
    if x > T::ZERO { x } else { slope * x }
}
