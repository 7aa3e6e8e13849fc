//! The linear layers of a plain network from a file of another program, in order, and their rescaling for
//! standardised data.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::StoreError;
use super::weights::{Layout, Numbers, Weights};
use crate::blueprint::{Blueprint, LayerSpec};
use crate::data::{Scale, Standardizer, TargetScale};

/// Linear layers that were trained without uncertainty, each taking what the one before gives, with an
/// activation between each two.
#[derive(Clone, Debug)]
pub struct LinearChain {
    layers: Vec<Layer>,
}

/// y = xW + b.
#[derive(Clone, Debug)]
struct Layer {
    name: String,
    inputs: usize,
    outputs: usize,
    /// \[inputs, outputs\], row by row.
    weight: Vec<f64>,
    bias: Vec<f64>,
}

impl Weights {
    /// The tensors as a chain of linear layers: those of `names`, in this order, each with a tensor
    /// `NAME.weight` and mostly a tensor `NAME.bias`. A layer without a bias gets one of zeros.
    ///
    /// If `names` is empty, every `NAME.weight` of two axes is a layer. Their order is the alphabetical one of
    /// their names, with digits read as numbers: `layer2` stands before `layer10`.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if there is no layer, a tensor is missing, is left over, has another shape or a number that
    /// is not finite, or a layer does not take what the one before gives.
    pub fn linear_chain(&self, names: &[String]) -> Result<LinearChain, StoreError> {
        let names = if names.is_empty() { self.linear_layers() } else { names.to_vec() };
        if names.is_empty() {
            return Err(StoreError::NoLayers);
        }
        let mut used = BTreeSet::new();
        let layers: Vec<Layer> =
            names.iter().map(|name| self.layer(name, &mut used)).collect::<Result<_, _>>()?;
        if let Some(name) = self.names().find(|name| !used.contains(*name)) {
            return Err(StoreError::Unknown { name: name.to_owned() });
        }
        for pair in layers.windows(2) {
            let [before, layer] = pair else { continue };
            if before.outputs != layer.inputs {
                return Err(StoreError::Sizes {
                    layer: layer.name.clone(),
                    side: "inputs",
                    found: layer.inputs,
                    other: format!("layer `{}` before it gives", before.name),
                    expected: before.outputs,
                });
            }
        }
        Ok(LinearChain { layers })
    }

    fn linear_layers(&self) -> Vec<String> {
        let layer = |name: &str| {
            let is_matrix = self.shape(name).is_some_and(|shape| shape.len() == 2);
            name.strip_suffix(".weight").filter(|_| is_matrix).map(str::to_owned)
        };
        let mut names: Vec<String> = self.names().filter_map(layer).collect();
        names.sort_by(|a, b| by_number(a, b));
        names
    }

    fn layer(&self, name: &str, used: &mut BTreeSet<String>) -> Result<Layer, StoreError> {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{name}.{part}"));
        let missing = || StoreError::Missing { name: weight.clone() };
        let numbers = self.take(&weight, used).ok_or_else(missing)?.finite(&weight)?;
        let [inputs, outputs] = numbers.shape[..] else {
            return Err(StoreError::Axes { name: weight, found: numbers.shape });
        };
        let bias = match self.take(&bias, used) {
            Some(given) => given.finite(&bias)?.shaped(&bias, &[outputs])?.values,
            None => vec![0.0; outputs],
        };
        Ok(Layer { name: name.to_owned(), inputs, outputs, weight: numbers.values, bias })
    }
}

