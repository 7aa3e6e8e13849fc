//! Softmax of independent Normal logits, exactly: by one integral, without samples and without a bound.
//!
//! With standard Gumbel numbers G_k, the largest of z_k + G_k is number k with probability softmax_k(z), and its mean is
//! log Σ e^z + 0.5772… So with F_k the distribution function of z_k + G_k for z_k ~ N(m_k, v_k),
//! F_k = exp(−E_k), r_k = F_k′/F_k and S = Σ E_k,
//!
//! ```text
//! E softmax_k            =   ∫ r_k e^(−S) dt
//! E softmax_j softmax_k  =   ∫ r_j r_k e^(−S) dt                j ≠ k
//! E log softmax_k        = − ∫ F_k (1 − e^(−(S − E_k))) dt
//! ```
//!
//! Every integrand is positive, so that small results keep their digits. The derivatives of E log softmax_y are
//! 1\[j = y\] − E softmax_j in m_j, and −½ E softmax_j (1 − softmax_j) in v_j by the heat equation.
//!
//! The integral is taken by Gauss–Legendre rules on panels. A panel is as wide as the sharpest F nearby allows, and F comes
//! from a table (`table.rs`). Expectations have an error below 1e-9 for every standard deviation and mean.

#[cfg(feature = "wgpu")]
pub(super) mod card;
mod table;

use table::Curve;

use crate::subnormals::keep_subnormals;
use crate::threads::each;

/// Half of the nodes in (−1, 1) and weights of the Gauss–Legendre rule of 12.
const RULE: [(f64, f64); NODES / 2] = [
    (0.125_233_408_511_468_9, 0.249_147_045_813_402_8),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (0.587_317_954_286_617_4, 0.203_167_426_723_065_9),
    (0.769_902_674_194_304_7, 0.160_078_328_543_346_2),
    (0.904_117_256_370_474_9, 0.106_939_325_995_318_4),
    (0.981_560_634_246_719_3, 0.047_175_336_386_511_8),
];
/// How many nodes there are.
const NODES: usize = 12;
/// The width of a panel beside the scale of the sharpest function there.
const WIDTH: f64 = 2.5;
/// How fast the scale of a function grows with the distance from its middle.
const REACH: f64 = 4.0;
/// E at which F counts as 0, and as 1: e^−28 = 7e-13.
const LEFT: f64 = 3.75;
const RIGHT: f64 = 28.0;
/// So many logits are one part of the work of several threads.
const MANY: usize = 1024;

/// Expectations of the softmax of independent Normal logits, a number for each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftmaxMoments {
    /// E softmax_k, adding up to 1.
    pub probabilities: Vec<f64>,
    /// E softmax_k (1 − softmax_k), in \[0, ¼\].
    pub spreads: Vec<f64>,
    /// E log softmax_k ≤ 0, in nats.
    pub logarithms: Vec<f64>,
    /// The expected entropy of the softmax ≥ 0, in nats.
    pub entropy: f64,
}

impl SoftmaxMoments {
    /// Expectations for the logits z_k ~ N(`mean`\[k\], `variance`\[k\]); a variance below 0 counts as 0. All are NaN, if
    /// a number is not finite. Probabilities have an absolute error below 1e-9, and a relative one below 1e-5 down to 1e-12.
    ///
    /// ```
    /// use gaussform_bnn::SoftmaxMoments;
    ///
    /// // Two logits of which nothing is known but that they are equal on average.
    /// let moments = SoftmaxMoments::of(&[0.0, 0.0], &[400.0, 1.0]);
    /// assert!((moments.probabilities[0] - 0.5).abs() < 1e-9);
    /// assert!(moments.logarithms[0] < -7.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    #[must_use]
    pub fn of(mean: &[f64], variance: &[f64]) -> Self {
        assert_eq!(mean.len(), variance.len(), "`mean` and `variance` differ in length");
        let mut integral = Integral::default();
        integral.take(mean, variance);
        let Integral { probabilities, spreads, largest, leading, .. } = integral;
        let top = mean.get(largest).copied().unwrap_or_default();
        let logarithms = mean.iter().map(|m| m - top + leading).collect();
        // E H = E log Σ e^z − Σ E p z, and E p_k z_k = m_k E p_k + v_k E p_k (1 − p_k) by Stein.
        let of_class =
            |((m, v), (p, c)): ((&f64, &f64), (&f64, &f64))| (m - top) * p + v.max(0.0) * c;
        let inner = mean.iter().zip(variance).zip(probabilities.iter().zip(&spreads)).map(of_class);
        let entropy = (-leading - inner.sum::<f64>()).clamp(0.0, (mean.len() as f64).ln().max(0.0));
        Self { probabilities, spreads, logarithms, entropy }
    }
}

