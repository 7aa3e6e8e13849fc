//! The checks of values of parameters, and of declared relations between them.

use gaussform_symbolic::Activation;
use gaussform_symbolic::polynomial::Symbol;
use num_traits::Zero;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Options;
use super::tokens::literal;
use super::word::{Fields, tokens};
use crate::ir::Word;
use crate::quotient::Words;
use crate::rounding::double;

/// Returns an error where a relation does not hold; the parameters are local variables.
pub(super) fn checks(
    activation: &Activation,
    type_text: &str,
    fields: &[Ident],
    options: &Options,
) -> TokenStream {
    if activation.relations.is_empty() {
        return quote!();
    }
    let runtime = &options.runtime;
    let words = Words::new(activation);
    let checks = activation.relations.iter().map(|relation| {
        let [lesser, greater] = [&relation.lesser, &relation.greater];
        let holds =
            comparison([lesser, greater].map(|side| words.quotient(side)), relation.strict, fields);
        let text = relation.to_string();
        // The last of the parameters stands for the relation.
        let part = |name| {
            let symbol = Symbol::Parameter(name);
            lesser.contains(&symbol) || greater.contains(&symbol)
        };
        let last = activation.parameters.iter().rposition(|p| part(p.name.clone())).unwrap_or(0);
        let (parameter, value) = (&*activation.parameters[last].name, &fields[last]);
        check(runtime, &holds, [type_text, parameter, &text], value)
    });
    quote!(#[allow(unused_imports)] use #runtime::kernel; #(#checks)*)
}

/// The statement that returns an error where something does not hold: the activation, the parameter and the domain by their
/// names, and the value.
pub(super) fn check(
    runtime: &TokenStream,
    holds: &TokenStream,
    [activation, parameter, domain]: [&str; 3],
    value: &Ident,
) -> TokenStream {
    quote! {
        if !(#holds) {
            return ::core::result::Result::Err(#runtime::DomainError {
                activation: #activation,
                parameter: #parameter,
                domain: #domain,
                value: #value,
            });
        }
    }
}

/// Double words compare as their digits do; where neither side has a low word, as numbers.
fn comparison(sides: [Word; 2], strict: bool, fields: &[Ident]) -> TokenStream {
    let number = |word: &Word| match word {
        Word::Parameter(index) => {
            let name = &fields[*index];
            Some(quote!(#name))
        }
        Word::Constant(value) if double::<f64>(value)[1].is_zero() => Some(literal(value)),
        _ => None,
    };
    let [lesser, greater] = match sides.each_ref().map(number) {
        [Some(lesser), Some(greater)] => [lesser, greater],
        _ => sides.map(|word| tokens(&word, Fields::Local(fields))),
    };
    if strict { quote!(#lesser < #greater) } else { quote!(#lesser <= #greater) }
}
