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
}

impl Expression {
    pub(crate) fn new(text: impl Into<String>, binding: Binding) -> Self {
        Self { text: text.into(), binding, is_number: false }
    }

    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Self::new(text, Binding::Atom)
    }

    /// A number, which may have a sign.
    pub(crate) fn number(text: String) -> Self {
        let binding = if text.starts_with('-') { Binding::Sign } else { Binding::Atom };
        Self { text, binding, is_number: true }
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
        let left =
            if binding == Binding::Test || binding == Binding::Logic { above } else { binding };
        Self::new(format!("{} {sign} {}", a.at_least(left), b.at_least(above)), binding)
    }

    /// A sign before an expression.
    pub(crate) fn prefix(sign: &str, a: &Self) -> Self {
        let text = format!("{sign}{}", a.at_least(Binding::Atom));
        Self { text, binding: Binding::Sign, is_number: a.is_number }
    }
}
