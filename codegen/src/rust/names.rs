//! Names of the language as names of Rust.

use proc_macro2::{Ident, Span};

use crate::source::has_word;

/// `hard_swish` → `HardSwish`.
#[must_use]
pub fn type_name(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let pascal: String = words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect();
    if pascal.is_empty() { "Activation".to_owned() } else { pascal }
}

/// Whether an activation of this name can be a type: its name is neither a keyword nor one that the
/// code itself needs.
#[must_use]
pub fn is_type_name(name: &str) -> bool {
    let name = type_name(name);
    identifier(&name) == name && !["None", "Option", "Some"].contains(&&*name)
}

/// A Rust identifier, raw or with an underscore where the name is a keyword.
pub(super) fn identifier(name: &str) -> Ident {
    if let Ok(plain) = syn::parse_str::<Ident>(name) {
        return plain;
    }
    // These cannot be raw identifiers.
    let keyword = matches!(name, "self" | "Self" | "super" | "crate");
    if !keyword && syn::parse_str::<Ident>(&format!("r#{name}")).is_ok() {
        return Ident::new_raw(name, Span::call_site());
    }
    let starts_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
    let fallback = if starts_with_digit { format!("_{name}") } else { format!("{name}_") };
    Ident::new(&fallback, Span::call_site())
}

/// Names that a type has already: its own functions and constants, the methods of `Activation`, and those of the
/// usual traits.
const TAKEN: &str = "\
    new FORMULAS DECLARATION NONNEGATIVE TABLE PARAMETERS value moments moments_grad \
    is_nonnegative log_moments log_moments_grad parameter_grad moments_into moments_grad_into \
    log_moments_into log_moments_grad_into parameter_grad_into vjp_into clone eq fmt into ne \
    serialize to_owned to_string";

/// The names of the functions that return parameters: those of the parameters, with an underscore where a type has
/// something else by that name.
#[must_use]
pub fn getters<'a>(parameters: impl IntoIterator<Item = &'a str>) -> Vec<Ident> {
    let parameters: Vec<&str> = parameters.into_iter().collect();
    let getter = |parameter: &&str| {
        let mut name = (*parameter).to_owned();
        while has_word(TAKEN, &name) || name != *parameter && parameters.contains(&&*name) {
            name.push('_');
        }
        identifier(&name)
    };
    parameters.iter().map(getter).collect()
}

#[cfg(test)]
mod tests {
    use gaussform_runtime::source::FILES;
    use syn::{Item, TraitItem};

    use super::*;

    #[test]
    fn names_become_types() {
        assert_eq!(type_name("hard_swish"), "HardSwish");
        assert_eq!(type_name("relu6"), "Relu6");
        assert_eq!(type_name("g"), "G");
        assert_eq!(identifier("type").to_string(), "r#type");
        assert_eq!(identifier("Self").to_string(), "Self_");
        assert_eq!(identifier(&type_name("_2d")).to_string(), "_2d");
        let names = getters(["eps", "value", "value_", "type", "new"]);
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["eps", "value__", "value_", "r#type", "new_"]);
        assert!(is_type_name("relu") && !is_type_name("self") && !is_type_name("option"));
    }

    /// A parameter `value` has the getter `value_`, since `activation.value(x)` is g(x).
    #[test]
    fn no_getter_hides_a_method_of_the_trait() {
        let (_, source) =
            FILES.iter().find(|(file, _)| *file == "activation/mod.rs").expect("the trait");
        let file = syn::parse_file(source).expect("Rust");
        let items = file.items.iter().filter_map(|item| match item {
            Item::Trait(item) if item.ident == "Activation" => Some(&item.items),
            _ => None,
        });
        let names: Vec<String> = items
            .flatten()
            .filter_map(|item| match item {
                TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
                TraitItem::Const(constant) => Some(constant.ident.to_string()),
                _ => None,
            })
            .collect();
        assert!(names.len() > 5);
        for name in names {
            assert!(has_word(TAKEN, &name), "{name} belongs into the list");
        }
    }
}
