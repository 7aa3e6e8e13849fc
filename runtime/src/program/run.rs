//! The steps of a program on lanes.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::scene::Scene;
use super::{Code, Input, Program, Register, Step};
use crate::Float;
use crate::kernel::{self, Deviation, Lanes, Mask, Pair, number, pair};

/// What the steps compute with.
pub(super) struct Registers<V> {
    pub(super) numbers: SmallVec<[V; 32]>,
    pub(super) pairs: SmallVec<[Pair<V>; 16]>,
    masks: SmallVec<[V; 4]>,
}

/// The results of a routine.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn results<V: Lanes, const N: usize>(
    program: &Program,
    code: &Code,
    gamma: V,
    xi2: V,
) -> [V; N] {
    let mut registers = Registers::new();
    run(program, code, gamma, xi2, &mut registers);
    let numbers = &registers.numbers[..];
    let mut results = [V::splat(V::Scalar::ZERO); N];
    for (result, register) in results.iter_mut().zip(&code.results) {
        *result = numbers[usize::from(*register)];
    }
    results
}

/// Likewise, in threes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn write<V: Lanes>(
    program: &Program,
    code: &Code,
    gamma: V,
    xi2: V,
    out: &mut [[V; 3]],
) {
    let mut registers = Registers::new();
    run(program, code, gamma, xi2, &mut registers);
    let numbers = &registers.numbers[..];
    for (entry, registers) in out.iter_mut().zip(code.results.chunks_exact(3)) {
        for (value, register) in entry.iter_mut().zip(registers) {
            *value = numbers[usize::from(*register)];
        }
    }
}

