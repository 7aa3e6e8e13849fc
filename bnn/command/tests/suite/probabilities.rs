//! Held-out rows, and the probabilities of classes.

use crate::place::{Place, table};

#[test]
fn held_out_rows_calibrate_numbers_and_classes() {
    let place = Place::new();
    place.put("t.csv", table(90));
    place.put("held.csv", table(40));
    place.does("train --csv t.csv --target price --ignore grade --hidden 4 --epochs 5 --out m.st");
    assert_eq!(
        place.fails("predict --model m.st --csv t.csv --interval 0.9"),
        "error: --interval needs a model that was calibrated\n  \
         help: let `gaussform-bnn calibrate` make one of it\n"
    );
    let said = place.does("calibrate --model m.st --csv held.csv --out c.st");
    let factor = said.lines().find(|l| l.starts_with("standard deviations by")).unwrap();
    assert!(factor.contains("(90 %: "), "{factor}");
    let factor: f64 = factor.split_whitespace().nth(3).unwrap().parse().unwrap();
    let rows = |text: &str| -> Vec<Vec<f64>> {
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
    };
    let before = rows(&place.does("predict --model m.st --csv held.csv"));
    let text = place.does("predict --model c.st --csv held.csv --interval 0.8");
    assert_eq!(text.lines().next(), Some("mean,sd,sd_weights,sd_noise,q0.05,q0.95,lower,upper"));
    let truth: Vec<f64> =
        table(40).lines().skip(1).map(|l| l.split(',').nth(2).unwrap().parse().unwrap()).collect();
    let mut inside = 0;
    for ((a, b), y) in before.iter().zip(rows(&text)).zip(truth) {
        // A mean of a mixture may round differently.
        assert!((b[1] / a[1] - factor).abs() < 1e-3 && (b[0] / a[0] - 1.0).abs() < 1e-12);
        // One row lies on an end of its interval, which is found by steps.
        let slack = 1e-9 * y.abs();
        inside += usize::from(b[6] - slack <= y && y <= b[7] + slack);
    }
    // Of the 40 rows themselves the ⌈41 · 0.8⌉ = 33 of the least scores.
    assert_eq!(inside, 33);
    let evaluated = place.does("evaluate --model c.st --csv held.csv");
    let after = said.lines().last().unwrap().split_whitespace().rev().nth(1).unwrap();
    assert!(evaluated.contains(&format!("log likelihood of a row  {after}")), "{said}{evaluated}");
    assert!(
        place
            .fails("predict --model c.st --csv t.csv --interval 0.99")
            .contains("40 held-out rows promise no probability of 0.99; hold out at least 99")
    );
    assert!(
        place.fails("predict --model c.st --csv t.csv --interval 2").contains("2 does not lie")
    );

    place.does("train --csv t.csv --target grade --ignore price --hidden 4 --epochs 5 --out m.st");
    let said = place.does("calibrate --model m.st --csv held.csv --out m.st");
    assert!(said.lines().any(|l| l.starts_with("temperature") && l.contains("(90 %: ")), "{said}");
    let text = place.does("predict --model m.st --csv held.csv --interval 0.9");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("class,p(high),p(low),entropy,entropy_weights,set"));
    assert!(lines.all(|l| ["high", "low", "high|low"].contains(&l.rsplit(',').next().unwrap())));
}

#[test]
fn classes_are_exact_unless_a_form_is_asked_for_and_samples_are_for_models_that_sample() {
    let place = Place::new();
    place.put("t.csv", table(60));
    let train = "train --csv t.csv --target grade --ignore price --hidden 4 --epochs 5";
    place.does(&format!("{train} --out exact.st"));
    place.does(&format!("{train} --class-form exact --out named.st"));
    place.does(&format!("{train} --class-form delta --out delta.st"));
    let p =
        |model: &str, more: &str| place.does(&format!("predict --model {model} --csv t.csv{more}"));
    assert_eq!(p("exact.st", ""), p("named.st", ""));
    assert_ne!(p("exact.st", ""), p("delta.st", ""));
    assert_eq!(
        place.fails("predict --model exact.st --csv t.csv --samples 9"),
        "error: the model predicts without samples\n  help: leave --samples out\n"
    );
    place.does(&format!("{train} --method varout --out sampled.st"));
    assert_eq!(p("sampled.st", ""), p("sampled.st", " --samples 64"));
    assert_ne!(p("sampled.st", ""), p("sampled.st", " --samples 8"));
}
