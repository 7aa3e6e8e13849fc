//! Models of `train` with its defaults.

use gaussform_bnn::Random;

use crate::place::{Place, column, number, table};

const TRAIN: &str = "train --csv t.csv --target y --out m.st -q";

/// One row in twenty is `yes`, whatever the input is: no model is better than that constant.
#[test]
fn a_rare_class_without_a_cause_has_the_probability_of_its_share() {
    let place = Place::new();
    let row = |i: i32| format!("{},{}\n", i % 7 - 3, if i % 20 == 0 { "yes" } else { "no" });
    place.put("t.csv", "a,y\n".to_owned() + &(0..200).map(row).collect::<String>());
    place.does(TRAIN);
    let constant = 0.05 * 0.05_f64.ln() + 0.95 * 0.95_f64.ln();
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    let found = number(&evaluated, "log likelihood of a row");
    assert!(found > constant - 0.003, "{found} for {constant}");
    let p = column_of(&place, "t.csv", "p(yes)");
    let mean = p.iter().sum::<f64>() / p.len() as f64;
    assert!((mean - 0.05).abs() < 0.02, "{mean}");
}

/// Two classes that none of 20 inputs says anything of: new rows have the probability of the share, up to its error.
#[test]
fn noise_in_many_inputs_is_not_learned() {
    let place = Place::new();
    let mut random = Random::new(3);
    let mut table = || {
        let names: Vec<String> = (0..20).map(|i| format!("x{i}")).collect();
        let mut out = names.join(",") + ",y\n";
        for _ in 0..150 {
            (0..20).for_each(|_| out += &format!("{:.3},", random.normal()));
            out += if random.uniform() < 0.5 { "no\n" } else { "yes\n" };
        }
        out
    };
    place.put("t.csv", table());
    place.put("new.csv", table());
    let said = place.does("train --csv t.csv --target y --out m.st");
    assert!(said.contains("the likelihood counts once"), "{said}");
    let likelihood = |out: String| number(&out, "log likelihood of a row");
    let found = likelihood(place.does("evaluate --model m.st --csv new.csv"));
    assert!(found > 0.5_f64.ln() - 0.02, "{found}");
    place.does(&format!("{TRAIN} --likelihood-weight 2"));
    let noise = likelihood(place.does("evaluate --model m.st --csv new.csv"));
    assert!(noise < found - 0.2, "{noise}");
}

/// The truth is a logistic function of one of two inputs, by which some 3 of 100 rows are `yes`. Its own probabilities are the
/// oracle.
#[test]
fn a_rare_class_with_a_cause_has_nearly_its_true_probabilities() {
    let place = Place::new();
    let mut random = Random::new(7);
    let mut table = |rows: usize| {
        let mut out = String::from("a,b,y\n");
        let mut likelihood = 0.0;
        for _ in 0..rows {
            let (a, b) = (random.normal(), random.normal());
            let p = 1.0 / (1.0 + (4.5 - 2.0 * a).exp());
            let yes = random.uniform() < p;
            likelihood += if yes { p.ln() } else { (1.0 - p).ln() };
            out += &format!("{a},{b},{}\n", if yes { "yes" } else { "no" });
        }
        (out, likelihood / rows as f64)
    };
    let (train, _) = table(1000);
    let (test, truth) = table(1000);
    place.put("t.csv", train);
    place.put("new.csv", test);
    place.does(&format!("{TRAIN} --epochs 300"));
    let evaluated = place.does("evaluate --model m.st --csv new.csv");
    let found = number(&evaluated, "log likelihood of a row");
    assert!(found > truth - 0.015, "{found} for {truth}");
    let off = number(&evaluated, "expected calibration error");
    assert!(off < 0.02, "{evaluated}");
}

/// Two of a hundred inputs say something, of eighty rows.
#[test]
fn more_columns_than_rows_are_no_harm() {
    let place = Place::new();
    let mut random = Random::new(11);
    let mut table = |rows: usize| {
        let header: String = (0..100).map(|i| format!("c{i},")).collect();
        let row = |_| {
            let x: Vec<f64> = (0..100).map(|_| random.normal()).collect();
            let y = x[0].abs() + 0.7 * x[1] + 0.1 * random.normal();
            x.iter().map(|x| format!("{x},")).collect::<String>() + &format!("{y}\n")
        };
        header + "y\n" + &(0..rows).map(row).collect::<String>()
    };
    place.put("t.csv", table(80));
    place.put("new.csv", table(200));
    let found = ["", " --prior 10 --likelihood-weight 1"].map(|options| {
        place.does(&format!("{TRAIN} --epochs 400{options}"));
        let evaluated = place.does("evaluate --model m.st --csv new.csv");
        number(&evaluated, "log likelihood of a row")
    });
    assert!(found[0] > found[1] + 0.1, "{found:?}");
}

