//! The type of an activation: its parameters, how it is made from them, and what shows them.

use gaussform_symbolic::grammar::Endpoint;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Parameter, Relation};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::names::{getters, identifier};
use super::tokens::literal;
use super::{Options, relation};

/// The type with its traits, `new` and a getter for each parameter.
pub(super) fn tokens(
    activation: &Activation,
    name: &Ident,
    docs: &[String],
    options: &Options,
) -> TokenStream {
    let (visibility, text) = (&options.visibility, name.to_string());
    let fields: Vec<Ident> = activation.parameters.iter().map(|p| identifier(&p.name)).collect();
    let (runtime, allow) = (&options.runtime, upper_case(activation));
    let serialization =
        options.is_crate.then(|| quote!(#runtime::serialize! { #name #text #(#fields)* }));
    let head = quote! {
        #(#[doc = #docs])*
        #[allow(clippy::derive_partial_eq_without_eq)]
        #allow
    };
    if fields.is_empty() {
        return quote! {
            #head
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #visibility struct #name;
            #serialization
        };
    }
    let field_docs: Vec<String> =
        activation.parameters.iter().map(|p| field_documentation(activation, p)).collect();
    let names = activation.parameters.iter().map(|p| p.name.to_string());
    let seal = seal(&fields);
    let constructor = constructor(activation, &text, &fields, options);
    let getters = getters(activation.parameters.iter().map(|p| &*p.name));
    quote! {
        #head
        #[derive(Clone, Copy, PartialEq)]
        #visibility struct #name {
            #(#[doc = #field_docs] #fields: f64,)*
            // So that a literal, which would check nothing, does not compile beside the type either.
            #seal: (),
        }
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery)]
        #allow
        impl #name {
            #constructor
            #(
                #[doc = #field_docs]
                #[inline]
                #[must_use]
                pub const fn #getters(self) -> f64 {
                    self.#fields
                }
            )*
        }
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#text)#(.field(#names, &self.#fields))*.finish()
            }
        }
        #serialization
    }
}

/// A field that no parameter is, by whose name the compiler tells what to do.
fn seal(fields: &[Ident]) -> Ident {
    let mut name = "__made_by_new".to_owned();
    while fields.iter().any(|field| *field == name) {
        name.push('_');
    }
    format_ident!("{name}")
}

/// A parameter with its domain and the relations that it is part of.
fn field_documentation(activation: &Activation, parameter: &Parameter) -> String {
    let symbol = Symbol::Parameter(parameter.name.clone());
    let part = |r: &&Relation| r.lesser.contains(&symbol) || r.greater.contains(&symbol);
    let relations = activation.relations.iter().filter(part);
    let relations: String = relations.map(|relation| format!(", `{relation}`")).collect();
    format!(" The parameter `{parameter}`{relations}.")
}

/// `new`, which checks the declared domains and relations.
fn constructor(
    activation: &Activation,
    type_text: &str,
    fields: &[Ident],
    options: &Options,
) -> TokenStream {
    let runtime = &options.runtime;
    let checks = activation.parameters.iter().zip(fields).map(|(parameter, field)| {
        let inside = domain(parameter, field);
        relation::check(
            runtime,
            &inside,
            [type_text, &*parameter.name, &parameter.to_string()],
            field,
        )
    });
    let relations = relation::checks(activation, type_text, fields, options);
    let errors = if activation.relations.is_empty() {
        " If a value is not finite or lies outside of its declared domain."
    } else {
        " If a value is not finite or lies outside of its declared domain, or a declared relation \
         between values does not hold."
    };
    // Arithmetic of a relation is done at run time.
    let constant = activation.relations.is_empty().then(|| quote!(const));
    let seal = seal(fields).into_token_stream();
    quote! {
        /// The activation with these values of its parameters.
        ///
        /// # Errors
        ///
        #[doc = #errors]
        pub #constant fn new(#(#fields: f64),*) -> ::core::result::Result<Self, #runtime::DomainError> {
            #(#checks)*
            #relations
            ::core::result::Result::Ok(Self { #(#fields,)* #seal: () })
        }
    }
}

fn domain(parameter: &Parameter, field: &Ident) -> TokenStream {
    let bound = |end: &Option<Endpoint>, [open, closed]: [TokenStream; 2]| {
        end.as_ref().map(|end| {
            let (sign, value) = (if end.closed { closed } else { open }, literal(&end.value));
            quote!(&& #field #sign #value)
        })
    };
    let lower = bound(&parameter.lower, [quote!(>), quote!(>=)]);
    let upper = bound(&parameter.upper, [quote!(<), quote!(<=)]);
    quote!(#field.is_finite() #lower #upper)
}

/// The attribute that lets parameters keep their names where Rust would have small letters.
fn upper_case(activation: &Activation) -> Option<TokenStream> {
    let upper = activation.parameters.iter().any(|p| p.name.contains(char::is_uppercase));
    upper.then(|| quote!(#[allow(non_snake_case)]))
}
