//! Numbers below the smallest normal one: none is a result of the moments, and no bit of training depends on how the
//! calling thread treats them.

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform::activations::Relu;
use gaussform_bnn::{
    Blueprint, Function, LikelihoodKind, Model, Prior, Table, TrainConfig, fit, flush_subnormals,
    moments,
};
use gaussform_runtime::{Activation, Float};

use crate::support::{drawn, matrix};

/// Means of units that are off, in units of the standard deviation: their moments fall through the subnormal numbers of
/// the precision.
fn off(dtype: DType) -> Vec<f64> {
    let (from, to) = if dtype == DType::F64 { (36.0, 39.0) } else { (12.0, 15.0) };
    (0..300).map(|i| -(from + (to - from) * f64::from(i) / 300.0)).collect()
}

/// Mean, variance and both gradients of their sum, for ξ² = 1.
fn results(gamma: &[f64], dtype: DType) -> Vec<f64> {
    let device = Device::flex().autodiff();
    let leaf = |values: Vec<f64>| -> Tensor<1> {
        let count = values.len();
        Tensor::from_data(TensorData::new(values, [count]), (&device, dtype)).require_grad()
    };
    let (gamma, xi2) = (leaf(gamma.to_vec()), leaf(vec![1.0; gamma.len()]));
    let (mean, variance) = moments(&Relu, gamma.clone(), xi2.clone()).unwrap();
    let gradients = (mean.clone() + variance.clone()).sum().backward();
    let by = [gamma, xi2].map(|leaf| leaf.grad(&gradients).unwrap());
    let all = [mean.inner(), variance.inner()].into_iter().chain(by);
    all.flat_map(|t| t.into_data().try_into_vec_as::<f64>().unwrap()).collect()
}

/// Variances by the kernel, for ξ² = 1.
fn variances<T: Float>(gamma: &[T]) -> Vec<T>
where
    Relu: Activation<T>,
{
    let mut out = [vec![T::ZERO; gamma.len()], vec![T::ZERO; gamma.len()]];
    let [mean, variance] = &mut out;
    Relu.moments_into(gamma, &vec![T::ONE; gamma.len()], mean, variance);
    let [_, variance] = out;
    variance
}

#[test]
fn no_result_of_the_moments_is_subnormal() {
    for dtype in [DType::F32, DType::F64] {
        let (least, gamma) = match dtype {
            DType::F64 => (f64::MIN_POSITIVE, off(dtype)),
            _ => (f32::MIN_POSITIVE.into(), off(dtype)),
        };
        // The kernels give such numbers, by their promise.
        let by_kernels: Vec<f64> = match dtype {
            DType::F64 => variances(&gamma),
            _ => {
                let gamma: Vec<f32> = gamma.iter().map(|g| *g as f32).collect();
                variances(&gamma).into_iter().map(f64::from).collect()
            }
        };
        assert!(by_kernels.iter().any(|v| 0.0 < *v && *v < least));
        let kept = results(&gamma, dtype);
        assert!(kept.iter().all(|x| *x == 0.0 || x.abs() >= least), "{dtype:?}");
        assert!(kept.iter().any(|x| *x != 0.0) && kept.contains(&0.0));
        // What is normal has the bits of the kernel, whatever the thread does with other numbers.
        for (variance, by_kernel) in kept[gamma.len()..].iter().zip(&by_kernels) {
            assert_eq!(*variance, if *by_kernel < least { 0.0 } else { *by_kernel });
        }
        assert_eq!(flush_subnormals(|| results(&gamma, dtype)), kept);
    }
}

/// Narrow posteriors of wide networks have many units that are off.
fn narrow() -> Blueprint {
    let relu = || Function::new("relu", Relu);
    let blueprint = Blueprint::new(&[16], LikelihoodKind::categorical(3))
        .with_prior(Prior::Normal { precision: 1.0 })
        .linear(60)
        .activation(relu())
        .linear(60)
        .activation(relu())
        .linear(3);
    Blueprint { initial_sd: 0.02, gain: 1.5, ..blueprint }
}

#[test]
fn training_has_the_same_bits_with_and_without_the_flags_of_the_thread() {
    let x = matrix(16, &drawn(16 * 80, 1));
    let labels = (0..80).map(|i| i % 3).collect();
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let data = Table::classes(x, labels, names).unwrap();
    let config = TrainConfig { epochs: 5, batch: 40, ..TrainConfig::default() };
    let trained = || {
        let model = fit(&narrow(), &data, &config).unwrap();
        let predicted = model.predict(&data.x).unwrap().classes().unwrap().probabilities;
        (model.to_bytes(&Default::default()).unwrap(), predicted)
    };
    let own = trained();
    assert_eq!(flush_subnormals(trained), own);

    // Without the guard of training there would be such numbers: the flags change the covariances of its first signals.
    let first = |model: &Model| {
        let x =
            gaussform_bnn::Signal::known(model.network().tensor(&model.inputs().apply(&data.x)));
        let mut pass = gaussform_bnn::Pass::moments();
        let hidden = model.network().chain().forward_to(2, x, &mut pass).unwrap();
        let variance = hidden.variance.unwrap().inner();
        variance.powi_scalar(2).into_data().try_into_vec_as::<f64>().unwrap()
    };
    let model = Model::new(&narrow(), &data, 0).unwrap();
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert_ne!(flush_subnormals(|| first(&model)), first(&model));
    }
}
