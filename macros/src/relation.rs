//! Comparisons in the attribute: of a parameter with a number, and of what is made of
//! parameters by `+`, `-`, `*` and `/`.

use gaussform_symbolic::Limit;
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Endpoint, Expression, ExpressionKind, RelationSyntax,
};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Token, token};

use crate::number;
use crate::place::{Place, Places};

/// A side of a comparison.
pub(crate) struct Side {
    /// The value of the side; `None` for `inf` and `-inf`.
    value: Option<Expression>,
    /// 1 for `inf`, −1 for `-inf`, 0 for anything else.
    infinite: i8,
    /// The parameter, if it is one on its own.
    pub(crate) name: Option<Ident>,
    place: Place,
}

/// A side, and what it is compared with one after the other.
pub(crate) struct Chain {
    pub(crate) first: Side,
    pub(crate) rest: Vec<(Comparison, Side)>,
}

impl Chain {
    /// The whole of it.
    pub(crate) fn place(&self) -> Place {
        self.rest.last().map_or(self.first.place, |(_, last)| self.first.place.to(last.place))
    }
}

/// A comparison of a parameter with a number: one end of the parameter's domain.
pub(crate) struct Bound {
    pub(crate) name: Ident,
    /// `None` if the number is infinite.
    pub(crate) end: Option<Endpoint>,
    pub(crate) upper: bool,
}

/// A comparison as a bound, if it is one of a parameter with a number.
pub(crate) fn bound(left: &Side, comparison: Comparison, right: &Side) -> Option<Bound> {
    let number = |side: &Side| match &side.value {
        Some(value) => value.constant().map(Some),
        None => Some(None),
    };
    let (name, number, upper) = match (&left.name, &right.name, number(left), number(right)) {
        (Some(name), _, _, Some(number)) => (name, number, comparison.holds(-1)),
        (_, Some(name), Some(number), _) => (name, number, comparison.holds(1)),
        _ => return None,
    };
    let closed = comparison.holds(0);
    let end = number.map(|value| Endpoint { value, closed });
    Some(Bound { name: name.clone(), end, upper })
}

/// A comparison as a relation; `None` with infinity, which says nothing.
pub(crate) fn between(left: &Side, comparison: Comparison, right: &Side) -> Option<RelationSyntax> {
    let (left, right) = (left.value.clone()?, right.value.clone()?);
    Some(RelationSyntax { left, comparison, right })
}

/// Reads comparisons; Rust's own grammar has no `a < b < c`.
pub(crate) struct Sides<'a> {
    places: &'a mut Places,
    /// The names that occur.
    names: &'a mut Vec<Ident>,
    nodes: usize,
    depth: usize,
}

impl<'a> Sides<'a> {
    pub(crate) fn new(places: &'a mut Places, names: &'a mut Vec<Ident>) -> Self {
        Self { places, names, nodes: 0, depth: 0 }
    }

    /// `side`, `side < side`, `side < side < side`.
    pub(crate) fn chain(mut self, input: ParseStream<'_>) -> syn::Result<Chain> {
        let mut chain = Chain { first: self.side(input)?, rest: Vec::new() };
        while let Some(comparison) = comparison(input)? {
            let side = self.side(input)?;
            let left = chain.rest.last().map_or(&chain.first, |(_, side)| side);
            // Every number lies between −∞ and ∞.
            let infinite = left.infinite - side.infinite;
            if infinite != 0 && !comparison.holds(infinite.signum()) {
                let place = left.place.to(side.place);
                let message = "this holds for no number";
                return Err(place.advise(message, "a bound that is infinite can be left out"));
            }
            chain.rest.push((comparison, side));
        }
        let mut directions = chain.rest.iter().map(|(comparison, _)| comparison.holds(1));
        let first = directions.next();
        if first.is_none() && chain.first.name.is_none() {
            return Err(input.error("expected `<`, `<=`, `>` or `>=`"));
        }
        if directions.any(|direction| Some(direction) != first) {
            let message = "the comparisons point in different directions";
            return Err(chain.place().advise(message, "write `0 < name < 1`"));
        }
        Ok(chain)
    }

    fn side(&mut self, input: ParseStream<'_>) -> syn::Result<Side> {
        if let Some((infinite, place)) = infinity(input)? {
            return Ok(Side { value: None, infinite, name: None, place });
        }
        let before = self.names.len();
        let value = self.sum(input)?;
        // A side that is a name has read no other name.
        let alone = matches!(value.kind, ExpressionKind::Name(_));
        let name = self.names.get(before).filter(|_| alone).cloned();
        let place = self.places.place(value.span);
        Ok(Side { value: Some(value), infinite: 0, name, place })
    }

