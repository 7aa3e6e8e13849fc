//! Exact constants in the precisions of the kernels.

use gaussform_runtime::Float;
use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::{Rational, integer};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::{One, ToPrimitive, Zero};

/// The bits after the point of what stands for an irrational number: four times those of a double
/// and room for the powers of a large one.
const BITS: u32 = 300;

/// The nearest number of the type; the largest finite one where there is none as large.
pub(crate) fn nearest<T: Float>(value: &Rational) -> T {
    T::from_f64(value.to_f64().unwrap_or(0.0))
}

/// The number to twice the precision: the nearest, and the nearest to what is left.
pub(crate) fn double<T: Float>(value: &Rational) -> [T; 2] {
    let high: T = nearest(value);
    let exact = Rational::from_float(high.to_f64());
    [high, exact.map_or(T::ZERO, |exact| nearest(&(value - exact)))]
}

/// The number to three times the precision: the nearest, and the nearest to what is left, twice.
pub(crate) fn triple<T: Float>(value: &Rational) -> [T; 3] {
    let [high, middle] = double::<T>(value);
    let rest = [high, middle].into_iter().filter_map(|word| Rational::from_float(word.to_f64()));
    [high, middle, nearest(&rest.fold(value.clone(), |rest, word| rest - word))]
}

/// How many words a number is that is computed from constants and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Length {
    /// Two: what is not a place.
    Double,
    /// Three: a knot.
    Triple,
}

impl Length {
    /// What the arithmetic is called in the runtime and in the preludes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Double => "word",
            Self::Triple => "triple",
        }
    }

    /// A constant.
    pub(crate) fn of<T: Float>(self, value: &Rational) -> Vec<T> {
        match self {
            Self::Double => double(value).to_vec(),
            Self::Triple => triple(value).to_vec(),
        }
    }

    /// What follows the only word of a number that has one.
    pub(crate) fn zeros(self) -> &'static [f64] {
        match self {
            Self::Double => &[0.0],
            Self::Triple => &[0.0, 0.0],
        }
    }
}

/// √(2/π) to more digits than a double holds.
pub(crate) const ROOT_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// A knot that does not move.
fn place(knot: &Knot) -> Rational {
    let (lower, upper) = knot.enclosure(BITS).expect("a number");
    (lower + upper) / integer(2)
}

/// A polynomial in irrational knots: a rational number next to its value, 0 only if it is 0.
///
/// Such a polynomial is reduced modulo the minimal polynomials, so that it is 0 only if it looks
/// like 0.
pub(crate) fn approximate(polynomial: &Polynomial) -> Rational {
    let power = |(symbol, exponent): &(Symbol, i32)| match symbol {
        Symbol::Root(root) => {
            let place = place(&Knot::Algebraic(root.clone()));
            (0..*exponent).fold(Rational::one(), |product, _| product * &place)
        }
        _ => unreachable!("a constant holds no other symbol"),
    };
    polynomial.terms().fold(Rational::zero(), |sum, (monomial, coefficient)| {
        let powers = monomial.powers().iter().map(power);
        sum + powers.fold(coefficient.clone(), |product, power| product * power)
    })
}
