//! The truth that pictures of two pre-activations are drawn beside, against the golden table.

use std::collections::BTreeMap;

use gaussform_report::evaluate::{Law, PairFormulas, PairTruth};
use gaussform_symbolic::{Activation, Library};

const TABLE: &str = include_str!("../../tests/golden/bivariate.csv");

const DECLARATIONS: &str = include_str!("../../tests/golden/bivariate.gf");

/// A row inside of the cone of laws.
struct Row<'a> {
    names: [&'a str; 2],
    law: Law,
    covariance: f64,
    scale: f64,
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    TABLE.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let x: Vec<f64> = fields[2..].iter().map(|f| f.parse().expect("a number")).collect();
        let law = Law { mean: [x[0], x[1]], variance: [x[2], x[3]], covariance: x[4] };
        let is_inside = x[4].abs() < x[2].sqrt() * x[3].sqrt() * (1.0 - 1e-9);
        let row = Row { names: [fields[0], fields[1]], law, covariance: x[6], scale: x[13] };
        (is_inside && x[2] > 0.0 && x[3] > 0.0).then_some(row)
    })
}

#[test]
fn covariance_and_scale_are_those_of_the_table() {
    let declared = Activation::parse_file(DECLARATIONS, &Library::new()).expect("declarations");
    let known: BTreeMap<String, Activation> =
        declared.into_iter().map(|g| (g.name.clone(), g)).collect();
    let mut truths: BTreeMap<[&str; 2], (PairTruth, PairFormulas<f64>)> = BTreeMap::new();
    let mut worst_textbook = 0.0_f64;
    let mut count = 0;
    // Every ninth row has all pairs.
    for Row { names, law, covariance, scale } in rows().step_by(9) {
        // Distances beyond this take thousands of bits.
        if covariance.abs() < 1e-290 {
            continue;
        }
        let (truth, textbook) = truths.entry(names).or_insert_with(|| {
            let [g, h] = names.map(|name| &known[name]);
            let truth = PairTruth::new(g, h, [40.0; 2]).expect("within limits");
            (truth, PairFormulas::new(g, h, 53).expect("within limits"))
        });
        let found = truth.covariance(&law).map(|value| value.with_precision(53).to_f64());
        for (found, wanted) in found.into_iter().zip([covariance, scale]) {
            assert!((found - wanted).abs() <= 2e-16 * wanted.abs(), "{names:?} {law:?} {found:e}");
        }
        let error = truth.errors(&law, &[textbook.covariance(&law), covariance]);
        assert!(error[1] < 3e-16, "{names:?} {law:?}");
        worst_textbook = worst_textbook.max(error[0]);
        count += 1;
    }
    assert!(count > 40 && truths.len() == 10, "{count} rows of {} pairs", truths.len());
    // What the formula loses is what the picture is about.
    assert!(worst_textbook > 1e-3, "{worst_textbook:e}");
}