impl LinearChain {
    /// The names of the layers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| &*layer.name)
    }

    /// How many inputs there are, how many units in each hidden layer, and how many outputs.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        let inputs = self.layers.first().map(|layer| layer.inputs);
        inputs.into_iter().chain(self.layers.iter().map(|layer| layer.outputs)).collect()
    }

    /// The chain for standardised inputs and targets that computes the same function as these layers do in the units
    /// of the data. The scales go into the first and the last layer. Classes have no scale.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if there are other numbers of scales than inputs or outputs, or a target is transformed.
    pub fn standardized(
        mut self,
        inputs: &Standardizer,
        targets: &TargetScale,
    ) -> Result<Self, StoreError> {
        self.check_ends(inputs.scales().len(), target_count(targets))?;
        if let Some(first) = self.layers.first_mut() {
            first.take_scaled(inputs.scales());
        }
        if let (Some(last), TargetScale::Real(units)) = (self.layers.last_mut(), targets) {
            if let Some(unit) = units.iter().find(|unit| !unit.transform.is_none()) {
                return Err(StoreError::Transform { name: unit.transform.name() });
            }
            last.give_scaled(&units.iter().map(|unit| unit.scale).collect::<Vec<_>>());
        }
        Ok(self)
    }

    /// Whether the ends are of these sizes.
    ///
    /// # Errors
    ///
    /// [`StoreError::Sizes`], if they are not.
    pub fn check_ends(&self, inputs: usize, outputs: usize) -> Result<(), StoreError> {
        let sizes = |layer: &Layer, side, found, other: &str, expected| StoreError::Sizes {
            layer: layer.name.clone(),
            side,
            found,
            other: other.to_owned(),
            expected,
        };
        match (self.layers.first(), self.layers.last()) {
            (Some(first), _) if first.inputs != inputs => {
                Err(sizes(first, "inputs", first.inputs, "the data has", inputs))
            }
            (_, Some(last)) if last.outputs != outputs => {
                Err(sizes(last, "outputs", last.outputs, "the target needs", outputs))
            }
            _ => Ok(()),
        }
    }

    /// The tensors under the names that a network of `blueprint` looks for: the layers are its linear layers, in
    /// order.
    ///
    /// # Errors
    ///
    /// [`StoreError::LayerCount`], if it has more of these or fewer.
    pub fn weights_for(&self, blueprint: &Blueprint) -> Result<Weights, StoreError> {
        let layers = blueprint.layers.iter().enumerate();
        let places: Vec<usize> = layers
            .filter(|(_, layer)| matches!(layer, LayerSpec::Linear { .. }))
            .map(|(i, _)| i)
            .collect();
        if places.len() != self.layers.len() {
            let (expected, found) = (places.len(), self.layers.len());
            return Err(StoreError::LayerCount { expected, found });
        }
        let mut tensors = BTreeMap::new();
        for (place, layer) in places.into_iter().zip(&self.layers) {
            let shape = vec![layer.inputs, layer.outputs];
            let weight = Numbers { shape, values: layer.weight.clone() };
            let bias = Numbers { shape: vec![layer.outputs], values: layer.bias.clone() };
            tensors.insert(format!("layers.{place}.weight"), weight);
            tensors.insert(format!("layers.{place}.bias"), bias);
        }
        Ok(Weights::new(tensors, Layout::InputsFirst))
    }
}

impl Layer {
    /// W(sd · z + mean) + b as a function of z.
    fn take_scaled(&mut self, scales: &[Scale]) {
        for (row, scale) in self.weight.chunks_exact_mut(self.outputs.max(1)).zip(scales) {
            for (bias, weight) in self.bias.iter_mut().zip(row) {
                // The mean goes into the bias by the weight as it was, before it takes the scale.
                *bias += scale.mean * *weight;
                *weight *= scale.sd;
            }
        }
    }

    /// Divides the outputs by the scales: (W x + b − mean)/sd.
    fn give_scaled(&mut self, scales: &[Scale]) {
        for row in self.weight.chunks_exact_mut(self.outputs.max(1)) {
            for (weight, scale) in row.iter_mut().zip(scales) {
                *weight /= scale.sd;
            }
        }
        for (bias, scale) in self.bias.iter_mut().zip(scales) {
            *bias = scale.apply(*bias);
        }
    }
}

fn target_count(targets: &TargetScale) -> usize {
    match targets {
        TargetScale::Real(units) => units.len(),
        TargetScale::Classes(names) => names.len(),
    }
}

/// Alphabetical order of names, in which runs of digits compare as numbers.
fn by_number(a: &str, b: &str) -> Ordering {
    let (a, b) = (parts(a), parts(b));
    a.cmp(&b)
}

/// Runs of digits with their lengths without leading zeros, so that they compare as numbers of any size, and runs of
/// other characters.
fn parts(name: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let number = run.trim_start_matches('0');
        // Of two numbers the longer one is larger. The 1 keeps zeros apart from other characters.
        out.push(if digits { (number.len() + 1, number) } else { (0, run) });
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::by_number;

    #[test]
    fn digits_are_numbers() {
        let mut names = ["fc10", "fc9", "0", "10", "2", "a.1.b", "a.01.a", "a"];
        names.sort_by(|a, b| by_number(a, b));
        assert_eq!(names, ["a", "a.01.a", "a.1.b", "fc9", "fc10", "0", "2", "10"]);
    }
}
