//! The batched methods as vectors: what they say of an element depends neither on where it stands
//! in a slice nor on the slice's length nor on its neighbours, and agrees with the scalar methods.

use gaussform_accuracy::error::{Measure, Precision, QUANTITIES};
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::to_f64;
use gaussform_accuracy::registry::{self, Entry};
use gaussform_accuracy::tolerance::tolerance;
use gaussform_accuracy_kernels::Kernels;

/// The activations, of every kind of kernel.
const NAMES: [&str; 12] = [
    "relu",
    "hard_tanh",
    "hat",
    "abs",
    "sign_of",
    "relu2",
    "abs_square",
    "clamp_cubed",
    "staircase",
    "close_knots",
    "soft_shrink(0.3)",
    "smooth_ramp(-1, 2)",
];

/// Longer than four vectors of 16, and no multiple.
const LENGTH: usize = 67;

fn entries() -> Vec<Entry> {
    let chosen: Vec<Entry> = registry::all()
        .into_iter()
        .filter(|entry| NAMES.contains(&entry.function.name.as_str()))
        .collect();
    assert_eq!(chosen.len(), NAMES.len());
    chosen
}

/// Numbers that a batch writes for each element, by all of its three methods.
const COLUMNS: usize = 12;

/// The quantity that a column holds, see [`QUANTITIES`].
const QUANTITY: [usize; COLUMNS] = [0, 2, 0, 2, 3, 4, 5, 6, 3, 4, 5, 6];

