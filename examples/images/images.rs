//! Images in the format of MNIST, by LeNet or an MLP, without sampling.
//!
//!     cargo run --release -p gaussform-bnn --example images -- --network lenet --epochs 5 \
//!         train-images.gz train-labels.gz test-images.gz test-labels.gz
//!
//! Files are idx, plain or compressed with gzip.

mod network;

use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Parser;
use gaussform_bnn::{Function, TrainConfig};

use network::Kind;

/// The activation.
#[gaussform::activation]
pub fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// Train on images and score others.
#[derive(Debug, Parser)]
struct Args {
    /// lenet or mlp
    #[arg(long, default_value = "lenet", value_parser = kind)]
    network: Kind,
    /// How often training goes through the images
    #[arg(long, default_value_t = 5)]
    epochs: usize,
    /// Images and labels to train on, then images and labels to score
    #[arg(num_args = 4, required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn kind(name: &str) -> Result<Kind, String> {
    match name {
        "lenet" => Ok(Kind::Lenet),
        "mlp" => Ok(Kind::Mlp),
        _ => Err("the networks are lenet and mlp".to_owned()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let (size, data) = network::read(&args.files[0], &args.files[1])?;
    let (_, test) = network::read(&args.files[2], &args.files[3])?;
    let blueprint = network::blueprint(args.network, size, &Function::new("relu", Relu));
    let config =
        TrainConfig { epochs: args.epochs, batch: 128, learning_rate: 1e-3, ..Default::default() };
    let score = network::run(&blueprint, &data, &test, &config, |now| {
        // Progress that nobody reads is no reason to stop.
        let _ =
            writeln!(io::stderr(), "epoch {} of {}: bound {:.1}", now.epoch, now.epochs, now.elbo);
        ControlFlow::Continue(())
    })?;
    let mut out = io::stdout().lock();
    writeln!(out, "error                      {:.2} %", 100.0 * score.error)?;
    writeln!(out, "log likelihood of an image {:.4}", score.log_likelihood)?;
    writeln!(out, "expected calibration error {:.4}", score.calibration_error)?;
    Ok(())
}
