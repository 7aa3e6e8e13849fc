//! The formulas of a kernel, run as they stand in the IR for one pre-activation.
//!
//! Each operation is that of the compiled kernel, in the same order, and tails and integrals are computed by the same
//! code. So the results have the same bits: products are fused with sums in vectors only.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gaussform_runtime::kernel::{
    self, Deviation, Edge, Facts, Form, Lanes, Mask, Pair, Powers, density_unit, number, pair,
};

use crate::given::{evaluate, place};
use crate::ir::{
    AtZeroVariance, Block, Case, Condition, Expr, Input, Operand, Product, Stmt, Var, Word,
};
use crate::kernel::{Kernel, Routine};
use crate::rounding::{ROOT_TWO_OVER_PI, double};

/// The formulas of a kernel for values of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Interpreted<'a> {
    kernel: &'a Kernel,
    parameters: Vec<f64>,
    /// The knots, each a sum of three words, ascending.
    knots: Vec<[f64; 3]>,
    /// The widths of the bounded pieces, each a sum of two words.
    widths: Vec<[f64; 2]>,
    /// Numbers of the IR in two words, by their addresses: to round one takes longer than to compute with it.
    rounded: RefCell<BTreeMap<usize, [f64; 2]>>,
}

impl<'a> Interpreted<'a> {
    pub(crate) fn new(kernel: &'a Kernel, parameters: &[f64]) -> Self {
        kernel.check_count(parameters);
        Self {
            kernel,
            parameters: parameters.to_vec(),
            knots: kernel.knots().iter().map(|knot| place(knot, parameters)).collect(),
            widths: kernel.widths().iter().map(|width| evaluate(width, parameters)).collect(),
            rounded: RefCell::default(),
        }
    }

    /// The knots.
    pub(crate) fn knots(&self) -> &[[f64; 3]] {
        &self.knots
    }

    /// g(x).
    pub(crate) fn value(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { self.at(self.kernel.value(), x)[0] }
    }

    /// The results of a block that reads one number.
    fn at(&self, block: &Block, x: f64) -> Vec<f64> {
        Run::new(self, x, 1.0, Deviation::new(1.0, [0, 0])).block(block)
    }

    /// The results for ξ² = 0 on each knot that is a number, or on a run of such that have met.
    pub(crate) fn at_zero_variance(
        &self,
        routine: &'a Routine,
    ) -> impl Iterator<Item = (f64, Vec<f64>)> {
        routine.on_knots.iter().filter_map(move |AtZeroVariance { first, last, block }| {
            let [at, low, lowest] = self.knots[*first];
            let is_number = low == 0.0 && lowest == 0.0;
            (is_number && self.knots[*first] == self.knots[*last]).then(|| (at, self.at(block, at)))
        })
    }

    /// The results with γ on a knot.
    fn on_knot(&self, routine: &'a Routine, gamma: f64) -> Option<Vec<f64>> {
        self.at_zero_variance(routine).find(|(at, _)| *at == gamma).map(|(_, results)| results)
    }

    /// The results of a routine.
    fn results<V: Lanes>(&self, routine: &Routine, gamma: V, xi2: V) -> Vec<V> {
        let deviation = Deviation::new(xi2, self.kernel.powers(routine));
        let mut run = Run::new(self, gamma, xi2, deviation);
        run.look(routine.function.tails.iter().copied().max().unwrap_or(0));
        run.block(&routine.function.block)
    }

    fn word(&self, word: &Word) -> [f64; 2] {
        self.rounded(std::ptr::from_ref(word).addr(), || evaluate(word, &self.parameters))
    }

    fn rounded(&self, address: usize, of: impl FnOnce() -> [f64; 2]) -> [f64; 2] {
        *self.rounded.borrow_mut().entry(address).or_insert_with(of)
    }
}

