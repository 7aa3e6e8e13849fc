//! The steps of a derivation: each a rule, its premises, its claim.

use gaussform_symbolic::derivation::{Claim, Factor, Rule, Step, Which};
use gaussform_symbolic::moment::Axis;
use gaussform_symbolic::render::{self, latex, text};
use gaussform_symbolic::{Derivation, ModulusForm, SignForm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::{FormRecord, PointRecord, QuantityRecord, ValueRecord, read_point, write_point};
use super::polynomial::{PolynomialRecord, SymbolRecord};
use super::{ReadError, Reader, Writer};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// The rule used.
    pub rule: RuleRecord,
    /// The places of the earlier steps whose claims it uses, from 0.
    pub premises: Vec<usize>,
    /// The claim.
    pub claim: ClaimRecord,
    /// The rule and its premises in words, counted from 1.
    pub reason: String,
    /// The claim as an equation.
    pub text: String,
    /// The claim in LaTeX.
    pub latex: String,
}

/// A rule of the derivation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleRecord {
    /// The function as c(u) + Σ sₖ(u) sgn(u − tₖ).
    NormalForm(WhichRecord),
    /// g⁰ = 1.
    ZerothPower,
    /// sgn(u−a) sgn(u−b) = 1 + sgn(u−b) − sgn(u−a) for a < b.
    ProductOfSigns,
    /// s(u) sgn(u−t) = s(t) sgn(u−t) + r(u) |u−t|.
    SplitAtKnots,
    /// E[1] = 1.
    Normalisation,
    /// E|u − t| by the cosine identity, for the knot with this number.
    CosineIntegral(usize),
    /// E[sgn(u − t)] = ∂_γ E|u − t|.
    DifferentiateModulus,
    /// E[u f(u)] = (γ + ξ² ∂_γ) E[f(u)].
    MultiplyByU,
    /// The sum of the expectations of the terms.
    Linearity,
    /// Var g = E[g²] − E[g]².
    Variance,
    /// The binomial theorem.
    CentralMoment,
    /// Cov(g, h) = E[g h] − E[g] E[h].
    Covariance,
    /// E[uᵏ f(u)] or E[wᵏ f(w)] as the expectation of a product.
    Marginal(AxisRecord),
    /// E|u−s||w−t| by the double cosine integral, for the knots with these numbers.
    DoubleCosineIntegral([usize; 2]),
    /// E[sgn(u − s) …] = ∂_γ E[|u − s| …], and in γ′ for w.
    DifferentiateIn(AxisRecord),
    /// E[u f] = (γ + ξ² ∂_γ + σ ∂_γ′) E[f], and the same for w.
    MultiplyBy(AxisRecord),
    /// The sum of the expectations of the products of terms.
    PairLinearity,
    /// Cov(g(u), h(w)) = E[g(u) h(w)] − E[g(u)] E[h(w)].
    CrossCovariance,
    /// A partial derivative.
    Differentiate(SymbolRecord),
    /// A limit.
    Limit {
        /// The symbol that goes to the point.
        symbol: SymbolRecord,
        /// The point that the symbol goes to.
        point: PointRecord,
    },
}

/// One of two pre-activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxisRecord {
    /// The argument u of g.
    U,
    /// The argument w of h.
    W,
}

impl From<Axis> for AxisRecord {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::First => Self::U,
            Axis::Second => Self::W,
        }
    }
}

impl From<AxisRecord> for Axis {
    fn from(record: AxisRecord) -> Self {
        match record {
            AxisRecord::U => Self::First,
            AxisRecord::W => Self::Second,
        }
    }
}

/// One of two functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhichRecord {
    /// The function g.
    G,
    /// The function h.
    H,
}

/// One equation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimRecord {
    /// g(u)ⁿ h(u)ᵐ = smooth + Σ coefficient · sgn(u − t).
    Signs {
        /// n and m.
        powers: [u32; 2],
        /// The part without signs.
        smooth: PolynomialRecord,
        /// The coefficients of signs.
        signs: Vec<KnotTermRecord>,
    },
    /// g(u)ⁿ h(u)ᵐ = smooth + Σ coefficient · |u − t| + Σ coefficient · sgn(u − t).
    Moduli {
        /// n and m.
        powers: [u32; 2],
        /// The part without either.
        smooth: PolynomialRecord,
        /// The coefficients of absolute values.
        moduli: Vec<KnotTermRecord>,
        /// The coefficients of signs, which are free of u.
        signs: Vec<KnotTermRecord>,
    },
    /// E[uᵏ f(u)].
    Expectation {
        /// k.
        power: u32,
        /// f.
        of: FactorRecord,
        /// The value of the expectation.
        value: FormRecord,
    },
    /// E[uⁱ f(u) wʲ k(w)].
    Mixed {
        /// i and j.
        powers: [u32; 2],
        /// f, and k with w in the place of u.
        of: [FactorRecord; 2],
        /// The value of the expectation.
        value: FormRecord,
    },
    /// The value of a quantity.
    Result {
        /// The quantity.
        quantity: QuantityRecord,
        /// The value of the quantity.
        value: ValueRecord,
    },
}

