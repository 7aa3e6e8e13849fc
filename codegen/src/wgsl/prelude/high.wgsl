// Multiples of R_n(s) for n < @count@, of R_@count@, and of R_(-1) = 1.
struct gsf_multiples_@count@ { y: array<gsf_pair, @count@>, beyond: f32, divisor: gsf_pair }

// h R_n(s) for n < @count@, by rounding.
fn gsf_tails_@count@(edge: gsf_edge) -> array<f32, @count@> {
    var tails: array<f32, @count@>;
    let multiples = gsf_multiples_of_@count@(edge.s);
    let scale = gsf_divide(edge.h, gsf_pair_round(multiples.divisor));
    var y = multiples.y;
    for (var n = 0; n < @count@; n++) {
        tails[n] = gsf_pair_round(y[n]) * scale;
    }
    return tails;
}

// The recurrence in double words from the Liouville-Green series.
fn gsf_multiples_of_@count@(s: f32) -> gsf_multiples_@count@ {
    var multiples: gsf_multiples_@count@;
    let square = gsf_two_product(s, s);
    let radicand = gsf_two_sum(square.high, 4.0 * @order@.0);
    let approximate = gsf_rounded(sqrt(radicand.high));
    let first_back = gsf_two_product(approximate, approximate);
    let first_rest = gsf_rounded(gsf_rounded(radicand.high - first_back.high) - first_back.low);
    let root = gsf_rounded(approximate + 0.5 * first_rest / approximate);
    let back = gsf_two_product(root, root);
    let sum = gsf_two_sum(s, root);
    var rest = gsf_rounded(gsf_rounded(radicand.high - back.high) - back.low);
    rest = rest + (radicand.low + square.low);
    let root_low = 0.5 * rest / root;
    let later = gsf_series(gsf_divide(s, root), gsf_divide(1.0, radicand.high));
    rest = 0.5 * (sum.low + root_low) + root * later;
    var upper = gsf_pair(GSF_HIGH_SCALE, 0.0);
    var current = gsf_fast_two_sum(0.5 * sum.high, gsf_rounded(rest));
    current = gsf_pair(current.high * upper.high, current.low * upper.high);
    for (var n = @order@ - 1; n >= 0; n--) {
        if (n == @count@ - 1) {
            multiples.beyond = upper.high;
        }
        if (n < @count@) {
            multiples.y[n] = current;
        }
        let lower = gsf_recurrence(f32(n + 1), upper, s, current);
        upper = current;
        current = lower;
    }
    multiples.divisor = current;
    return multiples;
}
