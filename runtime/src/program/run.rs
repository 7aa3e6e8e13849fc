//! The steps of a program on lanes.

use alloc::vec;
use alloc::vec::Vec;

use super::{Choice, Code, Input, Product, Program, Register, Step};
use crate::Float;
use crate::kernel::{
    self, Curved, Deviation, Edge, Lanes, Linear, Mask, Pair, Rule, Sight, Strip, number, pair,
};

/// The density on a narrow piece by one of the rules.
enum Density<V: Lanes> {
    /// No lane needs it.
    None,
    Straight(<Linear as Rule>::Strip<V>),
    Curved(<Curved as Rule>::Strip<V>),
}

/// A routine at work.
pub(super) struct Machine<'a, V: Lanes> {
    program: &'a Program,
    code: &'a Code,
    gamma: V,
    edges: Vec<Edge<V>>,
    numbers: Vec<V>,
    pairs: Vec<Pair<V>>,
    seen: V::Mask,
    /// Where each piece is narrow.
    narrow: Vec<V::Mask>,
    masks: Vec<V::Mask>,
    strips: Vec<Density<V>>,
}

impl<'a, V: Lanes> Machine<'a, V> {
    /// With all that the routine starts from.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(program: &'a Program, code: &'a Code, gamma: V, xi2: V) -> Self {
        let mut machine = Self::empty(program, code, gamma);
        let deviation = Deviation::new(xi2, code.powers);
        machine.look(&deviation);
        machine.find_narrow(&deviation);
        machine.load(xi2, &deviation);
        machine
    }

    /// For what reads γ alone.
    pub(super) fn without_knots(program: &'a Program, code: &'a Code, gamma: V) -> Self {
        let mut machine = Self::empty(program, code, gamma);
        let one = V::splat(V::Scalar::ONE);
        machine.load(one, &Deviation::new(one, [0, 0]));
        machine
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn empty(program: &'a Program, code: &'a Code, gamma: V) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        let never = zero.lt(zero);
        let [numbers, pairs] = code.registers;
        Self {
            program,
            code,
            gamma,
            edges: Vec::new(),
            numbers: vec![zero; numbers],
            pairs: vec![Pair::exact(zero); pairs],
            seen: never,
            narrow: Vec::new(),
            masks: vec![never; code.masks],
            strips: Vec::new(),
        }
    }

    /// The knots as edges, and the tails there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn look(&mut self, deviation: &Deviation<V>) {
        let Program { knots, is_precise, .. } = self.program;
        let count = self.code.tails;
        self.edges.reserve(knots.len());
        for (i, &knot) in knots.iter().enumerate() {
            macro_rules! by_count {
                ($($n:literal)*) => {
                    match count {
                        $($n if *is_precise => {
                            let sight = kernel::precise_sight::<V, $n>(self.gamma, knot, deviation);
                            let start = self.code.pair_constants.len() + self.code.pair_inputs.len();
                            let Sight { edge, tails } = sight;
                            self.edges.push(edge);
                            self.pairs[start + i * $n..][..$n].copy_from_slice(&tails);
                        })*
                        $($n => {
                            let sight = kernel::sight::<V, $n>(self.gamma, knot, deviation);
                            let start = self.code.constants.len() + self.code.inputs.len();
                            let Sight { edge, tails } = sight;
                            self.edges.push(edge);
                            self.numbers[start + i * $n..][..$n].copy_from_slice(&tails);
                        })*
                        _ => unreachable!("the degree of a kernel is limited"),
                    }
                };
            }
            // Vectors for each number of tails would be much code.
            if const { V::COUNT == 1 } {
                by_count!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
                    28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43);
            } else {
                by_count!(0 1 2 3 4 5 6 7 8 9);
            }
        }
        if !knots.is_empty() {
            self.seen = match &self.edges[..] {
                [only] => kernel::is_seen(&[only]),
                edges => kernel::is_seen(&edges.iter().collect::<Vec<_>>()),
            };
        }
    }

    /// Which pieces are narrow, with the density on these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn find_narrow(&mut self, deviation: &Deviation<V>) {
        let Some(bounded) = self.edges.len().checked_sub(1).filter(|count| *count > 0) else {
            return;
        };
        let zero = V::splat(V::Scalar::ZERO);
        self.narrow.push(zero.lt(zero));
        self.strips.push(Density::None);
        for i in 0..bounded {
            let [left, right] = &self.edges[i..i + 2] else { unreachable!("two neighbours") };
            let width = self.program.widths[i];
            let (narrow, density) = if self.program.degree <= 1 {
                let (narrow, strip) = fill::<V, Linear>(left, right, width, deviation);
                (narrow, strip.map_or(Density::None, Density::Straight))
            } else {
                let (narrow, strip) = fill::<V, Curved>(left, right, width, deviation);
                (narrow, strip.map_or(Density::None, Density::Curved))
            };
            self.narrow.push(narrow);
            self.strips.push(density);
        }
    }

    /// Constants and inputs into their registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(&mut self, xi2: V, deviation: &Deviation<V>) {
        let code = self.code;
        for (register, value) in self.numbers.iter_mut().zip(&code.constants) {
            *register = number(*value);
        }
        for (register, value) in self.pairs.iter_mut().zip(&code.pair_constants) {
            *register = pair(*value);
        }
        for (i, input) in code.inputs.iter().enumerate() {
            self.numbers[code.constants.len() + i] = match *input {
                Input::Gamma => self.gamma,
                Input::Xi2 => xi2,
                Input::Xi => deviation.xi,
                Input::InverseXi => deviation.inverse,
                Input::DensityUnit => kernel::density_unit(),
                Input::Distance(knot) => self.edges[knot].s,
                Input::SignedDistance(knot) => self.edges[knot].score(),
                Input::Displacement(knot) => self.edges[knot].d,
                Input::Density(knot) => self.edges[knot].h,
                Input::Integral(piece, j) => self.integral(piece, j),
            };
        }
        for (i, input) in code.pair_inputs.iter().enumerate() {
            self.pairs[code.pair_constants.len() + i] = match *input {
                Input::Xi => deviation.xi_pair(),
                Input::InverseXi => deviation.inverse_pair(),
                Input::Distance(knot) => self.edges[knot].distance_pair(),
                Input::SignedDistance(knot) => self.edges[knot].score_pair(),
                Input::Density(knot) => self.edges[knot].density_pair(),
                _ => unreachable!("it is a number"),
            };
        }
    }

    /// The integral of a function of the basis over a piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn integral(&self, piece: usize, j: usize) -> V {
        let mut sums = vec![V::splat(V::Scalar::ZERO); self.program.degree as usize + 1];
        match &self.strips[piece] {
            Density::None => {}
            Density::Straight(strip) => strip.integrate(&mut sums),
            Density::Curved(strip) => strip.integrate(&mut sums),
        }
        sums[j]
    }

    /// The results, as many as there are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn results<const N: usize>(mut self) -> [V; N] {
        self.run();
        let mut results = [V::splat(V::Scalar::ZERO); N];
        for (result, register) in results.iter_mut().zip(&self.code.results) {
            *result = self.numbers[usize::from(*register)];
        }
        results
    }

    /// All results.
    pub(super) fn all(mut self) -> Vec<V> {
        self.run();
        let results = self.code.results.iter();
        results.map(|register| self.numbers[usize::from(*register)]).collect()
    }

    /// The results in threes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn write(mut self, out: &mut [[V; 3]]) {
        self.run();
        for (entry, registers) in out.iter_mut().zip(self.code.results.chunks_exact(3)) {
            for (value, register) in entry.iter_mut().zip(registers) {
                *value = self.numbers[usize::from(*register)];
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(&mut self) {
        let code = self.code;
        let mut next = 0;
        while let Some(step) = code.steps.get(next) {
            next += 1;
            let n = |register: Register| self.numbers[usize::from(register)];
            let p = |register: Register| self.pairs[usize::from(register)];
            match *step {
                Step::Add(out, a, b) => self.numbers[usize::from(out)] = n(a) + n(b),
                Step::Subtract(out, a, b) => self.numbers[usize::from(out)] = n(a) - n(b),
                Step::Multiply(out, a, b) => self.numbers[usize::from(out)] = n(a) * n(b),
                Step::Negate(out, a) => self.numbers[usize::from(out)] = -n(a),
                Step::MultiplyAdd(out, [a, b, c]) => {
                    self.numbers[usize::from(out)] = n(a).mul_add(n(b), n(c));
                }
                Step::MultiplySubtract(out, [a, b, c]) => {
                    self.numbers[usize::from(out)] = n(a).mul_sub(n(b), n(c));
                }
                Step::NegateMultiplyAdd(out, [a, b, c]) => {
                    self.numbers[usize::from(out)] = n(a).neg_mul_add(n(b), n(c));
                }
                Step::AddPairs(out, a, b) => self.pairs[usize::from(out)] = p(a) + p(b),
                Step::SubtractPairs(out, a, b) => self.pairs[usize::from(out)] = p(a) - p(b),
                Step::MultiplyPairs(out, a, b) => self.pairs[usize::from(out)] = p(a) * p(b),
                Step::NegatePair(out, a) => self.pairs[usize::from(out)] = -p(a),
                Step::Round(out, a) => self.numbers[usize::from(out)] = p(a).round(),
                Step::Extend(out, a) => self.pairs[usize::from(out)] = Pair::exact(n(a)),
                Step::Polynomial(out, index) => {
                    self.pairs[usize::from(out)] = self.polynomial(usize::from(index));
                }
                Step::Products(index) => self.products(&code.products[usize::from(index)]),
                Step::Pole(out, a, b) => {
                    let value = kernel::pole(only(n(a)), only(n(b)));
                    self.numbers[usize::from(out)] = number(value);
                }
                Step::Copy(out, a) => self.numbers[usize::from(out)] = n(a),
                Step::CopyPair(out, a) => self.pairs[usize::from(out)] = p(a),
                Step::Select(choice, out, [yes, no]) => {
                    let value = V::select(self.choose(choice), n(yes), n(no));
                    self.numbers[usize::from(out)] = value;
                }
                Step::SelectPairs(choice, out, [yes, no]) => {
                    let value = Pair::select(self.choose(choice), p(yes), p(no));
                    self.pairs[usize::from(out)] = value;
                }
                Step::Case { mask, piece, narrow, next: otherwise } => {
                    let case = self.case(usize::from(piece), narrow);
                    self.masks[usize::from(mask)] = case;
                    if !case.any() {
                        next = otherwise as usize;
                    }
                }
                Step::Narrow(piece, otherwise) => {
                    if !self.narrow[usize::from(piece)].any() {
                        next = otherwise as usize;
                    }
                }
                Step::Place(_) => {
                    let place = kernel::place(only(self.gamma), &self.program.knots);
                    next += place;
                }
                Step::Go(to) => next = to as usize,
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn choose(&self, choice: Choice) -> V::Mask {
        match choice {
            Choice::Mask(mask) => self.masks[usize::from(mask)],
            Choice::Narrow(piece) => self.narrow[usize::from(piece)],
            Choice::Seen => self.seen,
            Choice::Nearer(knots) => {
                let [near, far] = knots.map(|knot| self.edges[usize::from(knot)].z.abs());
                near.le(far)
            }
            Choice::Left(knot) => self.edges[usize::from(knot)].is_right(),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn case(&self, piece: usize, narrow: Option<bool>) -> V::Mask {
        let left = piece.checked_sub(1).map(|left| &self.edges[left]);
        let on = kernel::between(left, self.edges.get(piece));
        match narrow {
            None => on,
            Some(true) => on.and(self.narrow[piece]),
            Some(false) => on.and(self.narrow[piece].not()),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn polynomial(&self, index: usize) -> Pair<V> {
        let (around, coefficients) = &self.code.polynomials[index];
        match around {
            None => kernel::polynomial(coefficients, self.gamma),
            Some(knot) => {
                kernel::polynomial_around(coefficients, self.program.knots[*knot], self.gamma)
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn products(&mut self, product: &Product) {
        let read = |registers: &[Register]| -> Vec<V> {
            registers.iter().map(|register| self.numbers[usize::from(*register)]).collect()
        };
        let (mut a, mut b) = (read(&product.first), read(&product.second));
        let less = self.numbers[usize::from(product.less)];
        let mut sums = vec![V::splat(V::Scalar::ZERO); product.outputs.len()];
        match &self.strips[product.piece] {
            Density::None => {}
            Density::Straight(strip) => strip.integrate_product(&mut a, &mut b, less, &mut sums),
            Density::Curved(strip) => strip.integrate_product(&mut a, &mut b, less, &mut sums),
        }
        for (register, sum) in product.outputs.iter().zip(sums) {
            self.numbers[usize::from(*register)] = sum;
        }
    }
}

/// Where the piece between two edges is narrow, and the density there if it is in any lane.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fill<V: Lanes, R: Rule>(
    left: &Edge<V>,
    right: &Edge<V>,
    width: [f64; 2],
    deviation: &Deviation<V>,
) -> (V::Mask, Option<R::Strip<V>>) {
    let narrow = kernel::is_narrow::<V, R>(left, right);
    let strip = narrow.any().then(|| {
        let mut strip = R::Strip::<V>::empty();
        kernel::fill::<V, R>(&mut strip, narrow, left, right, width, deviation);
        strip
    });
    (narrow, strip)
}

/// The only number, in double precision.
fn only<V: Lanes>(value: V) -> f64 {
    let mut slice = [V::Element::ZERO; 64];
    value.store(&mut slice[..V::COUNT]);
    slice[0].to_f64()
}
