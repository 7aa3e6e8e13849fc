//! Primitives of the runtime as functions of Python over arrays.
//!
//! Where a precision has other constants, or calls a function that has, there is a function for each. A kernel
//! calls them by the object of its precision. The density is the exponential of the library: an array goes through
//! it at once, where the operations of the runtime would be an array each.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gaussform_runtime::Float;

use super::Target;
use super::layout::statement;
use super::names;
use super::number::float;
use crate::record::{Function, Library, Operation, Parameter, Shape, Value, is_truth, meaning};

/// The longest expression that is written inside of another one.
const LONGEST: usize = 28;

/// The primitives that are typed, in `prelude/density.py`.
const TYPED: [&str; 2] = ["density", "density_in_units"];

/// z, s, d and h of an edge.
const EDGE: usize = 4;

/// Error-free sums and products: nothing in them may be fused or simplified.
const EXACT: [&str; 5] = ["two_sum", "fast_two_sum", "split", "two_product", "two_square"];

/// The primitives in double precision.
static DOUBLE: LazyLock<Library> = LazyLock::new(library::<f64>);

/// The primitives in single precision.
static SINGLE: LazyLock<Library> = LazyLock::new(library::<f32>);

fn library<T: Float>() -> Library {
    let mut library = Library::new::<T>();
    // The low words are read where sums are pairs of numbers; a formula has none of these here.
    library.keep("edge_at", EDGE);
    library
}

/// The primitives that a module needs.
pub(super) struct Primitives {
    /// The primitives in double precision, and in single precision where the target has it.
    libraries: Vec<&'static Library>,
    /// The primitives that kernels call.
    called: Vec<String>,
    /// The primitives that kernels call, and all that these call.
    needed: BTreeSet<String>,
    /// The primitives that are the same in all precisions.
    shared: BTreeSet<String>,
}

impl Primitives {
    /// The primitives that some texts call.
    pub(super) fn of(target: Target, texts: &[String]) -> Self {
        let mut libraries: Vec<&Library> = vec![&DOUBLE];
        if target.has_single() {
            libraries.push(&SINGLE);
        }
        let double = libraries[0];
        let called: Vec<String> = double.functions.iter().map(|f| f.name.clone()).collect();
        let is_called = |name: &String| {
            texts.iter().any(|text| words(text).any(|word| word == format!("p.{name}")))
        };
        let called: Vec<String> = called.into_iter().filter(is_called).collect();
        let mut needed: BTreeSet<String> = called.iter().cloned().collect();
        let mut shared = BTreeSet::new();
        for function in double.functions.iter().rev() {
            if needed.contains(&function.name) && !is_typed(&function.name) {
                needed.extend(function.calls().map(str::to_owned));
            }
        }
        for function in &double.functions {
            let is_same = |library: &&Library| library.get(&function.name) == Some(function);
            let mut calls = function.calls();
            if libraries.iter().all(is_same)
                && !is_typed(&function.name)
                && calls.all(|name| shared.contains(name))
            {
                shared.insert(function.name.clone());
            }
        }
        Self { libraries, called, needed, shared }
    }

    /// The functions.
    pub(super) fn text(&self) -> String {
        let mut texts = Vec::new();
        for function in &self.libraries[0].functions {
            if !self.needed.contains(&function.name) {
                continue;
            }
            let is_shared = self.shared.contains(&function.name);
            for precision in 0..if is_shared { 1 } else { self.libraries.len() } {
                let library = self.libraries[precision];
                let function = library.get(&function.name).expect("each has the same functions");
                texts.push(if is_typed(&function.name) {
                    self.typed(&function.name, precision)
                } else {
                    Printer { primitives: self, precision, function }.text()
                });
            }
        }
        texts.join("\n\n")
    }

    /// The fields of the object of a precision, by which kernels call functions.
    pub(super) fn fields(&self, precision: usize) -> Vec<(String, String)> {
        self.called.iter().map(|name| (name.clone(), self.name(name, precision))).collect()
    }

