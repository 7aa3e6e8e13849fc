//! Printed expressions with how tightly they bind, so that parentheses stand only where they are needed.

/// How tightly an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// Choices.
    Choice,
    /// Conditions that are joined.
    Logic,
    /// Comparisons.
    Test,
    /// Sums.
    Sum,
    /// Products.
    Product,
    /// A number or an expression with a sign.
    Sign,
    /// Names, numbers, calls.
    Atom,
}

/// An expression that knows how tightly it binds.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) text: String,
    binding: Binding,
    is_number: bool,
    field: Option<Field>,
}

/// The place of an expression in a record.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    record: String,
    kind: &'static str,
    at: usize,
}

impl Expression {
    pub(crate) fn new(text: impl Into<String>, binding: Binding) -> Self {
        Self { text: text.into(), binding, is_number: false, field: None }
    }

    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Self::new(text, Binding::Atom)
    }

    /// A number, which may have a sign.
    pub(crate) fn number(text: String) -> Self {
        let binding = if text.starts_with('-') { Binding::Sign } else { Binding::Atom };
        Self { is_number: true, ..Self::new(text, binding) }
    }

    /// A field of a record of some kind, by its place there.
    pub(crate) fn field(text: String, record: &str, kind: &'static str, at: usize) -> Self {
        let field = Field { record: record.to_owned(), kind, at };
        Self { field: Some(field), ..Self::atom(text) }
    }

    /// The name of the record of a kind that has some expressions as its fields, in their order.
    pub(crate) fn record<'a>(fields: &'a [Self], kind: &str) -> Option<&'a str> {
        let record = &fields.first()?.field.as_ref()?.record;
        let is_next = |(at, expression): (usize, &Self)| {
            let field = expression.field.as_ref();
            field.is_some_and(|f| f.record == *record && f.kind == kind && f.at == at)
        };
        fields.iter().enumerate().all(is_next).then_some(record)
    }

    /// Whether it is a number as it is written, or one with a sign.
    pub(crate) fn is_number(&self) -> bool {
        self.is_number
    }

    /// A function of some expressions.
    pub(crate) fn call(function: &str, operands: &[Self]) -> Self {
        let operands: Vec<&str> = operands.iter().map(|operand| &*operand.text).collect();
        Self::atom(format!("{function}({})", operands.join(", ")))
    }

    /// The text, in parentheses if it binds less tightly than needed.
    pub(crate) fn at_least(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }

    /// A sign between two expressions, of which the second binds more tightly.
    pub(crate) fn infix(a: &Self, sign: &str, b: &Self, binding: Binding) -> Self {
        let above = match binding {
            Binding::Logic => Binding::Test,
            Binding::Test | Binding::Sum => Binding::Product,
            _ => Binding::Sign,
        };
        // Comparisons do not chain, and WGSL wants parentheses around `&&` beside `||`.
        let left =
            if binding == Binding::Test || binding == Binding::Logic { above } else { binding };
        Self::new(format!("{} {sign} {}", a.at_least(left), b.at_least(above)), binding)
    }

    /// A sign before an expression.
    pub(crate) fn prefix(sign: &str, a: &Self) -> Self {
        // Two signs in a row would be a decrement in C.
        let text = format!("{sign}{}", a.at_least(Binding::Atom));
        Self { is_number: a.is_number, ..Self::new(text, Binding::Sign) }
    }
}
