//! Primitives of the runtime as functions of C, and which of them a header needs.
//!
//! A function is printed over `gsf_num`, which stands for each kind of number, with its operations by name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::Dialect;
use super::language::{LIBRARY, Lines, NumberKind};
use super::routine::kinds;
use super::source::{Source, WIDTH, statement};
use crate::record::{Library, meaning};
use crate::script::expression::Expression;
use crate::script::function::{Function, Parameter, Shape};
use crate::script::graph::Operation;
use crate::script::print::print;

/// A part of the prelude, which stands in a header if the header calls it, directly or through another part.
struct Piece {
    /// The functions and types.
    names: BTreeSet<String>,
    text: String,
    /// Whether it is there for each kind of number.
    for_each: bool,
}

/// All pieces of C, each after those that it calls.
static PIECES: LazyLock<Vec<Piece>> = LazyLock::new(|| {
    let mut pieces = pieces(None);
    pieces.extend(LIBRARY.functions.iter().filter(|f| !f.is_of_words()).map(in_lanes));
    pieces
});

/// All pieces of CUDA, each after those that it calls. Its devices round some products with a sum.
static PIECES_OF_CUDA: LazyLock<Vec<Piece>> = LazyLock::new(|| pieces(Some(&Library::fused())));

fn pieces(fused: Option<&Library>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = super::pieces::types().map(handwritten).into();
    pieces.extend(LIBRARY.functions.iter().map(|function| recorded(function, fused)));
    pieces.extend(super::pieces::loops().into_iter().map(handwritten));
    pieces
}

/// A primitive over lanes.
fn in_lanes(function: &Function) -> Piece {
    let numbers = NumberKind::Lanes;
    let text = Printer { function, numbers }.text();
    let text = format!("/* {} */\n{text}", meaning::of(&function.name));
    let names = [format!("{}_{}", numbers.prefix(), function.name)].into();
    Piece { names, text: in_lanes_alone(&text), for_each: false }
}

/// A text that stands where a compiler has vectors.
pub(super) fn in_lanes_alone(text: &str) -> String {
    format!("#if GSF_LANES > 1\n{text}#endif\n")
}

/// A piece that is written in C, for each kind of number or once.
fn handwritten((text, for_each): (String, bool)) -> Piece {
    // A function has its name in its first line, and a type in its last.
    let is_head = |line: &&str| line.starts_with("GSF_FN ") || line.starts_with("} gsf_");
    let heads = text.lines().filter(is_head);
    let name = |line: &str| identifiers(line.split('(').next().unwrap_or_default()).last();
    let names = heads.filter_map(name).collect();
    Piece { names, text, for_each }
}

/// The pieces that texts call, each with a guard, so that headers may stand beside each other.
pub(super) fn called_by(texts: &[&str], dialect: Dialect) -> String {
    let pieces = of(dialect);
    let mut called: BTreeSet<String> = texts.iter().flat_map(|text| identifiers(text)).collect();
    let mut needed = Vec::new();
    // Pieces stand after those that they call, so one walk from the end finds all of them.
    for piece in pieces.iter().rev() {
        if !piece.names.is_disjoint(&called) {
            called.extend(identifiers(&piece.text));
            needed.push(piece);
        }
    }
    let text = |piece: &&Piece| {
        let name = piece.names.first().expect("a piece has functions");
        let guard = name.replace("gsf_", "GSF_HAS_").to_ascii_uppercase();
        format!("#ifndef {guard}\n#define {guard}\n{}#endif\n", piece.for_all_numbers(dialect))
    };
    needed.iter().rev().map(text).collect::<Vec<String>>().join("\n")
}

/// The text of all pieces, which differs between versions.
pub(super) fn all(dialect: Dialect) -> String {
    of(dialect).iter().map(|piece| piece.text.as_str()).collect()
}

fn of(dialect: Dialect) -> &'static [Piece] {
    match dialect {
        Dialect::C => &PIECES,
        Dialect::Cuda => &PIECES_OF_CUDA,
    }
}

impl Piece {
    fn for_all_numbers(&self, dialect: Dialect) -> String {
        if self.for_each { for_all_numbers(&self.text, dialect) } else { self.text.clone() }
    }
}

/// A text for each kind of number.
pub(super) fn for_all_numbers(text: &str, dialect: Dialect) -> String {
    let kinds = kinds(dialect).iter();
    kinds.map(|kind| of_kind(text, *kind)).collect::<Vec<String>>().join("\n")
}

/// A text for one kind of number.
pub(super) fn of_kind(text: &str, numbers: NumberKind) -> String {
    let kind = numbers.prefix();
    let text = text.replace("GSF_NUM", &kind.to_ascii_uppercase()).replace("gsf_num", kind);
    // Vectors are passed in registers where a function is inlined.
    if numbers == NumberKind::Lanes { text.replace("GSF_FN ", "GSF_LANES_FN ") } else { text }
}

/// The names of the prelude in a text, of whatever kind of number.
fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let own = words.filter(|word| word.starts_with("gsf_"));
    own.map(|word| word.replace("gsf_f64_", "gsf_num_").replace("gsf_wide_", "gsf_num_"))
}

