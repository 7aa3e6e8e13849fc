//! Building blocks with shared subexpressions.
//!
//! A value that was computed in an enclosing block is reused. 0, 1 and signs are folded, so that the terms that an
//! activation does not have cost nothing.

use std::collections::BTreeMap;

use gaussform_symbolic::exact::{Rational, integer};
use num_traits::{One, Signed, Zero};

use crate::ir::{Block, Condition, Expr, Input, Operand, Product, Stmt, Var, Word};
use crate::rounding::nearest;

/// Builds the body of a function, block by block.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    next: Var,
    scopes: Vec<Scope>,
    /// The variables that are another operand with the sign changed.
    negated: BTreeMap<Var, Operand>,
    /// The variables that are a constant times another operand.
    multiples: BTreeMap<Var, (Rational, Operand)>,
}

#[derive(Debug, Default)]
struct Scope {
    statements: Vec<Stmt>,
    known: BTreeMap<Expr, Var>,
}

pub(crate) fn zero() -> Operand {
    Operand::Constant(Rational::zero())
}

pub(crate) fn constant(value: i64) -> Operand {
    Operand::Constant(integer(value))
}

pub(crate) fn input(input: Input) -> Operand {
    Operand::Input(input)
}

pub(crate) fn is_zero(operand: &Operand) -> bool {
    matches!(operand, Operand::Constant(value) if value.is_zero())
}

fn is_one(operand: &Operand) -> bool {
    matches!(operand, Operand::Constant(value) if value.is_one())
}

fn is_minus_one(operand: &Operand) -> bool {
    matches!(operand, Operand::Constant(value) if (-value).is_one())
}

/// Whether products with a constant hardly overflow or underflow sooner than without.
fn keeps_the_range(constant: &Rational) -> bool {
    let size = nearest::<f64>(constant).abs();
    (f64::EPSILON..=1.0 / f64::EPSILON).contains(&size)
}

impl Builder {
    /// Runs `body` in a block of its own.
    pub(crate) fn block(&mut self, body: impl FnOnce(&mut Self) -> Vec<Operand>) -> Block {
        self.scopes.push(Scope::default());
        let results = body(self);
        let scope = self.scopes.pop().expect("the block's own scope");
        let mut block = Block { statements: scope.statements, results };
        prune(&mut block);
        block
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("building happens inside of a block")
    }

    fn fresh(&mut self) -> Var {
        self.next += 1;
        self.next - 1
    }

    fn emit(&mut self, expr: Expr) -> Operand {
        // Enclosing scopes alone are asked: what another arm knows was not computed here.
        let known = self.scopes.iter().find_map(|scope| scope.known.get(&expr)).copied();
        let var = known.unwrap_or_else(|| {
            let var = self.fresh();
            let scope = self.scope();
            scope.known.insert(expr.clone(), var);
            scope.statements.push(Stmt::Let(var, expr));
            var
        });
        Operand::Var(var)
    }

    /// A branch; `arm` builds the block of each index and gives as many results for each. What is the
    /// same constant in all of them is no result of the branch.
    pub(crate) fn branch(
        &mut self,
        condition: Condition,
        count: usize,
        mut arm: impl FnMut(&mut Self, usize) -> Vec<Operand>,
    ) -> Vec<Operand> {
        let mut arms: Vec<Block> = (0..count).map(|i| self.block(|b| arm(b, i))).collect();
        let is_same = |i: usize| {
            let first = &arms[0].results[i];
            let constant = matches!(first, Operand::Constant(_));
            constant && arms.iter().all(|arm| arm.results[i] == *first)
        };
        let differs: Vec<bool> = (0..arms[0].results.len()).map(|i| !is_same(i)).collect();
        let mut results = arms[0].results.clone();
        let mut outputs = Vec::new();
        for (result, _) in results.iter_mut().zip(&differs).filter(|(_, differs)| **differs) {
            let output = self.fresh();
            outputs.push(output);
            *result = Operand::Var(output);
        }
        for arm in &mut arms {
            retain(&mut arm.results, &differs);
        }
        self.scope().statements.push(Stmt::Branch { condition, arms, outputs });
        results
    }

