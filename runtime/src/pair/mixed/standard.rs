//! A piecewise polynomial in units of a deviation from a mean.
//!
//! With u = m + σz, a polynomial Σ cᵢ (u − t)ⁱ is Σ cᵢ σⁱ (z − α)ⁱ with α = (t − m)/σ. Places and coefficients are double
//! words, with the power of two taken out that makes the largest coefficient about 1.

use alloc::vec::Vec;

use crate::kernel::pieces::Table;
use crate::kernel::{triple, word};

/// A number in two words.
pub(super) type Word = [f64; 2];

/// The largest distance of a knot: a knot that is farther counts as being here.
const FARTHEST: f64 = 1e60;
/// Up to such a change, relative to what changes, a function of parameters may be continuous, or smooth.
const SAME: f64 = 1.0 / (1_u128 << 90) as f64;

/// σ = `word` · 2^`exponent`, with a word of about 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    pub(super) word: Word,
    pub(super) exponent: i32,
}

impl Deviation {
    /// From a positive word of any size.
    pub(super) fn new(word: Word, exponent: i32) -> Self {
        let own = libm::ilogb(word[0]);
        Self { word: word.map(|x| libm::scalbn(x, -own)), exponent: exponent + own }
    }
}

/// A place inside of a piece, and the piece around it.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    pub(super) piece: usize,
    pub(super) at: Word,
    pub(super) coefficients: Vec<Word>,
}

/// The function 2^`exponent` times that of the coefficients.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    pub(super) degree: usize,
    pub(super) exponent: i64,
    pub(super) knots: Vec<Word>,
    pub(super) widths: Vec<Word>,
    /// As in [`Table::sides`].
    pub(super) sides: Vec<Word>,
    pub(super) centers: Vec<Inside>,
}

impl Standard {
    pub(super) fn new(table: &Table<'_>, mean: f64, deviation: Deviation) -> Self {
        let Deviation { word: unit, exponent } = deviation;
        let distance = |at: [f64; 3]| {
            let [high, low, _] = triple::add(at, [-mean, 0.0, 0.0]);
            seen(in_units([high, low], deviation))
        };
        let around = || table.sides.chunks(table.degree + 1);
        let polynomials = around().chain(table.centers.iter().map(|center| center.coefficients));
        // The largest coefficient, without the factor of the word.
        let size = |(i, c): (i32, &Word)| (c[0] != 0.0).then(|| libm::ilogb(c[0]) + i * exponent);
        let shift = -polynomials.flat_map(|p| (0..).zip(p).filter_map(size)).max().unwrap_or(0);
        let scaled = |p: &[Word]| -> Vec<Word> {
            let mut power = [1.0, 0.0];
            let term = |(c, i): (&Word, i32)| {
                let scaled =
                    word::multiply(*c, power).map(|x| libm::scalbn(x, i * exponent + shift));
                power = word::multiply(power, unit);
                scaled
            };
            p.iter().zip(0..).map(term).collect()
        };
        Self {
            degree: table.degree,
            exponent: i64::from(table.exponent) - i64::from(shift),
            knots: table.knots.iter().map(|knot| distance(*knot)).collect(),
            widths: table.widths.iter().map(|width| seen(in_units(*width, deviation))).collect(),
            sides: around().flat_map(scaled).collect(),
            centers: table
                .centers
                .iter()
                .map(|center| Inside {
                    piece: center.piece,
                    at: distance(center.at),
                    coefficients: scaled(center.coefficients),
                })
                .collect(),
        }
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> usize {
        self.knots.len() + 1
    }

    /// The ends of a piece.
    pub(super) fn ends(&self, piece: usize) -> [Option<Word>; 2] {
        [piece.checked_sub(1).map(|knot| self.knots[knot]), self.knots.get(piece).copied()]
    }

    fn side(&self, which: usize) -> &[Word] {
        let count = self.degree + 1;
        &self.sides[which * count..][..count]
    }

    /// The places around which a piece is known.
    fn places(&self, piece: usize) -> impl Iterator<Item = (Word, &[Word])> {
        let left = piece.checked_sub(1).map(|knot| (self.knots[knot], self.side(2 * knot + 1)));
        let right = self.knots.get(piece).map(|knot| (*knot, self.side(2 * piece)));
        let centers = self.centers.iter().filter(move |center| center.piece == piece);
        let centers = centers.map(|center| (center.at, &center.coefficients[..]));
        left.into_iter().chain(right).chain(centers)
    }

    /// Whether a derivative of the function is 0 on a piece.
    pub(super) fn vanishes(&self, piece: usize, times: usize) -> bool {
        let known = self.places(piece).next();
        known.is_none_or(|(_, p)| p.iter().skip(times).all(|c| c[0] == 0.0))
    }

    /// A derivative of the polynomial of a piece.
    pub(super) fn value(&self, piece: usize, x: Word, times: usize) -> f64 {
        let distance = |at: Word| word::add(x, word::negate(at));
        let places = self.places(piece).map(|(at, p)| (distance(at), p));
        let nearest = places.min_by(|(a, _), (b, _)| a[0].abs().total_cmp(&b[0].abs()));
        let Some((distance, p)) = nearest else { return 0.0 };
        let falling = |i: usize| (i + 1 - times..=i).map(|k| k as f64).product::<f64>();
        let terms = p.iter().enumerate().skip(times).rev();
        // So that a distance may be infinite.
        let terms = terms.skip_while(|(_, c)| c[0] == 0.0);
        terms.fold([0.0; 2], |sum, (i, c)| {
            let term = word::multiply(*c, [falling(i), 0.0]);
            word::add(word::multiply(sum, distance), term)
        })[0]
    }

    /// By how much a derivative of the function jumps at a knot.
    pub(super) fn jump(&self, knot: usize, times: usize) -> f64 {
        let [left, right] = [2 * knot, 2 * knot + 1].map(|which| self.side(which)[times]);
        let jump = word::add(right, word::negate(left))[0];
        if jump.abs() > SAME * left[0].abs().max(right[0].abs()) { jump } else { 0.0 }
    }

    /// The natural logarithm of the largest coefficient over the smallest one.
    pub(super) fn spread(&self) -> f64 {
        let all = self.sides.iter().chain(self.centers.iter().flat_map(|c| &c.coefficients));
        let sizes = all.map(|c| c[0].abs()).filter(|size| *size != 0.0);
        let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (x.min(a), x.max(b)));
        if least < most { libm::log(most) - libm::log(least) } else { 0.0 }
    }
}

fn in_units(distance: Word, Deviation { word: unit, exponent }: Deviation) -> Word {
    word::divide(distance.map(|x| libm::scalbn(x, -exponent)), unit)
}

/// A distance, or one so large that nothing is there.
fn seen([high, low]: Word) -> Word {
    if high.abs() < FARTHEST { [high, low] } else { [FARTHEST.copysign(high), 0.0] }
}
