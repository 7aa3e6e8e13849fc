//! The features of images: the inputs of the last layer of a plain convolutional network.

use burn::module::Module;
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, Function, LayerSpec, Matrix, Model, Pass, PosteriorKind, Signal, Table, TrainError,
    method,
};

use crate::failure::Failure;
use crate::images::CLASSES;
use crate::tensor::numbers;

/// Number of images that go through the network at once.
const CHUNK: usize = 1000;

/// LeNet without uncertainty.
pub(super) fn plain([height, width]: [usize; 2], g: &Function) -> Blueprint {
    let mut blueprint = method::lenet([1, height, width], CLASSES, g, Rule::Exact);
    for layer in &mut blueprint.layers {
        if let LayerSpec::Linear { posterior, .. } | LayerSpec::Convolution { posterior, .. } =
            layer
        {
            *posterior = PosteriorKind::Point;
        }
    }
    blueprint
}

/// The table with the features of the images in the place of their pixels.
pub(super) fn with_features(model: &Model, images: &Table) -> Result<Table, Failure> {
    let network = model.network().valid();
    let hidden = network.chain().layers().len() - 1;
    let rows: Vec<usize> = (0..images.x.rows()).collect();
    let (mut columns, mut values) = (1, Vec::new());
    for rows in rows.chunks(CHUNK) {
        let Some(x) = images.x.select(rows) else { continue };
        let x = Signal::known(network.tensor(&model.inputs().apply(&x)));
        let features = network.chain().forward_to(hidden, x, &mut Pass::moments());
        let features = features.map_err(TrainError::from)?.mean;
        columns = features.dims()[1];
        values.extend(numbers(features)?);
    }
    let broken = || TrainError::Settings("the features are no table");
    let x = Matrix::new(columns, values).map_err(|_| broken())?;
    Ok(Table { x, x_variance: None, y: images.y.clone(), weights: None, censored: None })
}
