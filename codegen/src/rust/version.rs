//! The check that generated code runs on the version of the runtime that it was made for.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Options;

/// An item that does not compile with a runtime of another version: one that is older than this crate, or may have
/// changed what the code calls. Empty where the runtime comes with the code.
#[must_use]
pub fn requirement(options: &Options) -> TokenStream {
    if !options.is_crate {
        return quote!();
    }
    let runtime = &options.runtime;
    let part = |text: &str| Literal::u64_unsuffixed(text.parse().expect("a number"));
    let [major, minor, patch] = [
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH"),
    ]
    .map(part);
    let version = env!("CARGO_PKG_VERSION");
    let message = format!(
        "this code is of gaussform {version} and needs the runtime of \"{version}\" or of a later version that is \
         compatible with it: make the code again with the version that this package depends on, or depend on \
         gaussform \"{version}\""
    );
    quote! {
        const _: () = ::core::assert!(
            #runtime::kernel::goes_with([#major, #minor, #patch]),
            #message
        );
    }
}
