//! Activations as records: their parameters, relations, conditions, pieces and knots.

use gaussform_symbolic::grammar::Endpoint;
use gaussform_symbolic::render::{self, latex, text};
use gaussform_symbolic::{Case, Condition, Parameter, Parts, Piecewise, Relation, Sign};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::polynomial::PolynomialRecord;
use super::{ReadError, Reader, Writer, number};

/// An activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivationRecord {
    /// The name; `g` for a bare expression.
    pub name: String,
    /// The declared parameters.
    pub parameters: Vec<ParameterRecord>,
    /// The declared relations between them.
    pub relations: Vec<RelationRecord>,
    /// The conditions of the case, if the declaration leaves something open.
    pub conditions: Vec<ConditionRecord>,
    /// The pieces from left to right.
    pub pieces: Vec<PieceRecord>,
    /// Where one piece ends and the next begins. Two pieces are the same if the function differs
    /// from them at the knot alone.
    pub knots: Vec<KnotValueRecord>,
    /// The function without such single points.
    pub text: String,
    /// The function without such single points, in LaTeX.
    pub latex: String,
}

/// A parameter and its domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterRecord {
    /// The name.
    pub name: String,
    /// The lower end of the domain; none for −∞.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<EndRecord>,
    /// The upper end of the domain; none for ∞.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<EndRecord>,
    /// The domain as it is declared.
    pub text: String,
}

/// An end of a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    /// An exact rational.
    pub value: String,
    /// Whether it belongs to the domain.
    pub closed: bool,
}

/// A relation: lesser < greater, or ≤.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelationRecord {
    /// The side that is less.
    pub lesser: PolynomialRecord,
    /// The side that is greater.
    pub greater: PolynomialRecord,
    /// Whether the sides differ.
    pub strict: bool,
    /// The relation as it is declared.
    pub text: String,
}

/// A condition: how a polynomial in the parameters compares with 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConditionRecord {
    /// The polynomial.
    pub value: PolynomialRecord,
    /// How it compares.
    pub sign: SignRecord,
    /// The condition as a text, solved for a parameter where that can be.
    pub text: String,
}

/// How a value compares with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SignRecord {
    /// < 0
    #[serde(rename = "<")]
    Negative,
    /// ≤ 0
    #[serde(rename = "<=")]
    NotPositive,
    /// = 0
    #[serde(rename = "=")]
    Zero,
    /// ≥ 0
    #[serde(rename = ">=")]
    NotNegative,
    /// > 0
    #[serde(rename = ">")]
    Positive,
}

/// The function on one piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceRecord {
    /// A polynomial in u and the parameters.
    pub polynomial: PolynomialRecord,
    /// The polynomial as a text.
    pub text: String,
    /// The polynomial in LaTeX.
    pub latex: String,
}

/// A knot of the function and the value there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnotValueRecord {
    /// The number of the knot in the table `knots`.
    pub knot: usize,
    /// The value of the function on it.
    pub value: PolynomialRecord,
}

impl Writer {
    pub(super) fn activation(&mut self, case: &Case) -> ActivationRecord {
        let Parts { name, parameters, relations, conditions, function } = Parts::of(case);
        let definition = render::definition(&case.activation.function);
        let at = function.knots().iter().zip(function.at_knots());
        let knots = at.map(|(knot, value)| KnotValueRecord {
            knot: self.knot(knot),
            value: self.polynomial(value),
        });
        let knots = knots.collect();
        let piece = |polynomial| {
            let math = render::definition(&Piecewise::from(polynomial));
            (text::math(&math), latex::math(&math))
        };
        let pieces = function.pieces().iter().map(|polynomial| {
            let (text, latex) = piece(polynomial.clone());
            PieceRecord { polynomial: self.polynomial(polynomial), text, latex }
        });
        let pieces = pieces.collect();
        let relations = relations.iter().map(|relation| RelationRecord {
            lesser: self.polynomial(&relation.lesser),
            greater: self.polynomial(&relation.greater),
            strict: relation.strict,
            text: relation.to_string(),
        });
        let relations = relations.collect();
        let conditions = conditions.iter().map(|condition| ConditionRecord {
            value: self.polynomial(&condition.value),
            sign: write_sign(condition.relation),
            text: condition.to_string(),
        });
        let conditions = conditions.collect();
        ActivationRecord {
            name,
            parameters: parameters.iter().map(write_parameter).collect(),
            relations,
            conditions,
            pieces,
            knots,
            text: text::math(&definition),
            latex: latex::math(&definition),
        }
    }
}

fn write_parameter(parameter: &Parameter) -> ParameterRecord {
    let end = |end: &Endpoint| EndRecord { value: number::write(&end.value), closed: end.closed };
    ParameterRecord {
        name: parameter.name.to_string(),
        lower: parameter.lower.as_ref().map(end),
        upper: parameter.upper.as_ref().map(end),
        text: parameter.to_string(),
    }
}

fn write_sign(sign: Sign) -> SignRecord {
    match sign {
        Sign::Negative => SignRecord::Negative,
        Sign::NotPositive => SignRecord::NotPositive,
        Sign::Zero => SignRecord::Zero,
        Sign::NotNegative => SignRecord::NotNegative,
        Sign::Positive => SignRecord::Positive,
    }
}

fn read_sign(sign: SignRecord) -> Sign {
    match sign {
        SignRecord::Negative => Sign::Negative,
        SignRecord::NotPositive => Sign::NotPositive,
        SignRecord::Zero => Sign::Zero,
        SignRecord::NotNegative => Sign::NotNegative,
        SignRecord::Positive => Sign::Positive,
    }
}

fn read_parameter(record: &ParameterRecord) -> Result<Parameter, ReadError> {
    let end = |end: &Option<EndRecord>| {
        let read = |end: &EndRecord| {
            Ok::<_, ReadError>(Endpoint { value: number::read(&end.value)?, closed: end.closed })
        };
        end.as_ref().map(read).transpose()
    };
    let (lower, upper) = (end(&record.lower)?, end(&record.upper)?);
    Ok(Parameter { name: record.name.as_str().into(), lower, upper })
}

impl Reader {
    pub(super) fn activation(&self, record: &ActivationRecord) -> Result<Case, ReadError> {
        let parameters = record.parameters.iter().map(read_parameter).collect::<Result<_, _>>()?;
        let relations = record.relations.iter().map(|relation| {
            Ok(Relation {
                lesser: self.polynomial(&relation.lesser)?,
                greater: self.polynomial(&relation.greater)?,
                strict: relation.strict,
            })
        });
        let conditions = record.conditions.iter().map(|condition| {
            let value = self.polynomial(&condition.value)?;
            Ok(Condition { value, relation: read_sign(condition.sign) })
        });
        let mut knots = Vec::new();
        let mut at = Vec::new();
        for KnotValueRecord { knot, value } in &record.knots {
            knots.push(self.knot(*knot)?.clone());
            at.push(self.polynomial(value)?);
        }
        let pieces = record.pieces.iter().map(|piece| self.polynomial(&piece.polynomial));
        let pieces = pieces.collect::<Result<_, _>>()?;
        let parts = Parts {
            name: record.name.clone(),
            parameters,
            relations: relations.collect::<Result<_, ReadError>>()?,
            conditions: conditions.collect::<Result<_, ReadError>>()?,
            function: Piecewise::from_parts(knots, pieces, at).ok_or(ReadError::Pieces)?,
        };
        Ok(parts.assemble().map_err(Box::new)?)
    }
}
