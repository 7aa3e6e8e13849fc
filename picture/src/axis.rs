//! Axes: from numbers to pixels, and the numbers that are written at them.

use std::ops::Range;

/// Numbers along an axis and where they stand.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) numbers: Range<f64>,
    pub(crate) pixels: Range<f64>,
}

impl Axis {
    pub(crate) fn place(&self, number: f64) -> f64 {
        let share = (number - self.numbers.start) / (self.numbers.end - self.numbers.start);
        self.pixels.start + share * (self.pixels.end - self.pixels.start)
    }

    pub(crate) fn length(&self) -> f64 {
        (self.pixels.end - self.pixels.start).abs()
    }

    /// About `about` round numbers on the axis, each with its label.
    pub(crate) fn ticks(&self, about: f64) -> Vec<(f64, String)> {
        let Range { start, end } = self.numbers;
        let rough = (end - start) / about;
        let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
        let step = step * power;
        let first = libm::ceil(start / step - 1e-9);
        let count = libm::floor(end / step + 1e-9) - first;
        (0..=whole(count))
            .map(|i| (first + f64::from(i)) * step)
            .map(|n| (n, label(n, step)))
            .collect()
    }

    /// Every power of ten whose exponent, which is the number, is a multiple of `every`.
    pub(crate) fn powers(&self, every: f64) -> Vec<(f64, String)> {
        let first = libm::ceil(self.numbers.start / every);
        let count = libm::floor(self.numbers.end / every) - first;
        let power = |i| every * (first + f64::from(i));
        (0..=whole(count)).map(power).map(|n| (n, format!("10{}", raised(n)))).collect()
    }

    /// Every whole number, which is the exponent of a power of two.
    pub(crate) fn doublings(&self) -> Vec<(f64, String)> {
        let first = libm::ceil(self.numbers.start);
        let count = libm::floor(self.numbers.end) - first;
        let exponents = (0..=whole(count)).map(|i| first + f64::from(i));
        exponents.map(|n| (n, libm::exp2(n).to_string())).collect()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a few ticks")]
fn whole(count: f64) -> i32 {
    count.clamp(0.0, 100.0) as i32
}

/// A multiple of a round step, without needless digits.
fn label(number: f64, step: f64) -> String {
    let exponent = libm::floor(libm::log10(step) + 1e-9);
    let size = libm::fabs(number);
    if size < 1e-9 * step {
        return "0".to_owned();
    }
    if size >= 1e6 || exponent < -4.0 {
        let text = format!("{number:.1e}").replace(".0e", "e");
        return text.replace('-', "−");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 4")]
    let digits = (-exponent).max(0.0) as usize;
    format!("{number:.digits$}").replace('-', "−")
}

/// A whole number as an exponent.
fn raised(number: f64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    };
    format!("{:.0}", number + 0.0).chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(numbers: Range<f64>) -> String {
        let ticks = Axis { numbers, pixels: 0.0..1.0 }.ticks(6.0);
        ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(written(-4.0..4.0), "−4 −2 0 2 4");
        assert_eq!(written(-0.31..0.52), "−0.2 0 0.2 0.4");
        assert_eq!(written(0.0..2.0e7), "0 5e6 1e7 1.5e7 2e7");
        assert_eq!(written(-1.0e-6..1.0e-6), "−1e−6 −5e−7 0 5e−7 1e−6");
        assert_eq!(written(1.0e-6..3.0e-6), "1e−6 1.5e−6 2e−6 2.5e−6 3e−6");
    }

    #[test]
    fn doublings_are_powers_of_two() {
        let ticks = Axis { numbers: -0.3..4.3, pixels: 0.0..1.0 }.doublings();
        let labels: Vec<String> = ticks.into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels.join(" "), "1 2 4 8 16");
    }
}
