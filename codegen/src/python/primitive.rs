//! Primitives of the runtime as functions of Python over arrays.
//!
//! Where a precision has other constants, or calls a function that has, there is a function for each. A kernel
//! calls them by the object of its precision. The density is the exponential of the library: an array goes through
//! it at once, where the operations of the runtime would be an array each.

use std::collections::BTreeSet;

use gaussform_runtime::Float;

use super::Target;
use super::language::{Callees, Lines, TUPLE};
use super::library::{DOUBLE, SINGLE, is_handwritten};
use super::names;
use super::number::float;
use super::text::Text;
use crate::record::{Library, is_truth, meaning};
use crate::script::expression::Expression;
use crate::script::function::{Function, Parameter, Shape};
use crate::script::print::print;

/// The primitives that a module needs.
pub(super) struct Primitives {
    target: Target,
    /// The primitives in double precision, and in single precision where the target has it.
    libraries: Vec<&'static Library>,
    /// The fields of a precision that kernels read.
    read: BTreeSet<String>,
    /// The primitives among them.
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
        let fields = texts.iter().flat_map(|text| words(text)).filter_map(field_of_precision);
        let read: BTreeSet<String> = fields.map(str::to_owned).collect();
        let called: Vec<String> = called.into_iter().filter(|name| read.contains(name)).collect();
        let mut needed: BTreeSet<String> = called.iter().cloned().collect();
        let mut shared = BTreeSet::new();
        // Functions stand after those that they call, so one walk from the end finds all of them.
        for function in double.functions.iter().rev() {
            if needed.contains(&function.name) && !is_handwritten(&function.name) {
                needed.extend(function.calls().map(str::to_owned));
            }
        }
        for function in &double.functions {
            let is_same = |library: &&Library| library.get(&function.name) == Some(function);
            let mut calls = function.calls();
            if libraries.iter().all(is_same)
                && !is_handwritten(&function.name)
                && calls.all(|name| shared.contains(name))
            {
                shared.insert(function.name.clone());
            }
        }
        Self { target, libraries, read, called, needed, shared }
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
                texts.push(if is_handwritten(&function.name) {
                    self.handwritten(&function.name, precision)
                } else {
                    Printer { primitives: self, precision, function }.text()
                });
            }
        }
        texts.join("\n\n")
    }

    /// Whether kernels read a field of a precision.
    pub(super) fn reads(&self, field: &str) -> bool {
        self.read.contains(field)
    }

    /// The fields of the object of a precision, by which kernels call functions.
    pub(super) fn fields(&self, precision: usize) -> Vec<(String, String)> {
        self.called.iter().map(|name| (name.clone(), self.name(name, precision))).collect()
    }

    fn name(&self, name: &str, precision: usize) -> String {
        let bits = ["_f64", "_f32"][precision];
        let is_one = self.libraries.len() == 1 || self.shared.contains(name);
        format!("_{name}{}", if is_one { "" } else { bits })
    }

    /// A density.
    fn handwritten(&self, name: &str, precision: usize) -> String {
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

/// The field of a precision that a name with its path reads.
fn field_of_precision(name: &str) -> Option<&str> {
    name.strip_prefix("p.")?.split('.').next()
}

/// The names of a text with their paths.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.')
}

/// Prints a function of a precision.
struct Printer<'a> {
    primitives: &'a Primitives,
    precision: usize,
    function: &'a Function,
}

impl Printer<'_> {
    fn text(&self) -> String {
        let Self { primitives, precision, function } = *self;
        let parameters: Vec<String> =
            function.parameters.iter().map(|p| names::primitive_input(&p.name)).collect();
        let mut text = Text::default();
        text.open(&format!(
            "def {}({}):",
            primitives.name(&function.name, precision),
            parameters.join(", ")
        ));
        text.line(&format!("\"\"\"{}\"\"\"", meaning::of(&function.name)));
        let inputs = self.inputs();
        let mut lines = Lines {
            zero: &format!("xp.zeros_like({})", self.number(&inputs).text),
            callees: Some(Callees {
                name: &|function| primitives.name(function, precision),
                is_primitive: true,
            }),
            ..Lines::new(primitives.target, precision == 1, &mut text, None)
        };
        let results = print(&function.graph, &inputs, &mut lines);
        let results: Vec<&str> = results.iter().map(|result| &*result.text).collect();
        let results = match &function.shape {
            Shape::Number | Shape::Truth => results[0].to_owned(),
            _ if results.len() == 1 => format!("({},)", results[0]),
            _ => format!("({})", results.join(", ")),
        };
        text.line(&format!("return {results}"));
        text.finish()
    }

    /// The inputs as expressions.
    fn inputs(&self) -> Vec<Expression> {
        let of = |Parameter { name, shape }: &Parameter| {
            let name = names::primitive_input(name);
            let field = |at| Expression::field(format!("{name}[{at}]"), &name, TUPLE, at);
            match shape {
                Shape::Number | Shape::Truth => vec![Expression::atom(name)],
                shape => (0..shape.size()).map(field).collect(),
            }
        };
        self.function.parameters.iter().flat_map(of).collect()
    }

    /// The first of the inputs that is a number.
    fn number<'a>(&self, inputs: &'a [Expression]) -> &'a Expression {
        let is_truth = |Parameter { shape, .. }: &Parameter| match shape {
            Shape::Truth => vec![true],
            Shape::Group(record) => record.fields.iter().map(|field| is_truth(field)).collect(),
            shape => vec![false; shape.size()],
        };
        let mut truths = self.function.parameters.iter().flat_map(is_truth);
        let at = truths.position(|is_truth| !is_truth);
        &inputs[at.expect("a function of numbers")]
    }
}
