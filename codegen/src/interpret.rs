//! Running a kernel from its IR, with the same operations in the same order as the emitted
//! code, so that both give the same bits.

use std::borrow::Cow;

use gaussform_runtime::kernel::{
    self, Curved, Deviation, Edge, Lanes, Linear, Mask, Pair, Rule, Strip, logarithm, pieces,
    single, triple, word,
};
use gaussform_runtime::{Activation, Float, LogMomentsGrad, MomentsGrad, ParameterGrad};

use crate::ir::{AtRest, Block, Case, Condition, Expr, Function, Input, Operand, Stmt, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::{self, ROOT_TWO_OVER_PI};
use crate::table::Numbers;

impl Kernel {
    /// g(x) for the given values of the parameters.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn evaluate<T: Float>(&self, parameters: &[f64], x: T) -> T {
        if x.partial_cmp(&x).is_none() {
            return T::NAN;
        }
        if let Some(numbers) = self.numbers() {
            return numbers.with(|table| Activation::value(table, x));
        }
        let function = Function::default();
        let mut machine = Machine::new(self, parameters, x.to_f64(), 1.0, &function);
        T::from_f64(machine.block(self.value())[0].number())
    }

    /// The moments and their derivatives in γ and ξ², as the compiled kernel computes them for one
    /// pre-activation: in double precision, rounded once.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn moments_grad<T: Float>(&self, parameters: &[f64], gamma: T, xi2: T) -> MomentsGrad<T> {
        let run = self.with(parameters);
        if let Some(numbers) = self.numbers_for(parameters) {
            return numbers.with(|table| table.moments_grad(gamma, xi2));
        }
        let values = single::gradients(&run, gamma.to_f64(), xi2.to_f64());
        let [mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2] = values;
        MomentsGrad {
            mean: T::from_f64(mean),
            second: T::from_f64(variance + mean * mean),
            variance: T::from_f64(variance),
            dmean_dgamma: T::from_f64(dmean_dgamma),
            dmean_dxi2: T::from_f64(dmean_dxi2),
            dvariance_dgamma: T::from_f64(dvariance_dgamma),
            dvariance_dxi2: T::from_f64(dvariance_dxi2),
        }
    }

    /// The logarithms of mean and variance and their derivatives, as the compiled kernel computes them.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn log_moments_grad<T: Float>(
        &self,
        parameters: &[f64],
        gamma: T,
        xi2: T,
    ) -> LogMomentsGrad<T> {
        let run = self.with(parameters);
        let is_nonnegative = self.is_nonnegative();
        if let Some(numbers) = self.numbers_for(parameters) {
            return numbers.with(|table| table.log_moments_grad_if(is_nonnegative, gamma, xi2));
        }
        logarithm::log_gradients(&run, is_nonnegative, gamma, xi2)
    }

    /// The derivatives of the moments in each parameter.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn parameter_grad<T: Float>(
        &self,
        parameters: &[f64],
        gamma: T,
        xi2: T,
    ) -> Vec<ParameterGrad<T>> {
        let mut values = vec![[0.0; 3]; parameters.len()];
        let run = self.with(parameters);
        single::parameter_gradients(&run, gamma.to_f64(), xi2.to_f64(), &mut values);
        let entry = |v: &[f64; 3]| {
            let [dmean, dsecond, dvariance] = v.map(T::from_f64);
            ParameterGrad { dmean, dsecond, dvariance }
        };
        values.iter().map(entry).collect()
    }

    /// The numbers of the sum over pieces for the given values of the parameters, if the kernel is that.
    #[must_use]
    pub fn numbers_for(&self, parameters: &[f64]) -> Option<Cow<'_, Numbers>> {
        match self.numbers() {
            Some(numbers) => Some(Cow::Borrowed(numbers)),
            None => self.rounded(parameters).map(Cow::Owned),
        }
    }

    /// The table in floating point, if there is one.
    pub(crate) fn rounded(&self, parameters: &[f64]) -> Option<Numbers> {
        let table = self.table()?;
        let run = self.with(parameters);
        let limits = self.knots().iter().map(|knot| {
            match run.at_rest(self.gradient(), place(knot, parameters)[0]) {
                Some(values) => array(&values),
                // A knot between two numbers is never hit.
                None => [f64::NAN; 6],
            }
        });
        let limits = limits.collect();
        Some(table.numbers(|w| place(w, parameters), |w| evaluate(w, parameters), limits))
    }

    fn with<'a>(&'a self, parameters: &'a [f64]) -> Run<'a> {
        let declared = self.activation().parameters.len();
        assert!(
            parameters.len() == declared,
            "{} parameter values were given for {declared} parameters",
            parameters.len()
        );
        Run { kernel: self, parameters }
    }
}

