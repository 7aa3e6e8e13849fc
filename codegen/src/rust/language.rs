//! Numbers and operations of the IR as expressions over some lanes, or over `f64`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::fragment::{Binding, Fragment, Operation};
use super::tokens::{float, literal, number};
use super::variable::{self, edge, element, integrals, narrow, of, tails};
use super::word::{self, Fields};
use crate::ir::{Case, Input, Word};
use crate::rounding::double;

/// The type of plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The generic type `V` of some lanes; `c` makes a constant of it.
    Lanes,
    /// `f64`
    Single,
}

/// Rust in one function of a kernel.
pub(super) struct Rust<'a> {
    pub(super) kind: Kind,
    pub(super) knots: &'a [Word],
    pub(super) fields: Fields<'a>,
    /// The name of the input γ.
    pub(super) argument: Ident,
    /// The code that integrates over each piece, for the branches that alone need it.
    pub(super) powers: Vec<TokenStream>,
}

impl Rust<'_> {
    pub(super) fn number_type(&self) -> TokenStream {
        match self.kind {
            Kind::Lanes => quote!(V),
            Kind::Single => quote!(f64),
        }
    }

    /// Whether the knots depend on parameters.
    fn moves(&self) -> bool {
        self.knots.iter().any(|knot| knot.as_constant().is_none())
    }

    /// The place of a knot, to three times the precision.
    pub(super) fn knot(&self, knot: usize) -> TokenStream {
        let index = number(knot);
        if self.moves() {
            quote!(knots[#index])
        } else {
            word::place(&self.knots[knot], self.fields)
        }
    }

    /// The knots as the code names them, where they move.
    pub(super) fn places(&self) -> TokenStream {
        if !self.moves() {
            return quote!();
        }
        let count = number(self.knots.len());
        let knots = self.knots.iter().map(|knot| word::place(knot, self.fields));
        quote!(let knots: [[f64; 3]; #count] = [#(#knots),*];)
    }

    /// The lanes in which γ lies so.
    pub(super) fn case(&self, case: Case) -> TokenStream {
        let piece = case.piece();
        let left = piece.checked_sub(1).map(edge);
        let right = (piece < self.knots.len()).then(|| edge(piece));
        let bounded = left.is_some() && right.is_some();
        let side = |edge: Option<Ident>| match edge {
            Some(edge) => quote!(Some(#edge)),
            None => quote!(None),
        };
        let (left, right) = (side(left), side(right));
        let narrow = narrow(piece);
        let width = match case {
            Case::Wide(_) if bounded => quote!(.and(#narrow.not())),
            Case::Wide(_) => quote!(),
            Case::Narrow(_) => quote!(.and(#narrow)),
        };
        quote!(kernel::between(#left, #right)#width)
    }

    /// The value by the place of the argument among the knots.
    pub(super) fn place(&self, values: &[TokenStream]) -> TokenStream {
        let argument = &self.argument;
        let (last, rest) = values.split_last().expect("a branch has arms");
        if self.moves() {
            let indices = (0..rest.len()).map(number);
            return quote!(match kernel::place(#argument, &knots) { #(#indices => #rest)* _ => #last });
        }
        let mut chain = TokenStream::new();
        for (knot, values) in self.knots.iter().zip(values.chunks(2)) {
            let knot = knot.as_constant().expect("no knot moves");
            let (below, on) = (&values[0], &values[1]);
            let place = literal(knot);
            let [_, low] = double::<f64>(knot);
            // A knot between two numbers of the precision is never hit: the nearest number lies
            // on one side of it.
            chain.extend(if low == 0.0 {
                quote!(if #argument < #place #below else if #argument == #place #on else)
            } else if low > 0.0 {
                quote!(if #argument <= #place #below else)
            } else {
                quote!(if #argument < #place #below else)
            });
        }
        quote!(#chain #last)
    }

    /// A constant.
    pub(super) fn constant(&self, value: f64) -> Fragment {
        let binding = if value.is_sign_negative() { Binding::Sign } else { Binding::Atom };
        let number = float(value);
        match self.kind {
            Kind::Lanes => Fragment::atom(quote!(c(#number))),
            Kind::Single => Fragment::new(number, binding),
        }
    }

    /// A value that is computed in words and rounded once.
    pub(super) fn word(&self, word: &Word) -> Fragment {
        let value = word::tokens(word, self.fields);
        Fragment::atom(match self.kind {
            Kind::Lanes => quote!(kernel::word::round::<V>(#value)),
            Kind::Single => quote!(kernel::word::round::<f64>(#value)),
        })
    }

    /// An input.
    pub(super) fn input(&self, input: &Input) -> Fragment {
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_token_stream(),
            Input::Xi2 => quote!(xi2),
            Input::Xi => quote!(deviation.xi),
            Input::InverseXi => quote!(deviation.inverse),
            Input::Parameter(i) => variable::parameter(i).to_token_stream(),
            Input::Distance(knot) => of(edge(knot), quote!(s)),
            Input::SignedDistance(knot) => of(edge(knot), quote!(score())),
            Input::Displacement(knot) => of(edge(knot), quote!(d)),
            Input::DensityUnit => quote!(unit),
            Input::Density(knot) => of(edge(knot), quote!(h)),
            Input::Tail(knot, order) => element(tails(knot), order),
            Input::Integral(piece, j) => element(integrals(piece), j),
            Input::RootTwoOverPi => unreachable!("a constant"),
        })
    }

    /// A sum, difference or product.
    pub(super) fn binary(&self, operation: Operation, sides: [&Fragment; 2]) -> Fragment {
        // A plain number has the same bits on every machine, so that nothing is fused there.
        let in_lanes = self.kind == Kind::Lanes;
        let fused = in_lanes.then(|| Fragment::fused(operation, sides)).flatten();
        fused.unwrap_or_else(|| Fragment::infix(operation, sides))
    }

    /// The first value where a condition holds, the second where it does not.
    pub(super) fn select(&self, mask: &TokenStream, [yes, no]: [&Fragment; 2]) -> Fragment {
        let (number, yes, no) = (self.number_type(), &yes.tokens, &no.tokens);
        Fragment::atom(quote!(#number::select(#mask, #yes, #no)))
    }

    /// The polynomial in γ, or in γ less a knot.
    pub(super) fn polynomial(&self, around: Option<usize>, coefficients: &[Word]) -> Fragment {
        let words = coefficients.iter().map(|c| word::tokens(c, self.fields));
        let argument = &self.argument;
        Fragment::atom(match around {
            None => quote!(kernel::polynomial(&[#(#words),*], #argument).round()),
            Some(knot) => {
                let knot = self.knot(knot);
                quote!(kernel::polynomial_around(&[#(#words),*], #knot, #argument).round())
            }
        })
    }
}
