//! Two activations: of one pre-activation, or of one each.

use crate::activation::Activation;
use crate::derivation::{Derivation, Subject};
use crate::error::{Error, ErrorKind, Span};
use crate::lower;

/// The names of the second pre-activation and of its law, which no parameter may have.
const RESERVED: [&str; 4] = ["w", "gamma_h", "xi2_h", "cov"];

impl Activation {
    /// Derives E\[g(u)ⁿ h(u)ᵐ\] for two activations of the same u ~ N(γ, ξ²). Parameters of the
    /// same name are the same.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment), and if the order of the knots of both does not follow from
    /// what the two declare.
    pub fn joint_moment(&self, n: u32, other: &Self, m: u32) -> Result<Derivation, Error> {
        Derivation::of_moment(self.with(other)?, (n, m))
    }

    /// Derives Cov(g(u), h(u)) for two activations of the same u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`joint_moment`](Self::joint_moment).
    pub fn covariance(&self, other: &Self) -> Result<Derivation, Error> {
        Derivation::covariance(self.with(other)?)
    }

    /// Derives E\[g(u)ⁿ h(w)ᵐ\] for jointly Normal pre-activations u and w with means γ and γ′,
    /// variances ξ² and ξ′² and covariance σ. Parameters of the same name are the same.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment) and of [`pair`](Self::pair).
    pub fn pair_moment(&self, n: u32, other: &Self, m: u32) -> Result<Derivation, Error> {
        Derivation::pair_moment(self.pair(other)?, (n, m))
    }

    /// Derives Cov(g(u), h(w)) for jointly Normal pre-activations u and w.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`pair_moment`](Self::pair_moment).
    pub fn pair_covariance(&self, other: &Self) -> Result<Derivation, Error> {
        Derivation::pair_covariance(self.pair(other)?)
    }

    /// Both as functions of the same parameters, whose knots have a known order: the subject of
    /// [`joint_moment`](Self::joint_moment) and [`covariance`](Self::covariance).
    ///
    /// # Errors
    ///
    /// If parameters of the same name differ, or the order of the knots does not follow from what
    /// the two declare.
    pub fn with(&self, other: &Self) -> Result<Subject, Error> {
        let header = self.shared(other)?;
        let (domain, first, second) = lower::together(&header, &self.function, &other.function)?;
        Ok(Subject { first, second: Some(second), pair: false, domain })
    }

    /// Both as functions of the same parameters, of one pre-activation each: the subject of
    /// [`pair_moment`](Self::pair_moment) and [`pair_covariance`](Self::pair_covariance). Knots of
    /// one have no order with those of the other.
    ///
    /// # Errors
    ///
    /// If parameters of the same name differ, if one has the name of the second pre-activation or of its law, or if no
    /// values satisfy what the two declare.
    pub fn pair(&self, other: &Self) -> Result<Subject, Error> {
        let header = self.shared(other)?;
        if let Some(taken) = header.parameters.iter().find(|p| RESERVED.contains(&&*p.name)) {
            let message = format!(
                "`{}` cannot be the name of a parameter beside two pre-activations",
                taken.name
            );
            return Err(Error::new(ErrorKind::Domain(message), Span::default())
                .help("the second pre-activation and its law are named so; choose another name"));
        }
        let (domain, first, second) = lower::beside(&header, &self.function, &other.function)?;
        Ok(Subject { first, second: Some(second), pair: true, domain })
    }
}