/// A kernel with values of its parameters: what the emitted code is, interpreted.
#[derive(Clone, Copy)]
struct Run<'a> {
    kernel: &'a Kernel,
    parameters: &'a [f64],
}

impl Run<'_> {
    fn results<V: Lanes>(&self, routine: &Routine, gamma: V, xi2: V) -> Vec<V> {
        let Run { kernel, parameters } = self;
        let function = &routine.function;
        let mut machine = Machine::new(kernel, parameters, gamma, xi2, function);
        machine.block(&function.block).into_iter().map(Value::number).collect()
    }

    /// For ξ² = 0 on a knot.
    fn at_rest(&self, routine: &Routine, gamma: f64) -> Option<Vec<f64>> {
        let knots = self.kernel.knots();
        let place = |i: usize| place(&knots[i], self.parameters);
        let rest = routine.on_knots.iter().find(|rest: &&AtRest| {
            [place(rest.first), place(rest.last)] == [[gamma, 0.0, 0.0]; 2]
        })?;
        let function = Function::default();
        let Run { kernel, parameters } = self;
        let mut machine = Machine::new(kernel, parameters, gamma, 1.0, &function);
        Some(machine.block(&rest.block).into_iter().map(Value::number).collect())
    }
}

impl kernel::Kernel for Run<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    // Not known before it runs, and asked for by slices only.
    const KNOTS: usize = usize::MAX;
    const SMALL: bool = false;
    const VECTORS: usize = 1;
    const MODERATE: bool = false;

    fn degree(&self) -> u32 {
        u32::try_from(self.kernel.activation().function.degree()).unwrap_or(0)
    }

    fn value(&self, x: f64) -> f64 {
        self.kernel.evaluate(self.parameters, x)
    }

    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        array(&self.results(self.kernel.moments(), gamma, xi2))
    }

    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        array(&self.results(self.kernel.gradient(), gamma, xi2))
    }

    fn moments_at_rest(&self, gamma: f64) -> Option<[f64; 2]> {
        self.at_rest(self.kernel.moments(), gamma).map(|values| array(&values))
    }

    fn gradients_at_rest(&self, gamma: f64) -> Option<[f64; 6]> {
        self.at_rest(self.kernel.gradient(), gamma).map(|values| array(&values))
    }

    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        if let Some(numbers) = self.kernel.numbers_for(self.parameters) {
            numbers.with_tangents(|table, tangents| {
                for (entry, tangent) in out.iter_mut().zip(tangents) {
                    *entry = pieces::tangent(table, tangent, gamma, xi2);
                }
            });
            return;
        }
        let results = self.results(self.kernel.parameters(), gamma, xi2);
        for (entry, values) in out.iter_mut().zip(results.chunks_exact(3)) {
            *entry = array(values);
        }
    }

    fn parameter_gradients_at_rest(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let Some(results) = self.at_rest(self.kernel.parameters(), gamma) else { return false };
        for (entry, values) in out.iter_mut().zip(results.chunks_exact(3)) {
            *entry = array(values);
        }
        true
    }
}

/// As many values as there are results.
fn array<V: Copy, const N: usize>(values: &[V]) -> [V; N] {
    std::array::from_fn(|i| values[i])
}

/// What a block computes with: a number, or a pair.
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

    fn convert(self, to_pair: bool) -> Self {
        if to_pair { Self::Pair(self.pair()) } else { Self::Number(self.number()) }
    }
}

