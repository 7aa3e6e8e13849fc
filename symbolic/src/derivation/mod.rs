//! The derivation of a moment: named rules, the trace they leave, the certificate.

mod certificate;
mod rule;
mod trace;

pub use certificate::{Certificate, CertificateError, certify};
pub use rule::{Claim, Kernel, Quantity, Rule};
pub use trace::{Derivation, Step};
