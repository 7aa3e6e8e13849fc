//! Pictures of curves, dots and bars over two axes, as SVG or PNG.
//!
//! Drawn by one code without a clock, a random number or a font of the machine, so the same
//! input gives the same bytes.
//!
//! ```
//! use gaussform_picture::{Axis, Ink, Panel, SIZE, Sign};
//!
//! let axes = [Axis::plain("x", -1.0..1.0), Axis::plain("y", 0.0..1.0)];
//! let mut panel = Panel::new(SIZE, "x²", "A parabola from x = -1 to 1.".to_owned(), axes);
//! let points: Vec<[f64; 2]> = (-20..=20).map(|i| f64::from(i) / 20.0).map(|x| [x, x * x]).collect();
//! panel.curve(&points, Ink::Main, 2.0, false);
//! assert!(panel.legend(&[(Sign::Line, Ink::Main, "x²")]).to_svg().starts_with("<svg"));
//! ```

mod axis;
#[cfg(feature = "png")]
mod bitmap;
mod calibration;
mod font;
#[cfg(feature = "png")]
mod outline;
mod panel;
mod picture;
pub mod svg;

pub use axis::Axis;
pub use calibration::calibration;
pub use panel::{Panel, SIZE, Sign};
pub use picture::{Ink, Picture, Position};
