//! Second derivatives of mean and variance, for derivatives of derivatives.
//!
//! With h a piecewise polynomial and φₖ the density of u at its knot tₖ, E[h]_γγ = E[h″] + Σ (J′ₖ φₖ + Jₖ ∂φₖ/∂γ), where h″ is
//! taken piece by piece and Jₖ, J′ₖ are the jumps of h and h′. The heat equation E[h]_x = ½ E[h]_γγ, with x = ξ², gives the rest:
//!
//! ```text
//! E[h]_γx = ½ ∂/∂γ (E[h″] + Σ …)      E[h]_xx = ½ ∂/∂x (E[h″] + Σ …)
//! V_γx = E[g²]_γx − 2 m_γ m_x − 2 m m_γx      V_xx = E[g²]_xx − 2 m_x² − 2 m m_xx
//! ```
//!
//! h″ is an activation as any other, with kernels of its own. E[g]_γγ = 2 m_x and V_γγ = 2 V_x − 2 m_γ² follow from first
//! derivatives. The variance's second derivatives are differences: they lose the digits that V has fewer than E[g]² .

use gaussform_codegen::{Dynamic, DynamicError};
use gaussform_runtime::Activation as _;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Error, Knot, Parts, Piecewise};
use num_traits::ToPrimitive;

/// Bits of a knot that is no rational number.
const BITS: u32 = 256;
/// Beyond so many standard deviations a density is 0.
const FAR: f64 = 40.0;

/// The second derivatives that do not follow from first ones.
#[derive(Clone, Copy, Debug)]
pub struct SecondDerivatives {
    /// ∂²E\[g\]/∂γ∂ξ².
    pub mean_gamma_xi2: f64,
    /// ∂²E\[g\]/∂(ξ²)².
    pub mean_xi2_xi2: f64,
    /// ∂²Var g/∂γ∂ξ².
    pub variance_gamma_xi2: f64,
    /// ∂²Var g/∂(ξ²)².
    pub variance_xi2_xi2: f64,
}

/// An activation without parameters, with its square, taken apart for second derivatives.
pub struct Second {
    moments: Dynamic,
    first: Curvature,
    square: Curvature,
}

/// h″ piece by piece, and what stands on the knots besides.
struct Curvature {
    bent: Dynamic,
    knots: Vec<Jump>,
}

struct Jump {
    place: f64,
    value: f64,
    slope: f64,
}

impl Second {
    /// Of an activation without parameters.
    ///
    /// # Errors
    ///
    /// If the square has too high a degree for a kernel.
    pub fn new(activation: &Activation) -> Result<Self, DynamicError> {
        let g = &activation.function;
        let squared: Vec<Polynomial> = g.pieces().iter().map(|piece| piece.pow(2)).collect();
        Ok(Self {
            moments: Dynamic::new(activation, &[])?,
            first: Curvature::new(g.knots(), g.pieces())?,
            square: Curvature::new(g.knots(), &squared)?,
        })
    }

    /// The second derivatives at one point.
    #[must_use]
    pub fn at(&self, gamma: f64, xi2: f64) -> SecondDerivatives {
        let m = self.moments.moments_grad(gamma, xi2);
        let [mean_gamma_xi2, mean_xi2_xi2] = self.first.at(gamma, xi2);
        let [square_gamma, square_xi2] = self.square.at(gamma, xi2);
        let product = m.dmean_dgamma * m.dmean_dxi2;
        SecondDerivatives {
            mean_gamma_xi2,
            mean_xi2_xi2,
            variance_gamma_xi2: square_gamma - 2.0 * (product + m.mean * mean_gamma_xi2),
            variance_xi2_xi2: square_xi2
                - 2.0 * (m.dmean_dxi2 * m.dmean_dxi2 + m.mean * mean_xi2_xi2),
        }
    }
}

impl Curvature {
    fn new(knots: &[Knot], pieces: &[Polynomial]) -> Result<Self, DynamicError> {
        let x = Symbol::Variable;
        let slopes: Vec<Polynomial> = pieces.iter().map(|piece| piece.derivative(&x)).collect();
        let bends: Vec<Polynomial> = slopes.iter().map(|slope| slope.derivative(&x)).collect();
        let jump = |pieces: &[Polynomial], i: usize, place: &Rational| {
            let difference = &pieces[i + 1] - &pieces[i];
            let value = difference.substitute(&x, &Polynomial::constant(place.clone()));
            value.as_constant().and_then(|value| value.to_f64()).unwrap_or(f64::NAN)
        };
        let jumps = knots.iter().enumerate().filter_map(|(i, knot)| {
            let place = place(knot)?;
            let number = place.to_f64()?;
            // An irrational knot is known to many digits: what is continuous there stays so.
            let clean = |value: f64| if value.abs() < 1e-60 { 0.0 } else { value };
            let (value, slope) = (jump(pieces, i, &place), jump(&slopes, i, &place));
            Some(Jump { place: number, value: clean(value), slope: clean(slope) })
        });
        let jumps = jumps.collect();
        // The value on a knot counts for nothing in an integral.
        let values = vec![Polynomial::zero(); knots.len()];
        let function = Piecewise::from_parts(knots.to_vec(), bends, values)
            .expect("one piece more than knots");
        let parts = Parts {
            name: "bent".to_owned(),
            parameters: Vec::new(),
            relations: Vec::new(),
            conditions: Vec::new(),
            function,
        };
        let case =
            parts.assemble().map_err(|error: Error| DynamicError::Values(Box::new(error)))?;
        Ok(Self { bent: Dynamic::new(&case.activation, &[])?, knots: jumps })
    }

    /// E\[h\]_γx and E\[h\]_xx.
    fn at(&self, gamma: f64, xi2: f64) -> [f64; 2] {
        let m = self.bent.moments_grad(gamma, xi2);
        let mut sums = [m.dmean_dgamma, m.dmean_dxi2];
        let xi = xi2.sqrt();
        for Jump { place, value, slope } in &self.knots {
            let z = (place - gamma) / xi;
            if z.abs() > FAR {
                continue;
            }
            let density = (-0.5 * z * z).exp() / (xi * std::f64::consts::TAU.sqrt());
            let second = (z * z - 1.0) / xi2;
            sums[0] += density * (slope * (z / xi) + value * second);
            sums[1] += 0.5 * density * (slope * second + value * z * (z * z - 3.0) / (xi * xi2));
        }
        sums.map(|sum| 0.5 * sum)
    }
}

fn place(knot: &Knot) -> Option<Rational> {
    match knot.rational() {
        Some(value) => Some(value.clone()),
        None => {
            knot.enclosure(BITS).map(|(low, high)| (low + high) / Rational::from_integer(2.into()))
        }
    }
}
