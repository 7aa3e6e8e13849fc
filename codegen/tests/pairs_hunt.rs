//! Kernels of two pre-activations at random: against an integral that knows neither tails nor series, and what must hold of any
//! covariance.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{ACCURACY, Inputs, InvalidLaw};
use gaussform_symbolic::Activation;

/// Numbers in [0, 1), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

fn declared(text: &str) -> Dynamic {
    let activation = Activation::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    Dynamic::new(&activation, &[]).expect("numbers")
}

/// a x + Σ Δ|x − t|: a continuous function with kinks of slope 2Δ.
struct Kinked {
    slope: f64,
    kinks: Vec<(f64, f64)>,
}

impl Kinked {
    fn random(numbers: &mut Numbers) -> Self {
        // Numbers that a decimal holds exactly.
        let mut eighth = |range: f64| (numbers.between(-range, range) * 8.0).round() / 8.0;
        let slope = eighth(2.0);
        let count = 1 + (eighth(1.0).abs() * 3.0) as usize;
        Self { slope, kinks: (0..count).map(|_| (eighth(2.0), eighth(3.0))).collect() }
    }

    fn dynamic(&self) -> Dynamic {
        let kinks = self.kinks.iter().map(|(d, t)| format!(" + ({d})*|x - ({t})|"));
        declared(&format!("g(x) = ({})*x{}", self.slope, kinks.collect::<String>()))
    }

    /// E[g′] and the same of the absolute terms.
    fn slope(&self, gamma: f64, xi2: f64) -> [f64; 2] {
        let erf = |(d, t): &(f64, f64)| d * libm_erf((gamma - t) / (2.0 * xi2).sqrt());
        let value = self.slope + self.kinks.iter().map(erf).sum::<f64>();
        [value, self.slope.abs() + self.kinks.iter().map(|(d, _)| d.abs()).sum::<f64>()]
    }
}

/// erf by its series and, beyond 3, its continued fraction.
fn libm_erf(x: f64) -> f64 {
    let a = x.abs();
    let value = if a < 3.0 {
        let (mut term, mut sum, mut n) = (a, a, 1.0);
        while term > 1e-18 * sum {
            term *= 2.0 * a * a / (2.0 * n + 1.0);
            sum += term;
            n += 1.0;
        }
        sum * (-a * a).exp() * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let fraction = (1..60).rev().fold(a, |f, k| a + f64::from(k) / 2.0 / f);
        1.0 - (-a * a).exp() / fraction / std::f64::consts::PI.sqrt()
    };
    value.copysign(x)
}

/// Cov = c E[g′] E[h′] + ∫₀ᶜ (c − c′) Σ jumps of slopes · density of (u, w) at the knots dc′, and the
/// same of the absolute terms.
fn by_density(g: &Kinked, h: &Kinked, at: Inputs) -> [f64; 2] {
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let rho = at.cov / (s * t);
    let [slope, slope_size] = g.slope(at.gamma, at.xi2);
    let [slope_h, slope_h_size] = h.slope(at.gamma_h, at.xi2_h);
    let density = |x: f64, signed: bool| {
        let mut sum = 0.0;
        for (d, k) in &g.kinks {
            for (e, l) in &h.kinks {
                let (a, b) = ((k - at.gamma) / s, (l - at.gamma_h) / t);
                // In y = artanh x; dx = (1 − x²) dy.
                let rest = 1.0 - x * x;
                let q = (a * a - 2.0 * x * a * b + b * b) / rest;
                let jump = 4.0 * d * e;
                let jump = if signed { jump } else { jump.abs() };
                sum += jump * (-q / 2.0).exp() * rest.sqrt() / std::f64::consts::TAU;
            }
        }
        sum
    };
    let end = rho.atanh();
    let steps = 4000;
    let [mut value, mut size] = [0.0; 2];
    // Boole's rule.
    for i in 0..=steps {
        let weight = match (i % 4, i) {
            (0, 0) => 7.0,
            (0, i) if i == steps => 7.0,
            (0, _) => 14.0,
            (2, _) => 12.0,
            _ => 32.0,
        };
        let x = (end * f64::from(i) / f64::from(steps)).tanh();
        value += weight * (rho - x) * density(x, true);
        size += weight * (rho - x).abs() * density(x, false);
    }
    let unit = end / f64::from(steps) * 2.0 / 45.0 * s * t;
    let apart = at.cov * slope * slope_h;
    [apart + unit * value, at.cov.abs() * slope_size * slope_h_size + unit.abs() * size]
}

