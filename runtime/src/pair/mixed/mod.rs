//! E\[g(u) h(w)\] right relative to itself, its logarithm, and the derivatives of both.
//!
//! With x = (u − γ)/ξ and E\[h | x\] the moment of w given u,
//!
//! ```text
//! E[g h]      = ∫ g φ E[h | x] dx                 ξ ∂/∂γ   = ∫ g′ φ E[h | x] dx + Σ J φ E[h | x]
//! ξξ′ ∂/∂c    = ∫ g′ φ E[h′ | x] dx + Σ J φ E[h′ | x]
//! 2ξ² ∂/∂ξ²   = ∫ g″ φ E[h | x] dx + Σ K φ E[h | x] − Σ J (φ E[h | x])′
//! ```
//!
//! with J and K the jumps of g and of its slope at its knots, and the derivatives of g in x, of h in (w − γ′)/ξ′. Those in γ′ and ξ′² are the
//! same with both pre-activations exchanged. For functions that are nowhere negative no term of E\[g h\] is, so that nothing cancels; a
//! derivative is right relative to what it would be with the absolute values of the derivatives of g and h.
//!
//! E\[h | x\] comes from the kernel of one pre-activation, the integrals from Gauss–Legendre rules on panels around the places
//! where each two pieces come nearest to the mean (`integrand`). All places are double words, and weights have exponents of their own, so that
//! probabilities of 10⁻³⁰⁰ and of e^(−10¹⁵) are as good as ½. Where even these underflow, beyond 2²⁹ deviations, the nearest point alone counts, and the result for
//! larger variances is scaled.
//!
//! Error: 16 ulp of E\[g h\] itself and 10⁻¹⁴ of the scales of its derivatives, for functions that are nowhere negative.

mod integrand;

use alloc::vec::Vec;

use integrand::{Deviation, Given, Level, Rectangle, Standard, Word};

use super::law::{Inputs, ScaledLaw};
use crate::constants::rules;
use crate::kernel::exponential::density_in_unit;
use crate::kernel::pieces::Table;
use crate::kernel::single::Far;
use crate::kernel::{density_unit, word};
use crate::lanes::Lanes;
use crate::lanes::double::two_product;
use crate::{Activation, Piecewise};

/// E\[g(u) h(w)\], its logarithm, and the derivatives of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedMoment {
    /// E\[g(u) h(w)\]. Of functions that are negative somewhere it is right relative to E|g(u) h(w)|.
    pub mixed: f64,
    /// ∂E\[g h\]/∂γ.
    pub dmixed_dgamma: f64,
    /// ∂E\[g h\]/∂ξ².
    pub dmixed_dxi2: f64,
    /// ∂E\[g h\]/∂γ′.
    pub dmixed_dgamma_h: f64,
    /// ∂E\[g h\]/∂ξ′².
    pub dmixed_dxi2_h: f64,
    /// ∂E\[g h\]/∂c = E\[g′(u) h′(w)\].
    pub dmixed_dcov: f64,
    /// ln E\[g h\], a number where E\[g h\] underflows. Like its derivatives it is NaN unless both functions are
    /// [nowhere negative](Activation::is_nonnegative).
    pub log_mixed: f64,
    /// ∂ ln E\[g h\]/∂γ.
    pub dlog_mixed_dgamma: f64,
    /// ∂ ln E\[g h\]/∂ξ².
    pub dlog_mixed_dxi2: f64,
    /// ∂ ln E\[g h\]/∂γ′.
    pub dlog_mixed_dgamma_h: f64,
    /// ∂ ln E\[g h\]/∂ξ′².
    pub dlog_mixed_dxi2_h: f64,
    /// ∂ ln E\[g h\]/∂c.
    pub dlog_mixed_dcov: f64,
}

impl MixedMoment {
    /// The names of the fields, in their order.
    pub const NAMES: [&'static str; 12] = [
        "mixed",
        "dmixed_dgamma",
        "dmixed_dxi2",
        "dmixed_dgamma_h",
        "dmixed_dxi2_h",
        "dmixed_dcov",
        "log_mixed",
        "dlog_mixed_dgamma",
        "dlog_mixed_dxi2",
        "dlog_mixed_dgamma_h",
        "dlog_mixed_dxi2_h",
        "dlog_mixed_dcov",
    ];

