//! Properties that any covariance must have.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{ACCURACY, Inputs, InvalidLaw};

use crate::functions::{Kinked, Numbers, declared, random_law, some};

#[test]
fn the_order_of_the_two_does_not_matter() {
    let (all, mut numbers) = (some(), Numbers::new(2));
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
    let mut numbers = Numbers::new(3);
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
    let (all, mut numbers) = (some(), Numbers::new(4));
    for i in 0..700 {
        let g = &all[i % all.len()];
        let s = numbers.between(-10.0, 10.0).exp2();
        let (gamma, xi2) = (numbers.between(-4.0, 4.0) * s, s * s);
        let at = Inputs { gamma, xi2, gamma_h: gamma, xi2_h: xi2, cov: xi2 };
        let value = g.pair_moments(g, at).expect("a law").covariance;
        let truth = g.moments(gamma, xi2).variance;
        // Two narrow pieces that meet are an integral of a kink.
        assert!((value - truth).abs() <= 1e-13 * truth, "{i}: {value:e} {truth:e} at {at:?}");
    }
}

#[test]
fn tiny_variances_of_strong_correlations() {
    for text in ["max(0, x)", "step(x)"] {
        let g = declared(text);
        for cov in [0.96, 0.97, -0.99] {
            let at = Inputs { gamma: 0.3, xi2: 1.0, gamma_h: -0.4, xi2_h: 1.0, cov };
            // Of units of 2ᵉ nothing is rounded but the square of the variance, which has a few bits or none.
            for e in [-262, -266, -268, -300, -450] {
                let unit = f64::from(e).exp2();
                let [gamma, gamma_h] = [at.gamma, at.gamma_h].map(|mean| mean * unit);
                let square = unit * unit;
                let small =
                    Inputs { gamma, xi2: square, gamma_h, xi2_h: square, cov: cov * square };
                let [one, tiny] = [at, small].map(|at| g.pair_moments(&g, at).expect("a law"));
                let scale = if text == "step(x)" { 1.0 } else { square };
                let error = (tiny.covariance / scale / one.covariance - 1.0).abs();
                assert!(error <= 1e-13, "{text}: {error:e} at {small:?}");
            }
        }
    }
}

#[test]
fn what_is_exact() {
    let (all, mut numbers) = (some(), Numbers::new(5));
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
    let (all, mut numbers) = (some(), Numbers::new(7));
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
