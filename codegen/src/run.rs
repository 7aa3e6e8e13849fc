//! Formulas, run as they stand in the IR over some lanes: over numbers, or over lanes that record each operation.
//!
//! Each operation is that of the compiled kernel, in the same order, and tails and integrals are computed by the same
//! code. So the results have the same bits: products are fused with sums in vectors only. Of a branch the arm that holds is
//! taken. Where that is not known, all arms are, and their results are chosen from.

use gaussform_runtime::kernel::record::{self, Work};
use gaussform_runtime::kernel::{self, Edge, FIT_COUNTS, Lanes, Mask, density_unit, number};
use gaussform_symbolic::exact::Rational;

use crate::ir::{
    AtZeroVariance, Block, Case, Condition, Expr, Function, Input, Operand, Product, Stmt, Var,
    Word,
};
use crate::kernel::Kernel;
use crate::rounding::ROOT_TWO_OVER_PI;

/// Where the formulas of a kernel have their numbers from.
pub(crate) trait FormulaInputs<V: Lanes> {
    /// The kernel.
    fn kernel(&self) -> &Kernel;

    /// A parameter by its index.
    fn parameter(&self, index: usize) -> V;

    /// A knot in three words.
    fn knot(&self, knot: usize) -> [V; 3];

    /// The width of a bounded piece in two words, counted without the unbounded piece on the left.
    fn width(&self, piece: usize) -> [V; 2];

    /// A number that depends on parameters, in two words.
    fn word(&self, word: &Word) -> [V; 2];

    /// A constant in two words.
    fn constant(&self, value: &Rational) -> [V; 2];

    /// Computes a primitive of the runtime.
    fn compute(&self, _: &Primitive<'_, V>, body: impl FnOnce() -> Vec<V>) -> Vec<V> {
        body()
    }
}

/// A primitive of the runtime, as it is called.
pub(crate) struct Primitive<'a, V: Lanes> {
    pub(crate) name: &'static str,
    /// The truth value that is its first argument, if it has one.
    pub(crate) truth: Option<V::Mask>,
    /// The numbers of its other arguments.
    pub(crate) inputs: &'a [&'a [V]],
    /// How many results it has.
    pub(crate) results: usize,
}

/// The results of a block that reads one number.
pub(crate) fn at<V: Lanes, N: FormulaInputs<V>>(of: &N, block: &Block, x: V) -> Vec<V> {
    Run::new(of, x, x).block(block)
}

/// The results of a function.
pub(crate) fn results<V: Lanes, N: FormulaInputs<V>>(
    of: &N,
    function: &Function,
    gamma: V,
    xi2: V,
) -> Vec<V> {
    let mut run = Run::new(of, gamma, xi2);
    // All knots have as many tails as the one that needs most, as in the compiled kernel.
    run.look(function.tails.iter().copied().max().unwrap_or(0));
    run.block(&function.block)
}

/// Results with those in their place that a routine has for ξ² = 0 on knots.
pub(crate) fn with_limits<V: Lanes, N: FormulaInputs<V>>(
    of: &N,
    limits: &[AtZeroVariance],
    [gamma, xi2]: [V; 2],
    mut results: Vec<V>,
) -> Vec<V> {
    let has_no_variance = xi2.equals(number(0.0));
    let is_on = |knot: usize| order(gamma, of.knot(knot))[1];
    // The first that applies counts, so it is chosen last.
    for AtZeroVariance { first, last, block } in limits.iter().rev() {
        let mut is_here = has_no_variance.and(is_on(*first));
        if last != first {
            is_here = is_here.and(is_on(*last));
        }
        if is_here.any() {
            let limits = at(of, block, gamma);
            let pairs = limits.into_iter().zip(results);
            results = pairs.map(|(limit, result)| V::select(is_here, limit, result)).collect();
        }
    }
    results
}

/// The number of tails of the function that computes at least `count` tails. Its first ones are the same for each
/// size that has the same start.
pub(crate) fn tails_size(count: usize) -> usize {
    *FIT_COUNTS.iter().find(|size| count <= **size).expect("degrees are limited")
}

/// The results of an arm, which are there.
struct Known<V>(V);

