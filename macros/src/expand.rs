//! From the attribute's tokens to the generated ones.

use std::rc::Rc;

use gaussform_codegen::{Kernel, rust};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Item, ItemFn, ReturnType};

use crate::attribute::Attribute;
use crate::declaration::{activation, check_nesting};
use crate::facade;
use crate::known::Known;
use crate::place::{Place, Report};
use crate::scope::{Meaning, Scope};
use crate::signature::Signature;

/// Expands `#[activation(attribute)] item`.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let attribute = Attribute::parse(attribute, &mut report);
    let parsed = check_nesting(item.clone()).and_then(|()| function(item.clone()));
    let function = match parsed {
        Ok(function) => function,
        Err(error) => {
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut scope = Scope::default();
    let known = Known::function(&function, &Rc::new(()));
    scope.bind(&function.sig.ident, Meaning::Item(known.clone()), &mut report);
    let runtime = facade::runtime(attribute.facade.as_ref());
    expansion(&attribute, &function, item, &known, &scope, &runtime, report)
}

/// The function and its type; or its errors, with something in the place of both.
pub(crate) fn expansion<'a>(
    attribute: &Attribute,
    function: &'a ItemFn,
    tokens: TokenStream,
    known: &Rc<Known<'a>>,
    scope: &Scope<'a>,
    runtime: &TokenStream,
    mut report: Report,
) -> TokenStream {
    match generate(attribute, function, known, scope, runtime, &mut report) {
        Some(generated) => quote!(#tokens #generated),
        None => {
            report.refused |= known.is_refused();
            fallback(tokens, function, runtime, report)
        }
    }
}

fn function(item: TokenStream) -> syn::Result<ItemFn> {
    match syn::parse2(item)? {
        Item::Fn(function) => Ok(function),
        other => Err(Place::of(&other).advise(
            "an activation is declared by a function",
            match other {
                Item::Mod(_) => "for the functions of a module, write `activations`",
                _ => "write `fn name(x: f64) -> f64 { … }` under the attribute",
            },
        )),
    }
}

fn generate<'a>(
    attribute: &Attribute,
    function: &'a ItemFn,
    known: &Rc<Known<'a>>,
    scope: &Scope<'a>,
    runtime: &TokenStream,
    report: &mut Report,
) -> Option<TokenStream> {
    let name = &function.sig.ident;
    if *name == type_name(function) {
        let message = format_args!("the type `{name}` would have the name of the function");
        let help = "name the function in snake_case";
        report.refuse(Place::from(name.span()).advise(message, help));
    }
    let (activation, signature) = activation(attribute, function, known, scope, report)?;
    let kernel = Kernel::new(&activation)
        .map_err(|error| report.push(Place::from(name.span()).error(error)))
        .ok()?;
    // The type computes with the function itself, in f64 too. A function on f32 would lose digits
    // there, so the type has its own; the function then counts as used all the same.
    let (value, witness) = if signature.float == "f32" {
        (None, Some(signature.witness(name)))
    } else {
        let float = format_ident!("f64");
        (Some(rust::ValueFunction { path: name.to_token_stream(), float }), None)
    };
    let options = rust::Options {
        runtime: runtime.clone(),
        visibility: function.vis.to_token_stream(),
        value,
        is_crate: true,
        has_numbers: true,
    };
    let (requirement, generated) = (rust::requirement(&options), rust::tokens(&kernel, &options));
    Some(quote!(#requirement #generated #witness))
}

fn type_name(function: &ItemFn) -> String {
    rust::type_name(&function.sig.ident.unraw().to_string())
}

/// The errors, with the function and a type of the right shape, so that uses of either give no
/// further error. Nothing of it ever runs.
fn fallback(
    item: TokenStream,
    function: &ItemFn,
    runtime: &TokenStream,
    report: Report,
) -> TokenStream {
    let function_tokens = if report.refused { stand_in(function) } else { item };
    let errors = report.error.map(syn::Error::into_compile_error);
    // A method stands in an `impl`, where no type can be declared.
    if function.sig.receiver().is_some() {
        return quote!(#errors #function_tokens);
    }
    let (visibility, name) = (&function.vis, format_ident!("{}", type_name(function)));
    let declared = if function.sig.ident == name {
        None
    } else {
        let fields = Signature::fields(function);
        // An argument that comes twice is reported at the function; a field that does would be a
        // second error.
        let fields: Vec<_> = fields.iter().filter(|f| !is_repeated(f, &fields)).collect();
        let (body, constructor) = if fields.is_empty() {
            (quote!(;), None)
        } else {
            let numbers = fields.iter().map(|_| quote!(_: f64));
            let result = quote!(::core::result::Result<Self, #runtime::DomainError>);
            let names: Vec<String> = fields.iter().map(|field| field.unraw().to_string()).collect();
            let getters = rust::getters(names.iter().map(|name| &**name));
            let constructor = quote! {
                #[allow(dead_code)]
                impl #name {
                    #[doc = ""]
                    pub const fn new(#(#numbers),*) -> #result { ::core::unreachable!() }
                    #(#[doc = ""] pub const fn #getters(self) -> f64 { ::core::unreachable!() })*
                }
            };
            (quote!({ #(#[doc = ""] #[allow(dead_code)] #fields: f64,)* }), Some(constructor))
        };
        let implementations = ["f32", "f64"].map(|float| implementation(&name, float, runtime));
        let text = name.to_string();
        Some(quote! {
            #[doc = ""]
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #visibility struct #name #body
            #[allow(dead_code)]
            impl #name {
                #[doc = ""]
                pub const FORMULAS: &'static str = "";
                #[doc = ""]
                pub const DECLARATION: &'static str = "";
                #[doc = ""]
                pub const NONNEGATIVE: bool = false;
            }
            #constructor
            #runtime::serialize! { #name #text #(#fields)* }
            #(#implementations)*
        })
    };
    quote!(#errors #function_tokens #declared)
}

fn is_repeated(field: &syn::Ident, fields: &[syn::Ident]) -> bool {
    fields.iter().filter(|other| *other == field).count() > 1
}

fn implementation(name: &syn::Ident, float: &str, runtime: &TokenStream) -> TokenStream {
    let float = format_ident!("{float}");
    let never = quote!({ ::core::unreachable!() });
    quote! {
        impl #runtime::Activation<#float> for #name {
            const PARAMETERS: &'static [&'static str] = &[];
            fn value(&self, _: #float) -> #float #never
            fn moments(&self, _: #float, _: #float) -> #runtime::Moments<#float> #never
            fn moments_grad(&self, _: #float, _: #float) -> #runtime::MomentsGrad<#float> #never
            fn parameter_grad(
                &self,
                _: #float,
                _: #float,
                _: &mut [#runtime::ParameterGrad<#float>],
            ) #never
        }
    }
}

/// The function without the body that the compiler would refuse as well.
pub(crate) fn stand_in(function: &ItemFn) -> TokenStream {
    let mut function = function.clone();
    if matches!(function.sig.output, ReturnType::Default) {
        function.sig.output = syn::parse_quote!(-> f64);
    }
    function.block = syn::parse_quote!({ ::core::unreachable!() });
    function.attrs.push(syn::parse_quote!(#[allow(unused)]));
    function.into_token_stream()
}
