//! The function's signature: its argument, its parameters and their float type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{FnArg, GenericParam, Ident, ItemFn, Pat, PatType, ReturnType, Safety, Type};

use crate::place::{Place, Report, origin};

/// The arguments of a function of plain numbers.
pub(crate) struct Signature<'a> {
    /// The names of the arguments.
    pub(crate) arguments: Vec<Ident>,
    /// The parameter that their type is, if the function is generic.
    pub(crate) generic: Option<&'a Ident>,
    /// The type of the arguments: `f32`, `f64`, or the parameter.
    pub(crate) float: String,
}

impl<'a> Signature<'a> {
    /// Checks that the function is one of plain numbers.
    pub(crate) fn read(function: &'a ItemFn, report: &mut Report) -> Option<Self> {
        let signature = &function.sig;
        let unsupported = [
            (signature.asyncness.map(|token| Place::of(&token)), "`async` functions"),
            (unsafety(&signature.safety), "`unsafe` functions"),
            (signature.abi.as_ref().map(Place::of), "`extern` functions"),
            (signature.variadic.as_ref().map(Place::of), "variadic functions"),
        ];
        let mut errors = Vec::new();
        for (place, what) in unsupported {
            errors.extend(place.map(|place| place.error(format_args!("{what} are not supported"))));
        }
        if let Some(receiver) = signature.receiver() {
            let message = "an activation is a function of its own, not a method";
            errors.push(Place::of(receiver).advise(message, "move it out of the `impl`"));
            return refuse(report, errors);
        }
        let generic = match generic(function) {
            Ok(generic) => generic,
            Err(error) => {
                errors.push(error);
                return refuse(report, errors);
            }
        };
        let Some(FnArg::Typed(first)) = signature.inputs.first() else {
            let place = Place::from(signature.paren_token.span.open());
            errors.push(place.to(signature.paren_token.span.close()).advise(
                "a function of at least one number is needed",
                format_args!(
                    "write `fn {}(x: f64) -> f64`, or a `const` if it has one value",
                    signature.ident
                ),
            ));
            return refuse(report, errors);
        };
        let float = float(&first.ty, generic);
        let mut names = Vec::new();
        for argument in &signature.inputs {
            let FnArg::Typed(argument) = argument else { continue };
            match name(argument) {
                Ok(name) => names.push(name.clone()),
                Err(error) => errors.push(error),
            }
        }
        let arguments = signature.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(argument) => Some(&*argument.ty),
            FnArg::Receiver(_) => None,
        });
        let output = match &signature.output {
            ReturnType::Type(_, output) => Some(&**output),
            ReturnType::Default => None,
        };
        let expected = float.as_deref();
        let mut types = arguments.chain(output);
        errors.extend(types.find_map(|kind| type_error(kind, expected, generic)));
        if output.is_none() {
            let place = Place::from(signature.ident.span());
            let place = place.to(signature.paren_token.span.close());
            let help = format_args!("write `-> {}` after it", expected.unwrap_or("f64"));
            errors.push(place.advise("the return type is missing", help));
        }
        // The compiler has an error of its own for an argument's name that is used twice.
        let repeated = names.iter().enumerate().any(|(i, name)| {
            let same = |other: &Ident| other == name && origin(other.span()) == origin(name.span());
            // Where origins do not show, names of the same text may come from different macros.
            names[..i].iter().any(same) && origin(name.span()).is_some()
        });
        if repeated || !errors.is_empty() {
            return refuse(report, errors);
        }
        Some(Self { arguments: names, generic, float: float? })
    }

    /// The argument of the activation.
    pub(crate) fn variable(&self) -> &Ident {
        &self.arguments[0]
    }

    /// The arguments after it.
    pub(crate) fn parameters(&self) -> &[Ident] {
        &self.arguments[1..]
    }

    /// The parameters' names of a function that may be wrong in other respects.
    pub(crate) fn fields(function: &ItemFn) -> Vec<Ident> {
        let arguments = function.sig.inputs.iter().skip(1);
        arguments
            .filter_map(|argument| match argument {
                FnArg::Typed(argument) => name(argument).ok().cloned(),
                FnArg::Receiver(_) => None,
            })
            .collect()
    }

    /// A use of the function that pins its type.
    pub(crate) fn witness(&self, function: &Ident) -> TokenStream {
        let float = Ident::new(&self.float, proc_macro2::Span::call_site());
        let arguments = std::iter::repeat_n(&float, self.arguments.len());
        quote!(const _: fn(#(#arguments),*) -> #float = #function;)
    }
}

fn refuse<T>(report: &mut Report, errors: Vec<syn::Error>) -> Option<T> {
    for error in errors {
        report.refuse(error);
    }
    None
}

fn unsafety(safety: &Safety) -> Option<Place> {
    match safety {
        Safety::Unsafe(token) => Some(Place::of(token)),
        _ => None,
    }
}

fn name(argument: &PatType) -> syn::Result<&Ident> {
    if let Some(attribute) = argument.attrs.first() {
        return Err(Place::of(attribute).error("attributes on arguments are not supported"));
    }
    match &*argument.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
            match &pattern.mutability {
                None => Ok(&pattern.ident),
                Some(token) => Err(Place::of(token).advise(
                    "`mut` is not supported",
                    format_args!("bind a new name: `let y = {};`", pattern.ident.unraw()),
                )),
            }
        }
        pattern => Err(Place::of(pattern).error("an argument of an activation is a plain name")),
    }
}

/// The type of numbers that a function is generic in.
fn generic(function: &ItemFn) -> syn::Result<Option<&Ident>> {
    let generics = &function.sig.generics;
    let mut parameters = generics.params.iter();
    match (parameters.next(), parameters.next()) {
        (None, _) => Ok(None),
        (Some(GenericParam::Type(parameter)), None) => Ok(Some(&parameter.ident)),
        _ => Err(Place::of(generics).advise(
            "a function may be generic in nothing but its type of numbers",
            "write `f64`, or `fn name<T: Float>(x: T) -> T`",
        )),
    }
}

/// `f32`, `f64` or the function's parameter, also as a macro passes it on.
fn float(kind: &Type, generic: Option<&Ident>) -> Option<String> {
    match kind {
        Type::Group(group) => float(&group.elem, generic),
        Type::Paren(paren) => float(&paren.elem, generic),
        Type::Path(path) if path.qself.is_none() => {
            let name = path.path.get_ident()?;
            let known = name == "f32" || name == "f64" || Some(name) == generic;
            known.then(|| name.to_string())
        }
        _ => None,
    }
}

fn type_error(kind: &Type, expected: Option<&str>, generic: Option<&Ident>) -> Option<syn::Error> {
    let found = float(kind, generic);
    match expected {
        Some(expected) if found.is_some() && found.as_deref() != Some(expected) => {
            Some(Place::of(kind).error(format_args!(
                "the arguments and the value are all of one type; here `{expected}`"
            )))
        }
        _ if found.is_none() => Some(Place::of(kind).advise(
            "the arguments and the value of an activation, and of what it calls, are plain numbers",
            "write `f64`, or `f32`",
        )),
        _ => None,
    }
}
