// Multiples of R_n(s) for n < @count@, of R_@count@, and of R_(-1) = 1.
struct gsf_multiples_@count@ { y: array<gsf_pair, @count@>, beyond: f32, divisor: gsf_pair }

// h R_n(s) for n < @count@, with R_n(s) = E[max(0, z - s)^n]/(n! phi(s)): the recurrence
// Y[n-1] = (n+1) Y[n+1] + s Y[n] backwards from a fit, where all terms are positive.
fn gsf_tails_@count@(edge: gsf_edge) -> array<f32, @count@> {
    var tails: array<f32, @count@>;
    var upper = gsf_fit_@fit@_p(edge.s);
    var current = gsf_fit_@fit@_q(edge.s);
    for (var n = @start@; n >= 0; n--) {
        let lower = f32(n + 1) * upper;
        if (n < @count@) {
            tails[n] = current;
        }
        upper = current;
        current = edge.s * current + lower;
    }
    let scale = gsf_divide(edge.h, current);
    for (var n = 0; n < @count@; n++) {
        tails[n] = tails[n] * scale;
    }
    return tails;
}

// The same recurrence in double words.
fn gsf_multiples_of_@count@(s: f32) -> gsf_multiples_@count@ {
    var multiples: gsf_multiples_@count@;
    var upper = gsf_precise_fit_@fit@_p(s);
    var current = gsf_precise_fit_@fit@_q(s);
    for (var n = @start@; n >= 0; n--) {
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
