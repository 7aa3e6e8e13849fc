//! The question about an activation: quantities, derivatives and limits.

use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::render::text;
use gaussform_symbolic::{Activation, Derivation, Error, Parameter};

use super::point::{Limit, symbol};
use crate::args::Inspect;
use crate::report::{Blamed as _, Complaint, Document, Failure};

/// Derivatives grow with their order.
const MAX_DERIVATIVES: usize = 8;

/// The question about one activation, or about two.
pub(super) struct Question<'a> {
    pub(super) activation: &'a Activation,
    /// A second activation, of the same u or of w.
    pub(super) other: Option<&'a Activation>,
    args: &'a Inspect,
    symbols: Vec<Symbol>,
    limits: Vec<Limit>,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        activation: &'a Activation,
        other: Option<&'a Activation>,
        args: &'a Inspect,
    ) -> Result<Self, Failure> {
        if let Some(extra) = args.wrt.get(MAX_DERIVATIVES) {
            let message = format!("at most {MAX_DERIVATIVES} derivatives are taken");
            let complaint = Complaint::new(message, "leave some `--wrt` out");
            return Err(Document::new("--wrt", extra).whole(complaint));
        }
        let both = [Some(activation), other].into_iter().flatten();
        let parameters: Vec<Parameter> = both.flat_map(|g| g.parameters.clone()).collect();
        let symbols = args.wrt.iter().map(|name| {
            symbol(name, &parameters, args.joint.is_some())
                .map_err(|complaint| Document::new("--wrt", name).whole(complaint))
        });
        let symbols = symbols.collect::<Result<_, _>>()?;
        let limits = args.limits.iter().map(|text| Limit::read(text, &parameters));
        let limits: Vec<Limit> = limits.collect::<Result<_, _>>()?;
        let question = Self { activation, other, args, symbols, limits };
        question.check_noiseless()?;
        Ok(question)
    }

    /// ξ² → 0 comes last, and distinguishes where γ is.
    fn check_noiseless(&self) -> Result<(), Failure> {
        let Some(at) = self.limits.iter().position(|limit| *limit == Limit::Noiseless) else {
            return Ok(());
        };
        let far = |limit: &Limit| matches!(limit, Limit::At(Symbol::Gamma, _));
        let complaint = if self.limits.iter().any(far) {
            Complaint::new(
                "limits in ξ² and in γ exclude each other: that in ξ² has γ anywhere",
                "leave one of them out",
            )
        } else if at + 1 < self.limits.len() {
            Complaint::new("the limit in ξ² is taken last, and once", "write it last")
        } else {
            return Ok(());
        };
        Err(Document::new("--limit", &self.args.limits[at]).whole(complaint))
    }

    /// Whether the limit for ξ² → 0 is wanted.
    pub(super) fn is_noiseless(&self) -> bool {
        self.limits.contains(&Limit::Noiseless)
    }

    /// Whether γ goes to infinity.
    pub(super) fn is_far(&self) -> bool {
        self.limits.iter().any(|limit| matches!(limit, Limit::At(Symbol::Gamma, _)))
    }

    /// The quantities asked for, as they are; the last has the derivations of the others in it.
    pub(super) fn plain(&self) -> Result<Vec<Derivation>, Failure> {
        let g = self.activation;
        if let Some(h) = self.other {
            return self.joint(h);
        }
        if let Some(n) = self.args.moment {
            return Ok(vec![g.moment(n)?]);
        }
        // The derivation of the highest moment has the others in it.
        let (largest, highest) = match self.args.central {
            Some(n) => (g.central(n)?, n),
            None => (g.variance()?, 2),
        };
        let mut all: Vec<Derivation> = (1..=highest).filter_map(|n| largest.moment(n, 0)).collect();
        all.push(largest);
        Ok(all)
    }

    /// Whether the second activation is one of a second pre-activation.
    pub(super) fn is_pair(&self) -> bool {
        self.args.joint.is_some()
    }

    fn joint(&self, h: &Activation) -> Result<Vec<Derivation>, Failure> {
        let (g, pair) = (self.activation, self.is_pair());
        let (option, text) = match (&self.args.joint, &self.args.with) {
            (Some(text), _) => ("--joint", text.as_str()),
            (None, text) => ("--with", text.as_deref().unwrap_or("")),
        };
        let document = Document::new(option, text);
        let covariance = if pair { g.pair_covariance(h) } else { g.covariance(h) };
        let covariance = covariance.map_err(|error| {
            document.whole(Complaint { message: error.kind.to_string(), help: error.help })
        })?;
        let mut all = Vec::new();
        for (n, m) in [(1, 0), (0, 1), (1, 1)] {
            all.push(if pair { g.pair_moment(n, h, m)? } else { g.joint_moment(n, h, m)? });
        }
        all.push(covariance);
        Ok(all)
    }

    /// The quantity, its derivatives and its limits, up to what was asked for.
    pub(super) fn stages(&self, plain: Derivation) -> Result<Vec<Derivation>, Failure> {
        let mut stages = vec![plain];
        let last = |stages: &[Derivation]| stages.last().expect("the plain one").clone();
        for symbol in &self.symbols {
            stages.push(last(&stages).differentiate(symbol)?);
        }
        for (limit, text) in self.limits.iter().zip(&self.args.limits) {
            let Limit::At(symbol, points) = limit else { continue };
            let derivation = last(&stages);
            let mut near = points.iter().filter(|point| derivation.comes_near(symbol, point));
            let point = near.next().unwrap_or(&points[0]);
            let name = text::quantity(derivation.result().0);
            let limit = derivation.limit(symbol, point);
            stages.push(limit.map_err(|error| self.no_limit(&name, text, error))?);
        }
        Ok(stages)
    }

    fn no_limit(&self, name: &str, text: &str, error: Error) -> Failure {
        let message = format!("no limit of {name}: {}", error.kind);
        let help = match (error.help, self.args.moment) {
            (Some(help), _) => help,
            (None, Some(_)) => "choose another point".to_owned(),
            (None, None) => "choose another point, or ask for a moment that has a limit there, as \
                             with `--moment 1`"
                .to_owned(),
        };
        Document::new("--limit", text).whole(Complaint::new(message, help))
    }

    /// Whether the quantities themselves are shown, without derivatives, and with no limit but ξ² → 0.
    pub(super) fn is_plain(&self) -> bool {
        self.symbols.is_empty() && self.limits.iter().all(|limit| *limit == Limit::Noiseless)
    }

    /// Whether the derivations are to be shown.
    pub(super) fn wants_steps(&self) -> bool {
        self.args.steps
    }
}
