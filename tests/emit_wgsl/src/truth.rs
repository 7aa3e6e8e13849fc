//! The moments of a piecewise polynomial by quadrature of its values in double precision, from the definition alone.
//!
//! A piece is cut into panels that are short beside ξ, each with a Gauss–Legendre rule. What is integrated is g less g(γ), so
//! that nothing is lost where g is flat around γ. The derivatives are integrals against z and z² − 1.

/// A polynomial in (u − at)/width.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// The place.
    pub at: f64,
    /// The unit of distances.
    pub width: f64,
    /// The coefficients, the constant first.
    pub coefficients: Vec<f64>,
}

impl Polynomial {
    fn value(&self, u: f64) -> f64 {
        let w = (u - self.at) / self.width;
        self.coefficients.iter().rev().fold(0.0, |sum, c| sum * w + c)
    }
}

/// A piecewise polynomial.
#[derive(Clone, Debug)]
pub struct Function {
    /// The knots, ascending.
    pub knots: Vec<f64>,
    /// One piece more than knots.
    pub pieces: Vec<Polynomial>,
}

/// Beyond so many ξ from γ nothing is left, or results are smaller than numbers of single precision.
const REACH: f64 = 26.0;

/// The longest panel, in units of ξ.
const PANEL: f64 = 0.5;

impl Function {
    /// g(u), to the right of a knot on it.
    #[must_use]
    pub fn value(&self, u: f64) -> f64 {
        self.pieces[self.knots.partition_point(|knot| *knot <= u)].value(u)
    }

    /// Mean, second moment, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂Var/∂γ and ∂Var/∂ξ².
    #[must_use]
    pub fn moments_grad(&self, gamma: f64, xi2: f64) -> [f64; 7] {
        let (xi, level) = (xi2.sqrt(), self.value(gamma));
        let nodes = self.nodes(gamma, xi);
        // The mass is 1 but for rounding.
        let mean: f64 = nodes.iter().map(|[_, weight, value]| weight * (value - level)).sum();
        let mut sums = [0.0; 5];
        for [z, weight, value] in nodes {
            let t = (value - level) - mean;
            let terms = [t * t, t * z, t * (z * z - 1.0), t * t * z, t * t * (z * z - 1.0)];
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += weight * term;
            }
        }
        let [variance, first, second, square_first, square_second] = sums;
        let total = level + mean;
        [
            total,
            variance + total * total,
            variance,
            first / xi,
            second / (2.0 * xi2),
            square_first / xi,
            square_second / (2.0 * xi2),
        ]
    }

    /// z, the density times a weight, and g at all nodes.
    fn nodes(&self, gamma: f64, xi: f64) -> Vec<[f64; 3]> {
        let rule = rule();
        let mut nodes = Vec::new();
        for (piece, polynomial) in self.pieces.iter().enumerate() {
            // From γ, so that nothing cancels where ξ is small beside γ.
            let end = |knot: Option<&f64>, open: f64| knot.map_or(open, |knot| knot - gamma);
            let left = end(piece.checked_sub(1).map(|i| &self.knots[i]), -f64::INFINITY);
            let right = end(self.knots.get(piece), f64::INFINITY);
            let (left, right) = ((left / xi).max(-REACH), (right / xi).min(REACH));
            // A cut at γ, where what is less g(γ) may change its sign.
            for [start, stop] in [[left, right.min(0.0)], [left.max(0.0), right]] {
                if start >= stop {
                    continue;
                }
                let count = ((stop - start) / PANEL).ceil();
                let width = (stop - start) / count;
                for panel in 0..count as usize {
                    for [x, weight] in &rule {
                        let z = start + width * (panel as f64 + x);
                        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                        let value = polynomial.value(gamma + xi * z);
                        nodes.push([z, width * weight * density, value]);
                    }
                }
            }
        }
        nodes
    }
}

/// The nodes of a rule.
const NODES: usize = 40;

/// Gauss–Legendre nodes on [0, 1] with their weights, as roots of a Legendre polynomial.
fn rule() -> Vec<[f64; 2]> {
    (0..NODES)
        .map(|i| {
            let count = NODES as f64;
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (count + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..20 {
                let (mut before, mut value) = (1.0, x);
                for n in 2..=NODES {
                    let n = n as f64;
                    let next = ((2.0 * n - 1.0) * x * value - (n - 1.0) * before) / n;
                    (before, value) = (value, next);
                }
                slope = count * (x * value - before) / (x * x - 1.0);
                x -= value / slope;
            }
            [0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope)]
        })
        .collect()
}