#[test]
fn random_functions_against_an_integral_of_densities() {
    let mut numbers = Numbers(1);
    let mut worst = 0.0_f64;
    for _ in 0..80 {
        let (g, h) = (Kinked::random(&mut numbers), Kinked::random(&mut numbers));
        let (a, b) = (g.dynamic(), h.dynamic());
        for _ in 0..3 {
            let (s, t) = (numbers.between(-2.0, 3.0).exp2(), numbers.between(-2.0, 3.0).exp2());
            let rho = numbers.between(-3.0, 3.0).tanh();
            let at = Inputs {
                gamma: numbers.between(-4.0, 4.0),
                xi2: s * s,
                gamma_h: numbers.between(-4.0, 4.0),
                xi2_h: t * t,
                cov: rho * s * t,
            };
            let value = a.pair_moments(&b, at).expect("a law").covariance;
            let [truth, size] = by_density(&g, &h, at);
            let error = (value - truth).abs() / size;
            assert!(
                error < 2e-13,
                "{error:e} at {at:?}: {value:e}, {truth:e}; {:?} {:?}",
                g.kinks,
                h.kinks
            );
            worst = worst.max(error);
        }
    }
    // Rounding is seen, so that the comparison is one.
    assert!(worst > 0.0);
}

fn some() -> Vec<Dynamic> {
    [
        "g(x) = max(0, x)",
        "g(x) = clamp(x, -1, 1)",
        "g(x) = piecewise { x > 0: 1; else: 0 }",
        "g(x) = max(0, 1 - |x|)",
        "g(x) = |x^2 - 2|",
        "g(x) = x*clamp(x + 3, 0, 6)/6",
        "g(x) = max(0, x)^3 - max(0, x - 1)",
    ]
    .map(declared)
    .into()
}

fn random_law(numbers: &mut Numbers) -> Inputs {
    let (s, t) = (numbers.between(-6.0, 6.0).exp2(), numbers.between(-6.0, 6.0).exp2());
    let rho = numbers.between(-8.0, 8.0).tanh();
    let [gamma, gamma_h] = [s, t].map(|s| numbers.between(-4.0, 4.0) * s);
    Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: rho * s * t }
}

#[test]
fn the_order_of_the_two_does_not_matter() {
    let (all, mut numbers) = (some(), Numbers(2));
    for i in 0..600 {
        let (g, h) = (&all[i % all.len()], &all[(i / all.len()) % all.len()]);
        let at = random_law(&mut numbers);
        let back = Inputs {
            gamma: at.gamma_h,
            xi2: at.xi2_h,
            gamma_h: at.gamma,
            xi2_h: at.xi2,
            cov: at.cov,
        };
        let there = g.pair_moments(h, at).expect("a law");
        let again = h.pair_moments(g, back).expect("a law");
        // |Cov| of functions that are not monotone may be small beside what it is a sum of.
        let size = |g: &Dynamic, gamma: f64, xi2: f64| g.moments(gamma, xi2).variance.sqrt();
        let size = size(g, at.gamma, at.xi2) * size(h, at.gamma_h, at.xi2_h);
        let close = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-13 * size.max(a.abs());
        assert!(close(there.covariance, again.covariance, size), "{at:?} {there:?} {again:?}");
        assert!(there.covariance.abs() <= size * (1.0 + 1e-12), "{at:?} {there:?}");
    }
}

