//! Running a kernel from its IR, with the same operations in the same order as the emitted
//! code, so that both give the same bits.

use gaussform_runtime::kernel::{self, Deviation, Edge, word};
use gaussform_runtime::{Float, MomentsGrad, ParameterGrad};

use crate::ir::{AtRest, Block, Condition, Expr, Input, Operand, Stmt, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::{ROOT_TWO_OVER_PI, double, nearest};

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
        let mut machine = Machine::new(self, parameters, x, T::ONE, &[]);
        machine.block(self.value())[0]
    }

    /// The moments and their derivatives in γ and ξ², as the compiled kernel computes them.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn moments_grad<T: Float>(&self, parameters: &[f64], gamma: T, xi2: T) -> MomentsGrad<T> {
        let results = self.run(self.gradient(), parameters, gamma, xi2);
        let at = |i: usize| results.as_ref().map_or(T::NAN, |values| values[i]);
        MomentsGrad {
            mean: at(0),
            second: at(1),
            variance: at(2),
            dmean_dgamma: at(3),
            dmean_dxi2: at(4),
            dvariance_dgamma: at(5),
            dvariance_dxi2: at(6),
        }
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
        match self.run(self.parameters(), parameters, gamma, xi2) {
            None => vec![
                ParameterGrad { dmean: T::NAN, dsecond: T::NAN, dvariance: T::NAN };
                parameters.len()
            ],
            Some(values) => values
                .chunks_exact(3)
                .map(|v| ParameterGrad { dmean: v[0], dsecond: v[1], dvariance: v[2] })
                .collect(),
        }
    }

    /// `None` if the input is not one that has moments.
    fn run<T: Float>(
        &self,
        routine: &Routine,
        parameters: &[f64],
        gamma: T,
        xi2: T,
    ) -> Option<Vec<T>> {
        if !kernel::is_valid(gamma, xi2) {
            return None;
        }
        let function = &routine.function;
        let mut machine = Machine::new(self, parameters, gamma, xi2, &function.tails);
        let on_knot = |rest: &&AtRest| {
            let knots = [rest.first, rest.last].map(|i| machine.knots[i]);
            xi2 == T::ZERO && knots == [[gamma, T::ZERO]; 2]
        };
        Some(match routine.on_knots.iter().find(on_knot) {
            Some(rest) => machine.block(&rest.block),
            None => machine.block(&function.block),
        })
    }
}

struct Machine<'a, T> {
    parameters: &'a [f64],
    knots: Vec<[T; 2]>,
    gamma: T,
    xi2: T,
    deviation: Deviation<T>,
    edges: Vec<Edge<T>>,
    narrow: Vec<bool>,
    tails: Vec<Vec<T>>,
    vars: Vec<T>,
    node: [T; 2],
}

impl<'a, T: Float> Machine<'a, T> {
    fn new(kernel: &Kernel, parameters: &'a [f64], gamma: T, xi2: T, tails: &[usize]) -> Self {
        let declared = kernel.activation().parameters.len();
        assert!(
            parameters.len() == declared,
            "{} parameter values were given for {declared} parameters",
            parameters.len()
        );
        let deviation = Deviation::new(xi2);
        let knots: Vec<[T; 2]> = kernel.knots().iter().map(|knot| pair(knot, parameters)).collect();
        let edges: Vec<Edge<T>> =
            knots.iter().map(|knot| Edge::new(gamma, *knot, &deviation)).collect();
        let mut narrow = vec![false; edges.len() + 1];
        for (flag, pair) in narrow[1..].iter_mut().zip(edges.windows(2)) {
            *flag = kernel::is_narrow(&pair[0], &pair[1]);
        }
        let tails = edges.iter().zip(tails).map(|(edge, n)| tails_of(*n, edge.s)).collect();
        Self {
            parameters,
            knots,
            gamma,
            xi2,
            deviation,
            edges,
            narrow,
            tails,
            vars: Vec::new(),
            node: [T::NAN; 2],
        }
    }

    fn operand(&self, operand: &Operand) -> T {
        match operand {
            Operand::Constant(value) => nearest(value),
            Operand::Var(var) => self.vars[*var],
            Operand::Input(input) => match *input {
                Input::Gamma => self.gamma,
                Input::Xi2 => self.xi2,
                Input::Xi => self.deviation.xi,
                Input::InverseXi => self.deviation.inverse,
                Input::Parameter(i) => T::from_f64(self.parameters[i]),
                Input::Distance(knot) => self.edges[knot].s,
                Input::SignedDistance(knot) => self.edges[knot].score(),
                Input::RootDensity(knot) => self.edges[knot].h,
                Input::Tail(knot, order) => self.tails[knot][order],
                Input::Offset => self.node[0],
                Input::Score => self.node[1],
                Input::RootTwoOverPi => T::from_f64(ROOT_TWO_OVER_PI),
            },
        }
    }

