//! Networks that were trained elsewhere.

use std::fs;

use safetensors::tensor::{Dtype, TensorView};

use crate::place::{Place, table};

/// A plain network on `size` and the words of `colour`, as PyTorch would save it: price = 1000 |size|, and 2000 more if
/// the colour is red, but for the ReLU that does not see it.
fn plain_network(outputs: usize) -> Vec<u8> {
    let hidden = [[0.0, 0.0, 0.0, 1000.0], [0.0, 0.0, 0.0, -1000.0], [0.0, 0.0, 2000.0, 0.0]];
    // The columns are size, blue, green and red.
    let first: Vec<f32> =
        hidden.iter().flat_map(|row| [row[3], 0.0, 0.0, row[2]]).map(|w| w as f32).collect();
    let last: Vec<f32> = (0..3 * outputs).map(|_| 1.0).collect();
    let bytes = |v: &[f32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let tensors = [
        ("net.0.weight", vec![3, 4], bytes(&first)),
        ("net.0.bias", vec![3], bytes(&[0.0; 3])),
        ("net.2.weight", vec![outputs, 3], bytes(&last)),
    ];
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views.collect::<Vec<_>>(), None).unwrap()
}

#[test]
fn training_begins_with_a_plain_network() {
    let place = Place::new();
    place.put("t.csv", table(60));
    fs::write(place.path("w.st"), plain_network(1)).unwrap();
    let from = "train --csv t.csv --target price --ignore grade --from w.st --out m.st --epochs 1 \
                --learning-rate 1e-9";
    let error = |args: &str| {
        place.does(&format!("{from} {args}"));
        let predicted = place.does("predict --model m.st --csv t.csv");
        let mean = predicted.lines().skip(1).map(|l| l.split(',').next().unwrap());
        let truth = table(60);
        let truth = truth.lines().skip(1).map(|l| l.split(',').nth(2).unwrap());
        let off =
            mean.zip(truth).map(|(a, b)| a.parse::<f64>().unwrap() - b.parse::<f64>().unwrap());
        off.map(f64::abs).fold(0.0, f64::max)
    };
    // At its means VBP predicts what the plain network does: prices are thousands.
    assert!(error("--method vbp") < 0.1);
    assert!(error("--method vbp --learn-last 1") < 0.1);
    assert!(error("--method nnvi --learn-last 1 --layers net.0,net.2") < 0.1);
    assert!(error("--method bbb --spread 0") < 200.0);
    assert!(error("--method varout --learn-last 1 --spread 0") < 200.0);
    assert!(error("--method vbp --standardized") > 1000.0);

    let fails = |args: &str, start: &str| {
        let said = place.fails(format!("{from} {args}").replace("m.st", "x.st").trim_end());
        assert!(said.starts_with(start), "{said}");
    };
    fails("--layout inputs-first", "error: w.st: tensor `net.0.bias` has the shape [3], but");
    fails("--layers net.2,net.0", "error: w.st: layer `net.0` has 4 inputs, but layer `net.2`");
    fails("--ignore colour", "error: w.st: layer `net.0` has 4 inputs, but the data has 1");
    fails("--spread -1", "error: --spread is -1\n  help: it is a finite number, 0 or more");
    fails("--learn-last 3", "error: --learn-last is 3, but w.st has 2 layers");
    fails("--method dvi", "error: dvi does not begin with the weights of another network");
    fails("--from t.csv", "error: the argument '--from <WEIGHTS>' cannot be used multiple times");
    fails("--hidden 3", "error: the argument '--from <WEIGHTS>' cannot be used with '--hidden");
    let said =
        place.fails("train --csv t.csv --target grade --ignore price --from w.st --out x.st");
    assert!(said.starts_with(
        "error: w.st: layer `net.2` has 1 outputs, but the target needs 2\n  help: --layers"
    ));
    fs::write(place.path("w.st"), plain_network(2)).unwrap();
    place.does("train --csv t.csv --target grade --ignore price --from w.st --epochs 2 --out m.st");
    for (content, start) in [("nothing", "this is no whole safetensors"), ("", "this is no whole")]
    {
        place.put("w.st", content);
        fails("", &format!("error: w.st: {start}"));
    }
    fs::remove_file(place.path("w.st")).unwrap();
    fails("", "error: w.st: cannot be read");
}

