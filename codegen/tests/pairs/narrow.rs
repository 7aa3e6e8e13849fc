//! Functions with pieces far narrower than the deviation, in high precision: the covariance and its five derivatives, against the integral over
//! the correlation, whose cancellation 320 bits outlast.
//!
//! With D and D′ the kinks of g and h at the distances α and β, and s̄ = E\[g′\],
//!
//! ```text
//! Cov = c s̄ s̄′ + ξξ′ Σ D D′ ∫₀^ρ (ρ − r) φ₂ dr      ∂/∂γ ↔ A = (α − rβ)/(1 − r²)      2ξ² ∂/∂ξ² ↔ A² − 1/(1 − r²)
//! ∂Cov/∂c = s̄ s̄′ + Σ D D′ ∫₀^ρ φ₂ dr
//! ```

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{ACCURACY, Inputs};
use puremp::FixedFloat as Real;
use puremp::RoundingMode::Nearest;

use crate::functions::{Kinked, Numbers, count, declared};
use crate::promise::{erfc, rule, steeper};

const BITS: u64 = 320;

fn real(x: f64) -> Real {
    Real::from_f64(x, BITS, Nearest)
}

/// The covariance and its derivatives in γ, ξ², γ′, ξ′² and c.
type Six = [Real; 6];

/// A kink of one function and one of the other: the integrals that belong to the six numbers.
fn integrals([a, b]: [&Real; 2], end: &Real, rho: &Real, rule: &[[Real; 2]]) -> Six {
    let panels = (end.to_f64().abs() / 0.4).ceil().max(1.0);
    let width = end / &real(panels);
    let mut sums = [(); 6].map(|()| real(0.0));
    let (squares, product) = (a * a + b * b, &real(2.0) * &(a * b));
    for panel in 0..panels as u32 {
        for [node, weight] in rule {
            let y = &width * &(node + &real(f64::from(panel)));
            let e = (real(2.0) * y).exp();
            let r = (&e - &real(1.0)) / (&e + &real(1.0));
            let rest = real(1.0) - &r * &r;
            let q = (&squares - &(&r * &product)) / rest.clone();
            if q.to_f64() > 2000.0 {
                continue;
            }
            let density = &((-(q / real(2.0))).exp() * rest.sqrt()) * weight;
            let moved = &density * &(rho - &r);
            let first = (a - &(&r * b)) / rest.clone();
            let second = (b - &(&r * a)) / rest.clone();
            let inverse = real(1.0) / rest;
            sums[0] += moved.clone();
            sums[1] += &moved * &first;
            sums[2] += &moved * &(&(&first * &first) - &inverse);
            sums[3] += &moved * &second;
            sums[4] += &moved * &(&(&second * &second) - &inverse);
            sums[5] += density;
        }
    }
    let unit = width / (real(2.0) * Real::pi(BITS, Nearest));
    sums.map(|sum| sum * unit.clone())
}

/// E\[g′\] and its first two derivatives in γ times powers of ξ.
fn slopes(g: &Kinked, gamma: f64, deviation: &Real) -> [Real; 3] {
    let (mut slope, mut rest) = (real(g.slope), real(0.0));
    let [mut first, mut second] = [real(0.0), real(0.0)];
    for (d, t) in &g.kinks {
        let side = if gamma >= *t { *d } else { -*d };
        let z = (real(*t) - real(gamma)) / deviation.clone();
        let far = if z.to_f64() < 0.0 { -z.clone() } else { z.clone() };
        slope += real(side);
        rest += real(side) * erfc(&(far / real(2.0).sqrt())).with_precision(BITS);
        let square = &z * &z;
        if square.to_f64() < 2000.0 {
            let tau = real(2.0) * Real::pi(BITS, Nearest);
            let density = (-(square / real(2.0))).exp() / tau.sqrt();
            first += &real(2.0 * d) * &density;
            second += &real(2.0 * d) * &(&density * &z);
        }
    }
    [slope - rest, first, second]
}

/// The six numbers, from the integrals of all pairs of kinks.
fn numbers(g: &Kinked, h: &Kinked, at: Inputs, of: impl Fn(f64, f64) -> Six) -> Six {
    let (s, t, c) = (real(at.xi2).sqrt(), real(at.xi2_h).sqrt(), real(at.cov));
    let [slope, first, second] = slopes(g, at.gamma, &s);
    let [slope_h, first_h, second_h] = slopes(h, at.gamma_h, &t);
    let mut kinks = [(); 6].map(|()| real(0.0));
    for (d, k) in &g.kinks {
        for (e, l) in &h.kinks {
            let both = real(4.0 * d * e);
            for (sum, integral) in kinks.iter_mut().zip(of(*k, *l)) {
                *sum += &both * &integral;
            }
        }
    }
    let [value, a, aa, b, bb, density] = kinks;
    let half = real(0.5);
    [
        &c * &(&slope * &slope_h) + &(&s * &t) * &value,
        &c * &(&first / &s * slope_h.clone()) + &t * &a,
        &half * &(&c * &(&second / &(&s * &s) * slope_h.clone()) + &t / &s * aa),
        &c * &(&first_h / &t * slope.clone()) + &s * &b,
        &half * &(&c * &(&second_h / &(&t * &t) * slope.clone()) + &s / &t * bb),
        slope * slope_h + density,
    ]
}

