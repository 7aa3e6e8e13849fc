// h R_n(s) for n < @count@, to twice the precision.
fn gsf_precise_tails_@count@(edge: gsf_edge) -> array<gsf_pair, @count@> {
    var tails: array<gsf_pair, @count@>;
    let multiples = gsf_multiples_of_@count@(edge.s);
    let divisor = multiples.divisor;
    let inverse = gsf_divide(1.0, divisor.high);
    let scale = gsf_rounded(edge.h * inverse);
    let back = gsf_two_product(scale, divisor.high);
    let rest = gsf_rounded(edge.h - back.high) + ((edge.h_low - back.low) - scale * divisor.low);
    let scale_low = rest * inverse;
    var y = multiples.y;
    for (var n = 0; n < @count@; n++) {
        // By how much the low word of s changes R_n: its derivative is -(n+1) R_(n+1).
        var next = multiples.beyond;
        if (n + 1 < @count@) {
            next = y[n + 1].high;
        }
        let slope = f32(n + 1) * next;
        let product = gsf_two_product(y[n].high, scale);
        let low = (y[n].low - edge.s_low * slope) * scale + product.low;
        tails[n] = gsf_fast_two_sum(product.high, gsf_rounded(y[n].high * scale_low + low));
    }
    return tails;
}
