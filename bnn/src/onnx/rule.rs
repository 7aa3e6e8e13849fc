//! Gauss–Legendre rules of any number of nodes, by Newton's method on the Legendre polynomial.

use std::f64::consts::PI;

/// Nodes and weights on \[0, 1\] of the rule with `count` nodes.
pub(crate) fn gauss_legendre(count: usize) -> (Vec<f64>, Vec<f64>) {
    let n = count as f64;
    let node = |i: usize| {
        let mut x = (PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        // It converges in five steps or less from there.
        for _ in 0..8 {
            let (mut before, mut p) = (1.0, x);
            for k in 2..=count {
                let k = k as f64;
                (before, p) = (p, ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k);
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..count).map(node).unzip()
}

#[cfg(test)]
mod tests {
    use super::gauss_legendre;

    #[test]
    fn powers_are_integrated_exactly() {
        for count in [2, 3, 14, 37, 140] {
            let (nodes, weights) = gauss_legendre(count);
            for power in [0, 1, 2, 2 * count - 2, 2 * count - 1] {
                let terms = nodes.iter().zip(&weights).map(|(x, w)| w * x.powi(power as i32));
                let exact = 1.0 / (power as f64 + 1.0);
                assert!((terms.sum::<f64>() / exact - 1.0).abs() < 1e-12, "{count}, x^{power}");
            }
        }
    }
}
