//! The implementation of the runtime's `Kernel` by formulas.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::context::{Context, form, nonnegative};
use super::names::identifier;
use super::{Options, table};
use crate::kernel::Kernel;

pub(super) fn implementation(kernel: &Kernel, options: &Options, name: &Ident) -> TokenStream {
    let runtime = &options.runtime;
    let parameters = &kernel.activation().parameters;
    let fields: Vec<Ident> = parameters.iter().map(|p| identifier(&p.name)).collect();
    let context = Context { kernel, fields: &fields, runtime };
    let unit = format_ident!("__{}_unit", kernel.activation().name);
    let names = parameters.iter().map(|p| p.name.to_string());
    let form = form(kernel, runtime);
    let nonnegative = nonnegative(kernel);
    let value = context.value(options);
    let routines = [
        context.routine("moments", kernel.moments(), 2),
        context.routine("gradients", kernel.gradient(), 6),
        context.parameters(),
    ];
    let (constant, numbers) = numbers(&context, options, name);
    quote! {
        #constant
        #[allow(missing_debug_implementations, non_snake_case, unreachable_pub)]
        mod #unit {
            pub struct Unit;
        }
        #[automatically_derived]
        #[allow(deprecated, unused_imports, unused_variables, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #runtime::kernel::Kernel for #name {
            type Unit = #unit::Unit;

            const PARAMETERS: &'static [&'static str] = &[#(#names),*];
            const FORM: #runtime::kernel::Form = #form;
            #nonnegative

            fn value(&self, x: f64) -> f64 {
                #value
            }

            #(#routines)*

            #numbers
        }
    }
}

/// The function as a table: what the formulas leave to others, two pre-activations.
fn numbers(context: &Context<'_>, options: &Options, name: &Ident) -> (TokenStream, TokenStream) {
    if !options.has_numbers {
        return (TokenStream::new(), TokenStream::new());
    }
    let kernel = Kernel::with_table(context.kernel.activation()).ok();
    let numbers = kernel.as_ref().and_then(|kernel| Some((kernel, kernel.table()?)));
    let (kernel, numbers) = numbers.expect("a function with formulas has numbers");
    table::numbers(kernel, numbers, context, options, name)
}