    fn name(&self, name: &str, precision: usize) -> String {
        let bits = ["_f64", "_f32"][precision];
        let is_one = self.libraries.len() == 1 || self.shared.contains(name);
        // Kernels call functions of the prelude that have the names of words.
        let name = match name.split_once('_') {
            Some((kind @ ("word" | "triple"), operation)) => format!("{operation}_{kind}s"),
            _ => name.to_owned(),
        };
        format!("_{name}{}", if is_one { "" } else { bits })
    }

    /// A density.
    fn typed(&self, name: &str, precision: usize) -> String {
        let text = match name {
            "density" => include_str!("prelude/density.py"),
            _ => include_str!("prelude/density_in_units.py"),
        };
        let root = match precision {
            0 => root_density::<f64>(),
            _ => root_density::<f32>(),
        };
        text.replace("NAME", &self.name(name, precision)).replace("ROOT", &root)
    }
}

/// The root of φ(0) in the unit of densities.
fn root_density<T: Float>() -> String {
    let root = T::from_f64(core::f64::consts::TAU.sqrt().sqrt().recip());
    float(root * T::power_of_two(T::DENSITY_EXPONENT / 2))
}

/// The constant that rounds a number to an integer if it is added to it.
fn shifter<T: Float>() -> String {
    float(T::SHIFTER)
}

fn is_typed(name: &str) -> bool {
    TYPED.contains(&name)
}

/// The names of a text with their paths.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.')
}

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Test,
    Sum,
    Product,
    Sign,
    Atom,
}

#[derive(Clone)]
struct Fragment {
    text: String,
    binding: Binding,
}

impl Fragment {
    fn new(text: String, binding: Binding) -> Self {
        Self { text, binding }
    }

    fn atom(text: impl Into<String>) -> Self {
        Self::new(text.into(), Binding::Atom)
    }

    /// The text, in parentheses if it binds less tightly than needed.
    fn at_least(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// Prints a function of a precision.
struct Printer<'a> {
    primitives: &'a Primitives,
    precision: usize,
    function: &'a Function,
}

impl Printer<'_> {
    fn text(&self) -> String {
        let function = self.function;
        let parameters: Vec<String> =
            function.parameters.iter().map(|p| names::primitive_input(&p.name)).collect();
        let name = self.primitives.name(&function.name, self.precision);
        let mut text = format!("def {name}({}):\n", parameters.join(", "));
        text += &format!("    \"\"\"{}\"\"\"\n", meaning::of(&function.name));
        let fragments = self.statements(&mut text);
        let results: Vec<&str> =
            function.results.iter().map(|result| fragments[*result].text.as_str()).collect();
        let results = match &function.shape {
            Shape::Pairs(_) => {
                let pairs = results.chunks(2).map(|pair| format!("({})", pair.join(", ")));
                format!("({})", pairs.collect::<Vec<_>>().join(", "))
            }
            Shape::Number | Shape::Truth => results[0].to_owned(),
            _ if results.len() == 1 => format!("({},)", results[0]),
            _ => format!("({})", results.join(", ")),
        };
        text + &statement(1, &format!("return {results}"))
    }

    /// The inputs as expressions.
    fn inputs(&self) -> Vec<String> {
        let of = |Parameter { name, shape }: &Parameter| {
            let name = names::primitive_input(name);
            match shape {
                Shape::Number | Shape::Truth => vec![name],
                shape => (0..shape.size()).map(|i| format!("{name}[{i}]")).collect(),
            }
        };
        self.function.parameters.iter().flat_map(of).collect()
    }

