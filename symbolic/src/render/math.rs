//! The tree of mathematics that every printer reads.

use num_traits::One;

use crate::exact::{Rational, integer};
use crate::polynomial::Algebraic;

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Math {
    /// A number that is not negative.
    Number(Rational),
    /// γ, ξ², u or a parameter, to a power; `Xi` stands for ξ itself.
    Name(Name),
    /// Terms with their signs; `true` for minus.
    Sum(Vec<(bool, Math)>),
    /// Factors.
    Product(Vec<Math>),
    /// A power.
    Power(Box<Math>, u32),
    /// Numerator and denominator.
    Quotient(Box<Math>, Box<Math>),
    /// A square root.
    Root(Box<Math>),
    /// |a|
    Modulus(Box<Math>),
    /// A named function of one argument.
    Apply(Named, Box<Math>),
    /// The values on pieces of a variable's line, each with the places that bound it: twice the
    /// same for the value at a place.
    Cases(Name, Vec<(Math, Option<Math>, Option<Math>)>),
    /// E\[·\]
    Expectation(Box<Math>),
    /// A partial derivative in a symbol.
    Partial(Box<Math>, Name),
    /// A number that is approached from above (`+`) or below (`-`).
    OneSided(Box<Math>, char),
    /// Two arguments.
    Pair(Box<Math>, Box<Math>),
    /// A limit in a symbol that goes to a place.
    Limit(Box<Math>, Name, Box<Math>),
}

/// A symbol as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// u
    Variable,
    /// w
    OtherVariable,
    /// γ
    Gamma,
    /// ξ
    Xi,
    /// ξ², where it is one symbol
    Xi2,
    /// γ′
    GammaOther,
    /// ξ′
    XiOther,
    /// ξ′², where it is one symbol
    Xi2Other,
    /// Δ
    Determinant,
    /// σ
    Covariance,
    /// π
    Pi,
    /// ∞
    Infinity,
    /// A parameter.
    Parameter(String),
    /// An irrational knot, until it is numbered.
    Root(Algebraic),
    /// An irrational knot, by its number; 0 is any.
    Knot(usize),
    /// A polynomial under a name, with its variables and the knot that it is taken at.
    Shared(&'static str, Vec<Name>),
}

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// erf
    Erf,
    /// exp
    Exp,
    /// sgn
    Sign,
    /// Var
    Variance,
    /// Cov
    Covariance,
    /// The activation, at a point.
    Function,
    /// The other activation, at a point.
    Other,
    /// E\[sgn(u − s) sgn(w − t)\] at γ − s and γ′ − t.
    Quadrant,
}

impl Math {
    pub(super) fn integer(value: i64) -> Self {
        Self::Number(integer(value))
    }

    /// With the variable called by another name.
    pub(super) fn with_variable(self, name: &str) -> Self {
        self.with_variable_as(&Name::Parameter(name.to_owned()))
    }

    /// With w in the place of u.
    pub(super) fn in_other(self) -> Self {
        self.with_variable_as(&Name::OtherVariable)
    }

    pub(super) fn with_variable_as(self, name: &Name) -> Self {
        self.renamed(&|other| if other == Name::Variable { name.clone() } else { other })
    }

    /// With irrational knots numbered by their place among `knots`.
    pub(super) fn numbered(self, knots: &[Algebraic]) -> Self {
        self.renamed(&|name| match name {
            Name::Root(root) => match knots.iter().position(|knot| *knot == root) {
                Some(index) => Name::Knot(index + 1),
                None => Name::Root(root),
            },
            other => other,
        })
    }

    pub(super) fn renamed(self, new: &impl Fn(Name) -> Name) -> Self {
        let inside = |math: Box<Self>| math.renamed(new).boxed();
        let bound = |end: Option<Self>| end.map(|end| end.renamed(new));
        match self {
            Self::Number(value) => Self::Number(value),
            Self::Name(name) => Self::Name(new(name)),
            Self::Sum(terms) => Self::Sum(
                terms.into_iter().map(|(minus, term)| (minus, term.renamed(new))).collect(),
            ),
            Self::Product(factors) => {
                Self::Product(factors.into_iter().map(|factor| factor.renamed(new)).collect())
            }
            Self::Power(base, exponent) => Self::Power(inside(base), exponent),
            Self::Quotient(above, below) => Self::Quotient(inside(above), inside(below)),
            Self::Root(inner) => Self::Root(inside(inner)),
            Self::Modulus(inner) => Self::Modulus(inside(inner)),
            Self::Apply(named, inner) => Self::Apply(named, inside(inner)),
            Self::Cases(variable, cases) => Self::Cases(
                new(variable),
                cases
                    .into_iter()
                    .map(|(value, lower, upper)| (value.renamed(new), bound(lower), bound(upper)))
                    .collect(),
            ),
            Self::Expectation(inner) => Self::Expectation(inside(inner)),
            Self::Partial(inner, name) => Self::Partial(inside(inner), name),
            Self::OneSided(inner, side) => Self::OneSided(inside(inner), side),
            Self::Pair(first, second) => Self::Pair(inside(first), inside(second)),
            Self::Limit(inner, name, point) => Self::Limit(inside(inner), name, inside(point)),
        }
    }

    pub(super) fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    pub(super) fn is_one(&self) -> bool {
        matches!(self, Self::Number(value) if value.is_one())
    }
}

/// A product without factors 1.
pub(super) fn product(factors: Vec<Math>) -> Math {
    let mut factors: Vec<Math> = factors.into_iter().filter(|factor| !factor.is_one()).collect();
    match factors.len() {
        0 => Math::integer(1),
        1 => factors.remove(0),
        _ => Math::Product(factors),
    }
}

/// The terms as one sum, with sums among them taken apart; a single positive term as itself.
pub(super) fn sum(terms: Vec<(bool, Math)>) -> Math {
    let mut flat = Vec::with_capacity(terms.len());
    for (negative, term) in terms {
        match term {
            Math::Sum(inner) => flat.extend(inner.into_iter().map(|(n, t)| (n != negative, t))),
            term => flat.push((negative, term)),
        }
    }
    match flat.as_slice() {
        [] => Math::integer(0),
        [(false, _)] => flat.remove(0).1,
        _ => Math::Sum(flat),
    }
}

pub(super) fn power(base: Math, exponent: u32) -> Math {
    match exponent {
        0 => Math::integer(1),
        1 => base,
        _ => Math::Power(base.boxed(), exponent),
    }
}

/// The terms of a sum as a printer writes them, each with its sign; `signs` are a minus in front of
/// all, a plus and a minus between two.
pub(super) fn signed(
    parts: &[(bool, Math)],
    write: fn(&Math) -> String,
    signs: [&str; 3],
) -> Vec<String> {
    if parts.is_empty() {
        return vec![write(&Math::integer(0))];
    }
    let [front, plus, minus] = signs;
    let terms = parts.iter().enumerate().map(|(i, (negative, term))| {
        let sign = match (i, negative) {
            (0, false) => "",
            (0, true) => front,
            (_, false) => plus,
            (_, true) => minus,
        };
        sign.to_owned() + &write(term)
    });
    terms.collect()
}

pub(super) fn quotient(above: Math, below: Math) -> Math {
    Math::Quotient(above.boxed(), below.boxed())
}
