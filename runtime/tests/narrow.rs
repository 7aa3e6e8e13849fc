//! Integrals of powers over narrow pieces against the exact ones, in units of the machine epsilon
//! times the integral of the absolute value.

mod oracle;

use gaussform_runtime::kernel::{Deviation, Edge, Powers, density_unit, is_narrow};
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

    fn is_narrow(&self) -> bool {
        is_narrow(&self.edges[0], &self.edges[1])
    }

    fn powers(&self) -> Powers<f64> {
        let [left, right] = &self.edges;
        Powers::on(self.is_narrow(), left, right, [self.width, 0.0], &self.deviation)
    }
}

/// The j-th function of the basis of N, as coefficients.
fn unit<const N: usize>(j: usize) -> [f64; N] {
    std::array::from_fn(|i| f64::from(u8::from(i == j)))
}

/// The worst error over the integrals of 1 and τ, and of the products of N of these with Hermite polynomials.
fn errors<const N: usize>(gamma: f64, xi2: f64, knots: [f64; 2]) -> f64 {
    let piece = Piece::new(gamma, xi2, knots);
    assert!(piece.is_narrow(), "{gamma} {xi2} {knots:?}");
    let real = Real::new;
    let xi = real(xi2).sqrt();
    let [a, b] = knots.map(|t| (real(t) - real(gamma)) / xi.clone());
    let moments = moments(&a, &b, 2 * N + 5);
    // τ in terms of z
    let omega = b.clone() - a.clone();
    let tau = [-((a.clone() + b.clone()) / omega.clone()), real(2.0) / omega];
    let function = |j: usize, start: Polynomial| (0..j).fold(start, |p, _| product(&p, &tau));
    let error = |got: f64, polynomial: &[Real]| {
        let (truth, scale) = integral(polynomial, &moments, a.to_f64(), b.to_f64());
        let got = real(got) * real(density_unit());
        (got - truth).to_f64().abs() / (scale * f64::EPSILON)
    };
    let powers = piece.powers();
    let mut worst = 0.0_f64;
    for (j, got) in powers.integrals().into_iter().enumerate().take(N) {
        worst = worst.max(error(got, &function(j, hermite(0))));
        for i in 0..N {
            let got: [f64; 3] = powers.products(unit::<N>(i), unit::<N>(j), 0.0);
            for (k, got) in got.into_iter().enumerate() {
                worst = worst.max(error(got, &function(i, function(j, hermite(k)))));
            }
        }
    }
    worst
}

/// The worst error on pieces up to the limit, for straight lines, or for numbers with N = 1.
fn sweep<const N: usize>() -> f64 {
    let mut random = Points::new(3);
    let mut worst = 0.0_f64;
    let limit = 2.0;
    for i in 0..12 {
        // Around γ, or away from it on either side, from the widest to thin.
        let share = if i < 6 { 0.995 } else { random.unit() };
        let (a, b) = match i % 3 {
            0 => {
                let a = -limit * share * random.unit();
                (a, a + limit * share)
            }
            kind => {
                let a = random.between(0.0, 9.0);
                let b = (a * a + 2.0 * limit * share).sqrt();
                if kind == 1 { (a, b) } else { (-b, -a) }
            }
        };
        let xi = 0.25 + random.unit();
        worst = worst.max(errors::<N>(0.0, xi * xi, [a * xi, b * xi]));
    }
    worst
}

#[test]
fn straight_pieces_to_a_few_ulp_of_the_absolute_integral() {
    for worst in [sweep::<1>(), sweep::<2>()] {
        assert!(worst < 6.0, "{worst}");
    }
}

#[test]
fn a_hat_seen_from_afar() {
    // Thin against ξ, and γ elsewhere.
    for (gamma, xi2) in [(3.0, 1e12), (-2e6, 1e12), (0.5, 4.0)] {
        let error = errors::<2>(gamma, xi2, [-1.0, 1.0]);
        assert!(error < 12.0, "{gamma} {xi2}: {error}");
    }
}

#[test]
fn the_second_factor_is_less_by_a_number_from_the_first_order_on() {
    let powers = Piece::new(0.25, 1.0, [0.0, 1.0]).powers();
    let of = |b: [f64; 2], less: f64| -> [f64; 3] { powers.products([0.5, 2.0], b, less) };
    let [plain, shifted, whole] = [of([1.0, 3.0], 0.0), of([1.0, 3.0], 0.75), of([0.25, 3.0], 0.0)];
    assert_eq!(shifted[0], plain[0]);
    for k in [1, 2] {
        assert!((shifted[k] - whole[k]).abs() < 1e-16, "{k}: {shifted:?} {whole:?}");
    }
}

#[test]
fn nothing_is_left_beyond_the_cut_off() {
    for gamma in [-1e8, 1e8, -f64::MAX, f64::MAX] {
        let powers = Piece::new(gamma, 1.0, [0.0, 1e-9]).powers();
        assert_eq!(powers.integrals(), [0.0; 2]);
        let sums: [f64; 3] = powers.products([1.0; 2], [1.0; 2], 0.5);
        assert_eq!(sums, [0.0; 3]);
    }
}
