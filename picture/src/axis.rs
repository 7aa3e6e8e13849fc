//! Axes: the numbers or names along one, and where they stand in pixels.

use std::ops::Range;

/// An axis: its label, its ends, and what is written along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) range: Range<f64>,
    along: Along,
}

/// What is written along an axis.
#[derive(Clone, Debug, PartialEq)]
enum Along {
    Numbers,
    Powers,
    Logarithms,
    Doublings,
    Names(Vec<String>),
}

impl Axis {
    fn new(label: &str, range: Range<f64>, along: Along) -> Self {
        Self { label: label.to_owned(), range, along }
    }

    /// Numbers.
    #[must_use]
    pub fn plain(label: &str, range: Range<f64>) -> Self {
        Self::new(label, range, Along::Numbers)
    }

    /// Powers of ten, by their exponents, each written as a power.
    #[must_use]
    pub fn powers(label: &str, range: Range<f64>) -> Self {
        Self::new(label, range, Along::Powers)
    }

    /// Positive numbers, by their logarithms to base 10, each written as a number.
    #[must_use]
    pub fn logarithms(label: &str, range: Range<f64>) -> Self {
        Self::new(label, range, Along::Logarithms)
    }

    /// Powers of two, by their exponents, each written as a number.
    #[must_use]
    pub fn doublings(label: &str, range: Range<f64>) -> Self {
        Self::new(label, range, Along::Doublings)
    }

    /// Names; the `i`-th takes the room from `i` to `i + 1`. They begin at the left, or at the top.
    #[must_use]
    pub fn names(names: Vec<String>) -> Self {
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        Self::new("", 0.0..f64::from(count), Along::Names(names))
    }

    /// Whether numbers stand where they are.
    pub(crate) fn is_plain(&self) -> bool {
        self.along == Along::Numbers
    }

    /// The names, if names are written.
    pub(crate) fn named(&self) -> Option<&[String]> {
        if let Along::Names(names) = &self.along { Some(names) } else { None }
    }

    /// About `about` places on the axis, each with what is written there.
    pub(crate) fn ticks(&self, about: f64) -> Vec<(f64, String)> {
        let Range { start, end } = self.range;
        match &self.along {
            Along::Numbers => round_numbers(start, end, about),
            Along::Powers => {
                let every = libm::ceil((end - start) / about).max(1.0);
                let exponents = multiples(every, start, end);
                exponents.map(|n| (n, format!("10{}", raised(n)))).collect()
            }
            Along::Logarithms => logarithms(start, end, about),
            Along::Doublings => {
                multiples(1.0, start, end).map(|n| (n, libm::exp2(n).to_string())).collect()
            }
            Along::Names(names) => {
                let places = (0_u32..).map(|i| f64::from(i) + 0.5);
                places.zip(names.iter().cloned()).collect()
            }
        }
    }
}

/// Numbers along an axis and where they stand.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub(crate) numbers: Range<f64>,
    pub(crate) pixels: Range<f64>,
}

impl Scale {
    pub(crate) fn place(&self, number: f64) -> f64 {
        let share = (number - self.numbers.start) / (self.numbers.end - self.numbers.start);
        self.pixels.start + share * (self.pixels.end - self.pixels.start)
    }

    pub(crate) fn length(&self) -> f64 {
        (self.pixels.end - self.pixels.start).abs()
    }
}

/// About `about` round numbers, each with its label.
fn round_numbers(start: f64, end: f64, about: f64) -> Vec<(f64, String)> {
    let rough = (end - start) / about;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
    let step = step * power;
    multiples(step, start, end).map(|n| (n, label(n, step))).collect()
}

/// The powers of ten between logarithms, and with room for them twice and five times these.
fn logarithms(start: f64, end: f64, about: f64) -> Vec<(f64, String)> {
    let rough = (end - start) / about;
    let (every, factors) = if 3.0 * rough <= 1.0 {
        (1.0, &[1.0, 2.0, 5.0][..])
    } else {
        (libm::ceil(rough).max(1.0), &[1.0][..])
    };
    // Twice and five times the power below the range may lie in it.
    let powers = multiples(every, start - 1.0, end);
    let numbers = powers.flat_map(|power| {
        let unit = libm::pow(10.0, power);
        factors.iter().map(move |factor| (power + libm::log10(*factor), label(factor * unit, unit)))
    });
    numbers.filter(|(place, _)| (start - 1e-9..=end + 1e-9).contains(place)).collect()
}

/// The multiples of a step between two numbers, but no more than a hundred.
fn multiples(step: f64, start: f64, end: f64) -> impl Iterator<Item = f64> {
    // An end that is a multiple but for rounding counts as one.
    let first = libm::ceil(start / step - 1e-9);
    let count = libm::floor(end / step + 1e-9) - first;
    #[allow(clippy::cast_possible_truncation, reason = "a few ticks")]
    let last = count.clamp(-1.0, 100.0) as i32;
    (0..=last).map(move |i| (first + f64::from(i)) * step)
}

/// A multiple of a round step, without needless digits.
fn label(number: f64, step: f64) -> String {
    // The logarithm of a power of ten may be rounded down.
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
    // The sum with 0 turns −0 into 0.
    format!("{:.0}", number + 0.0).chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(axis: &Axis, about: f64) -> String {
        let labels: Vec<String> = axis.ticks(about).into_iter().map(|(_, label)| label).collect();
        labels.join(" ")
    }

    #[test]
    fn ticks_are_round() {
        let numbers = |range| written(&Axis::plain("", range), 6.0);
        assert_eq!(numbers(-4.0..4.0), "−4 −2 0 2 4");
        assert_eq!(numbers(-0.31..0.52), "−0.2 0 0.2 0.4");
        assert_eq!(numbers(0.0..2.0e7), "0 5e6 1e7 1.5e7 2e7");
        assert_eq!(numbers(-1.0e-6..1.0e-6), "−1e−6 −5e−7 0 5e−7 1e−6");
        assert_eq!(numbers(1.0e-6..3.0e-6), "1e−6 1.5e−6 2e−6 2.5e−6 3e−6");
    }

    #[test]
    fn doublings_are_powers_of_two() {
        assert_eq!(written(&Axis::doublings("", -0.3..4.3), 6.0), "1 2 4 8 16");
    }

    #[test]
    fn powers_are_as_many_as_there_is_room_for() {
        assert_eq!(written(&Axis::powers("", -1.0..3.0), 6.0), "10⁻¹ 10⁰ 10¹ 10² 10³");
        assert_eq!(written(&Axis::powers("", -18.0..2.0), 6.0), "10⁻¹⁶ 10⁻¹² 10⁻⁸ 10⁻⁴ 10⁰");
    }

    #[test]
    fn logarithms_stand_for_their_numbers() {
        let axis = |range| Axis::logarithms("", range);
        assert_eq!(written(&axis(-1.4..1.8), 10.0), "0.05 0.1 0.2 0.5 1 2 5 10 20 50");
        assert_eq!(written(&axis(-2.0..3.0), 6.0), "0.01 0.1 1 10 100 1000");
        let places = axis(0.0..0.5).ticks(10.0);
        assert_eq!(places, [(0.0, "1".to_owned()), (libm::log10(2.0), "2".to_owned())]);
    }

    #[test]
    fn names_stand_in_the_middle_of_their_room() {
        let axis = Axis::names(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(axis.ticks(1.0), [(0.5, "a".to_owned()), (1.5, "b".to_owned())]);
    }
}
