//! `gaussform inspect`: formulas and derivations for people.

use gaussform_symbolic::derivation::Quantity;
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::render::{latex, text};
use gaussform_symbolic::{Activation, Derivation};

use crate::args::{Format, Inspect};
use crate::report::{Complaint, Document, Failure};
use crate::style::Style;
use crate::{Outcome, number, output, source};

/// Derivatives grow with their order.
const MAX_DERIVATIVES: usize = 8;

pub(crate) fn run(args: &Inspect) -> Result<Outcome, Failure> {
    if let Some(extra) = args.wrt.get(MAX_DERIVATIVES) {
        let message = format!("at most {MAX_DERIVATIVES} derivatives are taken");
        let complaint = Complaint::new(message, "leave some `--wrt` out");
        return Err(Document::new("--wrt", extra).whole(complaint));
    }
    let mut shown = Vec::new();
    for activation in source::activations(&args.subject)? {
        let answer = Answer::new(&activation, args)?;
        shown.push(match args.format {
            Format::Text => answer.text(Style::stdout()),
            Format::Latex => answer.latex(),
        });
    }
    output::deliver(&shown.join("\n"), None)?;
    Ok(Outcome::Done)
}

/// What was asked about one activation.
struct Answer<'a> {
    activation: &'a Activation,
    /// One for each quantity.
    derivations: Vec<Derivation>,
    /// The power, if just one was asked for.
    moment: Option<u32>,
    /// The derivations to show step by step.
    steps: Vec<Derivation>,
}

impl<'a> Answer<'a> {
    fn new(activation: &'a Activation, args: &Inspect) -> Result<Self, Failure> {
        let symbols = symbols(activation, &args.wrt)?;
        let plain = match args.moment {
            Some(n) => vec![activation.moment(n)?],
            None => {
                // The largest first: if it is refused, nothing was derived in vain.
                let variance = activation.variance()?;
                vec![activation.moment(1)?, activation.moment(2)?, variance]
            }
        };
        let differentiate =
            |derivation: Derivation| symbols.iter().fold(derivation, |d, s| d.differentiate(s));
        let derivations: Vec<Derivation> = plain.into_iter().map(differentiate).collect();
        for derivation in &derivations {
            check(derivation)?;
        }
        // The derivation of the variance has those of the moments in it.
        let steps = match derivations.last() {
            _ if !args.steps => Vec::new(),
            Some(variance) if symbols.is_empty() => vec![variance.clone()],
            _ => derivations.clone(),
        };
        Ok(Self { activation, derivations, moment: args.moment, steps })
    }

    fn text(&self, style: Style) -> String {
        let mut heading = vec!["u ~ N(γ, ξ²)".to_owned()];
        heading.extend(self.activation.parameters.iter().map(|parameter| {
            let written = parameter.to_string();
            let letter = text::form(&Form::from(Polynomial::symbol(Symbol::Parameter(
                parameter.name.clone(),
            ))));
            letter + written.strip_prefix(&*parameter.name).unwrap_or("")
        }));
        let mut parts = vec![
            format!("{}   {}\n", style.heading(&self.activation.name), heading.join(", ")),
            text::definition("g", &self.activation.function) + "\n",
        ];
        parts.extend(self.derivations.iter().map(|d| text::equation(d) + "\n"));
        for derivation in &self.steps {
            let title = format!("Derivation of {}", text::quantity(derivation.result().0));
            parts.push(format!("{}\n\n{}", style.heading(&title), text::steps(derivation)));
        }
        parts.push(format!("{} {}\n", style.good("Certified:"), self.certificate()));
        parts.join("\n")
    }

    /// What the certificates say that were checked when the answer was made.
    fn certificate(&self) -> String {
        let powers = match self.moment {
            Some(n) => vec![n],
            None => vec![1, 2],
        };
        let moments: Vec<String> =
            powers.iter().map(|n| text::quantity(&Quantity::Moment(*n))).collect();
        let limits = moments.iter().map(|moment| {
            let power = moment.trim_start_matches("E[g(u)").trim_end_matches(']');
            format!("g(γ){power}")
        });
        let limits: Vec<String> = limits.collect();
        let (solve, tend) = if powers.len() == 1 { ("solves", "tends") } else { ("solve", "tend") };
        format!(
            "{} {solve} ∂M/∂ξ² = ½ ∂²M/∂γ² and {tend} to {} for ξ² → 0",
            moments.join(" and "),
            limits.join(" and ")
        )
    }

    fn latex(&self) -> String {
        let declared = number::declared(self.activation);
        let separator = if declared.is_empty() { "" } else { "; " };
        let mut parts = vec![
            format!("% {}(u{separator}{declared})\n", self.activation.name),
            latex::definition("g", &self.activation.function) + "\n",
        ];
        parts.extend(self.derivations.iter().map(|d| latex::equation(d) + "\n"));
        parts.extend(self.steps.iter().map(|d| latex::steps(d) + "\n"));
        parts.concat()
    }
}

/// Nothing is shown that does not hold up.
fn check(derivation: &Derivation) -> Result<(), Failure> {
    derivation.replay().map_err(|i| Failure::bug(format!("step {} does not follow", i + 1)))?;
    derivation.certificates().map_err(Failure::bug)?;
    Ok(())
}

fn symbols(activation: &Activation, names: &[String]) -> Result<Vec<Symbol>, Failure> {
    names.iter().map(|name| symbol(activation, name)).collect()
}

fn symbol(activation: &Activation, name: &str) -> Result<Symbol, Failure> {
    if let Some(parameter) = activation.parameters.iter().find(|p| *p.name == *name) {
        return Ok(Symbol::Parameter(parameter.name.clone()));
    }
    match name {
        "gamma" | "γ" => Ok(Symbol::Gamma),
        "xi2" | "ξ²" | "ξ2" => Ok(Symbol::Xi2),
        _ => {
            let message = format!("`{name}` is no symbol of `{}`", activation.name);
            let mut known = vec!["gamma", "xi2"];
            known.extend(activation.parameters.iter().map(|p| &*p.name));
            let help = format!("differentiate in {}", known.join(" or "));
            Err(Document::new("--wrt", name).whole(Complaint::new(message, help)))
        }
    }
}
