//! Blocks of the IR as Rust expressions.
//!
//! A variable that is read once, in the block that computes it, is written in its place.

use std::collections::BTreeMap;

use gaussform_runtime::Float;
use gaussform_symbolic::exact::Rational;
use num_traits::{Signed, Zero};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::parameter_variable;
use super::word::{self, Fields};
use crate::ir::{Block, Condition, Expr, Input, Operand, Stmt, Var, Word};
use crate::rounding::{ROOT_TWO_OVER_PI, double, nearest};

/// The precision of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    F32,
    F64,
}

impl Precision {
    pub(super) fn type_name(self) -> Ident {
        match self {
            Self::F32 => format_ident!("f32"),
            Self::F64 => format_ident!("f64"),
        }
    }

    /// A number as the shortest literal that is read back as it.
    pub(super) fn float(self, value: f64) -> TokenStream {
        let representable = match self {
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
        };
        if !representable {
            let name = self.type_name();
            return if value < 0.0 { quote!(-#name::INFINITY) } else { quote!(#name::INFINITY) };
        }
        let size = match self {
            Self::F32 => Literal::f32_unsuffixed((value as f32).abs()),
            Self::F64 => Literal::f64_unsuffixed(value.abs()),
        };
        if value < 0.0 { quote!(-#size) } else { quote!(#size) }
    }

    /// A number to twice the precision.
    pub(super) fn words(self, value: &Rational) -> [f64; 2] {
        match self {
            Self::F32 => double::<f32>(value).map(Float::to_f64),
            Self::F64 => double::<f64>(value),
        }
    }

    pub(super) fn double(self, value: &Rational) -> TokenStream {
        let [high, low] = self.words(value).map(|word| self.float(word));
        quote!([#high, #low])
    }
}

/// The nearest number of the precision.
pub(super) fn literal(value: &Rational, precision: Precision) -> TokenStream {
    precision.float(match precision {
        Precision::F32 => nearest::<f32>(value).to_f64(),
        Precision::F64 => nearest::<f64>(value),
    })
}

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Sign,
    Atom,
}

#[derive(Clone)]
struct Fragment {
    tokens: TokenStream,
    binding: Binding,
}

impl Fragment {
    fn atom(tokens: TokenStream) -> Self {
        Self { tokens, binding: Binding::Atom }
    }

    /// The tokens, in parentheses if they bind less tightly than needed.
    fn at_least(&self, binding: Binding) -> TokenStream {
        let tokens = &self.tokens;
        if self.binding < binding { quote!((#tokens)) } else { tokens.clone() }
    }
}

/// Prints blocks of one kernel in one precision.
pub(super) struct Printer<'a> {
    pub(super) knots: &'a [Word],
    pub(super) fields: Fields<'a>,
    pub(super) precision: Precision,
    /// The name of the input γ.
    pub(super) argument: Ident,
}

type Inlined = BTreeMap<Var, Fragment>;

impl Printer<'_> {
    /// The statements of a block, and its results.
    pub(super) fn block(&self, block: &Block) -> (TokenStream, Vec<TokenStream>) {
        let once = read_once(block);
        let mut inlined = Inlined::new();
        let mut statements = TokenStream::new();
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let fragment = self.expr(expr, &inlined);
                    if once.contains(var) {
                        inlined.insert(*var, fragment);
                    } else {
                        let (name, tokens) = (variable(*var), fragment.tokens);
                        statements.extend(quote!(let #name = #tokens;));
                    }
                }
                Stmt::Branch { condition, arms, outputs } => {
                    let pattern = tuple(outputs.iter().map(|var| variable(*var)));
                    let branch = self.branch(*condition, arms);
                    statements.extend(quote!(let #pattern = #branch;));
                }
                Stmt::Quadrature { piece, width, integrand, outputs } => {
                    let names = outputs.iter().map(|var| variable(*var));
                    let width = self.operand(width, &inlined).tokens;
                    let integral = self.quadrature(*piece, &width, integrand);
                    statements.extend(quote!(let [#(#names),*] = #integral;));
                }
            }
        }
        let results = block.results.iter().map(|r| self.operand(r, &inlined).tokens).collect();
        (statements, results)
    }

    /// A block as an expression.
    fn value(&self, block: &Block) -> TokenStream {
        let (statements, results) = self.block(block);
        let result = tuple(results.into_iter());
        quote!({ #statements #result })
    }

    fn branch(&self, condition: Condition, arms: &[Block]) -> TokenStream {
        let values: Vec<TokenStream> = arms.iter().map(|arm| self.value(arm)).collect();
        match condition {
            Condition::Narrow(piece) => {
                let (narrow, wide, index) = (&values[0], &values[1], number(piece));
                quote!(if narrow[#index] #narrow else #wide)
            }
            Condition::BasePiece => {
                let (last, rest) = values.split_last().expect("a branch has arms");
                let indices = (0..rest.len()).map(number);
                quote! {
                    match kernel::base_piece(&edges, &narrow) {
                        #(#indices => #rest)*
                        _ => #last
                    }
                }
            }
            Condition::Place => self.place(&values),
        }
    }

    /// The value by the place of the argument among the knots.
    fn place(&self, values: &[TokenStream]) -> TokenStream {
        let argument = &self.argument;
        let (last, rest) = values.split_last().expect("a branch has arms");
        if self.moves() {
            let indices = (0..rest.len()).map(number);
            return quote!(match kernel::place(#argument, &knots) { #(#indices => #rest)* _ => #last });
        }
        let mut chain = TokenStream::new();
        for (knot, values) in self.knots.iter().zip(values.chunks(2)) {
            let knot = knot.as_constant().expect("no knot moves");
            let place = literal(knot, self.precision);
            let (below, on) = (&values[0], &values[1]);
            let [_, low] = self.precision.words(knot);
            // A knot between two numbers of the precision is never hit: the nearest number lies
            // on one side of it.
            chain.extend(if low == 0.0 {
                quote!(if #argument < #place #below else if #argument == #place #on else)
            } else if low > 0.0 {
                quote!(if #argument <= #place #below else)
            } else {
                quote!(if #argument < #place #below else)
            });
        }
        quote!(#chain #last)
    }

    /// Whether the knots depend on parameters.
    pub(super) fn moves(&self) -> bool {
        self.knots.iter().any(|knot| knot.as_constant().is_none())
    }

    /// The knots as the code names them, where they move.
    pub(super) fn places(&self) -> TokenStream {
        if !self.moves() {
            return quote!();
        }
        let (float, count) = (self.precision.type_name(), number(self.knots.len()));
        let knots = self.knots.iter().map(|knot| self.pair(knot));
        quote!(let knots: [[#float; 2]; #count] = [#(#knots),*];)
    }

    /// A number to twice the precision.
    pub(super) fn pair(&self, value: &Word) -> TokenStream {
        match value.as_constant() {
            Some(constant) => self.precision.double(constant),
            None => {
                let value = word::tokens(value, self.fields);
                quote!(kernel::word::pair(#value))
            }
        }
    }

    fn quadrature(&self, piece: usize, width: &TokenStream, integrand: &Block) -> TokenStream {
        let (statements, results) = self.block(integrand);
        let (left, right) = (number(piece - 1), number(piece));
        let score = if reads(integrand, &Input::Score) { quote!(z) } else { quote!(_) };
        let offset = if reads(integrand, &Input::Offset) { quote!(w) } else { quote!(_) };
        quote! {
            kernel::narrow(&edges[#left], &edges[#right], #width, &deviation, |#offset, #score| {
                #statements
                [#(#results),*]
            })
        }
    }

    fn expr(&self, expr: &Expr, inlined: &Inlined) -> Fragment {
        let operand = |o: &Operand| self.operand(o, inlined);
        match expr {
            Expr::Add(a, b) => {
                let a = operand(a).at_least(Binding::Sum);
                let b = operand(b).at_least(Binding::Product);
                Fragment { tokens: quote!(#a + #b), binding: Binding::Sum }
            }
            Expr::Subtract(a, b) => {
                let a = operand(a).at_least(Binding::Sum);
                let b = operand(b).at_least(Binding::Product);
                Fragment { tokens: quote!(#a - #b), binding: Binding::Sum }
            }
            Expr::Multiply(a, b) => {
                let a = operand(a).at_least(Binding::Product);
                let b = operand(b).at_least(Binding::Sign);
                Fragment { tokens: quote!(#a * #b), binding: Binding::Product }
            }
            Expr::Negate(a) => {
                let a = operand(a).at_least(Binding::Atom);
                Fragment { tokens: quote!(-#a), binding: Binding::Sign }
            }
            Expr::Polynomial(around, coefficients) => {
                let pairs = coefficients.iter().map(|c| self.pair(c));
                let argument = &self.argument;
                Fragment::atom(match around.map(number) {
                    None => quote!(kernel::polynomial(&[#(#pairs),*], #argument)),
                    Some(knot) => {
                        quote!(kernel::polynomial_around(&[#(#pairs),*], knots[#knot], #argument))
                    }
                })
            }
            Expr::Word(value) => {
                let (float, value) = (self.precision.type_name(), word::tokens(value, self.fields));
                Fragment::atom(quote!(kernel::word::round::<#float>(#value)))
            }
            Expr::Variance(value) => {
                let value = operand(value).tokens;
                Fragment::atom(quote!(kernel::variance(#value)))
            }
            Expr::Pole(coefficient, otherwise) => {
                let [a, b] = [coefficient, otherwise].map(|o| operand(o).tokens);
                Fragment::atom(quote!(kernel::pole(#a, #b)))
            }
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined) -> Fragment {
        match operand {
            Operand::Constant(value) => {
                let binding = if value.is_negative() && !value.is_zero() {
                    Binding::Sign
                } else {
                    Binding::Atom
                };
                Fragment { tokens: literal(value, self.precision), binding }
            }
            Operand::Var(var) => inlined.get(var).cloned().unwrap_or_else(|| {
                let name = variable(*var);
                Fragment::atom(quote!(#name))
            }),
            Operand::Input(input) => Fragment::atom(self.input(input)),
        }
    }

    fn input(&self, input: &Input) -> TokenStream {
        match *input {
            Input::Gamma => {
                let argument = &self.argument;
                quote!(#argument)
            }
            Input::Xi2 => quote!(xi2),
            Input::Xi => quote!(deviation.xi),
            Input::InverseXi => quote!(deviation.inverse),
            Input::Parameter(i) => {
                let name = parameter_variable(i);
                quote!(#name)
            }
            Input::Distance(knot) => {
                let index = number(knot);
                quote!(edges[#index].s)
            }
            Input::SignedDistance(knot) => {
                let index = number(knot);
                quote!(edges[#index].score())
            }
            Input::RootDensity(knot) => {
                let index = number(knot);
                quote!(edges[#index].h)
            }
            Input::Tail(knot, order) => {
                let (name, order) = (format_ident!("tails{knot}"), number(order));
                quote!(#name[#order])
            }
            Input::Offset => quote!(w),
            Input::Score => quote!(z),
            Input::RootTwoOverPi => self.precision.float(ROOT_TWO_OVER_PI),
        }
    }
}

/// An index without a suffix.
pub(super) fn number(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}

fn variable(var: Var) -> Ident {
    format_ident!("v{var}")
}

fn tuple<T: quote::ToTokens>(values: impl Iterator<Item = T>) -> TokenStream {
    let values: Vec<T> = values.collect();
    match values.as_slice() {
        [one] => quote!(#one),
        _ => quote!((#(#values),*)),
    }
}

/// Whether a block reads an input.
pub(super) fn reads(block: &Block, input: &Input) -> bool {
    let mut found = false;
    block.visit(&mut |operand| found |= matches!(operand, Operand::Input(i) if i == input));
    found
}

/// The variables that are read exactly once, by a computation or as a result of the block
/// itself and not inside of a nested block.
fn read_once(block: &Block) -> std::collections::BTreeSet<Var> {
    let mut all: BTreeMap<Var, usize> = BTreeMap::new();
    block.visit(&mut |operand| {
        if let Operand::Var(var) = operand {
            *all.entry(*var).or_default() += 1;
        }
    });
    let mut nested: BTreeMap<Var, usize> = BTreeMap::new();
    let mut note = |operand: &Operand| {
        if let Operand::Var(var) = operand {
            *nested.entry(*var).or_default() += 1;
        }
    };
    for statement in &block.statements {
        match statement {
            Stmt::Let(..) => {}
            Stmt::Branch { arms, .. } => arms.iter().for_each(|arm| arm.visit(&mut note)),
            Stmt::Quadrature { integrand, .. } => integrand.visit(&mut note),
        }
    }
    all.into_iter()
        .filter(|(var, n)| *n == 1 && !nested.contains_key(var))
        .map(|(v, _)| v)
        .collect()
}