/// Σ_k y_k E log softmax_k of each row, and its derivatives in the means and the variances, row by row.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) value: Vec<f64>,
    pub(super) d_mean: Vec<f64>,
    pub(super) d_variance: Vec<f64>,
}

impl Expected {
    /// For rows of `classes` logits each; all slices have the same length. The result does not depend on the number of
    /// threads.
    pub(super) fn of(classes: usize, mean: &[f64], variance: &[f64], y: &[f64]) -> Self {
        let share = MANY.div_ceil(classes.max(1)) * classes.max(1);
        let parts = mean.chunks(share).zip(variance.chunks(share)).zip(y.chunks(share));
        let work = |((m, v), y)| keep_subnormals(|| Self::in_order(classes, m, v, y));
        let empty = Self { value: Vec::new(), d_mean: Vec::new(), d_variance: Vec::new() };
        each(parts.collect(), work).into_iter().fold(empty, |mut all, part| {
            all.value.extend(part.value);
            all.d_mean.extend(part.d_mean);
            all.d_variance.extend(part.d_variance);
            all
        })
    }

    fn in_order(classes: usize, mean: &[f64], variance: &[f64], y: &[f64]) -> Self {
        let mut out = Self {
            value: Vec::with_capacity(mean.len() / classes.max(1)),
            d_mean: Vec::with_capacity(mean.len()),
            d_variance: Vec::with_capacity(mean.len()),
        };
        let mut integral = Integral::default();
        let each = |s: usize| s.max(1);
        let rows = mean.chunks(each(classes)).zip(variance.chunks(each(classes)));
        for ((m, v), y) in rows.zip(y.chunks(each(classes))) {
            integral.take(m, v);
            let top = m[integral.largest];
            let total: f64 = y.iter().sum();
            let logarithm = |(m, y): (&f64, &f64)| y * (m - top + integral.leading);
            out.value.push(m.iter().zip(y).map(logarithm).sum());
            for (j, p) in integral.probabilities.iter().enumerate() {
                // y − Σy·p, of terms that keep the digits of 1 − p.
                let others: f64 = integral
                    .probabilities
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| *k != j)
                    .map(|(_, p)| p)
                    .sum();
                out.d_mean.push(y[j] * others - (total - y[j]) * p);
                out.d_variance.push(-0.5 * total * integral.spreads[j]);
            }
        }
        out
    }
}

/// The integrals of one row of logits, with the memory that rows share.
#[derive(Debug, Default)]
struct Integral {
    probabilities: Vec<f64>,
    spreads: Vec<f64>,
    /// The number of a logit with the largest mean, and E log softmax of it. All others follow by differences of means.
    largest: usize,
    leading: f64,
    curves: Vec<Curve>,
    /// Means less the largest.
    middles: Vec<f64>,
    /// E and r of each logit at the nodes of a panel.
    rates: Vec<[f64; NODES]>,
}

