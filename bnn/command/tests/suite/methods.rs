//! Every method, from a table to predictions.

use std::fs;

use crate::place::{Place, column, table};

#[test]
fn numbers_by_every_method() {
    let place = Place::new();
    place.put("t.csv", table(120));
    for method in ["cf", "nnvi", "vbp", "dvi", "varout", "bbb", "pbp", "vrelunet"] {
        let epochs = match method {
            "pbp" => 20,
            "vrelunet" => 100,
            _ => 200,
        };
        let train = format!(
            "train --csv t.csv --target price --ignore grade --hidden 8 --method {method} \
             --epochs {epochs} --out m.safetensors -q"
        );
        assert_eq!(place.does(&train), "");
        let evaluated = place.does("evaluate --model m.safetensors --csv t.csv --svg c.svg");
        let line = evaluated.lines().find(|l| l.starts_with("root mean squared error")).unwrap();
        let error: f64 = line.split_whitespace().last().unwrap().parse().unwrap();
        // The standard deviation of the price is about 1700.
        assert!(error < 900.0, "{method}: {evaluated}");
        assert!(fs::read_to_string(place.path("c.svg")).unwrap().starts_with("<svg"));
        let predicted = place.does("predict --model m.safetensors --csv t.csv --quantiles 0.1,0.9");
        let mut lines = predicted.lines();
        assert_eq!(lines.next(), Some("mean,sd,sd_weights,sd_noise,q0.1,q0.9"));
        for line in lines.by_ref() {
            let v: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
            assert!(v[4] < v[0] && v[0] < v[5] && v[1] >= v[2] && v[1] >= v[3]);
        }
        assert_eq!(predicted.lines().count(), 121);
    }
}

#[test]
fn covariances_between_units_are_carried_where_they_can_be() {
    let place = Place::new();
    place.put("t.csv", table(60));
    let train = "train --csv t.csv --target price --ignore grade --hidden 6,6 -q --out";
    let predicted = |options: &str| {
        place.does(&format!("{train} m.st --method dvi --epochs 20{options}"));
        place.does("predict --model m.st --csv t.csv")
    };
    let full = predicted(" --covariances full");
    assert_eq!(full, predicted(" --covariances full"));
    assert_ne!(full, predicted(" --covariances independent"));
    assert_eq!(predicted(" --covariances independent"), predicted(""));
    let said = place.fails(&format!("{train} x.st --method varout --covariances full"));
    assert!(said.starts_with("error: varout samples, and a sample has no covariances"), "{said}");
    let said = place.fails(&format!("{train} x.st --activation prelu --covariances full"));
    assert!(said.starts_with("error: `prelu` learns its parameters"), "{said}");
    let said = place.fails(&format!("{train} x.st --method pbp --covariances full"));
    assert!(said.starts_with("error: pbp has no use for --covariances full"), "{said}");
}

#[test]
fn classes_and_columns_by_name() {
    let place = Place::new();
    place.put("t.csv", table(120));
    place
        .does("train --csv t.csv --target grade --ignore price --hidden 8 --epochs 300 --out m.st");
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    let error = evaluated.lines().find(|l| l.starts_with("error")).unwrap();
    let error: f64 = error.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(error < 15.0, "{evaluated}");
    // Other columns, and these in another order.
    place.put("new.csv", "note,colour,size\nx,red,-4.5\ny,blue,0.1\n");
    place.does("predict --model m.st --csv new.csv --out p.csv");
    let predicted = fs::read_to_string(place.path("p.csv")).unwrap();
    let mut lines = predicted.lines();
    assert_eq!(lines.next(), Some("class,p(high),p(low),entropy,entropy_weights"));
    assert!(lines.next().unwrap().starts_with("high,"));
    assert!(lines.next().unwrap().starts_with("low,"));
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let place = Place::new();
    place.put("t.csv", table(60));
    for name in ["a", "b"] {
        place.does(&format!(
            "train --csv t.csv --target price --hidden 4 --epochs 5 --method bbb --out {name}"
        ));
    }
    assert_eq!(fs::read(place.path("a")).unwrap(), fs::read(place.path("b")).unwrap());
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let place = Place::new();
    // Two shards of 300 rows.
    place.put("t.csv", table(600));
    let trained = |threads: &str| {
        let train = "train --csv t.csv --target price --hidden 200,200 --epochs 2 --out m";
        place.does(&format!("{train} --threads {threads}"));
        let predicted = place.does(&format!("predict --threads {threads} --model m --csv t.csv"));
        (fs::read(place.path("m")).unwrap(), predicted)
    };
    let alone = trained("1");
    assert!(["2", "3"].iter().all(|threads| trained(threads) == alone));
    assert!(place.fails("predict --threads 0 --model m --csv t.csv").contains("--threads"));
}

#[test]
fn a_row_far_from_all_others_wants_smaller_first_deviations() {
    let place = Place::new();
    let mut rows = String::from("x,y\n1e6,1\n");
    for i in 0..4000 {
        rows += &format!("{},{}\n", i % 7, i % 3);
    }
    place.put("t.csv", &rows);
    let train =
        "train --csv t.csv --target y --numbers y --tails none --out m.st --method dvi --epochs 1";
    let said = place.fails(train);
    assert!(said.starts_with("error: training diverged in epoch 1"), "{said}");
    assert!(said.contains("smaller first standard deviations"), "{said}");
    place.does(&format!("{train} --initial-sd 0.01"));
}

#[test]
fn members_of_an_ensemble_are_mixed_in_one_file() {
    let place = Place::new();
    place.put("t.csv", table(60));
    let train = "train --csv t.csv --target price --ignore grade --hidden 4 --epochs 20";
    let mean = |options: &str| -> Vec<f64> {
        place.does(&format!("{train} {options} --out m.st"));
        let text = place.does("predict --model m.st --csv t.csv");
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect()
    };
    let (a, b) = (mean("--seed 4"), mean("--seed 5"));
    let both = mean("--seed 4 --members 2");
    for ((a, b), both) in a.iter().zip(&b).zip(&both) {
        assert!((0.5 * (a + b) - both).abs() < 1e-6 * (1.0 + both.abs()), "{a} {b} {both}");
    }
    let graph = place.path("m.onnx");
    place.does("export --model m.st --onnx m.onnx");
    assert!(fs::read(graph).unwrap().windows(6).any(|w| w == b"inputs"));
    assert!(place.fails("export --model m.st --onnx /dev/null").contains("it is a device"));
    place.does(&format!("{train} --method bbb --out m.st"));
    let said = place.fails("export --model m.st --onnx x.onnx");
    assert!(said.starts_with("error: the network predicts by samples"), "{said}");
}

/// The mixture of two models has half of the noise variance of each.
#[test]
fn members_keep_the_noise_that_they_learned() {
    let place = Place::new();
    place.put("t.csv", table(60));
    for method in ["pbp", "vrelunet"] {
        let noise = |options: &str| {
            place.does(&format!(
                "train --csv t.csv --target price --ignore grade --hidden 4 --epochs 5 --method {method} \
                 {options} --out m.st -q"
            ));
            column(&place.does("predict --model m.st --csv t.csv"), "sd_noise")[0]
        };
        let (a, b) = (noise("--seed 4"), noise("--seed 5"));
        assert_ne!(a, b, "{method}");
        let both = noise("--seed 4 --members 2");
        let expected = (0.5 * (a * a + b * b)).sqrt();
        assert!((both / expected - 1.0).abs() < 1e-9, "{method}: {both} for {expected}");
    }
}
