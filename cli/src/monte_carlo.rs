//! Moments estimated from random numbers: slow and rough, but with nothing in common with the
//! closed forms.

use gaussform_symbolic::Activation;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::ToPrimitive;

/// How far an irrational knot is narrowed down: beyond any difference that samples could show.
const ROOT_BITS: u32 = 96;

/// An estimate with its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// Estimates of E\[g\], Var g and E\[gⁿ\].
#[derive(Clone, Debug)]
pub(crate) struct Estimates {
    pub(crate) mean: Estimate,
    pub(crate) variance: Estimate,
    /// E\[g²\], E\[g³\], …
    pub(crate) powers: Vec<Estimate>,
}

/// How many samples are drawn between two reports of progress.
const REPORTED: u64 = 1 << 16;

/// Draws `samples` values of u ~ N(γ, ξ²) and averages over g(u), and over its powers from 2 to `highest`; tells
/// `progress` how many it has drawn.
pub(crate) fn estimate(
    activation: &Activation,
    parameters: &[f64],
    (gamma, xi2): (f64, f64),
    highest: u32,
    samples: u64,
    seed: u64,
    mut progress: impl FnMut(u64),
) -> Estimates {
    let function = Function::new(activation, parameters);
    let mut random = Random::new(seed);
    let xi = xi2.sqrt();
    // Sums of powers of differences from typical values keep their digits.
    let typical = function.value(gamma);
    let mut sums = [0.0; 4];
    // Of gⁿ − typicalⁿ and its square.
    let mut powers: Vec<Power> = (2..=highest).map(|n| Power::new(typical, n)).collect();
    let mut left = samples;
    while left > 0 {
        let pair = random.normals();
        let used = if left == 1 { &pair[..1] } else { &pair[..] };
        for z in used {
            let g = function.value(gamma + xi * z);
            let d = g - typical;
            let mut power = 1.0;
            for sum in &mut sums {
                power *= d;
                *sum += power;
            }
            powers.iter_mut().for_each(|power| power.add(g));
        }
        left -= used.len() as u64;
        let drawn = samples - left;
        if drawn.is_multiple_of(REPORTED) {
            progress(drawn);
        }
    }
    let n = samples as f64;
    let [m1, m2, m3, m4] = sums.map(|sum| sum / n);
    let variance = (m2 - m1 * m1).max(0.0);
    let fourth = m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1.powi(4);
    let unbiased = n / (n - 1.0);
    let error = |spread: f64| (spread.max(0.0) / n).sqrt();
    Estimates {
        mean: Estimate { value: typical + m1, error: error(variance * unbiased) },
        variance: Estimate {
            value: variance * unbiased,
            error: error(fourth - variance * variance),
        },
        powers: powers.iter().map(|power| power.estimate(n)).collect(),
    }
}

/// The sums of gⁿ − cⁿ and of its square, for a typical value c of g: they keep their digits.
struct Power {
    typical: f64,
    order: i32,
    sums: [f64; 2],
}

impl Power {
    fn new(typical: f64, order: u32) -> Self {
        Self { typical, order: order.cast_signed(), sums: [0.0; 2] }
    }

    fn add(&mut self, g: f64) {
        // gⁿ − cⁿ = (g − c)(gⁿ⁻¹ + c gⁿ⁻² + … + cⁿ⁻¹) does not cancel.
        let quotient = (1..self.order).fold(1.0, |sum, k| sum * g + self.typical.powi(k));
        let difference = (g - self.typical) * quotient;
        self.sums[0] += difference;
        self.sums[1] += difference * difference;
    }

    fn estimate(&self, samples: f64) -> Estimate {
        let [first, second] = self.sums.map(|sum| sum / samples);
        let spread = (second - first * first).max(0.0) / (samples - 1.0);
        Estimate { value: self.typical.powi(self.order) + first, error: spread.sqrt() }
    }
}

/// The activation in floating point, straight from its pieces.
struct Function {
    knots: Vec<f64>,
    /// Coefficients, constant term first.
    pieces: Vec<Vec<f64>>,
}

