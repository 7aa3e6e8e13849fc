//! Files of images: whole, compressed, damaged; and the networks that read images.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use std::ops::ControlFlow;

use flate2::Compression;
use flate2::write::GzEncoder;
use gaussform::activations::Relu;
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Function, IdxError, Matrix, Model, Table, TrainConfig, class_score, method, read_idx, train,
};

fn idx(kind: u8, shape: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, u8::try_from(shape.len()).unwrap()];
    bytes.extend(shape.iter().flat_map(|s| s.to_be_bytes()));
    bytes.extend(values);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn put(dir: &Path, bytes: &[u8]) -> PathBuf {
    let path = dir.join("images.idx");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn plain_and_compressed_files_are_the_same_images() {
    let dir = tempfile::tempdir().unwrap();
    let values: Vec<u8> = (0..24).map(|i| i * 10).collect();
    let bytes = idx(8, &[2, 3, 4], &values);
    for bytes in [bytes.clone(), gzip(&bytes)] {
        let read = read_idx(&put(dir.path(), &bytes)).unwrap();
        assert_eq!((read.shape.as_slice(), read.values.as_slice()), (&[2, 3, 4][..], &values[..]));
        let rows: Matrix = read.rows().unwrap();
        assert_eq!((rows.rows(), rows.columns()), (2, 12));
        assert_eq!(rows.values()[23], 230.0 / 255.0);
    }
    let labels = read_idx(&put(dir.path(), &idx(8, &[3], &[2, 0, 1]))).unwrap();
    assert_eq!(labels.labels(), [2, 0, 1]);
    assert!(read_idx(&put(dir.path(), &idx(8, &[0, 3], &[]))).unwrap().rows().is_none());
}

#[test]
fn damage_is_named_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let whole = idx(8, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let error = |bytes: &[u8]| {
        let error = read_idx(&put(dir.path(), bytes)).unwrap_err();
        assert!(error.to_string().contains("images.idx: "), "{error}");
        error
    };
    let cases: [(Vec<u8>, &str); 7] = [
        (b"\x89PNG".to_vec(), "does not begin as an idx file does"),
        (Vec::new(), "does not begin as an idx file does"),
        (idx(0x0d, &[1], &[0; 4]), "of type 0x0d"),
        (whole[..9].to_vec(), "ends in its header"),
        (whole[..whole.len() - 1].to_vec(), "want 6 bytes, but 5 follow"),
        ([&whole[..], &[7]].concat(), "want 6 bytes, but 7 follow"),
        (idx(8, &[u32::MAX, u32::MAX, u32::MAX], &[]), "its axes are"),
    ];
    for (bytes, says) in cases {
        let error = error(&bytes);
        assert!(
            matches!(error, IdxError::Format { .. }) && error.to_string().contains(says),
            "{error}"
        );
    }
    // Cut off and damaged compression, at every place.
    let packed = gzip(&whole);
    for length in 2..packed.len() {
        error(&packed[..length]);
    }
    for i in 10..packed.len() {
        let mut damaged = packed.clone();
        damaged[i] ^= 0x55;
        error(&damaged);
    }
    assert!(matches!(read_idx(&dir.path().join("none")), Err(IdxError::Read { .. })));
    assert!(matches!(read_idx(dir.path()), Err(IdxError::Read { .. })));
}

/// Ten images with a bright bar in the row of their class.
#[test]
fn lenet_reads_images() {
    let dir = tempfile::tempdir().unwrap();
    let size = 20u32;
    let classes: Vec<u8> = (0..10).collect();
    let pixel = |class: u8, i: u32| {
        if i / size == 2 * u32::from(class) { 250 } else { u8::try_from(i * 7 % 31).unwrap() }
    };
    let images: Vec<u8> =
        classes.iter().flat_map(|c| (0..size * size).map(move |i| pixel(*c, i))).collect();
    let images = read_idx(&put(dir.path(), &gzip(&idx(8, &[10, size, size], &images)))).unwrap();
    let labels: Vec<usize> = (0..10).collect();
    let names = classes.iter().map(u8::to_string).collect();
    let data = Table::classes(images.rows().unwrap(), labels.clone(), names).unwrap();
    let relu = Function::new("relu", Relu);
    let blueprint = method::lenet([1, images.shape[1], images.shape[2]], 10, &relu, Rule::Exact);
    let config = TrainConfig { epochs: 3, learning_rate: 1e-3, ..TrainConfig::default() };
    let mut bounds = Vec::new();
    let model = Model::new(&blueprint, &data, config.seed).unwrap();
    let model = train(model, &data, &config, |now| {
        bounds.push(now.elbo);
        ControlFlow::Continue(())
    });
    let prediction = model.unwrap().predict(&data.x).unwrap().classes().unwrap();
    let score = class_score(&prediction, &labels);
    assert!(bounds[2] > bounds[0], "{bounds:?}");
    assert!(score.log_likelihood.is_finite() && score.error < 0.9, "{score:?}");
}
