//! How much a step of a derivation takes, in products of terms: counted before it is done, so
//! that no derivation runs on for long.

use super::claim::{Claim, Factor, Rule, terms};
use crate::domain::Knot;
use crate::moment::Form;
use crate::piecewise::{ModulusForm, SignForm};
use crate::polynomial::Polynomial;

/// The products of terms that a rule forms from its premises, about.
pub(super) fn of(rule: &Rule, premises: &[&Claim]) -> usize {
    let sizes = premises.iter().map(|claim| size(claim));
    match rule {
        // Two products for each knot.
        Rule::ProductOfSigns => {
            let longest = |claim: &&Claim| match claim {
                Claim::Signs(_, form) => {
                    let jumps = form.signs.values().chain([&form.smooth]);
                    (form.signs.len() + 1, jumps.map(Polynomial::size).max().unwrap_or(0))
                }
                _ => (0, 0),
            };
            let both: Vec<(usize, usize)> = premises.iter().map(longest).collect();
            let knots: usize = both.iter().map(|(knots, _)| knots).sum();
            both.iter().fold(knots, |work, (_, size)| work.saturating_mul(*size))
        }
        // Each coefficient meets the expectation that it belongs to.
        Rule::Linearity => match premises.split_first() {
            Some((Claim::Moduli(_, form), expectations)) => {
                let terms = terms(form);
                let pairs = terms.iter().zip(expectations);
                let work = pairs.map(|((coefficient, _, factor), value)| {
                    let product = coefficient.size().saturating_mul(size(value));
                    product.saturating_mul(reduction(factor))
                });
                work.fold(0, usize::saturating_add)
            }
            _ => 0,
        },
        Rule::PairLinearity => match premises {
            [Claim::Moduli(_, g), Claim::Moduli(_, h), expectations @ ..] => {
                let (g, h) = (terms(g), terms(h));
                let pairs = g.iter().flat_map(|(p, ..)| h.iter().map(move |(q, ..)| (p, q)));
                let work = pairs.zip(expectations).map(|((p, q), value)| {
                    p.size().saturating_mul(q.size()).saturating_mul(size(value).saturating_add(1))
                });
                work.fold(0, usize::saturating_add)
            }
            _ => 0,
        },
        // E gives three terms for one and G two, none of which meets another.
        Rule::MultiplyByU => match premises {
            [Claim::Expectation(_, factor, form)] => {
                form.size().saturating_mul(3 * reduction(factor))
            }
            _ => 0,
        },
        // Each function of a pair gives one or two, with two terms in a coefficient.
        Rule::MultiplyBy(_) | Rule::DifferentiateIn(_) => sizes.sum::<usize>().saturating_mul(16),
        // Division by u − t at each knot: as many products with t as there are powers of u.
        Rule::SplitAtKnots => match premises {
            [Claim::Signs(_, form)] => {
                let of = |(knot, sign): (&Knot, &Polynomial)| {
                    let place = match knot {
                        Knot::Algebraic(root) => root.minimal().degree().pow(2),
                        other => other.polynomial().size(),
                    };
                    sign.size().saturating_mul(place).saturating_mul(2)
                };
                form.signs.iter().map(of).fold(0, usize::saturating_add)
            }
            _ => 0,
        },
        // E and G each give a few terms for one.
        _ => sizes.sum::<usize>().saturating_mul(8),
    }
}

/// By how much a term takes longer that holds an irrational knot: its powers are reduced.
fn reduction(factor: &Factor) -> usize {
    match factor {
        Factor::Sign(Knot::Algebraic(_)) | Factor::Modulus(Knot::Algebraic(_)) => 6,
        _ => 1,
    }
}

fn size(claim: &Claim) -> usize {
    match claim {
        Claim::Signs(_, form) => signs(form),
        Claim::Moduli(_, form) => moduli(form),
        Claim::Expectation(_, _, form) | Claim::Mixed(_, _, form) => Form::size(form),
        Claim::Result(_, value) => value.size(),
    }
}

fn signs(form: &SignForm) -> usize {
    form.smooth.size() + form.signs.values().map(Polynomial::size).sum::<usize>()
}

fn moduli(form: &ModulusForm) -> usize {
    let kinks = form.moduli.values().chain(form.signs.values());
    form.smooth.size() + kinks.map(Polynomial::size).sum::<usize>()
}
