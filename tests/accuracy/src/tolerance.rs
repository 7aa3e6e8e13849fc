//! How far kernels may be from the truth, and why further than usual.

/// An exception to [`USUAL`].
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// The activation, or how its name begins if a `*` ends it.
    pub activation: &'static str,
    /// `f32`, `f64` or `*`.
    pub precision: &'static str,
    /// One of [`QUANTITIES`](crate::error::QUANTITIES) or `*`.
    pub quantity: &'static str,
    /// In units in the last place.
    pub ulp: f64,
    /// Why it cannot be less.
    pub reason: &'static str,
}

/// What holds for all others, in units in the last place.
pub const USUAL: f64 = 8.0;

/// The exceptions; the first that fits counts.
pub const TOLERANCES: &[Tolerance] = &[
    Tolerance {
        activation: "step_seventh",
        precision: "*",
        quantity: "*",
        ulp: 400.0,
        reason: "1/7 to twice the bits: for γ the nearest number, t − γ has half of them, and the \
                 density at s = 35 loses s²/2 units",
    },
    Tolerance {
        activation: "clamp_between(0.3, 0.300000001)",
        precision: "f32",
        quantity: "dV/dξ²",
        ulp: 1e6,
        reason: "the variance is 1e-18 at most: its derivative underflows on the way where it is 1e-26",
    },
    Tolerance {
        activation: "smooth_ramp(0.3, 0.3001)",
        precision: "f32",
        quantity: "dV/dξ²",
        ulp: 1e6,
        reason: "slopes of 1e4 multiply densities that are taken for 0 where they alone are no result",
    },
    Tolerance {
        activation: "clamp_between*",
        precision: "f32",
        quantity: "*",
        ulp: 16.0,
        reason: "for γ the number nearest to a knot, t − γ has the bits of one word",
    },
    Tolerance {
        activation: "hard_sigmoid(0.3)",
        precision: "f32",
        quantity: "dm/dξ²",
        ulp: 24.0,
        reason: "for γ the number nearest to a knot, t − γ has the bits of one word",
    },
    Tolerance {
        activation: "quartic_sign",
        precision: "*",
        quantity: "dV/dγ",
        ulp: 12.0,
        reason: "at a jump between steep pieces Var q is several times Var g",
    },
    Tolerance {
        activation: "soft_shrink*",
        precision: "f32",
        quantity: "dm/dξ²",
        ulp: 16.0,
        reason: "for γ the number nearest to a knot, t − γ has the bits of one word",
    },
    Tolerance {
        activation: "smooth_ramp(0.3, 0.3001)",
        precision: "*",
        quantity: "dm/dξ²",
        ulp: f64::INFINITY,
        reason: "in the middle of the ramp g″ is 0, and coefficients of 1e9 to 106 bits are not",
    },
    Tolerance {
        activation: "soft_shrink*",
        precision: "*",
        quantity: "dV/dγ",
        ulp: 64.0,
        reason: "in the middle, two tails at s up to 38 cancel, each s times V/ξ",
    },
    Tolerance {
        activation: "hard_shrink",
        precision: "*",
        quantity: "dV/dγ",
        ulp: 24.0,
        reason: "in the middle, two tails at s up to 38 cancel, each s times V/ξ",
    },
    Tolerance {
        activation: "close_knots",
        precision: "*",
        quantity: "dm/dξ²",
        ulp: 400.0,
        reason: "for γ the number nearest to a knot, t − γ has the bits of one word, and the density loses s²/2 units",
    },
    Tolerance {
        activation: "close_knots",
        precision: "*",
        quantity: "*",
        ulp: 24.0,
        reason: "many narrow pieces meet; tails on both sides cancel",
    },
    Tolerance {
        activation: "abs",
        precision: "*",
        quantity: "*",
        ulp: 16.0,
        reason: "at a kink that turns back the derivative of the variance crosses zero between terms of 5 V/ξ",
    },
    Tolerance {
        activation: "hat",
        precision: "*",
        quantity: "*",
        ulp: 16.0,
        reason: "at a kink that turns back the derivative of the variance crosses zero between terms of 5 V/ξ",
    },
    Tolerance {
        activation: "bent",
        precision: "*",
        quantity: "*",
        ulp: 16.0,
        reason: "at a kink that turns back the derivative of the variance crosses zero between terms of 5 V/ξ",
    },
    Tolerance {
        activation: "prelu(-0.25)",
        precision: "*",
        quantity: "variance",
        ulp: 12.0,
        reason: "at a kink that turns back the sum is conditioned by 6",
    },
    Tolerance {
        activation: "abs_*",
        precision: "*",
        quantity: "*",
        ulp: 24.0,
        reason: "at a kink that turns back, with a curved q: the sums for the variance are conditioned by 8",
    },
    Tolerance {
        activation: "hard_swish",
        precision: "*",
        quantity: "*",
        ulp: 12.0,
        reason: "γ between ξ and 3 ξ deep in a curved piece beside a flat one",
    },
    Tolerance {
        activation: "smootherstep",
        precision: "*",
        quantity: "*",
        ulp: 12.0,
        reason: "γ in a quintic piece, 16 ξ wide or more, beside a flat one",
    },
    Tolerance {
        activation: "clamp_cubed",
        precision: "*",
        quantity: "*",
        ulp: 32.0,
        reason: "γ between ξ and 3 ξ deep in a steep cubic piece beside a flat one, or in one 16 ξ wide",
    },
];

/// What holds for a quantity.
#[must_use]
pub fn tolerance(activation: &str, precision: &str, quantity: &str) -> f64 {
    let fits = |pattern: &str, name: &str| {
        pattern == name || pattern.strip_suffix('*').is_some_and(|start| name.starts_with(start))
    };
    let found = TOLERANCES.iter().find(|t| {
        fits(t.activation, activation) && fits(t.precision, precision) && fits(t.quantity, quantity)
    });
    found.map_or(USUAL, |t| t.ulp)
}
