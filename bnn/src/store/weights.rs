//! Weights of a network that was trained without uncertainty, as the means of a posterior with standard deviations
//! max(relative · |mean|, least).

use std::collections::{BTreeMap, BTreeSet};

use burn::module::Module;
use safetensors::SafeTensors;

use super::{StoreError, Stored, gather, put};
use crate::model::Model;
use crate::network::Network;

/// The order of axes of a linear layer's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// \[inputs, outputs\], as here and in Burn.
    InputsFirst,
    /// \[outputs, inputs\], as in PyTorch.
    OutputsFirst,
}

/// Tensors of weights by name, from a file or a module of another kind.
///
/// A [`Network`] looks for `layers.N.weight` and `layers.N.bias`, N counting all layers of the
/// blueprint from 0, activations too. A learned activation has `layers.N.parameters`, which may be
/// left out. Kernels of convolutions have the shape \[out channels, in channels / groups, …\].
#[derive(Clone, Debug)]
pub struct Weights {
    tensors: BTreeMap<String, Numbers>,
    layout: Layout,
}

#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// The standard deviations that weights get whose means are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The ratio of a weight's standard deviation to the absolute value of its mean, ≥ 0 (Krishnan et al.
    /// 2020, "Specifying Weight Priors in Bayesian Deep Neural Networks with Empirical Bayes", Eq. 10).
    pub relative: f64,
    /// The least standard deviation of a weight, > 0.
    pub least: f64,
}

impl Default for Spread {
    /// A tenth of the mean, at least 0.001.
    fn default() -> Self {
        Self { relative: 0.1, least: 1e-3 }
    }
}

impl Spread {
    fn log_sd(self, mean: f64) -> f64 {
        (self.relative * mean.abs()).max(self.least).ln()
    }
}

impl Weights {
    pub(super) fn new(tensors: BTreeMap<String, Numbers>, layout: Layout) -> Self {
        Self { tensors, layout }
    }

    /// The tensors of a safetensors file, of f64, f32, f16 or bf16.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if the bytes are no whole safetensors file, or a tensor is of another type, such as a counter of
    /// batch normalisation.
    pub fn from_safetensors(bytes: &[u8], layout: Layout) -> Result<Self, StoreError> {
        let format = |e: safetensors::SafeTensorError| StoreError::Format(e.to_string());
        let file = SafeTensors::deserialize(bytes).map_err(format)?;
        let tensors = file.iter().map(|(name, view)| Numbers::named(name, &Stored::view(&view)));
        Ok(Self { tensors: tensors.collect::<Result<_, _>>()?, layout })
    }

    /// The parameters of a Burn module, such as a struct of Burn's `Linear` and `Conv2d`, by the
    /// names of its fields: `hidden.weight`.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if a tensor cannot be read back from its device.
    pub fn from_module<M: Module>(module: &M) -> Result<Self, StoreError> {
        let tensors = gather(module)?.into_iter().map(|(name, (t, _))| Numbers::named(&name, &t));
        Ok(Self { tensors: tensors.collect::<Result<_, _>>()?, layout: Layout::InputsFirst })
    }

    /// The tensors with `to` in the place of `from` at the beginning of their names. `from` ends at a dot or at the
    /// end of a name: `renamed("hidden", "layers.0")`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`], if no name begins so.
    pub fn renamed(self, from: &str, to: &str) -> Result<Self, StoreError> {
        let mut found = false;
        let rename = |(name, numbers): (String, Numbers)| {
            let rest = name.strip_prefix(from).filter(|r| r.is_empty() || r.starts_with('.'));
            found |= rest.is_some();
            (rest.map_or(name.clone(), |rest| format!("{to}{rest}")), numbers)
        };
        let tensors = self.tensors.into_iter().map(rename).collect();
        if found {
            return Ok(Self { tensors, ..self });
        }
        Err(StoreError::Missing { name: format!("{from}.…") })
    }

    /// The names of the tensors, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    pub(super) fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|numbers| &*numbers.shape)
    }

    /// The tensor of this name, a matrix as \[inputs, outputs\].
    pub(super) fn take(&self, name: &str, used: &mut BTreeSet<String>) -> Option<Numbers> {
        let numbers = self.tensors.get(name)?.clone();
        used.insert(name.to_owned());
        let turned = self.layout == Layout::OutputsFirst && name.ends_with(".weight");
        Some(match numbers.shape[..] {
            [outputs, inputs] if turned => numbers.transposed(outputs, inputs),
            _ => numbers,
        })
    }
}

impl Numbers {
    fn named(name: &str, stored: &Stored) -> Result<(String, Self), StoreError> {
        let values = stored.numbers().ok_or_else(|| StoreError::NoWeights {
            name: name.to_owned(),
            found: format!("{:?}", stored.dtype),
        })?;
        Ok((name.to_owned(), Self { shape: stored.shape.clone(), values }))
    }

