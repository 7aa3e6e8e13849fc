//! Quadrature on narrow pieces against the exact integrals, in units of the machine epsilon
//! times the integral of the absolute value.

mod oracle;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::{Deviation, Edge, is_narrow, narrow};
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

/// Σ cⱼ wʲ
fn at<T: Float>(coefficients: &[T], w: T) -> T {
    coefficients.iter().rev().fold(T::ZERO, |sum, &c| sum * w + c)
}

/// value·He_k(z) for k = 0, 1, …
fn with_hermite<T: Float, const K: usize>(value: T, z: T) -> [T; K] {
    let (mut current, mut next, mut order) = (value, value * z, T::ONE);
    std::array::from_fn(|_| {
        let here = current;
        (current, next) = (next, z * next - order * current);
        order += T::ONE;
        here
    })
}

/// The worst error over orders of E\[P He_k\], E\[P² He_k\] and E\[P D\].
fn errors<T: Float, const C: usize, const K: usize, const L: usize>(
    gamma: T,
    xi2: T,
    knots: [T; 2],
    coefficients: [T; C],
    epsilon: f64,
) -> f64 {
    let deviation = Deviation::new(xi2);
    let [left, right] = knots.map(|t| Edge::new(gamma, [t, T::ZERO], &deviation));
    assert!(is_narrow(&left, &right), "{gamma} {xi2} {knots:?}");
    let width = knots[1] - knots[0];
    let d = [T::ONE, T::from_f64(-0.75)];
    let integrate = |f: &dyn Fn(T) -> T| -> [T; K] {
        narrow(&left, &right, width, &deviation, |w, z| with_hermite(f(w), z))
    };
    let p_at = |w: T| at(&coefficients, w);
    let first = integrate(&p_at);
    let second = &integrate(&|w| p_at(w) * p_at(w))[..L];
    let d_first = &integrate(&|w| at(&d, w))[..3];
    let cross = integrate(&|w| p_at(w) * at(&d, w))[0];

    let real = |x: T| Real::new(x.to_f64());
    let xi = real(xi2).sqrt();
    let a = (real(knots[0]) - real(gamma)) / xi.clone();
    let b = (real(knots[1]) - real(gamma)) / xi.clone();
    // w = ξ(z − a)
    let w = [-(xi.clone() * a.clone()), xi];
    let in_z = |c: &[T]| {
        c.iter().rev().fold(vec![Real::new(0.0)], |sum, &c| {
            let mut next = product(&sum, &w);
            next[0] = next[0].clone() + real(c);
            next
        })
    };
    let (p, d) = (in_z(&coefficients), in_z(&d));
    let squared = product(&p, &p);
    let moments = moments(&a, &b, 2 * C + K + 2);
    let mut worst = 0.0_f64;
    let mut check = |got: T, polynomial: &[Real]| {
        let (truth, scale) = integral(polynomial, &moments, a.to_f64(), b.to_f64());
        let error = (real(got) - truth).to_f64().abs() / (scale * epsilon);
        worst = worst.max(error);
    };
    for (k, &got) in first.iter().enumerate() {
        check(got, &product(&p, &hermite(k)));
    }
    for (k, &got) in second.iter().enumerate() {
        check(got, &product(&squared, &hermite(k)));
    }
    for (k, &got) in d_first.iter().enumerate() {
        check(got, &product(&d, &hermite(k)));
    }
    check(cross, &product(&p, &d));
    worst
}

/// K is what the gradients of a moment of P need: its degree + 3.
fn sweep<T: Float, const C: usize, const K: usize>(coefficients: [T; C], epsilon: f64) -> f64 {
    let mut random = Points::new(3);
    let mut worst = 0.0_f64;
    for i in 0..12 {
        // Around γ, or away from it on either side, from the widest to thin.
        let (a, b) = match i % 3 {
            0 => {
                let omega = 3.98 * if i < 6 { 1.0 } else { random.unit() };
                let a = -omega * random.unit();
                (a, a + omega)
            }
            kind => {
                let a = random.between(0.0, 9.0);
                let b = (a * a + 15.9 * if i < 6 { 1.0 } else { random.unit() }).sqrt();
                if kind == 1 { (a, b) } else { (-b, -a) }
            }
        };
        // Magnitudes at which the terms of P stay comparable.
        let xi = 0.25 + random.unit();
        let knots = [T::from_f64(a * xi), T::from_f64(b * xi)];
        let xi2 = T::from_f64(xi * xi);
        worst = worst.max(errors::<T, C, K, 3>(T::ZERO, xi2, knots, coefficients, epsilon));
    }
    worst
}

#[test]
fn f64_to_a_few_ulp_of_the_absolute_integral() {
    let worst = sweep::<f64, 3, 5>([-0.5, 1.0, 0.25], f64::EPSILON);
    assert!(worst < 5.0, "{worst}");
    let worst = sweep::<f64, 5, 7>([0.3, -1.0, 0.5, 0.25, -0.125], f64::EPSILON);
    assert!(worst < 5.0, "{worst}");
}

#[test]
fn f32_to_a_few_ulp_of_the_absolute_integral() {
    let worst = sweep::<f32, 3, 5>([-0.5, 1.0, 0.25], f64::from(f32::EPSILON));
    assert!(worst < 5.0, "{worst}");
}

#[test]
fn a_hat_seen_from_afar() {
    // Thin against ξ, and γ elsewhere: He_k up to k = 12.
    for (gamma, xi2) in [(3.0, 1e12), (-2e6, 1e12), (0.5, 4.0)] {
        let error = errors::<f64, 2, 13, 3>(gamma, xi2, [-1.0, 1.0], [0.0, 1.0], f64::EPSILON);
        assert!(error < 12.0, "{gamma} {xi2}: {error}");
    }
}

#[test]
fn nothing_is_left_beyond_the_cut_off() {
    let deviation = Deviation::new(1.0_f64);
    for gamma in [-1e8, 1e8, -f64::MAX, f64::MAX] {
        let [left, right] = [0.0, 1e-9].map(|t| Edge::new(gamma, [t, 0.0], &deviation));
        let parts: [f64; 13] =
            narrow(&left, &right, 1e-9, &deviation, |w, z| with_hermite(1.0 + w, z));
        assert_eq!(parts, [0.0; 13]);
    }
}
