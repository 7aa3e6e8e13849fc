//! Models as files: safetensors, with everything but the numbers as JSON in the metadata.
//!
//! Tensors are named `layers.N.weight.mean`, `layers.N.weight.log_sd`, `layers.N.bias.mean` and so
//! on, so that other programs can read them.

mod checksum;
mod functions;
mod linear_chain;
mod tensors;
mod trends;
mod weights;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};

use functions::FunctionRecord;
pub use functions::Functions;
pub use linear_chain::LinearChain;
pub(crate) use tensors::{Stored, gather, put};
pub(crate) use trends::is_of_trend;
pub use weights::{Layout, Spread, Weights};

use crate::blueprint::{Blueprint, BlueprintError};
use crate::chain::{Chain, ChainLayer};
use crate::data::{Standardizer, TargetScale};
use crate::ensemble::Ensemble;
use crate::model::Model;
use crate::network::Network;

/// The version of the format, which a reader of another refuses.
const VERSION: u32 = 1;
/// The key of the metadata under which the description stands.
const KEY: &str = "gaussform-bnn";

/// Why a model cannot be saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The bytes are no safetensors file: cut off, damaged, or of another kind.
    #[error("this is no whole safetensors file: {0}")]
    Format(String),
    /// A safetensors file of another program.
    #[error("the file's metadata has no `gaussform-bnn`: it was written by another program")]
    Foreign,
    /// The description cannot be understood.
    #[error("the file's description cannot be read: {0}")]
    Description(String),
    /// The bytes are not those that were written.
    #[error(
        "the checksum of the file is {found}, but it was written with {expected}: it is damaged, or another program has \
         changed it and kept the checksum"
    )]
    Checksum {
        /// The checksum in the file's description.
        expected: String,
        /// The checksum of the file's bytes.
        found: String,
    },
    /// The file is of another version.
    #[error("the file is of version {found} of the format, but this program reads {expected}")]
    Version {
        /// The version that this program reads.
        expected: u32,
        /// The version of the file.
        found: u32,
    },
    /// An activation is not what the file was written with.
    #[error(
        "activation `{name}`: {problem}; give the function that the model was trained with to `Functions`"
    )]
    Activation {
        /// The name of the activation.
        name: String,
        /// The difference from the activation of the file.
        problem: String,
    },
    /// The description makes no network.
    #[error("the file describes no network: {0}")]
    Blueprint(#[from] BlueprintError),
    /// A tensor is missing.
    #[error("tensor `{name}` is missing")]
    Missing {
        /// The name of the tensor.
        name: String,
    },
    /// A tensor has another shape than the description wants.
    #[error("tensor `{name}` has the shape {found:?}, but the network wants {expected:?}")]
    Shape {
        /// The name of the tensor.
        name: String,
        /// The shape that is wanted.
        expected: Vec<usize>,
        /// The shape in the file.
        found: Vec<usize>,
    },
    /// A tensor has another element type than the description wants.
    #[error("tensor `{name}` is of type {found}, but the network wants {expected}")]
    Type {
        /// The name of the tensor.
        name: String,
        /// The type that is wanted.
        expected: String,
        /// The type in the file.
        found: String,
    },
    /// A tensor whose elements are no weights, such as integers.
    #[error("tensor `{name}` is of type {found}, but weights are F64, F32, F16 or BF16")]
    NoWeights {
        /// The name of the tensor.
        name: String,
        /// The type in the file.
        found: String,
    },
    /// The targets are transformed, which a linear layer cannot be.
    #[error(
        "the target is transformed ({name}), and a network that predicts it in its own units cannot be: use no transform"
    )]
    Transform {
        /// The transform's name.
        name: &'static str,
    },
    /// No tensor is the weight of a linear layer.
    #[error(
        "no tensor is the weight of a linear layer, whose name ends with `.weight` and which has two axes"
    )]
    NoLayers,
    /// The weight of a linear layer has another number of axes.
    #[error("tensor `{name}` has the shape {found:?}, but a linear layer's weight has two axes")]
    Axes {
        /// The name of the tensor.
        name: String,
        /// The shape in the file.
        found: Vec<usize>,
    },
    /// A linear layer does not fit what stands beside it.
    #[error("layer `{layer}` has {found} {side}, but {other} {expected}")]
    Sizes {
        /// The layer's name.
        layer: String,
        /// `inputs` or `outputs`.
        side: &'static str,
        /// How many of these it has.
        found: usize,
        /// The part that the number is compared with, such as `the data has`.
        other: String,
        /// How many that asks for.
        expected: usize,
    },
    /// There are more linear layers than the network has, or fewer.
    #[error("there are {found} linear layers, but the network has {expected}")]
    LayerCount {
        /// How many the network has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A tensor that the network does not have.
    #[error("tensor `{name}` is in the file, but not in the network")]
    Unknown {
        /// The name of the tensor.
        name: String,
    },
    /// The scales do not fit the network.
    #[error("the file has scales for {found} inputs, but the network has {expected}")]
    Scales {
        /// The network's number of inputs.
        expected: usize,
        /// The number of scales.
        found: usize,
    },
    /// A weight is infinite or NaN.
    #[error("tensor `{name}` has a number that is not finite")]
    NotFinite {
        /// The tensor's name.
        name: String,
    },
    /// The spread of weights lies outside its domain.
    #[error(
        "`relative` must be finite and ≥ 0 and `least` finite and > 0, but the spread is {spread:?}"
    )]
    Spread {
        /// The spread.
        spread: Spread,
    },
    /// A tensor cannot be read back from its device.
    #[error("a tensor cannot be read back: {problem}")]
    Tensor {
        /// The error of the backend.
        problem: String,
    },
    /// The file has no model, or says so.
    #[error("the file has no model")]
    NoMembers,
    /// The file has several models.
    #[error("the file has the {count} members of an ensemble: read it as an `Ensemble`")]
    Members {
        /// How many it has.
        count: usize,
    },
    /// The file is a model, not a checkpoint of training.
    #[error("the file is no checkpoint of a training run")]
    NoCheckpoint,
    /// The checkpoint is of a run with other settings.
    #[error("the checkpoint is of another run: {problem}; resume with the settings it began with")]
    OtherRun {
        /// The settings or data that differ from those of the checkpoint.
        problem: String,
    },
}

