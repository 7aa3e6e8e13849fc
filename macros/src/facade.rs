//! Under which name the user's crate knows the facade.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, Path};

/// The path of the runtime: in the facade that the attribute names, or in the dependency as the
/// manifest names it.
pub(crate) fn runtime(facade: Option<&Path>) -> TokenStream {
    if let Some(path) = facade {
        return quote!(#path::runtime);
    }
    match crate_name("gaussform") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name::runtime)
        }
        // The facade's own tests, or no manifest with it: re-exported by another crate, or not built by cargo.
        Ok(FoundCrate::Itself) | Err(_) => quote!(::gaussform::runtime),
    }
}
