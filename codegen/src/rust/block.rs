//! Blocks of the IR as Rust expressions.
//!
//! A variable that is read once, in the block that computes it, is written in its place.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_symbolic::exact::Rational;
use num_traits::{Signed, Zero};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::parameter_variable;
use super::word::{self, Fields};
use crate::inline::read_once;
use crate::ir::{Block, Case, Condition, Expr, Input, Operand, Stmt, Var, Word};
use crate::rounding::{ROOT_TWO_OVER_PI, double, nearest};

/// What the code computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// The generic type `V` of some lanes; `c` makes a constant of it.
    Lanes,
    /// Pairs of `V`, where sums cancel; `pair` makes one of two words.
    Pairs,
    /// `f64`
    Single,
}

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> TokenStream {
    if !value.is_finite() {
        return if value < 0.0 { quote!(-f64::INFINITY) } else { quote!(f64::INFINITY) };
    }
    let size = Literal::f64_unsuffixed(value.abs());
    if value < 0.0 { quote!(-#size) } else { quote!(#size) }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> TokenStream {
    float(nearest(value))
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
    /// The factors, if it is a product that can be fused with a sum.
    product: Option<[TokenStream; 2]>,
}

impl Fragment {
    fn new(tokens: TokenStream, binding: Binding) -> Self {
        Self { tokens, binding, product: None }
    }

    fn atom(tokens: TokenStream) -> Self {
        Self::new(tokens, Binding::Atom)
    }

    /// The tokens, in parentheses if they bind less tightly than needed.
    fn at_least(&self, binding: Binding) -> TokenStream {
        let tokens = &self.tokens;
        if self.binding < binding { quote!((#tokens)) } else { tokens.clone() }
    }
}

/// Prints blocks of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Printer<'a> {
    pub(super) knots: &'a [Word],
    pub(super) fields: Fields<'a>,
    pub(super) numbers: Numbers,
    /// The name of the input γ.
    pub(super) argument: &'a Ident,
    /// The variables that hold pairs.
    pub(super) pairs: &'a BTreeSet<Var>,
    /// Whether tails are pairs.
    pub(super) is_precise: bool,
    /// What integrates over each piece, for the branches that alone need it.
    pub(super) strips: &'a [TokenStream],
}

type Inlined = BTreeMap<Var, Fragment>;

impl Printer<'_> {
    /// The statements of a block, and its results as what surrounds it computes with.
    pub(super) fn block(&self, block: &Block) -> (TokenStream, Vec<TokenStream>) {
        if self.numbers == Numbers::Single {
            let (statements, results) = self.inside(block);
            return (statements, results.into_iter().map(|result| result.tokens).collect());
        }
        let numbers = if block.in_pairs { Numbers::Pairs } else { Numbers::Lanes };
        let (statements, results) = Self { numbers, ..*self }.inside(block);
        let results = results.into_iter().map(|result| self.convert(result, numbers).tokens);
        (statements, results.collect())
    }

    /// A value of another block.
    fn convert(&self, value: Fragment, numbers: Numbers) -> Fragment {
        match (numbers, self.numbers) {
            (Numbers::Pairs, Numbers::Lanes) => {
                let value = value.at_least(Binding::Atom);
                Fragment::atom(quote!(#value.round()))
            }
            (Numbers::Lanes, Numbers::Pairs) => {
                let value = value.tokens;
                Fragment::atom(quote!(kernel::Pair::exact(#value)))
            }
            _ => value,
        }
    }

    fn inside(&self, block: &Block) -> (TokenStream, Vec<Fragment>) {
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
                    statements.extend(self.branch(condition, arms, outputs));
                }
                Stmt::Quadrature { piece, product, outputs } => {
                    let lanes = Self { numbers: Numbers::Lanes, ..*self };
                    let rounded =
                        |o: &Operand| lanes.convert(self.operand(o, &inlined), self.numbers).tokens;
                    let list = |factor: &[Operand]| {
                        let values = factor.iter().map(rounded);
                        quote!([#(#values),*])
                    };
                    let (a, b) = (list(&product.first), list(&product.second));
                    let less = rounded(&product.less);
                    let (names, strip) = (outputs.iter().map(|var| variable(*var)), strip(*piece));
                    let names: Vec<Ident> = names.collect();
                    statements.extend(quote! {
                        let [#(#names),*] = kernel::products(&#strip, #a, #b, #less);
                    });
                    if self.numbers == Numbers::Pairs {
                        statements.extend(quote!(#(let #names = kernel::Pair::exact(#names);)*));
                    }
                }
            }
        }
        let results = block.results.iter().map(|r| self.operand(r, &inlined)).collect();
        (statements, results)
    }

    fn branch(&self, condition: &Condition, arms: &[Block], outputs: &[Var]) -> TokenStream {
        match condition {
            Condition::Case(cases) => {
                let zero = self.constant([0.0; 2]);
                let zeros: Vec<TokenStream> = outputs.iter().map(|_| zero.clone()).collect();
                let start = assign(outputs, &zeros);
                let cases =
                    cases.iter().zip(arms).map(|(case, arm)| self.case(*case, arm, outputs));
                quote!(#start #(#cases)*)
            }
            Condition::Narrow(piece) => {
                let (statements, results) = self.block(&arms[1]);
                let values = assign(outputs, &results);
                let narrow = narrow(*piece);
                let (quadrature, results) = self.block(&arms[0]);
                let select = self.select(&quote!(#narrow), &results, outputs);
                let strip = self.strips.get(*piece);
                quote! {
                    #statements
                    #values
                    if #narrow.any() { #strip #quadrature #select }
                }
            }
            Condition::Place => {
                let values: Vec<TokenStream> = arms.iter().map(|arm| self.value(arm)).collect();
                let [name] = outputs else { unreachable!("g has one value") };
                let (name, place) = (variable(*name), self.place(&values));
                quote!(let #name = #place;)
            }
        }
    }

    /// What is computed if γ lies so in any lane.
    fn case(&self, case: Case, arm: &Block, outputs: &[Var]) -> TokenStream {
        let piece = case.piece();
        let left = piece.checked_sub(1).map(edge);
        let right = (piece < self.knots.len()).then(|| edge(piece));
        let bounded = left.is_some() && right.is_some();
        let side = |edge: Option<Ident>| match edge {
            Some(edge) => quote!(Some(#edge)),
            None => quote!(None),
        };
        let (left, right) = (side(left), side(right));
        let narrow = narrow(piece);
        let width = match case {
            Case::Wide(_) if bounded => quote!(.and(#narrow.not())),
            Case::Wide(_) => quote!(),
            Case::Narrow(_) => quote!(.and(#narrow)),
        };
        let (statements, results) = self.block(arm);
        let select = self.select(&quote!(case), &results, outputs);
        quote! {
            let case = kernel::between(#left, #right)#width;
            if case.any() { #statements #select }
        }
    }

    /// Overwrites outputs in the lanes of a mask.
    fn select(&self, mask: &TokenStream, results: &[TokenStream], outputs: &[Var]) -> TokenStream {
        let names = outputs.iter().map(|var| variable(*var));
        let number = self.number_type();
        let selects = names
            .zip(results)
            .map(|(name, result)| quote!(#name = #number::select(#mask, #result, #name);));
        quote!(#(#selects)*)
    }

    /// A block as an expression.
    fn value(&self, block: &Block) -> TokenStream {
        let (statements, results) = self.block(block);
        quote!({ #statements #(#results)* })
    }

    /// The value by the place of the argument among the knots.
    fn place(&self, values: &[TokenStream]) -> TokenStream {
        let argument = self.argument;
        let (last, rest) = values.split_last().expect("a branch has arms");
        if self.moves() {
            let indices = (0..rest.len()).map(number);
            return quote!(match kernel::place(#argument, &knots) { #(#indices => #rest)* _ => #last });
        }
        let mut chain = TokenStream::new();
        for (knot, values) in self.knots.iter().zip(values.chunks(2)) {
            let knot = knot.as_constant().expect("no knot moves");
            let place = literal(knot);
            let (below, on) = (&values[0], &values[1]);
            let [_, low] = double::<f64>(knot);
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

    /// The place of a knot, to three times the precision.
    pub(super) fn knot(&self, knot: usize) -> TokenStream {
        let index = number(knot);
        if self.moves() {
            quote!(knots[#index])
        } else {
            word::place(&self.knots[knot], self.fields)
        }
    }

    /// The knots as the code names them, where they move.
    pub(super) fn places(&self) -> TokenStream {
        if !self.moves() {
            return quote!();
        }
        let count = number(self.knots.len());
        let knots = self.knots.iter().map(|knot| word::place(knot, self.fields));
        quote!(let knots: [[f64; 3]; #count] = [#(#knots),*];)
    }

    fn expr(&self, expr: &Expr, inlined: &Inlined) -> Fragment {
        let operand = |o: &Operand| self.operand(o, inlined);
        let fused = |o: &Operand| match self.numbers {
            Numbers::Lanes => operand(o).product,
            Numbers::Pairs | Numbers::Single => None,
        };
        match expr {
            Expr::Add(a, b) => {
                let (product, other) = match (fused(a), fused(b)) {
                    (_, Some(product)) => (Some(product), a),
                    (product, None) => (product, b),
                };
                if let Some([x, y]) = product {
                    let other = operand(other).tokens;
                    return Fragment::atom(quote!(#x.mul_add(#y, #other)));
                }
                let a = operand(a).at_least(Binding::Sum);
                let b = operand(b).at_least(Binding::Product);
                Fragment::new(quote!(#a + #b), Binding::Sum)
            }
            Expr::Subtract(a, b) => {
                if let Some([x, y]) = fused(b) {
                    let a = operand(a).tokens;
                    return Fragment::atom(quote!(#x.neg_mul_add(#y, #a)));
                }
                if let Some([x, y]) = fused(a) {
                    let b = operand(b).tokens;
                    return Fragment::atom(quote!(#x.mul_sub(#y, #b)));
                }
                let a = operand(a).at_least(Binding::Sum);
                let b = operand(b).at_least(Binding::Product);
                Fragment::new(quote!(#a - #b), Binding::Sum)
            }
            Expr::Multiply(a, b) => {
                let (x, y) = (operand(a), operand(b));
                let product = Some([x.at_least(Binding::Atom), y.tokens.clone()]);
                let a = x.at_least(Binding::Product);
                let b = y.at_least(Binding::Sign);
                Fragment { product, ..Fragment::new(quote!(#a * #b), Binding::Product) }
            }
            Expr::Negate(a) => {
                let a = operand(a).at_least(Binding::Atom);
                Fragment::new(quote!(-#a), Binding::Sign)
            }
            Expr::Polynomial(around, coefficients) => {
                let pairs = coefficients.iter().map(|c| word::tokens(c, self.fields));
                let argument = self.argument;
                let value = match around {
                    None => quote!(kernel::polynomial(&[#(#pairs),*], #argument)),
                    Some(knot) => {
                        let knot = self.knot(*knot);
                        quote!(kernel::polynomial_around(&[#(#pairs),*], #knot, #argument))
                    }
                };
                Fragment::atom(match self.numbers {
                    Numbers::Pairs => value,
                    Numbers::Lanes | Numbers::Single => quote!(#value.round()),
                })
            }
            Expr::Word(value) => {
                let value = word::tokens(value, self.fields);
                Fragment::atom(match self.numbers {
                    Numbers::Pairs => quote!(pair(#value)),
                    Numbers::Lanes => quote!(kernel::word::round::<V>(#value)),
                    Numbers::Single => quote!(kernel::word::round::<f64>(#value)),
                })
            }
            Expr::Pole(coefficient, otherwise) => {
                let [a, b] = [coefficient, otherwise].map(|o| operand(o).tokens);
                Fragment::atom(quote!(kernel::pole(#a, #b)))
            }
            Expr::Seen(value) => {
                let (value, zero) = (operand(value).tokens, self.constant([0.0; 2]));
                let number = self.number_type();
                Fragment::atom(quote!(#number::select(seen, #value, #zero)))
            }
            Expr::Nearer(knots, first, second) => {
                let [near, far] = knots.map(edge);
                let [first, second] = [first, second].map(|o| operand(o).tokens);
                let mask = quote!(#near.z.abs().le(#far.z.abs()));
                let number = self.number_type();
                Fragment::atom(quote!(#number::select(#mask, #first, #second)))
            }
            Expr::Side(knot, left, right) => {
                let edge = edge(*knot);
                let [left, right] = [left, right].map(|o| operand(o).tokens);
                let number = self.number_type();
                Fragment::atom(quote!(#number::select(#edge.is_right(), #left, #right)))
            }
        }
    }

    fn number_type(&self) -> TokenStream {
        match self.numbers {
            Numbers::Lanes => quote!(V),
            Numbers::Pairs => quote!(kernel::Pair),
            Numbers::Single => quote!(f64),
        }
    }

    /// A constant of two words.
    pub(super) fn constant(&self, [high, low]: [f64; 2]) -> TokenStream {
        let [high, low] = [high, low].map(float);
        match self.numbers {
            Numbers::Lanes => quote!(c(#high)),
            Numbers::Pairs => quote!(pair([#high, #low])),
            Numbers::Single => high,
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined) -> Fragment {
        match operand {
            Operand::Constant(value) => {
                let bare = self.numbers == Numbers::Single;
                let negative = value.is_negative() && !value.is_zero();
                let binding = if bare && negative { Binding::Sign } else { Binding::Atom };
                Fragment::new(self.constant(double(value)), binding)
            }
            Operand::Var(var) => inlined.get(var).cloned().unwrap_or_else(|| {
                let name = variable(*var);
                let held = match self.numbers {
                    Numbers::Single => Numbers::Single,
                    _ if self.pairs.contains(var) => Numbers::Pairs,
                    _ => Numbers::Lanes,
                };
                self.convert(Fragment::atom(quote!(#name)), held)
            }),
            Operand::Input(input) => Fragment::atom(self.input(input)),
        }
    }

    fn input(&self, input: &Input) -> TokenStream {
        let argument = self.argument;
        let pairs = self.numbers == Numbers::Pairs;
        let number = match *input {
            Input::Gamma => quote!(#argument),
            Input::Xi2 => quote!(xi2),
            Input::Xi if pairs => return quote!(deviation.xi_pair()),
            Input::Xi => quote!(deviation.xi),
            Input::InverseXi if pairs => return quote!(deviation.inverse_pair()),
            Input::InverseXi => quote!(deviation.inverse),
            Input::Parameter(i) if pairs => {
                let parameter = word::tokens(&Word::Parameter(i), self.fields);
                return quote!(pair(#parameter));
            }
            Input::Parameter(i) => {
                let name = parameter_variable(i);
                quote!(#name)
            }
            Input::Distance(knot) => {
                let edge = edge(knot);
                if pairs {
                    return quote!(#edge.distance_pair());
                }
                quote!(#edge.s)
            }
            Input::SignedDistance(knot) => {
                let edge = edge(knot);
                if pairs {
                    return quote!(#edge.score_pair());
                }
                quote!(#edge.score())
            }
            Input::Displacement(knot) => {
                let edge = edge(knot);
                quote!(#edge.d)
            }
            Input::DensityUnit => quote!(unit),
            Input::Density(knot) => {
                let edge = edge(knot);
                if pairs {
                    return quote!(#edge.density_pair());
                }
                quote!(#edge.h)
            }
            Input::Tail(knot, order) => {
                let (name, order) = (tails(knot), number(order));
                let held = if self.is_precise { Numbers::Pairs } else { Numbers::Lanes };
                return self.convert(Fragment::atom(quote!(#name[#order])), held).tokens;
            }
            Input::Integral(piece, j) => {
                let (name, j) = (integrals(piece), number(j));
                quote!(#name[#j])
            }
            Input::RootTwoOverPi => return self.constant([ROOT_TWO_OVER_PI, 0.0]),
        };
        if pairs { quote!(kernel::Pair::exact(#number)) } else { number }
    }
}

/// An index without a suffix.
pub(super) fn number(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}

fn variable(var: Var) -> Ident {
    format_ident!("v{var}")
}

/// A knot seen from γ.
pub(super) fn edge(knot: usize) -> Ident {
    format_ident!("edge{knot}")
}

/// The tails at a knot.
pub(super) fn tails(knot: usize) -> Ident {
    format_ident!("tails{knot}")
}

/// The lanes in which a piece is narrow.
pub(super) fn narrow(piece: usize) -> Ident {
    format_ident!("narrow{piece}")
}

/// The strip on a piece.
pub(super) fn strip(piece: usize) -> Ident {
    format_ident!("strip{piece}")
}

/// The integrals of the basis over a piece.
pub(super) fn integrals(piece: usize) -> Ident {
    format_ident!("integrals{piece}")
}

/// Variables that may be overwritten in some lanes.
fn assign(outputs: &[Var], values: &[TokenStream]) -> TokenStream {
    let lets = outputs.iter().zip(values).map(|(var, value)| {
        let name = variable(*var);
        quote!(let mut #name = #value;)
    });
    quote!(#(#lets)*)
}

/// Whether a block reads an input.
pub(super) fn reads(block: &Block, input: &Input) -> bool {
    let mut found = false;
    block.visit(&mut |operand| found |= matches!(operand, Operand::Input(i) if i == input));
    found
}
