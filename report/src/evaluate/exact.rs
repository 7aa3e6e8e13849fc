//! Derived results at a point, to all digits of double precision: the bits are doubled until the results agree.

use gaussform_symbolic::derivation::Quantity;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Derivation, Knot};
use puremp::FixedFloat;

use super::{Evaluator, Real, place};

/// The bits to begin with, where no knot is far.
const FEWEST: u64 = 256;
/// The most bits, which take seconds.
const MOST: u64 = 8_192;
/// The exponent of two below which a number is 0 in double precision, with a margin.
const LEAST: f64 = -1_200.0;

/// A result that has no digits in as many bits as are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the moments at a point so far from a knot, in numbers of this size, need more than {MOST} bits"
)]
pub struct Unsettled;

/// Results of derivations without parameters.
pub struct Exact {
    /// The forms that the results are made of.
    forms: Vec<Form>,
    knots: Vec<Knot>,
    /// The terms of each result: a coefficient, and the forms whose product it multiplies.
    results: Vec<Vec<(Rational, Vec<usize>)>>,
}

impl Exact {
    /// `None` if parameters or a second pre-activation occur.
    #[must_use]
    pub fn new(derivations: &[Derivation]) -> Option<Self> {
        if derivations.iter().any(|derivation| is_of_two(derivation.result().0)) {
            return None;
        }
        let mut quantities: Vec<&Quantity> = Vec::new();
        let (mut forms, mut results) = (Vec::new(), Vec::new());
        for derivation in derivations {
            let value = derivation.value();
            let mut terms = Vec::new();
            for (product, coefficient) in value.terms() {
                let mut factors = Vec::new();
                for quantity in product {
                    let known = quantities.iter().position(|other| *other == quantity);
                    factors.push(known.unwrap_or(quantities.len()));
                    if known.is_none() {
                        quantities.push(quantity);
                        forms.push(value.form_of(quantity)?.clone());
                    }
                }
                terms.push((coefficient.clone(), factors));
            }
            results.push(terms);
        }
        let mut knots: Vec<Knot> = forms.iter().flat_map(Form::knots).collect();
        knots.sort();
        knots.dedup();
        // It tells whether parameters occur. Those that compute are made anew for every precision.
        Evaluator::<f64>::new(&forms, 53, 53)?;
        Some(Self { forms, knots, results })
    }

    /// The results for γ and ξ² ≥ 0; for ξ² = 0 their limits.
    ///
    /// # Errors
    ///
    /// If γ, ξ² and the knots differ so much in size that the digits cannot be had.
    pub fn values(&self, gamma: f64, xi2: f64) -> Result<Vec<f64>, Unsettled> {
        let (forms, xi2, fewest) = match xi2 {
            // The limits are free of ξ², so any variance serves.
            0.0 => (self.noiseless(gamma), 1.0, FEWEST),
            _ => (self.forms.clone(), xi2, self.fewest(gamma, xi2)?),
        };
        let mut bits = fewest;
        let mut before = None;
        while bits <= 4 * MOST {
            let now = self.rounded(&forms, gamma, xi2, bits);
            if before.as_ref() == Some(&now) {
                return Ok(now);
            }
            (before, bits) = (Some(now), 2 * bits);
        }
        Err(Unsettled)
    }

    /// Whether the results can be had for γ and ξ² ≥ 0, before they are computed.
    ///
    /// # Errors
    ///
    /// The errors of [`values`](Self::values).
    pub fn check(&self, gamma: f64, xi2: f64) -> Result<(), Unsettled> {
        if xi2 == 0.0 { Ok(()) } else { self.fewest(gamma, xi2).map(drop) }
    }

    /// So many bits that nothing which counts is lost beside the largest term: exp(−s²/2) has its leading digit 0.72 s² bits
    /// behind the point, where s is the distance of a knot in units of ξ. What lies below all doubles does not count.
    fn fewest(&self, gamma: f64, xi2: f64) -> Result<u64, Unsettled> {
        let unit = self.unit(gamma, xi2);
        let places = self.knots.iter().filter_map(|knot| place::<f64>(knot, 53));
        let squares = places.map(|knot| (gamma - knot) * ((gamma - knot) / xi2));
        let counts = |square: &f64| unit - 0.72 * square > LEAST;
        let square = squares.filter(counts).fold(0.0, f64::max);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let bits = FEWEST.saturating_add((unit + 1.5 * square) as u64);
        if bits <= MOST { Ok(bits) } else { Err(Unsettled) }
    }

