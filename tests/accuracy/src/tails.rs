//! Tails of the Normal density: Tₖ(s) = ∫₀^∞ wᵏ φ(s + w) dw for s ≥ 0.
//!
//! T₀/φ, the Mills ratio, is summed from Taylor series around the multiples of 1/8, each of which
//! is computed once; the rest is forward recurrence, with bits to lose.

use std::cell::RefCell;

use puremp::RoundingMode::Nearest;

use crate::polynomial::value;
use crate::real::{Real, exponent, float, integer, one, to_f64, zero};

/// Beyond, the density is 10⁻⁸⁹⁰ and counts as 0.
pub const FAR: f64 = 64.0;

/// The distance of the points with a series.
const SPACING: f64 = 0.125;

/// Tails to a precision, with the series that they have needed so far.
#[derive(Debug)]
pub struct Tails {
    bits: u64,
    /// 1/√(2π).
    height: Real,
    series: RefCell<Vec<Option<Vec<Real>>>>,
}

impl Tails {
    /// With so many bits; about half of them may be lost in high orders far out.
    #[must_use]
    pub fn new(bits: u64) -> Self {
        Self { bits, height: height(bits), series: RefCell::new(Vec::new()) }
    }

    /// The bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// φ(s).
    #[must_use]
    pub fn density(&self, s: &Real) -> Real {
        if to_f64(s).abs() > FAR {
            return zero(self.bits);
        }
        let power = &(s * s) * &float(-0.5, self.bits);
        &power.exp() * &self.height
    }

    /// T₀ … Tₙ, given φ(s).
    #[must_use]
    pub fn tails(&self, s: &Real, density: &Real, n: usize) -> Vec<Real> {
        let mut tails = vec![&self.mills(s) * density];
        tails.push(density - &(s * &tails[0]));
        for k in 1..n {
            tails.push(&(&tails[k - 1] * &integer(k, self.bits)) - &(s * &tails[k]));
        }
        tails
    }

    /// (1 − Φ(s))/φ(s).
    #[must_use]
    pub fn mills(&self, s: &Real) -> Real {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 512")]
        let place = (to_f64(s) / SPACING).round() as usize;
        let mut series = self.series.borrow_mut();
        if series.len() <= place {
            series.resize(place + 1, None);
        }
        #[allow(clippy::cast_precision_loss, reason = "0 to 512")]
        let node = place as f64 * SPACING;
        let coefficients = series[place].get_or_insert_with(|| series_at(node, self.bits));
        value(coefficients, &(s - &float(node, self.bits)))
    }
}

fn height(bits: u64) -> Real {
    &one(bits) / &(&Real::pi(bits, Nearest) * &integer(2, bits)).sqrt()
}

/// The Taylor coefficients of the Mills ratio R around `node`: R′ = s R − 1.
fn series_at(node: f64, bits: u64) -> Vec<Real> {
    // Forward, 2 log₂ s bits are lost in each step.
    let more = 2 * bits + 400;
    let s = float(node, more);
    let mut all = vec![mills_at(node, more)];
    all.push(&(&s * &all[0]) - &one(more));
    let enough = i64::try_from(bits).unwrap_or(i64::MAX) + 16;
    // |w| ≤ 2⁻⁴.
    for n in 1.. {
        let next = &(&(&s * &all[n]) + &all[n - 1]) / &integer(n + 1, 64);
        let order = i64::try_from(n + 1).unwrap_or(i64::MAX);
        if exponent(&next) - 4 * order < exponent(&all[0]) - enough {
            break;
        }
        all.push(next);
    }
    all.into_iter().map(|c| c.with_precision(bits)).collect()
}

/// The Mills ratio by its power series or, for large s, its continued fraction.
fn mills_at(node: f64, bits: u64) -> Real {
    let s = float(node, bits + 100);
    let bits = s.precision();
    if node < 8.0 {
        // 1/(2φ) − Σ s²ᵏ⁺¹/(2k + 1)!!
        let square = &s * &s;
        let exponential = (&square * &float(0.5, bits)).exp();
        let (mut term, mut sum) = (s.clone(), zero(bits));
        let least = -i64::try_from(bits).unwrap_or(i64::MAX);
        let mut k = 1;
        while exponent(&term) > least {
            sum = &sum + &term;
            k += 2;
            term = &(&term * &square) / &integer(k, 64);
        }
        let half = &(&exponential / &height(bits)) * &float(0.5, bits);
        return &half - &sum;
    }
    // 1/(s + 1/(s + 2/(s + 3/…))), whose error is about exp(−2 s √(2n)).
    #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
    let digits = bits as f64 * std::f64::consts::LN_2;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    let n = ((digits / (2.0 * node)).powi(2) / 2.0 * 1.2) as usize + 30;
    let below = (1..=n).rev().fold(s.clone(), |below, k| &s + &(&integer(k, bits) / &below));
    &one(bits) / &below
}
