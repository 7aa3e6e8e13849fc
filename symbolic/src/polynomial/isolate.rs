//! Intervals around the real roots of polynomials without rational roots: found by Descartes'
//! rule of signs, refined by quadratic interval refinement (Abbott).

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Univariate, sign};
use crate::exact::Rational;

/// How narrow the isolating intervals are made at once, in bits.
const BITS: u32 = 64;

/// The interval from lower / 2ᵇⁱᵗˢ to (lower + 1) / 2ᵇⁱᵗˢ.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) lower: BigInt,
    pub(super) bits: u32,
}

impl Cell {
    /// The ends of the cell of `bits` bits, no more than this one has, around it.
    pub(super) fn bounds(&self, bits: u32) -> (Rational, Rational) {
        let scale = BigInt::one() << bits;
        let lower = &self.lower >> (self.bits - bits);
        let upper = &lower + 1_u32;
        (Rational::new(lower, scale.clone()), Rational::new(upper, scale))
    }

    /// Both ends times 2^`level`, which is no coarser than the cell.
    pub(super) fn at(&self, level: u32) -> (BigInt, BigInt) {
        let shift = level - self.bits;
        (&self.lower << shift, (&self.lower + 1_u32) << shift)
    }

    /// A positive multiple of the value of `p` at the lower end.
    pub(super) fn lower_value(&self, p: &Univariate) -> BigInt {
        value(p.coefficients(), &self.lower, self.bits)
    }

    /// The sign that `p` has on all of the cell, if interval arithmetic finds one.
    pub(super) fn sign_of(&self, p: &Univariate) -> Option<i8> {
        // 0 is a multiple of every width, so all numbers inside a cell have one sign.
        let (mut low, mut high) = (BigInt::zero(), BigInt::zero());
        let upper = &self.lower + 1_u32;
        // The ends farther from 0 and nearer to it, and whether they are negative.
        let negative = self.lower.is_negative();
        let (far, near) = if negative { (&self.lower, &upper) } else { (&upper, &self.lower) };
        for (k, c) in (0_u64..).zip(p.coefficients().iter().rev()) {
            if negative {
                (low, high) = (high, low);
            }
            // Each bound is multiplied by the end that moves it farther out.
            low *= if low.is_negative() == negative { near } else { far };
            high *= if high.is_negative() == negative { far } else { near };
            let c = c << (k * u64::from(self.bits));
            low += &c;
            high += c;
        }
        let sign = sign(&low);
        (sign == self::sign(&high)).then_some(sign)
    }

    /// The cell of at least `bits` bits inside this one around its only root, a simple one.
    pub(super) fn refined(&self, p: &Univariate, bits: u32) -> Self {
        // Where the cell is small already the secant is likely to be good.
        refine(p.coefficients(), self.clone(), bits, self.bits / 2)
    }
}

/// The value of Σ cᵢ xⁱ at x = n / 2ᵇⁱᵗˢ, times 2ᵇⁱᵗˢ to the power of the degree.
fn value(coefficients: &[BigInt], n: &BigInt, bits: u32) -> BigInt {
    let terms = (0_u64..).zip(coefficients.iter().rev());
    terms.fold(BigInt::zero(), |sum, (k, c)| sum * n + (c << (k * u64::from(bits))))
}

/// Divides the cell into 2ᵍ and checks the one that the secant points to: where that has the
/// root, g doubles, else it halves; g = 1 is bisection.
fn refine(p: &[BigInt], mut cell: Cell, bits: u32, mut gain: u32) -> Cell {
    if cell.bits >= bits {
        return cell;
    }
    let degree = p.len() - 1;
    let mut left = value(p, &cell.lower, cell.bits);
    let mut right = value(p, &(&cell.lower + 1_u32), cell.bits);
    while cell.bits < bits {
        gain = gain.min(bits - cell.bits).max(1);
        let fine = cell.bits + gain;
        let scale = u64::from(gain) * degree as u64;
        let last = (BigInt::one() << gain) - 1_u32;
        // The values at the ends have different signs, so the divisor is not 0.
        let guess: BigInt = (&left << gain) / (&left - &right);
        let guess = guess.clamp(BigInt::one(), last.clone());
        let start = &cell.lower << gain;
        let at = |offset: &BigInt| value(p, &(&start + offset), fine);
        let middle = at(&guess);
        let (offset, ends) = if sign(&middle) == sign(&left) {
            // At an end of the cell the value is known, but for the scale of the finer cells.
            let end = if guess == last { &right << scale } else { at(&(&guess + 1_u32)) };
            (guess, (middle, end))
        } else {
            let before = guess - 1_u32;
            let end = if before.is_zero() { &left << scale } else { at(&before) };
            (before, (end, middle))
        };
        // No value is 0, as no root is rational. With a gain of 1 the two ends always differ in
        // sign, so this ends.
        if sign(&ends.0) == sign(&ends.1) {
            gain /= 2;
        } else {
            cell = Cell { lower: start + offset, bits: fine };
            (left, right) = ends;
            gain *= 2;
        }
    }
    cell
}