    /// The exponent of the largest term at a point, at least 0: terms cancel by as many bits.
    fn unit(&self, gamma: f64, xi2: f64) -> f64 {
        let (of_gamma, of_xi2) = (libm::log2(gamma.abs()), libm::log2(xi2));
        let power = |symbol: &Symbol, exponent: i32| {
            let size = match symbol {
                Symbol::Gamma => of_gamma,
                Symbol::Xi2 => of_xi2,
                _ => 0.0,
            };
            if exponent == 0 { 0.0 } else { size * f64::from(exponent) }
        };
        let of_form = |form: &Form| {
            let coefficients = form.terms().flat_map(|(_, coefficient)| coefficient.terms());
            let sizes = coefficients.map(|(monomial, number)| {
                let powers = monomial.powers().iter();
                log2(number) + powers.map(|(symbol, e)| power(symbol, *e)).sum::<f64>()
            });
            // A density comes with a factor ξ.
            sizes.fold(0.0, f64::max) + (0.5 * of_xi2).max(0.0)
        };
        let forms: Vec<f64> = self.forms.iter().map(of_form).collect();
        let products = self.results.iter().flatten();
        let sizes = products.map(|(number, factors)| {
            log2(number) + factors.iter().map(|factor| forms[*factor]).sum::<f64>()
        });
        sizes.fold(0.0, f64::max)
    }

    /// The limits of the forms for ξ² → 0, which are polynomials.
    fn noiseless(&self, gamma: f64) -> Vec<Form> {
        let Some(number) = Rational::from_float(gamma) else { return self.forms.clone() };
        let here = Knot::new(number);
        let limit = |form: &Form| {
            let knots = form.knots();
            let left = knots.iter().rfind(|knot| **knot <= here);
            match left {
                Some(knot) if *knot == here => {
                    let expansion = form.at_knot(knot).expansion();
                    expansion.get(&0).and_then(|parts| parts.first()).cloned().unwrap_or_default()
                }
                left => form.beyond(left),
            }
        };
        self.forms.iter().map(|form| Form::from(limit(form))).collect()
    }

    /// The results computed in `bits` bits and rounded.
    fn rounded(&self, forms: &[Form], gamma: f64, xi2: f64, bits: u64) -> Vec<f64> {
        let evaluator = Evaluator::<FixedFloat>::new(forms, bits, bits);
        let values = evaluator.map(|e| e.values(gamma, xi2)).unwrap_or_default();
        let result = |terms: &Vec<(Rational, Vec<usize>)>| {
            let zero = <FixedFloat as Real>::from_f64(0.0, bits);
            let sum = terms.iter().fold(zero, |sum, (coefficient, factors)| {
                let coefficient = <FixedFloat as Real>::from_rational(coefficient, bits);
                let product = factors.iter().fold(coefficient, |p, factor| &p * &values[*factor]);
                &sum + &product
            });
            double(&sum)
        };
        self.results.iter().map(result).collect()
    }
}

/// Whether a quantity belongs to two pre-activations.
fn is_of_two(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Joint(..) | Quantity::CrossCovariance => true,
        Quantity::Derivative(of, _) | Quantity::Limit(of, ..) => is_of_two(of),
        _ => false,
    }
}

/// The exponent of a number, at most 1 too large.
fn log2(number: &Rational) -> f64 {
    let bits = |value: u64| value as f64;
    bits(number.numer().bits()) - bits(number.denom().bits()) + 1.0
}

/// The nearest double. The conversion of the library loses what is near the smallest.
fn double(value: &FixedFloat) -> f64 {
    const SHIFT: i32 = 900;
    let value = value.with_precision(53);
    let size = value.to_f64();
    if size.abs() > 1e-240 {
        return size;
    }
    let large = <FixedFloat as Real>::from_f64(libm::ldexp(1.0, SHIFT), 53);
    // The sum with 0 turns −0 into 0.
    libm::ldexp((&value * &large).to_f64(), -SHIFT) + 0.0
}

