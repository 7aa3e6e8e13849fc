//! An activation: a name, declared parameters and a piecewise polynomial.

use std::iter;

use num_traits::Signed;

use crate::assumption::Assumptions;
use crate::derivation::{Derivation, Subject};
use crate::domain::{Domain, Knot};
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::grammar::Declaration;
use crate::parameter::{Parameter, Relation};
use crate::piecewise::{Piecewise, Purpose};
use crate::polynomial::{Polynomial, Symbol};

/// A declaration without its body: what is known of the parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) relations: Vec<Relation>,
}

impl Header {
    /// The parameters.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        self.parameters.iter().map(|p| Symbol::Parameter(p.name.clone())).collect()
    }

    /// The assumptions on the parameters that the declaration states.
    pub(crate) fn assumptions(&self) -> Assumptions {
        Domain::declared(&self.parameters, &self.relations)
    }
}

/// A piecewise-polynomial function of one variable, with its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The name; `g` for a bare expression.
    pub name: String,
    /// The lines of its documentation, in Markdown.
    pub docs: Vec<String>,
    /// The declared parameters.
    pub parameters: Vec<Parameter>,
    /// The declared relations between them.
    pub relations: Vec<Relation>,
    /// The function, in normal form.
    pub function: Piecewise,
    /// The function with its values at single points, for calls by other activations.
    pub(crate) pointwise: Piecewise,
    /// The declared domains and relations of the parameters.
    pub(crate) domain: Domain,
}

impl Activation {
    pub(crate) fn declared(
        declaration: &Declaration,
        header: Header,
        domain: Domain,
        pointwise: Piecewise,
    ) -> Self {
        let name = declaration.name.text.clone();
        let docs = declaration.docs.clone();
        Self { docs, ..Self::new(name, header, domain, pointwise) }
    }

    pub(crate) fn new(name: String, header: Header, domain: Domain, pointwise: Piecewise) -> Self {
        let Header { parameters, relations } = header;
        let function = pointwise.normal_form();
        Self { name, docs: Vec::new(), parameters, relations, function, pointwise, domain }
    }

    /// The activation with other names of its parameters, each from the name that it has. Names must stay distinct.
    #[must_use]
    pub fn with_parameter_names(&self, name: impl Fn(&str) -> String) -> Self {
        let renamed = |p: &Parameter| Parameter { name: name(&p.name).into(), ..p.clone() };
        let parameters: Vec<Parameter> = self.parameters.iter().map(renamed).collect();
        let symbol = |p: &Parameter| Symbol::Parameter(p.name.clone());
        let values: Vec<(Symbol, Polynomial)> = iter::zip(&self.parameters, &parameters)
            .map(|(old, new)| (symbol(old), Polynomial::symbol(symbol(new))))
            .collect();
        let relations = self.relations.iter().map(|relation| Relation {
            lesser: relation.lesser.substitute_all(&values),
            greater: relation.greater.substitute_all(&values),
            strict: relation.strict,
        });
        let header = Header { parameters, relations: relations.collect() };
        let domain = self.domain.renamed(&values, name);
        let pointwise = self.pointwise.substitute(&values, &domain);
        let renamed = Self::new(self.name.clone(), header, domain, pointwise);
        Self { docs: self.docs.clone(), ..renamed }
    }

    /// Whether the function is proved to be ≥ 0 everywhere, for all values of the parameters that are declared.
    ///
    /// For a function without parameters this is exact: false if it is negative anywhere.
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        let is_sign =
            |value: &Polynomial| value.as_constant().is_some_and(|sign| !sign.is_negative());
        self.function
            // Zero is not negative, so it need not be told apart from what is positive.
            .sign(&self.domain, Purpose::Modulus)
            .is_ok_and(|signs| signs.pieces().iter().chain(signs.at_knots()).all(is_sign))
    }

    /// Whether a polynomial in the parameters is proved to be ≥ 0 for all of their values that are declared.
    #[must_use]
    pub fn proves_nonnegative(&self, value: &Polynomial) -> bool {
        self.domain.weak_sign(value).is_some_and(|sign| sign >= 0)
    }

    /// Whether the formulas of its moments are short enough to stand in a comment, and are derived at once: one more than
    /// the knots, times the square of the degree, is at most 4096. About as many terms are in them. An irrational knot
    /// counts as often as its minimal polynomial has degrees.
    #[must_use]
    pub fn has_short_formulas(&self) -> bool {
        const MOST_TERMS: usize = 4_096;
        let degree = usize::try_from(self.function.degree()).unwrap_or(0);
        let weight = |knot: &Knot| match knot {
            Knot::Algebraic(root) => root.minimal().degree(),
            _ => 1,
        };
        let knots: usize = self.function.knots().iter().map(weight).sum();
        (knots + 1) * degree * degree <= MOST_TERMS
    }

    /// gⁿ under the name of g.
    ///
    /// # Errors
    ///
    /// If the degree of a piece exceeds [`Limit::Degree`](crate::Limit::Degree).
    pub fn power(&self, n: u32) -> Result<Self, Error> {
        let degree = usize::try_from(self.function.degree()).unwrap_or(0) * n as usize;
        if degree > Limit::Degree.maximum() {
            let error = Error::limit(Limit::Degree, Some(degree), Span::default());
            return Err(error.help("take a lower power"));
        }
        let pointwise = self.pointwise.map(|value| value.pow(n));
        Ok(Self { function: pointwise.normal_form(), pointwise, ..self.clone() })
    }

    /// Derives E\[g(u)ⁿ\] for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If `n` exceeds [`Limit::Order`](crate::Limit::Order), or the derivation
    /// [`Limit::Work`](crate::Limit::Work).
    pub fn moment(&self, n: u32) -> Result<Derivation, Error> {
        Derivation::of_moment(self.subject(), (n, 0))
    }

    /// Derives Var g(u) for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If the derivation takes too much work.
    pub fn variance(&self) -> Result<Derivation, Error> {
        Derivation::variance(self.subject())
    }

    /// Derives the central moment E\[(g(u) − E\[g(u)\])ⁿ\] for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment), and if `n` is less than 2.
    pub fn central(&self, n: u32) -> Result<Derivation, Error> {
        Derivation::central(self.subject(), n)
    }

    /// The activation as the subject of a derivation.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let (first, domain) = (self.function.clone(), self.domain.clone());
        Subject { first, second: None, pair: false, domain }
    }

    /// The parameters and relations that both activations declare together.
    pub(crate) fn shared(&self, other: &Self) -> Result<Header, Error> {
        let mut parameters = self.parameters.clone();
        for parameter in &other.parameters {
            match parameters.iter().find(|known| known.name == parameter.name) {
                Some(known) if known == parameter => {}
                Some(known) => {
                    let kind = ErrorKind::Conflict(known.name.to_string());
                    return Err(Error::new(kind, Span::default())
                        .help(format!("`{known}` in one, `{parameter}` in the other")));
                }
                None => parameters.push(parameter.clone()),
            }
        }
        let relations = [self.relations.as_slice(), &other.relations].concat();
        Ok(Header { parameters, relations })
    }
}
