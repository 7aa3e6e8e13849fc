//! MNIST and Fashion-MNIST from a folder of the user's, as tables of pixels and classes.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use gaussform_bnn::{Table, read_idx};

use super::args::Dataset;
use crate::failure::Failure;

/// Images with their classes, all of one size, \[height, width\].
pub(crate) struct Images {
    pub(crate) size: [usize; 2],
    pub(crate) table: Table,
}

/// The training images and the test images of a set.
pub(crate) fn load(folder: &Path, dataset: Dataset) -> Result<[Images; 2], Failure> {
    let folder = folder.join(dataset.name());
    let [train, test] = ["train", "t10k"].map(|part| images(&folder, part, dataset));
    let (train, test) = (train?, test?);
    if train.size != test.size {
        let problem = format!("training images are {:?}, test images {:?}", train.size, test.size);
        return Err(Failure::file(&folder, problem, dataset.source()));
    }
    Ok([train, test])
}

fn images(folder: &Path, part: &str, dataset: Dataset) -> Result<Images, Failure> {
    let idx = |path: &Path| {
        let read = read_idx(path);
        read.map_err(|source| Failure::Images { source, help: dataset.source() })
    };
    let path = file(folder, &format!("{part}-images-idx3-ubyte"));
    let refuse = |path: &Path, problem: String| Failure::file(path, problem, dataset.source());
    let pixels = idx(&path)?;
    let &[_, height, width] = pixels.shape.as_slice() else {
        return Err(refuse(&path, "its axes are not image, row, column".to_owned()));
    };
    let x = pixels.rows().ok_or_else(|| refuse(&path, "holds no images".to_owned()))?;
    let path = file(folder, &format!("{part}-labels-idx1-ubyte"));
    let names = (0..10).map(|class| class.to_string()).collect();
    let table = Table::classes(x, idx(&path)?.labels(), names);
    let table = table.map_err(|e| refuse(&path, e.to_string()))?;
    Ok(Images { size: [height, width], table })
}

/// The path of a file: the plain one if it exists, else that with `.gz`.
fn file(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(name);
    if plain.exists() { plain } else { folder.join(format!("{name}.gz")) }
}

/// The first `rows` rows of a table, or all.
pub(crate) fn first(table: Table, rows: Option<NonZeroUsize>) -> Table {
    let rows: Vec<usize> = (0..rows.map_or(usize::MAX, Into::into).min(table.x.rows())).collect();
    table.select(&rows).unwrap_or(table)
}