#[test]
fn a_mirrored_pre_activation_is_a_mirrored_function() {
    let mut numbers = Numbers(3);
    for _ in 0..200 {
        let (g, h) = (Kinked::random(&mut numbers), Kinked::random(&mut numbers));
        let kinks = g.kinks.iter().map(|(d, t)| (*d, -t)).collect();
        let mirrored = Kinked { slope: -g.slope, kinks };
        let at = random_law(&mut numbers);
        let other = Inputs { gamma: -at.gamma, cov: -at.cov, ..at };
        let h = h.dynamic();
        let (a, b) = (g.dynamic(), mirrored.dynamic());
        let a_moments = a.pair_moments(&h, at).expect("a law");
        let b_moments = b.pair_moments(&h, other).expect("a law");
        let size = (a.moments(at.gamma, at.xi2).variance
            * h.moments(at.gamma_h, at.xi2_h).variance)
            .sqrt();
        let difference = (a_moments.covariance - b_moments.covariance).abs();
        assert!(
            difference <= ACCURACY * f64::EPSILON * size,
            "{difference:e} of {size:e} at {at:?}"
        );
    }
}

#[test]
fn the_same_pre_activation_gives_the_variance() {
    let (all, mut numbers) = (some(), Numbers(4));
    for i in 0..700 {
        let g = &all[i % all.len()];
        let s = numbers.between(-10.0, 10.0).exp2();
        let (gamma, xi2) = (numbers.between(-4.0, 4.0) * s, s * s);
        let at = Inputs { gamma, xi2, gamma_h: gamma, xi2_h: xi2, cov: xi2 };
        let value = g.pair_moments(g, at).expect("a law").covariance;
        let truth = g.moments(gamma, xi2).variance;
        // Two strips that meet are an integral of a kink.
        assert!((value - truth).abs() <= 1e-13 * truth, "{i}: {value:e} {truth:e} at {at:?}");
    }
}

#[test]
fn what_is_exact() {
    let (all, mut numbers) = (some(), Numbers(5));
    for g in &all {
        for h in &all {
            let at = Inputs { cov: 0.0, ..random_law(&mut numbers) };
            let m = g.pair_moments(h, at).expect("a law");
            assert_eq!(m.covariance, 0.0);
            assert_eq!(m.dcovariance_dgamma, 0.0);
            let still = Inputs { xi2: 0.0, gamma: 0.3, ..at };
            assert_eq!(g.pair_moments(h, still).expect("a law").covariance, 0.0);
        }
    }
}

#[test]
fn scales_far_apart_stay_finite() {
    let relu = declared("g(x) = max(0, x)");
    for e in [-500, -300, -100, 0, 100, 300, 500] {
        for f in [-500, -300, 0, 300, 500] {
            let (s, t) = (f64::exp2(f64::from(e)), f64::exp2(f64::from(f)));
            let at =
                Inputs { gamma: 0.0, xi2: s * s, gamma_h: 0.0, xi2_h: t * t, cov: 0.5 * s * t };
            let value = relu.pair_moments(&relu, at).expect("a law").covariance;
            let unit = Inputs { gamma: 0.0, xi2: 1.0, gamma_h: 0.0, xi2_h: 1.0, cov: 0.5 };
            let expected = relu.pair_moments(&relu, unit).expect("a law").covariance * s * t;
            assert_eq!(value, expected, "2^{e} and 2^{f}");
        }
    }
}

