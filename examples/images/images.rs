//! LeNet on images in the format of MNIST, without sampling.
//!
//!     cargo run --release -p gaussform-bnn --example images -- --epochs 5 \
//!         train-images.gz train-labels.gz test-images.gz test-labels.gz
//!
//! Files are idx, plain or compressed with gzip.

use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Parser;
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Function, Model, Table, Targets, TrainConfig, class_score, method, read_idx, train,
};

/// The activation.
#[gaussform::activation]
pub fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// Train on images and score others.
#[derive(Debug, Parser)]
struct Args {
    /// How often training goes through the images
    #[arg(long, default_value_t = 5)]
    epochs: usize,
    /// Images and labels to train on, then images and labels to score
    #[arg(num_args = 4, required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let ([height, width], data) = read(&args.files[0], &args.files[1])?;
    let (_, test) = read(&args.files[2], &args.files[3])?;
    let blueprint =
        method::lenet([1, height, width], 10, &Function::new("relu", Relu), Rule::Exact);
    let config =
        TrainConfig { epochs: args.epochs, batch: 128, learning_rate: 1e-3, ..Default::default() };
    let model = train(Model::new(&blueprint, &data, config.seed)?, &data, &config, |now| {
        // Progress that nobody reads is no reason to stop.
        let _ =
            writeln!(io::stderr(), "epoch {} of {}: bound {:.1}", now.epoch, now.epochs, now.elbo);
        ControlFlow::Continue(())
    })?;
    let prediction = model.predict(&test.x)?.classes().ok_or("the network predicts no classes")?;
    let Targets::Classes { labels, .. } = &test.y else { return Err("no classes to score".into()) };
    let score = class_score(&prediction, labels);
    let mut out = io::stdout().lock();
    writeln!(out, "error                      {:.2} %", 100.0 * score.error)?;
    writeln!(out, "log likelihood of an image {:.4}", score.log_likelihood)?;
    writeln!(out, "expected calibration error {:.4}", score.calibration_error)?;
    Ok(())
}

/// The height and width of images, and a table of their pixels and of their classes, of which there are ten.
fn read(images: &Path, labels: &Path) -> Result<([usize; 2], Table), Box<dyn Error>> {
    let pixels = read_idx(images)?;
    let [_, height, width] = pixels.shape[..] else { return Err("no images in rows".into()) };
    let names = (0..10).map(|class| class.to_string()).collect();
    let x = pixels.rows().ok_or("no images")?;
    Ok(([height, width], Table::classes(x, read_idx(labels)?.labels(), names)?))
}
