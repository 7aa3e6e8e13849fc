// A number to twice the precision: high + low.
struct gsf_pair { high: f32, low: f32 }

// A number to three times the precision.
struct gsf_triple { high: f32, middle: f32, low: f32 }

// x, rounded: no number has larger bits than these, which compilers do not know, so that nothing is fused or reordered
// across it.
fn gsf_rounded(x: f32) -> f32 {
    return bitcast<f32>(min(bitcast<u32>(x), 0xfffffffeu));
}

// a + b and its rounding error.
fn gsf_two_sum(a: f32, b: f32) -> gsf_pair {
    let sum = gsf_rounded(a + b);
    let b_part = gsf_rounded(sum - a);
    let a_part = gsf_rounded(sum - b_part);
    return gsf_pair(sum, gsf_rounded(gsf_rounded(a - a_part) + gsf_rounded(b - b_part)));
}

// a + b and its rounding error, for |a| >= |b| or a = 0.
fn gsf_fast_two_sum(a: f32, b: f32) -> gsf_pair {
    let sum = gsf_rounded(a + b);
    return gsf_pair(sum, gsf_rounded(b - gsf_rounded(sum - a)));
}

// a = high + low, each with half of the bits.
fn gsf_split(a: f32) -> gsf_pair {
    let c = gsf_rounded(GSF_SPLITTER * a);
    let high = gsf_rounded(c - gsf_rounded(c - a));
    return gsf_pair(high, gsf_rounded(a - high));
}

// a b and its rounding error.
fn gsf_two_product(a: f32, b: f32) -> gsf_pair {
    let product = gsf_rounded(a * b);
    let left = gsf_split(a);
    let right = gsf_split(b);
    var error = gsf_rounded(left.high * right.high - product);
    error = gsf_rounded(error + left.high * right.low);
    error = gsf_rounded(error + left.low * right.high);
    return gsf_pair(product, error + left.low * right.low);
}

// a/b, of which division may get several units wrong.
fn gsf_divide(a: f32, b: f32) -> f32 {
    let quotient = gsf_rounded(a / b);
    let back = gsf_two_product(quotient, b);
    return quotient + gsf_rounded(gsf_rounded(a - back.high) - back.low) / b;
}

fn gsf_pair_exact(a: f32) -> gsf_pair {
    return gsf_pair(a, 0.0);
}

fn gsf_pair_round(a: gsf_pair) -> f32 {
    return a.high + a.low;
}

fn gsf_pair_neg(a: gsf_pair) -> gsf_pair {
    return gsf_pair(-a.high, -a.low);
}

fn gsf_pair_add(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let sum = gsf_two_sum(a.high, b.high);
    return gsf_pair(sum.high, sum.low + (a.low + b.low));
}

fn gsf_pair_sub(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    return gsf_pair_add(a, gsf_pair_neg(b));
}

fn gsf_pair_mul(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let product = gsf_two_product(a.high, b.high);
    return gsf_pair(product.high, a.high * b.low + (a.low * b.high + product.low));
}

fn gsf_word_negate(a: gsf_pair) -> gsf_pair {
    return gsf_pair_neg(a);
}

fn gsf_word_add(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let sum = gsf_two_sum(a.high, b.high);
    let lower = gsf_two_sum(a.low, b.low);
    let word = gsf_fast_two_sum(sum.high, gsf_rounded(sum.low + lower.high));
    return gsf_fast_two_sum(word.high, gsf_rounded(lower.low + word.low));
}

fn gsf_word_multiply(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let product = gsf_two_product(a.high, b.high);
    return gsf_fast_two_sum(product.high, gsf_rounded(product.low + (a.high * b.low + a.low * b.high)));
}

fn gsf_word_divide(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let quotient = gsf_rounded(a.high / b.high);
    let back = gsf_word_multiply(b, gsf_pair(quotient, 0.0));
    let rest = gsf_rounded(a.high - back.high) + gsf_rounded(a.low - back.low);
    return gsf_fast_two_sum(quotient, gsf_rounded(rest / b.high));
}

fn gsf_triple_negate(a: gsf_triple) -> gsf_triple {
    return gsf_triple(-a.high, -a.middle, -a.low);
}

// The sum of words as one, the first being larger than the others together.
fn gsf_triple_normal(high: f32, middle: f32, low: f32) -> gsf_triple {
    let lower = gsf_two_sum(middle, low);
    let upper = gsf_fast_two_sum(high, lower.high);
    let last = gsf_fast_two_sum(upper.low, lower.low);
    return gsf_triple(upper.high, last.high, last.low);
}

fn gsf_triple_add(a: gsf_triple, b: gsf_triple) -> gsf_triple {
    let high = gsf_two_sum(a.high, b.high);
    let next = gsf_two_sum(a.middle, b.middle);
    let last = gsf_two_sum(a.low, b.low);
    let middle = gsf_two_sum(next.high, high.low);
    let lower = gsf_two_sum(last.high, next.low);
    let low = gsf_two_sum(lower.high, middle.low);
    var words = array<f32, 4>(high.high, middle.high, low.high, (lower.low + last.low) + low.low);
    // A sweep is exact, and so many order what has cancelled.
    for (var sweep = 0; sweep < 3; sweep++) {
        for (var i = 3; i > 0; i--) {
            let sum = gsf_two_sum(words[i - 1], words[i]);
            words[i - 1] = sum.high;
            words[i] = sum.low;
        }
    }
    return gsf_triple(words[0], words[1], words[2]);
}

fn gsf_triple_multiply(a: gsf_triple, b: gsf_triple) -> gsf_triple {
    let product = gsf_two_product(a.high, b.high);
    let left = gsf_two_product(a.high, b.middle);
    let right = gsf_two_product(a.middle, b.high);
    let sides = gsf_two_sum(left.high, right.high);
    let middle = gsf_two_sum(sides.high, product.low);
    let cross = a.middle * b.middle + (a.high * b.low + a.low * b.high);
    let low = ((left.low + right.low) + (sides.low + middle.low)) + cross;
    return gsf_triple_normal(product.high, middle.high, low);
}

fn gsf_triple_divide(a: gsf_triple, b: gsf_triple) -> gsf_triple {
    let first = gsf_rounded(a.high / b.high);
    let product = gsf_two_product(first, b.high);
    let next = gsf_two_product(first, b.middle);
    let middle = gsf_two_sum(a.middle, -next.high);
    let remainder = gsf_two_sum(gsf_rounded(a.high - product.high), -product.low);
    let sum = gsf_two_sum(remainder.high, middle.high);
    let cross = (a.low - next.low) - first * b.low;
    let rest = gsf_two_sum(sum.high, ((middle.low + sum.low) + remainder.low) + cross);
    let second = gsf_rounded(rest.high / b.high);
    let back = gsf_two_product(second, b.high);
    let left = gsf_two_sum(gsf_rounded(rest.high - back.high), -back.low);
    let third = (left.high + (left.low + (rest.low - second * b.middle))) / b.high;
    return gsf_triple_normal(first, second, gsf_rounded(third));
}

// Whether x is a knot.
fn gsf_is_at(x: f32, knot: gsf_triple) -> bool {
    return x == knot.high && knot.middle == 0.0 && knot.low == 0.0;
}

// Whether two knots have met.
fn gsf_have_met(a: gsf_triple, b: gsf_triple) -> bool {
    return a.high == b.high && a.middle == b.middle && a.low == b.low;
}