impl kernel::Kernel for &Interpreted<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    /// Facts say how slices are computed: no slice is.
    const FORM: Form = Form::Formulas(Facts {
        knots: 0,
        degree: 0,
        is_by_case: true,
        cancels: false,
        is_moderate: false,
    });

    fn degree(&self) -> u32 {
        u32::try_from(self.kernel.activation().function.degree()).unwrap_or(0)
    }

    fn value(&self, x: f64) -> f64 {
        Interpreted::value(self, x)
    }

    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        array(&self.results(self.kernel.moments(), gamma, xi2))
    }

    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        array(&self.results(self.kernel.gradient(), gamma, xi2))
    }

    fn moments_at_zero_variance(&self, gamma: f64) -> Option<[f64; 2]> {
        self.on_knot(self.kernel.moments(), gamma).map(|results| array(&results))
    }

    fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
        self.on_knot(self.kernel.gradient(), gamma).map(|results| array(&results))
    }

    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        if out.is_empty() {
            return;
        }
        let results = self.results(self.kernel.parameters(), gamma, xi2);
        out.iter_mut().zip(results.chunks_exact(3)).for_each(|(entry, of)| *entry = array(of));
    }

    fn parameter_gradients_at_zero_variance(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let results = self.on_knot(self.kernel.parameters(), gamma);
        for (entry, of) in out.iter_mut().zip(results.iter().flat_map(|all| all.chunks_exact(3))) {
            *entry = array(of);
        }
        results.is_some()
    }
}

/// As many values as there are.
fn array<V: Copy, const N: usize>(values: &[V]) -> [V; N] {
    std::array::from_fn(|i| values[i])
}

/// A value of a variable: a number, or an unrounded sum.
#[derive(Clone, Copy)]
enum Value<V> {
    Number(V),
    Pair(Pair<V>),
}

impl<V: Lanes> Value<V> {
    fn number(self) -> V {
        match self {
            Self::Number(value) => value,
            Self::Pair(pair) => pair.round(),
        }
    }

    fn pair(self) -> Pair<V> {
        match self {
            Self::Number(value) => Pair::exact(value),
            Self::Pair(pair) => pair,
        }
    }

    /// As what a block computes with.
    fn convert(self, in_pairs: bool) -> Self {
        if in_pairs { Self::Pair(self.pair()) } else { Self::Number(self.number()) }
    }

    fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        match (yes, no) {
            (Self::Number(yes), Self::Number(no)) => Self::Number(V::select(mask, yes, no)),
            _ => Self::Pair(Pair::select(mask, yes.pair(), no.pair())),
        }
    }
}

/// A routine for one pre-activation.
struct Run<'a, V: Lanes> {
    of: &'a Interpreted<'a>,
    gamma: V,
    xi2: V,
    deviation: Deviation<V>,
    edges: Vec<Edge<V>>,
    tails: Vec<Vec<Value<V>>>,
    seen: bool,
    /// Where each bounded piece is narrow, and its integrals.
    narrow: Vec<(V::Mask, Powers<V>)>,
    /// The value of each variable, by the variable's number.
    variables: Vec<Value<V>>,
    in_pairs: bool,
}

impl<'a, V: Lanes> Run<'a, V> {
    fn new(of: &'a Interpreted<'a>, gamma: V, xi2: V, deviation: Deviation<V>) -> Self {
        Self {
            of,
            gamma,
            xi2,
            deviation,
            edges: Vec::new(),
            tails: Vec::new(),
            seen: false,
            narrow: Vec::new(),
            variables: Vec::new(),
            in_pairs: false,
        }
    }