    fn transposed(self, rows: usize, columns: usize) -> Self {
        let at = |i: usize| self.values[(i % rows) * columns + i / rows];
        Self { shape: vec![columns, rows], values: (0..rows * columns).map(at).collect() }
    }

    pub(super) fn finite(self, name: &str) -> Result<Self, StoreError> {
        if self.values.iter().all(|v| v.is_finite()) {
            return Ok(self);
        }
        Err(StoreError::NotFinite { name: name.to_owned() })
    }

    pub(super) fn shaped(self, name: &str, expected: &[usize]) -> Result<Self, StoreError> {
        if self.shape == expected {
            return Ok(self);
        }
        let (name, found) = (name.to_owned(), self.shape);
        Err(StoreError::Shape { name, expected: expected.to_vec(), found })
    }
}

impl Network {
    /// The network with these weights as the means of its posterior, standard deviations by `spread`,
    /// and no covariances. What a likelihood has learned stays as it is.
    ///
    /// With [`PosteriorKind::Fixed`](crate::PosteriorKind::Fixed) for all layers but the last, those
    /// keep their weights while the last learns.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if a weight is missing, is not finite, is left over or has another shape, or
    /// the spread lies outside its domain.
    pub fn with_weights(self, weights: &Weights, spread: Spread) -> Result<Self, StoreError> {
        let fits = |v: f64, low: bool| v.is_finite() && (v > 0.0 || (low && v == 0.0));
        if !fits(spread.relative, true) || !fits(spread.least, false) {
            return Err(StoreError::Spread { spread });
        }
        let mut tensors: BTreeMap<String, Stored> =
            gather(&self)?.into_iter().map(|(name, (t, _))| (name, t)).collect();
        let mut used = BTreeSet::new();
        let names: Vec<String> = tensors.keys().cloned().collect();
        for name in names {
            let shape = tensors[&name].shape.clone();
            let Some(own) = name.strip_suffix(".mean") else {
                if name.ends_with(".parameters")
                    && let Some(numbers) = weights.take(&name, &mut used)
                {
                    tensors.replace(&name, numbers.shaped(&name, &shape)?.values);
                }
                continue;
            };
            // Other means are those of an earlier posterior, which is the prior now and stays.
            if !(own.ends_with(".weight") || own.ends_with(".bias")) {
                continue;
            }
            let missing = || StoreError::Missing { name: own.to_owned() };
            let mut numbers = weights.take(own, &mut used).ok_or_else(missing)?;
            // With full covariances the bias is the last row of the weight.
            let bias = format!("{}.bias", own.trim_end_matches(".weight"));
            let factor = format!("{own}.factor");
            if tensors.contains_key(&factor)
                && let Some(last) = weights.take(&bias, &mut used)
                && let [inputs, units] = numbers.shape[..]
            {
                numbers.values.extend(last.shaped(&bias, &[units])?.values);
                numbers.shape = vec![inputs + 1, units];
            }
            let mean = numbers.shaped(own, &shape)?.values;
            let log_sd: Vec<f64> = mean.iter().map(|m| spread.log_sd(*m)).collect();
            if let Some(old) = tensors.get(&factor) {
                let (count, units) = (old.shape.iter().product(), shape[1]);
                let mut values = vec![0.0; count];
                for (i, v) in log_sd.iter().enumerate() {
                    let (input, unit) = (i / units, i % units);
                    // The diagonal of a unit's factor holds logarithms (`FullCovariance::new`).
                    values[(unit * shape[0] + input) * shape[0] + input] = *v;
                }
                tensors.replace(&factor, values);
            }
            tensors.replace(&format!("{own}.log_sd"), log_sd);
            tensors.replace(&name, mean);
        }
        if let Some(name) = weights.names().find(|name| !used.contains(*name)) {
            return Err(StoreError::Unknown { name: name.to_owned() });
        }
        if let Some((name, _)) = tensors.iter().find(|(_, t)| !t.is_finite()) {
            return Err(StoreError::NotFinite { name: name.clone() });
        }
        put(self, tensors, &BTreeMap::new())
    }
}

impl Model {
    /// The model with these weights as the means of its posterior ([`Network::with_weights`]). The weights must be
    /// those of standardised numbers; [`LinearChain::standardized`](crate::LinearChain::standardized) converts
    /// others.
    ///
    /// # Errors
    ///
    /// [`StoreError`] in the cases of [`Network::with_weights`].
    pub fn with_weights(self, weights: &Weights, spread: Spread) -> Result<Self, StoreError> {
        let network = self.network.with_weights(weights, spread)?;
        Ok(Self { network, ..self })
    }
}

/// New values for a tensor that is there, in its type.
trait Replace {
    fn replace(&mut self, name: &str, values: Vec<f64>);
}

impl Replace for BTreeMap<String, Stored> {
    fn replace(&mut self, name: &str, values: Vec<f64>) {
        if let Some(stored) = self.get_mut(name) {
            stored.set(&values);
        }
    }
}
