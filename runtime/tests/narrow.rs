//! Integrals over narrow pieces against the exact ones, in units of the machine epsilon
//! times the integral of the absolute value.

mod oracle;

use gaussform_runtime::kernel::{
    Curved, Deviation, Edge, Linear, Rule, Strip, density_unit, fill, integrals, is_narrow,
    products,
};
use oracle::{Points, Real};

type Polynomial = Vec<Real>;

fn product(a: &[Real], b: &[Real]) -> Polynomial {
    let mut out = vec![Real::new(0.0); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = out[i + j].clone() + x.clone() * y.clone();
        }
    }
    out
}

fn value(p: &[Real], z: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * z + c.to_f64())
}

fn hermite(order: usize) -> Polynomial {
    let (mut current, mut next) = (vec![1.0], vec![0.0, 1.0]);
    for k in 0..order {
        let mut after = vec![0.0; k + 3];
        for (j, c) in next.iter().enumerate() {
            after[j + 1] += c;
        }
        for (j, c) in current.iter().enumerate() {
            after[j] -= (k + 1) as f64 * c;
        }
        (current, next) = (next, after);
    }
    current.into_iter().map(Real::new).collect()
}

/// ∫ z^j φ(z) dz from a to b for j < count, by their recurrence.
fn moments(a: &Real, b: &Real, count: usize) -> Vec<Real> {
    let (at_a, at_b) = (a.density(), b.density());
    let mut moments = vec![a.tail() - b.tail(), at_a.clone() - at_b.clone()];
    let (mut a_power, mut b_power) = (a.clone(), b.clone());
    for j in 2..count {
        let inner = Real::new((j - 1) as f64) * moments[j - 2].clone();
        moments.push(inner + a_power.clone() * at_a.clone() - b_power.clone() * at_b.clone());
        a_power = a_power * a.clone();
        b_power = b_power * b.clone();
    }
    moments
}

/// ∫ p(z) φ(z) dz from a to b, and ∫ |p| φ roughly.
fn integral(p: &[Real], moments: &[Real], a: f64, b: f64) -> (Real, f64) {
    assert!(p.len() <= moments.len());
    let sum = p.iter().zip(moments).fold(Real::new(0.0), |sum, (c, m)| sum + c.clone() * m.clone());
    let steps = 200;
    let scale = (0..steps).map(|i| {
        let z = a + (b - a) * (i as f64 + 0.5) / steps as f64;
        value(p, z).abs() * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
    });
    (sum, scale.sum::<f64>() * (b - a) / steps as f64)
}

/// The functions in which a rule takes polynomials.
trait Basis: Rule {
    /// The j-th of N times a polynomial, given x and 1 − x.
    fn times<const N: usize>(j: usize, start: Polynomial, x: &[Real], rest: &[Real]) -> Polynomial;
}

impl Basis for Linear {
    fn times<const N: usize>(j: usize, start: Polynomial, x: &[Real], rest: &[Real]) -> Polynomial {
        let tau: Polynomial =
            x.iter().zip(rest).map(|(x, rest)| x.clone() - rest.clone()).collect();
        (0..j).fold(start, |p, _| product(&p, &tau))
    }
}

impl Basis for Curved {
    fn times<const N: usize>(j: usize, start: Polynomial, x: &[Real], rest: &[Real]) -> Polynomial {
        (0..N - 1).fold(start, |p, i| product(&p, if i < j { x } else { rest }))
    }
}

/// A piece seen from the pre-activation.
struct Piece {
    edges: [Edge<f64>; 2],
    deviation: Deviation<f64>,
    width: f64,
}

impl Piece {
    fn new(gamma: f64, xi2: f64, knots: [f64; 2]) -> Self {
        let deviation = Deviation::new(xi2, [0, 0]);
        let edges = knots.map(|t| Edge::at(gamma, [t, 0.0, 0.0], &deviation));
        Self { edges, deviation, width: knots[1] - knots[0] }
    }

    fn is_narrow<R: Rule>(&self) -> bool {
        is_narrow::<f64, R>(&self.edges[0], &self.edges[1])
    }

    fn strip<R: Rule>(&self) -> R::Strip<f64> {
        let [left, right] = &self.edges;
        let (mut strip, narrow) = (Strip::empty(), self.is_narrow::<R>());
        fill::<f64, R>(&mut strip, narrow, left, right, [self.width, 0.0], &self.deviation);
        strip
    }
}

/// The j-th function of the basis of N, as coefficients.
fn unit<const N: usize>(j: usize) -> [f64; N] {
    std::array::from_fn(|i| f64::from(u8::from(i == j)))
}

