//! Other backends of Burn than Flex: `cargo test --features ndarray`, `--features wgpu` (kernels in WGSL) and
//! `--features vulkan` (kernels in SPIR-V).
//!
//! Where no device is named, the tests of the last two say NOT RUN; `GAUSSFORM_VULKAN=required` makes that a failure.

use std::ops::ControlFlow;

use burn::tensor::Device;
use gaussform::activations::{HardTanh, Prelu};
use gaussform_bnn::{
    Blueprint, Function, LikelihoodKind, Matrix, Model, Precision, Table, TrainConfig, method,
    train,
};

/// Networks by two methods and of two activations predict on `device` what they predict on Flex, within `tolerance` of a
/// prediction's size.
fn learns_the_same(device: &Device, precision: Precision, config: &TrainConfig, tolerance: f64) {
    let x = Matrix::new(1, (0..60).map(|i| f64::from(i) / 10.0 - 3.0).collect()).unwrap();
    let y: Vec<f64> = x.values().iter().map(|x| 50.0 * x.sin()).collect();
    let data = Table::regression(x.clone(), &y).unwrap();
    let learned = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap();
    for g in [Function::new("hard_tanh", HardTanh), learned] {
        let one = LikelihoodKind::normal(1);
        for blueprint in [method::nnvi(1, &[6, 6], one, &g), method::vbp(1, &[6], one, &g)] {
            let blueprint = Blueprint { precision, ..blueprint };
            let predicted = [&Device::flex(), device].map(|device| {
                let model = Model::new(&blueprint, &data, 3).unwrap().on(device);
                let model = train(model, &data, config, |_| ControlFlow::Continue(())).unwrap();
                model.predict(&x).unwrap().real().unwrap()
            });
            let [flex, other] = predicted.map(|p| (p.mean.clone(), p.epistemic()));
            for (a, b) in [(&flex.0, &other.0), (&flex.1, &other.1)] {
                for (a, b) in a.values().iter().zip(b.values()) {
                    let off = (a - b).abs() / (1.0 + a.abs());
                    assert!(off < tolerance, "{}: {a} and {b}", g.name());
                }
            }
        }
    }
}

fn config(epochs: usize) -> TrainConfig {
    TrainConfig { epochs, batch: 16, ..TrainConfig::default() }
}

// Burn prefers Flex; that is what makes the other one a test.
#[cfg(feature = "ndarray")]
#[expect(deprecated)]
#[test]
fn ndarray_learns_the_same() {
    learns_the_same(&Device::ndarray(), Precision::Double, &config(40), 1e-6);
}

#[cfg(feature = "wgpu")]
#[expect(clippy::print_stdout, reason = "one wants to know the errors on a device")]
pub(crate) mod graphics {
    use std::io::{self, Write};

    use burn::tensor::DeviceType;

    use super::*;
    use crate::tensors::{has_tails, holds_in_single_precision};

    #[cfg(feature = "vulkan")]
    const KIND: DeviceType = DeviceType::Vulkan;
    #[cfg(not(feature = "vulkan"))]
    const KIND: DeviceType = DeviceType::Wgpu;

    /// The first device there is.
    pub(crate) fn device() -> Option<Device> {
        let device = Device::enumerate(KIND).into_iter().next();
        match &device {
            Some(device) => println!("on {:?}", device.identity()),
            None => {
                assert!(std::env::var_os("GAUSSFORM_VULKAN").is_none(), "no device is named");
                let note = "NOT RUN: no device is named; Debian has one in mesa-vulkan-drivers";
                writeln!(io::stderr(), "{note}").expect("somewhere to say so");
            }
        }
        device
    }

    #[test]
    fn moments_have_the_accuracy_that_is_documented() {
        if let Some(device) = device() {
            let largest = holds_in_single_precision(&device);
            println!("mean, variance and derivatives within {largest:.1?} roundings");
        }
    }

    #[test]
    fn tails_are_right_relative_to_themselves() {
        if let Some(device) = device() {
            // Vulkan lets an exponential of x be wrong by 3 + 2 |x| units, and flushes numbers below 1e-38 to 0.
            has_tails(&device, 11, 10.0);
        }
    }

    #[test]
    fn a_network_learns_the_same() {
        if let Some(device) = device() {
            learns_the_same(&device, Precision::Single, &config(5), 1e-3);
        }
    }
}
