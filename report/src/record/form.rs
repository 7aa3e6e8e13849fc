//! Moments, and polynomials in moments, as records: sums of terms in canonical form.

use gaussform_symbolic::derivation::{Quantity, Value};
use gaussform_symbolic::moment::{Axis, Form, Function, Point};
use num_traits::One;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::polynomial::{PolynomialRecord, SymbolRecord};
use super::{ReadError, Reader, Writer, number};

/// Powers beyond this do not come from a derivation.
const MAX_POWER: u32 = 256;

/// A sum of polynomial coefficients times products of functions; no terms for 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormRecord(pub Vec<FormTermRecord>);

/// coefficient · function · function · …
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormTermRecord {
    /// A polynomial in γ, ξ², the parameters and irrational knots.
    pub coefficient: PolynomialRecord,
    /// The functions; none for the polynomial part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionPowerRecord>,
}

/// A function to a power.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionPowerRecord {
    /// The function.
    pub function: FunctionRecord,
    /// The number of its knot in `knots`: on the line of w for a function of w alone, else on that
    /// of u.
    pub knot: usize,
    /// The number of its knot on the line of w, for a function of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knot_h: Option<usize>,
    /// The exponent, at least 1.
    pub exponent: u32,
}

/// A transcendental function at a knot s on the line of u, t on the line of w, or both; a = γ − s,
/// b = γ′ − t.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionRecord {
    /// erf((γ − t)/(√2 ξ))
    Erf,
    /// √(2/π) ξ exp(−(γ − t)²/(2ξ²))
    Gauss,
    /// erf(b/(√2 ξ′))
    ErfH,
    /// √(2/π) ξ′ exp(−b²/(2ξ′²))
    GaussH,
    /// E[sgn(u − s) sgn(w − t)]
    Quadrant,
    /// √(2/π) ξ exp(−a²/(2ξ²)) erf((ξ²b − σa)/(√2 ξ √Δ))
    Edge,
    /// √(2/π) ξ′ exp(−b²/(2ξ′²)) erf((ξ′²a − σb)/(√2 ξ′ √Δ))
    EdgeH,
    /// (2/π) √Δ exp(−(ξ′²a² − 2σab + ξ²b²)/(2Δ))
    Corner,
}

/// A quantity of one or two activations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuantityRecord {
    /// E[g(u)ⁿ h(u)ᵐ] by n and m.
    Moment([u32; 2]),
    /// Var g(u)
    Variance,
    /// E[(g(u) − E[g(u)])ⁿ] by n.
    Central(u32),
    /// Cov(g(u), h(u))
    Covariance,
    /// E[g(u)ⁿ h(w)ᵐ] by n and m.
    Joint([u32; 2]),
    /// Cov(g(u), h(w))
    CrossCovariance,
    /// A partial derivative.
    Derivative {
        /// The quantity that is differentiated.
        of: Box<QuantityRecord>,
        /// The symbol that it is differentiated in.
        symbol: SymbolRecord,
    },
    /// A limit.
    Limit {
        /// The quantity that the limit is taken of.
        of: Box<QuantityRecord>,
        /// The symbol that goes to the point.
        symbol: SymbolRecord,
        /// The point that the symbol goes to.
        point: PointRecord,
    },
}

/// Where a symbol goes to in a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointRecord {
    /// ∞
    Infinity,
    /// −∞
    NegativeInfinity,
    /// A rational number, from above.
    Above(String),
    /// A rational number, from below.
    Below(String),
}

/// A polynomial in quantities, and the forms of these: a variance is `E[g²] − E[g]²`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueRecord {
    /// The products.
    pub terms: Vec<ValueTermRecord>,
    /// The quantities that occur.
    pub forms: Vec<NamedFormRecord>,
}

/// A rational number times quantities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueTermRecord {
    /// An exact rational: `3`, `-1/2`.
    pub coefficient: String,
    /// The factors by their places in `forms`, which may repeat.
    pub factors: Vec<usize>,
}

