//! Training improves the bound, and does so the same way each time.

use gaussform_bnn::{
    Matrix, Network, NetworkConfig, NetworkError, Prediction, TrainConfig, TrainError, train,
};

use crate::activations::Relu;

/// A kink, which a line cannot follow.
fn kink() -> (Matrix, Vec<f64>) {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 10.0 - 2.0).collect();
    let y = x.iter().map(|x| x.abs() - 1.0).collect();
    (Matrix::new(1, x).unwrap(), y)
}

fn trained(seed: u64, batch: usize) -> (Vec<f64>, Prediction) {
    let (x, y) = kink();
    let config = NetworkConfig { seed, ..NetworkConfig::new(1, 8) };
    let network = Network::new(Relu, config).unwrap();
    let epochs = if batch < 40 { 40 } else { 200 };
    let config = TrainConfig { epochs, batch, learning_rate: 0.03, seed, ..TrainConfig::default() };
    let mut bounds = Vec::new();
    let network = train(network, &x, &y, &config, |p| bounds.push(p.elbo)).unwrap();
    (bounds, network.predict(&x).unwrap())
}

#[test]
fn the_bound_increases_and_a_seed_fixes_everything() {
    for batch in [1000, 16] {
        let (bounds, prediction) = trained(3, batch);
        let (first, last) = (bounds[0], bounds[bounds.len() - 1]);
        assert!(last > first + 20.0, "from {first} to {last}");
        assert_eq!((bounds, prediction.clone()), trained(3, batch));
        assert_ne!(prediction, trained(4, batch).1);
    }
}

#[test]
fn a_trained_network_follows_the_data() {
    let (_, y) = kink();
    let (_, prediction) = trained(3, 1000);
    assert!(gaussform_bnn::rmse(&prediction.mean, &y) < 0.2);
}

#[test]
fn data_that_does_not_fit_is_an_error() {
    let network = || Network::new(Relu, NetworkConfig::new(2, 3)).unwrap();
    let run = |x: &Matrix, y: &[f64]| {
        let config = TrainConfig { epochs: 1, ..TrainConfig::default() };
        train(network(), x, y, &config, |_| ()).unwrap_err()
    };
    let matrix = |values: &[f64]| Matrix::new(2, values.to_vec()).unwrap();
    let data = |error: NetworkError| TrainError::Network(error);

    assert_eq!(run(&matrix(&[]), &[]), data(NetworkError::Empty));
    let one = Matrix::new(1, vec![1.0]).unwrap();
    assert_eq!(run(&one, &[1.0]), data(NetworkError::Inputs { expected: 2, found: 1 }));
    let error = run(&matrix(&[1.0, 2.0, 3.0, f64::INFINITY]), &[1.0, 2.0]);
    assert_eq!(error, data(NetworkError::NotFinite { row: 1, value: f64::INFINITY }));
    let error = run(&matrix(&[1.0, 2.0]), &[1.0, 2.0]);
    assert_eq!(error, data(NetworkError::Targets { rows: 1, targets: 2 }));
    let error = run(&matrix(&[1.0, 2.0]), &[f64::NAN]);
    assert!(error.to_string().contains("row 0 holds NaN"));
}

#[test]
fn settings_outside_their_domain_are_errors() {
    let config = NetworkConfig { initial_sd: 0.0, ..NetworkConfig::new(2, 3) };
    let error = Network::new(Relu, config).unwrap_err();
    assert_eq!(error.to_string(), "`initial_sd` must be a finite number above 0, but is 0");
    let (x, y) = kink();
    let run = |config: TrainConfig| {
        let network = Network::new(Relu, NetworkConfig::new(1, 2)).unwrap();
        train(network, &x, &y, &config, |_| ()).unwrap_err().to_string()
    };
    let default = TrainConfig::default;
    assert!(run(TrainConfig { epochs: 0, ..default() }).starts_with("`epochs` is 0"));
    assert!(run(TrainConfig { batch: 0, ..default() }).starts_with("`batch` is 0"));
    assert!(
        run(TrainConfig { learning_rate: f64::NAN, ..default() }).starts_with("`learning_rate`")
    );
    assert!(run(TrainConfig { warm_up: 1.5, ..default() }).starts_with("`warm_up` is 1.5"));
}