/// A polynomial in u that belongs to a knot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnotTermRecord {
    /// The number of the knot in `knots`.
    pub knot: usize,
    /// The polynomial.
    pub coefficient: PolynomialRecord,
}

/// The function f of an expectation E[uᵏ f(u)].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactorRecord {
    /// 1
    One,
    /// sgn(u − t) by the number of the knot.
    Sign(usize),
    /// |u − t| by the number of the knot.
    Modulus(usize),
}

type Coefficients = std::collections::BTreeMap<
    gaussform_symbolic::Knot,
    gaussform_symbolic::polynomial::Polynomial,
>;

impl Writer {
    pub(super) fn steps(&mut self, derivation: &Derivation) -> Vec<StepRecord> {
        let lines = render::lines(derivation);
        let pairs = derivation.steps().iter().zip(&lines);
        let record = |(step, line): (&Step, &render::Line)| StepRecord {
            rule: self.rule(&step.rule),
            premises: step.premises.clone(),
            claim: self.claim(&step.claim),
            reason: line.reason(),
            text: format!("{} = {}", text::math(&line.left), text::math(&line.right)),
            latex: format!("{} = {}", latex::math(&line.left), latex::math(&line.right)),
        };
        pairs.map(record).collect()
    }

    fn rule(&mut self, rule: &Rule) -> RuleRecord {
        match rule {
            Rule::NormalForm(Which::First) => RuleRecord::NormalForm(WhichRecord::G),
            Rule::NormalForm(Which::Second) => RuleRecord::NormalForm(WhichRecord::H),
            Rule::ZerothPower => RuleRecord::ZerothPower,
            Rule::ProductOfSigns => RuleRecord::ProductOfSigns,
            Rule::SplitAtKnots => RuleRecord::SplitAtKnots,
            Rule::Normalisation => RuleRecord::Normalisation,
            Rule::CosineIntegral(knot) => RuleRecord::CosineIntegral(self.knot(knot)),
            Rule::DifferentiateModulus => RuleRecord::DifferentiateModulus,
            Rule::MultiplyByU => RuleRecord::MultiplyByU,
            Rule::Linearity => RuleRecord::Linearity,
            Rule::Variance => RuleRecord::Variance,
            Rule::CentralMoment => RuleRecord::CentralMoment,
            Rule::Covariance => RuleRecord::Covariance,
            Rule::Marginal(axis) => RuleRecord::Marginal((*axis).into()),
            Rule::DoubleCosineIntegral(s, t) => {
                RuleRecord::DoubleCosineIntegral([self.knot(s), self.knot(t)])
            }
            Rule::DifferentiateIn(axis) => RuleRecord::DifferentiateIn((*axis).into()),
            Rule::MultiplyBy(axis) => RuleRecord::MultiplyBy((*axis).into()),
            Rule::PairLinearity => RuleRecord::PairLinearity,
            Rule::CrossCovariance => RuleRecord::CrossCovariance,
            Rule::Differentiate(symbol) => RuleRecord::Differentiate(self.symbol(symbol)),
            Rule::Limit(symbol, point) => {
                RuleRecord::Limit { symbol: self.symbol(symbol), point: write_point(point) }
            }
        }
    }

    fn claim(&mut self, claim: &Claim) -> ClaimRecord {
        match claim {
            Claim::Signs((n, m), form) => ClaimRecord::Signs {
                powers: [*n, *m],
                smooth: self.polynomial(&form.smooth),
                signs: self.coefficients(&form.signs),
            },
            Claim::Moduli((n, m), form) => ClaimRecord::Moduli {
                powers: [*n, *m],
                smooth: self.polynomial(&form.smooth),
                moduli: self.coefficients(&form.moduli),
                signs: self.coefficients(&form.signs),
            },
            Claim::Expectation(power, factor, value) => ClaimRecord::Expectation {
                power: *power,
                of: self.factor(factor),
                value: self.form(value),
            },
            Claim::Mixed(powers, [f, k], value) => ClaimRecord::Mixed {
                powers: *powers,
                of: [self.factor(f), self.factor(k)],
                value: self.form(value),
            },
            Claim::Result(quantity, value) => {
                ClaimRecord::Result { quantity: self.quantity(quantity), value: self.value(value) }
            }
        }
    }

