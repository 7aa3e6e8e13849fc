//! Where functions are evaluated, and what is measured.

use gaussform_accuracy::points::Random;
use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::{Activation, Float, MomentsGradMut};

/// γ and ξ² beside the knots, at every scale.
pub(crate) fn point(random: &mut Random, knots: &[f64], is_single: bool) -> [f64; 2] {
    let knot = *random.of(knots);
    let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let width = if widths.is_empty() { 1.0 } else { *random.of(&widths) };
    let far = if is_single { 6.0 } else { 30.0 };
    let xi2 = match random.draw() % 4 {
        0 => random.between(-6.0, 4.0).exp(),
        1 => (width * 10_f64.powf(random.between(-2.5, 2.5))).powi(2),
        2 => 10_f64.powf(random.between(-6.0, 6.0)),
        _ => 10_f64.powf(random.between(-far, far)),
    };
    let tail = if is_single { 12.0 } else { 37.0 };
    let z = match random.draw() % 5 {
        0 => 0.0,
        1 => random.between(-1.0, 1.0),
        2 => random.between(-8.0, 8.0),
        3 => random.between(-tail, tail),
        _ => 10_f64.powf(random.between(-9.0, -1.0)),
    };
    let gamma = knot + z * xi2.sqrt();
    let gamma = if random.draw().is_multiple_of(10) { knot * (1.0 + f64::EPSILON) } else { gamma };
    if is_single { [f64::from(gamma as f32), f64::from(xi2 as f32)] } else { [gamma, xi2] }
}

/// The largest error of a result in units in the last place: the mean beside the root of the second moment, its
/// derivatives beside √Var/ξ and √Var/ξ², those of the variance beside Var/ξ and Var/ξ², each if it is larger
/// than the value.
pub(crate) fn error(
    truth: &[f64; 7],
    xi2: f64,
    got: &[f64; 7],
    is_single: bool,
    share_of_slope: f64,
) -> f64 {
    let (second, variance, xi) = (truth[1], truth[2], xi2.sqrt());
    let deviation = variance.sqrt();
    let scales = [
        second.sqrt(),
        second,
        variance,
        deviation / xi,
        deviation / xi2,
        variance / xi,
        variance / xi2,
    ];
    let (unit, least, most) = if is_single {
        (f64::from(f32::EPSILON), 1e-33, 1e33)
    } else {
        (f64::EPSILON, 1e-290, 1e290)
    };
    let of = |i: usize| {
        let scale = scales[i].max(truth[i].abs());
        if !(scale > least && scale < most) {
            return if got[i].is_nan() { f64::INFINITY } else { 0.0 };
        }
        let error = (got[i] - truth[i]).abs() / scale / unit;
        let is_impossible = error.is_nan() || (1..=2).contains(&i) && got[i] < 0.0;
        if is_impossible { f64::INFINITY } else { error }
    };
    // What is promised of the last two is another share.
    let share = |i: usize| if i >= 5 { of(i) * share_of_slope } else { of(i) };
    (0..7).map(share).fold(0.0, f64::max)
}

/// A slice by the batched method, the second moment from the others.
pub(crate) fn slice<T: Float>(table: &Table<'_>, points: &[[f64; 2]]) -> Vec<[f64; 7]> {
    let [gamma, xi2] = [0, 1].map(|i| points.iter().map(|p| T::from_f64(p[i])).collect::<Vec<_>>());
    let mut columns = vec![vec![T::ZERO; points.len()]; 6];
    let slices: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    let slices = slices.try_into().unwrap_or_else(|_| unreachable!("six"));
    table.moments_grad_into(&gamma, &xi2, MomentsGradMut::new(slices));
    let row = |i: usize| {
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|k: usize| columns[k][i].to_f64());
        [a, b + a * a, b, c, d, e, f]
    };
    (0..points.len()).map(row).collect()
}

/// Asserts that products with cotangents are those of the derivatives, whose slices have just been computed.
pub(crate) fn check_products(
    table: &Table<'_>,
    points: &[[f64; 2]],
    results: &[[f64; 7]],
    name: &str,
) {
    const COTANGENTS: [f64; 2] = [0.7, -1.3];
    let [gamma, xi2] = [0, 1].map(|i| points.iter().map(|p| p[i]).collect::<Vec<_>>());
    let [of_mean, of_variance] = COTANGENTS.map(|cotangent| vec![cotangent; points.len()]);
    let [mut by_gamma, mut by_xi2] = [0, 1].map(|_| vec![0.0; points.len()]);
    table.vjp_into(&gamma, &xi2, &of_mean, &of_variance, &mut by_gamma, &mut by_xi2);
    for (i, [_, _, _, a, b, c, d]) in results.iter().enumerate() {
        for (got, [mean, variance]) in [(by_gamma[i], [a, c]), (by_xi2[i], [b, d])] {
            let terms = [COTANGENTS[0] * mean, COTANGENTS[1] * variance];
            let size = terms[0].abs() + terms[1].abs();
            let error = (got - (terms[0] + terms[1])).abs();
            let is_same = !size.is_finite() || error <= 1e-15 * size + f64::MIN_POSITIVE;
            assert!(is_same, "{name} at {:?}: {got:e} for {terms:?}", points[i]);
        }
    }
}
