//! The number of floating-point operations of a kernel, by kind, in f64.
//!
//! The operations of formulas are counted in the IR. Those of a primitive are counted on its record.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, AddAssign};
use std::sync::{Mutex, PoisonError};

use crate::ir::{Block, Computed, Condition, Expr, Function, Stmt, Word};
use crate::kernel::Kernel;
use crate::record::Library;
use crate::rounding::Length;
use crate::run::tails_size;
use crate::script::graph::{Node, Operation};

/// The number of operations of each kind. Additions and multiplications count alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions, subtractions, multiplications and changes of sign.
    pub arithmetic: usize,
    /// Divisions.
    pub division: usize,
    /// Square roots.
    pub root: usize,
    /// Exponentials.
    pub exp: usize,
    /// Error functions: none, in this scheme.
    pub erf: usize,
}

impl Add for Operations {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            arithmetic: self.arithmetic + other.arithmetic,
            division: self.division + other.division,
            root: self.root + other.root,
            exp: self.exp + other.exp,
            erf: self.erf + other.erf,
        }
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { arithmetic, division, root, exp, erf } = self;
        write!(f, "{arithmetic} + − ×, {division} ÷, {root} √, {exp} exp, {erf} erf")
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.wide)?;
        if self.narrow != self.wide {
            write!(f, "; where a piece is narrow: {}", self.narrow)?;
        }
        Ok(())
    }
}

/// The operations of one function, wherever γ lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The operations if no piece is narrow.
    pub wide: Operations,
    /// The operations if every bounded piece is narrow. They equal `wide` where there is none.
    pub narrow: Operations,
}

/// The primitives that are counted as an exponential; the arithmetic inside counts as arithmetic of its own.
const EXPONENTIALS: [&str; 2] = ["density", "density_in_units"];

/// The cost of a primitive of the runtime in f64.
fn primitive(name: &str) -> Operations {
    results_of(name, usize::MAX)
}

/// The cost of the first `count` results of a primitive of the runtime in f64.
fn results_of(name: &str, count: usize) -> Operations {
    static COUNTED: Mutex<BTreeMap<(String, usize), Operations>> = Mutex::new(BTreeMap::new());
    // Entries are whole whatever happened to another thread, so a poisoned lock is taken too.
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    *counted.entry((name.to_owned(), count)).or_insert_with(|| {
        let mut library = Library::of::<f64>(name);
        library.keep(name, count);
        recorded(&library, name)
    })
}

fn recorded(library: &Library, name: &str) -> Operations {
    let function = library.get(name).expect("what is called was recorded");
    let one = |node: &Node| match node.operation {
        Operation::Negate
        | Operation::Add
        | Operation::Subtract
        | Operation::Multiply
        | Operation::Scale
        | Operation::Raise => arithmetic(1),
        Operation::MultiplyAdd | Operation::MultiplySubtract | Operation::NegateMultiplyAdd => {
            arithmetic(2)
        }
        Operation::Divide | Operation::Inverse => {
            Operations { division: 1, ..Operations::default() }
        }
        Operation::Root | Operation::InverseRoot => Operations { root: 1, ..Operations::default() },
        Operation::Call { name, .. } => {
            let exp = usize::from(EXPONENTIALS.contains(&name));
            recorded(library, name) + Operations { exp, ..Operations::default() }
        }
        Operation::Input(_)
        | Operation::Constant(_)
        | Operation::Truth(_)
        | Operation::Abs
        | Operation::Larger
        | Operation::Smaller
        | Operation::Less
        | Operation::AtMost
        | Operation::Equals
        | Operation::And
        | Operation::Or
        | Operation::Not
        | Operation::Select
        | Operation::Branch
        | Operation::Part(_) => Operations::default(),
        Operation::Carried { .. } | Operation::Loop(_) | Operation::Last(_) => {
            unreachable!("a primitive has no loop")
        }
    };
    function.graph.nodes.iter().fold(Operations::default(), |sum, node| sum + one(node))
}

/// The cost of the edge of a constant knot of that many words.
fn edge_at(words: &[f64]) -> Operations {
    let knot = std::array::from_fn(|i| words[i]);
    recorded(&Library::edge_at::<f64>(knot), "edge_at")
}