/// A piece of some width on exact numbers: a hat, a ramp, or a ramp between slopes.
fn narrow(numbers: &mut Numbers, at: f64, width: f64, kind: usize) -> Kinked {
    let quantum = (width.log2().floor() - 3.0).exp2();
    let width = (width / quantum).round() * quantum;
    let at = (at / quantum).round() * quantum;
    let size =
        if numbers.next() < 0.5 { -1.0 } else { 1.0 } * numbers.between(-2.0, 2.0).round().exp2();
    let (low, high) = (at - width, at + width);
    let (slope, kinks) = match kind {
        0 => (0.0, vec![(0.5, low), (-1.0, at), (0.5, high)]),
        1 => (0.0, vec![(0.5, low), (-0.5, at)]),
        // A hat whose sides are not alike.
        2 => (0.0, vec![(0.5, low), (-0.75, high), (0.25, high + 2.0 * width)]),
        _ => (0.25, vec![(0.5, low), (-0.25, at)]),
    };
    Kinked { slope: size * slope, kinks: kinks.into_iter().map(|(d, t)| (size * d, t)).collect() }
}

/// A function with a narrow piece seen from one mean, and perhaps other pieces.
fn random(numbers: &mut Numbers, gamma: f64, s: f64, rho: f64) -> Kinked {
    let far = [1.0, 3.0, 8.0, 12.0][(numbers.next() * 4.0) as usize];
    let at = gamma + s * numbers.between(-far, far);
    let width =
        s * 10.0_f64.powf([-1.0, -3.0, -12.0][(numbers.next() * 3.0) as usize] * numbers.next());
    let kind = (numbers.next() * 5.0) as usize;
    if kind == 4 {
        let at = at.round();
        return Kinked { slope: 0.5, kinks: vec![(0.5, at)] };
    }
    let mut g = narrow(numbers, at, width, kind);
    if numbers.next() < 0.25 {
        let part = numbers.between(0.5, 1.0);
        let other = narrow(numbers, at + 3.0 * width, width * part, 0);
        g.kinks.extend(other.kinks);
    }
    // Next to 1, tails of several wide pieces lose digits.
    if numbers.next() < 0.15 && rho < 1.0 - 1e-8 {
        let place = gamma + s * numbers.between(-2.0, 2.0);
        let other = narrow(numbers, place, s, 1);
        g.kinks.extend(other.kinks);
    }
    g
}

fn dynamic(g: &Kinked) -> Dynamic {
    let exact =
        |x: f64| format!("{x:.160}").trim_end_matches('0').trim_end_matches('.').to_string();
    let kinks = g.kinks.iter().map(|(d, t)| format!(" + ({d})*|x - ({})|", exact(*t)));
    declared(&format!("g(x) = ({})*x{}", g.slope, kinks.collect::<String>()))
}

/// Both functions and their law, by a draw.
fn draw(numbers: &mut Numbers, round: usize) -> (Kinked, Kinked, Inputs) {
    let (s, t) = (numbers.between(-10.0, 10.0).exp2(), numbers.between(-10.0, 10.0).exp2());
    let sign = if numbers.next() < 0.5 { -1.0 } else { 1.0 };
    // Small, any, and near 1.
    let rho = match (numbers.next() * 4.0) as usize {
        0 => 10.0_f64.powf(numbers.between(-12.0, 0.0)),
        1 => numbers.next(),
        2 => 1.0 - 10.0_f64.powf(numbers.between(-4.0, 0.0)),
        _ => 1.0 - 10.0_f64.powf(numbers.between(-12.0, 0.0)),
    };
    let (gamma, gamma_h) = (numbers.between(-2.0, 2.0) * s, numbers.between(-2.0, 2.0) * t);
    let g = random(numbers, gamma, s, rho);
    let mut h = random(numbers, gamma_h, t, rho);
    // Half of them where u takes w, so that they meet.
    if numbers.next() < 0.5 {
        let deviations = (1.0 - rho * rho).sqrt() * numbers.between(-2.0, 2.0);
        let place = gamma_h + t * (sign * rho * (g.kinks[0].1 - gamma) / s + deviations);
        let width = t * 10.0_f64.powf(-12.0 * numbers.next().powi(3));
        h = narrow(numbers, place, width, round % 4);
    }
    (g, h, Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: sign * rho * s * t })
}

