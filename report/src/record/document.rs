//! The document: entries with results, certificates and costs, as JSON.

use gaussform_codegen::Kernel;
use gaussform_symbolic::derivation::{Certificate, CertificateError, PairCertificate, Subject};
use gaussform_symbolic::render::{latex, mathml, text};
use gaussform_symbolic::{Case, Derivation, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::activation::ActivationRecord;
use super::claim::StepRecord;
use super::form::{QuantityRecord, ValueRecord};
use super::operations::CostsRecord;
use super::polynomial::{KnotRecord, PolynomialRecord};
use super::{FORMAT, ReadError, Reader, VERSION, Writer};

/// A question about one case of an activation, with the derivations that answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The activation g.
    pub case: Case,
    /// A second activation h.
    pub other: Option<Case>,
    /// Whether h is a function of a second pre-activation w, and not of the same u.
    pub pair: bool,
    /// The derivations.
    pub results: Vec<Derivation>,
}

/// Why nothing can be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A derivation does not prove itself.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The two activations have no common subject.
    #[error(transparent)]
    Subject(#[from] Box<Error>),
}

/// All that was asked about some activations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// `gaussform/inspect`
    pub format: String,
    /// The version of the format, 1.
    pub version: u32,
    /// An entry for each activation, or for each case of one.
    pub entries: Vec<EntryRecord>,
}

/// One case of an activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryRecord {
    /// The activation g.
    pub g: ActivationRecord,
    /// A second activation h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub h: Option<ActivationRecord>,
    /// Whether h is a function of a second pre-activation w, jointly Normal with u; else of u.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pair: bool,
    /// Every knot that occurs; others refer to them by their numbers, from 0.
    pub knots: Vec<KnotRecord>,
    /// The derived results.
    pub results: Vec<ResultRecord>,
    /// The moments that proved themselves.
    pub certificates: Vec<CertificateRecord>,
    /// The moments of two pre-activations that proved themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair_certificates: Vec<PairCertificateRecord>,
    /// The operations of the kernels of g; none if no kernel exists for it, or one that is a sum over its pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<CostsRecord>,
}

/// A quantity, its value and its derivation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultRecord {
    /// The quantity.
    pub quantity: QuantityRecord,
    /// The value of the quantity.
    pub value: ValueRecord,
    /// The equation for people.
    pub text: String,
    /// The equation in LaTeX.
    pub latex: String,
    /// The equation in MathML.
    pub mathml: String,
    /// Each step; the last claims the value.
    pub steps: Vec<StepRecord>,
}

/// A moment M solves ∂M/∂ξ² = ½ ∂²M/∂γ² and has these limits for ξ² → 0, so it is the expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertificateRecord {
    /// The powers of g and h whose expectation M is.
    pub powers: [u32; 2],
    /// How many terms of the two sides cancelled each other.
    pub heat_terms: usize,
    /// The limits between the knots of the functions, from left to right.
    pub limits: Vec<LimitRecord>,
}

/// A moment M of two pre-activations solves ∂M/∂σ = ∂²M/∂γ∂γ′ and the heat equations in ξ² and ξ′², is
/// E[gⁿ] E[hᵐ] at σ = 0, and tends to g(γ)ⁿ h(γ′)ᵐ for (ξ², ξ′², σ) → 0, so it is the expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairCertificateRecord {
    /// The powers of g and h whose expectation M is.
    pub powers: [u32; 2],
    /// How many terms of the two sides of the equation in σ cancelled each other.
    pub price_terms: usize,
    /// How many terms of the equations in ξ² and in ξ′² cancelled each other.
    pub heat_terms: [usize; 2],
    /// How many terms the value at σ = 0 has.
    pub independent_terms: usize,
    /// In how many cells between the lines through knots the limit was compared.
    pub cells: usize,
}

impl From<&PairCertificate> for PairCertificateRecord {
    fn from(certificate: &PairCertificate) -> Self {
        let PairCertificate { powers, price_terms, heat_terms, independent_terms, cells } =
            certificate.clone();
        let powers = [powers.0, powers.1];
        Self { powers, price_terms, heat_terms, independent_terms, cells }
    }
}

/// A limit for ξ² → 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitRecord {
    /// A polynomial in γ.
    pub value: PolynomialRecord,
    /// The polynomial as a text.
    pub text: String,
}

impl Document {
    /// Writes entries down.
    ///
    /// # Errors
    ///
    /// If a derivation does not prove itself.
    pub fn write(entries: &[Entry]) -> Result<Self, WriteError> {
        let entries = entries.iter().map(write).collect::<Result<_, _>>()?;
        Ok(Self { format: FORMAT.to_owned(), version: VERSION, entries })
    }

