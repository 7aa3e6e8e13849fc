//! Methods of the runtime's `Kernel` by formulas.

use gaussform_runtime::kernel::{Facts, Form};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Options;
use super::block::Printer;
use super::language::{Kind, Rust};
use super::tokens::{Tokens, literal, number};
use super::variable::{self, edge, integrals, narrow, powers, tails};
use super::word::{self, Fields};
use crate::ir::{AtZeroVariance, Block, Function, Input};
use crate::kernel::{Kernel, Routine};
use crate::rounding::double;

/// The form of a kernel with its facts.
fn form(kernel: &Kernel, runtime: &TokenStream) -> TokenStream {
    let form = quote!(#runtime::kernel::Form);
    match kernel.form() {
        Form::Formulas(known) => {
            let known = facts(known, runtime);
            quote!(#form::Formulas(#known))
        }
        Form::Table { unrolled: Some(known) } => {
            let known = facts(known, runtime);
            quote!(#form::Table { unrolled: ::core::option::Option::Some(#known) })
        }
        Form::Table { unrolled: None } => {
            quote!(#form::Table { unrolled: ::core::option::Option::None })
        }
    }
}

fn facts(facts: Facts, runtime: &TokenStream) -> TokenStream {
    let Facts { knots, degree, is_moderate } = facts;
    let [knots, degree] = [knots, degree as usize].map(number);
    quote! {
        #runtime::kernel::Facts {
            knots: #knots,
            degree: #degree,
            is_moderate: #is_moderate,
        }
    }
}

/// A kernel with the names of its fields, of which methods are made.
pub(super) struct Context<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) fields: &'a [Ident],
    pub(super) runtime: &'a TokenStream,
}

impl Context<'_> {
    /// The implementation of `Kernel` for a type, with some methods. With a unit of its own, its code for slices is compiled in
    /// the module of the type.
    pub(super) fn implementation(
        &self,
        name: &Ident,
        has_unit: bool,
        methods: &TokenStream,
    ) -> TokenStream {
        let Self { kernel, runtime, .. } = self;
        let activation = kernel.activation();
        let module = format_ident!("__{}_unit", activation.name);
        let unit = if has_unit { quote!(#module::Unit) } else { quote!(()) };
        let module = has_unit.then(|| {
            quote! {
                #[allow(missing_debug_implementations, non_snake_case, unreachable_pub)]
                mod #module {
                    pub struct Unit;
                }
            }
        });
        let names = activation.parameters.iter().map(|p| p.name.to_string());
        let form = form(kernel, runtime);
        let nonnegative = kernel.is_nonnegative().then(|| {
            quote!(
                const NONNEGATIVE: bool = true;
            )
        });
        quote! {
            #module
            #[automatically_derived]
            #[allow(deprecated, unused_imports, unused_variables, clippy::all, clippy::pedantic, clippy::nursery)]
            impl #runtime::kernel::Kernel for #name {
                type Unit = #unit;

                const PARAMETERS: &'static [&'static str] = &[#(#names),*];
                const FORM: #runtime::kernel::Form = #form;
                #nonnegative

                #methods
            }
        }
    }

    /// The language for numbers of a kind, with the name of the input γ.
    fn language(&self, kind: Kind, argument: &str) -> Rust<'_> {
        let (knots, fields) = (self.kernel.knots(), Fields::Own(self.fields));
        Rust { kind, knots, fields, argument: format_ident!("{argument}"), powers: Vec::new() }
    }

    pub(super) fn value(&self, options: &Options) -> TokenStream {
        if let Some(function) = &options.value {
            let (path, own) = (&function.path, &function.float);
            let is_double = own == "f64";
            let cast = |tokens: TokenStream| {
                if is_double { tokens } else { quote!(#tokens as #own) }
            };
            let x = cast(quote!(x));
            let arguments = self.fields.iter().map(|field| cast(quote!(self.#field)));
            let call = quote!(#path(#x #(, #arguments)*));
            return if is_double { call } else { quote!(f64::from(#call)) };
        }
        let language = self.language(Kind::Single, "x");
        let bindings = self.bindings(Kind::Single, &[self.kernel.value()]);
        let runtime = self.runtime;
        let knots = language.places();
        let (statements, results) = printed(&Printer(&language), self.kernel.value());
        quote! {
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

    /// The parameters that the blocks read.
    fn bindings(&self, kind: Kind, blocks: &[&Block]) -> TokenStream {
        let mut bindings = TokenStream::new();
        for (i, field) in self.fields.iter().enumerate() {
            if blocks.iter().any(|block| block.reads(|input| *input == Input::Parameter(i))) {
                let name = variable::parameter(i);
                bindings.extend(match kind {
                    Kind::Lanes => quote!(let #name = c(self.#field);),
                    Kind::Single => quote!(let #name = self.#field;),
                });
            }
        }
        bindings
    }

    /// A function of lanes.
    pub(super) fn routine(&self, name: &str, routine: &Routine, count: usize) -> TokenStream {
        let (body, results) = self.body(routine);
        let (name, count) = (format_ident!("{name}"), number(count));
        let runtime = self.runtime;
        quote! {
            #[inline(always)]
            fn #name<V: #runtime::kernel::Lanes>(&self, gamma: V, xi2: V) -> [V; #count] {
                #body
                [#(#results),*]
            }
        }
    }

    /// Mean, variance and their derivatives for ξ² = 0 on a knot.
    pub(super) fn gradients_at_zero_variance(&self) -> Option<TokenStream> {
        let routine = self.kernel.gradient();
        let at_zero_variance =
            self.at_zero_variance(routine, |values| quote!(return Some([#(#values),*]);));
        at_zero_variance.map(|body| {
            quote! {
                fn gradients_at_zero_variance(&self, gamma: f64) -> ::core::option::Option<[f64; 6]> {
                    #body
                    None
                }
            }
        })
    }

    /// All that is returned for ξ² = 0 on a knot.
    pub(super) fn limits(&self) -> TokenStream {
        let gradients = self.gradients_at_zero_variance();
        let parameters = self.parameters_at_zero_variance();
        quote!(#gradients #parameters)
    }

    /// The statements of a function of lanes, and its results.
    fn body(&self, routine: &Routine) -> (TokenStream, Vec<TokenStream>) {
        let runtime = self.runtime;
        let block = &routine.function.block;
        let mut language = self.language(Kind::Lanes, "gamma");
        let is_smooth = self.kernel.knots().is_empty();
        let unit = (!is_smooth).then(|| quote!(let unit = kernel::density_unit::<V>();));
        let bindings = self.bindings(Kind::Lanes, &[block]);
        let knots = language.places();
        let mut before = self.powers(language.fields, &routine.function);
        // Before all cases, or in place of its only use.
        if !routine.function.is_by_case() {
            language.powers = std::mem::take(&mut before);
        }
        let setup = self.setup(&language, routine, &before);
        let (statements, results) = printed(&Printer(&language), block);
        let body = quote! {
            use #runtime::kernel::{self, Mask as _};
            use ::core::option::Option::{None, Some};
            let c = kernel::number::<V>;
            #unit
            #bindings
            #knots
            #setup
            #statements
        };
        (body, results)
    }

    /// The code for ξ² = 0 on a knot, if any knot is a number.
    fn at_zero_variance(
        &self,
        routine: &Routine,
        wrap: impl Fn(&[TokenStream]) -> TokenStream,
    ) -> Option<TokenStream> {
        let language = self.language(Kind::Single, "gamma");
        let runtime = self.runtime;
        let mut on_knots = TokenStream::new();
        for AtZeroVariance { first, last, block } in &routine.on_knots {
            let hit = match self.kernel.knots()[*first].as_constant() {
                // A knot between two numbers is never hit.
                Some(constant) if double::<f64>(constant)[1] != 0.0 => continue,
                Some(constant) if first == last => {
                    let place = literal(constant);
                    quote!(gamma == #place)
                }
                _ => {
                    let [index, end] = [*first, *last].map(number);
                    // Knots are in order: if the first and the last have met, so have those
                    // between.
                    let met = (first != last).then(|| quote!(&& knots[#end] == knots[#index]));
                    quote!([gamma, 0.0, 0.0] == knots[#index] #met)
                }
            };
            let (statements, results) = printed(&Printer(&language), block);
            let value = wrap(&results);
            on_knots.extend(quote!(if #hit { #statements #value }));
        }
        if on_knots.is_empty() {
            return None;
        }
        let blocks: Vec<&Block> = routine.on_knots.iter().map(|limit| &limit.block).collect();
        let bindings = self.bindings(Kind::Single, &blocks);
        let knots = language.places();
        Some(quote! {
            use #runtime::kernel;
            use ::core::option::Option::{None, Some};
            #bindings
            #knots
            #on_knots
        })
    }

    /// ξ, the knots seen from γ, the tails, and which pieces are narrow.
    fn setup(&self, language: &Rust<'_>, routine: &Routine, powers: &[TokenStream]) -> TokenStream {
        let knots = self.kernel.knots();
        if knots.is_empty() {
            return quote!();
        }
        let pieces = (1..knots.len()).map(|i| {
            let [left, right] = [i - 1, i].map(edge);
            let (narrow, powers) = (narrow(i), powers.get(i));
            quote! {
                let #narrow = kernel::is_narrow::<V>(#left, #right);
                #powers
            }
        });
        let [low, high] = self.kernel.powers(routine).map(Literal::i32_unsuffixed);
        let knot_tails = self.all_knot_tails(language, &routine.function);
        quote! {
            let deviation = kernel::Deviation::new(xi2, [#low, #high]);
            #knot_tails
            #(#pieces)*
        }
    }

    /// The code for each piece: the integrals over it where it is narrow.
    fn powers(&self, fields: Fields<'_>, function: &Function) -> Vec<TokenStream> {
        let bounded = (1..self.kernel.knots().len()).map(|i| {
            let [left, right] = [i - 1, i].map(edge);
            let (narrow, powers, integrals) = (narrow(i), powers(i), integrals(i));
            let width = word::tokens(&self.kernel.widths()[i - 1], fields);
            let integrals =
                function.integrals[i].then(|| quote!(let #integrals = #powers.integrals();));
            quote! {
                let #powers = kernel::Powers::<V>::on(#narrow, #left, #right, #width, &deviation);
                #integrals
            }
        });
        // The first piece has no end on the left.
        std::iter::once(TokenStream::new()).chain(bounded).collect()
    }

    /// The knots as edges, and their tails: in place unless there are more regimes than one.
    fn all_knot_tails(&self, language: &Rust<'_>, function: &Function) -> TokenStream {
        let knots: Vec<_> = (0..function.tails.len()).map(|i| (i, language.knot(i))).collect();
        let edges: Vec<Ident> = (0..knots.len()).map(edge).collect();
        let in_line = !function.is_by_case();
        let each: Vec<TokenStream> = match &knots[..] {
            [(_, left), (_, right)] if in_line => {
                let [first, second] = [0, 1].map(knot_tails_pattern);
                let count = most_tails(function);
                vec![quote! {
                    let [#first, #second] =
                        kernel::both_knot_tails::<V, #count>(gamma, [#left, #right], &deviation);
                }]
            }
            _ => knots.iter().map(|knot| self.knot_tails(knot, function, in_line)).collect(),
        };
        quote! {
            #(#each)*
            let seen = kernel::is_seen(&[#(#edges),*]);
        }
    }

    /// A knot and its tails.
    fn knot_tails(
        &self,
        (i, place): &(usize, TokenStream),
        function: &Function,
        in_line: bool,
    ) -> TokenStream {
        let (pattern, count) = (knot_tails_pattern(*i), most_tails(function));
        let method = if in_line { quote!(knot_tails_in_line) } else { quote!(knot_tails) };
        quote!(let #pattern = kernel::#method::<V, #count>(gamma, #place, &deviation);)
    }

    pub(super) fn parameters(&self) -> TokenStream {
        if self.fields.is_empty() {
            return quote!();
        }
        let runtime = self.runtime;
        let routine = self.kernel.parameters();
        let (body, results) = self.body(routine);
        let write = write_out(&results);
        let at_zero_variance = self.parameters_at_zero_variance();
        quote! {
            fn parameter_gradients<V: #runtime::kernel::Lanes>(
                &self,
                gamma: V,
                xi2: V,
                out: &mut [[V; 3]],
            ) {
                #body
                #write
            }
            #at_zero_variance
        }
    }

    fn parameters_at_zero_variance(&self) -> Option<TokenStream> {
        let at_zero_variance = self.at_zero_variance(self.kernel.parameters(), |values| {
            let write = write_out(values);
            quote!(#write return true;)
        });
        at_zero_variance.map(|body| {
            quote! {
                fn parameter_gradients_at_zero_variance(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
                    #body
                    false
                }
            }
        })
    }
}

/// The statements of a block, and its results.
fn printed(printer: &Printer<'_>, block: &Block) -> (TokenStream, Vec<TokenStream>) {
    let mut source = Tokens::default();
    let results = printer.block(block, &mut source);
    (source.finish(), results)
}

/// Puts the results for each parameter into `out`.
fn write_out(results: &[TokenStream]) -> TokenStream {
    let entries = results.chunks_exact(3).map(|entry| quote!([#(#entry),*]));
    quote!(out.copy_from_slice(&[#(#entries),*]);)
}

/// The pattern that takes a knot and its tails apart.
fn knot_tails_pattern(knot: usize) -> TokenStream {
    let (edge, tails) = (edge(knot), tails(knot));
    quote!(kernel::KnotTails { edge: ref #edge, tails: ref #tails })
}

/// How many tails are needed at the knot that needs most.
fn most_tails(function: &Function) -> Literal {
    number(function.tails.iter().copied().max().unwrap_or(0))
}