    /// The knots seen from γ with so many tails, and the narrow pieces.
    fn look(&mut self, count: usize) {
        let (is_precise, deviation) = (self.of.kernel.is_precise(), &self.deviation);
        for &knot in &self.of.knots {
            macro_rules! by_count {
                ($($n:literal)*) => {
                    match count {
                        $($n if is_precise => {
                            let kernel::KnotTails { edge, tails } =
                                kernel::precise_knot_tails::<V, $n>(self.gamma, knot, deviation);
                            self.edges.push(edge);
                            self.tails.push(tails.into_iter().map(Value::Pair).collect());
                        })*
                        $($n => {
                            let kernel::KnotTails { edge, tails } =
                                kernel::knot_tails::<V, $n>(self.gamma, knot, deviation);
                            self.edges.push(edge);
                            self.tails.push(tails.into_iter().map(Value::Number).collect());
                        })*
                        _ => unreachable!("the degree of formulas is limited"),
                    }
                };
            }
            by_count!(0 1 2 3 4 5 6 7 8 9);
        }
        self.seen = self.edges.iter().any(|edge| kernel::is_seen(&[edge]).any());
        for (ends, &width) in self.edges.windows(2).zip(&self.of.widths) {
            let narrow = kernel::is_narrow(&ends[0], &ends[1]);
            let powers = Powers::on(narrow, &ends[0], &ends[1], width, deviation);
            self.narrow.push((narrow, powers));
        }
    }

    /// The results of a block as numbers.
    fn block(&mut self, block: &Block) -> Vec<V> {
        self.inside(block).into_iter().map(Value::number).collect()
    }