/// All of a model but its tensors.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Description {
    /// The first field, so that nothing in the notes is taken for it.
    checksum: String,
    version: u32,
    blueprint: Blueprint<FunctionRecord>,
    inputs: Standardizer,
    targets: TargetScale,
    /// Layers whose prior is an earlier posterior, which brings tensors of its own.
    carried_over: bool,
    /// How many models the file has; those after the first have tensors under `members.N`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    members: usize,
    /// Names of columns and whatever else the program around it wants to keep.
    notes: BTreeMap<String, String>,
}

/// The notes and tensors of a file besides those of the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub(crate) notes: BTreeMap<String, String>,
    pub(crate) tensors: BTreeMap<String, Stored>,
    /// Members of an ensemble besides the model.
    pub(crate) others: usize,
}

fn one() -> usize {
    1
}

fn is_one(members: &usize) -> bool {
    *members == 1
}

/// The beginning of the names of a later member's tensors.
fn member(number: usize) -> String {
    // The last point keeps member 1 apart from member 10.
    format!("members.{number}.")
}

impl Ensemble {
    /// The ensemble as bytes of a safetensors file, that of a model if it has one member. `notes` are kept as they are.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if a tensor cannot be read back.
    pub fn to_bytes(&self, notes: &BTreeMap<String, String>) -> Result<Vec<u8>, StoreError> {
        let (mut tensors, mut others) = (BTreeMap::new(), 0);
        for model in self.members().iter().skip(1) {
            others += 1;
            let own = gather(&model.network)?.into_iter();
            tensors.extend(own.map(|(name, (t, _))| (member(others) + &name, t)));
        }
        let first = self.members().first().ok_or(StoreError::NoMembers)?;
        first.to_bytes_with(Extra { notes: notes.clone(), tensors, others })
    }

    /// Writes the ensemble to a file, whole or not at all.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if the file cannot be written.
    pub fn save(&self, path: &Path, notes: &BTreeMap<String, String>) -> Result<(), StoreError> {
        write_whole(path, &self.to_bytes(notes)?)
    }

    /// An ensemble from the bytes of a file, and its notes; also from those of a model.
    ///
    /// # Errors
    ///
    /// [`StoreError`] in the cases of [`Model::from_bytes`].
    pub fn from_bytes(
        bytes: &[u8],
        functions: &Functions,
    ) -> Result<(Self, BTreeMap<String, String>), StoreError> {
        let read = Read::new(bytes)?;
        let (untrained, notes, count) = read.untrained(functions)?;
        let mut sorted: Vec<BTreeMap<String, Stored>> = vec![BTreeMap::new(); count];
        for (name, t) in read.tensors {
            let number = (1..count).find(|number| name.starts_with(&member(*number))).unwrap_or(0);
            let own = name.strip_prefix(&member(number)).unwrap_or(&name).to_owned();
            // The file of a checkpoint is that of a model too, which has no use for the rest.
            if let Some(tensors) = sorted.get_mut(number)
                && !own.starts_with("checkpoint.")
                && !is_of_trend(&own)
            {
                tensors.insert(own, t);
            }
        }
        let model = |own| {
            let network = put(untrained.network.clone(), own, &BTreeMap::new())?;
            Ok(Model { network, ..untrained.clone() })
        };
        let members: Result<Vec<_>, StoreError> = sorted.into_iter().map(model).collect();
        let ensemble = Self::new(members?).map_err(|_| StoreError::NoMembers)?;
        Ok((ensemble, notes))
    }