fn batch<T: Precision>(kernels: &dyn Kernels<T>, gamma: &[T], xi2: &[T]) -> [Vec<T>; COLUMNS] {
    let [a, b] = kernels.batch(gamma, xi2);
    let [c, d, e, f, g, h] = kernels.batch_grad(gamma, xi2);
    let [i, j] = kernels.batch_vjp(gamma, xi2, T::ONE, T::ZERO);
    let [k, l] = kernels.batch_vjp(gamma, xi2, T::ZERO, T::ONE);
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// One element of each column, bit by bit; all NaN are the same.
fn bits<T: Precision>(columns: &[Vec<T>; COLUMNS], i: usize) -> [u64; COLUMNS] {
    std::array::from_fn(|column| {
        let value = columns[column][i].to_f64();
        if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
    })
}

/// γ and ξ² on, near and far from the knots.
fn ordinary<T: Precision>(entry: &Entry, n: usize) -> (Vec<T>, Vec<T>) {
    let all = points::<T>(&entry.function, 2 * n);
    let usual = all.into_iter().filter(|(gamma, xi2)| {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        gamma.abs() < 1e6 && (1e-12..1e12).contains(&xi2)
    });
    let (gamma, xi2): (Vec<T>, Vec<T>) = usual.take(n).unzip();
    assert_eq!(gamma.len(), n, "enough points");
    (gamma, xi2)
}

/// Numbers that kernels treat by themselves.
fn special<T: Precision>(entry: &Entry) -> Vec<(T, T)> {
    let nan = f64::NAN;
    let infinity = f64::INFINITY;
    let least = T::TINY * T::EPSILON;
    let mut out = vec![
        (nan, 1.0),
        (0.25, nan),
        (nan, nan),
        (infinity, 1.0),
        (-infinity, 1.0),
        (0.25, infinity),
        (infinity, infinity),
        (0.25, -1.0),
        (0.25, -infinity),
        (nan, 0.0),
        (0.25, 0.0),
        (0.25, -0.0),
        (-0.0, 1.0),
        (least, 1.0),
        (0.25, least),
        (0.25, T::TINY),
        (0.0, T::TINY),
        (T::HUGE, 1.0),
        (-T::HUGE, 1.0),
        (0.25, T::HUGE),
        (T::HUGE, T::HUGE),
        (T::HUGE, 0.0),
        (T::HUGE, least),
    ];
    for knot in &entry.function.knots {
        let knot = to_f64(knot);
        out.extend([(knot, 0.0), (knot, -0.0), (knot, least), (knot, T::HUGE), (knot, nan)]);
    }
    out.into_iter().map(|(gamma, xi2)| (T::from_f64(gamma), T::from_f64(xi2))).collect()
}

/// Any length, any start: also slices that no vector is aligned with.
fn position_and_length<T: Precision>() {
    for entry in entries() {
        let kernels = T::kernels(&entry);
        let (gamma, xi2) = ordinary::<T>(&entry, LENGTH + 20);
        let long = batch(kernels, &gamma, &xi2);
        for length in 0..=LENGTH {
            for start in (0..20).step_by(if length % 8 == 3 { 1 } else { 7 }) {
                let range = start..start + length;
                let part = batch(kernels, &gamma[range.clone()], &xi2[range]);
                assert!(part.iter().all(|column| column.len() == length));
                for i in 0..length {
                    assert_eq!(
                        bits(&part, i),
                        bits(&long, start + i),
                        "{} in {}: element {i} of {length} from {start}, γ = {}, ξ² = {}",
                        entry.function.name,
                        T::NAME,
                        gamma[start + i],
                        xi2[start + i],
                    );
                }
            }
        }
    }
}

#[test]
fn position_and_length_do_not_matter() {
    position_and_length::<f64>();
    position_and_length::<f32>();
}

/// Long slices are computed in the order of their regimes.
fn order_of_regimes<T: Precision>() {
    // Blocks of 512, whole and not, with a rest that fills no vector.
    const LONG: usize = 1201;
    for entry in entries() {
        let kernels = T::kernels(&entry);
        let (mut gamma, mut xi2) = ordinary::<T>(&entry, LONG);
        for (i, (at, by)) in special::<T>(&entry).into_iter().enumerate() {
            let place = 41 * i % LONG;
            (gamma[place], xi2[place]) = (at, by);
        }
        // Neighbours are of all regimes.
        let mixed = |all: &[T]| (0..LONG).map(|i| all[i * 397 % LONG]).collect::<Vec<T>>();
        let (gamma, xi2) = (mixed(&gamma), mixed(&xi2));
        let short: Vec<_> = gamma
            .chunks(LENGTH)
            .zip(xi2.chunks(LENGTH))
            .map(|(gamma, xi2)| batch(kernels, gamma, xi2))
            .collect();
        for length in [127, 128, 129, 511, 512, 513, 1040, LONG] {
            let long = batch(kernels, &gamma[..length], &xi2[..length]);
            for i in 0..length {
                assert_eq!(
                    bits(&long, i),
                    bits(&short[i / LENGTH], i % LENGTH),
                    "{} in {}: element {i} of {length}, γ = {}, ξ² = {}",
                    entry.function.name,
                    T::NAME,
                    gamma[i],
                    xi2[i],
                );
            }
        }
    }
}

#[test]
fn the_order_of_regimes_does_not_matter() {
    order_of_regimes::<f64>();
    order_of_regimes::<f32>();
}

/// A special number in each lane of two vectors of 16 and in the rest behind them.
fn neighbours<T: Precision>() {
    const LANES: usize = 37;
    for entry in entries() {
        let kernels = T::kernels(&entry);
        let name = format!("{} in {}", entry.function.name, T::NAME);
        let (gamma, xi2) = ordinary::<T>(&entry, LANES);
        let plain = batch(kernels, &gamma, &xi2);
        for (at, by) in special::<T>(&entry) {
            let mut first = None;
            for lane in 0..LANES {
                let (mut gamma, mut xi2) = (gamma.clone(), xi2.clone());
                (gamma[lane], xi2[lane]) = (at, by);
                let disturbed = batch(kernels, &gamma, &xi2);
                for i in 0..LANES {
                    let expected = if i == lane {
                        *first.get_or_insert_with(|| bits(&disturbed, i))
                    } else {
                        bits(&plain, i)
                    };
                    assert_eq!(
                        bits(&disturbed, i),
                        expected,
                        "{name}: element {i} with γ = {at}, ξ² = {by} in lane {lane}"
                    );
                }
            }
        }
    }
}

#[test]
fn neighbours_do_not_matter() {
    neighbours::<f64>();
    neighbours::<f32>();
}

/// The columns of a batch for one element, from the scalar methods.
fn scalar<T: Precision>(kernels: &dyn Kernels<T>, gamma: T, xi2: T) -> [T; COLUMNS] {
    let m = kernels.moments(gamma, xi2);
    let [mean, _, variance, a, b, c, d] = kernels.moments_grad(gamma, xi2).to_array();
    let by = |d_mean: T, d_variance: T, of_mean: T, of_variance: T| {
        d_mean * of_mean + d_variance * of_variance
    };
    let (one, zero) = (T::ONE, T::ZERO);
    [
        m.mean,
        m.variance,
        mean,
        variance,
        a,
        b,
        c,
        d,
        by(one, zero, a, c),
        by(one, zero, b, d),
        by(zero, one, a, c),
        by(zero, one, b, d),
    ]
}

/// NaN, infinite, 0 or another number.
fn class(x: f64) -> &'static str {
    match x.classify() {
        std::num::FpCategory::Nan => "NaN",
        std::num::FpCategory::Infinite if x > 0.0 => "∞",
        std::num::FpCategory::Infinite => "−∞",
        _ => "finite",
    }
}

