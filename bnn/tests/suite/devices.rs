//! Training and predicting on another backend than Flex: `cargo test --features ndarray`.

use std::ops::ControlFlow;

use burn::tensor::Device;
use gaussform::activations::{HardTanh, Prelu};
use gaussform_bnn::{
    Blueprint, Function, LikelihoodKind, Matrix, Model, Precision, Table, TrainConfig, method,
    train,
};

// Burn prefers Flex; that is what makes the other one a test.
#[expect(deprecated)]
#[test]
fn another_backend_learns_the_same() {
    let x = Matrix::new(1, (0..60).map(|i| f64::from(i) / 10.0 - 3.0).collect()).unwrap();
    let y: Vec<f64> = x.values().iter().map(|x| 50.0 * x.sin()).collect();
    let data = Table::regression(x.clone(), &y).unwrap();
    let config = TrainConfig { epochs: 40, batch: 16, ..TrainConfig::default() };
    let learned = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap();
    for g in [Function::new("hard_tanh", HardTanh), learned] {
        let one = LikelihoodKind::normal(1);
        for blueprint in [method::nnvi(1, &[6, 6], one, &g), method::vbp(1, &[6], one, &g)] {
            let blueprint = Blueprint { precision: Precision::Double, ..blueprint };
            let predicted = [Device::flex(), Device::ndarray()].map(|device| {
                let model = Model::new(&blueprint, &data, 3).unwrap().on(&device);
                let model = train(model, &data, &config, |_| ControlFlow::Continue(())).unwrap();
                model.predict(&x).unwrap().normal().unwrap()
            });
            let [flex, other] = predicted.map(|p| (p.mean.clone(), p.epistemic()));
            for (a, b) in [(&flex.0, &other.0), (&flex.1, &other.1)] {
                for (a, b) in a.values().iter().zip(b.values()) {
                    assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{}: {a} and {b}", g.name());
                }
            }
        }
    }
}
