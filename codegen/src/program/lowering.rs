//! Blocks of the IR in steps over registers.

use std::collections::BTreeMap;

use gaussform_runtime::program::{Choice, Code, Input, Product, Register, Step};

use crate::given::evaluate;
use crate::ir::{self, Block, Case, Condition, Expr, Operand, Stmt, Var};
use crate::kernel::{Kernel, Routine};
use crate::print::read_once;
use crate::rounding::{self, ROOT_TWO_OVER_PI};

/// The steps of a routine.
pub(super) fn routine(kernel: &Kernel, parameters: &[f64], routine: &Routine) -> Code {
    let tails = routine.function.tails.iter().copied().max().unwrap_or(0);
    let start = Code { powers: kernel.powers(routine), tails, ..Code::default() };
    lower(kernel, parameters, start, &routine.function.block)
}

/// The steps of a block that reads a number and no knot.
pub(super) fn block(kernel: &Kernel, parameters: &[f64], block: &Block) -> Code {
    lower(kernel, parameters, Code::default(), block)
}

/// Twice: registers come after the constants and inputs, which are known when all has been lowered.
fn lower(kernel: &Kernel, parameters: &[f64], start: Code, block: &Block) -> Code {
    let first = Lowering::new(kernel, parameters, start.clone()).finish(block);
    let Code { constants, pair_constants, inputs, pair_inputs, .. } = first;
    let start = Code { constants, pair_constants, inputs, pair_inputs, ..start };
    Lowering::new(kernel, parameters, start).finish(block)
}

/// A register, and whether nobody else reads it.
#[derive(Clone, Copy)]
struct Place {
    register: Register,
    is_pair: bool,
    is_free: bool,
}

/// A value, or a product of numbers that may be fused with a sum.
#[derive(Clone, Copy)]
enum Value {
    At(Place),
    Product([Place; 2]),
}

/// The registers of one kind.
#[derive(Default)]
struct Pool {
    next: usize,
    free: Vec<Register>,
}

impl Pool {
    fn take(&mut self) -> Register {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            register(self.next - 1)
        })
    }
}

fn register(index: usize) -> Register {
    Register::try_from(index).expect("a kernel is limited")
}

struct Lowering<'a> {
    kernel: &'a Kernel,
    parameters: &'a [f64],
    code: Code,
    numbers: Pool,
    pairs: Pool,
    /// Where variables are that keep their registers until their block ends.
    named: BTreeMap<Var, Place>,
    /// Variables that are read once, by the block that computes them.
    inlined: BTreeMap<Var, Value>,
    in_pairs: bool,
    constants: BTreeMap<u64, usize>,
    pair_constants: BTreeMap<[u64; 2], usize>,
}

impl<'a> Lowering<'a> {
    fn new(kernel: &'a Kernel, parameters: &'a [f64], code: Code) -> Self {
        let tails = code.tails * kernel.knots().len();
        let [number_tails, pair_tails] = if kernel.is_precise() { [0, tails] } else { [tails, 0] };
        let pool = |first: usize| Pool { next: first, free: Vec::new() };
        let bits = |[high, low]: [f64; 2]| [high.to_bits(), low.to_bits()];
        Self {
            kernel,
            parameters,
            numbers: pool(code.constants.len() + code.inputs.len() + number_tails),
            pairs: pool(code.pair_constants.len() + code.pair_inputs.len() + pair_tails),
            named: BTreeMap::new(),
            inlined: BTreeMap::new(),
            in_pairs: false,
            constants: code.constants.iter().enumerate().map(|(i, c)| (c.to_bits(), i)).collect(),
            pair_constants: (code.pair_constants.iter().enumerate())
                .map(|(i, c)| (bits(*c), i))
                .collect(),
            code,
        }
    }

    fn finish(mut self, block: &Block) -> Code {
        let results = self.block(block);
        self.code.results = results.iter().map(|place| place.register).collect();
        self.code.registers = [self.numbers.next, self.pairs.next];
        self.code
    }

