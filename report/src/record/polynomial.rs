//! Polynomials, and the knots that they may hold.

use std::sync::Arc;

use gaussform_symbolic::Knot;
use gaussform_symbolic::polynomial::{Algebraic, Polynomial, Root, Symbol, Univariate, real_roots};
use gaussform_symbolic::render::{latex, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ReadError, Reader, Writer, number};

/// Factoring a minimal polynomial again may take so much work.
const BUDGET: usize = 100_000;
/// Exponents beyond this do not come from a derivation.
const MAX_EXPONENT: i32 = 1_000;

/// A sum of terms; none for 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolynomialRecord(pub Vec<TermRecord>);

/// A rational number times powers of symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TermRecord {
    /// An exact rational: `3`, `-1/2`.
    pub coefficient: String,
    /// The powers; none for a constant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub powers: Vec<PowerRecord>,
}

/// A symbol to a power.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerRecord {
    /// The symbol.
    pub symbol: SymbolRecord,
    /// The exponent, not 0; negative for ξ², ξ′² and Δ only.
    pub exponent: i32,
}

/// A symbol of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SymbolRecord {
    /// u, the argument of the activation.
    U,
    /// γ, the mean of the pre-activation.
    Gamma,
    /// ξ², the variance of the pre-activation.
    Xi2,
    /// γ′, the mean of a second pre-activation w.
    GammaH,
    /// ξ′², the variance of w.
    Xi2H,
    /// σ, the covariance of u and w, with an exponent of 1.
    Cov,
    /// Δ = ξ²ξ′² − σ².
    Det,
    /// A declared parameter, by its name.
    Parameter(String),
    /// An irrational knot, by its place in `knots`.
    Knot(usize),
    /// 1 divided by a polynomial in the parameters.
    Reciprocal(PolynomialRecord),
}

/// A place where a function changes, or that a formula mentions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnotRecord {
    /// The place, exactly.
    pub place: PlaceRecord,
    /// At most 20 digits behind the point, cut off; not for a place that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// The place as the formulas write it, but for numbered knots.
    pub text: String,
    /// The place in LaTeX.
    pub latex: String,
}

/// A place on the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceRecord {
    /// A rational number.
    Rational(String),
    /// An irrational root of a polynomial.
    Algebraic {
        /// The integer coefficients of the irreducible polynomial, constant first.
        minimal: Vec<String>,
        /// How many of its real roots are smaller.
        index: usize,
    },
    /// A quotient of polynomials in the parameters.
    Parametric(PolynomialRecord),
}

impl Writer {
    pub(super) fn polynomial(&mut self, polynomial: &Polynomial) -> PolynomialRecord {
        let terms = polynomial.terms().map(|(monomial, coefficient)| {
            let powers = monomial.powers().iter().map(|(symbol, exponent)| PowerRecord {
                symbol: self.symbol(symbol),
                exponent: *exponent,
            });
            TermRecord { powers: powers.collect(), coefficient: number::write(coefficient) }
        });
        PolynomialRecord(terms.collect())
    }

    pub(super) fn symbol(&mut self, symbol: &Symbol) -> SymbolRecord {
        match symbol {
            Symbol::Parameter(name) => SymbolRecord::Parameter(name.to_string()),
            Symbol::Variable => SymbolRecord::U,
            Symbol::Gamma => SymbolRecord::Gamma,
            Symbol::Xi2 => SymbolRecord::Xi2,
            Symbol::GammaOther => SymbolRecord::GammaH,
            Symbol::Xi2Other => SymbolRecord::Xi2H,
            Symbol::Covariance => SymbolRecord::Cov,
            Symbol::Determinant => SymbolRecord::Det,
            Symbol::Root(root) => SymbolRecord::Knot(self.knot(&Knot::Algebraic(root.clone()))),
            Symbol::Reciprocal(below) => SymbolRecord::Reciprocal(self.polynomial(below)),
        }
    }

    /// The number of a knot, in the order in which they are met.
    pub(super) fn knot(&mut self, knot: &Knot) -> usize {
        self.knots.iter().position(|known| known == knot).unwrap_or_else(|| {
            self.knots.push(knot.clone());
            self.knots.len() - 1
        })
    }

    /// All knots that were met.
    pub(super) fn knots(mut self) -> Vec<KnotRecord> {
        let knots = self.knots.clone();
        let record = |knot: &Knot| {
            let shown = knot.polynomial().into();
            KnotRecord {
                place: self.place(knot),
                decimal: number::decimal(knot),
                text: text::form(&shown),
                latex: latex::form(&shown),
            }
        };
        knots.iter().map(record).collect()
    }