/// The worst error over the integrals of the basis, and of the products of its functions with Hermite
/// polynomials.
fn errors<R: Basis, const N: usize, const K: usize>(gamma: f64, xi2: f64, knots: [f64; 2]) -> f64 {
    let piece = Piece::new(gamma, xi2, knots);
    assert!(piece.is_narrow::<R>(), "{gamma} {xi2} {knots:?}");
    let real = Real::new;
    let xi = real(xi2).sqrt();
    let [a, b] = knots.map(|t| (real(t) - real(gamma)) / xi.clone());
    let moments = moments(&a, &b, 2 * N + K + 2);
    // x and 1 − x in terms of z
    let omega = b.clone() - a.clone();
    let x = [-(a.clone() / omega.clone()), real(1.0) / omega.clone()];
    let rest = [b.clone() / omega.clone(), -(real(1.0) / omega)];
    let function = |j: usize, start: Polynomial| R::times::<N>(j, start, &x, &rest);
    let error = |got: f64, polynomial: &[Real]| {
        let (truth, scale) = integral(polynomial, &moments, a.to_f64(), b.to_f64());
        let got = real(got) * real(density_unit());
        (got - truth).to_f64().abs() / (scale * f64::EPSILON)
    };
    let strip = piece.strip::<R>();
    let mut worst = 0.0_f64;
    for (j, got) in integrals::<f64, _, N>(&strip).into_iter().enumerate() {
        worst = worst.max(error(got, &function(j, hermite(0))));
        for i in 0..N {
            let got: [f64; K] = products(&strip, unit::<N>(i), unit::<N>(j), 0.0);
            for (k, got) in got.into_iter().enumerate() {
                worst = worst.max(error(got, &function(i, function(j, hermite(k)))));
            }
        }
    }
    worst
}

/// The worst error on pieces up to the limits of a rule. N − 1 is the degree, and K what gradients
/// need.
fn sweep<R: Basis, const N: usize, const K: usize>() -> f64 {
    let mut random = Points::new(3);
    let mut worst = 0.0_f64;
    let limits = R::limits::<f64>();
    for i in 0..12 {
        // Around γ, or away from it on either side, from the widest to thin.
        let share = if i < 6 { 0.995 } else { random.unit() };
        let (a, b) = match i % 3 {
            0 => {
                let omega = limits.width_at_edge * share;
                let depth = if omega < limits.width { omega } else { limits.depth * 0.995 };
                let a = -depth * random.unit();
                (a, a + omega)
            }
            kind => {
                let a = random.between(0.0, 9.0);
                let b = (a * a + 2.0 * limits.exponent * share).sqrt();
                if kind == 1 { (a, b) } else { (-b, -a) }
            }
        };
        let xi = 0.25 + random.unit();
        worst = worst.max(errors::<R, N, K>(0.0, xi * xi, [a * xi, b * xi]));
    }
    worst
}

#[test]
fn every_degree_to_a_few_ulp_of_the_absolute_integral() {
    // Most of it from the exponent, where a function of the basis is large far from γ.
    for worst in [sweep::<Curved, 2, 5>(), sweep::<Curved, 3, 3>(), sweep::<Curved, 5, 3>()] {
        assert!(worst < 40.0, "{worst}");
    }
}

#[test]
fn straight_pieces_to_a_few_ulp_of_the_absolute_integral() {
    for worst in [sweep::<Linear, 1, 3>(), sweep::<Linear, 2, 3>()] {
        assert!(worst < 6.0, "{worst}");
    }
}

#[test]
fn a_hat_seen_from_afar() {
    // Thin against ξ, and γ elsewhere: He_k up to k = 12.
    for (gamma, xi2) in [(3.0, 1e12), (-2e6, 1e12), (0.5, 4.0)] {
        let error = errors::<Curved, 2, 13>(gamma, xi2, [-1.0, 1.0]);
        assert!(error < 12.0, "{gamma} {xi2}: {error}");
    }
}

#[test]
fn the_second_factor_is_less_by_a_number_from_the_first_order_on() {
    let strip = Piece::new(0.25, 1.0, [0.0, 1.0]).strip::<Linear>();
    let of = |b: [f64; 2], less: f64| -> [f64; 3] { products(&strip, [0.5, 2.0], b, less) };
    let [plain, shifted, whole] = [of([1.0, 3.0], 0.0), of([1.0, 3.0], 0.75), of([0.25, 3.0], 0.0)];
    assert_eq!(shifted[0], plain[0]);
    for k in [1, 2] {
        assert!((shifted[k] - whole[k]).abs() < 1e-16, "{k}: {shifted:?} {whole:?}");
    }
}

#[test]
fn nothing_is_left_beyond_the_cut_off() {
    for gamma in [-1e8, 1e8, -f64::MAX, f64::MAX] {
        let piece = Piece::new(gamma, 1.0, [0.0, 1e-9]);
        assert_eq!(integrals::<f64, _, 2>(&piece.strip::<Linear>()), [0.0; 2]);
        let curved = piece.strip::<Curved>();
        let sums: [f64; 13] = products(&curved, [1.0; 2], [1.0; 2], 0.5);
        assert_eq!(sums, [0.0; 13]);
    }
}
