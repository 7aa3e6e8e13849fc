//! Quotients and divisors of nested polynomials. A divisor is found from values at a large integer, or else by a primitive
//! remainder sequence.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use super::nested::Nested;

impl Nested {
    /// The quotient by a divisor that is not 0, if it leaves no remainder.
    pub(super) fn divide(&self, divisor: &Self) -> Option<Self> {
        // 1 and −1 are their own inverses.
        if self.is_zero() || divisor.is_unit() {
            return Some(self.times(divisor));
        }
        match self.level().cmp(&divisor.level()) {
            // What is free of a symbol is no multiple of what contains it.
            Ordering::Less => None,
            Ordering::Greater => {
                let level = self.level();
                let quotient: Option<_> =
                    self.coefficients(level).iter().map(|c| c.divide(divisor)).collect();
                Some(Self::powers(level, quotient?))
            }
            Ordering::Equal => match (self, divisor) {
                (Self::Powers(level, a), Self::Powers(_, b)) => divide(*level, a, b),
                (Self::Number(m), Self::Number(n)) => {
                    let (quotient, rest) = m.div_rem(n);
                    rest.is_zero().then_some(Self::Number(quotient))
                }
                _ => unreachable!("of the same level"),
            },
        }
    }

    /// The greatest common divisor up to sign.
    pub(super) fn gcd(&self, other: &Self) -> Self {
        if let (Self::Number(m), Self::Number(n)) = (self, other) {
            return Self::Number(m.gcd(n));
        }
        if self.is_zero() || self == other {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        match (self, other) {
            (Self::Powers(level, a), Self::Powers(same, b)) if level == same => {
                common(*level, a, b)
            }
            // A divisor of both is free of a symbol that occurs in one alone.
            _ if self.level() > other.level() => {
                content(other.clone(), self.coefficients(self.level()))
            }
            _ => content(self.clone(), other.coefficients(other.level())),
        }
    }
}

/// The greatest common divisor of `start` and the coefficients, the highest first.
fn content<'a>(
    start: Nested,
    coefficients: impl IntoIterator<Item = &'a Nested, IntoIter: DoubleEndedIterator>,
) -> Nested {
    let mut gcd = start;
    for c in coefficients.into_iter().rev() {
        if gcd.is_unit() {
            break;
        }
        gcd = gcd.gcd(c);
    }
    gcd
}

/// Long division in the symbol `level`.
fn divide(level: usize, a: &[Nested], b: &[Nested]) -> Option<Nested> {
    let (lead, lower) = b.split_last().expect("a divisor that is not 0");
    let mut rest = a.to_vec();
    let mut quotient = Vec::new();
    while rest.len() >= b.len() {
        let factor = rest.pop().expect("no shorter than the divisor").divide(lead)?;
        let start = rest.len() - lower.len();
        for (c, d) in rest[start..].iter_mut().zip(lower) {
            *c = c.minus(&factor.times(d));
        }
        quotient.push(factor);
    }
    quotient.reverse();
    rest.iter().all(Nested::is_zero).then(|| Nested::powers(level, quotient))
}

/// The greatest common divisor of two polynomials in which the symbol `level` is the last.
fn common(level: usize, a: &[Nested], b: &[Nested]) -> Nested {
    let zero = Nested::Number(BigInt::zero());
    let shift = |p: &[Nested]| p.iter().take_while(|c| c.is_zero()).count();
    let (low, other) = (shift(a), shift(b));
    let (a, b) = (&a[low..], &b[other..]);
    let divisor = if coprime(a, b) {
        content(zero.clone(), a.iter().chain(b))
    } else {
        let (a_number, a) = without_number(a);
        let (b_number, b) = without_number(b);
        let divisor = heuristic(level, &a, &b).unwrap_or_else(|| by_sequence(level, &a, &b));
        divisor.times(&Nested::Number(a_number.gcd(&b_number)))
    };
    let mut power = vec![zero; low.min(other)];
    power.push(Nested::one());
    Nested::powers(level, power).times(&divisor)
}

/// The greatest common divisor of the coefficients' numbers, and the coefficients divided by it.
fn without_number(p: &[Nested]) -> (BigInt, Vec<Nested>) {
    let content = p.iter().fold(BigInt::zero(), |gcd, c| c.number(gcd));
    let divisor = Nested::Number(content.clone());
    let part = p.iter().map(|c| c.divide(&divisor).expect("the content divides"));
    (content, part.collect())
}

/// The bits a value may have: beyond, remainders are quicker.
const MAX_BITS: u64 = 1 << 14;