    /// The steps of a block; its results as what surrounds it computes with.
    fn block(&mut self, block: &Block) -> Vec<Place> {
        let outside = std::mem::replace(&mut self.in_pairs, block.in_pairs);
        let once = read_once(block);
        let mut named = Vec::new();
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(expr);
                    if once.contains(var) {
                        self.inlined.insert(*var, value);
                    } else {
                        let place = self.own(value);
                        self.name(*var, place, &mut named);
                    }
                }
                Stmt::Branch { condition, arms, outputs } => {
                    for (var, place) in outputs.iter().zip(self.branch(condition, arms)) {
                        self.name(*var, place, &mut named);
                    }
                }
                Stmt::Integrate { piece, product, outputs } => {
                    for (var, place) in outputs.iter().zip(self.products(*piece, product, outputs))
                    {
                        self.name(*var, place, &mut named);
                    }
                }
            }
        }
        let results: Vec<Place> = block.results.iter().map(|r| self.operand(r)).collect();
        self.in_pairs = outside;
        let results = results.into_iter().map(|place| self.convert(place)).collect();
        self.hand_over(results, named)
    }

    /// The results of a block that ends: its variables lose their registers, but for those that are a result.
    fn hand_over(&mut self, results: Vec<Place>, mut named: Vec<Place>) -> Vec<Place> {
        let hand_over = |place: Place| {
            let is_it = |variable: &Place| {
                (variable.is_pair, variable.register) == (place.is_pair, place.register)
            };
            match named.iter().position(is_it) {
                Some(at) if !place.is_free => Place { is_free: true, ..named.swap_remove(at) },
                _ => place,
            }
        };
        let results: Vec<Place> = results.into_iter().map(hand_over).collect();
        for place in named {
            self.release(Place { is_free: true, ..place });
        }
        results
    }

    /// A variable that keeps its register until the block ends.
    fn name(&mut self, var: Var, place: Place, named: &mut Vec<Place>) {
        let place = Place { is_free: false, ..place };
        named.push(place);
        self.named.insert(var, place);
    }

    fn branch(&mut self, condition: &Condition, arms: &[Block]) -> Vec<Place> {
        match condition {
            Condition::Case(cases) => {
                let zero = self.constant([0.0; 2]);
                let count = arms[0].results.len();
                let outputs: Vec<Place> = (0..count).map(|_| self.own(Value::At(zero))).collect();
                for (case, arm) in cases.iter().zip(arms) {
                    self.case(*case, arm, &outputs);
                }
                outputs
            }
            Condition::Narrow(piece) => {
                let wide = self.block(&arms[1]);
                let outputs: Vec<Place> =
                    wide.into_iter().map(|place| self.own(Value::At(place))).collect();
                let at = self.code.steps.len();
                let piece = number_of(*piece);
                self.code.steps.push(Step::Narrow(piece, 0));
                let results = self.block(&arms[0]);
                self.select(Choice::Narrow(piece), &results, &outputs);
                self.code.steps[at] = Step::Narrow(piece, self.here());
                outputs
            }
            Condition::Place => self.by_place(arms),
        }
    }

    /// What is computed if γ lies so in any lane.
    fn case(&mut self, case: Case, arm: &Block, outputs: &[Place]) {
        let piece = case.piece();
        let is_bounded = piece > 0 && piece < self.kernel.knots().len();
        let narrow = match case {
            Case::Narrow(_) => Some(true),
            Case::Wide(_) if is_bounded => Some(false),
            Case::Wide(_) => None,
        };
        let (mask, piece) = (number_of(self.code.masks), number_of(piece));
        self.code.masks += 1;
        let at = self.code.steps.len();
        self.code.steps.push(Step::Case { mask, piece, narrow, next: 0 });
        let results = self.block(arm);
        self.select(Choice::Mask(mask), &results, outputs);
        self.code.steps[at] = Step::Case { mask, piece, narrow, next: self.here() };
    }

    /// One of the arms, by the place of x.
    fn by_place(&mut self, arms: &[Block]) -> Vec<Place> {
        let zero = self.constant([0.0; 2]);
        let outputs: Vec<Place> =
            arms[0].results.iter().map(|_| self.own(Value::At(zero))).collect();
        self.code.steps.push(Step::Place);
        let table = self.code.steps.len();
        self.code.steps.extend(arms.iter().map(|_| Step::Go(0)));
        let mut ends = Vec::new();
        for (i, arm) in arms.iter().enumerate() {
            self.code.steps[table + i] = Step::Go(self.here());
            for (place, output) in self.block(arm).into_iter().zip(&outputs) {
                self.copy(output.register, place);
                self.release(place);
            }
            ends.push(self.code.steps.len());
            self.code.steps.push(Step::Go(0));
        }
        for end in ends {
            self.code.steps[end] = Step::Go(self.here());
        }
        outputs
    }

    /// Overwrites outputs in the lanes of a mask.
    fn select(&mut self, choice: Choice, results: &[Place], outputs: &[Place]) {
        for (result, output) in results.iter().zip(outputs) {
            self.code.steps.push(select(choice, *output, [*result, *output]));
        }
        for result in results {
            self.release(*result);
        }
    }

    fn products(&mut self, piece: usize, product: &ir::Product, outputs: &[Var]) -> Vec<Place> {
        let mut all = |operands: &[Operand]| -> Vec<Place> {
            operands.iter().map(|operand| self.number(operand)).collect()
        };
        let (first, second) = (all(&product.first), all(&product.second));
        let less = self.number(&product.less);
        for place in first.iter().chain(&second).chain([&less]) {
            self.release(*place);
        }
        let registers = |places: &[Place]| places.iter().map(|place| place.register).collect();
        let sums: Vec<Place> = outputs.iter().map(|_| self.take(false)).collect();
        let product = Product {
            piece,
            first: registers(&first),
            second: registers(&second),
            less: less.register,
            outputs: registers(&sums),
        };
        self.code.steps.push(Step::Products(number_of(self.code.products.len())));
        self.code.products.push(product);
        sums.into_iter().map(|place| self.convert(place)).collect()
    }

    /// An operand as a number, whatever the block computes with.
    fn number(&mut self, operand: &Operand) -> Place {
        let place = self.operand(operand);
        let in_pairs = std::mem::replace(&mut self.in_pairs, false);
        let place = self.convert(place);
        self.in_pairs = in_pairs;
        place
    }

    fn expr(&mut self, expr: &Expr) -> Value {
        let is_pair = self.in_pairs;
        match expr {
            Expr::Add(a, b) => {
                let [a, b] = [self.value(a), self.value(b)];
                let (product, other) = match (a, b) {
                    (_, Value::Product(product)) => (product, a),
                    (Value::Product(product), _) => (product, b),
                    _ => return self.binary(Step::Add, Step::AddPairs, [a, b]),
                };
                self.fused(Step::MultiplyAdd, product, other)
            }
            Expr::Subtract(a, b) => match [self.value(a), self.value(b)] {
                [a, Value::Product(product)] => self.fused(Step::NegateMultiplyAdd, product, a),
                [Value::Product(product), b] => self.fused(Step::MultiplySubtract, product, b),
                sides => self.binary(Step::Subtract, Step::SubtractPairs, sides),
            },
            Expr::Multiply(a, b) => {
                let sides = [self.operand(a), self.operand(b)];
                if is_pair {
                    self.binary(Step::Multiply, Step::MultiplyPairs, sides.map(Value::At))
                } else {
                    Value::Product(sides)
                }
            }
            Expr::Negate(a) => {
                let a = self.operand(a);
                let out = self.into([a], is_pair);
                let step = if is_pair { Step::NegatePair } else { Step::Negate };
                self.code.steps.push(step(out.register, a.register));
                Value::At(out)
            }
            Expr::Word(word) => Value::At(self.constant(evaluate(word, self.parameters))),
            Expr::Polynomial(around, coefficients) => {
                let words = coefficients.iter().map(|c| evaluate(c, self.parameters)).collect();
                let index = number_of(self.code.polynomials.len());
                self.code.polynomials.push((*around, words));
                let out = self.take(true);
                self.code.steps.push(Step::Polynomial(out.register, index));
                Value::At(self.convert(out))
            }
            Expr::Pole(a, b) => {
                let [a, b] = [self.number(a), self.number(b)];
                let out = self.into([a, b], false);
                self.code.steps.push(Step::Pole(out.register, a.register, b.register));
                Value::At(self.convert(out))
            }
            Expr::Seen(value) => {
                let (value, zero) = (self.operand(value), self.constant([0.0; 2]));
                self.choice(Choice::Seen, [value, zero])
            }
            Expr::Side(knot, left, right) => {
                let sides = [self.operand(left), self.operand(right)];
                self.choice(Choice::Left(number_of(*knot)), sides)
            }
        }
    }

    fn choice(&mut self, choice: Choice, sides: [Place; 2]) -> Value {
        let out = self.into(sides, self.in_pairs);
        self.code.steps.push(select(choice, out, sides));
        Value::At(out)
    }

    fn binary(
        &mut self,
        numbers: fn(Register, Register, Register) -> Step,
        pairs: fn(Register, Register, Register) -> Step,
        sides: [Value; 2],
    ) -> Value {
        let [a, b] = sides.map(|side| self.at(side));
        let out = self.into([a, b], self.in_pairs);
        let step = if self.in_pairs { pairs } else { numbers };
        self.code.steps.push(step(out.register, a.register, b.register));
        Value::At(out)
    }

    fn fused(
        &mut self,
        step: fn(Register, [Register; 3]) -> Step,
        [a, b]: [Place; 2],
        other: Value,
    ) -> Value {
        let c = self.at(other);
        let out = self.into([a, b, c], false);
        self.code.steps.push(step(out.register, [a, b, c].map(|place| place.register)));
        Value::At(out)
    }

    /// A value as what the block computes with.
    fn operand(&mut self, operand: &Operand) -> Place {
        let value = self.value(operand);
        self.at(value)
    }

    fn value(&mut self, operand: &Operand) -> Value {
        let place = match operand {
            Operand::Constant(value) => self.constant(rounding::double(value)),
            Operand::Var(var) => match self.inlined.remove(var) {
                Some(value) => return value,
                None => self.named[var],
            },
            Operand::Input(input) => self.input(input),
        };
        Value::At(self.convert(place))
    }

    /// The place of a value, which a product gets now.
    fn at(&mut self, value: Value) -> Place {
        match value {
            Value::At(place) => place,
            Value::Product([a, b]) => {
                let out = self.into([a, b], false);
                self.code.steps.push(Step::Multiply(out.register, a.register, b.register));
                out
            }
        }
    }

    /// A value in a register of its own.
    fn own(&mut self, value: Value) -> Place {
        let place = self.at(value);
        if place.is_free {
            return place;
        }
        let out = self.take(place.is_pair);
        self.copy(out.register, place);
        out
    }

    fn copy(&mut self, out: Register, from: Place) {
        let step = if from.is_pair { Step::CopyPair } else { Step::Copy };
        self.code.steps.push(step(out, from.register));
    }

    /// As a number or a pair, whichever the block computes with.
    fn convert(&mut self, place: Place) -> Place {
        if place.is_pair == self.in_pairs {
            return place;
        }
        self.release(place);
        let out = self.take(self.in_pairs);
        let step = if self.in_pairs { Step::Extend } else { Step::Round };
        self.code.steps.push(step(out.register, place.register));
        out
    }

    fn take(&mut self, is_pair: bool) -> Place {
        let pool = if is_pair { &mut self.pairs } else { &mut self.numbers };
        Place { register: pool.take(), is_pair, is_free: true }
    }

    fn release(&mut self, place: Place) {
        if place.is_free {
            let pool = if place.is_pair { &mut self.pairs } else { &mut self.numbers };
            pool.free.push(place.register);
        }
    }

    /// A register for what is computed from others, which is read before it is written.
    fn into<const N: usize>(&mut self, from: [Place; N], is_pair: bool) -> Place {
        from.into_iter().for_each(|place| self.release(place));
        self.take(is_pair)
    }

    fn constant(&mut self, words: [f64; 2]) -> Place {
        let (count, index) = if self.in_pairs {
            let count = self.code.pair_constants.len();
            (count, *self.pair_constants.entry(words.map(f64::to_bits)).or_insert(count))
        } else {
            let count = self.code.constants.len();
            (count, *self.constants.entry(words[0].to_bits()).or_insert(count))
        };
        if index == count && self.in_pairs {
            self.code.pair_constants.push(words);
        } else if index == count {
            self.code.constants.push(words[0]);
        }
        Place { register: register(index), is_pair: self.in_pairs, is_free: false }
    }

    fn input(&mut self, input: &ir::Input) -> Place {
        let input = match *input {
            ir::Input::Parameter(i) => return self.constant([self.parameters[i], 0.0]),
            ir::Input::RootTwoOverPi => return self.constant([ROOT_TWO_OVER_PI, 0.0]),
            ir::Input::Tail(knot, order) => return self.tail(knot, order),
            ir::Input::Gamma => Input::Gamma,
            ir::Input::Xi2 => Input::Xi2,
            ir::Input::Xi => Input::Xi,
            ir::Input::InverseXi => Input::InverseXi,
            ir::Input::Distance(knot) => Input::Distance(knot),
            ir::Input::SignedDistance(knot) => Input::SignedDistance(knot),
            ir::Input::Displacement(knot) => Input::Displacement(knot),
            ir::Input::DensityUnit => Input::DensityUnit,
            ir::Input::Density(knot) => Input::Density(knot),
            ir::Input::Integral(piece, j) => Input::Integral(piece, j),
        };
        let has_pair = matches!(
            input,
            Input::Xi
                | Input::InverseXi
                | Input::Distance(_)
                | Input::SignedDistance(_)
                | Input::Density(_)
        );
        let is_pair = self.in_pairs && has_pair;
        let (first, inputs) = if is_pair {
            (self.code.pair_constants.len(), &mut self.code.pair_inputs)
        } else {
            (self.code.constants.len(), &mut self.code.inputs)
        };
        let index = inputs.iter().position(|known| *known == input).unwrap_or_else(|| {
            inputs.push(input);
            inputs.len() - 1
        });
        Place { register: register(first + index), is_pair, is_free: false }
    }

    /// A tail, which comes after the inputs.
    fn tail(&self, knot: usize, order: usize) -> Place {
        let is_pair = self.kernel.is_precise();
        let Code { constants, inputs, pair_constants, pair_inputs, tails, .. } = &self.code;
        let first = if is_pair {
            pair_constants.len() + pair_inputs.len()
        } else {
            constants.len() + inputs.len()
        };
        Place { register: register(first + knot * tails + order), is_pair, is_free: false }
    }

    /// Where the next step comes.
    fn here(&self) -> u32 {
        u32::try_from(self.code.steps.len()).expect("a kernel is limited")
    }
}

fn number_of(index: usize) -> u16 {
    u16::try_from(index).expect("a kernel is limited")
}

fn select(choice: Choice, out: Place, sides: [Place; 2]) -> Step {
    let step = if out.is_pair { Step::SelectPairs } else { Step::Select };
    step(choice, out.register, sides.map(|side| side.register))
}
