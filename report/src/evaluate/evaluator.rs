//! The values of derived formulas at a point, term by term in the order in which they are written.

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::integer;
use gaussform_symbolic::moment::{Axis, Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::quadrant::Quadrant;
use super::{Real, place};

/// The most bits of a quadrant: 38 digits of the part that depends on the correlation.
const QUADRANT: u64 = 128;

/// Forms without parameters, their numbers in one precision.
pub struct Evaluator<T> {
    bits: u64,
    fine: u64,
    functions: Vec<Located<T>>,
    forms: Vec<Vec<Term<T>>>,
    half: T,
    two: T,
    root_two_over_pi: T,
    /// The rule for quadrants, if a form has quadrants.
    quadrant: Option<Quadrant<T>>,
}

/// The means, variances and the covariance of two pre-activations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// γ and γ′.
    pub mean: [f64; 2],
    /// ξ² and ξ′², which are positive.
    pub variance: [f64; 2],
    /// σ, with σ² < ξ²ξ′².
    pub covariance: f64,
}

/// The numbers of a law, computed before a function is evaluated.
struct LawNumbers<T> {
    /// γ, ξ², γ′, ξ′², σ, Δ.
    symbols: [T; 6],
    /// ξ and ξ′.
    deviation: [T; 2],
    /// √Δ
    root: T,
}

/// The symbols of a law in the order of [`LawNumbers`].
const SYMBOLS: [Symbol; 6] = [
    Symbol::Gamma,
    Symbol::Xi2,
    Symbol::GammaOther,
    Symbol::Xi2Other,
    Symbol::Covariance,
    Symbol::Determinant,
];

/// A function, with its knots as numbers; one that it does not have is 0.
struct Located<T> {
    kind: FunctionKind,
    knots: [T; 2],
}

#[derive(Clone, Copy, PartialEq)]
enum FunctionKind {
    Erf(Axis),
    Gauss(Axis),
    Quadrant,
    Edge(Axis),
    Corner,
}

/// A coefficient times functions, by their numbers and exponents.
struct Term<T> {
    coefficient: Vec<Monomial<T>>,
    functions: Vec<(usize, u32)>,
}

/// A number times powers of the symbols of a law, by their places in [`SYMBOLS`].
struct Monomial<T> {
    number: T,
    powers: Vec<(usize, i32)>,
}

impl<T: Real> Evaluator<T> {
    /// An evaluator in numbers of `bits` bits. Numbers that are small relative to 1 and count by themselves, exp(−s²)
    /// and 1 − |erf s|, have `fine` bits of their own. `None` if parameters occur in the forms.
    #[must_use]
    pub fn new(forms: &[Form], bits: u64, fine: u64) -> Option<Self> {
        let factors = forms.iter().flat_map(Form::terms).flat_map(|(product, _)| product.factors());
        let mut functions: Vec<&Function> = factors.map(|(function, _)| function).collect();
        // A function is evaluated once at a point, whatever number of terms it is in.
        functions.sort();
        functions.dedup();
        let terms = forms.iter().map(|form| terms(form, &functions, bits));
        let forms = terms.collect::<Option<_>>()?;
        let located = functions.iter().map(|function| located(function, bits));
        let functions = located.collect::<Option<Vec<_>>>()?;
        let number = |n| T::from_rational(&integer(n), bits);
        let root_two_over_pi = number(2).over(&T::pi(bits)).sqrt();
        let half = number(1).over(&number(2));
        let has_quadrants =
            functions.iter().any(|function| function.kind == FunctionKind::Quadrant);
        let quadrant = has_quadrants.then(|| Quadrant::new(bits, fine.min(QUADRANT)));
        Some(Self {
            bits,
            fine,
            functions,
            forms,
            half,
            two: number(2),
            root_two_over_pi,
            quadrant,
        })
    }

    /// The value of each form of one pre-activation, for ξ² > 0.
    #[must_use]
    pub fn values(&self, gamma: f64, xi2: f64) -> Vec<T> {
        // w does not occur, so any law of it serves.
        self.pair_values(&Law { mean: [gamma, 0.0], variance: [xi2, 1.0], covariance: 0.0 })
    }

    /// The value of each form of two pre-activations.
    #[must_use]
    pub fn pair_values(&self, law: &Law) -> Vec<T> {
        let law = self.numbers(law);
        let functions: Vec<T> = self.functions.iter().map(|f| self.function(f, &law)).collect();
        let zero = T::from_f64(0.0, self.bits);
        let value = |terms: &Vec<Term<T>>| {
            terms.iter().fold(zero.clone(), |sum, term| {
                let coefficient = term.coefficient.iter().fold(zero.clone(), |sum, monomial| {
                    let powers = monomial.powers.iter();
                    sum.plus(&powers.fold(monomial.number.clone(), |number, (symbol, exponent)| {
                        raised(number, &law.symbols[*symbol], *exponent)
                    }))
                });
                let product = term.functions.iter().fold(coefficient, |product, (at, power)| {
                    (0..*power).fold(product, |product, _| product.times(&functions[*at]))
                });
                sum.plus(&product)
            })
        };
        self.forms.iter().map(value).collect()
    }