    /// Reads an ensemble from a file, and its notes; also a model.
    ///
    /// # Errors
    ///
    /// [`StoreError`], as [`from_bytes`](Self::from_bytes), or if the file cannot be read.
    pub fn load(
        path: &Path,
        functions: &Functions,
    ) -> Result<(Self, BTreeMap<String, String>), StoreError> {
        Self::from_bytes(&read_whole(path)?, functions)
    }
}

impl Model {
    /// The model as bytes of a safetensors file. `notes` are kept as they are.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if a tensor cannot be read back.
    pub fn to_bytes(&self, notes: &BTreeMap<String, String>) -> Result<Vec<u8>, StoreError> {
        self.to_bytes_with(Extra { notes: notes.clone(), ..Extra::default() })
    }

    pub(crate) fn to_bytes_with(&self, extra: Extra) -> Result<Vec<u8>, StoreError> {
        let mut record = |f| Ok::<_, StoreError>(FunctionRecord::of(&f));
        let description = Description {
            checksum: checksum::BLANK.to_owned(),
            version: VERSION,
            blueprint: self.network.blueprint().clone().try_map(&mut record)?,
            inputs: self.inputs.clone(),
            targets: self.targets.clone(),
            carried_over: carried_over(self.network.chain()),
            members: extra.others + 1,
            notes: extra.notes,
        };
        let json = serde_json::to_string(&description)
            .map_err(|e| StoreError::Description(e.to_string()))?;
        let mut tensors: BTreeMap<String, Stored> =
            gather(&self.network)?.into_iter().map(|(name, (t, _))| (name, t)).collect();
        tensors.extend(extra.tensors);
        tensors.extend(trends::gather(&self.targets));
        let views: Result<Vec<_>, _> = tensors
            .iter()
            .map(|(name, t)| {
                TensorView::new(t.dtype, t.shape.clone(), &t.bytes).map(|view| (name, view))
            })
            .collect();
        let views = views.map_err(unreadable)?;
        let file = |description: &str| {
            // A single key: the order of several would differ from run to run.
            let metadata = std::iter::once((KEY.to_owned(), description.to_owned())).collect();
            safetensors::serialize(views.iter().cloned(), Some(metadata)).map_err(unreadable)
        };
        // The file is made twice: the checksum is of the tensors as they lie in it, and stands
        // before them. Its length is always the same.
        let blank = file(&json)?;
        let sum = checksum::of(&json, data(&blank)?);
        file(&checksum::with(&json, &sum))
    }

    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    ///
    /// [`StoreError`], if the file cannot be written.
    pub fn save(&self, path: &Path, notes: &BTreeMap<String, String>) -> Result<(), StoreError> {
        write_whole(path, &self.to_bytes(notes)?)
    }

    /// A model from the bytes of a file, and its notes.
    ///
    /// # Errors
    ///
    /// [`StoreError`] with what is wrong, if the bytes are damaged, cut off, of another program or do
    /// not fit together, or an activation is not among `functions`.
    pub fn from_bytes(
        bytes: &[u8],
        functions: &Functions,
    ) -> Result<(Self, BTreeMap<String, String>), StoreError> {
        let (Ensemble { mut members }, notes) = Ensemble::from_bytes(bytes, functions)?;
        match (members.pop(), members.len()) {
            (Some(model), 0) => Ok((model, notes)),
            (_, others) => Err(StoreError::Members { count: others + 1 }),
        }
    }

    /// Reads a model from a file, and its notes.
    ///
    /// # Errors
    ///
    /// [`StoreError`], as [`from_bytes`](Self::from_bytes), or if the file cannot be read.
    pub fn load(
        path: &Path,
        functions: &Functions,
    ) -> Result<(Self, BTreeMap<String, String>), StoreError> {
        Self::from_bytes(&read_whole(path)?, functions)
    }
}

/// A file taken apart, of this version and undamaged.
pub(crate) struct Read {
    description: serde_json::Value,
    pub(crate) tensors: BTreeMap<String, Stored>,
}