    /// The entries that were written down. Whether their steps follow from each other is for
    /// [`Derivation::replay`] to decide.
    ///
    /// # Errors
    ///
    /// The first mistake in the document.
    pub fn read(&self) -> Result<Vec<Entry>, ReadError> {
        if self.format != FORMAT || self.version != VERSION {
            let (format, version) = (self.format.clone(), self.version);
            return Err(ReadError::Version { format, version });
        }
        self.entries.iter().map(read).collect()
    }

    /// The document from its text.
    ///
    /// # Errors
    ///
    /// If the text is no such document.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The text, indented, with a line break at its end.
    ///
    /// # Panics
    ///
    /// Never: every record is a JSON value.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("records are JSON") + "\n"
    }

    /// The schema of the format, as `docs/inspect.schema.json` has it.
    ///
    /// # Panics
    ///
    /// Never: a schema is a JSON value.
    #[must_use]
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
    }
}

fn write(entry: &Entry) -> Result<EntryRecord, WriteError> {
    let Entry { case, other, pair, results } = entry;
    let mut writer = Writer::default();
    let subject = match other {
        Some(other) => subject(case, other, *pair).map_err(Box::new)?,
        None => case.activation.subject(),
    };
    // The knots of the functions have the first numbers, from left to right.
    for knot in subject.knots() {
        writer.knot(&knot);
    }
    let g = writer.activation(case);
    let h = other.as_ref().map(|other| writer.activation(other));
    let mut certificates: Vec<CertificateRecord> = Vec::new();
    let mut pair_certificates: Vec<PairCertificateRecord> = Vec::new();
    for derivation in results {
        for certificate in derivation.pair_certificates()? {
            let record = (&certificate).into();
            if !pair_certificates.contains(&record) {
                pair_certificates.push(record);
            }
        }
        for certificate in derivation.certificates()? {
            let record = writer.certificate(&certificate);
            if !certificates.contains(&record) {
                certificates.push(record);
            }
        }
    }
    let results = results.iter().map(|derivation| writer.result(derivation)).collect();
    let operations = Kernel::new(&case.activation).ok().and_then(|kernel| CostsRecord::of(&kernel));
    let (pair, knots) = (*pair, writer.knots());
    Ok(EntryRecord { g, h, pair, knots, results, certificates, pair_certificates, operations })
}

/// The subject of derivations about both activations.
fn subject(case: &Case, other: &Case, pair: bool) -> Result<Subject, Error> {
    let (g, h) = (&case.activation, &other.activation);
    if pair { g.pair(h) } else { g.with(h) }
}

impl Writer {
    fn result(&mut self, derivation: &Derivation) -> ResultRecord {
        let (quantity, value) = derivation.result();
        ResultRecord {
            quantity: self.quantity(quantity),
            value: self.value(value),
            text: text::equation(derivation),
            latex: latex::equation(derivation),
            mathml: mathml::equation(derivation),
            steps: self.steps(derivation),
        }
    }

    fn certificate(&mut self, certificate: &Certificate) -> CertificateRecord {
        let limits = certificate.limits.iter().map(|value| LimitRecord {
            value: self.polynomial(value),
            text: text::form(&value.clone().into()),
        });
        CertificateRecord {
            powers: [certificate.powers.0, certificate.powers.1],
            heat_terms: certificate.heat_terms,
            limits: limits.collect(),
        }
    }
}

fn read(record: &EntryRecord) -> Result<Entry, ReadError> {
    let mut reader = Reader::new(&record.knots)?;
    let case = reader.activation(&record.g)?;
    let other = record.h.as_ref().map(|other| reader.activation(other)).transpose()?;
    let subject = match &other {
        Some(other) => subject(&case, other, record.pair).map_err(Box::new)?,
        None => case.activation.subject(),
    };
    // With the values that order those in parameters.
    for (i, knot) in reader.knots.iter_mut().enumerate() {
        if knot.enclosure(0).is_none() {
            *knot = subject.knot(knot.polynomial()).ok_or(ReadError::Knot(i))?;
        }
    }
    let result = |(i, record): (usize, &ResultRecord)| {
        let steps = record.steps.iter().map(|step| reader.step(step)).collect::<Result<_, _>>()?;
        let derivation =
            Derivation::from_parts(subject.clone(), steps).ok_or(ReadError::Result(i))?;
        let stated = (reader.quantity(&record.quantity)?, reader.value(&record.value)?);
        let (quantity, value) = derivation.result();
        if (quantity, value) == (&stated.0, &stated.1) {
            Ok(derivation)
        } else {
            Err(ReadError::Result(i))
        }
    };
    let results = record.results.iter().enumerate().map(result).collect::<Result<_, _>>()?;
    Ok(Entry { case, other, pair: record.pair, results })
}
