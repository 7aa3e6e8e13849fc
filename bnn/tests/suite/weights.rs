//! Weights of plain networks as the means of a posterior.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use gaussform::activations::Relu;
use gaussform_bnn::{
    Blueprint, Function, Functions, LayerSpec, Layout, LikelihoodKind, Matrix, Model, Network,
    PosteriorKind, Precision, Scale, Spread, Standardizer, StoreError, Table, TargetScale,
    TrainConfig, Weights, train,
};
use safetensors::tensor::{Dtype, TensorView};

use crate::support::{Plain, drawn, linears, matrix, moments_of, plain, tensor, values};

const INPUTS: usize = 3;
const HIDDEN: usize = 4;

fn relu() -> Function {
    Function::new("relu", Relu)
}

/// The weights of two layers, [outputs, inputs] as PyTorch has them.
fn trained() -> [(Vec<f64>, Vec<f64>); 2] {
    [(drawn(HIDDEN * INPUTS, 1), drawn(HIDDEN, 2)), (drawn(HIDDEN, 3), drawn(1, 4))]
}

/// A file of them, as another program writes it.
fn file(names: [&str; 2]) -> Vec<u8> {
    let [a, b] = trained();
    let bytes = |v: &[f64]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let tensors = [
        (format!("{}.weight", names[0]), vec![HIDDEN, INPUTS], bytes(&a.0)),
        (format!("{}.bias", names[0]), vec![HIDDEN], bytes(&a.1)),
        (format!("{}.weight", names[1]), vec![1, HIDDEN], bytes(&b.0)),
        (format!("{}.bias", names[1]), vec![1], bytes(&b.1)),
    ];
    let views: BTreeMap<_, _> = tensors
        .iter()
        .map(|(n, s, b)| (n.clone(), TensorView::new(Dtype::F64, s.clone(), b).unwrap()))
        .collect();
    safetensors::serialize(views, None).unwrap()
}

fn blueprint(kinds: [PosteriorKind; 2]) -> Blueprint {
    let blueprint = Blueprint::new(&[INPUTS], LikelihoodKind::normal(1))
        .with_posterior(kinds[0])
        .linear(HIDDEN)
        .activation(relu())
        .with_posterior(kinds[1])
        .linear(1);
    Blueprint { precision: Precision::Double, ..blueprint }
}

fn model(network: Network) -> Model {
    let unit = Scale { mean: 0.0, sd: 1.0 };
    let inputs = Standardizer::new(vec![unit; INPUTS]);
    Model::from_parts(network, inputs, TargetScale::real(vec![unit]))
}

/// The outputs of the plain network, without the library.
fn by_hand(x: &Matrix) -> Vec<f64> {
    let [(w, b), (v, c)] = trained();
    let turned = (0..INPUTS * HIDDEN).map(|i| w[(i % HIDDEN) * INPUTS + i / HIDDEN]).collect();
    let layers = [Plain { weight: turned, bias: b }, Plain { weight: v, bias: c }];
    x.iter().map(|x| plain(&layers, x, |u| u.max(0.0))[0]).collect()
}

fn near(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b.abs())), "{a:?} {b:?}");
}

#[test]
fn the_weights_of_another_program_are_the_means() {
    let x = matrix(INPUTS, &drawn(5 * INPUTS, 5));
    let narrow = Spread { relative: 0.0, least: 1e-12 };
    let names = Weights::from_safetensors(&file(["0", "2"]), Layout::OutputsFirst).unwrap();
    let names = names.renamed("0", "layers.0").unwrap().renamed("2", "layers.2").unwrap();
    for kinds in [
        [PosteriorKind::MeanField; 2],
        [PosteriorKind::Point; 2],
        [PosteriorKind::Full; 2],
        [PosteriorKind::Fixed, PosteriorKind::Full],
    ] {
        let network = Network::new(&blueprint(kinds), 0).unwrap();
        let network = network.with_weights(&names, narrow).unwrap();
        let prediction = model(network).predict(&x).unwrap().real().unwrap();
        near(prediction.mean.values(), &by_hand(&x));
        assert!(prediction.epistemic().values().iter().all(|v| *v < 1e-18));
    }
}

#[test]
fn standard_deviations_are_relative_to_the_means() {
    let weights = Weights::from_safetensors(&file(["layers.0", "layers.2"]), Layout::OutputsFirst);
    let spread = Spread { relative: 0.2, least: 0.05 };
    for kind in [PosteriorKind::MeanField, PosteriorKind::Full] {
        let network = Network::new(&blueprint([kind; 2]), 0).unwrap();
        let network = network.with_weights(weights.as_ref().unwrap(), spread).unwrap();
        for layer in linears(&network) {
            let (mean, variance) = moments_of(layer.weight());
            let sd: Vec<f64> = mean.iter().map(|m| (0.2 * m.abs()).max(0.05)).collect();
            near(&variance, &sd.iter().map(|s| s * s).collect::<Vec<_>>());
        }
    }
}

