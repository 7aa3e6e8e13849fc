//! A piecewise polynomial written by hand: what the oracle takes for the activation.

use crate::polynomial::{self, Polynomial};
use crate::real::{Real, TABLE, ratio, zero};

/// Exponent of 2 below which a number counts as 0: in a table of 1400 bits it is a rounding error.
const NOTHING: i64 = -900;

/// A piecewise polynomial g, to [`TABLE`] bits.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name, with the values of the parameters.
    pub name: String,
    /// The knots, in ascending order.
    pub knots: Vec<Real>,
    /// The polynomials between them, in x; all of one length.
    pub pieces: Vec<Polynomial>,
    /// The Taylor coefficients at knot i of the pieces before and after it.
    pub sides: Vec<[Polynomial; 2]>,
    /// The difference of the Taylor coefficients at knot i, after − before.
    pub jumps: Vec<Polynomial>,
}

impl Function {
    /// From knots and the pieces between them.
    ///
    /// # Panics
    ///
    /// If there is not one piece more than there are knots, or the knots do not ascend.
    #[must_use]
    pub fn new(name: &str, knots: Vec<Real>, mut pieces: Vec<Polynomial>) -> Self {
        assert_eq!(pieces.len(), knots.len() + 1, "{name}: pieces lie between knots");
        assert!(knots.is_sorted_by(|a, b| a < b), "{name}: the knots ascend");
        let terms = pieces.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for piece in &mut pieces {
            piece.resize(terms, zero(TABLE));
        }
        let sides: Vec<[Polynomial; 2]> = knots
            .iter()
            .zip(pieces.windows(2))
            .map(|(knot, pair)| {
                [0, 1].map(|side| {
                    polynomial::taylor(&pair[side], knot).into_iter().map(cleaned).collect()
                })
            })
            .collect();
        let jumps = sides
            .iter()
            .map(|[before, after]| {
                before.iter().zip(after).map(|(before, after)| cleaned(after - before)).collect()
            })
            .collect();
        Self { name: name.to_owned(), knots, pieces, sides, jumps }
    }

    /// From rationals such as `"-1/3"`.
    ///
    /// # Panics
    ///
    /// Where [`new`](Self::new) panics, and if a text is not a rational.
    #[must_use]
    pub fn rational(name: &str, knots: &[&str], pieces: &[&[&str]]) -> Self {
        let numbers = |texts: &[&str]| texts.iter().map(|text| ratio(text)).collect();
        Self::new(name, numbers(knots), pieces.iter().map(|piece| numbers(piece)).collect())
    }

    /// The degree.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.pieces[0].len() - 1
    }
}

/// 0 for what rounding has left of it.
#[must_use]
pub fn cleaned(x: Real) -> Real {
    if crate::real::exponent(&x) < NOTHING { zero(x.precision()) } else { x }
}