/// A primitive, in two forms where a machine that fuses products and sums does something else.
fn recorded(function: &Function, fused: Option<&Library>) -> Piece {
    let for_each = !function.is_of_words();
    let numbers = if for_each { NumberKind::Any } else { NumberKind::Words };
    let print = |function: &Function| Printer { function, numbers }.text();
    let mut text = print(function);
    if let Some(fused) = fused.and_then(|library| library.get(&function.name)) {
        let other = print(fused);
        if other != text {
            let flag = format!("{}_FUSED", numbers.prefix().to_ascii_uppercase());
            text = format!("#if {flag}\n{other}#else\n{text}#endif\n");
        }
    }
    let text = format!("/* {} */\n{text}", meaning::of(&function.name));
    Piece { names: [name(function)].into(), text, for_each }
}

/// How a function is called, with `gsf_num` for the kind of number.
fn name(function: &Function) -> String {
    let kind = if function.is_of_words() { "gsf" } else { "gsf_num" };
    format!("{kind}_{}", function.name)
}

/// Prints one function.
struct Printer<'a> {
    function: &'a Function,
    numbers: NumberKind,
}

impl Printer<'_> {
    fn text(&self) -> String {
        let function = self.function;
        let mut source = Source::default();
        let mut parameters: Vec<String> =
            function.parameters.iter().map(|parameter| self.parameter(parameter)).collect();
        let result = match &function.shape {
            Shape::List(_) => {
                parameters.push(format!("{} *out", self.numbers.prefix()));
                "void".to_owned()
            }
            shape => self.type_of(shape),
        };
        let (specifier, name) = match self.numbers {
            NumberKind::Lanes => ("GSF_LANES_FN", format!("gsf_lanes_{}", function.name)),
            _ => ("GSF_FN", name(function)),
        };
        let mut head = format!("{specifier} {result} {name}({})", parameters.join(", "));
        if head.len() + 2 > WIDTH {
            head = format!("{specifier} {result} {name}(\n    {})", parameters.join(", "));
        }
        source.open(&head);
        let inputs = self.inputs(&mut source);
        let mut lines = Lines { numbers: self.numbers, source: &mut source, tables: None };
        let results = print(&function.graph, &inputs, &mut lines);
        self.finish(&results, &mut source);
        source.close();
        source.finish()
    }

    fn type_of(&self, shape: &Shape) -> String {
        match shape {
            Shape::Number => self.numbers.prefix().to_owned(),
            Shape::Truth => self.numbers.truth().to_owned(),
            Shape::Group(record) if record.is_word => format!("gsf_{}", record.name),
            Shape::Group(record) => format!("{}_{}", self.numbers.prefix(), record.name),
            Shape::List(_) => unreachable!("is an array"),
        }
    }

    fn parameter(&self, Parameter { name, shape }: &Parameter) -> String {
        match shape {
            Shape::List(_) => format!("const {} *{name}", self.numbers.prefix()),
            shape => format!("{} {name}", self.type_of(shape)),
        }
    }

    /// The inputs as expressions. Elements of an array are read before one is written.
    fn inputs(&self, source: &mut Source) -> Vec<Expression> {
        let kind = self.numbers.prefix();
        let operations = self.function.graph.nodes.iter().map(|node| node.operation);
        let read = operations.filter_map(|operation| match operation {
            Operation::Input(at) => Some(at),
            _ => None,
        });
        let read: BTreeSet<usize> = read.collect();
        let mut inputs = Vec::new();
        for Parameter { name, shape } in &self.function.parameters {
            let start = inputs.len();
            match shape {
                Shape::Number | Shape::Truth => inputs.push(Expression::atom(name)),
                Shape::Group(record) => {
                    inputs.extend(record.fields.iter().enumerate().map(|(at, field)| {
                        let value = format!("{name}.{field}");
                        let is_word = record.is_word;
                        let text = if is_word { format!("{kind}_of({value})") } else { value };
                        Expression::field(text, name, record.name, at)
                    }));
                }
                Shape::List(count) => {
                    for i in 0..*count {
                        if read.contains(&(start + i)) {
                            source.line(&format!("const {kind} {name}{i} = {name}[{i}];"));
                        }
                        inputs.push(Expression::atom(format!("{name}{i}")));
                    }
                }
            }
            // A parameter that is not read would be a warning.
            if read.range(start..inputs.len()).next().is_none() {
                source.line(&format!("(void){name};"));
            }
        }
        inputs
    }

    /// The results of a function: its return value, or elements of an array.
    fn finish(&self, results: &[Expression], source: &mut Source) {
        let results: Vec<&str> = results.iter().map(|result| &*result.text).collect();
        match &self.function.shape {
            Shape::Number | Shape::Truth => statement(source, &format!("return {};", results[0])),
            Shape::Group(record) => {
                source.line(&format!("{} result;", self.type_of(&self.function.shape)));
                for (field, result) in record.fields.iter().zip(results) {
                    statement(source, &format!("result.{field} = {result};"));
                }
                source.line("return result;");
            }
            Shape::List(_) => {
                for (i, result) in results.iter().enumerate() {
                    statement(source, &format!("out[{i}] = {result};"));
                }
            }
        }
    }
}