#[test]
fn only_the_last_layer_learns_and_the_file_knows_it() {
    let x = matrix(INPUTS, &drawn(40 * INPUTS, 6));
    let y: Vec<f64> = by_hand(&x).iter().map(|y| 2.0 * y + 1.0).collect();
    let data = Table::regression(x.clone(), &y).unwrap();
    let weights = Weights::from_safetensors(&file(["layers.0", "layers.2"]), Layout::OutputsFirst);
    let kinds = [PosteriorKind::Fixed, PosteriorKind::MeanField];
    let network = Network::new(&blueprint(kinds), 0).unwrap();
    let network = network.with_weights(&weights.unwrap(), Spread::default()).unwrap();
    let start = model(network);
    let bytes = start.to_bytes(&BTreeMap::new()).unwrap();
    let (again, _) = Model::from_bytes(&bytes, &Functions::library()).unwrap();
    let config = TrainConfig { epochs: 30, ..TrainConfig::default() };
    for start in [start, again] {
        let before = moments_of(linears(start.network())[0].weight());
        let last = moments_of(linears(start.network())[1].weight());
        let after = train(start, &data, &config, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(moments_of(linears(after.network())[0].weight()), before);
        assert_ne!(moments_of(linears(after.network())[1].weight()), last);
    }
}

#[test]
fn modules_of_burn_give_their_weights() {
    #[derive(Module, Debug)]
    struct Dense {
        weight: Param<Tensor<2>>,
        bias: Param<Tensor<1>>,
    }
    // With the fields of `burn::nn::Linear`, which lays its weight out as [inputs, outputs].
    #[derive(Module, Debug)]
    struct Mlp {
        hidden: Dense,
        out: Dense,
    }
    let [(w, b), (v, c)] = trained();
    let dense = |weight: Tensor<2>, bias: Tensor<1>| Dense {
        weight: Param::from_tensor(weight),
        bias: Param::from_tensor(bias),
    };
    let hidden = tensor(&w, [HIDDEN, INPUTS]).transpose();
    let mlp = Mlp {
        hidden: dense(hidden.clone(), tensor(&b, [HIDDEN])),
        out: dense(tensor(&v, [HIDDEN, 1]), tensor(&c, [1])),
    };
    let weights = Weights::from_module(&mlp).unwrap();
    assert_eq!(
        weights.names().collect::<Vec<_>>(),
        ["hidden.bias", "hidden.weight", "out.bias", "out.weight"]
    );
    let weights =
        weights.renamed("hidden", "layers.0").unwrap().renamed("out", "layers.2").unwrap();
    let network = Network::new(&blueprint([PosteriorKind::MeanField; 2]), 0).unwrap();
    let network = network.with_weights(&weights, Spread::default()).unwrap();
    near(&moments_of(linears(&network)[0].weight()).0, &values(hidden));
}

#[test]
fn a_chain_of_layers_that_saw_the_data_in_its_units() {
    let x = matrix(
        INPUTS,
        &(0..30 * INPUTS).map(|i| (i * i % 17 + 100 * (i % 3)) as f64).collect::<Vec<_>>(),
    );
    let truth = by_hand(&x);
    let weights = Weights::from_safetensors(&file(["fc2", "fc10"]), Layout::OutputsFirst).unwrap();
    let chain = weights.linear_chain(&[]).unwrap();
    assert_eq!(chain.names().collect::<Vec<_>>(), ["fc2", "fc10"]);
    assert_eq!(chain.sizes(), [INPUTS, HIDDEN, 1]);
    let data = Table::regression(x.clone(), &truth).unwrap();
    let narrow = Spread { relative: 0.0, least: 1e-12 };
    let blueprint = blueprint([PosteriorKind::MeanField; 2]);
    let model = Model::new(&blueprint, &data, 0).unwrap();
    assert!(model.inputs().scales().iter().all(|s| s.mean > 1.0 && s.sd > 1.0));
    let standardized = chain.clone().standardized(model.inputs(), model.targets()).unwrap();
    let weights = standardized.weights_for(&blueprint).unwrap();
    let model = model.with_weights(&weights, narrow).unwrap();
    near(model.predict(&x).unwrap().real().unwrap().mean.values(), &truth);

    let error =
        |result: Result<_, StoreError>| result.map(|_: Weights| ()).unwrap_err().to_string();
    assert_eq!(
        error(chain.weights_for(&Blueprint::new(&[INPUTS], LikelihoodKind::normal(1)).linear(1))),
        "there are 2 linear layers, but the network has 1"
    );
    assert_eq!(
        chain.check_ends(INPUTS, 2).unwrap_err().to_string(),
        "layer `fc10` has 1 outputs, but the target needs 2"
    );
}

#[test]
fn a_chain_that_does_not_hold_is_named() {
    let read = |layout| Weights::from_safetensors(&file(["a", "b"]), layout).unwrap();
    let error = |weights: Weights, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        weights.linear_chain(&names).unwrap_err().to_string()
    };
    assert_eq!(
        error(read(Layout::OutputsFirst), &["b", "a"]),
        "layer `a` has 3 inputs, but layer `b` before it gives 1"
    );
    assert_eq!(
        error(read(Layout::InputsFirst), &[]),
        "tensor `a.bias` has the shape [4], but the network wants [3]"
    );
    assert_eq!(error(read(Layout::OutputsFirst), &["a", "c"]), "tensor `c.weight` is missing");
    assert_eq!(
        error(read(Layout::OutputsFirst), &["a"]),
        "tensor `b.bias` is in the file, but not in the network"
    );
    let bare = read(Layout::OutputsFirst).renamed("a.bias", "c.weight").unwrap();
    assert_eq!(
        error(bare, &["c"]),
        "tensor `c.weight` has the shape [4], but a linear layer's weight has two axes"
    );
    let none = read(Layout::OutputsFirst).renamed("a.weight", "a").unwrap();
    let none = none.renamed("b.weight", "b").unwrap();
    assert!(error(none, &[]).starts_with("no tensor is the weight of a linear layer"));
}