impl Integral {
    fn take(&mut self, mean: &[f64], variance: &[f64]) {
        let n = mean.len();
        self.largest = mean.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |m| m.0);
        let top = mean.get(self.largest).copied().unwrap_or_default();
        self.middles.clear();
        self.middles.extend(mean.iter().map(|m| m - top));
        self.leading = 0.0;
        for sums in [&mut self.probabilities, &mut self.spreads] {
            sums.clear();
            sums.resize(n, 0.0);
        }
        self.rates.resize(n, [0.0; NODES]);
        if !mean.iter().chain(variance).all(|x| x.is_finite()) {
            self.probabilities.fill(f64::NAN);
            self.spreads.fill(f64::NAN);
            self.leading = f64::NAN;
            return;
        }
        if variance.iter().all(|v| *v <= 0.0) {
            return self.known();
        }
        self.curves.resize_with(n.max(self.curves.len()), Curve::default);
        let sd = |v: &f64| v.max(0.0).sqrt();
        // To the left F of the largest is 0, by its Gumbel part and by 8.6 standard deviations.
        let low = -LEFT.hypot(8.6 * variance.get(self.largest).map_or(0.0, sd));
        let mut high = 0.0_f64;
        for ((middle, curve), s) in
            self.middles.iter().zip(&mut self.curves).zip(variance.iter().map(sd))
        {
            curve.set(s, low - middle);
            // The right tail is E e^(z − x), which z moves by s²/2, and beyond 7.2 standard
            // deviations z has no part in it.
            high = high.max(middle + RIGHT + (0.5 * s * s).min(7.2 * s));
        }
        let mut t = low;
        while t < high {
            let width = self.scale(t) * WIDTH;
            let width = width.min(self.scale(t + width) * WIDTH).min(high - t);
            // A panel that rounding makes empty would never end.
            let width = width.max(8.0 * f64::EPSILON * t.abs());
            let half = 0.5 * width;
            self.add(t + half, half);
            t += width;
        }
    }

    /// The scale over which the sharpest of the functions changes at `t`.
    fn scale(&self, t: f64) -> f64 {
        let of = |(middle, curve): (&f64, &Curve)| curve.scale().hypot((t - middle) / REACH);
        self.middles.iter().zip(&self.curves).map(of).fold(f64::INFINITY, f64::min)
    }

    /// Adds the integrals over a panel.
    #[allow(clippy::needless_range_loop, reason = "several arrays advance together")]
    fn add(&mut self, middle: f64, half: f64) {
        let node = |i: usize| if i < NODES / 2 { -RULE[i].0 } else { RULE[i - NODES / 2].0 };
        let t: [f64; NODES] = std::array::from_fn(|i| middle + half * node(i));
        let [mut own, mut others, mut rate] = [[0.0; NODES]; 3];
        let each = self.middles.iter().zip(&self.curves).zip(&mut self.rates).enumerate();
        for (j, ((middle, curve), r)) in each {
            let [y, slope] = curve.at(t.map(|t| t - middle));
            let e = y.map(|y| (-y).exp());
            let sum = if j == self.largest { &mut own } else { &mut others };
            for i in 0..NODES {
                sum[i] += e[i];
                r[i] = e[i] * slope[i];
                rate[i] += r[i];
            }
        }
        let mut weight: [f64; NODES] = std::array::from_fn(|i| half * RULE[i % (NODES / 2)].1);
        for i in 0..NODES {
            let below = (-own[i]).exp();
            // 1 − e^(−others) would cancel where the largest has no rival.
            self.leading += weight[i] * below * (-others[i]).exp_m1();
            weight[i] *= below * (-others[i]).exp();
        }
        let sums = self.probabilities.iter_mut().zip(&mut self.spreads).zip(&self.rates);
        for ((p, c), r) in sums {
            for i in 0..NODES {
                let share = weight[i] * r[i];
                *p += share;
                *c += share * (rate[i] - r[i]).max(0.0);
            }
        }
    }

    /// Logits without doubt.
    fn known(&mut self) {
        let powers: Vec<f64> = self.middles.iter().map(|m| m.exp()).collect();
        let sum: f64 = powers.iter().sum();
        for ((p, c), power) in self.probabilities.iter_mut().zip(&mut self.spreads).zip(powers) {
            *p = power / sum;
            *c = *p * (1.0 - *p);
        }
        self.leading = -sum.ln();
    }
}