/// The results of a block that reads a number and no knot.
pub(super) fn at(knots: &[[f64; 3]], code: &Code, x: f64) -> Vec<f64> {
    let mut registers = Registers::new();
    let scene = Scene::of(x);
    registers.fit(code);
    registers.load(code, &scene, 1.0, &Deviation::new(1.0, [0, 0]));
    steps(knots, code, &scene, &mut registers);
    code.results.iter().map(|register| registers.numbers[usize::from(*register)]).collect()
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn run<V: Lanes>(program: &Program, code: &Code, gamma: V, xi2: V, registers: &mut Registers<V>) {
    let deviation = Deviation::new(xi2, code.powers);
    let mut scene = Scene::of(gamma);
    registers.fit(code);
    if !program.knots.is_empty() {
        scene.look(program, code, &deviation, &mut registers.numbers, &mut registers.pairs);
    }
    if !program.widths.is_empty() {
        scene.find_narrow(program, &deviation);
    }
    registers.load(code, &scene, xi2, &deviation);
    steps(&program.knots, code, &scene, registers);
}

impl<V: Lanes> Registers<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new() -> Self {
        Self { numbers: SmallVec::new(), pairs: SmallVec::new(), masks: SmallVec::new() }
    }

    /// As many as a routine needs: in place, since they may be large.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fit(&mut self, code: &Code) {
        let zero = V::splat(V::Scalar::ZERO);
        let [numbers, pairs] = code.registers;
        self.numbers.resize(numbers, zero);
        self.pairs.resize(pairs, Pair::exact(zero));
        self.masks.resize(code.masks, zero);
    }

    /// Constants and inputs into their registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(&mut self, code: &Code, scene: &Scene<V>, xi2: V, deviation: &Deviation<V>) {
        let (constants, inputs) = self.numbers.split_at_mut(code.constants.len());
        for (register, value) in constants.iter_mut().zip(&code.constants) {
            *register = number(*value);
        }
        for (register, input) in inputs.iter_mut().zip(&code.inputs) {
            *register = match *input {
                Input::Gamma => scene.gamma,
                Input::Xi2 => xi2,
                Input::Xi => deviation.xi,
                Input::InverseXi => deviation.inverse,
                Input::DensityUnit => kernel::density_unit(),
                Input::Distance(knot) => scene.edges[knot].s,
                Input::SignedDistance(knot) => scene.edges[knot].score(),
                Input::Displacement(knot) => scene.edges[knot].d,
                Input::Density(knot) => scene.edges[knot].h,
                Input::Integral(piece, j) => scene.integral(piece, j),
            };
        }
        let (constants, inputs) = self.pairs.split_at_mut(code.pair_constants.len());
        for (register, value) in constants.iter_mut().zip(&code.pair_constants) {
            *register = pair(*value);
        }
        for (register, input) in inputs.iter_mut().zip(&code.pair_inputs) {
            *register = match *input {
                Input::Xi => deviation.xi_pair(),
                Input::InverseXi => deviation.inverse_pair(),
                Input::Distance(knot) => scene.edges[knot].distance_pair(),
                Input::SignedDistance(knot) => scene.edges[knot].score_pair(),
                Input::Density(knot) => scene.edges[knot].density_pair(),
                _ => unreachable!("it is a number"),
            };
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn steps<V: Lanes>(
    knots: &[[f64; 3]],
    code: &Code,
    scene: &Scene<V>,
    registers: &mut Registers<V>,
) {
    let Registers { numbers, pairs, masks } = registers;
    let (numbers, pairs, masks) = (&mut numbers[..], &mut pairs[..], &mut masks[..]);
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let at = |register: Register| usize::from(register);
    let mut next = 0;
    while let Some(step) = code.steps.get(next) {
        next += 1;
        match *step {
            Step::Add(out, a, b) => numbers[at(out)] = numbers[at(a)] + numbers[at(b)],
            Step::Subtract(out, a, b) => numbers[at(out)] = numbers[at(a)] - numbers[at(b)],
            Step::Multiply(out, a, b) => numbers[at(out)] = numbers[at(a)] * numbers[at(b)],
            Step::Negate(out, a) => numbers[at(out)] = -numbers[at(a)],
            Step::MultiplyAdd(out, [a, b, c]) => {
                numbers[at(out)] = numbers[at(a)].mul_add(numbers[at(b)], numbers[at(c)]);
            }
            Step::MultiplySubtract(out, [a, b, c]) => {
                numbers[at(out)] = numbers[at(a)].mul_sub(numbers[at(b)], numbers[at(c)]);
            }
            Step::NegateMultiplyAdd(out, [a, b, c]) => {
                numbers[at(out)] = numbers[at(a)].neg_mul_add(numbers[at(b)], numbers[at(c)]);
            }
            Step::AddPairs(out, a, b) => pairs[at(out)] = pairs[at(a)] + pairs[at(b)],
            Step::SubtractPairs(out, a, b) => pairs[at(out)] = pairs[at(a)] - pairs[at(b)],
            Step::MultiplyPairs(out, a, b) => pairs[at(out)] = pairs[at(a)] * pairs[at(b)],
            Step::NegatePair(out, a) => pairs[at(out)] = -pairs[at(a)],
            Step::Round(out, a) => numbers[at(out)] = pairs[at(a)].round(),
            Step::Extend(out, a) => pairs[at(out)] = Pair::exact(numbers[at(a)]),
            Step::Polynomial(out, index) => {
                let (around, coefficients) = &code.polynomials[at(index)];
                let around = around.map(|knot| knots[knot]);
                pairs[at(out)] = polynomial(around, coefficients, scene.gamma);
            }
            Step::Products(index) => scene.integrate(&code.products[at(index)], numbers),
            Step::Pole(out, a, b) => {
                let value = kernel::pole(only(numbers[at(a)]), only(numbers[at(b)]));
                numbers[at(out)] = number(value);
            }
            Step::Copy(out, a) => numbers[at(out)] = numbers[at(a)],
            Step::CopyPair(out, a) => pairs[at(out)] = pairs[at(a)],
            Step::Select(choice, out, [yes, no]) => {
                let mask = scene.choose(choice, masks);
                numbers[at(out)] = V::select(mask, numbers[at(yes)], numbers[at(no)]);
            }
            Step::SelectPairs(choice, out, [yes, no]) => {
                let mask = scene.choose(choice, masks);
                pairs[at(out)] = Pair::select(mask, pairs[at(yes)], pairs[at(no)]);
            }
            Step::Case { mask, piece, narrow, next: otherwise } => {
                let case = scene.case(at(piece), narrow);
                masks[at(mask)] = V::select(case, one, zero);
                if !case.any() {
                    next = otherwise as usize;
                }
            }
            Step::Narrow(piece, otherwise) => {
                if !scene.narrow[at(piece)].any() {
                    next = otherwise as usize;
                }
            }
            Step::Place => next += kernel::place(only(scene.gamma), knots),
            Step::Go(to) => next = to as usize,
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn polynomial<V: Lanes>(around: Option<[f64; 3]>, coefficients: &[[f64; 2]], gamma: V) -> Pair<V> {
    match around {
        None => kernel::polynomial(coefficients, gamma),
        Some(knot) => kernel::polynomial_around(coefficients, knot, gamma),
    }
}

/// The only number, in double precision.
fn only<V: Lanes>(value: V) -> f64 {
    let mut slice = [V::Element::ZERO; 64];
    value.store(&mut slice[..V::COUNT]);
    slice[0].to_f64()
}