#[test]
fn a_law_of_any_size_gives_numbers() {
    let (all, mut numbers) = (some(), Numbers(7));
    let mut signed = |range: f64| {
        let size = numbers.between(-range, range).exp2();
        if numbers.next() < 0.5 { -size } else { size }
    };
    for i in 0..1000 {
        // Powers up to the third must be numbers.
        let (s, t) = (signed(150.0).abs(), signed(150.0).abs());
        let rho = signed(40.0).clamp(-1.0, 1.0);
        let at = Inputs {
            gamma: signed(150.0),
            xi2: s * s,
            gamma_h: signed(150.0),
            xi2_h: t * t,
            cov: rho * s * t,
        };
        for (g, h) in [(i, i / 7), (i / 7, i)] {
            let m = all[g % all.len()].pair_moments(&all[h % all.len()], at).expect("a law");
            let is_number = m.to_array()[..6].iter().all(|x| x.is_finite());
            assert!(is_number, "{} {} at {at:?}: {m:?}", g % 7, h % 7);
        }
    }
}

#[test]
fn no_law_is_an_error_that_says_so() {
    let relu = declared("g(x) = max(0, x)");
    let at = Inputs { gamma: 0.0, xi2: 1.0, gamma_h: 0.0, xi2_h: 1.0, cov: 1.0 };
    let check = |at| relu.pair_moments(&relu, at).map(|m| m.covariance);
    assert!(check(Inputs { cov: 1.0 + 2.0 * f64::EPSILON, ..at }).is_ok());
    assert_eq!(check(Inputs { cov: -1.001, ..at }), Err(InvalidLaw::Covariance));
    assert_eq!(check(Inputs { xi2: 0.0, cov: 1e-9, ..at }), Err(InvalidLaw::Covariance));
    assert_eq!(check(Inputs { xi2: -1.0, ..at }), Err(InvalidLaw::NegativeVariance));
    assert_eq!(check(Inputs { gamma: f64::NAN, ..at }), Err(InvalidLaw::NotFinite));
}

/// Whether a matrix has a Cholesky factor once so much is added to its diagonal.
fn is_positive(matrix: &[f64], n: usize, more: f64) -> bool {
    let mut factor = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            if i == j {
                let rest = rest + more * matrix[i * n + i];
                if rest < 0.0 {
                    return false;
                }
                factor[i * n + i] = rest.sqrt();
            } else if factor[j * n + j] > 0.0 {
                factor[i * n + j] = rest / factor[j * n + j];
            }
        }
    }
    true
}

#[test]
fn a_layer_is_its_pairs_and_its_matrix_is_positive() {
    let mut numbers = Numbers(6);
    let n = 12;
    for g in some() {
        for strength in [0.1, 1.0, 10.0] {
            // L Lᵀ with units of different variances, some of them nearly the same.
            let root: Vec<f64> = (0..n * n)
                .map(|i| {
                    let unit = if i % n == 0 { strength } else { 1.0 };
                    unit * numbers.between(-1.0, 1.0)
                })
                .collect();
            let product = |i: usize, j: usize| -> f64 {
                (0..n).map(|k| root[i * n + k] * root[j * n + k]).sum()
            };
            let cov: Vec<f64> = (0..n * n).map(|k| product(k / n, k % n)).collect();
            let gamma: Vec<f64> = (0..n).map(|_| numbers.between(-2.0, 2.0)).collect();
            let mut out = vec![f64::NAN; n * n];
            g.layer_covariance(&gamma, &cov, &mut out);
            for i in 0..n {
                for j in 0..n {
                    let at = Inputs {
                        gamma: gamma[i],
                        xi2: cov[i * n + i],
                        gamma_h: gamma[j],
                        xi2_h: cov[j * n + j],
                        cov: cov[i * n + j],
                    };
                    let one = g.pair_moments(&g, at).expect("a law").covariance;
                    let size = (out[i * n + i] * out[j * n + j]).sqrt();
                    let difference = (out[i * n + j] - one).abs();
                    assert!(difference <= 1e-13 * size, "{i} {j}: {difference:e} of {size:e}");
                    assert_eq!(out[i * n + j], out[j * n + i]);
                }
            }
            assert!(is_positive(&out, n, 1e-13));
        }
    }
}