    /// Writes what has a name, and gives an expression for each node.
    fn statements(&self, text: &mut String) -> Vec<Fragment> {
        let inputs = self.inputs();
        let function = self.function;
        let reads = function.reads();
        // No compiler stands between NumPy and the machine.
        let rounds = self.primitives.libraries.len() > 1;
        let is_exact = EXACT.contains(&&*function.name);
        let mut fragments: Vec<Fragment> = Vec::new();
        for (value, node) in function.nodes.iter().enumerate() {
            let operands: Vec<&Fragment> = node.operands.iter().map(|o| &fragments[*o]).collect();
            let name = format!("v{value}");
            let fragment = match &node.operation {
                Operation::Input(at) => Fragment::atom(inputs[*at].clone()),
                Operation::Constant(bits) => self.constant(f64::from_bits(*bits)),
                Operation::Part(at) => Fragment::atom(format!("v{}_{at}", node.operands[0])),
                Operation::Call(callee) => {
                    let arguments: Vec<String> = (node.operands.iter().zip(&operands))
                        .map(
                            |(at, o)| {
                                if rounds { self.array(*at, o, &inputs) } else { o.text.clone() }
                            },
                        )
                        .collect();
                    let callee_name = self.primitives.name(callee, self.precision);
                    let call = format!("{callee_name}({})", arguments.join(", "));
                    let library = self.primitives.libraries[self.precision];
                    let shape = &library.get(callee).expect("it was recorded").shape;
                    let names = match shape {
                        Shape::Number => name.clone(),
                        shape => self.parts(value, shape),
                    };
                    *text += &statement(1, &format!("{names} = {call}"));
                    Fragment::atom(name)
                }
                operation => {
                    let fragment = self.expression(operation, &node.operands, &operands, &inputs);
                    let is_product = *operation == Operation::Multiply;
                    // A product that is fused with the sums that read it is not the same in each.
                    let is_last = reads[value] == 1 && function.results.contains(&value);
                    let must_round = is_exact && !is_last
                        || is_product && (reads[value] > 1 || self.is_argument(value))
                        || self.is_shifted(value);
                    let is_array = !node.is_truth() && !self.is_constant(value);
                    let fragment = match rounds && must_round && is_array {
                        true => Fragment::atom(format!("_rounded({})", fragment.text)),
                        false => fragment,
                    };
                    if reads[value] == 1 && fragment.text.len() <= LONGEST {
                        fragment
                    } else {
                        *text += &statement(1, &format!("{name} = {}", fragment.text));
                        Fragment::atom(name)
                    }
                }
            };
            fragments.push(fragment);
        }
        fragments
    }

    /// Whether a number does not depend on the inputs; then it is one of Python.
    fn is_constant(&self, value: Value) -> bool {
        let node = &self.function.nodes[value];
        match node.operation {
            Operation::Constant(_) => true,
            Operation::Input(_) | Operation::Call(_) | Operation::Part(_) => false,
            _ => node.operands.iter().all(|operand| self.is_constant(*operand)),
        }
    }

