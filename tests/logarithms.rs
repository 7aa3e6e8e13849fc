//! Logarithms of mean and variance, far beyond where these underflow, beside values of 20 digits (from closed forms in
//! 3000 bits).

#![allow(
    clippy::excessive_precision,
    clippy::float_cmp,
    reason = "values of 20 digits; limits are exact"
)]

use gaussform::activations::{HardTanh, Relu, Relu2, Tent};
use gaussform::{Activation, Float, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut};

/// γ, and of the mean the logarithm and its derivatives in γ and ξ², for ξ² = 1.
type Row = (f64, [f64; 3]);

const RELU: [Row; 6] = [
    (-8.0, [-37.122364261692633, 8.2393965068400668851, 33.457586027360267541]),
    (-40.0, [-808.29856835661996024, 40.049906657648518193, 801.49813315297036385]),
    (-100.0, [-5010.1295788002497923, 100.01999400419586505, 5001.4997002097932525]),
    (-120.0, [-7210.4941303014886173, 120.01666319613117583, 7201.4997917678705497]),
    (-1000.0, [-500014.73445209115845, 1000.0019999940000420, 500001.49999700002100]),
    (-100000.0, [-5000000023.9447894634, 100000.00001999999999, 5000000001.4999999997]),
];

/// Of its variance.
const RELU_VARIANCE: [Row; 5] = [
    (-8.0, [-38.551998338968684791, 8.3543407813219895074, 34.417363125287958030]),
    (-40.0, [-811.29616922193427176, 40.074813546632753871, 802.49627093265507742]),
    (-100.0, [-5014.0419016408307530, 100.02998801078669987, 5002.4994005393349937]),
    (-1000.0, [-500020.94906318956414, 1000.0029999880001080, 500002.49999400005400]),
    (-100000.0, [-5000000034.7645677482, 100000.00002999999999, 5000000002.4999999994]),
];

/// Of the tent of width ½.
const TENT: [Row; 6] = [
    (-8.0, [-33.161205246451673098, 7.7357380560485305534, 29.431769724795838162]),
    (-40.0, [-788.39845835520851304, 39.550535987779019792, 781.62308571302527577]),
    (-100.0, [-4960.2445567371292362, 99.520094415907317170, 4951.6246971913890292]),
    (-120.0, [-7150.6107813048378367, 119.51673288740672813, 7141.6247900225520058]),
    (-1000.0, [-499514.85845184407731, 999.50200099449128322, 499501.62499699701879]),
    (-100000.0, [-4999950024.0697794634, 99999.500020000099994, 4999950001.6249999997]),
];

/// Of max(0, x)².
const RELU2: [Row; 3] = [
    (-8.0, [-38.551998338968684475, 8.3543407813219920698, 34.417363125287968279]),
    (-120.0, [-7214.5886831175234883, 120.02499305989211982, 7202.4995835935271892]),
    (-100000.0, [-5000000034.7645677482, 100000.00002999999999, 5000000002.4999999994]),
];

fn near<T: Float>(got: [T; 3], wanted: [f64; 3], place: &str) {
    let unit = if size_of::<T>() == 8 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    for (got, wanted) in got.into_iter().zip(wanted) {
        let error = (got.to_f64() - wanted).abs() / wanted.abs() / unit;
        assert!(error <= 8.0, "{place}: {got:?}, not {wanted:?}: {error} ulp");
    }
}

/// Single, and in slices, which are the same to a few units.
fn check<T: Float>(name: &str, activation: &impl Activation<T>, rows: &[Row], is_variance: bool) {
    let gamma: Vec<T> = rows.iter().map(|row| T::from_f64(row.0)).collect();
    let mut columns = vec![vec![T::ZERO; rows.len()]; 6];
    let slices: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    let slices = slices.try_into().unwrap_or_else(|_| unreachable!("six"));
    activation.log_moments_grad_into(
        &gamma,
        &vec![T::ONE; rows.len()],
        LogMomentsGradMut::new(slices),
    );
    for (i, (_, wanted)) in rows.iter().enumerate() {
        let single = activation.log_moments_grad(gamma[i], T::ONE).to_array();
        for values in [single, [0, 1, 2, 3, 4, 5].map(|k: usize| columns[k][i])] {
            let [mean, variance, a, b, c, d] = values;
            let got = if is_variance { [variance, c, d] } else { [mean, a, b] };
            near(got, *wanted, &format!("{name} at {}", gamma[i]));
        }
    }
}

#[test]
fn they_go_on_where_moments_underflow() {
    check::<f64>("relu", &Relu, &RELU, false);
    check::<f32>("relu", &Relu, &RELU, false);
    check::<f64>("relu", &Relu, &RELU_VARIANCE, true);
    check::<f32>("relu", &Relu, &RELU_VARIANCE, true);
    let tent = Tent::new(0.5).expect("a width");
    check::<f64>("tent", &tent, &TENT, false);
    check::<f32>("tent", &tent, &TENT, false);
    check::<f64>("relu2", &Relu2, &RELU2, false);
}

#[test]
fn a_function_that_may_be_negative_has_no_logarithm_of_its_mean() {
    let m: LogMomentsGrad<f64> = HardTanh.log_moments_grad(10.0, 0.01);
    let [mean, variance, a, b, c, d] = m.to_array();
    assert!([mean, a, b].into_iter().all(f64::is_nan), "{m:?}");
    assert!([variance, c, d].into_iter().all(f64::is_finite), "{m:?}");
    assert_eq!([Relu::NONNEGATIVE, Tent::NONNEGATIVE, HardTanh::NONNEGATIVE], [true, true, false]);
}

#[test]
fn at_zero_variance_they_are_limits() {
    let m: LogMomentsGrad<f64> = Relu.log_moments_grad(2.0, 0.0);
    assert_eq!(m.log_mean, 2.0_f64.ln());
    assert_eq!((m.log_variance, m.dlog_variance_dxi2), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((m.dlog_mean_dgamma, m.dlog_mean_dxi2), (0.5, 0.0));
    let m = Relu.log_moments(-2.0, 0.0);
    assert_eq!((m.log_mean, m.log_variance), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert!(Relu.log_moments(f64::NAN, 1.0).log_variance.is_nan());
    assert!(Relu.log_moments(0.0_f64, -1.0).log_mean.is_nan());
}

#[test]
#[should_panic(expected = "`log_variance` has 2 elements but `gamma` has 3")]
fn slices_of_different_length_panic() {
    let out = LogMomentsMut { log_mean: &mut [0.0; 3], log_variance: &mut [0.0; 2] };
    Relu.log_moments_into(&[0.0; 3], &[1.0; 3], out);
}
