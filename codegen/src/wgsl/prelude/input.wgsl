// Whether x is a number: by its bits, since a compiler may take it for granted.
fn gsf_is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

// Whether u ~ N(gamma, xi2) is a distribution.
fn gsf_is_valid(gamma: f32, xi2: f32) -> bool {
    return gsf_is_finite(gamma) && gsf_is_finite(xi2) && xi2 >= 0.0;
}

fn gsf_nan() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}

// Infinite with the sign of a coefficient, or what is left over where it is 0.
fn gsf_pole(coefficient: f32, otherwise: f32) -> f32 {
    if (coefficient == 0.0) {
        return otherwise;
    }
    var bits = 0x7f800000u;
    if (coefficient < 0.0) {
        bits = 0xff800000u;
    }
    return bitcast<f32>(bits);
}

// A number of a table, infinite where it is as large as that.
fn gsf_limit(value: f32) -> f32 {
    if (abs(value) >= GSF_MAX) {
        return gsf_pole(value, value);
    }
    return value;
}

// E[g], E[g^2] and Var g.
struct gaussform_moments { mean: f32, second: f32, variance: f32 }

// The moments and their derivatives in gamma and xi2.
struct gaussform_moments_grad {
    mean: f32, second: f32, variance: f32,
    dmean_dgamma: f32, dmean_dxi2: f32, dvariance_dgamma: f32, dvariance_dxi2: f32,
}

// The derivatives of the moments in one parameter.
struct gaussform_parameter_grad { dmean: f32, dsecond: f32, dvariance: f32 }
