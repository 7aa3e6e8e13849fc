//! The implementation of `Activation` in one precision.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::block::{Precision, Printer, literal, number, reads};
use super::names::identifier;
use super::word::Fields;
use super::{Options, parameter_variable};
use crate::ir::{AtRest, Block, Condition, Input, Stmt};
use crate::kernel::{Kernel, Routine};

pub(super) fn implementation(
    kernel: &Kernel,
    options: &Options,
    name: &Ident,
    precision: Precision,
) -> TokenStream {
    let runtime = &options.runtime;
    let float = precision.type_name();
    let parameters = kernel.activation().parameters.iter();
    let fields: Vec<Ident> = parameters.map(|p| identifier(&p.name)).collect();
    let printer = Printer {
        knots: kernel.knots(),
        fields: Fields::Own(&fields),
        precision,
        argument: format_ident!("gamma"),
    };
    let context = Context { kernel, printer, runtime };
    let names = kernel.activation().parameters.iter().map(|p| p.name.to_string());
    let value = context.value(options);
    let moments = context.routine(kernel.moments(), |results| {
        let [mean, second, variance] = results else { unreachable!("three moments") };
        quote!(#runtime::Moments { mean: #mean, second: #second, variance: #variance })
    });
    let gradient = context.routine(kernel.gradient(), |results| {
        let [mean, second, variance, a, b, c, d] = results else { unreachable!("seven results") };
        quote! {
            #runtime::MomentsGrad {
                mean: #mean,
                second: #second,
                variance: #variance,
                dmean_dgamma: #a,
                dmean_dxi2: #b,
                dvariance_dgamma: #c,
                dvariance_dxi2: #d,
            }
        }
    });
    let parameters = context.parameters();
    quote! {
        #[automatically_derived]
        #[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #runtime::Activation<#float> for #name {
            const PARAMETERS: &'static [&'static str] = &[#(#names),*];

            fn value(&self, x: #float) -> #float {
                #value
            }

            fn moments(&self, gamma: #float, xi2: #float) -> #runtime::Moments<#float> {
                #moments
            }

            fn moments_grad(&self, gamma: #float, xi2: #float) -> #runtime::MomentsGrad<#float> {
                #gradient
            }

            fn parameter_grad(
                &self,
                gamma: #float,
                xi2: #float,
                out: &mut [#runtime::ParameterGrad<#float>],
            ) {
                #parameters
            }
        }
    }
}

struct Context<'a> {
    kernel: &'a Kernel,
    printer: Printer<'a>,
    runtime: &'a TokenStream,
}

