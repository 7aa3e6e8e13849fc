//! Pictures of an activation and its moments, and of the covariance of two, as SVG or PNG.
//!
//! The same input gives the same bytes.
//!
//! ```
//! use gaussform_report::plot::{self, Subject};
//! use gaussform_symbolic::Activation;
//!
//! let relu = Activation::parse("max(0, x)")?;
//! let subject = Subject::new(&relu, relu.witness())?;
//! let picture = &plot::moments(&subject, &(-4.0..4.0), &[1.0])[0];
//! assert!(picture.to_svg().starts_with("<svg"));
//! assert!(picture.to_png().starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod figures;
mod pair;
mod subject;

pub use figures::{errors, function, moments};
pub use gaussform_picture::Picture;
pub use pair::{Pair, covariance, covariance_errors, functions};
pub use subject::{PlotError, Subject};
