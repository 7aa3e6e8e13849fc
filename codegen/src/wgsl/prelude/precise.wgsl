// (n+1) Y[n+1] + s Y[n] in double words.
fn gsf_recurrence(factor: f32, upper: gsf_pair, s: f32, current: gsf_pair) -> gsf_pair {
    let a = gsf_two_product(factor, upper.high);
    let b = gsf_two_product(s, current.high);
    let sum = gsf_two_sum(a.high, b.high);
    let carried = factor * upper.low + s * current.low;
    return gsf_pair(sum.high, carried + ((a.low + b.low) + sum.low));
}

// A step of Horner's rule, with what rounding takes.
fn gsf_precise_step(value: gsf_pair, s: f32, c: f32) -> gsf_pair {
    let product = gsf_two_product(value.high, s);
    let sum = gsf_two_sum(product.high, c);
    return gsf_pair(sum.high, value.low * s + (sum.low + product.low));
}
