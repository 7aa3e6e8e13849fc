//! The trends of targets as tensors in double precision: `trend.N.weights`, the constant last, and `trend.N.factor`, of target
//! number N.

use std::collections::BTreeMap;

use safetensors::tensor::Dtype;

use super::{StoreError, Stored};
use crate::data::TargetScale;

/// Whether the tensor of this name is part of a trend.
pub(crate) fn is_of_trend(name: &str) -> bool {
    name.starts_with("trend.")
}

fn names(target: usize) -> [String; 2] {
    ["weights", "factor"].map(|part| format!("trend.{target}.{part}"))
}

/// The tensors of all trends.
pub(super) fn gather(targets: &TargetScale) -> BTreeMap<String, Stored> {
    let TargetScale::Real(units) = targets else { return BTreeMap::new() };
    let trends = units.iter().enumerate().filter_map(|(j, unit)| Some((j, unit.trend.as_ref()?)));
    let tensors = trends.flat_map(|(j, trend)| {
        let [weights, factor] = names(j);
        let k = trend.inputs + 1;
        [
            (weights, Stored::double(trend.weights.clone(), vec![k])),
            (factor, Stored::double(trend.factor.clone(), vec![k, k])),
        ]
    });
    tensors.collect()
}

/// The targets of a model of so many inputs with the numbers of their trends.
pub(super) fn put(
    mut targets: TargetScale,
    inputs: usize,
    tensors: &BTreeMap<String, Stored>,
) -> Result<TargetScale, StoreError> {
    let TargetScale::Real(units) = &mut targets else { return Ok(targets) };
    for (j, unit) in units.iter_mut().enumerate() {
        let Some(trend) = &mut unit.trend else { continue };
        if trend.inputs != inputs {
            return Err(StoreError::Scales { expected: inputs, found: trend.inputs });
        }
        let [weights, factor] = names(j);
        trend.weights = numbers(tensors, weights, vec![inputs + 1])?;
        trend.factor = numbers(tensors, factor, vec![inputs + 1; 2])?;
    }
    Ok(targets)
}

fn numbers(
    tensors: &BTreeMap<String, Stored>,
    name: String,
    expected: Vec<usize>,
) -> Result<Vec<f64>, StoreError> {
    let Some(tensor) = tensors.get(&name) else { return Err(StoreError::Missing { name }) };
    if tensor.shape != expected {
        return Err(StoreError::Shape { name, expected, found: tensor.shape.clone() });
    }
    if tensor.dtype != Dtype::F64 {
        let [expected, found] = [Dtype::F64, tensor.dtype].map(|dtype| format!("{dtype:?}"));
        return Err(StoreError::Type { name, expected, found });
    }
    match tensor.numbers() {
        Some(numbers) if numbers.iter().all(|v| v.is_finite()) => Ok(numbers),
        _ => Err(StoreError::NotFinite { name }),
    }
}