/// By how much less is promised of derivatives in variances: kinks of a piece over which the conditional density is not smooth are point masses, whose
/// difference is as small as the piece.
fn noise(g: &Kinked, s: f64, steepness: f64) -> f64 {
    let mut knots: Vec<f64> = g.kinks.iter().map(|(_, t)| *t).collect();
    knots.sort_by(f64::total_cmp);
    let widths = knots.windows(2).map(|ends| (ends[1] - ends[0]) / s);
    let steep = widths.filter(|width| width * steepness > 3.0);
    steep.map(|width| 1.0 + 0.01 / width).fold(1.0, f64::max)
}

/// Less than any number of double precision, with room for what a scale is multiplied by.
const LEAST: f64 = 1e-280;

#[test]
#[allow(clippy::print_stdout, reason = "the errors that documents state")]
fn hats_and_ramps_far_narrower_than_the_deviation() {
    let mut draws = Numbers::new(61);
    let precise = |row: [Real; 2]| row.map(|x| x.with_precision(BITS));
    let rule: Vec<[Real; 2]> = rule(40).into_iter().map(precise).collect();
    // The covariance; derivatives in means; in variances; in c. As parts of what is promised.
    let limits = [ACCURACY * f64::EPSILON, 2e-14, 1e-13, 1e-13];
    let mut worst: [(f64, String); 4] = core::array::from_fn(|_| (0.0, String::new()));
    for round in 0..count(40) {
        let (g, h, at) = draw(&mut draws, round);
        let (s, t) = (real(at.xi2).sqrt(), real(at.xi2_h).sqrt());
        let (both, cov) = (&s * &t, real(at.cov));
        let rho = cov.clone() / both.clone();
        let end = (&(&both + &cov) / &(&both - &cov)).ln() / real(2.0);
        let of_pair = |(k, l): (f64, f64)| {
            let a = (real(k) - real(at.gamma)) / s.clone();
            let b = (real(l) - real(at.gamma_h)) / t.clone();
            (k, l, integrals([&a, &b], &end, &rho, &rule))
        };
        let pairs = g.kinks.iter().flat_map(|(_, k)| h.kinks.iter().map(move |(_, l)| (*k, *l)));
        let known: Vec<(f64, f64, Six)> = pairs.map(of_pair).collect();
        let of = |k: f64, l: f64| {
            let found = known.iter().find(|(a, b, _)| *a == k && *b == l);
            found.map(|(.., numbers)| numbers.clone()).expect("a pair of kinks")
        };
        let truth = numbers(&g, &h, at, of);
        let steep = numbers(&steeper(&g), &steeper(&h), at, of).map(|x| x.to_f64().abs());
        let scale = steep[0];
        if scale < LEAST {
            continue;
        }
        let slope = |g: &Kinked, gamma: f64, s: &Real| slopes(g, gamma, s)[0].to_f64();
        let apart = slope(&g, at.gamma, &s) * slope(&h, at.gamma_h, &t);
        let m = dynamic(&g).pair_moments(&dynamic(&h), at).expect("a law");
        let (s, t) = (s.to_f64(), t.to_f64());
        let steepness = 1.0 / (1.0 - (at.cov / (s * t)).powi(2)).max(1e-30).sqrt();
        let noise = [(&g, s), (&h, t)].map(|(g, s)| noise(g, s, steepness));
        let limit =
            |class| if class == 2 { limits[2] * noise[0].max(noise[1]) } else { limits[class] };
        let results = [
            (0, m.covariance, scale),
            (1, m.dcovariance_dgamma, scale / s),
            (2, m.dcovariance_dxi2, scale / at.xi2),
            (1, m.dcovariance_dgamma_h, scale / t),
            (2, m.dcovariance_dxi2_h, scale / at.xi2_h),
            (3, m.dcovariance_dcov, steep[5].max(apart.abs())),
        ];
        for ((class, found, size), truth) in results.into_iter().zip(truth) {
            let size = if class == 3 { size } else { size.max(truth.to_f64().abs()) };
            let error = (real(found) - truth.clone()).to_f64().abs() / size / limit(class);
            if error > worst[class].0 || error.is_nan() {
                let functions = [(g.slope, &g.kinks), (h.slope, &h.kinks)];
                let truth = truth.to_f64();
                let text = format!("{found:e}, {truth:e} of {size:e}, at {at:?}; {functions:?}");
                worst[class] = (error, text);
            }
        }
    }
    for (error, text) in &worst {
        println!("{error:.3} of what is promised: {text}");
    }
    for (error, text) in &worst {
        assert!(*error <= 1.0 && *error > 0.0, "{error} of what is promised: {text}");
    }
}
