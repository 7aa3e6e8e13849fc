//! The walk over a block of the IR: statements in order, branches with their arms, values where they are read.
//!
//! A variable that is read once is written in the place where it is read. A value holds many elements: every arm of a branch that some element needs is computed, and selected from.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::fragment::{Fragment, Operation};
use super::language::Rust;
use super::tokens::Tokens;
use super::variable::{edge, narrow, of, powers, variable};
use crate::ir::{Block, Condition, Expr, Input, Operand, Product, Stmt, Var};
use crate::rounding::{ROOT_TWO_OVER_PI, nearest};

/// Prints blocks.
pub(super) struct Printer<'a>(pub(super) &'a Rust<'a>);

/// The values that are written where they are read.
type Inlined = BTreeMap<Var, Fragment>;

impl Printer<'_> {
    /// Prints the statements of a block, and returns its results.
    pub(super) fn block(&self, block: &Block, source: &mut Tokens) -> Vec<TokenStream> {
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
        block.results.iter().map(|result| self.operand(result, &inlined).tokens).collect()
    }

    fn integrate(
        &self,
        piece: usize,
        product: &Product,
        outputs: &[Var],
        inlined: &Inlined,
        source: &mut Tokens,
    ) {
        let tokens = |o: &Operand| self.operand(o, inlined).tokens;
        let list = |factor: &[Operand]| {
            let values = factor.iter().map(tokens);
            quote!([#(#values),*])
        };
        let (a, b, less) = (list(&product.first), list(&product.second), tokens(&product.less));
        let (names, powers) = (names(outputs), powers(piece));
        source.put(quote!(let [#(#names),*] = #powers.products(#a, #b, #less);));
    }

    fn branch(&self, condition: &Condition, arms: &[Block], outputs: &[Var], source: &mut Tokens) {
        let names = names(outputs);
        match condition {
            Condition::Case(cases) => {
                let zero = self.0.constant(0.0).tokens;
                // Every element is on some piece, whose arm overwrites the zeros.
                source.put(quote!(#(let mut #names = #zero;)*));
                for (case, arm) in cases.iter().zip(arms) {
                    let (mask, lanes) = (format_ident!("case"), self.0.case(*case));
                    source.put(quote!(let #mask = #lanes;));
                    self.arm(&mask, TokenStream::new(), arm, &names, source);
                }
            }
            Condition::Narrow(piece) => {
                // Narrow pieces are rare, so the other arm is for all elements.
                let values = self.block(&arms[1], source);
                source.put(quote!(#(let mut #names = #values;)*));
                // They stand here where this branch alone needs them, and before all cases
                // elsewhere.
                let powers = self.0.powers.get(*piece).cloned().unwrap_or_default();
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
                let value = self.0.place(&values);
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
        let number = self.0.number_type();
        source.put(quote!(#(#names = #number::select(#mask, #values, #names);)*));
        source.close();
    }

    fn expr(&self, expr: &Expr, inlined: &Inlined) -> Fragment {
        let language = self.0;
        let operand = |o: &Operand| self.operand(o, inlined);
        let binary = |operation, [a, b]: [&Operand; 2]| {
            language.binary(operation, [&operand(a), &operand(b)])
        };
        match expr {
            Expr::Add(a, b) => binary(Operation::Add, [a, b]),
            Expr::Subtract(a, b) => binary(Operation::Subtract, [a, b]),
            Expr::Multiply(a, b) => binary(Operation::Multiply, [a, b]),
            Expr::Negate(a) => operand(a).negated(),
            Expr::Word(word) => language.word(word),
            Expr::Polynomial(around, coefficients) => language.polynomial(*around, coefficients),
            Expr::Pole(a, b) => {
                let [a, b] = [a, b].map(|side| operand(side).tokens);
                Fragment::atom(quote!(kernel::pole(#a, #b)))
            }
            Expr::Seen(value) => {
                let zero = language.constant(0.0);
                language.select(&quote!(seen), [&operand(value), &zero])
            }
            Expr::Side(knot, a, b) => {
                let mask = of(edge(*knot), quote!(is_right()));
                language.select(&mask, [&operand(a), &operand(b)])
            }
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined) -> Fragment {
        match operand {
            Operand::Constant(value) => self.0.constant(nearest(value)),
            Operand::Var(var) => inlined.get(var).cloned().unwrap_or_else(|| {
                let name = variable(*var);
                Fragment::atom(quote!(#name))
            }),
            Operand::Input(Input::RootTwoOverPi) => self.0.constant(ROOT_TWO_OVER_PI),
            Operand::Input(input) => self.0.input(input),
        }
    }
}

fn names(outputs: &[Var]) -> Vec<Ident> {
    outputs.iter().map(|var| variable(*var)).collect()
}

/// The variables that are read exactly once, by a computation or as a result of the block
/// itself and not inside of a nested block.
fn read_once(block: &Block) -> BTreeSet<Var> {
    let mut all: BTreeMap<Var, usize> = BTreeMap::new();
    block.visit(&mut |operand| {
        if let Operand::Var(var) = operand {
            *all.entry(*var).or_default() += 1;
        }
    });
    // A nested block does not see what is written in place here.
    let mut nested = BTreeSet::new();
    for statement in &block.statements {
        if let Stmt::Branch { arms, .. } = statement {
            for arm in arms {
                arm.visit(&mut |operand| {
                    if let Operand::Var(var) = operand {
                        nested.insert(*var);
                    }
                });
            }
        }
    }
    let once = all.into_iter().filter(|(var, reads)| *reads == 1 && !nested.contains(var));
    once.map(|(var, _)| var).collect()
}
