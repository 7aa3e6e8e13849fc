//! The command `export`: a model as an ONNX graph.

use crate::args::Export;
use crate::failure::Failure;
use crate::output::{check, check_apart, load, note, put};

pub(crate) fn run(options: &Export) -> Result<(), Failure> {
    check_apart(&[&options.model], &[&options.onnx])?;
    check(&options.onnx)?;
    let loaded = load(&options.model)?;
    if loaded.calibration.is_some() {
        let problem = "the graph would be without the calibration of the model";
        return Err(Failure::file(&options.model, problem, "export the model that `train` wrote"));
    }
    loaded.encoding.transformed().for_each(|text| note(&text));
    put(&loaded.model.to_onnx()?, &options.onnx)
}