impl Read {
    pub(crate) fn new(bytes: &[u8]) -> Result<Self, StoreError> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(unreadable)?;
        let metadata = header.metadata().as_ref().ok_or(StoreError::Foreign)?;
        let text = metadata.get(KEY).ok_or(StoreError::Foreign)?;
        let description: serde_json::Value =
            serde_json::from_str(text).map_err(|e| StoreError::Description(e.to_string()))?;
        // The version goes first: what else a description has depends on it.
        let found = description.get("version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if found != u64::from(VERSION) {
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            return Err(StoreError::Version { expected: VERSION, found });
        }
        let expected = description.get("checksum").and_then(serde_json::Value::as_str);
        let (expected, found) =
            (expected.unwrap_or("no checksum").to_owned(), checksum::of(text, data(bytes)?));
        if found != expected {
            return Err(StoreError::Checksum { expected, found });
        }
        let file = SafeTensors::deserialize(bytes).map_err(unreadable)?;
        let tensors =
            file.tensors().iter().map(|(name, view)| (name.clone(), Stored::view(view))).collect();
        Ok(Self { description, tensors })
    }

    /// The model without its numbers, the notes, and how many models the file has.
    pub(crate) fn untrained(
        &self,
        functions: &Functions,
    ) -> Result<(Model, BTreeMap<String, String>, usize), StoreError> {
        let description: Description = serde_json::from_value(self.description.clone())
            .map_err(|e| StoreError::Description(e.to_string()))?;
        self.plausible(&description.blueprint)?;
        let blueprint = description.blueprint.try_map(&mut |record| functions.find(&record))?;
        let mut network = Network::new(&blueprint, 0)?;
        if description.carried_over {
            network = network.carried_over();
        }
        let (expected, found) = (blueprint.columns(), description.inputs.scales().len());
        let targets = match &description.targets {
            TargetScale::Real(scales) => scales.len(),
            // One output decides between two classes: one column, but two names.
            TargetScale::Classes(names) if blueprint.likelihood.target_columns() == 1 => {
                names.len().saturating_sub(1)
            }
            TargetScale::Classes(names) => names.len(),
        };
        if found != expected || targets != blueprint.likelihood.target_columns() {
            return Err(StoreError::Scales { expected, found });
        }
        let targets = trends::put(description.targets, expected, &self.tensors)?;
        let model = Model::from_parts(network, description.inputs, targets);
        // Every member has a tensor; a damaged number could ask for all of the memory.
        if description.members == 0 || description.members > self.tensors.len() {
            return Err(StoreError::NoMembers);
        }
        Ok((model, description.notes, description.members))
    }

    /// A description asks for no more numbers than the file has, or a damaged one could ask for all
    /// of the memory.
    fn plausible<F>(&self, blueprint: &Blueprint<F>) -> Result<(), StoreError> {
        let most: usize = self.tensors.values().map(|t| t.bytes.len()).sum();
        let sizes = blueprint.input.iter().try_fold(1usize, |a, b| a.checked_mul(*b));
        let widths = |layer: &crate::blueprint::LayerSpec<F>| match layer {
            crate::blueprint::LayerSpec::Linear { outputs, .. } => *outputs,
            crate::blueprint::LayerSpec::Convolution { channels, .. } => *channels,
            _ => 0,
        };
        let widest = blueprint.layers.iter().map(widths).max().unwrap_or(0);
        if sizes.is_none_or(|s| s > most.max(1 << 16)) || widest > most {
            let problem = "it is larger than the tensors that the file has".to_owned();
            return Err(StoreError::Description(problem));
        }
        Ok(())
    }
}

fn unreadable(error: SafeTensorError) -> StoreError {
    StoreError::Format(error.to_string())
}

/// The bytes of the tensors, which follow the header.
fn data(file: &[u8]) -> Result<&[u8], StoreError> {
    let (header, _) = SafeTensors::read_metadata(file).map_err(unreadable)?;
    Ok(file.get(size_of::<u64>() + header..).unwrap_or_default())
}

fn carried_over(chain: &Chain) -> bool {
    chain.layers().iter().any(|layer| match layer {
        ChainLayer::Linear(layer) => !layer.earlier.is_empty(),
        ChainLayer::Conv1d(layer) => !layer.earlier.is_empty(),
        ChainLayer::Conv2d(layer) => !layer.earlier.is_empty(),
        ChainLayer::Residual(chain) => carried_over(chain),
        _ => false,
    })
}

/// Bytes as a tensor, for what only this program reads.
pub(crate) fn bytes_as_tensor(bytes: Vec<u8>) -> Stored {
    Stored { dtype: Dtype::U8, shape: vec![bytes.len()], bytes }
}

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, StoreError> {
    std::fs::read(path).map_err(|source| StoreError::File { path: path.to_owned(), source })
}

pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    gaussform_files::write_whole(path, bytes)
        .map_err(|source| StoreError::File { path: path.to_owned(), source })
}
