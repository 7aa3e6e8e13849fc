//! The networks and their training, apart from the command line.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, ClassScore, Function, Idx, LikelihoodKind, Model, Progress, Scaling, Table,
    TrainConfig, class_score, method, read_idx, train,
};

/// Which network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Two convolutions with strides, 20 and 50 channels, and 500 units.
    Lenet,
    /// Two layers of 400 units on the pixels as a row.
    Mlp,
}

/// Images and their classes from two idx files.
///
/// # Errors
///
/// If a file cannot be read, or they do not belong together.
pub(crate) fn read(images: &Path, labels: &Path) -> Result<([usize; 2], Table), Box<dyn Error>> {
    let pixels: Idx = read_idx(images)?;
    let &[_, height, width] = pixels.shape.as_slice() else {
        return Err(format!("{}: its axes are not image, row, column", images.display()).into());
    };
    let x = pixels.rows().ok_or_else(|| format!("{}: it has no images", images.display()))?;
    let names = (0..10).map(|class| class.to_string()).collect();
    let table = Table::classes(x, read_idx(labels)?.labels(), names)
        .map_err(|e| format!("{}: {e}", labels.display()))?;
    Ok(([height, width], table))
}

/// The network for images of this size and ten classes, its variances propagated in closed form.
#[must_use]
pub(crate) fn blueprint(kind: Kind, [height, width]: [usize; 2], g: &Function) -> Blueprint {
    match kind {
        Kind::Lenet => method::lenet([1, height, width], 10, g, Rule::Exact),
        Kind::Mlp => Blueprint {
            scaling: Scaling::Whole,
            initial_sd: 0.01,
            gain: 2f64.sqrt(),
            ..method::nnvi(height * width, &[400, 400], LikelihoodKind::categorical(10), g)
        },
    }
}

/// Trains on the one table and scores the other.
///
/// # Errors
///
/// If the images do not fit the network, or training diverges.
pub(crate) fn run(
    blueprint: &Blueprint,
    data: &Table,
    test: &Table,
    config: &TrainConfig,
    progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<ClassScore, Box<dyn Error>> {
    let model = train(Model::new(blueprint, data, config.seed)?, data, config, progress)?;
    let prediction = model.predict(&test.x)?.classes().ok_or("the network predicts no classes")?;
    match &test.y {
        gaussform_bnn::Targets::Classes { labels, .. } => Ok(class_score(&prediction, labels)),
        gaussform_bnn::Targets::Real(_) => Err("the test images have no classes".into()),
    }
}
