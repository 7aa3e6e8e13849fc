//! The walk over a block of the IR: statements in order, branches with their arms, values where they are read.
//!
//! A variable that is read once is written in the place where it is read, and what comes from another block is rounded or
//! extended. A value holds many elements: every arm of a branch that some element needs is computed, and selected from.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::fragment::{Fragment, Operation};
use super::inline::read_once;
use super::language::{Numbers, Rust, round};
use super::tokens::Tokens;
use super::variable::{edge, narrow, of, powers, variable};
use crate::ir::{Block, Condition, Expr, Input, Operand, Product, Stmt, Var};
use crate::rounding::{ROOT_TWO_OVER_PI, double};

/// Prints blocks.
pub(super) struct Printer<'a> {
    language: &'a Rust<'a>,
    /// The kind of number that the block at hand computes with.
    numbers: Numbers,
    /// The variables that hold pairs.
    pairs: &'a BTreeSet<Var>,
    /// Whether tails are pairs.
    is_precise: bool,
}

/// The values that are written where they are read.
type Inlined = BTreeMap<Var, Fragment>;

impl<'a> Printer<'a> {
    /// A printer for a function with the variables that hold pairs; `is_precise` says that tails are pairs.
    pub(super) fn new(language: &'a Rust<'a>, pairs: &'a BTreeSet<Var>, is_precise: bool) -> Self {
        Self { language, numbers: Numbers::Plain, pairs, is_precise }
    }

    /// A printer for blocks without pairs.
    pub(super) fn plain(language: &'a Rust<'a>) -> Self {
        Self::new(language, const { &BTreeSet::new() }, false)
    }

    fn with(&self, numbers: Numbers) -> Self {
        Self { numbers, ..*self }
    }

    /// Prints the statements of a block, and returns its results as what surrounds it computes with.
    pub(super) fn block(&self, block: &Block, source: &mut Tokens) -> Vec<TokenStream> {
        let numbers = Numbers::of(block);
        let results = self.with(numbers).inside(block, source);
        results.iter().map(|result| self.convert(result, numbers).tokens).collect()
    }

