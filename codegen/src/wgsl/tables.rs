//! The numbers of the runtime in single precision, as constants and polynomials of WGSL, so that none is typed twice.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces::record;

use super::number::{float, nearest_single};

/// The definitions that the prelude starts from, each by itself.
pub(super) fn definitions<T: Float>() -> Vec<String> {
    let [peak, peak_low] = T::DENSITY_PEAK;
    let [ln_4, ln_4_low] = T::LN_4;
    let scalars = [
        ("SPLITTER", T::SPLITTER),
        ("MAX", T::MAX),
        ("SMALL_VARIANCE", T::SMALL_VARIANCE),
        ("LARGE_VARIANCE", T::LARGE_VARIANCE),
        ("RESCALE", T::RESCALE),
        ("UNSCALE", T::UNSCALE),
        ("INVERSE_AT_ZERO_VARIANCE", T::INVERSE_AT_ZERO_VARIANCE),
        // Beyond it densities are 0, and powers of it overflow where numbers are split.
        ("S_MAX", T::S_MAX_VECTOR),
        ("DENSITY_UNIT", T::power_of_two(-T::DENSITY_EXPONENT)),
        ("LN_4", ln_4),
        ("LN_4_LOW", ln_4_low),
        ("LOG4_E", T::LOG4_E),
        ("DENSITY_PEAK", peak),
        ("DENSITY_PEAK_LOW", peak_low),
        ("DENSITY_SLOPE", T::DENSITY_SLOPE),
        ("HALF_UNIT", T::power_of_two(-T::DENSITY_EXPONENT / 2)),
        ("LEAST_MASS", T::power_of_two(LEAST_MASS)),
    ];
    let number = |(name, value): (&str, T)| constant(name, "f32", &float(value.to_f64()));
    let mut items: Vec<String> = scalars.into_iter().map(number).collect();
    let unit = T::power_of_two(T::DENSITY_EXPONENT).to_f64();
    let at_gamma = record::DENSITY_AT_GAMMA.map(|word| word * unit);
    for (name, words) in [("ROOT_TAU", record::ROOT_TAU), ("AT_GAMMA", at_gamma)] {
        let [high, low] = in_two(words);
        items.push(constant(name, "f32", &float(high)));
        items.push(constant(&format!("{name}_LOW"), "f32", &float(low)));
    }
    items.extend([
        constant("MODERATE", "i32", &MODERATE.to_string()),
        constant("DENSITY_EXPONENT", "i32", &T::DENSITY_EXPONENT.to_string()),
        horner("density_even", &numbers(T::DENSITY_EVEN)),
        horner("density_odd", &numbers(T::DENSITY_ODD)),
    ]);
    items
}

/// A mass below this power of two, in the unit of densities, counts as 0. One over it is far from overflow.
const LEAST_MASS: i32 = -112;

/// Where a piece varies by more than 2 to this, it is divided by a power of two: its square in the unit of densities is
/// far from overflow.
const MODERATE: i32 = 12;

/// Two words of double precision as two of single precision.
pub(super) fn in_two([high, low]: [f64; 2]) -> [f64; 2] {
    let first = f64::from(nearest_single(high));
    // The difference is exact.
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
