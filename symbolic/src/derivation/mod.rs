//! The derivation of a moment: named rules, the trace they leave, the certificate.

mod certificate;
mod claim;
mod pair;
mod pair_certificate;
mod rule;
mod trace;
mod value;
mod work;

pub use certificate::{Certificate, CertificateError, certify};
pub use claim::{Claim, Factor, Powers, Rule, Subject, Which};
pub use pair_certificate::{PairCertificate, certify_pair};
pub use trace::{Derivation, Noiseless, Step};
pub use value::{Quantity, Value};
