//! The derivations that answer a question, each of them checked.

use gaussform_symbolic::derivation::{Powers, Quantity};
use gaussform_symbolic::render::text;
use gaussform_symbolic::{Condition, Derivation};

use super::question::Question;
use crate::report::Failure;

/// The results for one case of an activation, as they are shown.
pub(super) struct Answer<'a> {
    pub(super) question: Question<'a>,
    /// The conditions of the case; of two activations, the conditions of both.
    pub(super) conditions: Vec<Condition>,
    /// The conditions of the case of each activation.
    pub(super) each: [&'a [Condition]; 2],
    /// Derivations that the results refer to.
    pub(super) background: Vec<Derivation>,
    /// A derivation for each quantity.
    pub(super) derivations: Vec<Derivation>,
    /// The derivations to show step by step.
    pub(super) steps: Vec<Derivation>,
    /// The moments that have proved themselves.
    certified: Vec<Powers>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        question: Question<'a>,
        conditions: Vec<Condition>,
        each: [&'a [Condition]; 2],
    ) -> Result<Self, Failure> {
        let mut derivations = Vec::new();
        let mut certified = Vec::new();
        let mut background = Vec::new();
        for plain in question.plain()? {
            let mut stages = question.stages(plain)?;
            derivations.extend(stages.pop());
            background.append(&mut stages);
        }
        // Of one activation, the last has the steps of the others in it.
        let is_last_enough = question.is_plain() && question.other.is_none();
        let first = if is_last_enough { derivations.len().saturating_sub(1) } else { 0 };
        for derivation in &derivations[first..] {
            check(derivation, &mut certified)?;
        }
        background.retain(|derivation| is_mentioned(derivation, &derivations));
        let steps = match derivations.last() {
            _ if !question.wants_steps() => Vec::new(),
            Some(last) if question.is_plain() => vec![last.clone()],
            _ => derivations.clone(),
        };
        Ok(Self { question, conditions, each, background, derivations, steps, certified })
    }

    /// The statement of the certificates, which were checked when the answer was made.
    pub(super) fn certificate(&self) -> String {
        let pair = self.question.is_pair();
        let name = |powers: &Powers| {
            text::quantity(&match pair {
                true => Quantity::Joint(powers.0, powers.1),
                false => Quantity::Moment(powers.0, powers.1),
            })
        };
        let moments: Vec<String> = self.certified.iter().map(name).collect();
        let limits = moments.iter().map(|moment| {
            moment
                .trim_start_matches("E[")
                .trim_end_matches(']')
                .replace("(u)", "(γ)")
                .replace("(w)", "(γ′)")
        });
        let limits: Vec<String> = limits.collect();
        let (solve, tend, is) = match moments.len() {
            1 => ("solves", "tends", "is"),
            _ => ("solve", "tend", "are"),
        };
        if pair {
            return format!(
                "{} {solve} ∂M/∂σ = ∂²M/∂γ∂γ′, ∂M/∂ξ² = ½ ∂²M/∂γ² and ∂M/∂ξ′² = ½ ∂²M/∂γ′², at σ = 0 \
                 {is} the product of the moments of g and h, and for (ξ², ξ′², σ) → 0 {tend} to {}",
                listed(&moments),
                listed(&limits)
            );
        }
        format!(
            "{} {solve} ∂M/∂ξ² = ½ ∂²M/∂γ² and {tend} to {} for ξ² → 0",
            listed(&moments),
            listed(&limits)
        )
    }
}

/// Whether a result is written in terms of this one, as a variance is in those of moments.
fn is_mentioned(derivation: &Derivation, results: &[Derivation]) -> bool {
    let (quantity, _) = derivation.result();
    let name = text::quantity(quantity);
    results.iter().any(|result| {
        let mut terms = result.value().terms();
        let occurs = terms.any(|(product, _)| product.contains(quantity));
        // A short result is written out in γ and ξ, and names no moment.
        let equation = text::equation(result);
        occurs && equation.split_once(" = ").is_some_and(|(_, right)| right.contains(&name))
    })
}

/// Nothing is shown that does not hold up.
fn check(derivation: &Derivation, certified: &mut Vec<Powers>) -> Result<(), Failure> {
    derivation.replay().map_err(|i| Failure::bug(format!("step {} does not follow", i + 1)))?;
    for certificate in derivation.certificates().map_err(Failure::bug)? {
        if !certified.contains(&certificate.powers) {
            certified.push(certificate.powers);
        }
    }
    for certificate in derivation.pair_certificates().map_err(Failure::bug)? {
        if !certified.contains(&certificate.powers) {
            certified.push(certificate.powers);
        }
    }
    Ok(())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [start @ .., last] if !start.is_empty() => format!("{} and {last}", start.join(", ")),
        _ => items.concat(),
    }
}