    /// The numbers in the order of the fields.
    #[must_use]
    pub fn to_array(self) -> [f64; 12] {
        [
            self.mixed,
            self.dmixed_dgamma,
            self.dmixed_dxi2,
            self.dmixed_dgamma_h,
            self.dmixed_dxi2_h,
            self.dmixed_dcov,
            self.log_mixed,
            self.dlog_mixed_dgamma,
            self.dlog_mixed_dxi2,
            self.dlog_mixed_dgamma_h,
            self.dlog_mixed_dxi2_h,
            self.dlog_mixed_dcov,
        ]
    }

    /// From the moment with its derivatives, and from the logarithm with its own.
    fn new(values: [f64; 6], logarithms: [f64; 6]) -> Self {
        let [mixed, gamma, xi2, gamma_h, xi2_h, cov] = values;
        let [log, log_gamma, log_xi2, log_gamma_h, log_xi2_h, log_cov] = logarithms;
        Self {
            mixed,
            dmixed_dgamma: gamma,
            dmixed_dxi2: xi2,
            dmixed_dgamma_h: gamma_h,
            dmixed_dxi2_h: xi2_h,
            dmixed_dcov: cov,
            log_mixed: log,
            dlog_mixed_dgamma: log_gamma,
            dlog_mixed_dxi2: log_xi2,
            dlog_mixed_dgamma_h: log_gamma_h,
            dlog_mixed_dxi2_h: log_xi2_h,
            dlog_mixed_dcov: log_cov,
        }
    }
}

/// E\[g(u) h(w)\] relative to itself, its logarithm, and the derivatives of both in means, variances and the covariance.
///
/// [`moments`](super::moments) is many times faster, and gives E\[g h\] relative to |Cov| + |E\[g\] E\[h\]|. This function is for
/// what is far smaller than these (joint exceedances, orthant probabilities), and for logarithms.
///
/// Where the numbers are no law ([`Inputs::check`]), all results are NaN. Derivatives where |ρ| = 1 are limits from inside: where jumps of both
/// functions meet there, those in c and in the variances are ±∞.
#[must_use]
pub fn mixed_moment<G, H>(g: &G, h: &H, at: Inputs) -> MixedMoment
where
    G: Piecewise + Activation<f64> + ?Sized,
    H: Piecewise + Activation<f64> + ?Sized,
{
    if at.check().is_err() {
        return MixedMoment::new([f64::NAN; 6], [f64::NAN; 6]);
    }
    let scaled = if at.cov == 0.0 { None } else { at.scaled() };
    let [values, mut logarithms] = match scaled {
        None => apart(g, h, at),
        Some(scaled) => g.with_pieces(|g| h.with_pieces(|h| together(g, h, at, scaled))),
    };
    if !g.is_nonnegative() || !h.is_nonnegative() {
        logarithms = [f64::NAN; 6];
    }
    MixedMoment::new(values, logarithms)
}

/// The product of both means, and the sum of their logarithms.
fn apart<G, H>(g: &G, h: &H, at: Inputs) -> [[f64; 6]; 2]
where
    G: Activation<f64> + ?Sized,
    H: Activation<f64> + ?Sized,
{
    let (first, second) = (g.moments_grad(at.gamma, at.xi2), h.moments_grad(at.gamma_h, at.xi2_h));
    let logs = (g.log_moments_grad(at.gamma, at.xi2), h.log_moments_grad(at.gamma_h, at.xi2_h));
    // A slope of 0 is one for all variances about 0, where that of a jump tends to infinity.
    let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
    let values = [
        first.mean * second.mean,
        product(first.dmean_dgamma, second.mean),
        product(first.dmean_dxi2, second.mean),
        product(first.mean, second.dmean_dgamma),
        product(first.mean, second.dmean_dxi2),
        product(first.dmean_dgamma, second.dmean_dgamma),
    ];
    let (log, log_h) = logs;
    let logarithms = [
        log.log_mean + log_h.log_mean,
        log.dlog_mean_dgamma,
        log.dlog_mean_dxi2,
        log_h.dlog_mean_dgamma,
        log_h.dlog_mean_dxi2,
        product(log.dlog_mean_dgamma, log_h.dlog_mean_dgamma),
    ];
    [values, logarithms]
}