    /// The results of a block as what surrounds it computes with.
    fn inside(&mut self, block: &Block) -> Vec<Value<V>> {
        let outside = std::mem::replace(&mut self.in_pairs, block.in_pairs);
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr);
                    self.assign(*var, value);
                }
                Stmt::Branch { condition, arms, outputs } => {
                    let results = match self.arm(condition, arms) {
                        Some(arm) => self.inside(arm),
                        None => vec![self.constant([0.0; 2]); outputs.len()],
                    };
                    outputs.iter().zip(results).for_each(|(var, value)| self.assign(*var, value));
                }
                Stmt::Integrate { piece, product, outputs } => {
                    let sums = self.integrate(*piece, product).map(Value::Number);
                    let sums = sums.map(|sum| sum.convert(self.in_pairs));
                    outputs.iter().zip(sums).for_each(|(var, value)| self.assign(*var, value));
                }
            }
        }
        let results: Vec<_> = block.results.iter().map(|result| self.operand(result)).collect();
        self.in_pairs = outside;
        results.into_iter().map(|result| result.convert(outside)).collect()
    }

    fn assign(&mut self, var: Var, value: Value<V>) {
        let count = self.variables.len().max(var + 1);
        self.variables.resize(count, Value::Number(self.gamma));
        self.variables[var] = value;
    }

    /// The arm of a branch that holds; none if γ is nowhere.
    fn arm<'b>(&self, condition: &Condition, arms: &'b [Block]) -> Option<&'b Block> {
        match condition {
            Condition::Case(cases) => {
                let at = cases.iter().position(|case| self.is_on(*case).any())?;
                Some(&arms[at])
            }
            Condition::Narrow(piece) => Some(&arms[usize::from(!self.narrow[*piece - 1].0.any())]),
            Condition::Place => Some(&arms[kernel::place(only(self.gamma), &self.of.knots)]),
        }
    }

    /// Whether γ lies so.
    fn is_on(&self, case: Case) -> V::Mask {
        let piece = case.piece();
        let left = piece.checked_sub(1);
        let on = kernel::between(left.map(|i| &self.edges[i]), self.edges.get(piece));
        let narrow = left.and_then(|i| self.narrow.get(i));
        match (case, narrow) {
            (_, None) => on,
            (Case::Narrow(_), Some((narrow, _))) => on.and(*narrow),
            (Case::Wide(_), Some((narrow, _))) => on.and(narrow.not()),
        }
    }

    fn integrate(&mut self, piece: usize, product: &Product) -> [V; 3] {
        let [first, second] = [&product.first, &product.second]
            .map(|line| line.iter().map(|x| self.operand(x).number()).collect::<Vec<V>>());
        let less = self.operand(&product.less).number();
        let powers = &self.narrow[piece - 1].1;
        match second[..] {
            [number] => powers.products(array::<V, 2>(&first), [number], less),
            _ => powers.products(array::<V, 2>(&first), array::<V, 2>(&second), less),
        }
    }

    fn constant(&self, words: [f64; 2]) -> Value<V> {
        match self.in_pairs {
            true => Value::Pair(pair(words)),
            false => Value::Number(number(words[0])),
        }
    }

    fn operand(&self, operand: &Operand) -> Value<V> {
        match operand {
            Operand::Constant(value) => {
                let address = std::ptr::from_ref(value).addr();
                self.constant(self.of.rounded(address, || double::<f64>(value)))
            }
            Operand::Var(var) => self.variables[*var].convert(self.in_pairs),
            Operand::Input(input) => self.input(input).convert(self.in_pairs),
        }
    }

    fn input(&self, input: &Input) -> Value<V> {
        let number = Value::Number;
        match *input {
            Input::Gamma => number(self.gamma),
            Input::Xi2 => number(self.xi2),
            Input::Xi if self.in_pairs => Value::Pair(self.deviation.xi_pair()),
            Input::Xi => number(self.deviation.xi),
            Input::InverseXi if self.in_pairs => Value::Pair(self.deviation.inverse_pair()),
            Input::InverseXi => number(self.deviation.inverse),
            Input::Parameter(i) => self.constant([self.of.parameters[i], 0.0]),
            Input::Distance(knot) if self.in_pairs => Value::Pair(self.edges[knot].distance_pair()),
            Input::Distance(knot) => number(self.edges[knot].s),
            Input::SignedDistance(knot) if self.in_pairs => {
                Value::Pair(self.edges[knot].score_pair())
            }
            Input::SignedDistance(knot) => number(self.edges[knot].score()),
            Input::Displacement(knot) => number(self.edges[knot].d),
            Input::DensityUnit => number(density_unit()),
            Input::Density(knot) if self.in_pairs => Value::Pair(self.edges[knot].density_pair()),
            Input::Density(knot) => number(self.edges[knot].h),
            Input::Tail(knot, order) => self.tails[knot][order],
            Input::Integral(piece, j) => number(self.narrow[piece - 1].1.integrals()[j]),
            Input::RootTwoOverPi => self.constant([ROOT_TWO_OVER_PI, 0.0]),
        }
    }

    fn expr(&self, expr: &Expr) -> Value<V> {
        let of = |operand: &Operand| self.operand(operand);
        match expr {
            Expr::Add(a, b) => match (of(a), of(b)) {
                (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
                (a, b) => Value::Pair(a.pair() + b.pair()),
            },
            Expr::Subtract(a, b) => match (of(a), of(b)) {
                (Value::Number(a), Value::Number(b)) => Value::Number(a - b),
                (a, b) => Value::Pair(a.pair() - b.pair()),
            },
            Expr::Multiply(a, b) => match (of(a), of(b)) {
                (Value::Number(a), Value::Number(b)) => Value::Number(a * b),
                (a, b) => Value::Pair(a.pair() * b.pair()),
            },
            Expr::Negate(a) => match of(a) {
                Value::Number(a) => Value::Number(-a),
                Value::Pair(a) => Value::Pair(-a),
            },
            Expr::Word(word) => self.constant(self.of.word(word)),
            Expr::Polynomial(around, coefficients) => {
                let words: Vec<_> = coefficients.iter().map(|c| self.of.word(c)).collect();
                let value = match around {
                    None => kernel::polynomial(&words, self.gamma),
                    Some(knot) => {
                        kernel::polynomial_around(&words, self.of.knots[*knot], self.gamma)
                    }
                };
                Value::Pair(value).convert(self.in_pairs)
            }
            Expr::Pole(a, b) => {
                let [a, b] = [a, b].map(|side| only(of(side).number()));
                Value::Number(number(kernel::pole(a, b))).convert(self.in_pairs)
            }
            Expr::Side(knot, left, right) => {
                Value::select(self.edges[*knot].is_right(), of(left), of(right))
            }
            Expr::Seen(value) if self.seen => of(value),
            Expr::Seen(_) => self.constant([0.0; 2]),
        }
    }
}

/// The only number, in double precision.
fn only<V: Lanes>(value: V) -> f64 {
    use gaussform_runtime::Float;
    let mut slice = [V::Element::ZERO; 1];
    value.store(&mut slice);
    slice[0].to_f64()
}
