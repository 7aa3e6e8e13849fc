// Whether the piece between two knots, which is straight, is narrow: too small in units of xi for tails. Around gamma its
// width counts, elsewhere the change of the density's exponent.
fn gsf_is_narrow(left: gsf_edge, right: gsf_edge, deviation: gsf_deviation) -> bool {
    if (deviation.xi == 0.0) {
        return false;
    }
    let omega = right.z - left.z;
    if (!gsf_is_right(left) && gsf_is_right(right)) {
        return omega < GSF_STRAIGHT;
    }
    // As a quotient, which does not overflow.
    return omega < 2.0 * GSF_STRAIGHT / max(abs(left.z + right.z), 1.0e-30);
}
