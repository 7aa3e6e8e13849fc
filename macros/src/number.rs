//! Literals, exactly: `0.01` is 1/100, whatever a float makes of it.

use gaussform_symbolic::Limit;
use gaussform_symbolic::exact;
use num_traits::Zero;
use syn::{BinOp, Lit};

use crate::place::Place;

pub(crate) use gaussform_symbolic::exact::Rational;

/// A float literal; `None` for any other, and an error if it is one beyond the limits.
pub(crate) fn float(literal: &Lit) -> Option<syn::Result<Rational>> {
    match literal {
        Lit::Float(float) => Some(decimal(literal, float.base10_digits())),
        // `2f64` is an integer to the lexer and a float to the compiler.
        Lit::Int(integer) if matches!(integer.suffix(), "f32" | "f64") => {
            Some(decimal(literal, integer.base10_digits()))
        }
        _ => None,
    }
}

/// An integer literal; `None` for any other, and an error if it is one beyond the limits.
pub(crate) fn integer(literal: &Lit) -> Option<syn::Result<Rational>> {
    match literal {
        Lit::Int(integer) if !matches!(integer.suffix(), "f32" | "f64") => {
            Some(decimal(literal, integer.base10_digits()))
        }
        _ => None,
    }
}

/// A literal of either kind.
pub(crate) fn any(literal: &Lit) -> syn::Result<Rational> {
    float(literal)
        .or_else(|| integer(literal))
        .unwrap_or_else(|| Err(Place::from(literal.span()).error("expected a number")))
}

fn decimal(literal: &Lit, digits: &str) -> syn::Result<Rational> {
    // 10^1233 has just over the accepted number of bits.
    let exponent = u32::try_from(Limit::Bits.maximum() * 3 / 10).expect("a small limit");
    exact::decimal(digits, exponent)
        .filter(|value| exact::bits(value) <= Limit::Bits.maximum() as u64)
        .ok_or_else(|| Place::from(literal.span()).limit(Limit::Bits, None))
}

/// a ∘ b of integers, as Rust rounds it; `None` where there is none, and an error beyond the limits.
pub(crate) fn arithmetic(
    left: &Rational,
    operator: &BinOp,
    right: &Rational,
) -> Option<syn::Result<Rational>> {
    let value = match operator {
        BinOp::Add(_) => left + right,
        BinOp::Sub(_) => left - right,
        BinOp::Mul(_) => left * right,
        BinOp::Div(_) if !right.is_zero() => (left / right).trunc(),
        BinOp::Rem(_) if !right.is_zero() => left % right,
        _ => return None,
    };
    let is_small = exact::bits(&value) <= Limit::Bits.maximum() as u64;
    Some(if is_small { Ok(value) } else { Err(Place::of(operator).limit(Limit::Bits, None)) })
}