impl<V> Work for Known<V> {
    type Output = [V; 1];

    fn run(self) -> [V; 1] {
        [self.0]
    }
}

/// A bounded piece.
struct Piece<V: Lanes> {
    is_narrow: V::Mask,
    /// The integrals of powers over it, for where it is narrow.
    powers: [V; 8],
}

/// A routine for one pre-activation.
struct Run<'a, V: Lanes, N> {
    of: &'a N,
    gamma: V,
    xi2: V,
    /// ξ, 1/ξ and what the root lost.
    deviation: [V; 3],
    edges: Vec<Edge<V>>,
    tails: Vec<Vec<V>>,
    pieces: Vec<Piece<V>>,
    /// The value of each variable, by the variable's number.
    variables: Vec<V>,
}

impl<'a, V: Lanes, N: FormulaInputs<V>> Run<'a, V, N> {
    fn new(of: &'a N, gamma: V, xi2: V) -> Self {
        Self {
            of,
            gamma,
            xi2,
            // Blocks of one number do not read these. Routines compute them first.
            deviation: [gamma; 3],
            edges: Vec::new(),
            tails: Vec::new(),
            pieces: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The knots seen from γ with so many tails, and the bounded pieces.
    fn look(&mut self, count: usize) {
        let (of, xi2) = (self.of, self.xi2);
        let inputs: [&[V]; 1] = [&[xi2]];
        let call = Primitive { name: "deviation_of", truth: None, inputs: &inputs, results: 3 };
        self.deviation = array(&of.compute(&call, || record::deviation(xi2).to_vec()));
        let kernel = of.kernel();
        for at in 0..kernel.knots().len() {
            let edge = self.edge(of.knot(at));
            self.tails.push(if count > 0 { self.tails(edge, count) } else { Vec::new() });
            let [z, s, d, h, h_low, s_low] = edge;
            self.edges.push(Edge { z, s, d, h, h_low, s_low });
        }
        for at in 1..self.edges.len() {
            let [left, right] = [&self.edges[at - 1], &self.edges[at]];
            let is_narrow = kernel::is_narrow(left, right);
            let (edges, deviation) = ([words(left), words(right)], self.deviation);
            let width = of.width(at - 1);
            let inputs: [&[V]; 4] = [&edges[0], &edges[1], &width, &deviation];
            let truth = Some(is_narrow);
            let call = Primitive { name: "powers_on", truth, inputs: &inputs, results: 8 };
            let powers =
                of.compute(&call, || record::powers(is_narrow, edges, width, deviation).to_vec());
            self.pieces.push(Piece { is_narrow, powers: array(&powers) });
        }
    }

    /// A knot seen from γ.
    fn edge(&self, knot: [V; 3]) -> [V; 6] {
        let (of, gamma, deviation) = (self.of, self.gamma, self.deviation);
        let inputs: [&[V]; 3] = [&[gamma], &knot, &deviation];
        let call = Primitive { name: "edge_at", truth: None, inputs: &inputs, results: 6 };
        array(&of.compute(&call, || record::edge(gamma, knot, deviation).to_vec()))
    }

    /// The tails at a knot.
    fn tails(&self, edge: [V; 6], count: usize) -> Vec<V> {
        macro_rules! by_size {
            ($($size:literal $name:literal)*) => {
                match tails_size(count) {
                    $($size => {
                        let inputs: [&[V]; 1] = [&edge];
                        let call =
                            Primitive { name: $name, truth: None, inputs: &inputs, results: $size };
                        self.of.compute(&call, || record::tails_at::<V, $size>(edge).to_vec())
                    })*
                    _ => unreachable!("the degree of formulas is limited"),
                }
            };
        }
        by_size!(3 "tails_3" 5 "tails_5" 7 "tails_7" 9 "tails_9")
    }

    /// The results of a block.
    fn block(&mut self, block: &Block) -> Vec<V> {
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr);
                    self.assign(*var, value);
                }
                Stmt::Branch { condition, arms, outputs } => {
                    let (masks, order) = self.masks(condition, arms.len());
                    let arms: Vec<&Block> = order.into_iter().map(|at| &arms[at]).collect();
                    let results = self.branch(&masks, &arms);
                    outputs.iter().zip(results).for_each(|(var, value)| self.assign(*var, value));
                }
                Stmt::Integrate { piece, product, outputs } => {
                    let sums = self.integrate(*piece, product);
                    outputs.iter().zip(sums).for_each(|(var, value)| self.assign(*var, value));
                }
            }
        }
        block.results.iter().map(|result| self.operand(result)).collect()
    }

    fn assign(&mut self, var: Var, value: V) {
        let count = self.variables.len().max(var + 1);
        // The filler is never read: a variable has its value before it is read.
        self.variables.resize(count, self.gamma);
        self.variables[var] = value;
    }

    /// Where each arm of a branch holds, in an order of the arms, but for the last one: it is for all other places.
    fn masks(&self, condition: &Condition, count: usize) -> (Vec<V::Mask>, Vec<usize>) {
        let mut order: Vec<usize> = (0..count).collect();
        let masks = match condition {
            Condition::Case(cases) => {
                // Narrow pieces are rare, and the last arm is the one that is not asked for.
                order.sort_by_key(|at| matches!(cases[*at], Case::Wide(_)));
                order[..count - 1].iter().map(|at| self.is_on(cases[*at])).collect()
            }
            // Bounded pieces are counted without the unbounded one on the left.
            Condition::Narrow(piece) => vec![self.pieces[*piece - 1].is_narrow],
            Condition::Place => {
                let knots = 0..self.of.kernel().knots().len();
                // The arms go from left to right: up to a knot, on it, up to the next one.
                knots.flat_map(|knot| self::order(self.gamma, self.of.knot(knot))).collect()
            }
        };
        (masks, order)
    }

    /// The results of the first arm that holds.
    fn branch(&mut self, masks: &[V::Mask], arms: &[&Block]) -> Vec<V> {
        let Some((&mask, masks)) = masks.split_first() else { return self.block(arms[0]) };
        if !mask.any() {
            return self.branch(masks, &arms[1..]);
        }
        let yes = self.block(arms[0]);
        if mask.all() {
            return yes;
        }
        let no = self.branch(masks, &arms[1..]);
        // `if_any` takes a fixed number of results, so they are chosen one by one.
        let chosen =
            yes.into_iter().zip(no).flat_map(|(yes, no)| V::if_any(mask, Known(yes), [no]));
        chosen.collect()
    }

    /// Whether γ lies so.
    fn is_on(&self, case: Case) -> V::Mask {
        let piece = case.piece();
        let left = piece.checked_sub(1);
        let on = kernel::between(left.map(|i| &self.edges[i]), self.edges.get(piece));
        let bounded = left.and_then(|i| self.pieces.get(i));
        match (case, bounded) {
            (_, None) => on,
            (Case::Narrow(_), Some(piece)) => on.and(piece.is_narrow),
            (Case::Wide(_), Some(piece)) => on.and(piece.is_narrow.not()),
        }
    }

    fn integrate(&mut self, piece: usize, product: &Product) -> [V; 3] {
        let line = |line: &[Operand]| {
            let of = |at| line.get(at).map_or(number(0.0), |x| self.operand(x));
            [of(0), of(1)]
        };
        let less = self.operand(&product.less);
        let powers = self.pieces[piece - 1].powers;
        record::powers_products(powers, line(&product.first), line(&product.second), less)
    }

    fn operand(&self, operand: &Operand) -> V {
        match operand {
            Operand::Constant(value) => self.of.constant(value)[0],
            Operand::Var(var) => self.variables[*var],
            Operand::Input(input) => self.input(input),
        }
    }

    fn input(&self, input: &Input) -> V {
        let [xi, inverse, _] = self.deviation;
        let edge = |knot: usize| &self.edges[knot];
        match *input {
            Input::Tail(knot, order) => self.tails[knot][order],
            Input::Gamma => self.gamma,
            Input::Xi2 => self.xi2,
            Input::Xi => xi,
            Input::InverseXi => inverse,
            Input::Parameter(i) => self.of.parameter(i),
            Input::Distance(knot) => edge(knot).s,
            Input::SignedDistance(knot) => edge(knot).score(),
            Input::Displacement(knot) => edge(knot).d,
            Input::DensityUnit => density_unit(),
            Input::Density(knot) => edge(knot).h,
            Input::Integral(piece, j) => record::powers_integrals(self.pieces[piece - 1].powers)[j],
            Input::RootTwoOverPi => number(ROOT_TWO_OVER_PI),
        }
    }

    fn expr(&self, expr: &Expr) -> V {
        let of = |operand: &Operand| self.operand(operand);
        match expr {
            Expr::Add(a, b) => of(a) + of(b),
            Expr::Subtract(a, b) => of(a) - of(b),
            Expr::Multiply(a, b) => of(a) * of(b),
            Expr::Negate(a) => -of(a),
            Expr::Word(word) => self.of.word(word)[0],
            Expr::Polynomial(around, coefficients) => {
                let coefficients: Vec<_> = coefficients.iter().map(|c| self.of.word(c)).collect();
                let x = match around {
                    None => [self.gamma, number(0.0)],
                    Some(knot) => {
                        let [high, low, _] = self.of.knot(*knot);
                        self.distance([high, low])
                    }
                };
                self.polynomial(&coefficients, x)[0]
            }
            Expr::Pole(a, b) => {
                let [a, b, zero] = [of(a), of(b), number(0.0)];
                let infinite = number::<V>(f64::INFINITY);
                let below = V::select(a.lt(zero), -infinite, b);
                V::select(zero.lt(a), infinite, below)
            }
            Expr::Side(knot, left, right) => {
                V::select(self.edges[*knot].is_right(), of(left), of(right))
            }
            Expr::Seen(value) => {
                let edges: Vec<&Edge<V>> = self.edges.iter().collect();
                V::select(kernel::is_seen(&edges), of(value), number(0.0))
            }
        }
    }

    /// γ less a knot in two words.
    fn distance(&self, knot: [V; 2]) -> [V; 2] {
        let inputs: [&[V]; 2] = [&[self.gamma], &knot];
        let call = Primitive { name: "distance", truth: None, inputs: &inputs, results: 2 };
        array(&self.of.compute(&call, || record::distance(self.gamma, knot).to_vec()))
    }

    /// Σ cⱼ xʲ by Horner's scheme in double words, or without them where a splitting overflows.
    fn polynomial(&self, coefficients: &[[V; 2]], x: [V; 2]) -> [V; 2] {
        let zero = number(0.0);
        let Some((&leading, rest)) = coefficients.split_last() else { return [zero; 2] };
        let (mut value, mut plain) = (leading, leading[0]);
        for c in rest.iter().rev() {
            let inputs: [&[V]; 3] = [&value, &x, c];
            let call =
                Primitive { name: "polynomial_step", truth: None, inputs: &inputs, results: 2 };
            let step = || record::polynomial_step(value, x, *c).to_vec();
            value = array(&self.of.compute(&call, step));
            plain = plain * x[0] + c[0];
        }
        // A constant takes no step, in which something could overflow.
        if rest.is_empty() {
            return value;
        }
        let is_finite = value[0].abs().lt(number(f64::INFINITY));
        [V::select(is_finite, value[0], plain), V::select(is_finite, value[1], zero)]
    }
}

/// Whether x is less than a number of three words, and whether it is equal to it.
fn order<V: Lanes>(x: V, [high, middle, low]: [V; 3]) -> [V::Mask; 2] {
    let zero = number::<V>(0.0);
    let rest = zero.lt(middle).or(middle.equals(zero).and(zero.lt(low)));
    let is_near = x.equals(high);
    [x.lt(high).or(is_near.and(rest)), is_near.and(middle.equals(zero)).and(low.equals(zero))]
}

fn words<V: Copy>(edge: &Edge<V>) -> [V; 6] {
    [edge.z, edge.s, edge.d, edge.h, edge.h_low, edge.s_low]
}

/// As many values as there are.
pub(crate) fn array<V: Copy, const N: usize>(values: &[V]) -> [V; N] {
    std::array::from_fn(|i| values[i])
}
