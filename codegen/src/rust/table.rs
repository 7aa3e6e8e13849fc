//! The implementation of the runtime's `Kernel` by a table.

use gaussform_runtime::kernel::pieces;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Options;
use crate::kernel::Kernel;
use crate::table::Numbers;

pub(super) fn implementation(
    kernel: &Kernel,
    numbers: &Numbers,
    options: &Options,
    name: &Ident,
) -> TokenStream {
    let runtime = &options.runtime;
    let count = Literal::usize_unsuffixed(kernel.knots().len());
    let table = numbers.with(|table| literal(table, runtime));
    let nonnegative = super::routine::nonnegative(kernel);
    let value = match &options.value {
        Some(function) => {
            let (path, float) = (&function.path, &function.float);
            if float == "f64" { quote!(#path(x)) } else { quote!(f64::from(#path(x as #float))) }
        }
        None => quote!(#name::TABLE.value(x)),
    };
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery)]
        impl #name {
            /// The numbers of the pieces.
            const TABLE: #runtime::kernel::pieces::Table<'static> = #table;
        }
        #[automatically_derived]
        #[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #runtime::kernel::Kernel for #name {
            type Unit = ();

            const PARAMETERS: &'static [&'static str] = &[];
            const KNOTS: usize = #count;
            const SMALL: bool = false;
            const VECTORS: usize = 1;
            const MODERATE: bool = false;
            #nonnegative
            const TABLE: ::core::option::Option<#runtime::kernel::pieces::Table<'static>> =
                ::core::option::Option::Some(#name::TABLE);

            fn degree(&self) -> u32 {
                #name::TABLE.degree as u32
            }

            fn value(&self, x: f64) -> f64 {
                #value
            }

            fn moments<V: #runtime::kernel::Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
                #runtime::kernel::pieces::moments(&#name::TABLE, gamma, xi2)
            }

            fn gradients<V: #runtime::kernel::Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
                #runtime::kernel::pieces::gradients(&#name::TABLE, gamma, xi2)
            }

            fn moments_at_rest(&self, gamma: f64) -> ::core::option::Option<[f64; 2]> {
                #runtime::kernel::pieces::moments_at_rest(&#name::TABLE, gamma)
            }

            fn gradients_at_rest(&self, gamma: f64) -> ::core::option::Option<[f64; 6]> {
                #runtime::kernel::pieces::gradients_at_rest(&#name::TABLE, gamma)
            }
        }
    }
}

/// A table as an expression.
fn literal(table: &pieces::Table<'_>, runtime: &TokenStream) -> TokenStream {
    let pieces::Table { degree, exponent, knots, widths, sides, centers, values, limits } = table;
    let (degree, exponent) =
        (Literal::usize_unsuffixed(*degree), Literal::i32_unsuffixed(*exponent));
    let (knots, widths, sides, limits) = (rows(knots), rows(widths), rows(sides), rows(limits));
    let values = values.iter().map(|value| number(*value));
    let centers = centers.iter().map(|center| {
        let piece = Literal::usize_unsuffixed(center.piece);
        let (at, coefficients) = (row(&center.at), rows(center.coefficients));
        quote!(#runtime::kernel::pieces::Center { piece: #piece, at: #at, coefficients: #coefficients })
    });
    quote! {
        #runtime::kernel::pieces::Table {
            degree: #degree,
            exponent: #exponent,
            knots: #knots,
            widths: #widths,
            sides: #sides,
            centers: &[#(#centers),*],
            values: &[#(#values),*],
            limits: #limits,
        }
    }
}

fn rows<const N: usize>(rows: &[[f64; N]]) -> TokenStream {
    let rows = rows.iter().map(row);
    quote!(&[#(#rows),*])
}

fn row<const N: usize>(row: &[f64; N]) -> TokenStream {
    let numbers = row.iter().map(|value| number(*value));
    quote!([#(#numbers),*])
}

/// A number as Rust writes it.
fn number(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    if value.is_infinite() {
        return if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) };
    }
    let size = Literal::f64_unsuffixed(value.abs());
    if value.is_sign_negative() { quote!(-#size) } else { quote!(#size) }
}