/// Cells around the real roots, ascending, of a square-free polynomial without rational roots.
pub(super) fn isolate(p: &Univariate) -> Vec<Cell> {
    // 0 is rational and no root, so the positive roots of p(x) and of p(−x) are all of them.
    let mirrored =
        (0..).zip(p.coefficients()).map(|(k, c)| if k % 2 == 0 { c.clone() } else { -c });
    let mut cells = positive(mirrored.collect());
    for cell in &mut cells {
        // Mirrored, the upper end becomes the lower one.
        cell.lower = -(&cell.lower + 1_u32);
    }
    cells.reverse();
    cells.extend(positive(p.coefficients().to_vec()));
    cells
}

/// Cells around the positive roots.
fn positive(mut p: Vec<BigInt>) -> Vec<Cell> {
    if variations(&p) == 0 {
        return Vec::new();
    }
    let bound = root_bound(&p);
    // With x = 2ᵇ y for this bound b, all positive roots y are below 1.
    for (k, c) in (0_u64..).zip(&mut p) {
        *c <<= k * u64::from(bound);
    }
    // A stack of cells of the scaled polynomial, leftmost on top, each with the polynomial that
    // has the roots in the cell between 0 and 1.
    let mut cells = Vec::new();
    let mut open = vec![(Cell { lower: BigInt::zero(), bits: 0 }, p.clone())];
    while let Some((cell, q)) = open.pop() {
        // The roots between 0 and 1 become positive under x → 1 / (1 + x).
        let mut reversed: Vec<_> = q.iter().rev().cloned().collect();
        shift(&mut reversed);
        // The rule is exact where the signs change once or not at all. Narrow cells around simple
        // roots get there in the end (Vincent's theorem).
        match variations(&reversed) {
            0 => {}
            1 => {
                // In x the cell is 2ᵇ times as wide as in y, so it loses b bits.
                let cell = refine(&p, cell, bound + BITS, 1);
                cells.push(Cell { bits: cell.bits - bound, ..cell });
            }
            _ => {
                // 2ⁿ q(x/2) has the roots of the lower half between 0 and 1, and shifted those of
                // the upper.
                let half = (0_usize..).zip(q.iter().rev()).map(|(k, c)| c << k);
                let mut half: Vec<_> = half.collect();
                half.reverse();
                let mut upper = half.clone();
                shift(&mut upper);
                let (lower, bits) = (cell.lower << 1, cell.bits + 1);
                open.push((Cell { lower: &lower + 1_u32, bits }, upper));
                open.push((Cell { lower, bits }, half));
            }
        }
    }
    cells
}

/// A power of two, by its exponent, beyond every root (after Fujiwara).
fn root_bound(p: &[BigInt]) -> u32 {
    let size = |c: &BigInt| i64::try_from(c.bits()).unwrap_or(i64::MAX);
    let lead = p.last().map_or(0, size);
    let terms = (1..).zip(p.iter().rev().skip(1)).filter(|(_, c)| !c.is_zero());
    // |cₖ / c| < 2^(size − lead + 1), and its root is rounded up.
    let exponents = terms.map(|(k, c): (i64, _)| (size(c) - lead + k).div_euclid(k) + 1);
    u32::try_from(exponents.max().unwrap_or(0).max(0)).expect("coefficients fit in memory")
}

/// The polynomial at x + 1.
fn shift(p: &mut [BigInt]) {
    for start in 0..p.len() {
        for i in (start..p.len() - 1).rev() {
            let (low, high) = p.split_at_mut(i + 1);
            low[i] += &high[0];
        }
    }
}

/// How often the sign of the coefficients changes.
fn variations(p: &[BigInt]) -> usize {
    let signs: Vec<i8> = p.iter().map(sign).filter(|s| *s != 0).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}
