//! Points at which the obvious sum cancels, beside quadrature of 110 digits.

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{Inputs, PairMoments};

use crate::functions::declared;

fn relu() -> Dynamic {
    declared("g(x) = max(0, x)")
}

fn step() -> Dynamic {
    declared("g(x) = piecewise { x > 0: 1; else: 0 }")
}

fn at(g: &Dynamic, h: &Dynamic, [gamma, xi2, gamma_h, xi2_h, cov]: [f64; 5]) -> PairMoments {
    g.pair_moments(h, Inputs { gamma, xi2, gamma_h, xi2_h, cov }).expect("a law")
}

fn close(value: f64, truth: f64, relative: f64) {
    assert!((value / truth - 1.0).abs() <= relative, "{value:e} beside {truth:e}");
}

/// P(u > 0, w > 0) and E[u₊ w₊] far below their values for independent numbers. An exponent of 130 has lost 130 of its ulp.
#[test]
fn products_of_tails_relative_to_themselves() {
    let far = [-3.0, 1.0, -4.0, 1.0, -0.9];
    close(at(&step(), &step(), far).mixed, 1.624_719_821_142_761_3e-57, 1e-13);
    close(at(&relu(), &relu(), far).mixed, 1.289_667_955_230_378e-60, 1e-13);
    close(at(&relu(), &relu(), far).dcovariance_dcov, 1.624_719_821_142_761_3e-57, 1e-13);
    let both = [-8.0, 1.0, -8.0, 1.0, -0.3];
    close(at(&step(), &step(), both).mixed, 2.461_353_984_230_994_7e-43, 1e-13);
    let opposite = [0.0, 1e8, 0.0, 1e8, -99_999_999.0];
    close(at(&relu(), &relu(), opposite).mixed, 1.500_527_194_345_440_3e-5, 2e-13);
}

/// A sum of densities with signs, none of which is a difference.
#[test]
fn jumps_far_from_the_mean() {
    let quantised = declared(
        "g(x) = piecewise { x < -3/2: -2; x < -1/2: -1; x < 1/2: 0; x < 3/2: 1; else: 2 }",
    );
    let cut = declared("g(x) = piecewise { x < -1/4: 0; x < 2: 1; else: 0 }");
    let law = [66.154_090_562_954_14, 64.0, 1.590_726_013_027_841_3, 1.0, 4.0];
    let density = |a: f64, b: f64| {
        let (a, b, r) = ((a - law[0]) / 8.0, b - law[2], 0.5_f64);
        let rest = 1.0 - r * r;
        let q = (a * a - 2.0 * r * a * b + b * b) / rest;
        (-q / 2.0).exp() / (8.0 * std::f64::consts::TAU * rest.sqrt())
    };
    let truth: f64 =
        [-1.5, -0.5, 0.5, 1.5].iter().map(|a| density(*a, -0.25) - density(*a, 2.0)).sum();
    // The exponents, up to 60, are of one word here.
    close(at(&quantised, &cut, law).dcovariance_dcov, truth, 1e-13);
}