/// The greatest common divisor from that of the values at a large integer, whose digits in
/// this base are the coefficients (Char, Geddes and Gonnet 1989); without numeric content.
///
/// If the base exceeds 2 min(|a|, |b|) + 2, every common divisor with these digits is greatest.
fn heuristic(level: usize, a: &[Nested], b: &[Nested]) -> Option<Nested> {
    let norm = |p: &[Nested]| p.iter().map(Nested::norm).max().unwrap_or_default();
    // 29 where the bound has 2: with a small base, wrong divisors are more likely.
    let mut base: BigInt = norm(a).min(norm(b)) * 2 + 29;
    let degree = a.len().max(b.len()) as u64;
    for _ in 0..4 {
        if base.bits() * degree > MAX_BITS {
            return None;
        }
        let mut value = evaluate(a, &base).gcd(&evaluate(b, &base));
        let mut digits = Vec::new();
        while !value.is_zero() {
            let (rest, digit) = value.split(&base);
            digits.push(digit);
            value = rest;
        }
        let (_, digits) = without_number(&digits);
        let candidate = Nested::powers(level, digits);
        let divides = |p: &[Nested]| Nested::powers(level, p.to_vec()).divide(&candidate).is_some();
        if divides(a) && divides(b) {
            return Some(candidate);
        }
        // Any larger base that shares no pattern with the last.
        base = base * 73_794 / 27_011;
    }
    None
}

fn evaluate(p: &[Nested], x: &BigInt) -> Nested {
    let (x, minus) = (Nested::Number(x.clone()), Nested::Number(BigInt::from(-1)));
    let value = |sum: Nested, c: &Nested| sum.times(&x).minus(&c.times(&minus));
    p.iter().rev().fold(Nested::Number(BigInt::zero()), value)
}

/// The greatest common divisor of polynomials without numeric content.
pub(super) fn by_sequence(level: usize, a: &[Nested], b: &[Nested]) -> Nested {
    // By Gauss's lemma, contents and primitive parts have their common divisors each for
    // themselves.
    let (a_content, a) = primitive_part(a);
    let (b_content, b) = primitive_part(b);
    let divisor = if a.len() < b.len() { sequence(level, b, a) } else { sequence(level, a, b) };
    a_content.gcd(&b_content).times(&divisor)
}

/// The content, and the coefficients divided by it.
fn primitive_part(p: &[Nested]) -> (Nested, Vec<Nested>) {
    let content = content(Nested::Number(BigInt::zero()), p);
    let part = p.iter().map(|c| c.divide(&content).expect("the content divides"));
    (content.clone(), part.collect())
}

/// The last member, not 0, of the primitive remainder sequence; `a` is no shorter than `b`.
fn sequence(level: usize, mut a: Vec<Nested>, mut b: Vec<Nested>) -> Nested {
    while b.len() > 1 {
        // So the remainder below is not 0, and has a content to divide by.
        if divide(level, &a, &b).is_some() {
            return Nested::powers(level, b);
        }
        let rest = primitive_part(&pseudo_remainder(a, &b)).1;
        (a, b) = (b, rest);
    }
    Nested::one()
}

/// The remainder of a multiple of `a` by `b`, which does not divide `a`.
fn pseudo_remainder(a: Vec<Nested>, b: &[Nested]) -> Vec<Nested> {
    let (lead, lower) = b.split_last().expect("a divisor that is not 0");
    let mut rest = a;
    while rest.len() >= b.len() {
        let top = rest.pop().expect("no shorter than the divisor");
        let start = rest.len() - lower.len();
        for c in &mut rest {
            *c = c.times(lead);
        }
        for (c, d) in rest[start..].iter_mut().zip(lower) {
            *c = c.minus(&top.times(d));
        }
        while rest.last().is_some_and(Nested::is_zero) {
            rest.pop();
        }
    }
    rest
}

/// The prime 2³¹ − 1.
const PRIME: u64 = (1 << 31) - 1;

/// Whether the images with numbers modulo a prime for the other symbols prove that no common
/// divisor contains the symbol. Coprime polynomials are rarely missed.
fn coprime(a: &[Nested], b: &[Nested]) -> bool {
    let images = |p: &[Nested]| p.iter().map(image).collect::<Vec<_>>();
    let (mut a, mut b) = (images(a), images(b));
    // The leading coefficient of a divisor divides this one, so the divisor keeps its degree.
    if a.last() == Some(&0) {
        return false;
    }
    loop {
        while b.last() == Some(&0) {
            b.pop();
        }
        // Here `a` is the divisor of the images; if it is a number, the symbol is in no divisor.
        let Some((lead, lower)) = b.split_last() else { return a.len() == 1 };
        while a.len() >= b.len() {
            // The negative, so that residues are added only. Products are below 2⁶² and fit.
            let top = PRIME - a.pop().expect("no shorter than the divisor");
            let start = a.len() - lower.len();
            for c in &mut a {
                *c = *c * lead % PRIME;
            }
            for (c, d) in a[start..].iter_mut().zip(lower) {
                *c = (*c + top * d) % PRIME;
            }
        }
        (a, b) = (b, a);
    }
}

fn image(nested: &Nested) -> u64 {
    match nested {
        Nested::Number(n) => n.mod_floor(&BigInt::from(PRIME)).to_u64().expect("below the prime"),
        Nested::Powers(level, coefficients) => {
            // Any number serves; the powers of a large one have no small relations.
            let point = (0..*level).fold(1, |x, _| x * 1_103_515_245 % PRIME);
            coefficients.iter().rev().fold(0, |sum, c| (sum * point + image(c)) % PRIME)
        }
    }
}
