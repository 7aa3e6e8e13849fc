// The root of a number from 2^-60 to 2^60, or of 0: that of a device may be several units wrong.
fn gsf_sqrt(a: f32) -> f32 {
    if (a == 0.0) {
        return 0.0;
    }
    let root = gsf_rounded(sqrt(a));
    let square = gsf_two_product(root, root);
    return root + 0.5 * gsf_rounded(gsf_rounded(a - square.high) - square.low) / root;
}

// a 2^n for shifted = n + 1.5 2^23; 0 if 2^n is no normal number.
fn gsf_raise(a: f32, shifted: f32) -> f32 {
    let n = max(shifted, 12582785.0);
    return a * bitcast<f32>((bitcast<u32>(n) << 23u) + 0x3f800000u);
}