    fn assign(&mut self, var: usize, value: T) {
        if self.vars.len() <= var {
            self.vars.resize(var + 1, T::NAN);
        }
        self.vars[var] = value;
    }

    fn block(&mut self, block: &Block) -> Vec<T> {
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr);
                    self.assign(*var, value);
                }
                Stmt::Branch { condition, arms, outputs } => {
                    let values = self.block(&arms[self.decide(*condition)]);
                    for (var, value) in outputs.iter().zip(values) {
                        self.assign(*var, value);
                    }
                }
                Stmt::Quadrature { piece, width, integrand, outputs } => {
                    let sums = self.quadrature(*piece, width, integrand);
                    for (var, value) in outputs.iter().zip(sums) {
                        self.assign(*var, value);
                    }
                }
            }
        }
        block.results.iter().map(|operand| self.operand(operand)).collect()
    }

    fn expr(&self, expr: &Expr) -> T {
        match expr {
            Expr::Add(a, b) => self.operand(a) + self.operand(b),
            Expr::Subtract(a, b) => self.operand(a) - self.operand(b),
            Expr::Multiply(a, b) => self.operand(a) * self.operand(b),
            Expr::Negate(a) => -self.operand(a),
            Expr::Word(value) => word::round(evaluate(value, self.parameters)),
            Expr::Polynomial(around, coefficients) => {
                let pair = |c| pair(c, self.parameters);
                let coefficients: Vec<[T; 2]> = coefficients.iter().map(pair).collect();
                match around {
                    None => kernel::polynomial(&coefficients, self.gamma),
                    Some(knot) => {
                        kernel::polynomial_around(&coefficients, self.knots[*knot], self.gamma)
                    }
                }
            }
            Expr::Variance(value) => kernel::variance(self.operand(value)),
            Expr::Pole(coefficient, otherwise) => {
                kernel::pole(self.operand(coefficient), self.operand(otherwise))
            }
        }
    }

    fn decide(&self, condition: Condition) -> usize {
        match condition {
            Condition::BasePiece => kernel::base_piece(&self.edges, &self.narrow),
            Condition::Narrow(piece) => usize::from(!self.narrow[piece]),
            Condition::Place => kernel::place(self.gamma, &self.knots),
        }
    }

    fn quadrature(&mut self, piece: usize, width: &Operand, integrand: &Block) -> Vec<T> {
        let width = self.operand(width);
        let (left, right, deviation) = (self.edges[piece - 1], self.edges[piece], self.deviation);
        let mut sums = vec![T::ZERO; integrand.results.len()];
        let h = kernel::quadrature(&left, &right, width, &deviation, |w, z, mass| {
            self.node = [w, z];
            for (sum, value) in sums.iter_mut().zip(self.block(integrand)) {
                *sum += mass * value;
            }
        });
        sums.into_iter().map(|sum| h * (h * sum)).collect()
    }
}

/// To twice the precision of a kernel.
fn pair<T: Float>(value: &Word, parameters: &[f64]) -> [T; 2] {
    match value.as_constant() {
        Some(constant) => double(constant),
        None => word::pair(evaluate(value, parameters)),
    }
}

fn evaluate(value: &Word, parameters: &[f64]) -> [f64; 2] {
    let evaluate = |value| evaluate(value, parameters);
    match value {
        Word::Constant(value) => double(value),
        Word::Parameter(index) => [parameters[*index], 0.0],
        Word::Negate(a) => word::negate(evaluate(a)),
        Word::Add(sides) => word::add(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Multiply(sides) => word::multiply(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Divide(sides) => word::divide(evaluate(&sides[0]), evaluate(&sides[1])),
    }
}

/// The runtime picks its method by the number of tails at compile time; so must this.
fn tails_of<T: Float>(count: usize, s: T) -> Vec<T> {
    macro_rules! by_count {
        ($($n:literal)*) => {
            match count {
                $($n => kernel::tails::<T, $n>(s).to_vec(),)*
                _ => unreachable!("the degree of a kernel is limited"),
            }
        };
    }
    by_count!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
        31 32 33 34 35 36 37 38 39 40 41 42 43)
}
