//! The book's lines of NumPy predict what the library predicts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use gaussform::activations::Relu;
use gaussform_bnn::{
    Blueprint, Function, LikelihoodKind, Model, Precision, RealPrediction, Table, method,
};

use crate::support::{drawn, matrix};

/// A Python that has NumPy: `GAUSSFORM_NUMPY`, that of `.ci/run`, or the system's.
fn python() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python");
    let named = std::env::var_os("GAUSSFORM_NUMPY").map(PathBuf::from);
    named.into_iter().chain([own, PathBuf::from("python3")]).find(|python| {
        let asked = Command::new(python).args(["-c", "import numpy"]).output();
        asked.is_ok_and(|out| out.status.success())
    })
}

#[test]
fn the_lines_in_the_book_predict_the_same() {
    let Some(python) = python() else {
        writeln!(io::stderr(), "NOT RUN: there is no Python with NumPy").unwrap();
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/numpy/predict.py");
    let x = matrix(3, &drawn(60, 1));
    let y: Vec<f64> = x.iter().map(|row| 1000.0 * (row[0] - row[1] * row[2])).collect();
    let mut csv = String::new();
    for row in x.iter() {
        writeln!(csv, "{},{},{}", row[0], row[1], row[2]).unwrap();
    }
    fs::write(path("x.csv"), csv).unwrap();
    let relu = Function::new("relu", Relu);
    for blueprint in
        [method::cf(3, 5, 1, &relu), method::nnvi(3, &[5, 4], LikelihoodKind::normal(1), &relu)]
    {
        for precision in [Precision::Double, Precision::Single] {
            let blueprint = Blueprint { precision, initial_sd: 0.4, ..blueprint.clone() };
            let data = Table::regression(x.clone(), &y).unwrap();
            let model = Model::new(&blueprint, &data, 5).unwrap();
            model.save(&path("m.safetensors"), &BTreeMap::new()).unwrap();
            let out = Command::new(&python)
                .args([&script, &path("m.safetensors"), &path("x.csv")])
                .output()
                .unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            let text = String::from_utf8(out.stdout).unwrap();
            let theirs: Vec<f64> = text.split_whitespace().map(|v| v.parse().unwrap()).collect();
            let ours: RealPrediction = model.predict(&x).unwrap().real().unwrap();
            let variance = ours.variance();
            let numbers = ours.mean.values().iter().zip(variance.values());
            let ours: Vec<f64> = numbers.flat_map(|(m, v)| [*m, v.sqrt()]).collect();
            assert_eq!(theirs.len(), ours.len());
            let tolerance = if precision == Precision::Double { 1e-9 } else { 1e-3 };
            for (theirs, ours) in theirs.iter().zip(&ours) {
                assert!((theirs - ours).abs() < tolerance * 1000.0, "{theirs} for {ours}");
            }
        }
    }
}