fn special_values<T: Precision>(failures: &mut String) {
    for entry in entries() {
        let kernels = T::kernels(&entry);
        for (gamma, xi2) in special::<T>(&entry) {
            let columns = batch(kernels, &[gamma; 19], &[xi2; 19]);
            let one_by_one = scalar(kernels, gamma, xi2);
            let invalid = gamma.to_f64().is_nan() || xi2.to_f64().is_nan() || xi2 < T::ZERO;
            for column in 0..COLUMNS {
                let [got, expected] = [columns[column][7], one_by_one[column]].map(T::to_f64);
                // Products of vectors and derivatives, which `scalar` forms in the precision itself:
                // 0 times a derivative that overflows there only.
                let overflows = column >= 8 && expected.is_nan() && !invalid;
                let same = if overflows {
                    true
                } else if xi2 == T::ZERO && !got.is_nan() {
                    // At zero variance there is nothing to round.
                    got == expected
                } else {
                    class(got) == class(expected)
                };
                if !same || invalid && !got.is_nan() {
                    *failures += &format!(
                        "{} in {}, {} (column {column}) at γ = {gamma:e}, ξ² = {xi2:e}: {got:e}, alone {expected:e}\n",
                        entry.function.name,
                        T::NAME,
                        QUANTITIES[QUANTITY[column]],
                        gamma = gamma.to_f64(),
                        xi2 = xi2.to_f64(),
                    );
                }
            }
        }
    }
}

#[test]
fn special_values_are_those_of_the_scalar_methods() {
    let mut failures = String::new();
    special_values::<f64>(&mut failures);
    special_values::<f32>(&mut failures);
    assert!(failures.is_empty(), "{failures}");
}

fn vector_and_scalar<T: Precision>(failures: &mut String) {
    let oracle = Oracle::default();
    for entry in entries() {
        let kernels = T::kernels(&entry);
        let (gamma, xi2) = ordinary::<T>(&entry, 200);
        let columns = batch(kernels, &gamma, &xi2);
        for i in 0..gamma.len() {
            let (at, by) = (gamma[i].to_f64(), xi2[i].to_f64());
            let truth = oracle.truth(&entry.function, at, by);
            let measure =
                if entry.is_table { Measure::of_table(&truth, by) } else { Measure::new(&truth) };
            let one_by_one = scalar(kernels, gamma[i], xi2[i]);
            for column in 0..COLUMNS {
                let quantity = QUANTITY[column];
                let [got, expected] = [columns[column][i], one_by_one[column]].map(T::to_f64);
                let error = (got - expected).abs() / measure.unit::<T>(quantity);
                let tiny = (got - expected).abs() <= T::TINY;
                let same = tiny || got == expected || got.is_nan() && expected.is_nan();
                // Either may be as far from the truth as is promised.
                let apart = 2.0 * tolerance::<T>(&entry, quantity);
                if !same && (error.is_nan() || error > apart) {
                    *failures += &format!(
                        "{} in {}, {} (column {column}) at γ = {at:.16e}, ξ² = {by:.16e}: {error:.1} ulp, {got:e}, alone {expected:e}\n",
                        entry.function.name,
                        T::NAME,
                        QUANTITIES[quantity],
                    );
                }
            }
        }
    }
}

#[test]
fn vectors_agree_with_scalars() {
    let mut failures = String::new();
    vector_and_scalar::<f64>(&mut failures);
    vector_and_scalar::<f32>(&mut failures);
    assert!(failures.is_empty(), "{failures}");
}
