//! Exact numbers rounded to one word, two words or three of a precision.

use gaussform_runtime::Float;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Polynomial;
use num_traits::ToPrimitive;

/// The bits to which a rational number stands for an irrational one: the three words of a knot are 160.
const CLOSE: u32 = 200;

/// The nearest number of the type; the largest finite one where there is none as large.
pub(crate) fn nearest<T: Float>(value: &Rational) -> T {
    T::from_f64(value.to_f64().unwrap_or(0.0))
}

/// The number as a double word: the nearest number, and the nearest number to the remainder.
pub(crate) fn double<T: Float>(value: &Rational) -> [T; 2] {
    let high: T = nearest(value);
    let exact = Rational::from_float(high.to_f64());
    // An infinite word leaves no remainder.
    [high, exact.map_or(T::ZERO, |exact| nearest(&(value - exact)))]
}

/// The number in three words: the nearest number, then the nearest number to the remainder, twice.
pub(crate) fn triple<T: Float>(value: &Rational) -> [T; 3] {
    let [high, middle] = double::<T>(value);
    let rest = [high, middle].into_iter().filter_map(|word| Rational::from_float(word.to_f64()));
    [high, middle, nearest(&rest.fold(value.clone(), |rest, word| rest - word))]
}

/// The number of words of a number that is computed from constants and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Length {
    /// Two words, for all numbers but knots.
    Double,
    /// Three words, for a knot.
    Triple,
}

impl Length {
    /// The name of this arithmetic in the runtime and in the preludes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Double => "word",
            Self::Triple => "triple",
        }
    }

    /// The names of the words.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Double => &["high", "low"],
            Self::Triple => &["high", "middle", "low"],
        }
    }

    /// How many words there are.
    pub(crate) fn count(self) -> usize {
        self.fields().len()
    }

    /// The words of a constant.
    pub(crate) fn of<T: Float>(self, value: &Rational) -> Vec<T> {
        match self {
            Self::Double => double(value).to_vec(),
            Self::Triple => triple(value).to_vec(),
        }
    }

    /// The words behind the first one, for a number of one word.
    pub(crate) fn zeros(self) -> &'static [f64] {
        match self {
            Self::Double => &[0.0],
            Self::Triple => &[0.0, 0.0],
        }
    }
}

/// √(2/π) to more digits than a double holds.
pub(crate) const ROOT_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// A polynomial in irrational knots: a rational number next to its value, 0 only if it is 0.
pub(crate) fn approximate(polynomial: &Polynomial) -> Rational {
    polynomial.approximate(CLOSE).expect("a constant holds no other symbol")
}
