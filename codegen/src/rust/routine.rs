//! The implementation of the runtime's `Kernel` by formulas.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::context::Context;
use super::{Options, table};
use crate::kernel::Kernel;

pub(super) fn implementation(
    context: &Context<'_>,
    options: &Options,
    name: &Ident,
) -> TokenStream {
    let kernel = context.kernel;
    let value = context.value(options);
    let routines = [
        context.routine("moments", kernel.moments(), 2),
        context.routine("gradients", kernel.gradient(), 6),
        context.gradients_at_zero_variance().unwrap_or_default(),
        context.parameters(),
    ];
    let (constant, numbers) = numbers(context, options, name);
    let methods = quote! {
        fn value(&self, x: f64) -> f64 {
            #value
        }

        #(#routines)*

        #numbers
    };
    let implementation = context.implementation(name, true, &methods);
    quote!(#constant #implementation)
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
