//! The attribute that turns a Rust function into an activation with exact Gaussian moments.
//!
//! It is a front end: the function becomes a declaration of the language, which `gaussform-symbolic` derives from and
//! `gaussform-codegen` prints. Use it through the facade, as `gaussform::activation`, which has the documentation: a
//! macro's own examples would have all that they use built once more, for the machine that compiles.

mod attribute;
mod block;
mod body;
mod call;
mod condition;
mod declaration;
mod domain;
mod expand;
mod facade;
mod item;
mod known;
mod matching;
mod module;
mod number;
mod place;
mod relation;
mod scope;
mod signature;
#[cfg(test)]
mod tests;
mod unsupported;

#[expect(missing_docs, reason = "the facade documents it")]
#[proc_macro_attribute]
pub fn activation(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::expand(attribute.into(), item.into()).into()
}

#[expect(missing_docs, reason = "the facade documents it")]
#[proc_macro_attribute]
pub fn activations(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    module::expand(attribute.into(), item.into()).into()
}
