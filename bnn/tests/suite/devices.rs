//! Other backends of Burn than Flex: `cargo test --features ndarray`, `--features wgpu` (kernels in WGSL) and
//! `--features vulkan` (kernels in SPIR-V).
//!
//! Where no device is named, the tests of the last two say NOT RUN; `GAUSSFORM_VULKAN=required` makes that a failure.

use std::ops::ControlFlow;

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform::activations::{HardTanh, Prelu};
use gaussform_bnn::{
    Blueprint, Function, LikelihoodKind, Matrix, Model, Precision, Table, TrainConfig, method,
    moments, train,
};

use crate::support::values;

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

/// A function of degree 4, for which no device but Flex has a kernel.
#[gaussform::activation]
fn quartic_ramp(x: f64) -> f64 {
    x.max(0.0).powi(4) - 0.5 * x
}

/// Moments and gradients of a function without a kernel of the device have the bits of those on Flex.
fn has_moments_of_the_host(device: &Device, dtype: DType) {
    let [here, there] = [&Device::flex(), device].map(|device| {
        let device = device.clone().autodiff();
        let leaf = |values: &[f64]| -> Tensor<1> {
            let data = TensorData::new(values.to_vec(), [values.len()]);
            Tensor::from_data(data, (&device, dtype)).require_grad()
        };
        let mut all = Vec::new();
        for result in 0..2 {
            let gamma = leaf(&[-9.0, -1.5, -0.2, 0.0, 0.3, 4.0]);
            let xi2 = leaf(&[1.0, 0.3, 2.0, 1e-4, 5.0, 0.7]);
            let both = moments(&QuarticRamp, gamma.clone(), xi2.clone()).unwrap();
            let of = if result == 0 { both.0 } else { both.1 };
            all.push(of.clone().inner());
            let gradients = of.sum().backward();
            all.extend([gamma, xi2].map(|leaf| leaf.grad(&gradients).unwrap()));
        }
        all.into_iter().map(values).collect::<Vec<_>>()
    });
    assert_eq!(here, there);
}

// Burn prefers Flex; that is what makes the other one a test.
#[cfg(feature = "ndarray")]
#[expect(deprecated)]
#[test]
fn ndarray_learns_the_same() {
    learns_the_same(&Device::ndarray(), Precision::Double, &config(40), 1e-6);
}

#[cfg(feature = "ndarray")]
#[expect(deprecated)]
#[test]
fn inputs_on_two_devices_are_refused() {
    let on = |device: &Device| Tensor::<1>::from_floats([1.0], device);
    let (gamma, xi2) = (on(&Device::ndarray()), on(&Device::flex()));
    let problem = moments(&QuarticRamp, gamma, xi2).unwrap_err().to_string();
    assert!(problem.contains("different devices"), "{problem}");
}

#[cfg(feature = "ndarray")]
#[expect(deprecated)]
#[test]
fn ndarray_has_the_moments_of_the_host() {
    has_moments_of_the_host(&Device::ndarray(), DType::F64);
    has_moments_of_the_host(&Device::ndarray(), DType::F32);
}

#[cfg(feature = "wgpu")]
#[expect(clippy::print_stdout, reason = "one wants to know the errors on a device")]
pub(crate) mod graphics {
    use std::io::{self, Write};

    use burn::tensor::DeviceType;

    use super::*;

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
    fn functions_without_a_kernel_have_the_moments_of_the_host() {
        if let Some(device) = device() {
            has_moments_of_the_host(&device, DType::F32);
        }
    }

    #[test]
    fn a_network_learns_the_same() {
        if let Some(device) = device() {
            learns_the_same(&device, Precision::Single, &config(5), 1e-3);
        }
    }
}