struct Machine<'a, V: Lanes> {
    parameters: &'a [f64],
    knots: Vec<[f64; 3]>,
    gamma: V,
    xi2: V,
    deviation: Deviation<V>,
    edges: Vec<Edge<V>>,
    tails: Vec<Vec<Value<V>>>,
    vars: Vec<Value<V>>,
    /// Whether the block at hand is computed in pairs.
    in_pairs: bool,
    /// The density on each narrow piece, and the integrals of the basis.
    strips: Vec<Option<Density<V>>>,
    integrals: Vec<Vec<V>>,
}

impl<'a, V: Lanes> Machine<'a, V> {
    fn new(
        kernel: &'a Kernel,
        parameters: &'a [f64],
        gamma: V,
        xi2: V,
        function: &Function,
    ) -> Self {
        let deviation = Deviation::new(xi2, [0, 0]);
        let knots: Vec<[f64; 3]> =
            kernel.knots().iter().map(|knot| place(knot, parameters)).collect();
        let edges: Vec<Edge<V>> =
            knots.iter().map(|knot| edge(kernel, gamma, *knot, &deviation)).collect();
        let mut strips = vec![None; edges.len() + 1];
        for (piece, pair) in (1..edges.len()).zip(edges.windows(2)) {
            let width = evaluate(&kernel.widths()[piece - 1], parameters);
            strips[piece] = Density::new(kernel.is_linear(), pair, width, &deviation);
        }
        let mut integrals = vec![Vec::new(); strips.len()];
        for (piece, strip) in strips.iter().enumerate() {
            if let Some(strip) = strip
                && function.integrals.get(piece) == Some(&true)
            {
                integrals[piece] = strip.integrals(kernel.basis());
            }
        }
        let tails = edges.iter().zip(&function.tails);
        let tails = tails.map(|(edge, n)| tails_of(*n, edge, kernel.is_precise())).collect();
        Self {
            parameters,
            knots,
            gamma,
            xi2,
            deviation,
            edges,
            tails,
            vars: Vec::new(),
            in_pairs: false,
            strips,
            integrals,
        }
    }

    /// An operand as the block at hand has it.
    fn operand(&self, operand: &Operand) -> Value<V> {
        let value = match operand {
            Operand::Constant(value) => self.constant(rounding::double(value)),
            Operand::Var(var) => self.vars[*var],
            Operand::Input(input) => self.input(input),
        };
        value.convert(self.in_pairs)
    }

    fn constant(&self, words: [f64; 2]) -> Value<V> {
        if self.in_pairs {
            Value::Pair(kernel::pair(words))
        } else {
            Value::Number(kernel::number(words[0]))
        }
    }

    fn input(&self, input: &Input) -> Value<V> {
        let Self { deviation, edges, .. } = self;
        if self.in_pairs {
            match *input {
                Input::Xi => return Value::Pair(deviation.xi_pair()),
                Input::InverseXi => return Value::Pair(deviation.inverse_pair()),
                Input::Distance(knot) => return Value::Pair(edges[knot].distance_pair()),
                Input::SignedDistance(knot) => return Value::Pair(edges[knot].score_pair()),
                Input::Density(knot) => return Value::Pair(edges[knot].density_pair()),
                _ => {}
            }
        }
        Value::Number(match *input {
            Input::Gamma => self.gamma,
            Input::Xi2 => self.xi2,
            Input::Xi => deviation.xi,
            Input::InverseXi => deviation.inverse,
            Input::Parameter(i) => return self.constant([self.parameters[i], 0.0]),
            Input::Distance(knot) => edges[knot].s,
            Input::SignedDistance(knot) => edges[knot].score(),
            Input::Displacement(knot) => edges[knot].d,
            Input::DensityUnit => kernel::density_unit(),
            Input::Density(knot) => edges[knot].h,
            Input::Tail(knot, order) => return self.tails[knot][order],
            Input::Integral(piece, j) => self.integrals[piece][j],
            Input::RootTwoOverPi => return self.constant([ROOT_TWO_OVER_PI, 0.0]),
        })
    }

    fn assign(&mut self, var: usize, value: Value<V>) {
        if self.vars.len() <= var {
            self.vars.resize(var + 1, value);
        }
        self.vars[var] = value.convert(self.in_pairs);
    }