    /// Integrals over a piece, of as many orders as are asked for.
    pub(crate) fn integrate(
        &mut self,
        piece: usize,
        mut product: Product,
        orders: usize,
    ) -> Vec<Operand> {
        if orders == 1 {
            // No Hermite polynomial, so nothing is less.
            product.less = zero();
        }
        let vanishes = |factor: &[Operand]| factor.iter().all(is_zero);
        // Beyond order 0 a number is taken from the second factor, so that it may be 0 without
        // the product being so.
        if vanishes(&product.first) || is_zero(&product.less) && vanishes(&product.second) {
            return vec![zero(); orders];
        }
        let outputs: Vec<Var> = (0..orders).map(|_| self.fresh()).collect();
        let results = outputs.iter().copied().map(Operand::Var).collect();
        self.scope().statements.push(Stmt::Integrate { piece, product, outputs });
        results
    }

    /// The results on both sides of the only knot, with their common parts computed once, and then selected: `side`
    /// gives the results for γ on piece 0 and on piece 1.
    pub(crate) fn sides(
        &mut self,
        mut side: impl FnMut(&mut Self, usize) -> Vec<Operand>,
    ) -> Vec<Operand> {
        let [left, right] = [0, 1].map(|piece| side(self, piece));
        let pairs = left.into_iter().zip(right);
        pairs.map(|(left, right)| self.side(0, left, right)).collect()
    }

    /// `left` or `right`, by the side of a knot on which γ lies.
    pub(crate) fn side(&mut self, knot: usize, left: Operand, right: Operand) -> Operand {
        if left == right { left } else { self.emit(Expr::Side(knot, left, right)) }
    }

    /// The operand whose negative this is, if it is known as one.
    fn without_sign(&self, operand: &Operand) -> Option<Operand> {
        match operand {
            Operand::Var(var) => self.negated.get(var).cloned(),
            _ => None,
        }
    }

