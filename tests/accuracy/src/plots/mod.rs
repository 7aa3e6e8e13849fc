//! Errors as pictures (SVG), the same bytes in every run on machines with the same vectors.

mod bars;
mod chart;
mod lines;

use std::error::Error;
use std::fs;
use std::path::Path;

use gaussform_accuracy::oracle::Oracle;

/// Any error of drawing.
type Failure = Box<dyn Error>;

/// Writes all pictures into a folder, which is made if there is none.
pub(crate) fn write(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    let oracle = Oracle::default();
    let pictures = [
        ("relu.svg", lines::relu(&oracle)?),
        ("hard_tanh.svg", lines::hard_tanh(&oracle)?),
        ("widths.svg", lines::widths(&oracle)?),
        ("largest.svg", bars::largest_errors(&oracle)?),
    ];
    for (name, picture) in pictures {
        fs::write(folder.join(name), picture)?;
    }
    Ok(())
}