/// Up to this square of the distance a density is a normal number.
const NEAR: f64 = 1000.0;
/// Beyond this square of the distance the nearest point alone counts.
const FARTHEST: f64 = (1_u64 << 58) as f64;

fn together(g: &Table<'_>, h: &Table<'_>, at: Inputs, scaled: ScaledLaw) -> [[f64; 6]; 2] {
    let both = Both::new(g, h, at, scaled);
    let (smooth, square) = both.sides[0].smooth([0, 1, 2], 0);
    // Where a power of 4 brings the nearest point.
    let quarters = if square > FARTHEST { libm::ilogb(square / FARTHEST) / 2 + 1 } else { 0 };
    if quarters == 0 {
        return both.results(smooth);
    }
    let ratio = libm::scalbn(1.0, 2 * quarters);
    let [xi2, xi2_h, cov] = [at.xi2, at.xi2_h, at.cov].map(|x| x * ratio);
    let wide = Inputs { xi2, xi2_h, cov, ..at };
    let scaled = if wide.check().is_ok() { wide.scaled() } else { None };
    let Some(scaled) = scaled else { return [[f64::NAN; 6]; 2] };
    // ln E is proportional to the reciprocal of the ratio, up to what is nothing beside it.
    let [_, [log, gamma, by_xi2, gamma_h, by_xi2_h, by_cov]] = together(g, h, wide, scaled);
    let along = by_xi2 * xi2 + by_xi2_h * xi2_h + by_cov * cov;
    let logarithms = [
        log - (ratio - 1.0) * along,
        gamma * ratio,
        by_xi2 * ratio * ratio,
        gamma_h * ratio,
        by_xi2_h * ratio * ratio,
        by_cov * ratio * ratio,
    ];
    [[0.0; 6], logarithms]
}

/// √x of a word.
fn root(x: Word) -> Word {
    let root = libm::sqrt(x[0]);
    let rest = word::subtract(x, two_product(root, root));
    [root, rest[0] / (2.0 * root)]
}

/// One function seen from its pre-activation, and the other one given that. With |ρ| = 1 the other one is a function of the same number.
struct Side {
    function: Standard,
    other: Standard,
    given: Option<Given>,
    rho: f64,
    /// κ, or ρ where |ρ| = 1.
    steepness: f64,
    /// The deviations of the pre-activation, and of the other one given it; of the other one itself where |ρ| = 1.
    deviations: [Deviation; 2],
}

struct Both {
    sides: [Side; 2],
    /// The sign of what jumps of both functions at one place add to ∂/∂c where |ρ| = 1; 0 without such jumps.
    common_jumps: f64,
}

impl Both {
    fn new(
        g: &Table<'_>,
        h: &Table<'_>,
        at: Inputs,
        ScaledLaw { law, exponents }: ScaledLaw,
    ) -> Self {
        let roots = law.variance.map(|variance| root([variance, 0.0]));
        let deviations = [0, 1].map(|i| Deviation::new(roots[i], exponents[i]));
        let (tables, means) = ([g, h], [at.gamma, at.gamma_h]);
        let functions = [0, 1].map(|i| Standard::new(tables[i], means[i], deviations[i]));
        let side = |i: usize| {
            let (function, other) = (functions[i].clone(), functions[1 - i].clone());
            if law.is_degenerate() {
                let rho = 1.0_f64.copysign(law.covariance);
                let deviations = [deviations[i], deviations[1 - i]];
                return Side { function, other, given: None, rho, steepness: rho, deviations };
            }
            let whole = root(law.determinant);
            let steepness = word::divide([law.covariance, 0.0], whole);
            let conditional = Deviation::new(word::divide(whole, roots[i]), exponents[1 - i]);
            let given = Given::new(tables[1 - i], means[1 - i], conditional, steepness);
            Side {
                function,
                other,
                given: Some(given),
                rho: law.rho,
                steepness: steepness[0],
                deviations: [deviations[i], conditional],
            }
        };
        let sides = [side(0), side(1)];
        let common_jumps = if law.is_degenerate() { sides[0].common_jumps() } else { 0.0 };
        Self { sides, common_jumps }
    }