impl Function {
    fn new(activation: &Activation, parameters: &[f64]) -> Self {
        let values = SymbolValues { activation, parameters };
        let function = &activation.function;
        let pieces = function.pieces().iter().map(|piece| {
            let coefficients = piece.coefficients(&Symbol::Variable);
            coefficients.iter().map(|coefficient| values.polynomial(coefficient)).collect()
        });
        let knots = function.knots().iter().map(|knot| values.polynomial(&knot.polynomial()));
        Self { knots: knots.collect(), pieces: pieces.collect() }
    }

    fn value(&self, x: f64) -> f64 {
        let piece = self.knots.iter().take_while(|knot| **knot < x).count();
        self.pieces[piece].iter().rev().fold(0.0, |value, coefficient| value * x + coefficient)
    }
}

/// The values of the symbols.
struct SymbolValues<'a> {
    activation: &'a Activation,
    parameters: &'a [f64],
}

impl SymbolValues<'_> {
    fn polynomial(&self, polynomial: &Polynomial) -> f64 {
        let terms = polynomial.terms().map(|(monomial, coefficient)| {
            let powers = monomial.powers().iter();
            let powers = powers.map(|(symbol, exponent)| self.symbol(symbol).powi(*exponent));
            coefficient.to_f64().unwrap_or(f64::NAN) * powers.product::<f64>()
        });
        terms.sum()
    }

    fn symbol(&self, symbol: &Symbol) -> f64 {
        match symbol {
            Symbol::Parameter(name) => {
                let index = self.activation.parameters.iter().position(|p| p.name == *name);
                index.map_or(f64::NAN, |index| self.parameters[index])
            }
            Symbol::Root(root) => root.enclosure(ROOT_BITS).0.to_f64().unwrap_or(f64::NAN),
            Symbol::Reciprocal(below) => self.polynomial(below).recip(),
            _ => f64::NAN,
        }
    }
}

/// xoshiro256++ (Blackman and Vigna), started from splitmix64.
struct Random([u64; 4]);

impl Random {
    fn new(mut seed: u64) -> Self {
        Self(std::array::from_fn(|_| {
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }))
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// Uniform in (0, 1\].
    fn uniform(&mut self) -> f64 {
        // 53 bits, and not 0, of which the logarithm is infinite.
        ((self.next() >> 11) + 1) as f64 * f64::EPSILON / 2.0
    }

    /// Two independent standard Normal values, by Box and Muller.
    fn normals(&mut self) -> [f64; 2] {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        [radius * cos, radius * sin]
    }
}

#[cfg(test)]
mod tests {
    use gaussform_symbolic::Activation;

    use super::{Function, Random};

    #[test]
    fn knots_have_numbers() {
        for (text, parameters, values) in [
            (
                "|x^3 - 2|",
                &[][..],
                [(1.259, 2.0 - 1.259_f64.powi(3)), (1.26, 1.26_f64.powi(3) - 2.0)],
            ),
            ("g(x; a < b) = clamp(x, a, b)", &[0.5, 2.5], [(0.25, 0.5), (3.0, 2.5)]),
            ("g(x; a > 0) = (|x + a| - |x - a|)/(2*a)", &[0.5], [(0.25, 0.5), (0.75, 1.0)]),
        ] {
            let function = Function::new(&Activation::parse(text).expect("valid"), parameters);
            for (x, value) in values {
                assert!((function.value(x) - value).abs() < 1e-14, "{text} at {x}");
            }
        }
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The first values of xoshiro256++ from the state 1, 2, 3, 4.
        let mut random = Random([1, 2, 3, 4]);
        let values: Vec<u64> = (0..5).map(|_| random.next()).collect();
        assert_eq!(
            values,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386,
                9_228_616_714_210_784_205
            ]
        );
    }

    #[test]
    fn normals_have_the_moments_of_the_normal() {
        let mut random = Random::new(7);
        let values: Vec<f64> = (0..100_000).flat_map(|_| random.normals()).collect();
        let n = values.len() as f64;
        for (power, expected) in [(1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)] {
            let moment = values.iter().map(|z| z.powi(power)).sum::<f64>() / n;
            assert!((moment - expected).abs() < 0.05, "E[z^{power}] is about {moment}");
        }
    }
}