    /// A value that is held in such numbers, in those of the block at hand.
    fn convert(&self, value: &Fragment, held: Numbers) -> Fragment {
        match (held, self.numbers) {
            (Numbers::Pairs, Numbers::Plain) => round(value),
            (Numbers::Plain, Numbers::Pairs) => {
                let number = &value.tokens;
                Fragment::atom(quote!(kernel::Pair::exact(#number)))
            }
            _ => value.clone(),
        }
    }

    fn inside(&self, block: &Block, source: &mut Tokens) -> Vec<Fragment> {
        let once = read_once(block);
        let mut inlined = Inlined::new();
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr, &inlined);
                    if once.contains(var) {
                        inlined.insert(*var, value);
                    } else {
                        let (name, value) = (variable(*var), value.tokens);
                        source.put(quote!(let #name = #value;));
                    }
                }
                Stmt::Branch { condition, arms, outputs } => {
                    self.branch(condition, arms, outputs, source);
                }
                Stmt::Integrate { piece, product, outputs } => {
                    self.integrate(*piece, product, outputs, &inlined, source);
                }
            }
        }
        block.results.iter().map(|result| self.operand(result, &inlined)).collect()
    }

    fn integrate(
        &self,
        piece: usize,
        product: &Product,
        outputs: &[Var],
        inlined: &Inlined,
        source: &mut Tokens,
    ) {
        let plain = self.with(Numbers::Plain);
        let rounded = |o: &Operand| plain.convert(&self.operand(o, inlined), self.numbers).tokens;
        let list = |factor: &[Operand]| {
            let values = factor.iter().map(rounded);
            quote!([#(#values),*])
        };
        let (a, b, less) = (list(&product.first), list(&product.second), rounded(&product.less));
        let (names, powers) = (names(outputs), powers(piece));
        source.put(quote!(let [#(#names),*] = #powers.products(#a, #b, #less);));
        if self.numbers == Numbers::Pairs {
            source.put(quote!(#(let #names = kernel::Pair::exact(#names);)*));
        }
    }

    fn branch(&self, condition: &Condition, arms: &[Block], outputs: &[Var], source: &mut Tokens) {
        let names = names(outputs);
        match condition {
            Condition::Case(cases) => {
                let zero = self.language.constant([0.0; 2], self.numbers).tokens;
                source.put(quote!(#(let mut #names = #zero;)*));
                for (case, arm) in cases.iter().zip(arms) {
                    let (mask, lanes) = (format_ident!("case"), self.language.case(*case));
                    source.put(quote!(let #mask = #lanes;));
                    self.arm(&mask, TokenStream::new(), arm, &names, source);
                }
            }
            Condition::Narrow(piece) => {
                let values = self.block(&arms[1], source);
                source.put(quote!(#(let mut #names = #values;)*));
                let powers = self.language.powers.get(*piece).cloned().unwrap_or_default();
                self.arm(&narrow(*piece), powers, &arms[0], &names, source);
            }
            Condition::Place => {
                let value = |arm: &Block| {
                    let mut inside = Tokens::default();
                    let results = self.block(arm, &mut inside);
                    let statements = inside.finish();
                    quote!({ #statements #(#results)* })
                };
                let values: Vec<TokenStream> = arms.iter().map(value).collect();
                let value = self.language.place(&values);
                source.put(quote!(#(let #names = #value;)*));
            }
        }
    }

    /// Overwrites variables in the lanes of an arm, if there are any.
    fn arm(
        &self,
        mask: &Ident,
        before: TokenStream,
        arm: &Block,
        names: &[Ident],
        source: &mut Tokens,
    ) {
        source.open(quote!(if #mask.any()));
        source.put(before);
        let values = self.block(arm, source);
        let number = self.language.number_type(self.numbers);
        source.put(quote!(#(#names = #number::select(#mask, #values, #names);)*));
        source.close();
    }

    fn expr(&self, expr: &Expr, inlined: &Inlined) -> Fragment {
        let (language, numbers) = (self.language, self.numbers);
        let operand = |o: &Operand| self.operand(o, inlined);
        let binary = |operation, [a, b]: [&Operand; 2]| {
            language.binary(operation, [&operand(a), &operand(b)], numbers)
        };
        match expr {
            Expr::Add(a, b) => binary(Operation::Add, [a, b]),
            Expr::Subtract(a, b) => binary(Operation::Subtract, [a, b]),
            Expr::Multiply(a, b) => binary(Operation::Multiply, [a, b]),
            Expr::Negate(a) => operand(a).negated(),
            Expr::Word(word) => language.word(word, numbers),
            Expr::Polynomial(around, coefficients) => {
                language.polynomial(*around, coefficients, numbers)
            }
            Expr::Pole(a, b) => {
                let [a, b] = [a, b].map(|side| operand(side).tokens);
                Fragment::atom(quote!(kernel::pole(#a, #b)))
            }
            Expr::Seen(value) => {
                let zero = language.constant([0.0; 2], numbers);
                language.select(&quote!(seen), [&operand(value), &zero], numbers)
            }
            Expr::Side(knot, a, b) => {
                let mask = of(edge(*knot), quote!(is_right()));
                language.select(&mask, [&operand(a), &operand(b)], numbers)
            }
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined) -> Fragment {
        match operand {
            Operand::Constant(value) => self.language.constant(double(value), self.numbers),
            Operand::Var(var) => inlined.get(var).cloned().unwrap_or_else(|| {
                let held = if self.pairs.contains(var) { Numbers::Pairs } else { Numbers::Plain };
                let name = variable(*var);
                self.convert(&Fragment::atom(quote!(#name)), held)
            }),
            Operand::Input(input) => self.input(input),
        }
    }

    fn input(&self, input: &Input) -> Fragment {
        let language = self.language;
        let held = match input {
            Input::RootTwoOverPi => {
                return language.constant([ROOT_TWO_OVER_PI, 0.0], self.numbers);
            }
            Input::Tail(..) if self.is_precise => Numbers::Pairs,
            _ => Numbers::Plain,
        };
        let pair = match self.numbers {
            Numbers::Pairs => language.input_pair(input),
            Numbers::Plain => None,
        };
        pair.unwrap_or_else(|| self.convert(&language.input(input), held))
    }
}

fn names(outputs: &[Var]) -> Vec<Ident> {
    outputs.iter().map(|var| variable(*var)).collect()
}