#[test]
fn weights_in_half_precision_are_read_and_integers_are_named() {
    let place = Place::new();
    place.put("t.csv", table(60));
    let train = "train --csv t.csv --target price --ignore grade --from w.st --epochs 1 --out m.st";
    let shapes = [("a.weight", vec![3, 4]), ("a.bias", vec![3]), ("b.weight", vec![1, 3])];
    let write = |dtype: Dtype, one: &[u8], more: Option<(&str, Dtype, Vec<usize>)>| {
        let bytes: Vec<Vec<u8>> =
            shapes.iter().map(|(_, shape)| one.repeat(shape.iter().product())).collect();
        let zeros = vec![0; 8];
        let mut views: Vec<(&str, TensorView<'_>)> = shapes
            .iter()
            .zip(&bytes)
            .map(|((name, shape), bytes)| {
                (*name, TensorView::new(dtype, shape.clone(), bytes).unwrap())
            })
            .collect();
        if let Some((name, dtype, shape)) = more {
            views.push((name, TensorView::new(dtype, shape, &zeros).unwrap()));
        }
        fs::write(place.path("w.st"), safetensors::serialize(views, None).unwrap()).unwrap();
    };
    // 1.5 in each of them.
    let mut predictions = Vec::new();
    for (dtype, one) in [
        (Dtype::F32, 1.5_f32.to_le_bytes().to_vec()),
        (Dtype::F16, 0x3e00_u16.to_le_bytes().to_vec()),
        (Dtype::BF16, 0x3fc0_u16.to_le_bytes().to_vec()),
    ] {
        write(dtype, &one, None);
        place.does(train);
        predictions.push(place.does("predict --model m.st --csv t.csv"));
    }
    assert!(predictions.iter().all(|p| *p == predictions[0]));
    let one = 1.5_f32.to_le_bytes();
    write(Dtype::F32, &one, Some(("bn.num_batches_tracked", Dtype::I64, vec![1])));
    let said = place.fails(&train.replace("m.st", "x.st"));
    assert!(
        said.starts_with(
            "error: w.st: tensor `bn.num_batches_tracked` is of type I64, but weights are F64, F32, F16 or BF16\n  \
             help: --from takes linear layers alone"
        ),
        "{said}"
    );
}

/// A checkpoint goes on with the weights that its run began with, and with no others.
#[cfg(unix)]
#[test]
fn an_interrupted_run_knows_the_weights_that_it_began_with() {
    let place = Place::new();
    place.put("t.csv", table(200));
    fs::write(place.path("w.st"), plain_network(1)).unwrap();
    let train = |out: &str| {
        format!(
            "train --csv t.csv --target price --ignore grade --from w.st --epochs 300 --out {out}"
        )
    };
    place.does(&train("whole.st"));
    assert_eq!(place.interrupted(&train("m.st"), "-INT"), Some(130));

    let resume = format!("{} --resume", train("m.st"));
    let began = "training-1.safetensors: is of a run that began with weights of ";
    for options in ["--spread 0.2", "--standardized", "--layers net.0,net.2"] {
        let said = place.fails(&format!("{resume} {options}"));
        assert!(said.contains(began) && said.contains(options), "{said}");
    }
    let own = fs::read(place.path("w.st")).unwrap();
    let mut other = own.clone();
    // One digit of the last number.
    *other.last_mut().unwrap() ^= 1;
    fs::write(place.path("w.st"), other).unwrap();
    let said = place.fails(&resume);
    assert!(said.contains(began) && said.contains("  help: give the weights"), "{said}");
    fs::write(place.path("w.st"), own).unwrap();
    place.does(&resume);
    let [resumed, whole] = ["m.st", "whole.st"].map(|name| fs::read(place.path(name)).unwrap());
    assert!(resumed == whole);
}

#[test]
fn a_network_sees_the_tails_that_it_was_trained_on() {
    let place = Place::new();
    place.put("t.csv", table(200) + "100000,red,100002000,high\n");
    fs::write(place.path("w.st"), plain_network(1)).unwrap();
    let train =
        "train --csv t.csv --target price --ignore grade --method vbp --out m.st --epochs 1";
    let tail = "by asinh for its heavy tail";
    assert!(place.does(&format!("{train} --hidden 4")).contains(tail));
    assert!(!place.does(&format!("{train} --from w.st --learning-rate 1e-9")).contains(tail));
    let predicted = place.does("predict --model m.st --csv t.csv");
    let last = predicted.lines().last().unwrap().split(',').next().unwrap();
    assert!((last.parse::<f64>().unwrap() / 100_002_000.0 - 1.0).abs() < 0.02, "{last}");
}
