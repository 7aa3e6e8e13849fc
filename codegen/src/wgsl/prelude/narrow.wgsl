// When a piece is narrow, in units of xi: width for a piece around gamma, a larger one if gamma is nearer to an end
// than depth; elsewhere the change of the density's exponent.
struct gsf_rule { width: f32, width_at_edge: f32, depth: f32, exponent: f32 }

// Whether the piece between two knots is narrow: too small in units of xi for tails.
fn gsf_is_narrow(left: gsf_edge, right: gsf_edge, deviation: gsf_deviation, rule: gsf_rule) -> bool {
    if (deviation.xi == 0.0) {
        return false;
    }
    let omega = right.z - left.z;
    if (!gsf_is_right(left) && gsf_is_right(right)) {
        let at_edge = -left.z < rule.depth || right.z < rule.depth;
        return omega < rule.width || (at_edge && omega < rule.width_at_edge);
    }
    // As a quotient, which does not overflow.
    return omega < 2.0 * rule.exponent / max(abs(left.z + right.z), 1.0e-30);
}