#[cfg(test)]
mod tests {
    use gaussform_symbolic::Activation;

    use super::Exact;

    fn exact(text: &str, orders: &[u32], central: &[u32]) -> Exact {
        let g = Activation::parse(text).expect("valid");
        let raw = orders.iter().map(|n| g.moment(*n));
        let all = raw.chain(central.iter().map(|n| g.central(*n)));
        Exact::new(&all.collect::<Result<Vec<_>, _>>().expect("low orders")).expect("numbers")
    }

    /// From mpmath in 700 digits: mₙ = γ mₙ₋₁ + (n − 1) ξ² mₙ₋₂ for the raw moments, and sums of them.
    const TRUTH: [(f64, f64, [f64; 4]); 5] = [
        (
            0.5,
            2.0,
            [
                4.246_790_009_562_113,
                12.328_619_332_480_827,
                1.138_523_458_469_757_5,
                3.703_173_262_530_182_4,
            ],
        ),
        (0.0, 1.0, [0.797_884_560_802_865_4, 1.5, 0.326_458_412_069_198_3, 0.628_234_396_808_77]),
        (
            -8.0,
            1.0,
            [
                6.404_732_467_261_984e-18,
                2.987_333_676_279_623_7e-18,
                6.404_732_467_261_98e-18,
                2.987_333_676_279_621_8e-18,
            ],
        ),
        (
            -37.0,
            1.0,
            [
                6.737_858_136_147_258e-304,
                7.257_778_453_831_382e-305,
                6.737_858_136_147_258e-304,
                7.257_778_453_831_382e-305,
            ],
        ),
        (12.0, 1.0, [1764.0, 21603.0, 6.352_100_836_274_343e-32, 3.0]),
    ];

    #[test]
    fn moments_of_a_rectifier() {
        for (gamma, xi2, wanted) in &TRUTH {
            let found = exact("max(0, x)", &[3, 4], &[3, 4]).values(*gamma, *xi2).expect("digits");
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found / wanted - 1.0).abs() < 1e-15, "{found:e} {wanted:e} at {gamma}");
            }
        }
    }

    #[test]
    fn without_noise_it_is_the_function() {
        let step = exact("step(x)", &[1, 3], &[2, 3, 4]);
        // On a jump, half of the time on either side.
        assert_eq!(step.values(0.0, 0.0), Ok(vec![0.5, 0.5, 0.25, 0.0, 0.0625]));
        assert_eq!(step.values(2.0, 0.0), Ok(vec![1.0, 1.0, 0.0, 0.0, 0.0]));
        assert_eq!(exact("|x^2 - 2|", &[3], &[3]).values(3.0, 0.0), Ok(vec![343.0, 0.0]));
    }

    #[test]
    fn sizes_that_double_precision_hardly_holds() {
        let g = exact("max(0, x)", &[3], &[3]);
        assert_eq!(g.values(1e100, 1.0), Ok(vec![1e300, 0.0]));
        assert_eq!(g.values(-1e100, 1.0), Ok(vec![0.0, 0.0]));
        assert_eq!(g.values(1e200, 1.0), Ok(vec![f64::INFINITY, 0.0]));
        // E[max(0, u)³] = 2 √(2/π) ξ³ / 2 for γ = 0.
        let tiny = g.values(0.0, 1e-212).expect("digits")[0];
        assert!((tiny / 7.978_86e-319 - 1.0).abs() < 1e-4, "{tiny:e}");
        // A knot so far that nothing but its coordinate counts: terms of 10⁴⁰⁰ cancel.
        let capped = exact("min(max(0, x), 1e200)", &[], &[2]).values(0.0, 1.0).expect("digits");
        assert!((capped[0] - 0.340_845_056_908_104_6).abs() < 1e-15, "{capped:?}");
        // Far beyond the knot of a function with a gigantic unit.
        let steep = exact("max(0, x)^16", &[4], &[]);
        assert!(steep.values(-1e152, 1e300).is_err());
    }
}