/// An operation count times a number.
fn times(count: usize, operations: Operations) -> Operations {
    (0..count).fold(Operations::default(), |sum, _| sum + operations)
}

/// Additions, multiplications and changes of sign alone.
fn arithmetic(arithmetic: usize) -> Operations {
    Operations { arithmetic, ..Operations::default() }
}

impl Kernel {
    /// The operations of the moments in f64; `None` if they are sums over the pieces of a table.
    #[must_use]
    pub fn moments_cost(&self) -> Option<Cost> {
        self.cost(&self.moments().function)
    }

    /// The operations of the moments with their gradients in f64; `None` if they are sums over the pieces of a table.
    #[must_use]
    pub fn gradient_cost(&self) -> Option<Cost> {
        self.cost(&self.gradient().function)
    }

    fn cost(&self, function: &Function) -> Option<Cost> {
        if self.table().is_some() {
            return None;
        }
        let mut setup = primitive("deviation_of");
        for (knot, count) in self.knots().iter().zip(&function.tails) {
            setup += match knot {
                Word::Constant(place) => edge_at(&Length::Triple.of(place)),
                knot => words(Length::Triple, knot) + primitive("edge_at"),
            };
            if *count > 0 {
                setup += results_of(&format!("tails_{}", tails_size(*count)), *count);
            }
        }
        let pieces = 0..function.integrals.len();
        let narrow = pieces.fold(setup + count(&function.block, true), |sum, piece| {
            sum + Self::integrals(function, piece)
        });
        Some(Cost { wide: setup + count(&function.block, false), narrow })
    }

    /// The cost of all integrals over a narrow piece.
    fn integrals(function: &Function, piece: usize) -> Operations {
        let products = products(&function.block, piece);
        let has_integrals = function.integrals[piece];
        if products.is_empty() && !has_integrals {
            return Operations::default();
        }
        let of = |orders: usize| {
            // There is a primitive for one integral, and one for all three orders.
            let size = if orders == 1 { 1 } else { 3 };
            results_of(&format!("powers_products_{size}"), orders)
        };
        let start = primitive("powers_on");
        let start = if has_integrals { start + primitive("powers_basis") } else { start };
        products.into_iter().fold(start, |sum, orders| sum + of(orders))
    }
}

/// The number of integrals of each product over a piece. Blocks inside are included.
fn products(block: &Block, piece: usize) -> Vec<usize> {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Integrate { piece: at, outputs, .. } if *at == piece => vec![outputs.len()],
        Stmt::Integrate { .. } | Stmt::Let(..) => Vec::new(),
        Stmt::Branch { arms, .. } => arms.iter().flat_map(|arm| products(arm, piece)).collect(),
    };
    block.statements.iter().flat_map(of).collect()
}

/// Arithmetic in double or triple words.
fn words(length: Length, value: &Word) -> Operations {
    let Computed::Call(operation, sides) = value.computed() else { return Operations::default() };
    let own = primitive(&format!("{}_{operation}", length.name()));
    sides.iter().fold(own, |sum, side| sum + words(length, side))
}

fn count(block: &Block, narrow: bool) -> Operations {
    let mut sum = Operations::default();
    for statement in &block.statements {
        sum += match statement {
            Stmt::Let(_, Expr::Word(value)) => words(Length::Double, value),
            Stmt::Let(_, Expr::Polynomial(_, coefficients)) => {
                let steps =
                    times(coefficients.len().saturating_sub(1), primitive("polynomial_step"));
                let word = |coefficient: &Word| words(Length::Double, coefficient);
                coefficients.iter().fold(steps, |sum, coefficient| sum + word(coefficient))
            }
            Stmt::Let(_, Expr::Pole(..) | Expr::Side(..) | Expr::Seen(_)) => Operations::default(),
            Stmt::Let(..) => arithmetic(1),
            Stmt::Integrate { .. } => Operations::default(),
            Stmt::Branch { condition: Condition::Narrow(_), arms, .. } => {
                count(&arms[usize::from(!narrow)], narrow)
            }
            Stmt::Branch { arms, .. } => count(&arms[0], narrow),
        };
    }
    sum
}