#[test]
fn the_last_layers_learn_wherever_they_stand() {
    let kinds = |count| {
        let blueprint = Blueprint::new(&[2], LikelihoodKind::normal(1))
            .linear(4)
            .residual(|inner| inner.linear(4).activation(relu()))
            .linear(1)
            .with_last_learned(count);
        let network = Network::new(&blueprint, 0).unwrap();
        blueprint_kinds(&network)
    };
    use PosteriorKind::{Fixed, MeanField};
    assert_eq!(kinds(0), [Fixed; 3]);
    assert_eq!(kinds(1), [Fixed, Fixed, MeanField]);
    assert_eq!(kinds(2), [Fixed, MeanField, MeanField]);
    assert_eq!(kinds(9), [MeanField; 3]);
}

fn blueprint_kinds(network: &Network) -> Vec<PosteriorKind> {
    fn add(layers: &[LayerSpec], out: &mut Vec<PosteriorKind>) {
        for layer in layers {
            match layer {
                LayerSpec::Linear { posterior, .. } => out.push(*posterior),
                LayerSpec::Residual { layers } => add(layers, out),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    add(&network.blueprint().layers, &mut out);
    out
}

#[test]
fn what_does_not_fit_is_named() {
    let read = |names| Weights::from_safetensors(&file(names), Layout::OutputsFirst).unwrap();
    let error = |weights: &Weights, spread| {
        let network = Network::new(&blueprint([PosteriorKind::MeanField; 2]), 0).unwrap();
        network.with_weights(weights, spread).unwrap_err()
    };
    let given = read(["layers.0", "layers.2"]);
    assert_eq!(
        error(&read(["layers.0", "layers.9"]), Spread::default()).to_string(),
        "tensor `layers.2.bias` is missing"
    );
    let more = given.clone().renamed("layers.0.bias", "layers.5.bias").unwrap();
    assert!(error(&more, Spread::default()).to_string().contains("`layers.0.bias` is missing"));
    let turned = Weights::from_safetensors(&file(["layers.0", "layers.2"]), Layout::InputsFirst);
    assert_eq!(
        error(&turned.unwrap(), Spread::default()).to_string(),
        "tensor `layers.0.weight` has the shape [4, 3], but the network wants [3, 4]"
    );
    for (relative, least) in [(-1.0, 1.0), (f64::NAN, 1.0), (0.1, 0.0), (0.1, f64::INFINITY)] {
        let wrong = error(&given, Spread { relative, least });
        assert!(matches!(wrong, StoreError::Spread { .. }));
    }
    assert!(matches!(given.renamed("layer", "x"), Err(StoreError::Missing { .. })));
    assert!(Weights::from_safetensors(b"hello", Layout::InputsFirst).is_err());
}