    fn sum(&mut self, input: ParseStream<'_>) -> syn::Result<Expression> {
        let mut left = self.product(input)?;
        loop {
            let operator = if input.parse::<Option<Token![+]>>()?.is_some() {
                BinaryOperator::Add
            } else if input.parse::<Option<Token![-]>>()?.is_some() {
                BinaryOperator::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product(input)?;
            left = self.binary(operator, left, right)?;
        }
    }

    fn product(&mut self, input: ParseStream<'_>) -> syn::Result<Expression> {
        let mut left = self.factor(input)?;
        loop {
            let operator = if input.parse::<Option<Token![*]>>()?.is_some() {
                BinaryOperator::Multiply
            } else if input.parse::<Option<Token![/]>>()?.is_some() {
                BinaryOperator::Divide
            } else {
                return Ok(left);
            };
            let right = self.factor(input)?;
            left = self.binary(operator, left, right)?;
        }
    }

    fn factor(&mut self, input: ParseStream<'_>) -> syn::Result<Expression> {
        let place = Place::from(input.span());
        self.depth += 1;
        if self.depth > Limit::Depth.maximum() {
            return Err(place.limit(Limit::Depth, None));
        }
        let value = self.operand(input);
        self.depth -= 1;
        value
    }

    fn operand(&mut self, input: ParseStream<'_>) -> syn::Result<Expression> {
        let place = Place::from(input.span());
        if input.parse::<Option<Token![-]>>()?.is_some() {
            let inner = self.factor(input)?;
            let place = place.to(self.places.place(inner.span));
            return self.at(place, ExpressionKind::Negation(Box::new(inner)));
        }
        if input.peek(token::Paren) {
            let content;
            let parentheses = syn::parenthesized!(content in input);
            let inner = self.sum(&content)?;
            if !content.is_empty() {
                return Err(content.error("expected an operator or `)`"));
            }
            return self.at(place.to(parentheses.span.close()), inner.kind);
        }
        if input.peek(syn::Lit) {
            let value = number::any(&input.parse()?)?;
            return self.at(place, ExpressionKind::Number(value));
        }
        if is_name(input) {
            let name: Ident = input.call(Ident::parse_any)?;
            let text = name.unraw().to_string();
            self.names.push(name);
            return self.at(place, ExpressionKind::Name(text));
        }
        Err(input.error("expected a number, a parameter or `inf`"))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
    ) -> syn::Result<Expression> {
        let place = self.places.place(left.span).to(self.places.place(right.span));
        self.at(place, ExpressionKind::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn at(&mut self, place: Place, kind: ExpressionKind) -> syn::Result<Expression> {
        self.nodes += 1;
        if self.nodes > Limit::Nodes.maximum() {
            return Err(place.limit(Limit::Nodes, None));
        }
        Ok(Expression { kind, span: self.places.span(place) })
    }
}

/// `inf` or `-inf`, if it comes next.
pub(crate) fn infinity(input: ParseStream<'_>) -> syn::Result<Option<(i8, Place)>> {
    // A minus may begin an expression too, so nothing is consumed before `inf` is seen.
    let ahead = input.fork();
    ahead.parse::<Option<Token![-]>>()?;
    if !ahead.call(Ident::parse_any).is_ok_and(|name| name == "inf") {
        return Ok(None);
    }
    let start = Place::from(input.span());
    let sign = if input.parse::<Option<Token![-]>>()?.is_some() { -1 } else { 1 };
    let name: Ident = input.parse()?;
    Ok(Some((sign, start.to(name.span()))))
}

fn comparison(input: ParseStream<'_>) -> syn::Result<Option<Comparison>> {
    // `<=` goes first, because `<` would take its first character.
    Ok(Some(if input.parse::<Option<Token![<=]>>()?.is_some() {
        Comparison::LessEqual
    } else if input.parse::<Option<Token![>=]>>()?.is_some() {
        Comparison::GreaterEqual
    } else if input.parse::<Option<Token![<]>>()?.is_some() {
        Comparison::Less
    } else if input.parse::<Option<Token![>]>>()?.is_some() {
        Comparison::Greater
    } else {
        return Ok(None);
    }))
}

/// Whether a name of a parameter comes next.
pub(crate) fn is_name(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any)
        && !input.peek(Token![in])
        && input.fork().call(Ident::parse_any).is_ok_and(|name| name != "inf")
}
