//! Moments and derivatives where all of the law lies on one piece: γ is far from every knot, in units of ξ, or ξ² = 0.
//!
//! With the piece Σ c_k (u − γ)ᵏ, M_n = (n − 1)!! for even n and 0 for odd n, and κ_kl = M_{k+l} − M_k M_l ≥ 0,
//!
//! ```text
//! E[g] = Σ M_k c_k (ξ²)^(k/2)      Var g = Σ κ_kl c_k c_l (ξ²)^((k+l)/2)      ∂c_k/∂γ = (k + 1) c_{k+1}
//! ```
//!
//! Derivatives are taken term by term, so that nothing is divided by ξ². Where terms cancel, as those of a polynomial without knots may,
//! there are no results. Error: some 30 units in the last place of each result's scale, which [`conditional`](super) names.

use super::measure::polynomial_at;
use super::number::Number;
use crate::kernel::number;
use crate::kernel::pieces::{MAX_DEGREE, Table, raise};
use crate::kernel::single::Far;
use crate::lanes::Lanes;

/// So many standard deviations away, the density is below the quotient of any two numbers of double precision.
const REACH: f64 = 60.0;

/// The sizes of the terms of a sum, by the sum, up to which they do not cancel.
const MOST_CANCELLED: f64 = 16.0;

/// Mean and variance with their derivatives.
pub(super) struct Near {
    pub(super) mean: Far,
    pub(super) variance: Far,
    /// The derivatives in γ and ξ² of the mean, then of the variance.
    pub(super) first: [Far; 4],
    /// ∂²/∂γ², ∂²/∂γ∂ξ² and ∂²/∂(ξ²)² of the mean, then of the variance.
    pub(super) second: [Far; 6],
}

impl Near {
    /// The results, if all of the law lies on one piece of the function and on one interval of the condition. Where ξ² > 0, the piece
    /// is not constant, so that what other pieces add is nothing beside what it adds, and its terms do not cancel.
    pub(super) fn of(
        function: &Table<'_>,
        condition: Option<&Table<'_>>,
        gamma: f64,
        xi2: f64,
    ) -> Option<Self> {
        let variance = Far::splat(xi2);
        let reach = number::<Far>(REACH) * variance.sqrt();
        let zero = number::<Far>(0.0);
        let ends = function.knots.iter().chain(condition.iter().flat_map(|table| table.knots));
        let is_far = |place: &[f64; 3]| {
            let words = [place[0], -gamma, place[1], place[2]].map(Far::splat);
            // The two large words first: they may cancel, and then the others are the distance.
            let distance = words.into_iter().fold(zero, |sum, word| sum + word).abs();
            // Without variance the reach is 0, and a knot on γ is near all the same.
            zero.lt(distance) && reach.le(distance)
        };
        if !ends.into_iter().all(is_far) {
            return None;
        }
        let coefficients = polynomial_at::<Far>(function, gamma)?;
        let is_constant = coefficients[1..].iter().all(|c| c.equals(zero));
        if xi2 > 0.0 && is_constant {
            return None;
        }
        Self::new(&coefficients, variance, function.exponent)
    }

    fn new(c: &[Far; MAX_DEGREE + 1], xi2: Far, exponent: i32) -> Option<Self> {
        let degree = c.iter().rposition(|c| !c.equals(number(0.0))).unwrap_or(0);
        let at = |k: usize| if k <= degree { c[k] } else { number(0.0) };
        // The coefficient and its two derivatives in γ.
        let jet = |k: usize| {
            let next = [k + 1, (k + 1) * (k + 2)].map(|factor| number::<Far>(factor as f64));
            [at(k), next[0] * at(k + 1), next[1] * at(k + 2)]
        };
        // M_n of even n.
        let mut moments = [number::<Far>(1.0); MAX_DEGREE + 1];
        for n in 1..=degree {
            moments[n] = moments[n - 1] * number((2 * n - 1) as f64);
        }
        let mut powers = [number::<Far>(1.0); MAX_DEGREE + 1];
        for n in 1..=degree {
            powers[n] = powers[n - 1] * xi2;
        }
        let mut mean = Sums::default();
        for k in (0..=degree).step_by(2) {
            mean.add(jet(k), moments[k / 2], k / 2, &powers);
        }
        let mut variance = Sums::default();
        for k in 1..=degree {
            // Odd and even powers have no covariance.
            for l in (k..=degree).step_by(2) {
                let both = moments[(k + l) / 2];
                let kappa = if k % 2 == 0 { both - moments[k / 2] * moments[l / 2] } else { both };
                let ([a, a1, a2], [b, b1, b2]) = (jet(k), jet(l));
                let twice = if k == l { number::<Far>(1.0) } else { number(2.0) };
                let product =
                    [a * b, a1 * b + a * b1, a2 * b + a * b2 + number::<Far>(2.0) * a1 * b1];
                variance.add(product, twice * kappa, (k + l) / 2, &powers);
            }
        }
        let most = number::<Far>(MOST_CANCELLED);
        let scale = mean.sums[0].abs().max(variance.sums[0].abs().sqrt());
        let are_right = mean.size.le(most * scale) && variance.size.le(most * variance.sums[0]);
        if !are_right {
            return None;
        }
        let [mean, variance] = [(mean, exponent), (variance, 2 * exponent)]
            .map(|(all, exponent)| all.sums.map(|sum| raise(sum, exponent)));
        Some(Self {
            mean: mean[0],
            variance: variance[0],
            first: [mean[1], mean[2], variance[1], variance[2]],
            second: [mean[3], mean[4], mean[5], variance[3], variance[4], variance[5]],
        })
    }

    /// Mean, variance and their derivatives of first order as numbers of double precision.
    pub(super) fn values(&self) -> [f64; 6] {
        let [a, b, c, d] = self.first;
        [self.mean, self.variance, a, b, c, d].map(Number::to_f64)
    }

    /// The derivatives of second order as numbers of double precision.
    pub(super) fn second(&self) -> [f64; 6] {
        self.second.map(Number::to_f64)
    }
}

/// A sum of terms.
struct Sums {
    /// The sum, ∂/∂γ, ∂/∂ξ², ∂²/∂γ², ∂²/∂γ∂ξ² and ∂²/∂(ξ²)².
    sums: [Far; 6],
    /// The sum of the sizes of the terms.
    size: Far,
}

impl Default for Sums {
    fn default() -> Self {
        Self { sums: [number(0.0); 6], size: number(0.0) }
    }
}

impl Sums {
    /// Adds a term: a coefficient with its derivatives in γ, times a number and the power n of ξ².
    fn add(&mut self, [c, c1, c2]: [Far; 3], factor: Far, n: usize, powers: &[Far]) {
        let [plain, once, twice] = [0, 1, 2].map(|less| match n.checked_sub(less) {
            // n (n − 1) … times the power that is left.
            Some(rest) => {
                let falling: usize = (rest + 1..=n).product();
                factor * number(falling as f64) * powers[rest]
            }
            None => number(0.0),
        });
        let terms = [c * plain, c1 * plain, c * once, c2 * plain, c1 * once, c * twice];
        self.size = self.size + terms[0].abs();
        for (sum, term) in self.sums.iter_mut().zip(terms) {
            *sum = *sum + term;
        }
    }
}
