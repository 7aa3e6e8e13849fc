//! The signs of the terms, from the signs of the parameters: cheap, and often enough.

use std::collections::BTreeMap;

use super::{Assumption, Bound, Bounds, certificate};
use crate::polynomial::{Polynomial, Symbol, sign};

/// A sign, and whether zero is excluded.
type Direction = (i8, Bound);

/// The lower bounds of `value` and of −`value`, if all terms agree in sign.
pub(super) fn bounds(value: &Polynomial, given: &[&Assumption]) -> Bounds {
    let directions: BTreeMap<Symbol, Direction> = value
        .symbols()
        .into_iter()
        .filter_map(|symbol| direction(&symbol, given).map(|direction| (symbol, direction)))
        .collect();
    let terms: Option<Vec<Direction>> = value
        .terms()
        .map(|(monomial, coefficient)| {
            let start = (sign(coefficient), Bound::Positive);
            monomial.powers().iter().try_fold(start, |(sign, bound), (symbol, exponent)| {
                let direction = directions.get(symbol);
                if exponent % 2 == 0 {
                    // An even power is not negative, and positive if the parameter is known not to
                    // be 0.
                    let power = direction.map_or(Bound::Nonnegative, |(_, bound)| *bound);
                    return Some((sign, bound.min(power)));
                }
                direction.map(|(factor, power)| (sign * factor, bound.min(*power)))
            })
        })
        .collect();
    [1, -1].map(|wanted| {
        let terms = terms.as_ref()?;
        let agree = terms.iter().all(|(sign, _)| *sign == wanted);
        // One positive term among terms ≥ 0 makes the sum positive.
        terms.iter().map(|(_, bound)| *bound).max().filter(|_| agree)
    })
}

/// The sign of a parameter, as far as it follows from a sum of assumptions.
fn direction(symbol: &Symbol, given: &[&Assumption]) -> Option<Direction> {
    let value = Polynomial::symbol(symbol.clone());
    [(1, value.clone()), (-1, -&value)].into_iter().find_map(|(sign, value)| {
        certificate::linear_bound(&value, given).map(|bound| (sign, bound))
    })
}
