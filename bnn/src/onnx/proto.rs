//! The messages of ONNX that a graph needs, in the wire format of Protocol Buffers.
//!
//! ```text
//! field = varint(number · 8 + kind) and then kind 0: a varint, kind 2: a length and so many bytes
//! ```
//!
//! Numbers of fields are those of `onnx.proto3`.

/// A message as it grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value as u8 & 0x7f) | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A whole number ≥ 0.
    pub(super) fn number(mut self, field: u64, value: usize) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    /// A whole number of any sign.
    fn signed(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value.cast_unsigned());
        self
    }

    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint((field << 3) | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }
}

/// The element type of a tensor, by its number in ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Single = 1,
    Whole = 7,
    Double = 11,
}

/// `TensorProto`.
pub(super) fn tensor(name: &str, element: Element, shape: &[usize], bytes: &[u8]) -> Message {
    let dims = shape.iter().fold(Message::default(), |m, dim| m.number(1, *dim));
    dims.number(2, element as usize).text(8, name).bytes(9, bytes)
}

/// `ValueInfoProto` of a table with any number of rows.
pub(super) fn table(name: &str, element: Element, columns: usize) -> Message {
    let rows = Message::default().text(2, "rows");
    let columns = Message::default().number(1, columns);
    let shape = Message::default().message(1, &rows).message(1, &columns);
    let kind = Message::default().number(1, element as usize).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &kind))
}

/// An attribute of a node.
#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Number(i64),
    Text(&'static str),
    Numbers(Vec<i64>),
}

impl Attribute {
    /// `AttributeProto`.
    fn message(&self, name: &str) -> Message {
        let named = Message::default().text(1, name);
        match self {
            Self::Number(value) => named.signed(3, *value).number(20, 2),
            Self::Text(text) => named.text(4, text).number(20, 3),
            Self::Numbers(values) => {
                values.iter().fold(named, |m, value| m.signed(8, *value)).number(20, 7)
            }
        }
    }
}

/// `NodeProto` with one output.
pub(super) fn node(
    operator: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[(&str, Attribute)],
) -> Message {
    let inputs = inputs.iter().fold(Message::default(), |m, input| m.text(1, input));
    // The name of a node is that of its output, which no other has.
    let node = inputs.text(2, output).text(3, output).text(4, operator);
    attributes.iter().fold(node, |m, (name, value)| m.message(5, &value.message(name)))
}
