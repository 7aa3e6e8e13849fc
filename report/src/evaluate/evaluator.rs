//! Forms at a point, term by term in the order in which they are written.

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::integer;
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::Real;

/// Forms without parameters, their numbers in one precision.
pub struct Evaluator<T> {
    bits: u64,
    fine: u64,
    knots: Vec<T>,
    forms: Vec<Vec<Term<T>>>,
    half: T,
    two: T,
    root_two_over_pi: T,
}

/// A coefficient times functions.
struct Term<T> {
    coefficient: Vec<Monomial<T>>,
    functions: Vec<(Kind, usize, u32)>,
}

/// A number times powers of γ and ξ².
struct Monomial<T> {
    number: T,
    gamma: i32,
    xi2: i32,
}

#[derive(Clone, Copy)]
enum Kind {
    Erf,
    Gauss,
}

impl<T: Real> Evaluator<T> {
    /// Numbers of so many bits; what is small beside 1 and counts by itself, exp(−s²) and 1 − |erf s|, has
    /// `fine` bits of its own. `None` if parameters or a second pre-activation occur in the
    /// forms.
    #[must_use]
    pub fn new(forms: &[Form], bits: u64, fine: u64) -> Option<Self> {
        let mut knots: Vec<Knot> = forms.iter().flat_map(Form::knots).collect();
        knots.sort();
        knots.dedup();
        let forms = forms.iter().map(|form| terms(form, &knots, bits)).collect::<Option<_>>()?;
        let knots = knots.iter().map(|knot| place(knot, bits)).collect::<Option<_>>()?;
        let number = |n| T::from_rational(&integer(n), bits);
        let root_two_over_pi = number(2).over(&T::pi(bits)).sqrt();
        let half = number(1).over(&number(2));
        Some(Self { bits, fine, knots, forms, half, two: number(2), root_two_over_pi })
    }

    /// The value of each form for ξ² > 0.
    #[must_use]
    pub fn values(&self, gamma: f64, xi2: f64) -> Vec<T> {
        let (gamma, xi2) = (T::from_f64(gamma, self.bits), T::from_f64(xi2, self.bits));
        let xi = xi2.sqrt();
        let functions: Vec<[T; 2]> = self.knots.iter().map(|t| self.at(t, &gamma, &xi)).collect();
        let zero = T::from_f64(0.0, self.bits);
        let value = |terms: &Vec<Term<T>>| {
            terms.iter().fold(zero.clone(), |sum, term| {
                let coefficient = term.coefficient.iter().fold(zero.clone(), |sum, monomial| {
                    let number = raised(monomial.number.clone(), &gamma, monomial.gamma);
                    sum.plus(&raised(number, &xi2, monomial.xi2))
                });
                let product = term.functions.iter().fold(coefficient, |product, factor| {
                    let (kind, at, power) = factor;
                    let function = &functions[*at][*kind as usize];
                    (0..*power).fold(product, |product, _| product.times(function))
                });
                sum.plus(&product)
            })
        };
        self.forms.iter().map(value).collect()
    }

    /// erf((γ − t)/(√2 ξ)) and √(2/π) ξ exp(−(γ − t)²/(2ξ²)).
    fn at(&self, knot: &T, gamma: &T, xi: &T) -> [T; 2] {
        let scaled = gamma.minus(knot).over(xi);
        let square = scaled.times(&scaled).times(&self.half);
        let zero = square.minus(&square);
        let erf = scaled.over(&self.two.sqrt()).erf(self.fine);
        [erf, self.root_two_over_pi.times(xi).times(&zero.minus(&square).exp(self.fine))]
    }
}

fn terms<T: Real>(form: &Form, knots: &[Knot], bits: u64) -> Option<Vec<Term<T>>> {
    let terms = form.terms().map(|(product, coefficient)| {
        let functions = product.factors().map(|(function, exponent)| {
            let kind = match function {
                Function::Erf(_) => Kind::Erf,
                Function::Gauss(_) => Kind::Gauss,
                _ => return None,
            };
            let at = knots.iter().position(|knot| Some(knot) == function.in_u())?;
            Some((kind, at, exponent))
        });
        let functions = functions.collect::<Option<_>>()?;
        Some(Term { coefficient: monomials(coefficient, bits)?, functions })
    });
    terms.collect()
}

fn raised<T: Real>(number: T, base: &T, exponent: i32) -> T {
    (0..exponent.unsigned_abs()).fold(number, |product, _| {
        if exponent > 0 { product.times(base) } else { product.over(base) }
    })
}

/// A place that is a number.
pub(crate) fn place<T: Real>(knot: &Knot, bits: u64) -> Option<T> {
    let (lower, _) = knot.enclosure(u32::try_from(bits + 64).ok()?)?;
    Some(T::from_rational(&lower, bits))
}

fn monomials<T: Real>(polynomial: &Polynomial, bits: u64) -> Option<Vec<Monomial<T>>> {
    let terms = polynomial.terms().map(|(monomial, coefficient)| {
        let mut number = T::from_rational(coefficient, bits);
        let (mut gamma, mut xi2) = (0, 0);
        for (symbol, exponent) in monomial.powers() {
            match symbol {
                Symbol::Gamma => gamma = *exponent,
                Symbol::Xi2 => xi2 = *exponent,
                Symbol::Root(root) => {
                    let root = place(&Knot::Algebraic(root.clone()), bits)?;
                    number = raised(number, &root, *exponent);
                }
                _ => return None,
            }
        }
        Some(Monomial { number, gamma, xi2 })
    });
    terms.collect()
}
