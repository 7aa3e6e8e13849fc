//! Kernels as one file of Rust that needs no crate.
//!
//! The runtime goes along as a module: its own source, as it is for a machine without vectors, less
//! what the kernels do not call. So the results are those of the crate, bit by bit. For two pre-activations the exponential
//! is that of the standard library, and results may differ in the last digits.

use std::collections::BTreeSet;

use gaussform_runtime::source::FILES;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Item;

use super::{Options, format, names, pair, tokens};
use crate::kernel::Kernel;

mod decided;
mod mentions;
mod nest;
mod prune;

/// The items of the runtime that a program calls for one pre-activation.
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

/// The items of the runtime that a program calls for two pre-activations.
const OF_PAIRS: [&str; 3] = ["Inputs", "InvalidLaw", "PairMoments"];

/// A file with the types of some kernels, and all that they call.
#[must_use]
pub fn standalone(kernels: &[Kernel]) -> String {
    let kernels: Vec<&Kernel> = kernels.iter().collect();
    // One pre-activation needs no numbers of pieces beside formulas.
    let options = Options { has_numbers: false, ..options() };
    let types = kernels.iter().map(|kernel| tokens(kernel, &options)).collect();
    file(&kernels, &types, &TokenStream::new(), false)
}

/// A file with the types of g and h, the function [`pair_moments`](super::pair) for correlated pre-activations, and all that they
/// call.
#[must_use]
pub fn standalone_pair(g: &Kernel, h: &Kernel) -> String {
    with_interface(g, h, &TokenStream::new())
}

/// A file with the types of g and h, the function for pairs, and more items, which call that function.
pub(super) fn with_interface(g: &Kernel, h: &Kernel, interface: &TokenStream) -> String {
    let is_one = g.activation().name == h.activation().name;
    let kernels = if is_one { vec![g] } else { vec![g, h] };
    file(&kernels, &pair::items(g, h, &options()), interface, true)
}

fn options() -> Options {
    Options { runtime: quote!(self::runtime), is_crate: false, ..Options::default() }
}

fn file(kernels: &[&Kernel], types: &TokenStream, more: &TokenStream, pairs: bool) -> String {
    let runtime = runtime(kernels, types, pairs);
    let own: Vec<String> =
        kernels.iter().map(|kernel| names::type_name(&kernel.activation().name)).collect();
    // A kernel may be called as an item of the runtime, and then its type has the name.
    let is_free = |name: &&str| !own.iter().any(|own| own == name);
    let interface = INTERFACE.into_iter().filter(is_free).map(|name| format_ident!("{name}"));
    let of_pairs = OF_PAIRS.into_iter().filter(is_free).map(|name| format_ident!("{name}"));
    let of_pairs = pairs.then(|| {
        quote! {
            #[allow(unused_imports)]
            pub use self::runtime::pair::{#(#of_pairs),*};
        }
    });
    let functions = if pairs { functions_of_pairs() } else { TokenStream::new() };
    let names: Vec<&str> = kernels.iter().map(|k| k.activation().name.as_str()).collect();
    let items = format(quote! {
        #[allow(unused_imports)]
        pub use self::runtime::{#(#interface),*};
        #of_pairs
        #types
        #more
        /// The crate gaussform-runtime, which the kernels call, for one number at a time.
        #[allow(
            dead_code, unused_braces, unused_imports, unused_variables, unreachable_pub, clippy::all, clippy::pedantic,
            rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links
        )]
        pub mod runtime {
            #(#runtime)*
            /// Square roots, correctly rounded, and logarithms. Where there is no `std`, those of the crate libm
            /// take their place.
            mod libm {
                pub(crate) fn exp(x: f64) -> f64 {
                    x.exp()
                }
                pub(crate) fn log(x: f64) -> f64 {
                    x.ln()
                }
                pub(crate) fn log1p(x: f64) -> f64 {
                    x.ln_1p()
                }
                pub(crate) fn sqrt(x: f64) -> f64 {
                    x.sqrt()
                }
                pub(crate) fn sqrtf(x: f32) -> f32 {
                    x.sqrt()
                }
                #functions
            }
        }
    });
    let introduction = match pairs {
        false => include_str!("introduction.txt"),
        true => include_str!("introduction_of_pairs.txt"),
    };
    let lines = introduction.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n");
    let introduction: String = lines.collect();
    introduction.replace("@names@", &names.join(", ")) + "\n" + &items
}

/// The functions of the crate libm that two pre-activations call besides.
fn functions_of_pairs() -> TokenStream {
    quote! {
        /// The exponent of a positive number.
        pub(crate) fn ilogb(x: f64) -> i32 {
            let exponent = |x: f64| (x.to_bits() >> 52) as i32 - 1023;
            if x < f64::MIN_POSITIVE { exponent(x * (1_u64 << 54) as f64) - 54 } else { exponent(x) }
        }
        /// x · 2ⁿ, rounded once.
        pub(crate) fn scalbn(x: f64, n: i32) -> f64 {
            let power = |n: i32| f64::from_bits(((1023 + n) as u64) << 52);
            let (mut x, mut n) = (x, n.clamp(-3000, 3000));
            while n > 1023 {
                (x, n) = (x * power(1023), n - 1023);
            }
            // Room for all digits, so that only the last step rounds.
            while n < -1022 {
                (x, n) = (x * power(53 - 1022), n + 1022 - 53);
            }
            x * power(n)
        }
    }
}

/// The items of the runtime, as far as they are needed.
fn runtime(kernels: &[&Kernel], types: &TokenStream, pairs: bool) -> Vec<Item> {
    // Pairs take the numbers of every kernel as a table.
    let never = if pairs { BTreeSet::new() } else { decided::never(kernels) };
    let mut items = nest::crate_items(FILES, &never, pairs);
    nest::without_vectors(&mut items, FILES);
    let of_pairs = if pairs { &OF_PAIRS[..] } else { &[] };
    prune::prune(&mut items, types, &[&INTERFACE[..], of_pairs].concat());
    items
}
