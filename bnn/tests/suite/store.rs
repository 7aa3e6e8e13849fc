//! Files that are whole, damaged, and foreign.

use std::collections::BTreeMap;

use gaussform::activations::{HardTanh, Prelu};
use gaussform_bnn::{
    Blueprint, Function, Functions, LayerSpec, LikelihoodKind, Model, PosteriorKind, Precision,
    StoreError, Table, method,
};

use crate::support::{drawn, matrix};

fn data() -> Table {
    let x = matrix(3, &drawn(60, 1));
    let y: Vec<f64> = x.iter().map(|row| 1000.0 * (row[0] - row[1] * row[2])).collect();
    Table::regression(x, &y).unwrap()
}

fn library() -> Functions {
    Functions::library()
}

fn model() -> Model {
    let g = library().get("prelu").unwrap().clone();
    Model::new(&method::dvi(3, &[4, 3], 1, &g), &data(), 5).unwrap()
}

fn bytes(model: &Model) -> Vec<u8> {
    model.to_bytes(&BTreeMap::from([("columns".to_owned(), "a,b".to_owned())])).unwrap()
}

#[test]
fn what_is_saved_predicts_the_same_bits() {
    let tanh = Function::new("hard_tanh", HardTanh);
    let image = Blueprint::new(&[1, 6, 6], LikelihoodKind::categorical(3))
        .convolution(2, &[3, 3], &[1, 1])
        .activation(tanh.clone())
        .max_pool(&[2, 2])
        .layer(LayerSpec::Flatten)
        .with_posterior(PosteriorKind::Full)
        .linear(4)
        .residual(|b| b.linear(4).activation(tanh))
        .linear(3);
    let image = Blueprint { precision: Precision::Double, ..image };
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let images =
        Table::classes(matrix(36, &drawn(360, 2)), vec![0, 1, 2, 0, 1, 2, 0, 1, 2, 0], names);
    let images = images.unwrap();
    let models = [
        (model(), data()),
        (model().carried_over(), data()),
        (Model::new(&image, &images, 1).unwrap(), images),
    ];
    for (model, data) in models {
        let bytes = bytes(&model);
        let (again, notes) = Model::from_bytes(&bytes, &library()).unwrap();
        assert_eq!(notes["columns"], "a,b");
        assert_eq!(again.predict(&data.x).unwrap(), model.predict(&data.x).unwrap());
        assert!(again.to_bytes(&notes).unwrap() == bytes);
    }
}