    /// The first of the inputs that is a number.
    fn number<'a>(&self, inputs: &'a [String]) -> &'a str {
        let is_truth = |Parameter { shape, .. }: &Parameter| match shape {
            Shape::Truth => vec![true],
            Shape::Record(record) => record.fields.iter().map(|field| is_truth(field)).collect(),
            shape => vec![false; shape.size()],
        };
        let mut truths = self.function.parameters.iter().flat_map(is_truth);
        let at = truths.position(|is_truth| !is_truth);
        &inputs[at.expect("a function of numbers")]
    }

    /// A number as an array like an input, which a library has a precision for.
    fn array(&self, value: Value, fragment: &Fragment, inputs: &[String]) -> String {
        match self.is_constant(value) {
            true => {
                let (number, value) = (self.number(inputs), fragment.at_least(Binding::Product));
                format!("xp.zeros_like({number}) + {value}").replace("+ -", "- ")
            }
            false => fragment.text.clone(),
        }
    }

    /// Whether another function reads a node.
    fn is_argument(&self, value: Value) -> bool {
        let mut nodes = self.function.nodes.iter();
        nodes.any(|n| matches!(n.operation, Operation::Call(_)) && n.operands.contains(&value))
    }

    /// Whether a node is rounded to an integer by a large number, from which that is taken again.
    fn is_shifted(&self, value: Value) -> bool {
        let mut nodes = self.function.nodes.iter();
        nodes.any(|n| n.operation == Operation::Raise && n.operands[1] == value)
    }

    /// The names of the results of a call, as far as anything reads them.
    fn parts(&self, call: Value, shape: &Shape) -> String {
        if is_typed(self.callee(call)) {
            // A typed function gives the density alone.
            return format!("v{call}_0");
        }
        let is_read = |at: usize| {
            let mut nodes = self.function.nodes.iter();
            nodes.any(|n| n.operation == Operation::Part(at) && n.operands == [call])
        };
        let name = |at: usize| if is_read(at) { format!("v{call}_{at}") } else { "_".to_owned() };
        (0..shape.size()).map(name).collect::<Vec<_>>().join(", ")
    }

    fn callee(&self, call: Value) -> &str {
        match &self.function.nodes[call].operation {
            Operation::Call(name) => name,
            _ => unreachable!("a call"),
        }
    }

    fn constant(&self, value: f64) -> Fragment {
        let text = match self.precision {
            0 => float(value),
            _ => float(value as f32),
        };
        let is_negative = text.starts_with('-');
        Fragment::new(text, if is_negative { Binding::Sign } else { Binding::Atom })
    }

    fn expression(
        &self,
        operation: &Operation,
        places: &[Value],
        operands: &[&Fragment],
        inputs: &[String],
    ) -> Fragment {
        let sum =
            |a: &str, sign: char, b: String| Fragment::new(format!("{a} {sign} {b}"), Binding::Sum);
        let at = |i: usize, binding: Binding| operands[i].at_least(binding);
        let product = || {
            let (a, b) = (at(0, Binding::Product), at(1, Binding::Sign));
            format!("{a} * {b}")
        };
        let test = |sign: &str| {
            let [a, b] = [at(0, Binding::Sum), at(1, Binding::Sum)];
            Fragment::new(format!("{a} {sign} {b}"), Binding::Test)
        };
        // `&` and `|` bind more tightly than comparisons do.
        match operation {
            Operation::Negate => Fragment::new(format!("-{}", at(0, Binding::Atom)), Binding::Sign),
            Operation::Abs => Fragment::atom(format!("abs({})", operands[0].text)),
            Operation::Root => Fragment::atom(format!("xp.sqrt({})", operands[0].text)),
            Operation::Add => sum(&at(0, Binding::Sum), '+', at(1, Binding::Product)),
            Operation::Subtract => sum(&at(0, Binding::Sum), '-', at(1, Binding::Product)),
            Operation::Multiply => Fragment::new(product(), Binding::Product),
            Operation::Divide => {
                let (a, b) = (at(0, Binding::Product), at(1, Binding::Sign));
                Fragment::new(format!("{a} / {b}"), Binding::Product)
            }
            Operation::MultiplyAdd => sum(&product(), '+', at(2, Binding::Product)),
            Operation::MultiplySubtract => sum(&product(), '-', at(2, Binding::Product)),
            Operation::NegateMultiplyAdd => sum(&at(2, Binding::Sum), '-', product()),
            Operation::Less => test("<"),
            Operation::AtMost => test("<="),
            Operation::Equals => test("=="),
            Operation::And => test("&"),
            Operation::Or => test("|"),
            Operation::Not => Fragment::new(format!("~{}", at(0, Binding::Atom)), Binding::Sign),
            Operation::Select => {
                let [mask, mut yes, no] = [0, 1, 2].map(|i| operands[i].text.clone());
                if self.is_constant(places[1]) && self.is_constant(places[2]) {
                    // Two numbers would be of a precision of their own.
                    yes = self.array(places[1], operands[1], inputs);
                }
                Fragment::atom(format!("xp.where({mask}, {yes}, {no})"))
            }
            Operation::Raise => {
                let [a, shifted] =
                    [self.array(places[0], operands[0], inputs), at(1, Binding::Sum)];
                let shifter = match self.precision {
                    0 => shifter::<f64>(),
                    _ => shifter::<f32>(),
                };
                Fragment::atom(format!("_raise({a}, {shifted} - {shifter})"))
            }
            // In the density alone, which is typed.
            Operation::Scale => unreachable!("is in no primitive of Python"),
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Call(_)
            | Operation::Part(_) => unreachable!("has no operation"),
        }
    }
}
