//! Kernels as one file of Rust that needs no crate.
//!
//! The runtime goes along as a module: its own source, as it is for a machine without vectors, less
//! what the kernels do not call. So the results are those of the crate, bit by bit.

use gaussform_runtime::source::FILES;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Item;

use super::{Options, format, names, tokens};
use crate::kernel::Kernel;

mod nest;
mod prune;

/// What a program calls.
const INTERFACE: [&str; 11] = [
    "Activation",
    "DomainError",
    "LogMoments",
    "LogMomentsGrad",
    "LogMomentsGradMut",
    "LogMomentsMut",
    "Moments",
    "MomentsGrad",
    "MomentsGradMut",
    "ParameterGrad",
    "ParameterGradMut",
];

/// A file with the types of some kernels, and all that they call.
#[must_use]
pub fn standalone(kernels: &[Kernel]) -> String {
    let options = Options { runtime: quote!(self::runtime), is_crate: false, ..Options::default() };
    let types: TokenStream = kernels.iter().map(|kernel| tokens(kernel, &options)).collect();
    let runtime = runtime(&types);
    let own: Vec<String> =
        kernels.iter().map(|kernel| names::type_name(&kernel.activation().name)).collect();
    let interface = INTERFACE.iter().filter(|name| !own.iter().any(|own| own == *name));
    let interface = interface.map(|name| format_ident!("{name}"));
    let names: Vec<&str> = kernels.iter().map(|k| k.activation().name.as_str()).collect();
    let items = format(quote! {
        #[allow(unused_imports)]
        pub use self::runtime::{#(#interface),*};
        #types
        /// What the kernels call: the crate gaussform-runtime, for one number at a time.
        #[allow(
            dead_code, unused_imports, unreachable_pub, clippy::all, clippy::pedantic,
            rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links
        )]
        pub mod runtime {
            #(#runtime)*
            /// Square roots, correctly rounded, and logarithms. Where there is no `std`, those of the crate libm
            /// take their place.
            mod libm {
                pub(crate) fn log(x: f64) -> f64 {
                    x.ln()
                }
                pub(crate) fn sqrt(x: f64) -> f64 {
                    x.sqrt()
                }
                pub(crate) fn sqrtf(x: f32) -> f32 {
                    x.sqrt()
                }
            }
        }
    });
    let introduction = include_str!("standalone/introduction.txt");
    let lines = introduction.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n");
    let introduction: String = lines.collect();
    introduction.replace("@names@", &names.join(", ")) + "\n" + &items
}

/// The items of the runtime, as far as they are needed.
fn runtime(types: &TokenStream) -> Vec<Item> {
    let mut items = nest::crate_items(FILES);
    nest::without_vectors(&mut items, FILES);
    prune::prune(&mut items, types, &INTERFACE);
    items
}