    /// The moment with its derivatives, and its logarithm with its own, from the integrals ∫ g⁽ᵃ⁾ φ E\[h | x\] dx for a = 0, 1 and 2.
    fn results(&self, [whole, first, second]: [Far; 3]) -> [[f64; 6]; 2] {
        let [u, w] = &self.sides;
        let ([first_h, second_h], _) = w.smooth([1, 2], 0);
        let ([crossed], _) = u.smooth([1], 1);
        let gamma = (first + u.points(0, 0)) / u.unit(1, 0);
        let gamma_h = (first_h + w.points(0, 0)) / w.unit(1, 0);
        let half = Far::splat(0.5);
        let xi2 = half * (second + u.points_of_second()) / u.unit(2, 0);
        let xi2_h = half * (second_h + w.points_of_second()) / w.unit(2, 0);
        let cov = (crossed + u.points(0, 1) + u.along()) / u.unit(1, 1);
        let exponent = Far::power_of_two(u.exponent());
        let exponent_h = Far::power_of_two(w.exponent());
        let units = [exponent, exponent, exponent_h, exponent_h, exponent];
        let mut slopes = [gamma, xi2, gamma_h, xi2_h, cov];
        slopes.iter_mut().zip(units).for_each(|(slope, unit)| *slope = *slope * unit);
        let whole = whole * exponent;
        let boundless = |sign: f64| if sign == 0.0 { 0.0 } else { sign * f64::INFINITY };
        let along = boundless(-u.rho * self.common_jumps);
        let limits = [0.0, 0.0, along, 0.0, along, boundless(self.common_jumps)];
        let of = |value: Far, log: f64, ratio: fn(Far, Far) -> f64| {
            let [gamma, xi2, gamma_h, xi2_h, cov] = slopes.map(|slope| ratio(slope, value));
            let mut all = [log, gamma, xi2, gamma_h, xi2_h, cov];
            all.iter_mut().zip(limits).for_each(|(value, limit)| *value += limit);
            all
        };
        let values = of(whole, whole.to_f64(), |slope, _| slope.to_f64());
        if whole.is_zero() {
            return [values, [f64::NEG_INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0]];
        }
        [values, of(whole, whole.ln(), |slope, whole| (slope / whole).to_f64())]
    }
}

/// φ(x), in the unit of densities.
fn density(x: Word) -> Far {
    let [square, low] = word::multiply(x, x);
    // A plain number is much quicker, and normal here.
    if square < NEAR {
        return Far::splat(density_in_unit(square, low));
    }
    density_in_unit(Far::splat(square), Far::splat(low))
}

impl Side {
    /// The power of two of all results.
    fn exponent(&self) -> i32 {
        let other = self.given.as_ref().map_or(&self.other, |given| &given.function);
        (self.function.exponent + other.exponent) as i32
    }

    /// The deviations to some powers.
    fn unit(&self, times: i32, times_other: i32) -> Far {
        let [own, other] = self.deviations.map(|d| (Far::splat(d.word[0]), d.exponent));
        let power = |(unit, exponent): (Far, i32), times: i32| {
            (0..times).fold(Far::power_of_two(times * exponent), |power, _| power * unit)
        };
        power(own, times) * power(other, times_other)
    }

    /// Gives E of the other function, or of its derivative, to each x.
    fn with_expected<R>(&self, times: usize, work: impl FnOnce(&dyn Fn(Word) -> Far) -> R) -> R {
        match &self.given {
            Some(given) => given.with(|expected| work(&|x| expected.at(x, times))),
            None => work(&|x| Far::splat(self.on_line(x, times))),
        }
    }

    /// A derivative of the other function where |ρ| = 1; on a knot the mean of both sides.
    fn on_line(&self, x: Word, times: usize) -> f64 {
        let y = word::multiply(x, [self.rho, 0.0]);
        let other = &self.other;
        let before = other.knots.iter().filter(|knot| is_less(**knot, y)).count();
        let value = |piece: usize| other.value(piece, y, times);
        match other.knots.get(before) {
            Some(knot) if !is_less(y, *knot) => 0.5 * (value(before) + value(before + 1)),
            _ => value(before),
        }
    }

