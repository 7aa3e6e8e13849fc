//! A function and its attribute as a declaration of the language.

use gaussform_symbolic::grammar::{Declaration, Name, ParameterSyntax};
use gaussform_symbolic::polynomial::Polynomial;
use gaussform_symbolic::{Activation, Library, Limit};
use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::{Ident, ItemFn};

use crate::attribute::Attribute;
use crate::body::Reader;
use crate::known::Known;
use crate::place::{Place, Places, Report};
use crate::scope::Scope;
use crate::signature::Signature;
use crate::unsupported;

/// Tokens for each node of the tree that a body may have: types, semicolons and keywords count
/// as tokens, but make no node.
const TOKENS_PER_NODE: usize = 8;

/// Signs in a row, each of which is a level of recursion.
const MAX_SIGNS: usize = 16;

/// Reads the function as an activation; `item` is that function in the scope of what it may use.
/// `None` if anything is wrong, which is then reported, here or where it was found first.
pub(crate) fn activation<'a>(
    attribute: &Attribute,
    function: &'a ItemFn,
    item: &Known<'a>,
    scope: &Scope<'a>,
    report: &mut Report,
) -> Option<(Activation, Signature<'a>)> {
    let mut places = attribute.places.clone();
    let place = Place::from(function.sig.ident.span());
    let sound = Reader::new(&mut Places::default(), report, scope.clone()).check(item, place);
    // What is wrong with the signature has been reported by the check.
    let signature = Signature::read(function, &mut Report::default())?;
    // The parameters are read even after a mistake in the body, for the errors of the attribute.
    let parameters = parameters(attribute, &signature, &mut places, report);
    if sound.is_none() || report.error.is_some() {
        return None;
    }
    let mut reader = Reader::new(&mut places, report, scope.of_item(item));
    let body = reader.function(function);
    let signs = reader.signs;
    if report.error.is_some() {
        return None;
    }
    let name = places.name(&function.sig.ident);
    let variable = places.name(signature.variable());
    let relations = attribute.relations.clone();
    let mut declaration =
        Declaration { docs: Vec::new(), name, variable, parameters, relations, body: body? };
    let read = |declaration: &Declaration| {
        Activation::from_declaration(declaration, &Library::new())
            .map_err(|error| places.error(&error))
    };
    let activation = read(&declaration).map_err(|error| report.push(error)).ok()?;
    for sign in signs {
        let place = places.place(sign.span);
        declaration.body = sign;
        let Ok(taken) = read(&declaration) else { continue };
        if taken.function.pieces().iter().any(Polynomial::is_zero) {
            report.push(place.error(unsupported::SIGN_OF_ZERO));
            return None;
        }
    }
    Some((activation, signature))
}

impl Places {
    fn name(&mut self, name: &Ident) -> Name {
        Name { text: name.unraw().to_string(), span: self.span(name.span()) }
    }
}

fn parameters(
    attribute: &Attribute,
    signature: &Signature<'_>,
    places: &mut Places,
    report: &mut Report,
) -> Vec<ParameterSyntax> {
    for name in &attribute.names {
        if !signature.parameters().contains(name) {
            report.push(stranger(name, signature));
        }
    }
    let (count, most) = (signature.parameters().len(), Limit::Parameters.maximum());
    if count > most {
        let place = Place::from(signature.parameters()[most].span());
        report.push(place.limit(Limit::Parameters, Some(count)));
    }
    let declared = signature.parameters().iter().map(|parameter| {
        let mentioned = || {
            let name = attribute.names.iter().find(|name| *name == parameter);
            Place::from(name.unwrap_or(parameter).span())
        };
        let domain = attribute.domains.iter().find(|domain| domain.name == *parameter);
        ParameterSyntax {
            name: places.name(parameter),
            lower: domain.and_then(|domain| domain.lower.clone()),
            upper: domain.and_then(|domain| domain.upper.clone()),
            span: places.span(domain.map_or_else(mentioned, |domain| domain.place)),
        }
    });
    declared.collect()
}

/// The error of a domain or a relation of something that is no parameter.
fn stranger(name: &Ident, signature: &Signature<'_>) -> syn::Error {
    let place = Place::from(name.span());
    let name = name.unraw();
    if name == signature.variable().unraw() {
        let message = format_args!("`{name}` is the variable, not a parameter");
        return place.advise(message, "state the domains of the arguments after the first");
    }
    let known: Vec<String> =
        signature.parameters().iter().map(|known| format!("`{}`", known.unraw())).collect();
    let message = format_args!("`{name}` is no parameter of the function");
    if known.is_empty() {
        return place
            .advise(message, format_args!("add the argument `{name}: {}`", signature.float));
    }
    place.advise(message, format_args!("its parameters: {}", known.join(", ")))
}

/// Bounds the recursion of the parser before it starts.
pub(crate) fn check_nesting(tokens: TokenStream) -> syn::Result<()> {
    // A level in the body may open a parenthesis within a block of its own.
    let deepest = 2 * Limit::Depth.maximum();
    // A stack of its own in place of recursion, since the depth is not known to be small yet.
    let mut open = vec![tokens.into_iter()];
    let (mut count, mut signs) = (0_usize, 0_usize);
    while let Some(tokens) = open.last_mut() {
        let Some(token) = tokens.next() else {
            open.pop();
            continue;
        };
        let place = Place::from(token.span());
        count += 1;
        signs = if matches!(token, TokenTree::Punct(_)) { signs + 1 } else { 0 };
        if let TokenTree::Group(group) = token {
            open.push(group.stream().into_iter());
        }
        if open.len() > deepest || signs > MAX_SIGNS {
            return Err(place.limit(Limit::Depth, None));
        }
        if count > TOKENS_PER_NODE * Limit::Nodes.maximum() {
            return Err(place.limit(Limit::Nodes, None));
        }
    }
    Ok(())
}
