//! The format of MNIST: a magic number, the sizes of the axes, and the elements.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::Matrix;

/// An array of bytes, as MNIST's images and labels are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idx {
    /// The sizes of the axes; the first counts examples.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub values: Vec<u8>,
}

/// Why a file is no idx file of bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdxError {
    /// The file cannot be read, or its compression is damaged.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system or of the gzip decoder.
        source: io::Error,
    },
    /// The bytes of the file are not those of the format.
    #[error("{}: {problem}; an idx file of bytes begins with 0, 0, 8 and the number of axes", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The fault of the header or of the length.
        problem: String,
    },
}

/// Reads an idx file of bytes, plain or compressed with gzip.
///
/// # Errors
///
/// [`IdxError`], if the file cannot be read, holds another type, or is too short or too long.
pub fn read_idx(path: &Path) -> Result<Idx, IdxError> {
    let read = |source| IdxError::Read { path: path.to_owned(), source };
    let format = |problem: String| IdxError::Format { path: path.to_owned(), problem };
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(read)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut plain).map_err(read)?;
        bytes = plain;
    }
    let &[0, 0, kind, axes, ..] = &bytes[..] else {
        return Err(format("it does not begin as an idx file does".to_owned()));
    };
    if kind != 8 {
        return Err(format(format!("its elements are of type {kind:#04x}, not bytes")));
    }
    let start = 4 + 4 * usize::from(axes);
    let header = bytes.get(4..start).ok_or_else(|| format("it ends in its header".to_owned()))?;
    let shape: Vec<usize> = header
        .chunks_exact(4)
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]) as usize)
        .collect();
    let count = shape
        .iter()
        .try_fold(1usize, |count, &size| count.checked_mul(size))
        // Without axes the product is 1, and there are no examples.
        .filter(|_| axes > 0)
        .ok_or_else(|| format(format!("its axes are {shape:?}")))?;
    let values = bytes.split_off(start);
    if values.len() != count {
        let problem = format!("its axes {shape:?} want {count} bytes, but {} follow", values.len());
        return Err(format(problem));
    }
    Ok(Idx { shape, values })
}

impl Idx {
    /// Each example as a row of numbers in \[0, 1\]; none if there are no examples or no numbers.
    #[must_use]
    pub fn rows(&self) -> Option<Matrix> {
        let columns: usize = self.shape.get(1..)?.iter().product();
        let values = self.values.iter().map(|v| f64::from(*v) / 255.0).collect();
        Matrix::new(columns, values).ok().filter(|rows| rows.rows() > 0)
    }

    /// The elements as class numbers.
    #[must_use]
    pub fn labels(&self) -> Vec<usize> {
        self.values.iter().copied().map(usize::from).collect()
    }
}