#[test]
fn the_prior_of_relevance_is_the_default_and_has_a_name() {
    let place = Place::new();
    place.put("t.csv", table(40));
    for (target, other, weight) in [("grade", "price", "2"), ("price", "grade", "1.25")] {
        let trained = |options: &str| {
            place.does(&format!(
                "train --csv t.csv --target {target} --ignore {other} --epochs 3 --out m.st -q{options}"
            ));
            std::fs::read(place.path("m.st")).unwrap()
        };
        let default = trained("");
        for prior in ["relevance", "relevance=1,0.1"] {
            let given = trained(&format!(" --prior {prior} --likelihood-weight {weight}"));
            assert!(default == given, "{target}, {prior}");
        }
        // Whoever names a prior asks for the bound itself.
        assert!(default != trained(" --prior relevance"), "{target}");
        assert!(default != trained(" --prior relevance=1,0.5"), "{target}");
    }
    let train = "train --csv t.csv --target price --out x.st --prior";
    for wrong in ["relevance=1", "relevance1", "relevant", "relevance=1,0"] {
        let said = place.fails(&format!("{train} {wrong}"));
        assert!(said.contains("relevance=1,0.1") || said.contains("above 0"), "{said}");
    }
    let said = place.fails(&format!("{train} relevance --method vrelunet"));
    assert!(said.contains("vrelunet has no use for --prior relevance"), "{said}");
}

/// y = tanh a + b/2 with noise of 0.3, beside an input that says nothing.
#[test]
fn noise_is_as_large_as_it_was_made() {
    let place = Place::new();
    let mut random = Random::new(3);
    let mut table = |rows: usize| {
        let row = |_| {
            let [a, b, c, noise] = std::array::from_fn(|_| random.normal());
            format!("{a},{b},{c},{}\n", f64::tanh(a) + 0.5 * b + 0.3 * noise)
        };
        "a,b,c,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
    };
    place.put("t.csv", table(400));
    place.put("new.csv", table(2000));
    place.does(TRAIN);
    let noise = column_of(&place, "new.csv", "sd_noise");
    let mean = noise.iter().sum::<f64>() / noise.len() as f64;
    assert!((0.27..0.35).contains(&mean), "{mean}");
    let evaluated = place.does("evaluate --model m.st --csv new.csv");
    let inside = evaluated.lines().find(|line| line.starts_with("inside 90 % intervals")).unwrap();
    let inside: f64 = inside.split_whitespace().nth(4).unwrap().parse().unwrap();
    assert!((86.0..95.0).contains(&inside), "{evaluated}");
}

fn column_of(place: &Place, csv: &str, name: &str) -> Vec<f64> {
    column(&place.does(&format!("predict --model m.st --csv {csv}")), name)
}

/// From ten rows a network learns nothing, and least squares do.
#[test]
fn ten_rows_on_a_line_are_learned() {
    let place = Place::new();
    let mut random = Random::new(6);
    let mut table = |rows: usize| {
        let row = |_| {
            let x = 4.0 * random.normal();
            format!("{x},{}\n", 3.0 + 2.0 * x + 0.3 * random.normal())
        };
        "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
    };
    place.put("t.csv", table(10));
    place.put("new.csv", table(300));
    place.does(TRAIN);
    let evaluated = place.does("evaluate --model m.st --csv new.csv");
    assert!(number(&evaluated, "root mean squared error") < 0.5, "{evaluated}");
}

/// A target that is a linear function but for noise of 10⁻⁴ of its standard deviation, which least squares find.
#[test]
fn a_linear_target_is_as_close_as_least_squares_are() {
    let place = Place::new();
    let mut random = Random::new(13);
    let mut table = |rows: usize| {
        let mut out = String::from("a,b,kind,y\n");
        for i in 0..rows {
            let (a, b) = (10.0 + random.normal(), 1e3 * random.normal());
            let (kind, step) = [("low", 0.0), ("mid", 40.0), ("high", 90.0)][i % 3];
            let y = 500.0 + 30.0 * a - 0.02 * b + step + 5e-3 * random.normal();
            out += &format!("{a},{b},{kind},{y}\n");
        }
        out
    };
    place.put("t.csv", table(150));
    place.put("new.csv", table(300));
    let said = place.does(&TRAIN.replace(" -q", " --epochs 300"));
    assert!(said.contains("\n`y` has its linear part by least squares"), "{said}");
    let evaluated = place.does("evaluate --model m.st --csv new.csv");
    let off = number(&evaluated, "root mean squared error");
    // The noise, and what 150 rows do not tell of four coefficients.
    assert!(off < 1.2 * 5e-3, "{evaluated}");
    let inside = number(&evaluated, "inside 90 % intervals");
    assert!((80.0..=97.0).contains(&inside), "{evaluated}");
    let said = place.does(&TRAIN.replace(" -q", " --epochs 300 --trend none"));
    assert!(!said.contains("linear"), "{said}");
    let evaluated = place.does("evaluate --model m.st --csv new.csv");
    assert!(number(&evaluated, "root mean squared error") > 10.0 * off, "{evaluated}");
}