    pub(crate) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Constant(a), Operand::Constant(b)) => Operand::Constant(a + b),
            (a, b) if is_zero(&a) => b,
            (a, b) if is_zero(&b) => a,
            (a, b) => match (self.without_sign(&a), self.without_sign(&b)) {
                (_, Some(b)) => self.subtract(a, b),
                (Some(a), None) => self.subtract(b, a),
                // Terms are put in order, so that a + b and b + a are one value.
                _ => self.emit(Expr::Add(a.clone().min(b.clone()), a.max(b))),
            },
        }
    }

    pub(crate) fn subtract(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Constant(a), Operand::Constant(b)) => Operand::Constant(a - b),
            (a, b) if is_zero(&b) => a,
            (a, b) if is_zero(&a) => self.negate(b),
            (a, b) => match self.without_sign(&b) {
                Some(b) => self.add(a, b),
                None => self.emit(Expr::Subtract(a, b)),
            },
        }
    }

    pub(crate) fn negate(&mut self, a: Operand) -> Operand {
        match a {
            Operand::Constant(a) => Operand::Constant(-a),
            a => match self.without_sign(&a) {
                Some(a) => a,
                None => {
                    let negative = self.emit(Expr::Negate(a.clone()));
                    if let Operand::Var(var) = negative {
                        self.negated.insert(var, a);
                    }
                    negative
                }
            },
        }
    }

    pub(crate) fn multiply(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Constant(a), Operand::Constant(b)) => Operand::Constant(a * b),
            (a, b) if is_zero(&a) || is_zero(&b) => zero(),
            (a, b) if is_one(&a) => b,
            (a, b) if is_one(&b) => a,
            (a, b) if is_minus_one(&a) => self.negate(b),
            (a, b) if is_minus_one(&b) => self.negate(a),
            // Signs go to the front, where sums take them up.
            (a, b) => match (self.without_sign(&a), self.without_sign(&b), a, b) {
                (Some(a), Some(b), ..) => self.multiply(a, b),
                (Some(a), None, _, b) | (None, Some(b), a, _) => match (a, b) {
                    (Operand::Constant(c), x) | (x, Operand::Constant(c)) => {
                        self.multiply(Operand::Constant(-c), x)
                    }
                    (a, b) => {
                        let product = self.multiply(a, b);
                        self.negate(product)
                    }
                },
                // The sign of a constant goes to the front too, so that c x and −c x share a
                // product.
                (None, None, Operand::Constant(c), x) | (None, None, x, Operand::Constant(c))
                    if c.is_negative() =>
                {
                    let product = self.multiply(Operand::Constant(-c), x);
                    self.negate(product)
                }
                (None, None, a, b) => self.product(a, b),
            },
        }
    }

    /// A product without signs. Constants one after the other are one, rounded once.
    fn product(&mut self, a: Operand, b: Operand) -> Operand {
        // Constants come first in the order of operands: if one factor is constant, it is `a`.
        let (a, b) = (a.clone().min(b.clone()), a.max(b));
        let Operand::Constant(constant) = &a else { return self.emit(Expr::Multiply(a, b)) };
        if let Operand::Var(var) = b
            && let Some((other, rest)) = self.multiples.get(&var)
            // The product of both constants may be out of range where one after the other is not.
            && keeps_the_range(&(constant * other))
        {
            return self.multiply(Operand::Constant(constant * other), rest.clone());
        }
        let product = self.emit(Expr::Multiply(a.clone(), b.clone()));
        if let (Operand::Constant(constant), Operand::Var(var)) = (a, &product) {
            self.multiples.insert(*var, (constant, b));
        }
        product
    }

    pub(crate) fn scale(&mut self, a: Operand, factor: &Rational) -> Operand {
        self.multiply(Operand::Constant(factor.clone()), a)
    }

    /// Σ coefficients\[j\] xʲ by Horner's rule.
    pub(crate) fn horner(&mut self, coefficients: &[Operand], x: &Operand) -> Operand {
        coefficients.iter().rev().fold(zero(), |sum, coefficient| {
            let product = self.multiply(sum, x.clone());
            self.add(product, coefficient.clone())
        })
    }

    pub(crate) fn polynomial(&mut self, around: Option<usize>, coefficients: Vec<Word>) -> Operand {
        self.emit(Expr::Polynomial(around, coefficients))
    }

    pub(crate) fn word(&mut self, word: Word) -> Operand {
        match word {
            Word::Constant(value) => Operand::Constant(value),
            Word::Parameter(index) => input(Input::Parameter(index)),
            word => self.emit(Expr::Word(word)),
        }
    }

    /// A value that only counts where the density at some knot is not negligible.
    pub(crate) fn seen(&mut self, value: Operand) -> Operand {
        if is_zero(&value) { value } else { self.emit(Expr::Seen(value)) }
    }

    pub(crate) fn pole(&mut self, coefficient: Operand, otherwise: Operand) -> Operand {
        if is_zero(&coefficient) {
            return otherwise;
        }
        self.emit(Expr::Pole(coefficient, otherwise))
    }
}

/// Drops the statements that no result needs: from the last to the first, because a
/// statement only reads what comes before it.
fn prune(block: &mut Block) {
    let mut needed = std::collections::BTreeSet::new();
    let mut note = |operand: &Operand| {
        if let Operand::Var(var) = operand {
            needed.insert(*var);
        }
    };
    block.results.iter().for_each(&mut note);
    let mut kept = Vec::new();
    for mut statement in std::mem::take(&mut block.statements).into_iter().rev() {
        let used = |outputs: &[Var]| outputs.iter().any(|var| needed.contains(var));
        let keep = match &mut statement {
            Stmt::Let(var, _) => used(&[*var]),
            Stmt::Branch { arms, outputs, .. } => {
                let keep: Vec<bool> = outputs.iter().map(|var| used(&[*var])).collect();
                retain(outputs, &keep);
                for arm in arms {
                    retain(&mut arm.results, &keep);
                    // With fewer results, statements of the arm may have no reader left.
                    prune(arm);
                }
                !outputs.is_empty()
            }
            Stmt::Integrate { outputs, .. } => used(outputs),
        };
        if keep {
            let inside = Block { statements: vec![statement], ..Block::default() };
            inside.visit(&mut |operand| {
                if let Operand::Var(var) = operand {
                    needed.insert(*var);
                }
            });
            kept.extend(inside.statements);
        }
    }
    kept.reverse();
    block.statements = kept;
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| *keep.next().expect("one flag for each value"));
}