    /// The results, pairs if the block is computed in them.
    fn block(&mut self, block: &Block) -> Vec<Value<V>> {
        let outside = std::mem::replace(&mut self.in_pairs, block.in_pairs);
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr);
                    self.assign(*var, value);
                }
                Stmt::Branch { condition, arms, outputs } => {
                    let values = self.block(&arms[self.decide(condition)]);
                    for (var, value) in outputs.iter().zip(values) {
                        self.assign(*var, value);
                    }
                }
                Stmt::Quadrature { piece, product, outputs } => {
                    let [a, b] = [&product.first, &product.second]
                        .map(|factor| factor.iter().map(|o| self.operand(o).number()).collect());
                    let less = self.operand(&product.less).number();
                    let sums = match &self.strips[*piece] {
                        Some(strip) => strip.products(a, b, less, outputs.len()),
                        None => vec![kernel::number(0.0); outputs.len()],
                    };
                    for (var, value) in outputs.iter().zip(sums) {
                        self.assign(*var, Value::Number(value));
                    }
                }
            }
        }
        let results = block.results.iter().map(|operand| self.operand(operand)).collect();
        self.in_pairs = outside;
        results
    }

    fn expr(&self, expr: &Expr) -> Value<V> {
        use Value::{Number, Pair};
        let operand = |o: &Operand| self.operand(o);
        match expr {
            Expr::Add(a, b) => match [operand(a), operand(b)] {
                [Pair(a), Pair(b)] => Pair(a + b),
                [a, b] => Number(a.number() + b.number()),
            },
            Expr::Subtract(a, b) => match [operand(a), operand(b)] {
                [Pair(a), Pair(b)] => Pair(a - b),
                [a, b] => Number(a.number() - b.number()),
            },
            Expr::Multiply(a, b) => match [operand(a), operand(b)] {
                [Pair(a), Pair(b)] => Pair(a * b),
                [a, b] => Number(a.number() * b.number()),
            },
            Expr::Negate(a) => match operand(a) {
                Pair(a) => Pair(-a),
                Number(a) => Number(-a),
            },
            Expr::Word(value) => self.constant(evaluate(value, self.parameters)),
            Expr::Polynomial(around, coefficients) => {
                let word = |c| evaluate(c, self.parameters);
                let coefficients: Vec<[f64; 2]> = coefficients.iter().map(word).collect();
                Pair(match around {
                    None => kernel::polynomial(&coefficients, self.gamma),
                    Some(knot) => {
                        kernel::polynomial_around(&coefficients, self.knots[*knot], self.gamma)
                    }
                })
            }
            Expr::Pole(coefficient, otherwise) => {
                let [coefficient, otherwise] =
                    [coefficient, otherwise].map(|o| single_value(operand(o).number()));
                self.constant([kernel::pole(coefficient, otherwise), 0.0])
            }
            Expr::Seen(value) => {
                if kernel::is_seen(&self.edges.iter().collect::<Vec<_>>()).any() {
                    operand(value)
                } else {
                    self.constant([0.0; 2])
                }
            }
            Expr::Nearer(knots, first, second) => {
                let [left, right] = knots.map(|i| self.edges[i].z.abs());
                operand(if left.le(right).any() { first } else { second })
            }
            Expr::Side(knot, left, right) => {
                operand(if self.edges[*knot].is_right().any() { left } else { right })
            }
        }
    }

    fn decide(&self, condition: &Condition) -> usize {
        match condition {
            Condition::Case(cases) => {
                let holds = |case: &Case| {
                    let (left, right) = (case.piece().checked_sub(1), case.piece());
                    let edge = |i: usize| self.edges.get(i);
                    let narrow = matches!(case, Case::Narrow(_));
                    kernel::between(left.and_then(edge), edge(right)).any()
                        && self.strips[case.piece()].is_some() == narrow
                };
                cases.iter().position(holds).expect("one of the cases holds")
            }
            Condition::Narrow(piece) => usize::from(self.strips[*piece].is_none()),
            Condition::Place => kernel::place(single_value(self.gamma), &self.knots),
        }
    }
}

/// The density on a narrow piece by one of the rules.
#[derive(Clone)]
enum Density<V: Lanes> {
    Linear(<Linear as Rule>::Strip<V>),
    Curved(<Curved as Rule>::Strip<V>),
}

