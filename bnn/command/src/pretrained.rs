//! A network without uncertainty, whose weights become the means that training begins with.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use flate2::Crc;
use gaussform_bnn::method::Method;
use gaussform_bnn::{Layout, LinearChain, Model, Spread, StoreError, Table, Weights};

use crate::args::{self, Train, WeightLayout};
use crate::failure::Failure;

/// Advice for a file of weights that cannot be used.
fn help(source: &StoreError) -> &'static str {
    match source {
        StoreError::NoWeights { .. } => {
            "--from takes linear layers alone: write a file of their weights, without what other layers count or keep"
        }
        StoreError::Format(_) => {
            "--from wants a safetensors file with the weights of linear layers"
        }
        _ => {
            "--layers names its layers in their order, --layout says how a weight lies, and it has an input for each \
             column of numbers and each word, and an output for the number or for each class"
        }
    }
}

/// The standard deviation of a weight of 0. Layers that saw the data in its units have weights of any size, and hidden
/// units as large as the data: what is small for one layer is not for another.
const LEAST: f64 = 1e-6;

/// The layers of `--from`, and their place in the network that is trained.
#[derive(Clone)]
pub(crate) struct Pretrained {
    path: PathBuf,
    layers: LinearChain,
    standardized: bool,
    spread: Spread,
    content: String,
}

/// The file and the options by which it is read, in words that differ where training would begin differently.
impl Display for Pretrained {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.content)
    }
}

impl Pretrained {
    /// The network that the options name, if they name one; it takes the columns of `table`.
    pub(crate) fn read(
        options: &Train,
        table: &Table,
        outputs: usize,
    ) -> Result<Option<Self>, Failure> {
        let given = &options.pretrained;
        let Some(path) = given.from.clone() else { return Ok(None) };
        if let Method::Dvi | Method::Pbp | Method::Vrelunet = options.method {
            let problem =
                format!("{} does not begin with the weights of another network", options.method);
            return Err(Failure::options(problem, "choose cf, nnvi, vbp, varout or bbb"));
        }
        let relative = given.spread;
        if !(relative >= 0.0 && relative.is_finite()) {
            let problem = format!("--spread is {relative}");
            return Err(Failure::options(problem, "it is a finite number, 0 or more"));
        }
        let bytes = std::fs::read(&path).map_err(|e| {
            let help = "--from wants a safetensors file with the weights of linear layers";
            Failure::file(&path, format!("cannot be read: {e}"), help)
        })?;
        let content = content(&bytes, given);
        let layout = match given.layout {
            WeightLayout::OutputsFirst => Layout::OutputsFirst,
            WeightLayout::InputsFirst => Layout::InputsFirst,
        };
        let layers = Weights::from_safetensors(&bytes, layout)
            .and_then(|weights| weights.linear_chain(&given.layers))
            .map_err(|source| failure(&path, source))?;
        layers.check_ends(table.x.columns(), outputs).map_err(|e| failure(&path, e))?;
        let layers_there = layers.names().count();
        if let Some(count) = given.learn_last.filter(|count| count.get() > layers_there) {
            let problem = format!(
                "--learn-last is {count}, but {} has {layers_there} layers",
                path.display()
            );
            return Err(Failure::options(problem, "leave it out if all layers are to learn"));
        }
        let (standardized, spread) = (given.standardized, Spread { relative, least: LEAST });
        Ok(Some(Self { path, layers, standardized, spread, content }))
    }

    /// The sizes of the hidden layers.
    pub(crate) fn hidden(&self) -> Vec<usize> {
        let sizes = self.layers.sizes();
        let inner = 1..sizes.len().saturating_sub(1);
        sizes.get(inner).unwrap_or_default().to_vec()
    }

    /// The model with these weights.
    pub(crate) fn put_into(self, model: Model) -> Result<Model, Failure> {
        let Self { path, layers, standardized, spread, .. } = self;
        let put = || {
            let layers = match standardized {
                true => layers,
                false => layers.standardized(model.inputs(), model.targets())?,
            };
            let weights = layers.weights_for(model.network().blueprint())?;
            model.with_weights(&weights, spread)
        };
        put().map_err(|source| failure(&path, source))
    }
}

/// The weights that a run begins with: their file, and the options by which it is read.
fn content(bytes: &[u8], given: &args::Pretrained) -> String {
    let mut crc = Crc::new();
    crc.update(bytes);
    let layout = given.layout.to_possible_value();
    let options = [
        layout.map(|layout| format!("--layout {}", layout.get_name())),
        Some(format!("--spread {}", given.spread)),
        (!given.layers.is_empty()).then(|| format!("--layers {}", given.layers.join(","))),
        given.standardized.then(|| "--standardized".to_owned()),
    ];
    let options: Vec<String> = options.into_iter().flatten().collect();
    let (size, crc) = (bytes.len(), crc.sum());
    format!("weights of {size} bytes with the CRC-32 {crc:08x} ({})", options.join(" "))
}

fn failure(path: &Path, source: StoreError) -> Failure {
    let help = help(&source);
    Failure::Weights { path: path.to_owned(), source: Box::new(source), help }
}
