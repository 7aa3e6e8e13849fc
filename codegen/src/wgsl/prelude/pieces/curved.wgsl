// How far a panel is integrated, also in units of xi, and by which power of e the density falls there.
struct gsf_stretch { width: gsf_pair, length: gsf_pair, fall: f32 }

// A rule of quadrature: its first node, and the one behind its last.
struct gsf_nodes_from { first: i32, end: i32 }

// As far as the density falls by e to half of `most`.
fn gsf_stretch_of(panel: gsf_panel, deviation: gsf_deviation, most: f32) -> gsf_stretch {
    let s = panel.near.s;
    let reach = most / (s + sqrt(s * s + most));
    var width = panel.width;
    if (!(width.high * deviation.inverse <= reach)) {
        width = gsf_pair_exact(gsf_rounded(reach * deviation.xi));
    }
    let length = gsf_pair_mul(width, gsf_inverse_pair(deviation));
    let l = gsf_pair_round(length);
    return gsf_stretch(width, length, l * (0.5 * l + s));
}

// The density at a distance of delta from s, divided by that at s, in units of GSF_DENSITY_UNIT.
fn gsf_density_beyond(s: gsf_pair, delta: gsf_pair) -> f32 {
    let sum = gsf_two_sum(2.0 * s.high, delta.high);
    let product = gsf_two_product(delta.high, sum.high);
    let inner = delta.high * (sum.low + 2.0 * s.low) + product.low;
    let low = delta.low * (2.0 * (s.high + delta.high)) + inner;
    let density = gsf_reduced_density(false, product.high, gsf_rounded(low));
    return gsf_scale(density.value.high, density.exponent + GSF_DENSITY_EXPONENT);
}
