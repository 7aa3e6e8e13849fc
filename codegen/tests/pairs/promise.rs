//! The promised accuracy, for random functions with kinks, in high precision: means up to 25 deviations away, variances from 2⁻²⁰ to 2²⁰, and ρ
//! from 10⁻¹² to 1 − 10⁻¹².

use gaussform_runtime::pair::{ACCURACY, Inputs};
use puremp::FixedFloat as Real;
use puremp::RoundingMode::Nearest;

use crate::functions::{Kinked, Numbers, count};

const BITS: u64 = 200;
/// The series of the error function cancels, and so does 1 less its sum: at 13 both lose 244 bits.
const MORE_BITS: u64 = 700;

fn real(x: f64) -> Real {
    Real::from_f64(x, BITS, Nearest)
}

/// Nodes and weights of the Gauss–Legendre rule on [0, 1].
pub(crate) fn rule(n: u32) -> Vec<[Real; 2]> {
    let polynomial = |x: &Real| {
        let (mut before, mut now) = (real(1.0), x.clone());
        for k in 1..n {
            let k = f64::from(k);
            let next = (&(&real(2.0 * k + 1.0) * x) * &now) - &real(k) * &before;
            (before, now) = (now, next / real(k + 1.0));
        }
        let slope = &real(f64::from(n)) * &(&(x * &now) - &before);
        (now, slope / (x * x - real(1.0)))
    };
    let node = |i: u32| {
        let mut x =
            real((std::f64::consts::PI * (f64::from(i) + 0.75) / (f64::from(n) + 0.5)).cos());
        for _ in 0..5 {
            let (value, slope) = polynomial(&x);
            x -= value / slope;
        }
        let slope = polynomial(&x).1;
        let weight = real(1.0) / ((real(1.0) - &x * &x) * (&slope * &slope));
        [(x + real(1.0)) / real(2.0), weight]
    };
    (0..n).map(node).collect()
}

/// 1 − erf(x) for x ≥ 0, right to 25 digits of itself however small it is: by the series of erf, and far out by the asymptotic
/// one, whose terms fall to e^{−x²}.
pub(crate) fn erfc(x: &Real) -> Real {
    let x = x.with_precision(MORE_BITS);
    let number = |x: f64| Real::from_f64(x, MORE_BITS, Nearest);
    let root = Real::pi(MORE_BITS, Nearest).sqrt();
    let square = &x * &x;
    if x.to_f64() > 13.0 {
        // Less than any number of double precision.
        if square.to_f64() > 1000.0 {
            return real(0.0);
        }
        let (mut term, mut sum) = (number(1.0), number(1.0));
        for k in 1..160 {
            term = -(&(term * number(f64::from(2 * k - 1))) / &(number(2.0) * square.clone()));
            sum += term.clone();
        }
        return ((-square).exp() * sum / (x * root)).with_precision(BITS);
    }
    let (mut term, mut sum) = (x.clone(), x);
    for k in 1..1000 {
        let k = f64::from(k);
        term = -(&(term * square.clone()) / &number(k));
        sum += &term / &number(2.0 * k + 1.0);
    }
    (number(1.0) - number(2.0) * sum / root).with_precision(BITS)
}

/// The law in high precision.
struct Law {
    s: Real,
    t: Real,
    c: Real,
    /// arctanh ρ.
    end: Real,
    at: Inputs,
}

impl Law {
    fn new(at: Inputs) -> Self {
        let (v, w, c) = (real(at.xi2), real(at.xi2_h), real(at.cov));
        let (s, t) = (v.sqrt(), w.sqrt());
        let both = &s * &t;
        let end = (&(&both + &c) / &(&both - &c)).ln() / real(2.0);
        Self { s, t, c, end, at }
    }

    /// ∫₀ᶜ (c − c′) p(k, l; c′) dc′ for the density at two knots, in y = arctanh ρ′.
    fn integral(&self, k: f64, l: f64, rule: &[[Real; 2]]) -> Real {
        let a = (real(k) - real(self.at.gamma)) / self.s.clone();
        let b = (real(l) - real(self.at.gamma_h)) / self.t.clone();
        let rho = &self.c / &(&self.s * &self.t);
        let panels = (self.end.to_f64().abs() / 0.4).ceil().max(1.0);
        let width = &self.end / &real(panels);
        let mut sum = real(0.0);
        let (squares, product) = (&a * &a + &b * &b, &real(2.0) * &(&a * &b));
        for panel in 0..panels as u32 {
            for [node, weight] in rule {
                let y = &width * &(node + &real(f64::from(panel)));
                let e = (real(2.0) * y).exp();
                let x = (&e - &real(1.0)) / (&e + &real(1.0));
                let rest = real(1.0) - &x * &x;
                let q = (&squares - &(&x * &product)) / rest.clone();
                // Less than any number of double precision.
                if q.to_f64() > 2000.0 {
                    continue;
                }
                let density = (-(q / real(2.0))).exp() * rest.sqrt();
                sum += &(weight * &(&rho - &x)) * &density;
            }
        }
        let tau = real(2.0) * Real::pi(BITS, Nearest);
        &(&(&self.s * &self.t) * &width) * &(sum / tau)
    }
}