/// A quantity and its form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedFormRecord {
    /// The quantity.
    pub quantity: QuantityRecord,
    /// The form of its value.
    pub form: FormRecord,
}

impl Writer {
    pub(super) fn form(&mut self, form: &Form) -> FormRecord {
        let terms = form.terms().map(|(product, coefficient)| {
            let functions =
                product.factors().map(|(function, exponent)| self.function(function, exponent));
            let functions = functions.collect();
            FormTermRecord { functions, coefficient: self.polynomial(coefficient) }
        });
        FormRecord(terms.collect())
    }

    fn function(&mut self, function: &Function, exponent: u32) -> FunctionPowerRecord {
        let (record, knot, knot_h) = match function {
            Function::Erf(s) => (FunctionRecord::Erf, s, None),
            Function::Gauss(s) => (FunctionRecord::Gauss, s, None),
            Function::ErfOther(t) => (FunctionRecord::ErfH, t, None),
            Function::GaussOther(t) => (FunctionRecord::GaussH, t, None),
            Function::Quadrant(s, t) => (FunctionRecord::Quadrant, s, Some(t)),
            Function::Edge(Axis::First, s, t) => (FunctionRecord::Edge, s, Some(t)),
            Function::Edge(Axis::Second, s, t) => (FunctionRecord::EdgeH, s, Some(t)),
            Function::Corner(s, t) => (FunctionRecord::Corner, s, Some(t)),
        };
        let (knot, knot_h) = (self.knot(knot), knot_h.map(|knot| self.knot(knot)));
        FunctionPowerRecord { function: record, knot, knot_h, exponent }
    }

    pub(super) fn quantity(&mut self, quantity: &Quantity) -> QuantityRecord {
        match quantity {
            Quantity::Moment(n, m) => QuantityRecord::Moment([*n, *m]),
            Quantity::Variance => QuantityRecord::Variance,
            Quantity::Central(n) => QuantityRecord::Central(*n),
            Quantity::Covariance => QuantityRecord::Covariance,
            Quantity::Joint(n, m) => QuantityRecord::Joint([*n, *m]),
            Quantity::CrossCovariance => QuantityRecord::CrossCovariance,
            Quantity::Derivative(of, symbol) => QuantityRecord::Derivative {
                of: Box::new(self.quantity(of)),
                symbol: self.symbol(symbol),
            },
            Quantity::Limit(of, symbol, point) => QuantityRecord::Limit {
                of: Box::new(self.quantity(of)),
                symbol: self.symbol(symbol),
                point: write_point(point),
            },
        }
    }

    pub(super) fn value(&mut self, value: &Value) -> ValueRecord {
        let mut quantities: Vec<&Quantity> = value.terms().flat_map(|(q, _)| q).collect();
        quantities.sort();
        quantities.dedup();
        let place = |quantity| quantities.iter().position(|q| *q == quantity);
        let terms = value.terms().map(|(product, coefficient)| ValueTermRecord {
            coefficient: number::write(coefficient),
            factors: product.iter().filter_map(place).collect(),
        });
        let terms = terms.collect();
        let named = quantities.iter().filter_map(|quantity| {
            let form = self.form(value.form_of(quantity)?);
            Some(NamedFormRecord { quantity: self.quantity(quantity), form })
        });
        ValueRecord { terms, forms: named.collect() }
    }
}

pub(super) fn write_point(point: &Point) -> PointRecord {
    match point {
        Point::Infinity => PointRecord::Infinity,
        Point::NegativeInfinity => PointRecord::NegativeInfinity,
        Point::Above(value) => PointRecord::Above(number::write(value)),
        Point::Below(value) => PointRecord::Below(number::write(value)),
    }
}

