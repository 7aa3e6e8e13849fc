//! The part of the probability of a quadrant of two pre-activations that depends on their correlation.

use gaussform_symbolic::exact::integer;

use super::Real;

/// Halvings of the step before the result is taken as it is.
const LEVELS: usize = 9;

/// E\[sgn sgn\] of two pre-activations less the product of both means.
///
/// It is the integral of (2/π) exp(−(α² − 2αβ sin θ + β²)/(2 cos² θ)) over the angle from 0 to asin ρ (Plackett
/// 1954; Drezner and Wesolowsky 1990), here in τ = tan θ/2 and by the trapezoidal rule after a double
/// exponential substitution (Takahasi and Mori 1974), which halves its step until nothing changes.
pub(super) struct Quadrant<T> {
    bits: u64,
    fine: u64,
    one: T,
    two: T,
    four_over_pi: T,
    /// The relative change below which the sum has converged.
    least: T,
    /// The nodes that each level adds, on one half of (0, 1): the distance from the end, and the weight. The
    /// first is in the middle.
    levels: Vec<Vec<[T; 2]>>,
}

impl<T: Real> Quadrant<T> {
    pub(super) fn new(bits: u64, fine: u64) -> Self {
        let number = |n| T::from_rational(&integer(n), bits);
        let (one, two) = (number(1), number(2));
        let digits = fine.min(bits);
        // The next halving squares an error.
        let halvings = if digits > 64 { digits / 2 } else { digits.saturating_sub(3) };
        let least = (0..halvings).fold(one.clone(), |least, _| least.over(&two));
        let four_over_pi = number(4).over(&T::pi(bits));
        let mut rule = Self { bits, fine, one, two, four_over_pi, least, levels: Vec::new() };
        rule.levels = (0..LEVELS).map(|level| rule.nodes(level, digits)).collect();
        rule
    }

    /// y = 1/(1 + exp(π sinh x)) for x = 0, ½, 1, …, and for each further level half-way between.
    fn nodes(&self, level: usize, digits: u64) -> Vec<[T; 2]> {
        let (step, first) = match level {
            0 => (0.5, 0.0),
            _ => (libm::exp2(-(level as f64)), libm::exp2(-(level as f64) - 1.0)),
        };
        let pi = T::pi(self.bits);
        let mut nodes = Vec::new();
        let mut x: f64 = first;
        // Beyond, a node is nearer to the end than the end is known.
        while std::f64::consts::PI * libm::sinh(x) < 0.7 * digits as f64 {
            let grown = T::from_f64(x, self.bits).exp(self.fine);
            let shrunk = self.one.over(&grown);
            let [sinh, cosh] =
                [grown.minus(&shrunk), grown.plus(&shrunk)].map(|s| s.over(&self.two));
            let small = self.negative(&pi.times(&sinh)).exp(self.fine);
            let whole = self.one.plus(&small);
            let weight = pi.times(&cosh).times(&small).over(&whole.times(&whole));
            nodes.push([small.over(&whole), weight]);
            x += step;
        }
        nodes
    }

    /// The dependence for distances α, β in standard deviations, and the tangent of half the angle whose sine is the
    /// correlation.
    pub(super) fn dependence(&self, alpha: &T, beta: &T, tangent: &T) -> T {
        let zero = T::from_f64(0.0, self.bits);
        let is_negative = *tangent < zero;
        // With −w in the place of w the correlation and the sign of the result change.
        let (beta, end) = match is_negative {
            true => (self.negative(beta), self.negative(tangent)),
            false => (beta.clone(), tangent.clone()),
        };
        let difference = alpha.minus(&beta);
        let at = Integrand {
            rule: self,
            square: difference.times(&difference),
            product: alpha.times(&beta).times(&self.two),
            rest: self.one.minus(&end),
            end: &end,
        };
        let (mut sum, mut step) = (zero.clone(), self.one.clone());
        let mut before: Option<T> = None;
        for (level, nodes) in self.levels.iter().enumerate() {
            for (i, [near, weight]) in nodes.iter().enumerate() {
                let far = self.one.minus(near);
                let mut value = at.value(near, &far);
                // The node in the middle is its own mirror image.
                if (level, i) != (0, 0) {
                    value = value.plus(&at.value(&far, near));
                }
                sum = sum.plus(&weight.times(&value));
            }
            step = step.over(&self.two);
            let now = sum.times(&step);
            if let Some(before) = before {
                let change = now.minus(&before);
                let change = if change < zero { self.negative(&change) } else { change };
                if change <= now.times(&self.least) {
                    return self.signed(&now.times(&end), is_negative);
                }
            }
            before = Some(now);
        }
        self.signed(&sum.times(&step).times(&end), is_negative)
    }

    fn signed(&self, value: &T, is_negative: bool) -> T {
        let value = value.times(&self.four_over_pi);
        if is_negative { self.negative(&value) } else { value }
    }

    fn negative(&self, value: &T) -> T {
        T::from_f64(0.0, self.bits).minus(value)
    }
}

/// exp(−(1 + τ²) ((α − β)² (1 + τ²)/(1 − τ)² + 2αβ)/(2 (1 + τ)²))/(1 + τ²), which does not cancel where τ is
/// near 1 and α near β.
struct Integrand<'a, T> {
    rule: &'a Quadrant<T>,
    square: T,
    product: T,
    end: &'a T,
    /// 1 less the end.
    rest: T,
}

impl<T: Real> Integrand<'_, T> {
    /// The integrand at τ, which is given as a fraction of the end and as 1 less this fraction.
    fn value(&self, share: &T, other: &T) -> T {
        let Quadrant { one, two, fine, .. } = self.rule;
        let tau = self.end.times(share);
        let below = self.rest.plus(&self.end.times(other));
        let above = one.plus(&tau);
        let squared = one.plus(&tau.times(&tau));
        let spread = self.square.times(&squared).over(&below.times(&below)).plus(&self.product);
        let exponent = squared.times(&spread).over(&two.times(&above).times(&above));
        self.rule.negative(&exponent).exp(*fine).over(&squared)
    }
}