    /// The sign of Σ φ J J′ over jumps of both functions at one place, or 0.
    fn common_jumps(&self) -> f64 {
        let mut sum = Far::splat(0.0);
        for (k, x) in self.function.knots.iter().enumerate() {
            let y = word::multiply(*x, [self.rho, 0.0]);
            for (l, knot) in self.other.knots.iter().enumerate() {
                if !is_less(y, *knot) && !is_less(*knot, y) {
                    let jumps = self.function.jump(k, 0) * self.other.jump(l, 0);
                    sum = sum + Far::splat(jumps) * density(*x);
                }
            }
        }
        // The sign alone counts, since what it multiplies has no bound.
        if sum.is_zero() { 0.0 } else { 1.0_f64.copysign(sum.to_f64()) }
    }

    /// Σ φ J E of the other function or its derivative, over the jumps of a derivative of the function.
    fn points(&self, times: usize, times_other: usize) -> Far {
        let points = self.function.knots.iter().enumerate().map(|(k, x)| {
            let jump = self.function.jump(k, times);
            if jump == 0.0 { Far::splat(0.0) } else { self.mass(jump, *x, times_other) }
        });
        points.fold(Far::splat(0.0), |sum, x| sum + x)
    }

    fn mass(&self, size: f64, x: Word, times_other: usize) -> Far {
        let expected = self.with_expected(times_other, |expected| expected(x));
        Far::splat(size) * density(x) * density_unit::<Far>() * expected
    }

    /// Σ K φ E\[h | x\] − Σ J (φ E\[h | x\])′ over the jumps K of the slope and J of the function, in units of the deviation.
    fn points_of_second(&self) -> Far {
        let mut sum = self.points(1, 0);
        for (k, x) in self.function.knots.iter().enumerate() {
            let jump = self.function.jump(k, 0);
            if jump != 0.0 {
                // (φ E)′ = −xφ E + κφ E′.
                sum = sum + self.mass(jump * x[0], *x, 0) - self.mass(jump * self.steepness, *x, 1);
            }
        }
        sum
    }

    /// Where |ρ| = 1, the jumps of the other function in E\[g′ h′\].
    fn along(&self) -> Far {
        let mut sum = Far::splat(0.0);
        if self.given.is_some() {
            return sum;
        }
        // E[g′ h′] has the masses of both derivatives. Those of h′ are those of the first function with both exchanged.
        let back = Self {
            function: self.other.clone(),
            other: self.function.clone(),
            given: None,
            ..*self
        };
        sum = sum + back.points(0, 1);
        sum
    }

    /// ∫ g⁽ᵃ⁾ φ E\[h⁽ᵇ⁾ | x\] dx for some a without the masses of g⁽ᵃ⁾, and, for the first of them, the least square of the distance from
    /// the mean of the places that it is over.
    fn smooth<const N: usize>(&self, orders: [usize; N], of_other: usize) -> ([Far; N], f64) {
        let degree = (self.function.degree + self.other.degree) as f64;
        let spread = self.function.spread() + self.other.spread();
        // e^(−40) is beneath the last digit. The other terms are what coefficients and powers of x may make of it.
        let most = 2.0 * (40.0 + spread + degree + 2.0 * libm::sqrt(40.0 * degree));
        // n nodes are exact up to the degree 2n − 1: half of the degree for the polynomials, and 16 for the density over a panel.
        let wanted = 16 + degree as usize / 2;
        let largest = rules::F64[rules::F64.len() - 1];
        let rule = rules::F64.into_iter().find(|rule| rule.len() >= wanted).unwrap_or(largest);
        let mut least = [f64::INFINITY; N];
        let mut pieces = Vec::new();
        for piece in 0..self.function.pieces() {
            let counts = orders.map(|order| !self.function.vanishes(piece, order));
            if !counts.contains(&true) {
                continue;
            }
            let rectangles = self.rectangles(piece, of_other).into_iter();
            let parts: Vec<_> = rectangles.map(|part| (part.nearest(), part)).collect();
            for ((_, square), _) in &parts {
                for (least, _) in least.iter_mut().zip(counts).filter(|(_, counts)| *counts) {
                    *least = least.min(*square);
                }
            }
            pieces.push((piece, counts, parts));
        }
        let mut sums = [Far::splat(0.0); N];
        self.with_expected(of_other, |expected| {
            for (piece, counts, parts) in &pieces {
                let (mut ends, mut windows) = (Vec::new(), Vec::new());
                for (nearest, rectangle) in parts {
                    let is_near =
                        |(counts, least): (&bool, &f64)| *counts && nearest.1 - least <= most;
                    if counts.iter().zip(&least).any(is_near) {
                        windows.push(rectangle.panels(*nearest, most, &mut ends));
                    }
                }
                // Windows of several rectangles overlap: their panels are merged, so that no place counts twice.
                ends.sort_by(|a: &Word, b: &Word| {
                    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
                });
                ends.dedup();
                for panel in ends.windows(2) {
                    let middle = panel[0][0] + 0.5 * (panel[1][0] - panel[0][0]);
                    // Between two windows nothing is left of the integrand.
                    if !windows.iter().any(|[low, high]| *low <= middle && middle <= *high) {
                        continue;
                    }
                    let width = word::subtract(panel[1], panel[0])[0];
                    let mut of_panel = [Far::splat(0.0); N];
                    for [node, _, weight] in rule {
                        let x = word::add(panel[0], [width * node, 0.0]);
                        let term = density(x) * expected(x);
                        for (i, order) in orders.into_iter().enumerate().filter(|(i, _)| counts[*i])
                        {
                            let value = self.function.value(*piece, x, order);
                            of_panel[i] = of_panel[i] + term * Far::splat(weight * value);
                        }
                    }
                    for (sum, of_panel) in sums.iter_mut().zip(of_panel) {
                        *sum = *sum + of_panel * Far::splat(width);
                    }
                }
            }
        });
        let least = if least[0] < f64::INFINITY { least[0] } else { 0.0 };
        (sums.map(|sum| sum * density_unit::<Far>()), least)
    }

