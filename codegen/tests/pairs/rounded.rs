//! Columns, in both precisions, and covariances that rounding has put on either side of their bound.

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{Inputs, Outputs};

use crate::functions::{Any, Numbers, count, declared};

/// By columns of one precision.
fn columns<T: gaussform_runtime::Float>(g: &Dynamic, h: &Dynamic, at: &[[T; 5]]) -> Vec<[f64; 7]> {
    let inputs: [Vec<T>; 5] = core::array::from_fn(|k| at.iter().map(|row| row[k]).collect());
    let mut out: [Vec<T>; 7] = core::array::from_fn(|_| vec![T::NAN; at.len()]);
    let columns = out.each_mut().map(|column| &mut column[..]);
    g.pair_moments_into(h, inputs.each_ref().map(|column| &column[..]), Outputs { columns });
    (0..at.len()).map(|i| core::array::from_fn(|k| out[k][i].to_f64())).collect()
}

fn law(at: [f64; 5]) -> Inputs {
    let [gamma, xi2, gamma_h, xi2_h, cov] = at;
    Inputs { gamma, xi2, gamma_h, xi2_h, cov }
}

#[test]
fn columns_are_single_pairs() {
    let mut numbers = Numbers::new(31);
    for _ in 0..count(10) {
        let (g, h) = (Any::random(&mut numbers).dynamic(), Any::random(&mut numbers).dynamic());
        let mut single = || {
            let (s, t) = (numbers.between(-3.0, 3.0).exp2(), numbers.between(-3.0, 3.0).exp2());
            let rho = numbers.between(-4.0, 4.0).tanh();
            let [gamma, gamma_h] = [0; 2].map(|_| numbers.between(-3.0, 3.0));
            [gamma, s * s, gamma_h, t * t, rho * s * t * 0.999_999].map(|x| x as f32)
        };
        let at: Vec<[f32; 5]> = (0..20).map(|_| single()).collect();
        let wide: Vec<[f64; 5]> = at.iter().map(|row| row.map(f64::from)).collect();
        let (narrow, double) = (columns(&g, &h, &at), columns(&g, &h, &wide));
        for (i, at) in wide.iter().enumerate() {
            let truth = g.pair_moments(&h, law(*at)).expect("a law").to_array();
            let size = truth.iter().fold(0.0, |size: f64, x| x.abs().max(size));
            for k in 0..7 {
                // The machine's vectors round otherwise than single numbers.
                let difference = (double[i][k] - truth[k]).abs();
                assert!(difference <= 1e-12 * size, "{k}: {difference:e} of {size:e} at {at:?}");
                assert_eq!(narrow[i][k], f64::from(double[i][k] as f32));
            }
        }
    }
}

#[test]
fn single_precision_reaches_the_bound() {
    let mut numbers = Numbers::new(32);
    for _ in 0..count(10) {
        let (g, h) = (Any::random(&mut numbers).dynamic(), Any::random(&mut numbers).dynamic());
        let mut at = || {
            let [v, w] = [0; 2].map(|_| numbers.between(-6.0, 6.0).exp2() as f32);
            let [gamma, gamma_h] = [0; 2].map(|_| numbers.between(-2.0, 2.0) as f32);
            let sign = if numbers.next() < 0.5 { -1.0 } else { 1.0 };
            [gamma, v, gamma_h, w, sign * (v.sqrt() * w.sqrt())]
        };
        let at: Vec<[f32; 5]> = (0..30).map(|_| at()).collect();
        for (values, at) in columns(&g, &h, &at).iter().zip(&at) {
            assert!(values[..6].iter().all(|x| x.is_finite()), "{at:?}: {values:?}");
            let far = at.map(|x| x * 1.001);
            assert!(columns(&g, &h, &[[at[0], at[1], at[2], at[3], far[4]]])[0][1].is_nan());
        }
    }
}

#[test]
fn double_precision_at_the_bound() {
    let relu = declared("g(x) = max(0, x)");
    let mut numbers = Numbers::new(33);
    for _ in 0..200 {
        let [v, w] = [0; 2].map(|_| numbers.between(-9.0, 9.0).exp2());
        let bound = v.sqrt() * w.sqrt();
        let value = |cov: f64| {
            let at = Inputs { gamma: 0.0, xi2: v, gamma_h: 0.0, xi2_h: w, cov };
            relu.pair_moments(&relu, at).expect("a law").mixed
        };
        for cov in [bound, bound.next_up(), bound.next_down()] {
            assert!((value(cov) / (bound / 2.0) - 1.0).abs() < 1e-12);
            assert!(value(-cov).abs() < 1e-12 * bound);
        }
    }
}

#[test]
fn polynomials_of_a_high_degree() {
    let high = declared("g(x) = x^40/10^20");
    let (hat, relu) = (declared("g(x) = max(0, 1/8 - |x|)"), declared("g(x) = max(0, x)"));
    for other in [&hat, &relu] {
        for rho in [0.1, 0.6, 0.9999] {
            let at = Inputs { gamma: 0.2, xi2: 1.0, gamma_h: 0.1, xi2_h: 1.0, cov: rho };
            let m = high.pair_moments(other, at).expect("a law");
            assert!(m.to_array().iter().all(|x| x.is_finite()), "{m:?}");
            let step = 1e-5;
            let shifted = |by: f64| {
                let at = Inputs { gamma: 0.2 + by, ..at };
                high.pair_moments(other, at).expect("a law").covariance
            };
            let slope = (shifted(step) - shifted(-step)) / (2.0 * step);
            let size = slope.abs().max(m.covariance.abs());
            assert!((slope - m.dcovariance_dgamma).abs() < 1e-4 * size, "{slope} {m:?}");
        }
    }
}
