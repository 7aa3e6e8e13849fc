//! Where activations may stand, and what they may be called.

/// With the names that the generated code would use for itself.
#[gf::activation(c > 0)]
#[must_use]
pub fn some(x: f64, c: f64, out: f64, r#type: f64) -> f64 {
    (x - out).clamp(-c, c) * r#type
}

/// The other name of an option.
#[gf::activation]
#[must_use]
pub const fn none(x: f64) -> f64 {
    x.max(0.0)
}

/// The function `option`, whose type is `Option`.
#[gf::activation]
#[must_use]
pub const fn option(x: f64) -> f64 {
    x.abs()
}

/// A name of a module that the generated code uses.
#[gf::activation]
#[must_use]
pub const fn kernel(x: f64) -> f64 {
    x.clamp(-1.0, 1.0)
}

/// The name of the type of numbers in the generated code.
#[gf::activation]
#[must_use]
pub const fn v(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

/// A module of its own, and one in it.
pub mod outer {
    pub(crate) mod inner {
        #[gf::activation]
        pub(crate) fn hidden(x: f64) -> f64 {
            x * x.max(0.0)
        }
    }

    /// The second moment of the hidden activation, E\[g²\], plus its value at 0.
    #[must_use]
    pub fn second(gamma: f64, xi2: f64) -> f64 {
        gf::Activation::moments(&inner::Hidden, gamma, xi2).second + inner::hidden(0.0)
    }
}

macro_rules! hinge {
    ($name:ident, $at:expr) => {
        /// From a macro.
        #[gf::activation]
        #[must_use]
        pub fn $name(x: f64) -> f64 {
            (x - $at).max(0.0)
        }
    };
}

hinge!(hinge_at_two, 1.0 + 1.0);

/// Declares an activation in a function.
#[must_use]
pub fn local(gamma: f64) -> f64 {
    use gf::Activation;

    #[gf::activation]
    fn within(x: f64) -> f64 {
        x.min(1.0)
    }
    Within.moments(gamma, 1.0).mean
}

mod again {
    pub(super) use gf as facade;
}

/// Names the facade itself.
#[again::facade::activation(crate = again::facade)]
#[must_use]
pub const fn renamed_again(x: f64) -> f64 {
    x.min(0.0)
}