    /// A piece with the intervals on which a derivative of the other function is not 0, jumps included.
    fn rectangles(&self, piece: usize, times_other: usize) -> Vec<Rectangle> {
        let ends = self.function.ends(piece);
        let pieces = (0..self.other.pieces()).filter(|i| !self.other.vanishes(*i, times_other));
        let Some(given) = &self.given else {
            let parts = pieces.filter_map(|other| self.overlap(ends, self.other.ends(other)));
            let part = |piece| Rectangle {
                rho: self.rho,
                steepness: [0.0; 2],
                piece,
                interval: [None; 2],
            };
            return parts.map(part).collect();
        };
        let level = |knot: usize| Level {
            beta: self.other.knots[knot][0],
            place: given.function.knots[knot],
        };
        let of_piece = |i: usize| {
            let last = self.other.knots.len();
            [(i > 0).then(|| level(i - 1)), (i < last).then(|| level(i))]
        };
        let jumps = (0..self.other.knots.len())
            .filter(|knot| times_other == 1 && self.other.jump(*knot, 0) != 0.0);
        // A jump is a mass in the derivative: an interval of no width.
        let jumps = jumps.map(|knot| [Some(level(knot)); 2]);
        let rectangle = |interval| Rectangle {
            rho: self.rho,
            steepness: given.steepness,
            piece: ends,
            interval,
        };
        pieces.map(of_piece).chain(jumps).map(rectangle).collect()
    }

    /// The interval of x on which u is on one piece and w on another, where |ρ| = 1; `None` if it is empty.
    fn overlap(
        &self,
        own: [Option<Word>; 2],
        other: [Option<Word>; 2],
    ) -> Option<[Option<Word>; 2]> {
        let [lower, upper] = other.map(|end| end.map(|end| word::multiply(end, [self.rho, 0.0])));
        let other = if self.rho > 0.0 { [lower, upper] } else { [upper, lower] };
        let both = |end: usize, last: fn(Word, Word) -> bool| match (own[end], other[end]) {
            (Some(a), Some(b)) => Some(if last(a, b) { b } else { a }),
            (a, b) => a.or(b),
        };
        let ends = [both(0, is_less), both(1, |a, b| is_less(b, a))];
        let is_empty = ends[0].zip(ends[1]).is_some_and(|(a, b)| !is_less(a, b));
        (!is_empty).then_some(ends)
    }
}

/// By how much places may differ and count as the same: the rounding of words.
const SAME: f64 = 1.0 / (1_u128 << 96) as f64;

/// Whether a place lies before another one, by more than rounding.
fn is_less(a: Word, b: Word) -> bool {
    let apart = word::subtract(b, a)[0];
    apart > SAME * a[0].abs().max(b[0].abs())
}