    fn numbers(&self, law: &Law) -> LawNumbers<T> {
        let number = |value| T::from_f64(value, self.bits);
        let ([gamma, gamma_h], [xi2, xi2_h]) = (law.mean.map(number), law.variance.map(number));
        let covariance = number(law.covariance);
        let determinant = xi2.times(&xi2_h).minus(&covariance.times(&covariance));
        let (deviation, root) = ([xi2.sqrt(), xi2_h.sqrt()], determinant.sqrt());
        let symbols = [gamma, xi2, gamma_h, xi2_h, covariance, determinant];
        LawNumbers { symbols, deviation, root }
    }

    fn function(&self, function: &Located<T>, law: &LawNumbers<T>) -> T {
        let [gamma, xi2, gamma_h, xi2_h, covariance, determinant] = &law.symbols;
        let [a, b] = [gamma.minus(&function.knots[0]), gamma_h.minus(&function.knots[1])];
        let scaled = |axis: Axis| [&a, &b][axis as usize].over(&law.deviation[axis as usize]);
        let erf = |scaled: &T| scaled.over(&self.two.sqrt()).erf(self.fine);
        let gauss = |axis: Axis| {
            let scaled = scaled(axis);
            let square = scaled.times(&scaled).times(&self.half);
            let density = self.negative(&square).exp(self.fine);
            self.root_two_over_pi.times(&law.deviation[axis as usize]).times(&density)
        };
        match function.kind {
            FunctionKind::Erf(axis) => erf(&scaled(axis)),
            FunctionKind::Gauss(axis) => gauss(axis),
            FunctionKind::Quadrant => {
                let [alpha, beta] = Axis::BOTH.map(scaled);
                let apart = erf(&alpha).times(&erf(&beta));
                // The tangent of half the angle whose sine is the correlation.
                let both = law.deviation[0].times(&law.deviation[1]);
                let tangent = covariance.over(&both.plus(&law.root));
                let quadrant = self.quadrant.as_ref().expect("made where a form has quadrants");
                apart.plus(&quadrant.dependence(&alpha, &beta, &tangent))
            }
            // The distance from the other knot, given that this pre-activation is on its own.
            FunctionKind::Edge(axis) => {
                let (variance, near, far) = match axis {
                    Axis::First => (xi2, &a, &b),
                    Axis::Second => (xi2_h, &b, &a),
                };
                let pull = variance.times(far).minus(&covariance.times(near));
                let unit = law.deviation[axis as usize].times(&law.root);
                gauss(axis).times(&erf(&pull.over(&unit)))
            }
            FunctionKind::Corner => {
                let mixed = self.two.times(covariance).times(&a).times(&b);
                let squares = xi2_h.times(&a).times(&a).plus(&xi2.times(&b).times(&b));
                let exponent = squares.minus(&mixed).over(&self.two.times(determinant));
                let unit = self.root_two_over_pi.times(&self.root_two_over_pi).times(&law.root);
                unit.times(&self.negative(&exponent).exp(self.fine))
            }
        }
    }

    fn negative(&self, value: &T) -> T {
        T::from_f64(0.0, self.bits).minus(value)
    }
}

fn located<T: Real>(function: &Function, bits: u64) -> Option<Located<T>> {
    let kind = match function {
        Function::Erf(_) => FunctionKind::Erf(Axis::First),
        Function::ErfOther(_) => FunctionKind::Erf(Axis::Second),
        Function::Gauss(_) => FunctionKind::Gauss(Axis::First),
        Function::GaussOther(_) => FunctionKind::Gauss(Axis::Second),
        Function::Quadrant(..) => FunctionKind::Quadrant,
        Function::Edge(axis, ..) => FunctionKind::Edge(*axis),
        Function::Corner(..) => FunctionKind::Corner,
    };
    let number = |axis| match function.knot(axis) {
        Some(knot) => place(knot, bits),
        None => Some(T::from_f64(0.0, bits)),
    };
    Some(Located { kind, knots: [number(Axis::First)?, number(Axis::Second)?] })
}

fn terms<T: Real>(form: &Form, functions: &[&Function], bits: u64) -> Option<Vec<Term<T>>> {
    let terms = form.terms().map(|(product, coefficient)| {
        let functions = product.factors().map(|(function, exponent)| {
            Some((functions.iter().position(|known| *known == function)?, exponent))
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

fn monomials<T: Real>(polynomial: &Polynomial, bits: u64) -> Option<Vec<Monomial<T>>> {
    let terms = polynomial.terms().map(|(monomial, coefficient)| {
        let mut number = T::from_rational(coefficient, bits);
        let mut powers = Vec::new();
        for (symbol, exponent) in monomial.powers() {
            match symbol {
                Symbol::Root(root) => {
                    let root = place(&Knot::Algebraic(root.clone()), bits)?;
                    number = raised(number, &root, *exponent);
                }
                symbol => {
                    let at = SYMBOLS.iter().position(|known| known == symbol)?;
                    powers.push((at, *exponent));
                }
            }
        }
        powers.sort_unstable();
        Some(Monomial { number, powers })
    });
    terms.collect()
}
