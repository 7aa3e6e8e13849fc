//! Declared parameters and relations. A comparison of a name with a number bounds the name's domain, and any other
//! comparison is a relation. A name that is one side of a comparison is declared by being mentioned.

use std::collections::BTreeSet;

use super::ast::{
    Comparison, Endpoint, Expression, ExpressionKind, Name, ParameterSyntax, RelationSyntax,
};
use crate::error::{Error, ErrorKind, Span};

/// A side of a comparison.
#[derive(Debug)]
pub(super) enum Side {
    /// An expression.
    Finite(Expression),
    /// ∞ or −∞, by its sign.
    Infinite(i8),
}

/// Parameters in the order in which they are mentioned.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// The parameters with their domains.
    pub(super) parameters: Vec<ParameterSyntax>,
    /// The relations between several parameters.
    pub(super) relations: Vec<RelationSyntax>,
    explicit: BTreeSet<String>,
}

impl Parameters {
    /// A parameter that is declared on its own: a name that is declared twice so is kept twice,
    /// for the error.
    pub(super) fn explicit(
        &mut self,
        name: Name,
        lower: Option<Endpoint>,
        upper: Option<Endpoint>,
        span: Span,
    ) {
        if !self.explicit.insert(name.text.clone()) {
            self.parameters.push(ParameterSyntax { name, lower, upper, span });
            return;
        }
        let parameter = self.mentioned(&name);
        parameter.span = span;
        for (end, right) in [(lower, false), (upper, true)] {
            if let Some(end) = end {
                bound(parameter, end, right);
            }
        }
    }

    /// left ∘ right.
    pub(super) fn relate(
        &mut self,
        left: &Side,
        comparison: Comparison,
        right: &Side,
        span: Span,
    ) -> Result<(), Error> {
        let name = |side: &Side| match side {
            Side::Finite(Expression { kind: ExpressionKind::Name(text), span }) => {
                Some(Name { text: text.clone(), span: *span })
            }
            _ => None,
        };
        let (left_name, right_name) = (name(left), name(right));
        for name in [&left_name, &right_name].into_iter().flatten() {
            self.mentioned(name);
        }
        let (left, right) = match (left, right) {
            (Side::Finite(left), Side::Finite(right)) => (left, right),
            // Numbers lie between −∞ and ∞, so that a comparison with them says nothing or is wrong.
            (Side::Infinite(sign), Side::Finite(_)) if comparison.holds(*sign) => return Ok(()),
            (Side::Finite(_), Side::Infinite(sign)) if comparison.holds(-sign) => return Ok(()),
            _ => {
                let message = "this holds for no number".to_owned();
                return Err(Error::new(ErrorKind::Domain(message), span)
                    .help("a bound that is infinite can be left out"));
            }
        };
        let closed = matches!(comparison, Comparison::LessEqual | Comparison::GreaterEqual);
        let greater = comparison.holds(1);
        let end = |value| Endpoint { value, closed };
        match (left_name, right_name, left.constant(), right.constant()) {
            (Some(name), _, _, Some(value)) => self.narrow(&name, end(value), !greater, span),
            (_, Some(name), Some(value), _) => self.narrow(&name, end(value), greater, span),
            _ => self.relations.push(RelationSyntax {
                left: left.clone(),
                comparison,
                right: right.clone(),
            }),
        }
        Ok(())
    }

    fn narrow(&mut self, name: &Name, end: Endpoint, upper: bool, span: Span) {
        let parameter = self.mentioned(name);
        parameter.span = span;
        bound(parameter, end, upper);
    }

    fn mentioned(&mut self, name: &Name) -> &mut ParameterSyntax {
        let known = self.parameters.iter().position(|known| known.name.text == name.text);
        let index = known.unwrap_or_else(|| {
            let (name, span) = (name.clone(), name.span);
            self.parameters.push(ParameterSyntax { name, lower: None, upper: None, span });
            self.parameters.len() - 1
        });
        &mut self.parameters[index]
    }
}

/// Narrows a domain at one end.
fn bound(parameter: &mut ParameterSyntax, end: Endpoint, upper: bool) {
    let place = if upper { &mut parameter.upper } else { &mut parameter.lower };
    let tighter = place.as_ref().is_none_or(|old| {
        let inside = if upper { end.value < old.value } else { end.value > old.value };
        inside || end.value == old.value && old.closed
    });
    if tighter {
        *place = Some(end);
    }
}
