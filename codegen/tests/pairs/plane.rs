//! Functions of any kind against an integral over the plane, which knows their values only.

use gaussform_runtime::pair::Inputs;

use crate::functions::{Any, Numbers, count};

/// Nodes and weights of the Gauss–Legendre rule on [−1, 1].
fn rule(n: usize) -> Vec<(f64, f64)> {
    let polynomial = |x: f64| {
        let (mut before, mut now) = (1.0, x);
        for k in 1..n {
            let k = k as f64;
            (before, now) = (now, ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0));
        }
        (now, n as f64 * (x * now - before) / (x * x - 1.0))
    };
    let node = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        for _ in 0..8 {
            let (value, slope) = polynomial(x);
            x -= value / slope;
        }
        let slope = polynomial(x).1;
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

/// Beyond so many deviations there is nothing that counts.
const END: f64 = 9.5;

/// Nodes between −END and END, on panels that end at the knots, and the Normal density times weights.
fn nodes(rule: &[(f64, f64)], knots: impl Iterator<Item = f64>, list: &mut Vec<[f64; 2]>) {
    let mut ends: Vec<f64> = (0..=10).map(|i| END * (f64::from(i) / 5.0 - 1.0)).collect();
    ends.extend(knots.filter(|x| x.abs() < END));
    ends.sort_by(f64::total_cmp);
    list.clear();
    for panel in ends.windows(2) {
        let (middle, half) = ((panel[0] + panel[1]) / 2.0, (panel[1] - panel[0]) / 2.0);
        for (x, weight) in rule {
            let x = middle + half * x;
            let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
            list.push([x, weight * half * density]);
        }
    }
}

/// E\[g h\], the covariance and its derivatives, by the derivatives of the density.
fn by_values(g: &Any, h: &Any, at: Inputs, rule: &[(f64, f64)]) -> [f64; 7] {
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let rho = at.cov / (s * t);
    let rest = (1.0 - rho * rho).sqrt();
    // 1, and by the means and the second moments of u and w; of g and of h alone as well.
    let (mut both, mut first, mut second) = ([0.0; 6], [0.0; 3], [0.0; 3]);
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    nodes(rule, g.knots().into_iter().map(|knot| (knot - at.gamma) / s), &mut outer);
    for [x, weight] in &outer {
        let value = weight * g.value(at.gamma + s * x);
        let knots = h.knots().into_iter().map(|knot| ((knot - at.gamma_h) / t - rho * x) / rest);
        nodes(rule, knots, &mut inner);
        for [y, weight] in &inner {
            let value = value * weight * h.value(at.gamma_h + t * (rho * x + rest * y));
            let (p, q) = ((x - rho * y / rest) / s, y / rest / t);
            let squares = [1.0 / (s * rest), 1.0 / (t * rest)].map(|x| x * x);
            let scores = [
                1.0,
                p,
                (p * p - squares[0]) / 2.0,
                q,
                (q * q - squares[1]) / 2.0,
                p * q + rho / (s * t * rest * rest),
            ];
            both.iter_mut().zip(scores).for_each(|(sum, score)| *sum += value * score);
        }
        let scores = [1.0, x / s, (x * x - 1.0) / (2.0 * s * s)];
        first.iter_mut().zip(scores).for_each(|(sum, score)| *sum += value * score);
    }
    nodes(rule, h.knots().into_iter().map(|knot| (knot - at.gamma_h) / t), &mut inner);
    for [y, weight] in &inner {
        let scores = [1.0, y / t, (y * y - 1.0) / (2.0 * t * t)];
        let value = weight * h.value(at.gamma_h + t * y);
        second.iter_mut().zip(scores).for_each(|(sum, score)| *sum += value * score);
    }
    [
        both[0],
        both[0] - first[0] * second[0],
        both[1] - first[1] * second[0],
        both[2] - first[2] * second[0],
        both[3] - first[0] * second[1],
        both[4] - first[0] * second[2],
        both[5],
    ]
}

#[test]
fn any_functions_against_an_integral_over_the_plane() {
    let (mut numbers, rule) = (Numbers::new(21), rule(16));
    let mut worst = [0.0_f64; 7];
    for _ in 0..count(24) {
        let (g, h) = (Any::random(&mut numbers), Any::random(&mut numbers));
        let (a, b) = (g.dynamic(), h.dynamic());
        for _ in 0..2 {
            let (s, t) = (numbers.between(-2.0, 2.0).exp2(), numbers.between(-2.0, 2.0).exp2());
            let rho = numbers.between(-1.8, 1.8).tanh();
            let [gamma, gamma_h] = [0; 2].map(|_| numbers.between(-2.0, 2.0));
            let at = Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: rho * s * t };
            let found = a.pair_moments(&b, at).expect("a law").to_array();
            let truth = by_values(&g, &h, at, &rule);
            let rest = 1.0 - rho * rho;
            let second = |g: &Any, gamma: f64, s: f64| {
                let mut list = Vec::new();
                nodes(&rule, core::iter::empty(), &mut list);
                list.iter().map(|[x, w]| w * g.value(gamma + s * x).powi(2)).sum::<f64>().sqrt()
            };
            let size = second(&g, gamma, s) * second(&h, gamma_h, t);
            // The integral loses what its weights cancel.
            let units = [1.0, 1.0, s, s * s * rest, t, t * t * rest, s * t * rest];
            for i in 0..7 {
                let error = (found[i] - truth[i]).abs() * units[i] / size;
                worst[i] = worst[i].max(error);
                assert!(
                    error < 1e-11,
                    "{i}: {error:e}, {:e} for {:e}: {}; {}; {at:?}",
                    found[i],
                    truth[i],
                    g.text(),
                    h.text()
                );
            }
        }
    }
    assert!(worst.iter().all(|error| *error > 0.0), "{worst:?}");
}