#[test]
fn tensors_have_names_that_others_can_read() {
    let bytes = bytes(&model());
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let mut names = file.names();
    names.sort_unstable();
    let layer = |i: usize| {
        ["bias.log_sd", "bias.mean", "weight.log_sd", "weight.mean"]
            .map(|name| format!("layers.{i}.{name}"))
    };
    let mut expected = [layer(0), layer(2), layer(4)].concat();
    expected.extend(["layers.1.parameters", "layers.3.parameters"].map(str::to_owned));
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_file_that_is_cut_or_damaged_is_an_error() {
    let bytes = bytes(&model());
    for length in (0..bytes.len()).step_by(7) {
        assert!(Model::from_bytes(&bytes[..length], &library()).is_err(), "{length} bytes");
    }
    for i in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[i] ^= 1 << (i % 8);
        assert!(Model::from_bytes(&damaged, &library()).is_err(), "bit {} of byte {i}", i % 8);
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let error = |bytes: &[u8], functions: &Functions| {
        Model::from_bytes(bytes, functions).unwrap_err().to_string()
    };
    let whole = bytes(&model());
    assert!(error(b"hello", &library()).starts_with("this is no whole safetensors file"));
    let foreign = safetensors::serialize::<&str, safetensors::tensor::TensorView<'_>, _>([], None);
    assert!(error(&foreign.unwrap(), &library()).contains("written by another program"));
    assert_eq!(
        error(&whole, &Functions::none()),
        "activation `prelu`: none of this name is known, which was declared as \
         `prelu(x; slope) = piecewise { x < 0: slope * x; else: x }`; \
         give the function that the model was trained with to `Functions`"
    );
    let other = Functions::none().with(Function::new("prelu", HardTanh));
    assert!(error(&whole, &other).contains("another function"));
    // Another width in the description, as if two files had been mixed up.
    let text = String::from_utf8_lossy(&whole).into_owned();
    assert!(text.contains(r#"\"outputs\":4"#));
    let mixed = replace(&whole, br#"\"outputs\":4"#, br#"\"outputs\":5"#);
    assert!(error(&mixed, &library()).starts_with("the checksum of the file is "));
    assert_eq!(
        error(&sealed(&mixed), &library()),
        "tensor `layers.0.bias.log_sd` has the shape [4], but the network wants [5]"
            .replace("bias.log_sd", "weight.mean")
            .replace("[4]", "[3, 4]")
            .replace("[5]", "[3, 5]")
    );
    let newer = replace(&whole, br#"\"version\":1"#, br#"\"version\":7"#);
    assert!(error(&newer, &library()).contains("version 7"));
    let huge = replace(&whole, br#"\"outputs\":4,"#, br#"\"outputs\":4"#);
    assert!(Model::from_bytes(&huge, &library()).is_err());
    let missing = Model::load(std::path::Path::new("no-such-file"), &library());
    assert!(matches!(missing, Err(StoreError::File { .. })));
}

#[test]
fn a_declaration_in_a_file_is_read_where_its_name_is_unknown() {
    let whole = bytes(&model());
    let text = "prelu(x; slope) = piecewise { x < 0: slope * x; else: x }";
    let known = library().get("prelu").unwrap().clone();
    // The function of this text under any name.
    let read = move |found: &str| {
        (found == text)
            .then(|| Function::learned("other", known.start(), |p| Prelu::new(p[0])).unwrap())
    };
    let (again, notes) = Model::from_bytes(&whole, &Functions::none().reading(read)).unwrap();
    assert!(again.to_bytes(&notes).unwrap() == whole);
    let wrong = Functions::none().reading(|_| Some(Function::new("prelu", HardTanh)));
    let error = Model::from_bytes(&whole, &wrong).unwrap_err().to_string();
    assert!(error.contains("another function"), "{error}");
    assert!(Model::from_bytes(&whole, &Functions::none().reading(|_| None)).is_err());
}

/// The file with the checksum that its bytes have, as the book describes it.
fn sealed(file: &[u8]) -> Vec<u8> {
    let (length, header) = safetensors::SafeTensors::read_metadata(file).unwrap();
    let description = &header.metadata().as_ref().unwrap()["gaussform-bnn"];
    let old = &description[r#"{"checksum":""#.len()..][..8];
    let mut crc = flate2::Crc::new();
    crc.update(description.replacen(old, "00000000", 1).as_bytes());
    crc.update(&file[8 + length..]);
    replace(file, old.as_bytes(), format!("{:08x}", crc.sum()).as_bytes())
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn files_have_the_declarations_of_their_activations() {
    for (name, text) in [
        ("relu", "relu(x) = max(0, x)"),
        // With what it is made of.
        ("hard_swish", "x * hard_sigmoid(x)"),
        ("hard_swish", "hard_sigmoid(x) = "),
    ] {
        let g = library().get(name).unwrap().clone();
        let model = Model::new(&method::dvi(3, &[4], 1, &g), &data(), 5).unwrap();
        let bytes = bytes(&model);
        assert!(String::from_utf8_lossy(&bytes).contains(text), "{name}");
        let (again, _) = Model::from_bytes(&bytes, &library()).unwrap();
        let LayerSpec::Activation { function, .. } = &again.network().blueprint().layers[1] else {
            panic!("an activation");
        };
        assert!(function.declaration().unwrap().contains(text));
    }
    // Every one of the library has a text whose last line is its own declaration.
    for name in library().names() {
        let text = library().get(name).unwrap().declaration().unwrap().to_owned();
        assert!(text.lines().last().unwrap().starts_with(&format!("{name}(x")), "{text}");
    }
}
