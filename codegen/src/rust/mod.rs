//! Printing a kernel as Rust: a type that implements the runtime's `Activation`.

mod block;
mod names;
mod relation;
mod routine;
mod word;

use gaussform_symbolic::grammar::Endpoint;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Parameter, Relation, render};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::kernel::Kernel;
use block::literal;
use names::identifier;
pub use names::type_name;

/// How the code is to fit into its surroundings.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of the runtime crate.
    pub runtime: TokenStream,
    /// The visibility of the type.
    pub visibility: TokenStream,
    /// The user's own function for g(x), if there is one.
    pub value: Option<ValueFunction>,
}

/// A function that computes g(x) from x and the parameters.
#[derive(Clone, Debug)]
pub struct ValueFunction {
    /// Its path.
    pub path: TokenStream,
    /// Its type of numbers: `f32` or `f64`.
    pub float: Ident,
}

impl Default for Options {
    fn default() -> Self {
        Self { runtime: quote!(::gaussform::runtime), visibility: quote!(pub), value: None }
    }
}

/// The type and its implementations, formatted.
#[must_use]
pub fn text(kernel: &Kernel, options: &Options) -> String {
    format(tokens(kernel, options))
}

/// Formats the code of any number of kernels.
pub(crate) fn format(tokens: TokenStream) -> String {
    let file = syn::parse2(tokens).expect("the printer makes valid items");
    prettyplease::unparse(&file)
}

/// The type and its implementations.
#[must_use]
pub fn tokens(kernel: &Kernel, options: &Options) -> TokenStream {
    let activation = kernel.activation();
    let name = identifier(&type_name(&activation.name));
    let visibility = &options.visibility;
    let docs = documentation(kernel);
    let fields: Vec<Ident> = activation.parameters.iter().map(|p| identifier(&p.name)).collect();
    let field_docs = activation.parameters.iter().map(|p| field_documentation(activation, p));
    let (body, default) = if fields.is_empty() {
        (quote!(;), quote!(Default,))
    } else {
        (quote!({ #(#[doc = #field_docs] pub #fields: f64,)* }), quote!())
    };
    let constructor = constructor(activation, &name, &fields, options);
    let formulas = formulas(activation);
    let implementation = routine::implementation(kernel, options, &name);
    quote! {
        #(#[doc = #docs])*
        #[derive(Clone, Copy, Debug, #default PartialEq)]
        #[allow(clippy::derive_partial_eq_without_eq)]
        #visibility struct #name #body
        #[allow(dead_code)]
        impl #name {
            /// The function and the formulas of its moments, as text.
            pub const FORMULAS: &'static str = #formulas;
        }
        #constructor
        #implementation
    }
}

/// The definition, the mean, the second moment and the variance.
fn formulas(activation: &Activation) -> String {
    let mut formulas = vec![render::text::definitions(&[("g", &activation.function)])];
    let derivations = [activation.moment(1), activation.moment(2), activation.variance()];
    formulas.extend(derivations.iter().flatten().map(render::text::equation));
    formulas.join("\n\n")
}

fn documentation(kernel: &Kernel) -> Vec<String> {
    let activation = kernel.activation();
    let mut lines = vec![
        format!(" The activation `{}` and its Gaussian moments, u ~ N(γ, ξ²).", activation.name),
        String::new(),
        " ```text".to_owned(),
    ];
    lines.extend(formulas(activation).lines().map(|line| format!(" {line}")));
    lines.extend([
        " ```".to_owned(),
        String::new(),
        " Operations of moments and gradients in f64, by where γ lies:".to_owned(),
        String::new(),
    ]);
    let costs = kernel.gradient_cost();
    lines.extend(costs.iter().map(|cost| format!(" - {}", cost)));
    lines
}

/// A parameter with its domain and the relations that it is part of.
fn field_documentation(activation: &Activation, parameter: &Parameter) -> String {
    let symbol = Symbol::Parameter(parameter.name.clone());
    let part = |r: &&Relation| r.lesser.contains(&symbol) || r.greater.contains(&symbol);
    let relations = activation.relations.iter().filter(part);
    let relations: String = relations.map(|relation| format!(", `{relation}`")).collect();
    format!("The parameter `{parameter}`{relations}.")
}

/// `new`, which checks the declared domains and relations.
fn constructor(
    activation: &Activation,
    name: &Ident,
    fields: &[Ident],
    options: &Options,
) -> TokenStream {
    if fields.is_empty() {
        return quote!();
    }
    let runtime = &options.runtime;
    let type_text = name.to_string();
    let checks = activation.parameters.iter().zip(fields).map(|(parameter, field)| {
        let (inside, parameter_name) = (domain(parameter, field), &*parameter.name);
        let domain = parameter.to_string();
        quote! {
            if !(#inside) {
                return ::core::result::Result::Err(#runtime::DomainError {
                    activation: #type_text,
                    parameter: #parameter_name,
                    domain: #domain,
                    value: #field,
                });
            }
        }
    });
    let relations = relation::checks(activation, &type_text, fields, options);
    let errors = if activation.relations.is_empty() {
        " If a value is not finite or lies outside of its declared domain."
    } else {
        " If a value is not finite or lies outside of its declared domain, or a declared relation \
         between values does not hold."
    };
    quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #name {
            /// The activation with these values of its parameters.
            ///
            /// # Errors
            ///
            #[doc = #errors]
            pub fn new(#(#fields: f64),*) -> ::core::result::Result<Self, #runtime::DomainError> {
                #(#checks)*
                #relations
                ::core::result::Result::Ok(Self { #(#fields),* })
            }
        }
    }
}

fn domain(parameter: &Parameter, field: &Ident) -> TokenStream {
    let bound = |end: &Endpoint| literal(&end.value);
    let lower = parameter.lower.as_ref().map(|end| {
        let value = bound(end);
        if end.closed { quote!(&& #field >= #value) } else { quote!(&& #field > #value) }
    });
    let upper = parameter.upper.as_ref().map(|end| {
        let value = bound(end);
        if end.closed { quote!(&& #field <= #value) } else { quote!(&& #field < #value) }
    });
    quote!(#field.is_finite() #lower #upper)
}

/// The local variable that holds a parameter.
fn parameter_variable(index: usize) -> Ident {
    format_ident!("theta{index}")
}
