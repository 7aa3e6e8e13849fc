//! The covariance of g(u) and h(w) from its derived formulas, to double precision, and the errors of other numbers.

use gaussform_symbolic::moment::Form;
use gaussform_symbolic::{Activation, Error};
use puremp::FixedFloat;

use super::rising::rising;
use super::{Evaluator, Law, Real};

/// The bits of numbers that are small relative to 1.
const FINE: u64 = 256;
/// The most bits: pictures never need more.
const MAX_BITS: u64 = 4_096;

/// The formulas of E[g(u) h(w)], E[g(u)] and E[h(w)] in one kind of numbers.
pub struct PairFormulas<T>(Evaluator<T>);

impl<T: Real> PairFormulas<T> {
    /// Derives the formulas for activations without parameters.
    ///
    /// # Errors
    ///
    /// If a derivation takes too much work.
    ///
    /// # Panics
    ///
    /// If an activation has parameters.
    pub fn new(g: &Activation, h: &Activation, bits: u64) -> Result<Self, Error> {
        let forms = forms(g, h)?;
        Ok(Self(Evaluator::new(&forms, bits, FINE).expect("activations without parameters")))
    }

    /// E\[g(u) h(w)\] − E\[g(u)\] E\[h(w)\].
    #[must_use]
    pub fn covariance(&self, law: &Law) -> T {
        difference(&self.0.pair_values(law))
    }
}

fn forms(g: &Activation, h: &Activation) -> Result<Vec<Form>, Error> {
    let powers = [(1, 1), (1, 0), (0, 1)];
    let form = |(n, m)| g.pair_moment(n, h, m).map(|derivation| derivation.form());
    powers.into_iter().map(form).collect()
}

/// E[gh] − E[g] E[h] of these three.
fn difference<T: Real>(values: &[T]) -> T {
    values[0].minus(&values[1].times(&values[2]))
}

/// The formulas, and those of the scale of errors, with enough bits that their values are right to double precision.
pub struct PairTruth {
    evaluator: Evaluator<FixedFloat>,
    bits: u64,
}

impl PairTruth {
    /// The truth for means whose distances from the farthest knots are at most `distances`, in units of ξ and ξ′.
    ///
    /// # Errors
    ///
    /// The errors of [`PairFormulas::new`].
    ///
    /// # Panics
    ///
    /// If an activation has parameters.
    pub fn new(g: &Activation, h: &Activation, distances: [f64; 2]) -> Result<Self, Error> {
        // Nothing is smaller than exp(−(s² + t²)/2) beside 1, but for powers.
        let bits = distances.iter().map(|s| s * s).sum::<f64>().clamp(0.0, 1e6);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        let bits = (FINE + bits as u64).min(MAX_BITS);
        let mut forms = forms(g, h)?;
        forms.extend(self::forms(&rising(g)?, &rising(h)?)?);
        let evaluator = Evaluator::new(&forms, bits, FINE);
        Ok(Self { evaluator: evaluator.expect("activations without parameters"), bits })
    }

    /// Cov(g(u), h(w)), and its scale: the covariance of the increasing functions that are as steep.
    ///
    /// # Panics
    ///
    /// Never: there are six forms.
    #[must_use]
    pub fn covariance(&self, law: &Law) -> [FixedFloat; 2] {
        let values = self.evaluator.pair_values(law);
        [difference(&values[..3]), difference(&values[3..]).abs()]
    }

    /// How far these are from the covariance, relative to its scale. What double precision cannot tell from 0
    /// counts nothing.
    #[must_use]
    pub fn errors(&self, law: &Law, covariances: &[f64]) -> Vec<f64> {
        let [truth, scale] = self.covariance(law);
        let number = |value| <FixedFloat as Real>::from_f64(value, self.bits);
        let least = number(f64::MIN_POSITIVE);
        let scale = if scale > least { scale } else { least };
        let error = |value: &f64| match value.is_finite() {
            true => (&(&number(*value) - &truth).abs() / &scale).with_precision(53).to_f64(),
            false => f64::INFINITY,
        };
        covariances.iter().map(error).collect()
    }
}
