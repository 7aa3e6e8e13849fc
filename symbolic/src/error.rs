//! Errors of declarations: the kind, the place in the source, and advice.

use std::fmt;

use crate::polynomial::Polynomial;

/// A place in the source: byte offsets in a text, or the indices of the first token and of
/// the one after the last in a token stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where the place begins.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
}

impl Span {
    /// The smallest span around both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A limit on what is accepted from untrusted hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of source text.
    Length,
    /// Nesting of parentheses, bars and braces.
    Depth,
    /// Numbers, names and operators in one declaration.
    Nodes,
    /// Degree of a piece.
    Degree,
    /// Knots of an activation.
    Knots,
    /// Declared parameters.
    Parameters,
    /// Terms of a piece, which parameters multiply.
    Terms,
    /// Degree times bits of a polynomial whose roots are needed.
    Roots,
    /// Products of terms in lowering and in a derivation.
    Work,
    /// Bits of a coefficient's numerator or denominator.
    Bits,
    /// Order of a moment.
    Order,
    /// Cases of a declaration.
    Cases,
}

impl Limit {
    /// The largest value accepted.
    #[must_use]
    pub const fn maximum(self) -> usize {
        match self {
            Self::Length => 65_536,
            Self::Depth => 48,
            Self::Nodes => 2_000,
            Self::Degree => 64,
            Self::Knots => 64,
            Self::Parameters => 8,
            Self::Terms => 1_024,
            Self::Roots => 16_384,
            Self::Work => 64_000_000,
            Self::Bits => 4_096,
            Self::Order => 64,
            Self::Cases => 64,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maximum = self.maximum();
        let counted = match self {
            Self::Degree => return write!(f, "the degree of a piece is limited to {maximum}"),
            Self::Order => return write!(f, "the order of a moment is limited to {maximum}"),
            Self::Length => "bytes of source",
            Self::Depth => "levels of nesting",
            Self::Nodes => "numbers, names and operators",
            Self::Knots => "knots",
            Self::Parameters => "parameters",
            Self::Terms => "terms in a piece",
            Self::Roots => "as degree times bits of a polynomial whose roots are knots",
            Self::Work => "products of terms, long ones counted for many,",
            Self::Cases => "cases of a declaration",
            Self::Bits => "bits in a coefficient",
        };
        write!(f, "at most {maximum} {counted} are accepted")
    }
}

/// The kind of an error, with the names and numbers that its message tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the grammar; what would have fit here.
    Syntax(String),
    /// A name that is neither the variable, a parameter nor a known function.
    UnknownName(String),
    /// A function called with a wrong number of arguments.
    Arguments {
        /// The function.
        function: String,
        /// How many it takes.
        expected: String,
        /// How many it was given.
        found: usize,
    },
    /// Division by something that is not known to be other than zero: the divisor, as it is shown.
    Division(String),
    /// An exponent that is not a whole number: the exponent, as it is shown.
    Exponent(String),
    /// A function or a bound that must not depend on the variable does.
    NotConstant(String),
    /// A sign or an order that depends on a parameter in a way the declared domains leave open.
    Undecided {
        /// The expression whose sign is needed.
        expression: String,
    },
    /// Two knots whose order depends on parameters in a way that the declaration leaves open.
    Order {
        /// One knot.
        left: String,
        /// The other.
        right: String,
    },
    /// A knot that moves with a parameter, but is no quotient of polynomials in the parameters.
    ParametricKnot {
        /// The polynomial whose root is the knot.
        expression: String,
    },
    /// The declared domain or relations of a parameter are empty, or not satisfied; the text says which.
    Domain(String),
    /// A name declared twice.
    Duplicate(String),
    /// A limit in a symbol that does not exist, or is not decided.
    Divergent(String),
    /// A central moment of an order that says nothing.
    CentralOrder(u32),
    /// Activations that are to be taken together declare the same parameter in different ways.
    Conflict(String),
    /// A limit was reached.
    Limit {
        /// Which limit.
        limit: Limit,
        /// The value that was needed, if it is known.
        needed: Option<usize>,
    },
}

/// An error in a declaration or expression, with its place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Where.
    pub span: Span,
    /// Advice on how to mend the source, where there is any.
    pub help: Option<String>,
    /// The quotient of polynomials in the parameters whose sign would have to be known.
    pub(crate) undecided: Option<Box<Polynomial>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span, help: None, undecided: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether [`Activation::cases`](crate::Activation::cases) goes on by splitting into cases.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.undecided.is_some()
    }

    pub(crate) fn undecided(mut self, value: Polynomial) -> Self {
        self.undecided = Some(Box::new(value));
        self
    }

    pub(crate) fn limit(limit: Limit, needed: Option<usize>, span: Span) -> Self {
        Self::new(ErrorKind::Limit { limit, needed }, span)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(expected) => write!(f, "syntax error: expected {expected}"),
            Self::UnknownName(name) => write!(f, "unknown name `{name}`"),
            Self::Arguments { function, expected, found } => {
                write!(f, "`{function}` takes {expected}, not {found}")
            }
            Self::Division(divisor) => {
                write!(f, "division by {divisor}: a divisor must be known to be other than 0")
            }
            Self::Exponent(exponent) => {
                write!(f, "the exponent {exponent} is not a whole number from 0 upwards")
            }
            Self::NotConstant(what) => write!(f, "{what} must not depend on the variable"),
            Self::Undecided { expression } => {
                write!(f, "the sign of `{expression}` does not follow from what is declared")
            }
            Self::Order { left, right } => write!(
                f,
                "the order of the knots `{left}` and `{right}` does not follow from what is declared"
            ),
            Self::ParametricKnot { expression } => {
                write!(
                    f,
                    "a knot at a root of `{expression}` is no quotient of polynomials in the parameters"
                )
            }
            Self::Domain(what) | Self::Divergent(what) => f.write_str(what),
            Self::CentralOrder(n) => write!(f, "central moments begin with order 2, not {n}"),
            Self::Conflict(name) => {
                write!(f, "the two activations declare `{name}` in different ways")
            }
            Self::Duplicate(name) => write!(f, "`{name}` is declared twice"),
            Self::Limit { limit, needed } => {
                write!(f, "too large: {limit}")?;
                needed.map_or(Ok(()), |needed| write!(f, ", and this needs {needed}"))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for Error {}
