//! The factor common to P and Q.
//!
//! P/Q does not change with it, but the rounding errors of the coefficients do, and they are a part
//! of the error of every tail. So of 2^((i + ½)/64), i = 0 … 63, the one is taken that makes the
//! largest rounding error of the tails R_0 … R_order least over a sample, and the root mean square if
//! there are two. (A power of two changes nothing: no number comes near to overflow or underflow.)
//! Unless none is better by ½ ulp than the factor 1, with which the leading coefficients cost no
//! multiplication. What is left of the error is told over another sample, since the choice favours the
//! first one.
//!
//! The tails are evaluated in the precision of the table as the runtime does it, with fused
//! multiplication and addition, and compared with [`tails`].

use crate::fit::{FitShape, Rational};
use crate::format::Format;
use crate::number::{Real, real, with_bits};
use crate::tails;

/// How many factors there are to choose from, a power of two.
const FACTORS: usize = 64;
/// By how many ulp another factor than 1 is to be better.
const GAIN: f64 = 0.5;
/// Bits of the exact tails: an ulp of f64 and 27 more.
const BITS: u64 = 80;

/// The number of arguments of a sample.
const SIZE: usize = 30_000;
/// The samples, one to choose by and one to measure with.
pub(crate) struct Samples<T>([Truth<T>; 2]);

impl<T: Format> Samples<T> {
    /// For tails up to this order.
    pub(crate) fn new(order: usize) -> Self {
        Self([0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9].map(|seed| Truth::new(order, seed)))
    }
}

/// Arguments of a sample, each with the values of the tails there.
struct Truth<T>(Vec<(T, Vec<Value>)>);

/// The value of a tail as the sum of two numbers, and the distance of neighbours there.
struct Value {
    high: f64,
    low: f64,
    ulp: f64,
}

impl<T: Format> Truth<T> {
    fn new(order: usize, seed: u64) -> Self {
        let value = |exact: &Real| {
            let high = f64::nearest(exact);
            let low = (exact - &with_bits(high, BITS)).to_f64();
            Value { high, low, ulp: T::from_f64(high).ulp() }
        };
        let at =
            |s: T| tails::scaled(&with_bits(s.to_f64(), BITS), order).iter().map(value).collect();
        Self(arguments::<T>(seed).into_iter().map(|s| (s, at(s))).collect())
    }
}

/// A fit in working precision.
pub(crate) struct Scaled<T> {
    pub(crate) p: Vec<T>,
    pub(crate) q: Vec<T>,
    /// The largest rounding error of the tails, in ulp.
    pub(crate) error: f64,
}

/// The fit multiplied by the best factor and rounded.
pub(crate) fn scale<T: Format>(
    fit: &Rational,
    task: FitShape,
    Samples([choice, check]): &Samples<T>,
) -> Scaled<T> {
    let step = (0..FACTORS.ilog2()).fold(real(2.0), |power, _| power.sqrt());
    let with = |factor: &Real| {
        let round = |c: &Real| T::nearest(&(c * factor));
        let rounded = [&fit.p, &fit.q].map(|c| c.iter().map(round).collect::<Vec<_>>());
        (errors(&rounded, task, choice), rounded)
    };
    let one = with(&real(1.0));
    // With half a step √2 is not among the factors: Clippy objects to its digits in a table.
    let mut factor = step.sqrt();
    let mut best = one.clone();
    for _ in 0..FACTORS {
        let other = with(&factor);
        if other.0 < best.0 {
            best = other;
        }
        factor *= step.clone();
    }
    let (_, rounded) = if one.0[0] - best.0[0] < GAIN { one } else { best };
    let [error, _] = errors(&rounded, task, check);
    let [p, q] = rounded;
    Scaled { p, q, error }
}

/// Rounding errors of the tails in ulp: the largest and the root mean square.
fn errors<T: Format>([p, q]: &[Vec<T>; 2], task: FitShape, truth: &Truth<T>) -> [f64; 2] {
    let (mut largest, mut squares, mut count) = (0.0_f64, 0.0, 0);
    let mut tails = vec![T::from_f64(0.0); task.order + 1];
    for (s, exact) in &truth.0 {
        evaluate(p, q, task, *s, &mut tails);
        for (value, exact) in tails.iter().zip(exact) {
            let error = ((value.to_f64() - exact.high) - exact.low).abs() / exact.ulp;
            largest = largest.max(error);
            squares += error * error;
            count += 1;
        }
    }
    [largest, (squares / f64::from(count)).sqrt()]
}

/// R_0 … R_order at s as the runtime computes them.
fn evaluate<T: Format>(p: &[T], q: &[T], task: FitShape, s: T, tails: &mut [T]) {
    let (mut upper, mut current) = (horner(p, s), horner(q, s));
    for n in (0..task.start).rev() {
        if let Some(tail) = tails.get_mut(n) {
            *tail = current;
        }
        // Of the two products this is the one to round only once: it is the larger one for
        // large s, and errors come out smaller by 5 to 10 %.
        let lower = s.mul_add(current, T::from_f64((n + 1) as f64) * upper);
        (upper, current) = (current, lower);
    }
    let inverse = T::from_f64(1.0) / current;
    for tail in tails {
        *tail = *tail * inverse;
    }
}

fn horner<T: Format>(coefficients: &[T], s: T) -> T {
    let zero = T::from_f64(0.0);
    coefficients.iter().rev().fold(zero, |sum, &c| sum.mul_add(s, c))
}

/// 0, tiny numbers, and numbers in \[0, [`Format::FARTHEST`]\], most of them small: there both terms
/// of the recurrence count, and errors are largest. Another seed gives others.
fn arguments<T: Format>(seed: u64) -> Vec<T> {
    let mut generator = Generator(seed);
    let mut out = vec![0.0, 1e-30, 1e-20, 1e-10];
    while out.len() < SIZE {
        out.extend([0.3, 1.0, 4.0, T::FARTHEST].map(|end| end * generator.unit()));
        // Nearly uniform in the logarithm, from 2⁻¹⁴ to 1.
        let binade = 2.0_f64.powi(-1 - (14.0 * generator.unit()) as i32);
        out.push(binade * (1.0 + generator.unit()));
    }
    out.truncate(SIZE);
    out.into_iter().map(T::from_f64).collect()
}

/// Knuth's linear congruential generator (MMIX), of which the upper bits are taken.
struct Generator(u64);

impl Generator {
    /// In \[0, 1).
    fn unit(&mut self) -> f64 {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
