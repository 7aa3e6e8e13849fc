//! A graph of standard ONNX operators, built node by node, and its file.

use super::proto::{Attribute, Element, Message, node, tensor};

/// The version of the standard operators.
const OPERATORS: usize = 17;
/// The version of the file format for these operators.
const FORMAT: usize = 8;

/// A value of the graph, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value(String);

/// A graph under construction. Every operator gives one value; shapes follow NumPy's rules of broadcasting.
pub(super) struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
    count: usize,
    /// The floating-point type of all computation.
    pub(super) element: Element,
}

impl Graph {
    pub(super) fn new(element: Element) -> Self {
        Self {
            nodes: Vec::new(),
            constants: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            count: 0,
            element,
        }
    }

    fn fresh(&mut self) -> Value {
        self.count += 1;
        Value(format!("v{}", self.count))
    }

    /// An input of the graph of shape \[rows, columns\], in double precision.
    pub(super) fn input(&mut self, name: &str, columns: usize) -> Value {
        self.inputs.push(super::proto::table(name, Element::Double, columns));
        Value(name.to_owned())
    }

    /// Makes `value` an output of the graph of shape \[rows, columns\], in double precision.
    pub(super) fn output(&mut self, name: &str, value: &Value, columns: usize) {
        let double = self.cast(value, Element::Double);
        // The node gives the value the name of the output.
        self.nodes.push(node("Identity", &[&double.0], name, &[]));
        self.outputs.push(super::proto::table(name, Element::Double, columns));
    }

    /// A constant in the type of the computation.
    pub(super) fn numbers(&mut self, values: &[f64], shape: &[usize]) -> Value {
        self.typed(values, shape, self.element)
    }

    /// A constant in double precision.
    pub(super) fn doubles(&mut self, values: &[f64], shape: &[usize]) -> Value {
        self.typed(values, shape, Element::Double)
    }

    fn typed(&mut self, values: &[f64], shape: &[usize], element: Element) -> Value {
        let bytes: Vec<u8> = match element {
            Element::Single => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
            Element::Double => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Element::Whole => values.iter().flat_map(|v| (*v as i64).to_le_bytes()).collect(),
        };
        let value = self.fresh();
        self.constants.push(tensor(&value.0, element, shape, &bytes));
        value
    }

    /// A constant of one number.
    pub(super) fn number(&mut self, value: f64) -> Value {
        self.numbers(&[value], &[])
    }

    pub(super) fn apply(&mut self, operator: &str, inputs: &[&Value]) -> Value {
        self.with(operator, inputs, &[])
    }

    pub(super) fn with(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        attributes: &[(&str, Attribute)],
    ) -> Value {
        let out = self.fresh();
        let inputs: Vec<&str> = inputs.iter().map(|value| &*value.0).collect();
        self.nodes.push(node(operator, &inputs, &out.0, attributes));
        out
    }

    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Value {
        self.apply("Add", &[a, b])
    }

    pub(super) fn sub(&mut self, a: &Value, b: &Value) -> Value {
        self.apply("Sub", &[a, b])
    }

    pub(super) fn mul(&mut self, a: &Value, b: &Value) -> Value {
        self.apply("Mul", &[a, b])
    }

    pub(super) fn div(&mut self, a: &Value, b: &Value) -> Value {
        self.apply("Div", &[a, b])
    }

    pub(super) fn square(&mut self, a: &Value) -> Value {
        self.mul(a, a)
    }

    pub(super) fn max(&mut self, a: &Value, least: f64) -> Value {
        let least = self.number(least);
        self.apply("Max", &[a, &least])
    }

    pub(super) fn times(&mut self, a: &Value, factor: f64) -> Value {
        let factor = self.number(factor);
        self.mul(a, &factor)
    }

    pub(super) fn plus(&mut self, a: &Value, number: f64) -> Value {
        let number = self.number(number);
        self.add(a, &number)
    }

    /// e^(−z²/2).
    pub(super) fn bell(&mut self, z: &Value) -> Value {
        let square = self.square(z);
        let half = self.times(&square, -0.5);
        self.apply("Exp", &[&half])
    }

    pub(super) fn matmul(&mut self, a: &Value, b: &Value) -> Value {
        self.apply("MatMul", &[a, b])
    }

    /// The value with an axis of length 1 at the end.
    pub(super) fn deep(&mut self, a: &Value) -> Value {
        let axis = self.whole(&[-1]);
        self.apply("Unsqueeze", &[a, &axis])
    }

    /// The sum over the last `axes` axes, without these axes.
    pub(super) fn sum(&mut self, a: &Value, axes: i64) -> Value {
        let axes = self.whole(&(1..=axes).map(|axis| -axis).collect::<Vec<_>>());
        self.with("ReduceSum", &[a, &axes], &[("keepdims", Attribute::Number(0))])
    }

    /// The sum over the second axis, which is kept with a length of 1.
    pub(super) fn over_columns(&mut self, a: &Value) -> Value {
        let axis = self.whole(&[1]);
        self.with("ReduceSum", &[a, &axis], &[("keepdims", Attribute::Number(1))])
    }

    /// Columns `from` to `to` of a table.
    pub(super) fn columns(&mut self, a: &Value, from: usize, to: usize) -> Value {
        let [from, to, axis] = [from, to, 1].map(|i| self.whole(&[i as i64]));
        self.apply("Slice", &[a, &from, &to, &axis])
    }

    pub(super) fn concat(&mut self, parts: &[&Value], axis: i64) -> Value {
        self.with("Concat", parts, &[("axis", Attribute::Number(axis))])
    }

    pub(super) fn cast(&mut self, a: &Value, to: Element) -> Value {
        self.with("Cast", &[a], &[("to", Attribute::Number(to as i64))])
    }

    /// a where the condition is true, and b elsewhere.
    pub(super) fn choose(&mut self, condition: &Value, a: &Value, b: &Value) -> Value {
        self.apply("Where", &[condition, a, b])
    }

    /// A constant of whole numbers, as for axes and for ends of slices.
    pub(super) fn whole(&mut self, values: &[i64]) -> Value {
        let values: Vec<f64> = values.iter().map(|v| *v as f64).collect();
        self.typed(&values, &[values.len()], Element::Whole)
    }

    /// The bytes of the model's file.
    pub(super) fn into_file(self, name: &str, description: &str) -> Vec<u8> {
        let fold = |m: Message, field: u64, parts: Vec<Message>| {
            parts.iter().fold(m, |m, part| m.message(field, part))
        };
        // The numbers are those of the fields in ONNX's schema.
        let graph = fold(Message::default(), 1, self.nodes).text(2, name);
        let graph = fold(graph, 5, self.constants);
        let graph = fold(fold(graph, 11, self.inputs), 12, self.outputs);
        let operators = Message::default().text(1, "").number(2, OPERATORS);
        Message::default()
            .number(1, FORMAT)
            .text(2, "gaussform-bnn")
            .text(3, env!("CARGO_PKG_VERSION"))
            .text(6, description)
            .message(7, &graph)
            .message(8, &operators)
            .into_bytes()
    }
}
