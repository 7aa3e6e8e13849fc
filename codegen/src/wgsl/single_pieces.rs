//! The numbers of a table, exact, as single precision can hold them.
//!
//! Single precision has a narrow range. So g is 2ᵉ ĝ, with an ĝ whose pieces differ by moderate numbers; what all
//! constants have in common is taken out of them; and each polynomial is given in powers of the distance times a power of
//! two of its own, the unit, with which no coefficient is large.

use gaussform_symbolic::exact::Rational;
use num_traits::{Signed, Zero};

use crate::ir::Word;
use crate::table::{Table, power_of_two};

/// The numbers of a table without parameters.
#[derive(Clone, Debug)]
pub(super) struct SinglePieces {
    /// e.
    pub(super) exponent: i32,
    /// The constant that is taken out of all constants of g.
    pub(super) base: Rational,
    /// The polynomials on both sides of each knot, then those around centers.
    pub(super) rows: Vec<Row>,
    /// The jumps of ĝ and of its slope at each knot.
    pub(super) jumps: Vec<[Rational; 2]>,
}

/// A polynomial around a place.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The exponent of the power of two that a distance is multiplied with.
    pub(super) unit: i32,
    pub(super) constant: Rational,
    /// The coefficients of the powers of the distance times the unit, from the first power on.
    pub(super) coefficients: Vec<Rational>,
}

/// Beyond this exponent the variation of g is scaled.
const LARGE: i32 = 20;
/// Below this exponent the variation of g is scaled.
const SMALL: i32 = -40;
/// The largest exponent of a unit: its square is far from overflow.
const MOST_UNIT: i32 = 60;
/// The number of common bits from which on constants have them apart.
const COMMON_BITS: i32 = 16;
/// The places on a bounded piece at which its size is found.
const SAMPLES: i64 = 8;

impl SinglePieces {
    /// `None` if the numbers depend on parameters.
    pub(super) fn new(table: &Table) -> Option<Self> {
        let count = table.degree + 1;
        // The power of two that was taken out of the table is put back, for exact numbers.
        let power = power_of_two(table.exponent);
        let exact = |word: &Word| word.as_constant().map(|value| value * &power);
        let all: Vec<Rational> = table.coefficients().map(exact).collect::<Option<_>>()?;
        let widths: Vec<Rational> =
            table.widths.iter().map(|w| w.as_constant().cloned()).collect::<Option<_>>()?;
        let mut rows: Vec<Vec<Rational>> = all.chunks(count).map(<[Rational]>::to_vec).collect();
        let base = common(&rows);
        for row in &mut rows {
            row[0] = &row[0] - &base;
        }
        let knots = table.knots.len();
        let jump = |knot: usize, order: usize| &rows[2 * knot + 1][order] - &rows[2 * knot][order];
        let jumps: Vec<[Rational; 2]> = (0..knots).map(|t| [jump(t, 0), jump(t, 1)]).collect();
        // A center is on a piece that is beside a knot, unless there is none.
        let measured = if knots == 0 { rows.len() } else { 2 * knots };
        let sizes = (0..measured).map(|row| size(&rows[row], width(row, knots, &widths)));
        let largest = sizes.chain(jumps.iter().map(|jumps| jumps[0].abs())).max()?;
        let exponent = match exponent_of(&largest) {
            Some(exponent) if exponent > LARGE => exponent - LARGE,
            Some(exponent) if exponent < SMALL => exponent - SMALL,
            _ => 0,
        };
        let factor = power_of_two(-exponent);
        let row = |row: Vec<Rational>| {
            let mut numbers = row.into_iter().map(|value| value * &factor);
            let constant = numbers.next().unwrap_or_else(Rational::zero);
            Row::new(constant, numbers.collect())
        };
        Some(Self {
            exponent,
            base,
            rows: rows.into_iter().map(row).collect(),
            jumps: jumps.into_iter().map(|jumps| jumps.map(|jump| jump * &factor)).collect(),
        })
    }

    /// The largest exponent of a distance up to which no term of ĝ on these rows is larger than 2 to `most`.
    pub(super) fn reach(&self, outer: &[usize], most: i32) -> i32 {
        let limits = outer.iter().flat_map(|row| {
            let row = &self.rows[*row];
            row.coefficients.iter().zip(1_i32..).filter_map(move |(c, power)| {
                // The exponent may be one too low.
                let exponent = exponent_of(c)? + 1 + power * row.unit;
                Some((most - exponent).div_euclid(power))
            })
        });
        limits.min().unwrap_or(most)
    }
}

impl Row {
    fn new(constant: Rational, coefficients: Vec<Rational>) -> Self {
        // A straight line has one coefficient, and no powers to bring near each other.
        if coefficients.len() == 1 {
            return Self { unit: 0, constant, coefficients };
        }
        let exponents = coefficients.iter().zip(1_i32..);
        let exponents: Vec<(i32, i32)> =
            exponents.filter_map(|(c, power)| Some((power, exponent_of(c)?))).collect();
        // With which the coefficients are as near to 1 as can be.
        let farthest = |unit: i32| {
            let far = exponents.iter().map(|(power, exponent)| (exponent - power * unit).abs());
            (far.max().unwrap_or(0), unit.abs())
        };
        let unit = (-MOST_UNIT..=MOST_UNIT).min_by_key(|unit| farthest(*unit)).unwrap_or(0);
        let factor = power_of_two(-unit);
        let powers = std::iter::successors(Some(factor.clone()), |power| Some(power * &factor));
        let coefficients = coefficients.into_iter().zip(powers).map(|(c, power)| c * power);
        Self { unit, constant, coefficients: coefficients.collect() }
    }
}

/// How far the bounded piece reaches that a row beside a knot is of.
fn width(row: usize, knots: usize, widths: &[Rational]) -> Option<Rational> {
    let knot = row / 2;
    match row % 2 {
        _ if knot >= knots => None,
        0 => knot.checked_sub(1).map(|piece| -&widths[piece]),
        _ => widths.get(knot).cloned(),
    }
}

/// How much a polynomial varies: on its piece, or by its coefficients where that has no end.
fn size(row: &[Rational], width: Option<Rational>) -> Rational {
    let sizes: Vec<Rational> = match width {
        Some(width) => {
            let at = |place: i64| {
                let w = &width * Rational::new(place.into(), SAMPLES.into());
                row[1..].iter().rev().fold(Rational::zero(), |sum, c| (sum + c) * &w).abs()
            };
            (1..=SAMPLES).map(at).collect()
        }
        None => row[1..].iter().map(Rational::abs).collect(),
    };
    sizes.into_iter().max().unwrap_or_else(Rational::zero)
}

/// The constant that all constants have in common, if they differ by little beside it.
fn common(rows: &[Vec<Rational>]) -> Rational {
    let first = &rows[0][0];
    let apart = rows.iter().map(|row| (&row[0] - first).abs()).max();
    match (apart.as_ref().map(exponent_of), exponent_of(first)) {
        (Some(Some(apart)), Some(size)) if apart + COMMON_BITS > size => Rational::zero(),
        _ => first.clone(),
    }
}

/// The exponent of the largest power of two that is not above |value|, or of the next; none of 0.
fn exponent_of(value: &Rational) -> Option<i32> {
    let bits = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let exponent = bits(value.numer().bits()) - bits(value.denom().bits());
    (!value.is_zero()).then(|| i32::try_from(exponent.clamp(-100_000, 100_000)).unwrap_or(0))
}