impl Context<'_> {
    fn value(&self, options: &Options) -> TokenStream {
        let float = self.printer.precision.type_name();
        let parameters = self.kernel.activation().parameters.iter();
        if let Some(function) = &options.value {
            let (path, own) = (&function.path, &function.float);
            let fields = parameters.map(|p| identifier(&p.name));
            let cast = |tokens: TokenStream, from: &Ident, to: &Ident| {
                if from == to { tokens } else { quote!(#tokens as #to) }
            };
            let double = format_ident!("f64");
            let x = cast(quote!(x), &float, own);
            let arguments = fields.map(|field| cast(quote!(self.#field), &double, own));
            return cast(quote!(#path(#x #(, #arguments)*)), own, &float);
        }
        let bindings = self.bindings(&[self.kernel.value()]);
        let runtime = self.runtime;
        let printer = Printer { argument: format_ident!("x"), ..self.printer };
        let knots = printer.places();
        let (statements, results) = printer.block(self.kernel.value());
        quote! {
            #[allow(unused_imports)]
            use #runtime::kernel;
            if x.is_nan() {
                return x;
            }
            #bindings
            #knots
            #statements
            #(#results)*
        }
    }

    /// Parameters in the precision of the code, those that the blocks read.
    fn bindings(&self, blocks: &[&Block]) -> TokenStream {
        let float = self.printer.precision.type_name();
        let mut bindings = TokenStream::new();
        for (i, parameter) in self.kernel.activation().parameters.iter().enumerate() {
            if blocks.iter().any(|block| reads(block, &Input::Parameter(i))) {
                let (name, field) = (parameter_variable(i), identifier(&parameter.name));
                let cast = if float == "f64" { quote!() } else { quote!(as #float) };
                bindings.extend(quote!(let #name = self.#field #cast;));
            }
        }
        bindings
    }

    fn routine(
        &self,
        routine: &Routine,
        wrap: impl Fn(&[TokenStream]) -> TokenStream,
    ) -> TokenStream {
        let runtime = self.runtime;
        let precision = self.printer.precision;
        let float = precision.type_name();
        let nan = vec![quote!(#float::NAN); routine.function.block.results.len()];
        let invalid = wrap(&nan);
        let mut blocks: Vec<&Block> = routine.on_knots.iter().map(|rest| &rest.block).collect();
        blocks.push(&routine.function.block);
        let bindings = self.bindings(&blocks);
        let knots = self.printer.places();
        let at_rest = self.at_rest(routine, &wrap);
        let setup = self.setup(routine);
        let (statements, results) = self.printer.block(&routine.function.block);
        let value = wrap(&results);
        quote! {
            use #runtime::kernel;
            if !kernel::is_valid(gamma, xi2) {
                return #invalid;
            }
            #bindings
            #knots
            #at_rest
            #setup
            #statements
            #value
        }
    }

    /// What is returned for ξ² = 0 on a knot.
    fn at_rest(
        &self,
        routine: &Routine,
        wrap: &impl Fn(&[TokenStream]) -> TokenStream,
    ) -> TokenStream {
        let precision = self.printer.precision;
        let mut on_knots = TokenStream::new();
        for AtRest { first, last, block } in &routine.on_knots {
            let hit = match self.kernel.knots()[*first].as_constant() {
                // A knot between two numbers of the precision is never hit.
                Some(constant) if precision.words(constant)[1] != 0.0 => continue,
                Some(constant) if first == last => {
                    let place = literal(constant, precision);
                    quote!(gamma == #place)
                }
                _ => {
                    let [index, end] = [*first, *last].map(number);
                    let met = (first != last).then(|| quote!(&& knots[#end] == knots[#index]));
                    quote!([gamma, 0.0] == knots[#index] #met)
                }
            };
            let (statements, results) = self.printer.block(block);
            let value = wrap(&results);
            on_knots.extend(quote!(if #hit { #statements return #value; }));
        }
        if on_knots.is_empty() { quote!() } else { quote!(if xi2 == 0.0 { #on_knots }) }
    }

    /// ξ, the knots seen from γ, which pieces are narrow, and the tails at the knots.
    fn setup(&self, routine: &Routine) -> TokenStream {
        let knots = self.kernel.knots();
        if knots.is_empty() {
            return quote!();
        }
        let edges = knots.iter().enumerate().map(|(i, knot)| {
            let index = number(i);
            let place =
                if self.printer.moves() { quote!(knots[#index]) } else { self.printer.pair(knot) };
            quote!(kernel::Edge::new(gamma, #place, &deviation))
        });
        let inner = (1..knots.len()).map(|i| {
            let (left, right) = (number(i - 1), number(i));
            quote!(kernel::is_narrow(&edges[#left], &edges[#right]),)
        });
        let float = self.printer.precision.type_name();
        let tails = routine.function.tails.iter().enumerate().filter(|(_, n)| **n > 0);
        let tails = tails.map(|(i, count)| {
            let name = format_ident!("tails{i}");
            let (count, index) = (number(*count), number(i));
            quote!(let #name = kernel::tails::<#float, #count>(edges[#index].s);)
        });
        let branches = routine.function.block.statements.iter().any(|statement| {
            matches!(statement, Stmt::Branch { condition: Condition::BasePiece, .. })
        });
        let narrow =
            if branches { quote!(let narrow = [false, #(#inner)* false];) } else { quote!() };
        quote! {
            let deviation = kernel::Deviation::new(xi2);
            let edges = [#(#edges),*];
            #narrow
            #(#tails)*
        }
    }

    fn parameters(&self) -> TokenStream {
        let runtime = self.runtime;
        let count = self.kernel.activation().parameters.len();
        let expected = number(count);
        let check = quote!(#runtime::kernel::check_parameter_count(out.len(), #expected););
        if count == 0 {
            return quote!(#check let _ = (gamma, xi2););
        }
        let routine = self.routine(self.kernel.parameters(), |results| {
            let entries = results.chunks_exact(3).map(|entry| {
                let [dmean, dsecond, dvariance] = entry else { unreachable!("chunks of three") };
                quote! {
                    #runtime::ParameterGrad { dmean: #dmean, dsecond: #dsecond, dvariance: #dvariance }
                }
            });
            quote!(out.copy_from_slice(&[#(#entries),*]))
        });
        quote!(#check #routine)
    }
}
