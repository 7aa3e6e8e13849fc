//! The implementation of the runtime's `Kernel` by a table.

use gaussform_runtime::kernel::{Form, pieces, sum};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Options;
use super::context::Context;
use super::tokens::{float, number};
use super::word::{self, Fields};
use crate::ir::Word;
use crate::kernel::Kernel;
use crate::table::{Numbers, Table, Tangent};

pub(super) fn implementation(
    context: &Context<'_>,
    table: &Table,
    options: &Options,
    name: &Ident,
) -> TokenStream {
    let (kernel, runtime) = (context.kernel, context.runtime);
    let slices = match kernel.form() {
        Form::Table { unrolled: Some(_) } => Some(unrolled(table, runtime, name)),
        _ => None,
    };
    let (constant, numbers) = numbers(kernel, table, context, options, name);
    let value = match kernel.numbers() {
        Some(_) if options.value.is_none() => quote!(#name::TABLE.value(x)),
        _ => context.value(options),
    };
    let limits = kernel.numbers().is_none().then(|| context.limits());
    let methods = quote! {
        #numbers

        #slices

        fn value(&self, x: f64) -> f64 {
            #value
        }

        #limits
    };
    let implementation = context.implementation(name, slices.is_some(), &methods);
    quote!(#constant #implementation)
}

/// The methods over vectors of a kernel with few knots: the routine of the runtime, without the terms that are
/// multiplied by 0.
fn unrolled(table: &Table, runtime: &TokenStream, name: &Ident) -> TokenStream {
    let [knots, degree] = [table.knots.len(), table.degree].map(number);
    let method = |method: &str, count: usize| {
        let (method, count) = (format_ident!("{method}"), number(count));
        quote! {
            #[inline(always)]
            fn #method<V: #runtime::kernel::Lanes>(&self, gamma: V, xi2: V) -> [V; #count] {
                #runtime::kernel::sum::#method::<V, #knots, #degree, true>(&#name::TABLE.rows, gamma, xi2, 0)
            }
        }
    };
    let [moments, gradients] = [method("moments", 2), method("gradients", 6)];
    quote! {
        #moments

        #gradients
    }
}

/// `with_table` of a kernel whose numbers are a table, with `with_tangents` if they move, and the constant that they
/// need if they are known.
pub(super) fn numbers(
    kernel: &Kernel,
    table: &Table,
    context: &Context<'_>,
    options: &Options,
    name: &Ident,
) -> (TokenStream, TokenStream) {
    let runtime = &options.runtime;
    let (constant, body) = match kernel.numbers() {
        Some(numbers) => (given(numbers, runtime, name), quote!(work(&#name::TABLE))),
        None => (TokenStream::new(), arithmetic(table, context)),
    };
    let moving = kernel.numbers().is_none().then(|| moving(table, context));
    let method = quote! {
        fn with_table<R>(
            &self,
            work: impl ::core::ops::FnOnce(&#runtime::kernel::pieces::Table<'_>) -> R,
        ) -> R {
            #body
        }

        #moving
    };
    (constant, method)
}

/// Numbers that are known.
fn given(numbers: &Numbers, runtime: &TokenStream, name: &Ident) -> TokenStream {
    let table = numbers.with(literal);
    quote! {
        #[allow(unused_imports, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #name {
            /// The numbers of the pieces.
            const TABLE: #runtime::kernel::pieces::Table<'static> = {
                use ::core::option::Option::{None, Some};
                use #runtime::kernel::pieces::{Center, Limits, Table};
                use #runtime::kernel::sum::{Cut, Jump, Knot, Piece, Place, Rows, Side, Span};
                #table
            };
        }
    }
}

/// The numbers that are computed from parameters, and the table that is made of them.
fn arithmetic(table: &Table, context: &Context<'_>) -> TokenStream {
    let runtime = context.runtime;
    let fields = Fields::Own(context.fields);
    let degree = number(table.degree);
    let knots = table.knots.iter().map(|knot| word::place(knot, fields));
    let widths = table.widths.iter().map(|width| word::tokens(width, fields));
    let values = table.values.iter().map(|value| word::tokens(value, fields));
    let own = table.centers.iter().map(|center| &center.coefficients[..]);
    let function = coefficients(&table.sides, own.collect(), fields);
    let centers = table.centers.iter().enumerate().map(|(i, center)| {
        let piece = number(center.piece);
        let (at, range) = (word::place(&center.at, fields), range(i, table));
        quote!(pieces::Center { piece: #piece, at: #at, coefficients: &around[#range] })
    });
    let count = number(table.sides.len());
    // Without rows nothing changes the table, and `mut` would be a warning.
    let mutable = (table.degree <= sum::MAX_DEGREE).then(|| quote!(mut));
    let rows = (table.degree <= sum::MAX_DEGREE).then(|| {
        let places = pieces::Table::place_count(table.knots.len(), table.centers.len());
        let places = number(places);
        let [knots, pieces] = [table.knots.len(), table.widths.len()].map(number);
        quote! {
            let mut place_rows = [kernel::sum::Place::EMPTY; #places];
            let mut knot_rows = [kernel::sum::Knot::EMPTY; #knots];
            let mut piece_rows = [kernel::sum::Piece::EMPTY; #pieces];
            table.write_rows(&mut place_rows, &mut knot_rows, &mut piece_rows, false);
            table.rows =
                kernel::sum::Rows { places: &place_rows, knots: &knot_rows, pieces: &piece_rows };
        }
    });
    // What was taken out of coefficients that are numbers.
    let taken = match table.exponent {
        0 => TokenStream::new(),
        exponent => {
            let exponent = Literal::i32_unsuffixed(exponent);
            quote!(#exponent +)
        }
    };
    let scale = scale(table, &quote!(all));
    quote! {
        use #runtime::kernel::{self, pieces};
        let knots = [#(#knots),*];
        let widths = [#(#widths),*];
        let values = [#(#values[0]),*];
        let mut all = #function;
        let exponent = #taken #scale;
        let (sides, around) = all.split_at(#count);
        let #mutable table = pieces::Table {
            degree: #degree,
            exponent,
            knots: &knots,
            widths: &widths,
            sides,
            centers: &[#(#centers),*],
            values: &values,
            limits: pieces::Limits::Computed(&|gamma| kernel::Kernel::gradients_at_zero_variance(self, gamma)),
            rows: kernel::sum::Rows { places: &[], knots: &[], pieces: &[] },
        };
        #rows
        work(&table)
    }
}

/// `with_tangents` of a kernel whose numbers are computed from parameters.
fn moving(table: &Table, context: &Context<'_>) -> TokenStream {
    let runtime = context.runtime;
    let pieces = quote!(#runtime::kernel::pieces);
    let fields = Fields::Own(context.fields);
    let tangents = table.tangents.iter().enumerate();
    let tangents = tangents.map(|(i, tangent)| self::tangent(i, tangent, table, fields));
    let (before, tangents): (Vec<_>, Vec<_>) = tangents.map(|[a, b]| (a, b)).unzip();
    quote! {
        fn with_tangents<R>(
            &self,
            work: impl ::core::ops::FnOnce(&#pieces::Table<'_>, &[#pieces::Tangent<'_>]) -> R,
        ) -> R {
            use #runtime::kernel::{self, pieces};
            kernel::Kernel::with_table(self, |table| {
                #(#before)*
                work(table, &[#(#tangents),*])
            })
        }
    }
}

/// The derivative in the parameter of that number: the statements that compute it, where `table` is the function, and
/// its value.
fn tangent(index: usize, tangent: &Tangent, table: &Table, fields: Fields<'_>) -> [TokenStream; 2] {
    // The statements of all parameters share a scope, so their names have the number.
    let [sides, around, exponent, all] =
        ["sides", "around", "exponent", "all"].map(|name| format_ident!("{name}_{index}"));
    let [centers, motion] = ["centers", "motion"].map(|name| format_ident!("{name}_{index}"));
    let rate = tangent.centers.iter().map(|center| &center[..]).collect();
    let rate = coefficients(&tangent.sides, rate, fields);
    let places = (0..tangent.centers.len()).map(|i| {
        let (center, range) = (number(i), range(i, table));
        quote!(pieces::Center { coefficients: &#around[#range], ..table.centers[#center] })
    });
    let motions = tangent.motion.iter().map(|word| word::tokens(word, fields));
    let count = number(tangent.sides.len());
    let scale = scale(table, &quote!(#all));
    let before = quote! {
        let mut #all = #rate;
        let #exponent = #scale;
        let (#sides, #around) = #all.split_at(#count);
        let #centers = [#(#places),*];
        let #motion = [#(#motions[0]),*];
    };
    let value = quote! {
        pieces::Tangent {
            rate: pieces::Table {
                exponent: #exponent,
                sides: #sides,
                centers: &#centers,
                ..*table
            },
            motion: &#motion,
        }
    };
    [before, value]
}

/// The coefficients around knots, then around centers.
fn coefficients(sides: &[Word], centers: Vec<&[Word]>, fields: Fields<'_>) -> TokenStream {
    let all = sides.iter().chain(centers.into_iter().flatten());
    let all = all.map(|word| word::tokens(word, fields));
    quote!([#(#all),*])
}

/// Takes a power of two out of the coefficients of a table or of its derivative.
fn scale(table: &Table, all: &TokenStream) -> TokenStream {
    let sizes = [table.degree + 1, table.knots.len()];
    let [count, knots] = sizes.map(Literal::usize_unsuffixed);
    quote!(pieces::scale(&mut #all, #count, #knots))
}

/// The range of the coefficients of a center.
fn range(center: usize, table: &Table) -> TokenStream {
    let count = table.degree + 1;
    let [start, end] = [center * count, (center + 1) * count].map(number);
    quote!(#start..#end)
}

/// A table as an expression, in short names of the runtime.
fn literal(table: &pieces::Table<'_>) -> TokenStream {
    let pieces::Table { degree, exponent, knots, widths, sides, centers, values, limits, rows } =
        table;
    let (degree, exponent) = (number(*degree), Literal::i32_unsuffixed(*exponent));
    let (knots, widths, sides) = (self::rows(knots), self::rows(widths), self::rows(sides));
    let pieces::Limits::Given(limits) = limits else { unreachable!("of numbers") };
    let limits = self::rows(limits);
    let values = values.iter().map(|value| float(*value));
    let rows = rows_literal(rows);
    let centers = centers.iter().map(|center| {
        let piece = number(center.piece);
        let (at, coefficients) = (row(&center.at), self::rows(center.coefficients));
        quote!(Center { piece: #piece, at: #at, coefficients: #coefficients })
    });
    quote! {
        Table {
            degree: #degree,
            exponent: #exponent,
            knots: #knots,
            widths: #widths,
            sides: #sides,
            centers: &[#(#centers),*],
            values: &[#(#values),*],
            limits: Limits::Given(#limits),
            rows: #rows,
        }
    }
}

/// The rows of the sum of truncated moments as a literal.
fn rows_literal(rows: &sum::Rows<'_>) -> TokenStream {
    let places = rows.places.iter().map(|place| {
        let sum::Place { from, at, value, taylor } = place;
        let (from, at, value, taylor) = (row(from), row(at), row(value), row(taylor));
        quote!(Place::new(#from, #at, #value, #taylor))
    });
    let side = |side: &sum::Side| {
        let sum::Side { value, mean, square } = side;
        let (value, mean, square) = (row(value), row(mean), row(square));
        quote!(Side::new(#value, #mean, #square))
    };
    let knots = rows.knots.iter().map(|knot| {
        let (at, [left, right]) = (row(&knot.at), knot.sides.each_ref().map(side));
        let sum::Jump { value, mean, square } = &knot.jump;
        let (value, mean, square) = (float(*value), row(mean), row(square));
        quote!(Knot::new(#at, #left, #right, Jump::new(#value, #mean, #square)))
    });
    let span = |span: &sum::Span| {
        let sum::Span { middle, half, value, mean, square } = span;
        let (middle, half, value) = (row(middle), float(*half), row(value));
        let (mean, square) = (row(mean), row(square));
        quote!(Span::new(#middle, #half, #value, #mean, #square))
    };
    let pieces = rows.pieces.iter().map(|piece| {
        let whole = span(&piece.whole);
        let cut = match &piece.cut {
            None => quote!(None),
            Some(sum::Cut { at, side: around, parts }) => {
                let (at, around) = (row(at), side(around));
                let [left, right] = parts.each_ref().map(span);
                quote!(Some(Cut::new(#at, #around, #left, #right)))
            }
        };
        quote!(Piece::new(#whole, #cut))
    });
    quote! {
        Rows { places: &[#(#places),*], knots: &[#(#knots),*], pieces: &[#(#pieces),*] }
    }
}

fn rows<const N: usize>(rows: &[[f64; N]]) -> TokenStream {
    let rows = rows.iter().map(row);
    quote!(&[#(#rows),*])
}

fn row<const N: usize>(row: &[f64; N]) -> TokenStream {
    let numbers = row.iter().map(|value| float(*value));
    quote!([#(#numbers),*])
}