pub(super) fn read_point(record: &PointRecord) -> Result<Point, ReadError> {
    Ok(match record {
        PointRecord::Infinity => Point::Infinity,
        PointRecord::NegativeInfinity => Point::NegativeInfinity,
        PointRecord::Above(value) => Point::Above(number::read(value)?),
        PointRecord::Below(value) => Point::Below(number::read(value)?),
    })
}

impl Reader {
    pub(super) fn form(&self, record: &FormRecord) -> Result<Form, ReadError> {
        let mut sum = Form::zero();
        for term in &record.0 {
            let mut product = Form::from(self.polynomial(&term.coefficient)?);
            for power in &term.functions {
                if power.exponent == 0 || power.exponent > MAX_POWER {
                    return Err(ReadError::Power(power.exponent));
                }
                let function = self.function(power)?;
                let one = gaussform_symbolic::polynomial::Polynomial::one();
                let factor = Form::term(one, function);
                product = (0..power.exponent).fold(product, |product, _| &product * &factor);
            }
            sum = &sum + &product;
        }
        Ok(sum)
    }

    fn function(&self, record: &FunctionPowerRecord) -> Result<Function, ReadError> {
        let knot = || self.knot(record.knot).cloned();
        let other = || self.knot(record.knot_h.ok_or(ReadError::Other)?).cloned();
        Ok(match record.function {
            FunctionRecord::Erf => Function::Erf(knot()?),
            FunctionRecord::Gauss => Function::Gauss(knot()?),
            FunctionRecord::ErfH => Function::ErfOther(knot()?),
            FunctionRecord::GaussH => Function::GaussOther(knot()?),
            FunctionRecord::Quadrant => Function::Quadrant(knot()?, other()?),
            FunctionRecord::Edge => Function::Edge(Axis::First, knot()?, other()?),
            FunctionRecord::EdgeH => Function::Edge(Axis::Second, knot()?, other()?),
            FunctionRecord::Corner => Function::Corner(knot()?, other()?),
        })
    }

    pub(super) fn quantity(&self, record: &QuantityRecord) -> Result<Quantity, ReadError> {
        Ok(match record {
            QuantityRecord::Moment([n, m]) => Quantity::Moment(*n, *m),
            QuantityRecord::Variance => Quantity::Variance,
            QuantityRecord::Central(n) => Quantity::Central(*n),
            QuantityRecord::Covariance => Quantity::Covariance,
            QuantityRecord::Joint([n, m]) => Quantity::Joint(*n, *m),
            QuantityRecord::CrossCovariance => Quantity::CrossCovariance,
            QuantityRecord::Derivative { of, symbol } => {
                Quantity::Derivative(Box::new(self.quantity(of)?), self.symbol(symbol)?)
            }
            QuantityRecord::Limit { of, symbol, point } => Quantity::Limit(
                Box::new(self.quantity(of)?),
                self.symbol(symbol)?,
                read_point(point)?,
            ),
        })
    }

    pub(super) fn value(&self, record: &ValueRecord) -> Result<Value, ReadError> {
        let known = record.forms.iter().map(|NamedFormRecord { quantity, form }| {
            Ok(Value::of(self.quantity(quantity)?, self.form(form)?))
        });
        let known = known.collect::<Result<Vec<_>, ReadError>>()?;
        let factor = |i: &usize| known.get(*i).ok_or(ReadError::Factor(*i));
        let mut sum = Value::default();
        for ValueTermRecord { coefficient, factors } in &record.terms {
            let coefficient = number::read(coefficient)?;
            // A quantity that is 0 keeps its name while it stands alone.
            if let ([only], [_]) = (factors.as_slice(), record.terms.as_slice())
                && coefficient.is_one()
            {
                return factor(only).cloned();
            }
            let product = factors.iter().try_fold(Value::one(), |product, i| {
                Ok::<_, ReadError>(product.times(factor(i)?))
            })?;
            sum = sum.plus(&product.scale(&coefficient));
        }
        Ok(sum)
    }
}
