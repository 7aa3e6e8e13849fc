//! Two activations as a library that C links: a file of Rust without a crate, with a function that C can call, and its header.

use gaussform_runtime::pair::PairMoments;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names::identifier;
use super::standalone::with_interface;
use super::type_name;
use crate::kernel::Kernel;

/// The texts of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The header, for C99 and later and for C++.
    pub header: String,
    /// The source, one file of Rust.
    pub source: String,
}

/// The law of both pre-activations.
const LAW: [&str; 5] = ["gamma", "xi2", "gamma_h", "xi2_h", "cov"];

/// The function `G_H_pair_moments` for C, by the names of g and h.
#[must_use]
pub fn library(g: &Kernel, h: &Kernel) -> Library {
    let name = format!("{}_{}", g.activation().name, h.activation().name);
    let parameters = [("g", g), ("h", h)].map(|(side, kernel)| {
        let names = kernel.activation().parameters.iter();
        names.map(|p| format!("{side}_{}", p.name)).collect::<Vec<String>>()
    });
    Library {
        header: header(&name, &parameters.concat()),
        source: with_interface(g, h, &interface(&name, [g, h], &parameters)),
    }
}

/// The module with the function that C calls.
fn interface(name: &str, kernels: [&Kernel; 2], parameters: &[Vec<String>; 2]) -> TokenStream {
    let function = format_ident!("{name}_pair_moments");
    let numbers = PairMoments::NAMES.map(|number| format_ident!("{number}"));
    let law = LAW.map(|input| format_ident!("{input}"));
    let all = parameters.iter().flatten().map(|p| format_ident!("{p}"));
    let made = [0, 1].map(|i| {
        let own: Vec<Ident> = parameters[i].iter().map(|p| format_ident!("{p}")).collect();
        let name = identifier(&type_name(&kernels[i].activation().name));
        match own.is_empty() {
            true => quote!(Ok::<_, super::runtime::DomainError>(super::#name)),
            false => quote!(super::#name::new(#(#own),*)),
        }
    });
    quote! {
        /// The functions that C calls.
        pub mod c {
            /// E\[g(u) h(w)\], Cov(g(u), h(w)) and the derivatives of the covariance.
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct Values {
                #(#[allow(missing_docs)] pub #numbers: f64,)*
            }
            /// All NaN where the numbers are no law, or a parameter lies outside of its domain.
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments)]
            pub extern "C" fn #function(#(#all: f64,)* #(#law: f64),*) -> Values {
                let values = |[#(#numbers),*]: [f64; 7]| Values { #(#numbers),* };
                let (Ok(g), Ok(h)) = (#(#made),*) else { return values([f64::NAN; 7]) };
                let at = super::runtime::pair::Inputs { #(#law),* };
                let moments = super::pair_moments(&g, &h, at);
                values(moments.map_or([f64::NAN; 7], |moments| moments.to_array()))
            }
        }
    }
}

fn header(name: &str, parameters: &[String]) -> String {
    let guard = format!("GAUSSFORM_{}_PAIR_H", name.to_ascii_uppercase());
    let numbers = PairMoments::NAMES.map(|number| format!("    double {number};\n")).concat();
    let list = |names: &[String]| {
        names.iter().map(|name| format!("double {name}")).collect::<Vec<_>>().join(", ")
    };
    let parameters =
        if parameters.is_empty() { String::new() } else { format!("{},\n    ", list(parameters)) };
    let law = list(&LAW.map(str::to_owned));
    include_str!("header.txt")
        .replace("@name@", name)
        .replace("@guard@", &guard)
        .replace("@numbers@", &numbers)
        .replace("@inputs@", &format!("{parameters}{law}"))
}