/// The density on the piece between two edges; `None` if it is not narrow.
fn strip<V: Lanes, R: Rule>(
    left: &Edge<V>,
    right: &Edge<V>,
    width: [f64; 2],
    deviation: &Deviation<V>,
) -> Option<R::Strip<V>> {
    let narrow = kernel::is_narrow::<V, R>(left, right);
    narrow.any().then(|| {
        let mut strip = kernel::Strip::empty();
        kernel::fill::<V, R>(&mut strip, narrow, left, right, width, deviation);
        strip
    })
}

impl<V: Lanes> Density<V> {
    /// `None` if the piece is not narrow.
    fn new(
        linear: bool,
        edges: &[Edge<V>],
        width: [f64; 2],
        deviation: &Deviation<V>,
    ) -> Option<Self> {
        let [left, right] = edges else { unreachable!("a bounded piece has two knots") };
        if linear {
            strip::<V, Linear>(left, right, width, deviation).map(Self::Linear)
        } else {
            strip::<V, Curved>(left, right, width, deviation).map(Self::Curved)
        }
    }

    fn integrals(&self, count: usize) -> Vec<V> {
        let mut sums = vec![kernel::number(0.0); count];
        match self {
            Self::Linear(strip) => strip.integrate(&mut sums),
            Self::Curved(strip) => strip.integrate(&mut sums),
        }
        sums
    }

    fn products(&self, mut a: Vec<V>, mut b: Vec<V>, less: V, orders: usize) -> Vec<V> {
        let mut sums = vec![kernel::number(0.0); orders];
        match self {
            Self::Linear(strip) => strip.integrate_product(&mut a, &mut b, less, &mut sums),
            Self::Curved(strip) => strip.integrate_product(&mut a, &mut b, less, &mut sums),
        }
        sums
    }
}

/// The only number, in double precision.
fn single_value<V: Lanes>(value: V) -> f64 {
    let mut slice = [V::Element::ZERO];
    value.store(&mut slice);
    slice[0].to_f64()
}

/// A knot.
fn place(knot: &Word, parameters: &[f64]) -> [f64; 3] {
    let place = |knot| place(knot, parameters);
    match knot {
        Word::Constant(value) => rounding::triple(value),
        Word::Parameter(index) => [parameters[*index], 0.0, 0.0],
        Word::Negate(a) => triple::negate(place(a)),
        Word::Add(sides) => triple::add(place(&sides[0]), place(&sides[1])),
        Word::Multiply(sides) => triple::multiply(place(&sides[0]), place(&sides[1])),
        Word::Divide(sides) => triple::divide(place(&sides[0]), place(&sides[1])),
    }
}

fn evaluate(value: &Word, parameters: &[f64]) -> [f64; 2] {
    let evaluate = |value| evaluate(value, parameters);
    match value {
        Word::Constant(value) => rounding::double(value),
        Word::Parameter(index) => [parameters[*index], 0.0],
        Word::Negate(a) => word::negate(evaluate(a)),
        Word::Add(sides) => word::add(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Multiply(sides) => word::multiply(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Divide(sides) => word::divide(evaluate(&sides[0]), evaluate(&sides[1])),
    }
}

/// A knot seen from γ, to twice the precision if sums of tails can cancel.
fn edge<V: Lanes>(kernel: &Kernel, gamma: V, knot: [f64; 3], deviation: &Deviation<V>) -> Edge<V> {
    if kernel.is_precise() {
        Edge::precisely_at(gamma, knot, deviation)
    } else {
        Edge::at(gamma, knot, deviation)
    }
}

/// The runtime picks its method by the number of tails at compile time; so must this.
fn tails_of<V: Lanes>(count: usize, edge: &Edge<V>, precise: bool) -> Vec<Value<V>> {
    macro_rules! by_count {
        ($($n:literal)*) => {
            match count {
                $($n if precise => kernel::precise_tails::<V, $n>(edge).map(Value::Pair).to_vec(),
                $n => kernel::tails::<V, $n>(edge).map(Value::Number).to_vec(),)*
                _ => unreachable!("the degree of a kernel is limited"),
            }
        };
    }
    by_count!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
        31 32 33 34 35 36 37 38 39 40 41 42 43)
}
