//! Numbers as Rust writes them.

use gaussform_symbolic::exact::Rational;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::rounding::nearest;

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> TokenStream {
    if !value.is_finite() {
        return if value < 0.0 { quote!(-f64::INFINITY) } else { quote!(f64::INFINITY) };
    }
    let size = Literal::f64_unsuffixed(value.abs());
    if value < 0.0 { quote!(-#size) } else { quote!(#size) }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> TokenStream {
    float(nearest(value))
}

/// An index without a suffix.
pub(super) fn number(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}