    fn place(&mut self, knot: &Knot) -> PlaceRecord {
        match knot {
            Knot::Rational(value) => PlaceRecord::Rational(number::write(value)),
            Knot::Algebraic(root) => PlaceRecord::Algebraic {
                minimal: root.minimal().coefficients().iter().map(ToString::to_string).collect(),
                index: root.index(),
            },
            Knot::Parametric { place, .. } => PlaceRecord::Parametric(self.polynomial(place)),
        }
    }
}

impl Reader {
    pub(super) fn polynomial(&self, record: &PolynomialRecord) -> Result<Polynomial, ReadError> {
        let mut sum = Polynomial::zero();
        for term in &record.0 {
            let mut product = Polynomial::constant(number::read(&term.coefficient)?);
            for PowerRecord { symbol, exponent } in &term.powers {
                if exponent.abs() > MAX_EXPONENT {
                    return Err(ReadError::Exponent(*exponent));
                }
                let power = match symbol {
                    SymbolRecord::Reciprocal(below) => {
                        // By `reciprocal`, since a document may hold what is not in lowest terms.
                        let below = self.polynomial(below)?;
                        let times = u32::try_from(*exponent);
                        let times = times.map_err(|_| ReadError::Exponent(*exponent))?;
                        below.reciprocal().ok_or(ReadError::Division)?.pow(times)
                    }
                    SymbolRecord::Xi2 | SymbolRecord::Xi2H | SymbolRecord::Det => {
                        Polynomial::power(self.symbol(symbol)?, *exponent)
                    }
                    _ if *exponent < 1 => return Err(ReadError::Exponent(*exponent)),
                    other => Polynomial::power(self.symbol(other)?, *exponent),
                };
                product = &product * &power;
            }
            sum = &sum + &product;
        }
        Ok(sum)
    }

    pub(super) fn symbol(&self, record: &SymbolRecord) -> Result<Symbol, ReadError> {
        Ok(match record {
            SymbolRecord::U => Symbol::Variable,
            SymbolRecord::Gamma => Symbol::Gamma,
            SymbolRecord::Xi2 => Symbol::Xi2,
            SymbolRecord::GammaH => Symbol::GammaOther,
            SymbolRecord::Xi2H => Symbol::Xi2Other,
            SymbolRecord::Cov => Symbol::Covariance,
            SymbolRecord::Det => Symbol::Determinant,
            SymbolRecord::Parameter(name) => Symbol::Parameter(name.as_str().into()),
            SymbolRecord::Knot(index) => match self.knot(*index)? {
                Knot::Algebraic(root) => Symbol::Root(root.clone()),
                _ => return Err(ReadError::Knot(*index)),
            },
            SymbolRecord::Reciprocal(below) => {
                Symbol::Reciprocal(Arc::new(self.polynomial(below)?))
            }
        })
    }

    pub(super) fn knot(&self, index: usize) -> Result<&Knot, ReadError> {
        self.knots.get(index).ok_or(ReadError::Knot(index))
    }

    /// The knots of a table, those in parameters without a value that orders them.
    pub(super) fn new(records: &[KnotRecord]) -> Result<Self, ReadError> {
        // A place in parameters holds no knots.
        let bare = Self { knots: Vec::new() };
        let read = |(i, record): (usize, &KnotRecord)| {
            Ok(match &record.place {
                PlaceRecord::Rational(value) => Knot::Rational(number::read(value)?),
                PlaceRecord::Algebraic { minimal, index } => {
                    Knot::Algebraic(root(minimal, *index)?.ok_or(ReadError::Knot(i))?)
                }
                PlaceRecord::Parametric(place) => Knot::Parametric {
                    place: bare.polynomial(place)?,
                    witness: gaussform_symbolic::exact::integer(0),
                },
            })
        };
        let knots = records.iter().enumerate().map(read).collect::<Result<_, ReadError>>()?;
        Ok(Self { knots })
    }
}

/// The root with this index of an irreducible polynomial.
fn root(minimal: &[String], index: usize) -> Result<Option<Algebraic>, ReadError> {
    let coefficients = minimal.iter().map(|c| number::read(c)).collect::<Result<Vec<_>, _>>()?;
    let minimal = Univariate::new(&coefficients);
    let roots = real_roots(&minimal, BUDGET).unwrap_or_default();
    let irrational = roots.into_iter().filter_map(|(root, _)| match root {
        Root::Algebraic(root) => Some(root),
        Root::Rational(_) => None,
    });
    // A polynomial that can be factored is the minimal one of none of its roots.
    let is_same = |root: &Algebraic| *root.minimal() == minimal && root.index() == index;
    Ok({ irrational }.find(is_same))
}
