//! The numbers of the runtime in single precision, as constants and polynomials of WGSL, so that none is typed twice.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces::record;
use gaussform_runtime::kernel::powers::INVERSE_FACTORIALS;
use gaussform_runtime::kernel::DOUBLE_STEPS;

use super::number::{float, nearest_single};

/// The definitions that the prelude starts from, each by itself.
pub(super) fn definitions() -> Vec<String> {
    of_precision::<f32>()
}

fn of_precision<T: Float>() -> Vec<String> {
    let [peak, peak_low] = T::DENSITY_PEAK;
    let [ln_4, ln_4_low] = T::LN_4;
    let decay = T::DECAY;
    let scalars = [
        ("SPLITTER", T::SPLITTER),
        ("MAX", T::MAX),
        ("SMALL_VARIANCE", T::SMALL_VARIANCE),
        ("LARGE_VARIANCE", T::LARGE_VARIANCE),
        ("RESCALE", T::RESCALE),
        ("UNSCALE", T::UNSCALE),
        ("INVERSE_AT_REST", T::INVERSE_AT_REST),
        // Beyond it densities are 0, and powers of it overflow where numbers are split.
        ("S_MAX", T::S_MAX_VECTOR),
        ("NEGLIGIBLE", T::power_of_two(T::NEGLIGIBLE_EXPONENT + T::DENSITY_EXPONENT)),
        ("DENSITY_UNIT", T::power_of_two(-T::DENSITY_EXPONENT)),
        ("LN_4", ln_4),
        ("LN_4_LOW", ln_4_low),
        ("LOG4_E", T::LOG4_E),
        ("DENSITY_PEAK", peak),
        ("DENSITY_PEAK_LOW", peak_low),
        ("DENSITY_SLOPE", T::DENSITY_SLOPE),
        ("HALF_UNIT", T::power_of_two(-T::DENSITY_EXPONENT / 2)),
        ("LEAST_MASS", T::power_of_two(LEAST_MASS)),
        ("DECAY_MIDDLE", decay.middle[0]),
        ("DECAY_MIDDLE_LOW", decay.middle[1]),
        ("DECAY_SLOPE", decay.slope),
    ];
    let number = |(name, value): (&str, T)| constant(name, "f32", &float(value.to_f64()));
    let mut items: Vec<String> = scalars.into_iter().map(number).collect();
    let unit = T::power_of_two(T::DENSITY_EXPONENT).to_f64();
    let at_gamma = record::DENSITY_AT_REST.map(|word| word * unit);
    for (name, words) in [("ROOT_TAU", record::ROOT_TAU), ("AT_GAMMA", at_gamma)] {
        let [high, low] = in_two(words);
        items.push(constant(name, "f32", &float(high)));
        items.push(constant(&format!("{name}_LOW"), "f32", &float(low)));
    }
    let start = T::POWERS.start;
    items.extend([
        constant("STRAIGHT", "f32", &float(T::STRAIGHT)),
        constant("MODERATE", "i32", &MODERATE.to_string()),
        constant("DENSITY_EXPONENT", "i32", &T::DENSITY_EXPONENT.to_string()),
        constant("POWERS_START", "i32", &start.to_string()),
        constant("POWERS_MOMENTS", "i32", &(start + 1).to_string()),
        horner("density_even", &numbers(T::DENSITY_EVEN)),
        horner("density_odd", &numbers(T::DENSITY_ODD)),
        horner("decay_even", &numbers(decay.even)),
        horner("decay_odd", &numbers(decay.odd)),
        choice("powers_last", "i32", T::POWERS.last.map(|last| last.to_string()).to_vec()),
        choice(
            "inverse_factorial",
            "f32",
            INVERSE_FACTORIALS[..=start].iter().map(|value| float(*value)).collect(),
        ),
    ]);
    for (i, fit) in T::FITS.iter().enumerate() {
        for (name, coefficients) in [("p", fit.p), ("q", fit.q)] {
            items.push(horner(&format!("fit_{i}_{name}"), &numbers(coefficients)));
            items.push(precise(&format!("precise_fit_{i}_{name}"), &numbers(coefficients)));
        }
    }
    items
}

/// A mass below this power of two, in the unit of densities, counts as 0. One over it is far from overflow.
const LEAST_MASS: i32 = -112;

/// Where a piece varies by more than 2 to this, it is taken less a power of two: its square in the unit of densities is
/// far from overflow.
const MODERATE: i32 = 12;

/// Two words of double precision as two of single precision.
pub(super) fn in_two([high, low]: [f64; 2]) -> [f64; 2] {
    let first = f64::from(nearest_single(high));
    [first, (high - first) + low]
}

fn numbers<T: Float>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

fn constant(name: &str, kind: &str, value: &str) -> String {
    format!("const GSF_{name}: {kind} = {value};")
}

/// Steps of Horner's rule.
fn steps(coefficients: &[f64]) -> String {
    let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
    let step = |c: &f64| format!("    sum = sum * x + {};\n", float(*c));
    let steps: String = rest.iter().rev().map(step).collect();
    format!("    var sum: f32 = {};\n{steps}", float(*last))
}

/// A polynomial.
fn horner(name: &str, coefficients: &[f64]) -> String {
    format!("fn gsf_{name}(x: f32) -> f32 {{\n{}    return sum;\n}}", steps(coefficients))
}

/// A polynomial with positive coefficients, its last steps in double words.
fn precise(name: &str, coefficients: &[f64]) -> String {
    let (last, first) = coefficients.split_at(DOUBLE_STEPS);
    let step = |value, c: &f64| format!("gsf_precise_step({value}, x, {})", float(*c));
    let value = last.iter().rev().fold("gsf_pair_exact(sum)".to_owned(), step);
    format!("fn gsf_{name}(x: f32) -> gsf_pair {{\n{}    return {value};\n}}", steps(first))
}

/// A number by its index.
fn choice(name: &str, kind: &str, values: Vec<String>) -> String {
    let (last, rest) = values.split_last().expect("there are numbers");
    let arms = rest.iter().enumerate();
    let arms: String =
        arms.map(|(i, v)| format!("        case {i}: {{ return {v}; }}\n")).collect();
    format!(
        "fn gsf_{name}(i: i32) -> {kind} {{\n    switch (i) {{\n{arms}        default: {{ return {last}; }}\n    \
         }}\n}}"
    )
}
