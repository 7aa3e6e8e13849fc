//! Mean and variance from their derived formulas, to double precision, and the errors of other numbers.

use gaussform_symbolic::{Activation, Error, Library};
use puremp::FixedFloat;

use super::{Evaluator, Real};

/// The bits of numbers that are small relative to 1.
const FINE: u64 = 256;
/// The most bits: pictures never need more.
const MAX_BITS: u64 = 4_096;

/// The formulas of E[g], E[g²] and where it is short E|g| in one kind of numbers.
pub struct Formulas<T>(Evaluator<T>);

impl<T: Real> Formulas<T> {
    /// Derives the formulas for an activation without parameters.
    ///
    /// # Errors
    ///
    /// If a derivation takes too much work.
    ///
    /// # Panics
    ///
    /// If the activation has parameters.
    pub fn new(activation: &Activation, bits: u64) -> Result<Self, Error> {
        let mut derivations = vec![activation.moment(1)?, activation.moment(2)?];
        if let Some(modulus) = modulus(activation) {
            derivations.push(modulus.moment(1)?);
        }
        let forms: Vec<_> = derivations.iter().map(|derivation| derivation.form()).collect();
        Ok(Self(Evaluator::new(&forms, bits, FINE).expect("an activation without parameters")))
    }

    /// E[g], E[g²] − E[g]² and E|g|; instead of the last √E[g²], where the formula would be long.
    ///
    /// # Panics
    ///
    /// Never: there are two forms or three.
    #[must_use]
    pub fn moments(&self, gamma: f64, xi2: f64) -> [T; 3] {
        let mut values = self.0.values(gamma, xi2).into_iter();
        let mut next = || values.next();
        let (mean, second) = next().zip(next()).expect("two forms");
        let size = next().unwrap_or_else(|| second.sqrt());
        let variance = second.minus(&mean.times(&mean));
        [mean, variance, size]
    }
}

/// |g|, if the formula of its mean is short.
fn modulus(activation: &Activation) -> Option<Activation> {
    let library: Library = [("g".to_owned(), activation.clone())].into();
    let modulus = Activation::parse_with("|g(x)|", &library).ok()?;
    modulus.has_short_formulas().then_some(modulus)
}

/// The formulas, with enough bits that their values are right to double precision.
pub struct Truth {
    formulas: Formulas<FixedFloat>,
    bits: u64,
}

impl Truth {
    /// The truth for points whose distance from a knot is at most `distance`, in units of ξ.
    ///
    /// # Errors
    ///
    /// The errors of [`Formulas::new`].
    pub fn new(activation: &Activation, distance: f64) -> Result<Self, Error> {
        // Nothing is smaller than exp(−s²) beside 1, but for powers: 1.44 s² bits.
        let bits = (1.5 * distance * distance).clamp(0.0, 1e6);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        let bits = (FINE + bits as u64).min(MAX_BITS);
        Ok(Self { formulas: Formulas::new(activation, bits)?, bits })
    }

    /// How far these are from the mean, relative to E|g| or √E[g²] as in [`Formulas::moments`], and from the variance,
    /// relative to itself.
    #[must_use]
    pub fn errors(&self, gamma: f64, xi2: f64, moments: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let [mean, variance, size] = self.formulas.moments(gamma, xi2);
        let error = |value: f64, truth: &FixedFloat, unit: &FixedFloat| {
            let distance = (&<FixedFloat as Real>::from_f64(value, self.bits) - truth).abs();
            match (distance.is_zero(), unit.is_zero()) {
                (true, _) => 0.0,
                (_, true) => f64::INFINITY,
                _ => (&distance / unit).abs().with_precision(53).to_f64(),
            }
        };
        let of = |[m, v]: &[f64; 2]| [error(*m, &mean, &size), error(*v, &variance, &variance)];
        moments.iter().map(of).collect()
    }
}
