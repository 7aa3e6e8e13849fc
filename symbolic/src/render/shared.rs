//! Long polynomials that occur several times in a sum, each under a name of its own.

use super::line;
use super::math::{Math, Name};

/// Polynomials of fewer columns stay where they are.
const LONG: usize = 40;
/// Names for polynomials, as far as no parameter has them.
const LETTERS: [&str; 6] = ["P", "Q", "R", "S", "T", "U"];

/// A formula, and what the names in it stand for.
pub(super) struct Shared {
    pub(super) formula: Math,
    /// `P(γ, ξ)` or `Q(γ, ξ, t)` with its value.
    pub(super) definitions: Vec<(Math, Math)>,
}

/// A polynomial with every irrational knot in it written as t, which must be one and the same.
#[derive(Clone, PartialEq)]
struct Pattern {
    terms: Vec<(bool, Math)>,
}

/// The sum with each long polynomial that occurs in it more than once, up to its sign and the knot that it is
/// taken at, under a name.
pub(super) fn shared(formula: Math) -> Shared {
    let Math::Sum(terms) = formula else { return Shared { formula, definitions: Vec::new() } };
    let mut patterns: Vec<(Pattern, usize)> = Vec::new();
    for (_, term) in &terms {
        for (pattern, _, _) in factors(term).iter().filter_map(long) {
            match patterns.iter_mut().find(|(known, _)| *known == pattern) {
                Some((_, count)) => *count += 1,
                None => patterns.push((pattern, 1)),
            }
        }
    }
    // What stands among the terms themselves is one more.
    for (pattern, count) in &mut patterns {
        *count += usize::from(within(pattern, &terms).is_some());
    }
    let taken = parameters(&terms);
    // The quadrant of two pre-activations is a Q too.
    let is_function = |letter: &str| {
        let call = format!("{letter}(");
        terms.iter().any(|(_, term)| line::math(term).contains(&call))
    };
    let is_free = |letter: &&str| !taken.iter().any(|name| name == letter) && !is_function(letter);
    let letters = LETTERS.into_iter().filter(is_free);
    let named: Vec<(Pattern, &'static str)> =
        patterns.into_iter().filter(|(_, count)| *count > 1).map(|(p, _)| p).zip(letters).collect();
    let mut terms = terms;
    for (pattern, letter) in &named {
        if let Some((first, minus)) = within(pattern, &terms) {
            terms.drain(first..first + pattern.terms.len());
            terms.insert(first, (minus, name(letter, pattern, None)));
        }
    }
    let terms = terms.into_iter().map(|(minus, term)| replaced(minus, term, &named)).collect();
    let definition = |(pattern, letter): &(Pattern, &'static str)| {
        let knot = knots(&pattern.terms).first().copied();
        (name(letter, pattern, knot), Math::Sum(pattern.terms.clone()))
    };
    Shared { formula: Math::Sum(terms), definitions: named.iter().map(definition).collect() }
}

/// The variables of polynomials besides parameters, in the order of arguments.
const VARIABLES: [Name; 8] = [
    Name::Variable,
    Name::OtherVariable,
    Name::Gamma,
    Name::Xi,
    Name::GammaOther,
    Name::XiOther,
    Name::Covariance,
    Name::Determinant,
];

/// A pattern under a name, at a knot if there is one in it.
fn name(letter: &'static str, pattern: &Pattern, knot: Option<usize>) -> Math {
    let mut occurs = [false; VARIABLES.len()];
    names(&pattern.terms, &mut |name| {
        let root = match name {
            Name::Xi2 => &Name::Xi,
            Name::Xi2Other => &Name::XiOther,
            other => other,
        };
        if let Some(place) = VARIABLES.iter().position(|variable| variable == root) {
            occurs[place] = true;
        }
    });
    let variables = VARIABLES.into_iter().zip(occurs).filter(|(_, occurs)| *occurs);
    let arguments = variables.map(|(name, _)| name).chain(knot.map(Name::Knot));
    Math::Name(Name::Shared(letter, arguments.collect()))
}

fn factors(term: &Math) -> &[Math] {
    match term {
        Math::Product(factors) => factors,
        other => std::slice::from_ref(other),
    }
}

/// A long sum in at most one knot: its pattern, whether that has the other sign, and the knot.
fn long(factor: &Math) -> Option<(Pattern, bool, Option<usize>)> {
    let Math::Sum(terms) = factor else { return None };
    if line::math(factor).chars().count() < LONG {
        return None;
    }
    let knot = match knots(terms).as_slice() {
        [] => None,
        [one] => Some(*one),
        _ => return None,
    };
    // Signs are kept relative to the first, so that a sum and its negative have one pattern.
    let negative = terms.first()?.0;
    let any = |(minus, term): &(bool, Math)| {
        let term = term.clone().renamed(&|name| match name {
            Name::Knot(_) => Name::Knot(0),
            other => other,
        });
        (*minus != negative, term)
    };
    Some((Pattern { terms: terms.iter().map(any).collect() }, negative, knot))
}

/// Where the terms of a pattern without knots stand one after the other, and whether with the other sign.
fn within(pattern: &Pattern, terms: &[(bool, Math)]) -> Option<(usize, bool)> {
    let found = terms.windows(pattern.terms.len()).position(|window| {
        let flipped = window[0].0 != pattern.terms[0].0;
        let pairs = window.iter().zip(&pattern.terms);
        pairs
            .into_iter()
            .all(|((minus, term), (sign, other))| term == other && (*minus != *sign) == flipped)
    })?;
    Some((found, terms[found].0))
}

fn replaced(minus: bool, term: Math, named: &[(Pattern, &'static str)]) -> (bool, Math) {
    let mut minus = minus;
    let mut replace = |factor: Math| {
        let Some((pattern, negative, knot)) = long(&factor) else { return factor };
        match named.iter().find(|(known, _)| *known == pattern) {
            Some((pattern, letter)) => {
                minus ^= negative;
                name(letter, pattern, knot)
            }
            None => factor,
        }
    };
    let term = match term {
        Math::Product(factors) => Math::Product(factors.into_iter().map(replace).collect()),
        other => replace(other),
    };
    (minus, term)
}

/// The numbers of the irrational knots in a sum, each once.
fn knots(terms: &[(bool, Math)]) -> Vec<usize> {
    let mut all = Vec::new();
    names(terms, &mut |name| {
        if let Name::Knot(knot) = name {
            all.push(*knot);
        }
    });
    all.sort_unstable();
    all.dedup();
    all
}

fn parameters(terms: &[(bool, Math)]) -> Vec<String> {
    let mut all = Vec::new();
    names(terms, &mut |name| {
        if let Name::Parameter(parameter) = name {
            all.push(parameter.clone());
        }
    });
    all
}

/// Visits the names in a sum.
fn names(terms: &[(bool, Math)], visit: &mut impl FnMut(&Name)) {
    // `renamed` takes a function that changes nothing, but the visitor collects.
    let visit = std::cell::RefCell::new(visit);
    for (_, term) in terms {
        term.clone().renamed(&|name| {
            visit.borrow_mut()(&name);
            name
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Math, Name, Shared, long, names, shared};
    use crate::Activation;
    use crate::render::{mathml, steps, text};

    /// Every sum with a positive first term, the sign before it, as the names have them.
    fn signed((minus, term): (bool, Math)) -> (bool, Math) {
        let Math::Product(factors) = term else { return (minus, term) };
        let mut minus = minus;
        let factors = factors.into_iter().map(|factor| match long(&factor) {
            Some((_, true, _)) => {
                minus = !minus;
                let Math::Sum(terms) = factor else { unreachable!("a sum is long") };
                Math::Sum(terms.into_iter().map(|(minus, term)| (!minus, term)).collect())
            }
            _ => factor,
        });
        let factors = factors.collect();
        (minus, Math::Product(factors))
    }

    /// The formula with the names' values in their places.
    fn restored(Shared { formula, definitions }: Shared) -> Vec<(bool, Math)> {
        let value = |letter: &str, arguments: &[Name]| {
            let is_it = |(name, _): &&(Math, Math)| matches!(name, Math::Name(Name::Shared(other, _)) if *other == letter);
            let (_, value) =
                definitions.iter().find(is_it).expect("every name stands for something");
            value.clone().renamed(&|name| match (name, arguments.last()) {
                (Name::Knot(0), Some(Name::Knot(knot))) => Name::Knot(*knot),
                (other, _) => other,
            })
        };
        let Math::Sum(terms) = formula else { return vec![(false, formula)] };
        let mut all = Vec::new();
        for (minus, term) in terms {
            match term {
                Math::Name(Name::Shared(letter, arguments)) => {
                    let Math::Sum(terms) = value(letter, &arguments) else { unreachable!("a sum") };
                    all.extend(terms.into_iter().map(|(sign, term)| (sign != minus, term)));
                }
                Math::Product(factors) => {
                    let factors = factors.into_iter().map(|factor| match factor {
                        Math::Name(Name::Shared(letter, arguments)) => value(letter, &arguments),
                        other => other,
                    });
                    all.push((minus, Math::Product(factors.collect())));
                }
                other => all.push((minus, other)),
            }
        }
        all
    }

    #[test]
    fn names_stand_for_what_was_there() {
        let mut named = 0;
        for text in [
            "|x^12 - 7*x^10 + 3*x^5 - x - 1|",
            "|x^6 - 3*x^4 + x + 1/2|",
            "max(x^5 - 2*x^3 + x, 1 - x)",
            "f(x; a < b) = clamp(x, a, b)^5",
            "f(x; P > 0) = |x^2 - P^2|*(x^4 + 2*x^3 - x + 5)",
            "max(0, x)^6 - x^4*|x - 1|",
            "|x|",
        ] {
            let g = Activation::parse(text).expect("valid");
            for derivation in [g.moment(1), g.moment(2), g.variance()] {
                let derivation = derivation.expect("a low order");
                let formula = steps::value(&derivation, derivation.value());
                let Math::Sum(terms) = formula.clone() else { continue };
                let short = shared(formula);
                named += short.definitions.len();
                let taken = |name: &Name| matches!(name, Name::Parameter(other) if other == "P");
                if let Math::Sum(terms) = &short.formula {
                    let mut both = [false, false];
                    names(terms, &mut |name| {
                        both[0] |= taken(name);
                        both[1] |= matches!(name, Name::Shared("P", _));
                    });
                    assert!(both != [true, true], "one name for two things in {text}");
                }
                let terms: Vec<_> = terms.into_iter().map(signed).collect();
                assert_eq!(restored(short), terms, "{text}");
            }
        }
        assert!(named >= 5, "{named}");
    }

    #[test]
    fn steps_have_the_names_of_their_equations() {
        let g = Activation::parse("|x^6 - 3*x^4 + x + 1/2|").expect("valid");
        let derivation = g.moment(1).expect("a low order");
        let name = "where P(γ, ξ) = ";
        assert!(text::equation(&derivation).contains(name));
        for steps in [text::steps(&derivation), text::steps_within(&derivation, 80)] {
            assert!(steps.contains(name) && steps.contains(" P(γ, ξ)"), "{steps}");
        }
        assert!(mathml::steps(&derivation).contains("where&#xa0;"));
    }
}
