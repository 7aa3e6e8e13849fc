//! Names of the language as names of Rust.

use proc_macro2::{Ident, Span};

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
    let keyword = matches!(name, "self" | "Self" | "super" | "crate");
    if !keyword && syn::parse_str::<Ident>(&format!("r#{name}")).is_ok() {
        return Ident::new_raw(name, Span::call_site());
    }
    let starts_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
    let fallback = if starts_with_digit { format!("_{name}") } else { format!("{name}_") };
    Ident::new(&fallback, Span::call_site())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_types() {
        assert_eq!(type_name("hard_swish"), "HardSwish");
        assert_eq!(type_name("relu6"), "Relu6");
        assert_eq!(type_name("g"), "G");
        assert_eq!(identifier("type").to_string(), "r#type");
        assert_eq!(identifier("Self").to_string(), "Self_");
        assert_eq!(identifier(&type_name("_2d")).to_string(), "_2d");
        assert!(is_type_name("relu") && !is_type_name("self") && !is_type_name("option"));
    }
}
