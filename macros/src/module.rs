//! `#[activations]` on a module: its functions and constants see each other.

use std::rc::Rc;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Item, ItemConst, ItemMod, Meta, Path};

use crate::attribute::Attribute;
use crate::declaration::check_nesting;
use crate::expand::{expansion, stand_in};
use crate::facade;
use crate::known::Known;
use crate::place::{Place, Report};
use crate::scope::{Meaning, Scope};

/// Expands `#[activations(attribute)] item`.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let attribute = Attribute::parse(attribute, &mut report);
    if let Some(name) = attribute.names.first() {
        report.push(Place::from(name.span()).advise(
            "a module has no parameters",
            "state domains and relations at each function: `#[activation(eps in (0, 1))]`",
        ));
    }
    let parsed = check_items(item.clone()).and_then(|()| module(item.clone()));
    let mut module = match parsed {
        Ok(module) => module,
        Err(error) => {
            report.push(error);
            let errors = report.error.map(syn::Error::into_compile_error);
            return quote!(#errors #item);
        }
    };
    let Some((_, items)) = &mut module.content else { return item };
    let markers: Vec<Option<syn::Attribute>> = items.iter_mut().map(take_marker).collect();
    if markers.iter().all(Option::is_none) {
        let place = Place::of(&module.mod_token).to(module.ident.span());
        report.push(place.advise(
            "no function of this module is an activation",
            "mark those that are: `#[activation] fn name(x: f64) -> f64 { … }`",
        ));
    }
    let errors = report.error.map(syn::Error::into_compile_error);
    let items = expand_items(items, &markers, attribute.facade.as_ref());
    let ItemMod { attrs, vis, mod_token, ident, .. } = &module;
    quote!(#(#attrs)* #vis #mod_token #ident { #errors #items })
}

fn expand_items(
    items: &[Item],
    markers: &[Option<syn::Attribute>],
    facade: Option<&Path>,
) -> TokenStream {
    let (block, mut scope) = (Rc::new(()), Scope::default());
    let known: Vec<Option<Rc<Known<'_>>>> = items
        .iter()
        .map(|item| {
            let (name, known) = match item {
                Item::Const(item) => (&item.ident, Known::constant(item, &block)),
                Item::Fn(item) => (&item.sig.ident, Known::function(item, &block)),
                _ => return None,
            };
            // The compiler tells items apart by their text alone.
            scope.bind(name, Meaning::Item(known.clone()), &mut Report::default());
            Some(known)
        })
        .collect();
    let declared = items.iter().zip(&known).zip(markers).map(|((item, known), marker)| {
        let (Item::Fn(function), Some(known), Some(marker)) = (item, known, marker) else {
            return None;
        };
        let mut report = Report::default();
        let attribute = arguments(marker, &mut report);
        let runtime = facade::runtime(attribute.facade.as_ref().or(facade));
        let tokens = function.to_token_stream();
        Some(expansion(&attribute, function, tokens, known, &scope, &runtime, report))
    });
    // Only when all activations are read it is known which items were refused.
    let declared: Vec<Option<TokenStream>> = declared.collect();
    items
        .iter()
        .zip(&known)
        .zip(declared)
        .map(|((item, known), declared)| match (item, known) {
            (_, Some(_)) if declared.is_some() => declared.unwrap_or_default(),
            (Item::Fn(function), Some(known)) if known.is_refused() => stand_in(function),
            (Item::Const(constant), Some(known)) if known.is_refused() => zero(constant),
            _ => item.to_token_stream(),
        })
        .collect()
}

/// The constant with a value that the compiler accepts.
fn zero(constant: &ItemConst) -> TokenStream {
    let (mut constant, kind) = (constant.clone(), &constant.ty);
    let is_truth = matches!(&**kind, syn::Type::Path(path) if path.path.is_ident("bool"));
    // `as` makes a value of any numeric type of 0.
    constant.expr = if is_truth { syn::parse_quote!(false) } else { syn::parse_quote!(0 as #kind) };
    constant.into_token_stream()
}

/// Takes `#[activation]` from a function, under whatever path.
fn take_marker(item: &mut Item) -> Option<syn::Attribute> {
    let Item::Fn(function) = item else { return None };
    let is_marker = |attribute: &syn::Attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "activation")
    };
    let index = function.attrs.iter().position(is_marker)?;
    Some(function.attrs.remove(index))
}

/// The contents of the parentheses of `#[activation(…)]`.
fn arguments(marker: &syn::Attribute, report: &mut Report) -> Attribute {
    match &marker.meta {
        Meta::Path(_) => Attribute::default(),
        Meta::List(list) => Attribute::parse(list.tokens.clone(), report),
        Meta::NameValue(_) => {
            let place = Place::of(&marker.meta);
            report.push(place.advise("expected parentheses", "write `#[activation(a > 0)]`"));
            Attribute::default()
        }
    }
}

fn module(item: TokenStream) -> syn::Result<ItemMod> {
    let (place, help) = match syn::parse2(item)? {
        Item::Mod(module) if module.content.is_some() => return Ok(module),
        Item::Fn(function) => {
            let place = Place::of(&function.sig.fn_token).to(function.sig.ident.span());
            (place, "for one function, write `activation`")
        }
        item => (Place::of(&item), "write `mod name { … }` under the attribute"),
    };
    Err(place.advise("activations are declared in the body of a module", help))
}

/// Bounds the recursion of the parser before it starts: each item of the module by itself.
fn check_items(module: TokenStream) -> syn::Result<()> {
    let Some(TokenTree::Group(body)) = module.into_iter().last() else { return Ok(()) };
    let mut item = TokenStream::new();
    for token in body.stream() {
        let is_end = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        item.extend([token]);
        if is_end {
            check_nesting(std::mem::take(&mut item))?;
        }
    }
    check_nesting(item)
}
