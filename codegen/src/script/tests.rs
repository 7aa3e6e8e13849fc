//! Random graphs: with branches they compute the values that they compute without.

use std::collections::BTreeMap;

use super::branch::{Step, Steps, steps};
use super::graph::{Arithmetic, Builder, Graph, Operation, Style, Value};

const STRICT: Arithmetic = Arithmetic { is_single: false, style: Style::Strict };

/// A node of a graph, by which operands it takes among those of its kind.
type Recipe = (u8, usize, usize, usize);

/// A graph of two numbers that makes some nodes, and has the last numbers as results.
fn graph(recipes: &[Recipe]) -> Graph {
    let mut builder = Builder::new(STRICT);
    let mut numbers: Vec<Value> = (0..2).map(|at| builder.of(Operation::Input(at), &[])).collect();
    let mut truths = vec![builder.of(Operation::Less, &numbers)];
    for (kind, a, b, c) in recipes {
        let number = |at: &usize| numbers[numbers.len() - 1 - at % numbers.len().min(6)];
        let truth = |at: &usize| truths[at % truths.len()];
        let [x, y] = [number(a), number(b)];
        match kind % 7 {
            0 => numbers.push(builder.of(Operation::Add, &[x, y])),
            1 => numbers.push(builder.of(Operation::Subtract, &[x, y])),
            2 => numbers.push(builder.of(Operation::Multiply, &[x, y])),
            3 if truths.len() < 3 => truths.push(builder.of(Operation::Less, &[x, y])),
            4 => truths.push(builder.of(Operation::Or, &[truth(a), truth(b)])),
            _ => numbers.push(builder.of(Operation::Branch, &[truth(c), x, y])),
        }
    }
    let results = numbers.iter().rev().take(3).copied().collect();
    builder.finish(results)
}

/// A number, or 0 and 1 for a truth value.
type Known = BTreeMap<Value, f64>;

fn computed(graph: &Graph, value: Value, inputs: [f64; 2], known: &Known) -> f64 {
    let node = &graph.nodes[value];
    let of = |at: usize| known[&node.operands[at]];
    let truth = |holds: bool| f64::from(u8::from(holds));
    match node.operation {
        Operation::Input(at) => inputs[at],
        Operation::Constant(bits) => f64::from_bits(bits),
        Operation::Truth(holds) => truth(holds),
        Operation::Negate => -of(0),
        Operation::Add => of(0) + of(1),
        Operation::Subtract => of(0) - of(1),
        Operation::Multiply => of(0) * of(1),
        Operation::Less => truth(of(0) < of(1)),
        Operation::Or => truth(of(0) + of(1) > 0.0),
        Operation::Branch => {
            if of(0) > 0.0 {
                of(1)
            } else {
                of(2)
            }
        }
        operation => unreachable!("{operation:?} is in no recipe"),
    }
}

/// Takes the steps: what a branch computes is known in it alone, and each node is computed once.
fn run(graph: &Graph, steps: &Steps, inputs: [f64; 2], known: &mut Known) {
    for step in &steps.0 {
        match step {
            Step::Compute(value) => {
                let result = computed(graph, *value, inputs, known);
                assert!(known.insert(*value, result).is_none(), "computed twice");
            }
            Step::Same(value, other) => {
                let result = known[other];
                known.insert(*value, result);
            }
            Step::Choose { condition, selects, sides } => {
                let side = usize::from(known[condition] == 0.0);
                let mut inside = known.clone();
                run(graph, &sides[side], inputs, &mut inside);
                for select in selects {
                    known.insert(*select, inside[&graph.nodes[*select].operands[1 + side]]);
                }
            }
        }
    }
}

/// Numbers that look random (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize
    }

    /// Between −2 and 2.
    fn number(&mut self) -> f64 {
        (self.next() % 4001) as f64 / 1000.0 - 2.0
    }
}

#[test]
fn branches_change_nothing() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let recipe = |random: &mut Random| {
            let [kind, a, b, c] = std::array::from_fn(|_| random.next());
            ((kind % 7) as u8, a, b, c)
        };
        let count = 1 + random.next() % 60;
        let recipes: Vec<Recipe> = (0..count).map(|_| recipe(&mut random)).collect();
        let graph = graph(&recipes);
        let least = 1 + random.next() % 3;
        for _ in 0..4 {
            let inputs = [random.number(), random.number()];
            let [mut plain, mut branched] = [Known::new(), Known::new()];
            run(&graph, &steps(&graph, usize::MAX), inputs, &mut plain);
            run(&graph, &steps(&graph, least), inputs, &mut branched);
            for result in &graph.results {
                assert_eq!(plain[result].to_bits(), branched[result].to_bits(), "{recipes:?}");
            }
        }
    }
}

/// How many steps stand in branches.
fn inside(steps: &Steps) -> usize {
    let of = |step: &Step| match step {
        Step::Compute(_) | Step::Same(..) => 0,
        Step::Choose { sides, .. } => sides.iter().map(|side| side.0.len() + inside(side)).sum(),
    };
    steps.0.iter().map(of).sum()
}

/// Two selects on one condition stand in one branch, and what only they need is computed there.
#[test]
fn what_a_choice_needs_stands_in_a_branch() {
    let mut builder = Builder::new(STRICT);
    let [a, b] = [0, 1].map(|at| builder.of(Operation::Input(at), &[]));
    let test = builder.of(Operation::Less, &[a, b]);
    let product = builder.of(Operation::Multiply, &[a, b]);
    let square = builder.of(Operation::Multiply, &[product, product]);
    let sum = builder.of(Operation::Add, &[square, a]);
    let first = builder.of(Operation::Branch, &[test, square, a]);
    let second = builder.of(Operation::Branch, &[test, sum, b]);
    let graph = builder.finish(vec![first, second]);
    let steps = steps(&graph, 1);
    assert_eq!(steps.0.iter().filter(|step| matches!(step, Step::Choose { .. })).count(), 1);
    assert_eq!(inside(&steps), 3);
}

/// −0 − (−0) is 0, and −0 − 0 is −0.
#[test]
fn a_negative_zero_is_subtracted() {
    for (zero, is_left_out) in [(0.0, true), (-0.0, false)] {
        let mut builder = Builder::new(STRICT);
        let number = builder.of(Operation::Input(0), &[]);
        let zero = builder.constant(zero);
        let difference = builder.of(Operation::Subtract, &[number, zero]);
        assert_eq!(difference == number, is_left_out);
    }
}

#[test]
fn constants_are_computed_as_the_precision_does() {
    let single = Arithmetic { is_single: true, style: Style::Free };
    let mut builder = Builder::new(single);
    let x = builder.of(Operation::Input(0), &[]);
    let [tenth, one, zero] = [0.1, 1.0, 0.0].map(|value| builder.constant(value));
    let sum = builder.of(Operation::Add, &[tenth, one]);
    assert_eq!(builder.known(sum), Some(f64::from(0.1_f32 + 1.0)));
    assert_eq!(builder.of(Operation::Multiply, &[one, x]), x);
    assert_eq!(builder.of(Operation::MultiplyAdd, &[zero, x, tenth]), tenth);
    let mut strict = Builder::new(STRICT);
    let [x, zero] = [strict.of(Operation::Input(0), &[]), strict.constant(0.0)];
    // -0 + 0 is 0, and 0 times an infinity is NaN.
    assert_ne!(strict.of(Operation::Add, &[x, zero]), x);
    assert_ne!(strict.of(Operation::Multiply, &[x, zero]), zero);
}
