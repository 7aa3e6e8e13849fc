//! Derivations as JSON, and back: numbers exact, as text; every record beside what people read.
//!
//! A [`Document`] holds all that was asked about some activations; [`Document::read`] gives the
//! same objects again, which can be replayed and certified. `docs/inspect.schema.json` describes
//! the format.
//!
//! ```
//! use gaussform_report::record::{Document, Entry};
//! use gaussform_symbolic::{Activation, Case};
//!
//! let relu = Activation::parse("relu(x) = max(0, x)")?;
//! let results = vec![relu.moment(1)?, relu.variance()?];
//! let case = Case { conditions: Vec::new(), activation: relu };
//! let entry = Entry { case, other: None, pair: false, results };
//!
//! let json = Document::write(&[entry.clone()])?.to_json();
//! let again = Document::parse(&json)?.read()?;
//! assert_eq!(again, [entry]);
//! assert!(again[0].results[1].replay().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activation;
mod claim;
mod document;
mod form;
mod number;
mod operations;
mod polynomial;

use gaussform_symbolic::{Error, Knot};

pub use activation::{
    ActivationRecord, ConditionRecord, EndRecord, KnotValueRecord, ParameterRecord, PieceRecord,
    RelationRecord, SignRecord,
};
pub use claim::{
    AxisRecord, ClaimRecord, FactorRecord, KnotTermRecord, RuleRecord, StepRecord, WhichRecord,
};
pub use document::{
    CertificateRecord, Document, Entry, EntryRecord, LimitRecord, PairCertificateRecord,
    ResultRecord, WriteError,
};
pub use form::{
    FormRecord, FormTermRecord, FunctionPowerRecord, FunctionRecord, NamedFormRecord, PointRecord,
    QuantityRecord, ValueRecord, ValueTermRecord,
};
pub(crate) use number::decimal;
pub use operations::{CostRecord, CostsRecord, OperationsRecord};
pub use polynomial::{
    KnotRecord, PlaceRecord, PolynomialRecord, PowerRecord, SymbolRecord, TermRecord,
};

/// Writing, with the knots met so far.
#[derive(Default)]
struct Writer {
    knots: Vec<Knot>,
}

/// Reading, with the knots of the table.
struct Reader {
    knots: Vec<Knot>,
}

/// Why a document cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is no JSON, or not of this form.
    #[error("not a document of gaussform: {0}")]
    Json(#[from] serde_json::Error),
    /// The format is another one.
    #[error(
        "the format is `{format}`, version {version}; this reads `{FORMAT}`, version {VERSION}"
    )]
    Version {
        /// The format of the document.
        format: String,
        /// The version of the document.
        version: u32,
    },
    /// An exact number is none.
    #[error("`{0}` is no rational number such as `3` or `-1/2`")]
    Number(String),
    /// A knot is not in the table, or is not of the kind that is meant, or no root.
    #[error("knot {0} of the table is not there, or is not what is said of it")]
    Knot(usize),
    /// A symbol has an exponent that it cannot have.
    #[error("a symbol has exponent {0}")]
    Exponent(i32),
    /// A function has an exponent that it cannot have.
    #[error("a function has exponent {0}")]
    Power(u32),
    /// A function of two pre-activations has one knot.
    #[error("a function of two pre-activations has no `knot_h`")]
    Other,
    /// A divisor is zero, or no polynomial in the parameters.
    #[error("a divisor is zero, or no polynomial in the parameters")]
    Division,
    /// A factor of a value is not among its forms.
    #[error("form {0} of a value is not there")]
    Factor(usize),
    /// The numbers of pieces and knots do not fit.
    #[error("a function has one piece more than knots")]
    Pieces,
    /// The result of a derivation is not what its last step claims.
    #[error("the value of result {0} is not what its last step claims")]
    Result(usize),
    /// The activation cannot be one.
    #[error(transparent)]
    Activation(#[from] Box<Error>),
}

/// The name of the format.
pub const FORMAT: &str = "gaussform/inspect";
/// The version of the format. Readers of this version do not read a higher one.
pub const VERSION: u32 = 2;
