//! The forms that a body may have, each as the function itself and as the kernel's moments.

#![deny(warnings, missing_docs, clippy::pedantic)]

use gaussform::Activation;

/// Arithmetic, literals and methods.
#[gaussform::activation]
#[must_use]
pub fn hard_swish(x: f64) -> f64 {
    x * (x + 3.0).clamp(0.0, 6.0) / 6.0
}

/// A chain of branches.
#[gaussform::activation]
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

/// Early returns.
#[gaussform::activation]
#[must_use]
pub fn capped(x: f64) -> f64 {
    if x < 0.0 {
        return 0.0;
    } else if x < 1.0 {
        return x * x;
    }
    let rest = x - 1.0;
    if rest > 2.0 {
        return 3.0;
    }
    1.0 + rest
}

/// Joined conditions.
#[gaussform::activation]
#[must_use]
pub fn window(x: f64) -> f64 {
    if (x > -1.0 && x < 1.0) || !(x <= 2.0 || x >= 3.0) { x } else { 0.0 }
}

/// Names for parts.
#[gaussform::activation]
#[must_use]
pub fn named(x: f64) -> f64 {
    const SHIFT: f64 = 0.5;
    const CUBE: i32 = 3;
    let y: f64 = x - SHIFT;
    let y = y.max(-1.0).min(x.abs());
    y.mul_add(2.0, -1e-3_f64) + { y.abs() } - y.powi(CUBE) * f64::from(2) + f64::max(x, y)
}

/// In f32.
#[gaussform::activation]
#[must_use]
pub const fn relu_single(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

// Its type is in use, the function itself is not.
#[gaussform::activation]
fn private_single(x: f32) -> f32 {
    x.abs()
}

// Neither is this, but the type computes with it.
#[gaussform::activation]
fn private_double(x: f64) -> f64 {
    x.abs()
}

macro_rules! modulus {
    ($name:ident, $kind:ty, $by:expr) => {
        /// From a macro.
        #[gaussform::activation]
        #[must_use]
        pub fn $name(x: $kind) -> $kind {
            (x - $by).abs()
        }
    };
}

modulus!(modulus, f64, 1.0 + 1.0);

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

fn main() {
    // In a function, with names that only it sees.
    #[gaussform::activation]
    fn local(x: f64) -> f64 {
        x.signum() * x
    }

    // Without variance the moments are those of a constant.
    for x in [-2.5, -0.75, 0.25, 0.9, 2.5, 4.0] {
        assert!(close(HardSwish.moments(x, 0.0).mean, hard_swish(x)));
        assert!(close(Hat.moments(x, 0.0).mean, hat(x)));
        assert!(close(Capped.moments(x, 0.0).mean, capped(x)));
        assert!(close(Window.moments(x, 0.0).mean, window(x)));
        assert!(close(Named.moments(x, 0.0).mean, named(x)));
        assert!(close(Modulus.moments(x, 0.0).mean, modulus(x)));
        assert!(close(Window.value(x), window(x)));
    }
    assert!(close(Activation::<f64>::moments(&ReluSingle, 0.0, 1.0).second, 0.5));
    assert!((Activation::<f32>::value(&ReluSingle, 2.0) - relu_single(2.0)).abs() < 1e-6);

    assert!(close(PrivateSingle.moments(0.0, 1.0).second, 1.0));
    assert!(close(PrivateDouble.moments(0.0, 1.0).second, 1.0));

    assert!(close(Local.moments(0.0, 1.0).second, 1.0) && close(local(-2.0), 2.0));
}