/// The function with its slopes made positive: |g′| = slope + Σ d sgn(x − t), by the kinks in order.
pub(crate) fn steeper(g: &Kinked) -> Kinked {
    let mut kinks = g.kinks.clone();
    kinks.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut slope = g.slope - kinks.iter().map(|(d, _)| d).sum::<f64>();
    let mut slopes = vec![slope.abs()];
    for (d, _) in &kinks {
        slope += 2.0 * d;
        slopes.push(slope.abs());
    }
    let pairs = slopes.windows(2).zip(&kinks);
    let kinks = pairs.map(|(pair, (_, t))| ((pair[1] - pair[0]) / 2.0, *t)).collect();
    Kinked { slope: (slopes[0] + slopes[slopes.len() - 1]) / 2.0, kinks }
}

/// Cov = c E[g′] E[h′] + ∫₀ᶜ (c − c′) Σ jumps of slopes · density at the knots dc′.
fn covariance(g: &Kinked, h: &Kinked, law: &Law, integral: impl Fn(f64, f64) -> Real) -> Real {
    let slope = |g: &Kinked, gamma: f64, deviation: &Real| {
        let root = real(2.0).sqrt();
        // The slope at the mean, which may be 0 exactly, and what the far sides of the kinks change.
        let (mut slope, mut rest) = (real(g.slope), real(0.0));
        for (d, t) in &g.kinks {
            let side = if gamma >= *t { *d } else { -*d };
            let z = (real(gamma) - real(*t)).abs() / (deviation * &root);
            slope += real(side);
            rest += real(side) * erfc(&z);
        }
        slope - rest
    };
    let [first, second] = [slope(g, law.at.gamma, &law.s), slope(h, law.at.gamma_h, &law.t)];
    let mut sum = &law.c * &(first * second);
    for (d, k) in &g.kinks {
        for (e, l) in &h.kinks {
            sum += real(4.0 * d * e) * integral(*k, *l);
        }
    }
    sum
}

/// One kink, beyond which alone the function is not flat.
fn flatten(g: &mut Kinked, gamma: f64) {
    g.kinks.truncate(1);
    g.slope = g.kinks.iter().map(|(d, t)| if gamma >= *t { -*d } else { *d }).sum();
}

#[test]
#[allow(clippy::print_stdout, reason = "the error that documents state")]
fn sixteen_units_for_random_kinks() {
    let (mut numbers, rule) = (Numbers::new(51), rule(40));
    let (mut worst, mut tails) = (0.0_f64, 0);
    for _ in 0..count(60) {
        let (mut g, mut h) = (Kinked::random(&mut numbers), Kinked::random(&mut numbers));
        g.kinks.truncate(2);
        h.kinks.truncate(2);
        let (s, t) = (numbers.between(-10.0, 10.0).exp2(), numbers.between(-10.0, 10.0).exp2());
        let sign = if numbers.next() < 0.5 { -1.0 } else { 1.0 };
        // Small, any, near 1.
        let rho = match (numbers.next() * 3.0) as usize {
            0 => 10.0_f64.powf(numbers.between(-12.0, 0.0)),
            1 => numbers.next(),
            _ => 1.0 - 10.0_f64.powf(numbers.between(-12.0, 0.0)),
        };
        // Around the knots, and not only beyond all of them.
        let mut mean = |s: f64, g: &Kinked| {
            let knot = g.kinks.first().map_or(0.0, |(_, t)| *t);
            let far = [3.0, 12.0, 25.0][(numbers.next() * 3.0) as usize];
            knot + s * numbers.between(-far, far)
        };
        let (gamma, gamma_h) = (mean(s, &g), mean(t, &h));
        // Flat at the mean, so that all is in the tails.
        if numbers.next() < 0.3 {
            flatten(&mut g, gamma);
            flatten(&mut h, gamma_h);
        }
        let at = Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: sign * rho * s * t };
        let law = Law::new(at);
        let known: Vec<(f64, f64, Real)> = g
            .kinks
            .iter()
            .flat_map(|(_, k)| h.kinks.iter().map(move |(_, l)| (*k, *l)))
            .map(|(k, l)| (k, l, law.integral(k, l, &rule)))
            .collect();
        let integral = |k: f64, l: f64| {
            let found = known.iter().find(|(a, b, _)| *a == k && *b == l);
            found.map(|(.., value)| value.clone()).expect("a pair of knots")
        };
        let truth = covariance(&g, &h, &law, integral);
        let scale = covariance(&steeper(&g), &steeper(&h), &law, integral).to_f64().abs();
        let value = g.dynamic().pair_moments(&h.dynamic(), at).expect("a law").covariance;
        let error = (real(value) - truth.clone()).to_f64().abs();
        // Smaller numbers are no normal ones.
        let units = if scale > 1e-290 { error / scale / f64::EPSILON } else { 0.0 };
        tails += usize::from((1e-290..1e-43 * s * t).contains(&scale));
        worst = worst.max(units);
        assert!(
            units <= ACCURACY,
            "{units} units at {at:?}: {value:e}, {:e}; {:?}; {:?}",
            truth.to_f64(),
            (g.slope, &g.kinks),
            (h.slope, &h.kinks)
        );
    }
    assert!(worst > 0.0);
    println!("{worst:.2} units at most, {tails} in far tails");
}
