//! Errors as pictures (SVG), the same bytes in every run on machines with the same vectors.

mod bars;
mod lines;

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::Path;

use gaussform_accuracy::oracle::Oracle;
use gaussform_picture::Ink;

/// The inks of the kernels.
const DOUBLE: Ink = Ink::Main;
const SINGLE: Ink = Ink::Muted;

/// Writes all pictures into a folder, which is made if there is none.
pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let oracle = Oracle::default();
    let pictures = [
        ("relu.svg", lines::relu(&oracle)),
        ("hard_tanh.svg", lines::hard_tanh(&oracle)),
        ("widths.svg", lines::widths(&oracle)),
        ("largest.svg", bars::largest_errors(&oracle)),
    ];
    for (name, picture) in pictures {
        fs::write(folder.join(name), picture.to_svg())?;
    }
    Ok(())
}

/// The logarithm of an error to base 10, within a range.
fn logarithm(error: f64, range: &Range<f64>) -> f64 {
    error.log10().clamp(range.start, range.end)
}

#[allow(clippy::cast_precision_loss, reason = "some thousands")]
fn length(n: usize) -> f64 {
    n as f64
}