    fn factor(&mut self, factor: &Factor) -> FactorRecord {
        match factor {
            Factor::One => FactorRecord::One,
            Factor::Sign(knot) => FactorRecord::Sign(self.knot(knot)),
            Factor::Modulus(knot) => FactorRecord::Modulus(self.knot(knot)),
        }
    }

    fn coefficients(&mut self, coefficients: &Coefficients) -> Vec<KnotTermRecord> {
        let record = |(knot, coefficient)| KnotTermRecord {
            knot: self.knot(knot),
            coefficient: self.polynomial(coefficient),
        };
        coefficients.iter().map(record).collect()
    }
}

impl Reader {
    pub(super) fn step(&self, record: &StepRecord) -> Result<Step, ReadError> {
        let (rule, claim) = (self.rule(&record.rule)?, self.claim(&record.claim)?);
        Ok(Step { rule, premises: record.premises.clone(), claim })
    }

    fn rule(&self, record: &RuleRecord) -> Result<Rule, ReadError> {
        Ok(match record {
            RuleRecord::NormalForm(WhichRecord::G) => Rule::NormalForm(Which::First),
            RuleRecord::NormalForm(WhichRecord::H) => Rule::NormalForm(Which::Second),
            RuleRecord::ZerothPower => Rule::ZerothPower,
            RuleRecord::ProductOfSigns => Rule::ProductOfSigns,
            RuleRecord::SplitAtKnots => Rule::SplitAtKnots,
            RuleRecord::Normalisation => Rule::Normalisation,
            RuleRecord::CosineIntegral(knot) => Rule::CosineIntegral(self.knot(*knot)?.clone()),
            RuleRecord::DifferentiateModulus => Rule::DifferentiateModulus,
            RuleRecord::MultiplyByU => Rule::MultiplyByU,
            RuleRecord::Linearity => Rule::Linearity,
            RuleRecord::Variance => Rule::Variance,
            RuleRecord::CentralMoment => Rule::CentralMoment,
            RuleRecord::Covariance => Rule::Covariance,
            RuleRecord::Marginal(axis) => Rule::Marginal((*axis).into()),
            RuleRecord::DoubleCosineIntegral([s, t]) => {
                Rule::DoubleCosineIntegral(self.knot(*s)?.clone(), self.knot(*t)?.clone())
            }
            RuleRecord::DifferentiateIn(axis) => Rule::DifferentiateIn((*axis).into()),
            RuleRecord::MultiplyBy(axis) => Rule::MultiplyBy((*axis).into()),
            RuleRecord::PairLinearity => Rule::PairLinearity,
            RuleRecord::CrossCovariance => Rule::CrossCovariance,
            RuleRecord::Differentiate(symbol) => Rule::Differentiate(self.symbol(symbol)?),
            RuleRecord::Limit { symbol, point } => {
                Rule::Limit(self.symbol(symbol)?, read_point(point)?)
            }
        })
    }

    fn claim(&self, record: &ClaimRecord) -> Result<Claim, ReadError> {
        Ok(match record {
            ClaimRecord::Signs { powers: [n, m], smooth, signs } => {
                let smooth = self.polynomial(smooth)?;
                Claim::Signs((*n, *m), SignForm { smooth, signs: self.coefficients(signs)? })
            }
            ClaimRecord::Moduli { powers: [n, m], smooth, moduli, signs } => {
                let smooth = self.polynomial(smooth)?;
                let (moduli, signs) = (self.coefficients(moduli)?, self.coefficients(signs)?);
                Claim::Moduli((*n, *m), ModulusForm { smooth, moduli, signs })
            }
            ClaimRecord::Expectation { power, of, value } => {
                Claim::Expectation(*power, self.factor(of)?, self.form(value)?)
            }
            ClaimRecord::Mixed { powers, of: [f, k], value } => {
                Claim::Mixed(*powers, [self.factor(f)?, self.factor(k)?], self.form(value)?)
            }
            ClaimRecord::Result { quantity, value } => {
                Claim::Result(self.quantity(quantity)?, self.value(value)?)
            }
        })
    }

    fn factor(&self, record: &FactorRecord) -> Result<Factor, ReadError> {
        Ok(match record {
            FactorRecord::One => Factor::One,
            FactorRecord::Sign(knot) => Factor::Sign(self.knot(*knot)?.clone()),
            FactorRecord::Modulus(knot) => Factor::Modulus(self.knot(*knot)?.clone()),
        })
    }

    fn coefficients(&self, records: &[KnotTermRecord]) -> Result<Coefficients, ReadError> {
        let read = |record: &KnotTermRecord| {
            Ok((self.knot(record.knot)?.clone(), self.polynomial(&record.coefficient)?))
        };
        records.iter().map(read).collect()
    }
}
