//! An activation from its parts, as they were written down, and with numbers for its parameters.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::activation::{Activation, Header};
use crate::cases::{self, Case, Condition};
use crate::domain::{Domain, Knot};
use crate::error::{Error, ErrorKind, Span};
use crate::exact::Rational;
use crate::parameter::{Parameter, Relation};
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// The parts of an activation: name, parameters, relations, conditions and function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The name.
    pub name: String,
    /// The declared parameters.
    pub parameters: Vec<Parameter>,
    /// The declared relations between them.
    pub relations: Vec<Relation>,
    /// The conditions that distinguish the case, if the declaration leaves a sign or an order open.
    pub conditions: Vec<Condition>,
    /// The function with its values at single points.
    pub function: Piecewise,
}

impl Parts {
    /// The parts of a case.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        let Case { conditions, activation } = case;
        let added: Vec<Relation> = conditions.iter().filter_map(Condition::relation).collect();
        // A case has its conditions behind the declared relations.
        let declared = activation.relations.len() - added.len();
        Self {
            name: activation.name.clone(),
            parameters: activation.parameters.clone(),
            relations: activation.relations[..declared].to_vec(),
            conditions: conditions.clone(),
            function: activation.pointwise.clone(),
        }
    }

    /// The case that has these parts: the one they were taken from.
    ///
    /// # Errors
    ///
    /// If no values of the parameters satisfy what is declared, or the function is not a piecewise
    /// polynomial for all that do, with knots from left to right.
    pub fn assemble(self) -> Result<Case, Error> {
        let Self { name, parameters, relations, conditions, function } = self;
        let header = Header { parameters, relations };
        let domain = cases::domain(&header, &conditions)
            .ok_or_else(|| refusal("no values of the parameters satisfy all that is declared"))?;
        check(&function, &domain)?;
        // With the witnesses of this domain.
        let function = function.substitute(&[], &domain);
        let mut activation = Activation::new(name, header, domain, function);
        activation.relations.extend(conditions.iter().filter_map(Condition::relation));
        Ok(Case { conditions, activation })
    }
}

impl Activation {
    /// One choice of the parameters that satisfies all that is declared.
    #[must_use]
    pub fn witness(&self) -> &BTreeMap<Symbol, Rational> {
        self.domain.witness()
    }

    /// The activation with numbers for all of its parameters.
    ///
    /// ```
    /// # use gaussform_symbolic::{Activation, exact::ratio, polynomial::Symbol};
    /// let leaky = Activation::parse("leaky(x; eps in (0, 1)) = max(x, eps * x)")?;
    /// let values = [(Symbol::Parameter("eps".into()), ratio(1, 10))].into();
    /// let tenth = leaky.with_values(&values)?;
    /// assert_eq!(tenth.function, Activation::parse("max(x, x/10)")?.function);
    /// # Ok::<(), gaussform_symbolic::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a value is missing, or the values do not satisfy what is declared.
    pub fn with_values(&self, values: &BTreeMap<Symbol, Rational>) -> Result<Self, Error> {
        for parameter in &self.parameters {
            let value = values.get(&Symbol::Parameter(parameter.name.clone()));
            if !value.is_some_and(|value| parameter.contains(value)) {
                return Err(refusal(&format!("no value of `{parameter}` is given")));
            }
        }
        for relation in &self.relations {
            let difference = (&relation.greater - &relation.lesser).evaluate(values);
            if !difference.is_some_and(|difference| relation.holds(&difference)) {
                return Err(refusal(&format!("`{relation}` is declared, and does not hold")));
            }
        }
        let constant = |(symbol, value): (&Symbol, &Rational)| {
            (symbol.clone(), Polynomial::constant(value.clone()))
        };
        let values: Vec<_> = values.iter().map(constant).collect();
        let domain = Domain::default();
        let function = self.pointwise.substitute(&values, &domain);
        check(&function, &domain)?;
        Ok(Self::new(self.name.clone(), Header::default(), domain, function))
    }
}

/// Whether every place and coefficient exists, and the knots stand from left to right.
fn check(function: &Piecewise, domain: &Domain) -> Result<(), Error> {
    let knots = function.knots();
    for knot in knots {
        if let Knot::Parametric { place, .. } = knot
            && !domain.knows(place)
        {
            return Err(refusal("a knot is no quotient of polynomials in the parameters"));
        }
    }
    let ascend = |pair: &[Knot]| matches!(domain.order(&pair[0], &pair[1]), Ok(Ordering::Less));
    if !knots.windows(2).all(ascend) {
        return Err(refusal("the knots do not stand from left to right"));
    }
    let is_number = |symbol: &Symbol| matches!(symbol, Symbol::Root(_));
    let values = function.pieces().iter().chain(function.at_knots());
    for value in values {
        let sound = value.terms().all(|(monomial, _)| {
            monomial.powers().iter().all(|(symbol, exponent)| match symbol {
                Symbol::Variable => *exponent > 0,
                symbol if is_number(symbol) => *exponent > 0,
                symbol => domain.knows(&Polynomial::power(symbol.clone(), *exponent)),
            })
        });
        if !sound {
            return Err(refusal("a piece is no polynomial in u and the parameters"));
        }
    }
    Ok(())
}

fn refusal(message: &str) -> Error {
    Error::new(ErrorKind::Domain(message.to_owned()), Span::default())
}
