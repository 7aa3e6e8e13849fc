//! Activations that share constants and functions.

#[gf::activations]
mod shared {
    use core::fmt;

    /// Uses what is declared below.
    #[gf::activation]
    #[must_use]
    pub fn soft(x: f64) -> f64 {
        ramp(x, SLOPE) - ramp(x - STEPS, SLOPE)
    }

    /// Has a parameter, and is called by others.
    #[gf::activation(slope in (0, 1))]
    #[must_use]
    pub fn ramp(x: f64, slope: f64) -> f64 {
        x.max(slope * x)
    }

    /// Calls what is no activation.
    #[activation]
    #[must_use]
    pub const fn blend(x: f64) -> f64 {
        mix(clipped(x), x, THIRD)
    }

    const fn clipped(x: f64) -> f64 {
        x.clamp(-STEPS, STEPS)
    }

    const fn mix(a: f64, b: f64, share: f64) -> f64 {
        share * a + (1.0 - share) * b
    }

    const SLOPE: f64 = THIRD / 2.0;
    const THIRD: f64 = 1.0 / 3.0;
    const STEPS: f64 = 2.0;

    /// Not an activation, and left as it is.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Scale(pub f64);

    impl fmt::Display for Scale {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", self.0)
        }
    }
}

pub use shared::{Blend, Ramp, Scale, Soft, blend, ramp, soft};
