// The integrals of tau^k over a narrow piece, tau from -1 to 1, less a scale, with the density in its unit; its
// middle and half its width, in units of xi.
struct gsf_powers { integrals: array<f32, 5>, scale: f32, middle: f32, half: f32 }

// The integrals of powers on the straight piece between two knots, by series in the slope and the curvature of the
// exponent. No scale where it is not narrow.
fn gsf_powers_on(narrow: bool, left: gsf_edge, right: gsf_edge, width: gsf_pair, deviation: gsf_deviation) -> gsf_powers {
    var powers: gsf_powers;
    let sum = left.z + right.z;
    // By the middle of the piece: far away both ends have the same place.
    let h = select(right.h, left.h, 0.0 <= sum);
    if (!narrow || !(0.0 < h)) {
        return powers;
    }
    powers.half = 0.5 * width.high * deviation.inverse;
    powers.middle = 0.5 * sum;
    let y = powers.middle * powers.half;
    powers.integrals = gsf_powers_of(y, powers.half * powers.half);
    powers.scale = h * ((powers.half + powers.half) * gsf_decay(abs(y)));
    return powers;
}

// The integrals of tau^k, k < 5, less that of the density in the middle, from the slope and the curvature of the exponent.
fn gsf_powers_of(y: f32, square: f32) -> array<f32, 5> {
    let y_square = y * y;
    var moments: array<f32, GSF_POWERS_MOMENTS>;
    moments[GSF_POWERS_START] = gsf_inverse_factorial(GSF_POWERS_START);
    for (var m = GSF_POWERS_START - 1; m >= 0; m--) {
        moments[m] = square * moments[m + 1] + gsf_inverse_factorial(m);
    }
    var f: array<f32, 5>;
    for (var j = 0; j < 5; j++) {
        let last = gsf_powers_last(j);
        var value = moments[last + j];
        for (var m = last; m > 0; m--) {
            value = y_square * (0.5 / f32(m)) * value + moments[m - 1 + j];
        }
        f[j] = value;
    }
    let thrice = 3.0 * f[2];
    return array<f32, 5>(
        f[0],
        -(y * f[1]),
        y_square * f[2] + f[1],
        -(y * (y_square * f[3] + thrice)),
        y_square * (y_square * f[4] + 6.0 * f[3]) + thrice,
    );
}

// exp(-y), for y from 0 to 1.
fn gsf_decay(y: f32) -> f32 {
    let x = y - 0.5;
    let square = x * x;
    let series = x * gsf_decay_odd(square) + gsf_decay_even(square);
    let start = x * GSF_DECAY_SLOPE + GSF_DECAY_MIDDLE_LOW;
    return GSF_DECAY_MIDDLE + (square * series + start);
}

// The integrals over a straight piece of 1 and tau; 0 where it is not narrow.
fn gsf_powers_integrals(powers: gsf_powers) -> array<f32, 2> {
    return array<f32, 2>(powers.scale * powers.integrals[0], powers.scale * powers.integrals[1]);
}

// The integral of tau^k and a product of two straight lines, each given by its middle (high) and half its rise (low):
// i, j and k are the integrals of tau^k and the next two powers.
fn gsf_powers_product(i: f32, j: f32, k: f32, a: gsf_pair, b: gsf_pair) -> f32 {
    let even = b.high * i + b.low * j;
    let odd = b.high * j + b.low * k;
    return a.high * even + a.low * odd;
}

// The integrals over a straight piece of A B, and of A (B - less) He_k(z) for k = 1, 2; 0 where it is not narrow.
fn gsf_powers_products(powers: gsf_powers, a: array<f32, 2>, b: array<f32, 2>, less: f32) -> array<f32, 3> {
    let i = powers.integrals;
    let first = gsf_pair(a[0], a[1]);
    let product = gsf_powers_product(i[0], i[1], i[2], first, gsf_pair(b[0], b[1]));
    let second = gsf_pair(b[0] - less, b[1]);
    let p0 = gsf_powers_product(i[0], i[1], i[2], first, second);
    let p1 = gsf_powers_product(i[1], i[2], i[3], first, second);
    let p2 = gsf_powers_product(i[2], i[3], i[4], first, second);
    let z = powers.middle;
    let linear = z * p0 + powers.half * p1;
    let square = (z * z - 1.0) * p0 + powers.half * (powers.half * p2 + (z + z) * p1);
    return array<f32, 3>(powers.scale * product, powers.scale * linear, powers.scale * square);
}
