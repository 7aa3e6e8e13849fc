//! Documents that are written as JSON read back to the same objects.

use gaussform_report::record::{Document, Entry, ReadError};
use gaussform_symbolic::exact::ratio;
use gaussform_symbolic::moment::Point;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Case, Derivation, Library};
use proptest::prelude::*;

/// Entries of a declaration, with all that is derived of each by `derive`.
fn entries(text: &str, derive: impl Fn(&Activation) -> Vec<Derivation>) -> Vec<Entry> {
    let cases = Activation::cases(text, &Library::new()).expect(text);
    let entry =
        |case: Case| Entry { results: derive(&case.activation), case, other: None, pair: false };
    cases.into_iter().map(entry).collect()
}

#[track_caller]
fn assert_reads_back(entries: &[Entry]) -> String {
    let json = Document::write(entries).expect("certified").to_json();
    let again = Document::parse(&json).expect("a document").read().expect("the same");
    assert_eq!(again, entries, "{json}");
    for derivation in again.iter().flat_map(|entry| &entry.results) {
        assert_eq!(derivation.replay(), Ok(()));
    }
    // The order of what is ordered by value is the same too.
    assert_eq!(Document::write(&again).expect("certified").to_json(), json);
    json
}

fn usual(activation: &Activation) -> Vec<Derivation> {
    let slope = activation.variance().and_then(|v| v.differentiate(&Symbol::Gamma));
    vec![
        activation.moment(1).expect("within limits"),
        activation.moment(2).expect("within limits"),
        activation.variance().expect("within limits"),
        activation.central(3).expect("within limits"),
        slope.expect("within limits"),
    ]
}

#[test]
fn what_stays_the_same() {
    for text in [
        "0",
        "7/3",
        "x",
        "max(0, x)",
        "sign(x)",
        "sign(x)^2 + 1",
        "|x^2 - 2|",
        "|x^3 - x - 1| + step(x^2 - 2)",
        "clamp(x, -1/2, 3)^2",
        "leaky(x; eps in (0, 1)) = max(x, eps * x)",
        "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
        "f(x; 0 < a < b) = clamp(x, a, b)",
        "f(x; a > 0) = max(|x^2 - 2|, 3) + step(x - 7 - a)",
        "f(x; a, b) = max(x, a) - max(x, b)",
        "f(x; a) = max(a * x, x)",
        "f(x; a, b) = |x - a| * |x - b|",
    ] {
        assert_reads_back(&entries(text, usual));
    }
}

#[test]
fn limits_and_derivatives_in_parameters() {
    let text = "soft(x; a > 0) = clamp(x / a, -1, 1)";
    let a = Symbol::Parameter("a".into());
    let derive = |g: &Activation| {
        let variance = g.variance().expect("within limits");
        let slope = variance.clone().differentiate(&a).expect("within limits");
        let twice = slope.clone().differentiate(&Symbol::Xi2).expect("within limits");
        let limit = variance.limit(&a, &Point::Above(ratio(0, 1))).expect("a step's");
        let far = limit.clone().limit(&Symbol::Gamma, &Point::NegativeInfinity).expect("0");
        vec![slope, twice, limit, far]
    };
    assert_reads_back(&entries(text, derive));
}

#[test]
fn two_activations() {
    let of = |text| Activation::cases(text, &Library::new()).expect("one case").remove(0);
    let (g, h) = (of("leaky(x; eps in (0, 1)) = max(x, eps * x)"), of("b(x; b > 0) = |x - b|"));
    let results = vec![
        g.activation.joint_moment(1, &h.activation, 1).expect("ordered knots"),
        g.activation.covariance(&h.activation).expect("ordered knots"),
    ];
    assert_reads_back(&[Entry { case: g, other: Some(h), pair: false, results }]);
}

/// An entry of two pre-activations, with E[g(u) h(w)], the covariance and derivatives of these.
fn pair(g: &str, h: &str, symbols: &[Symbol]) -> Entry {
    let of = |text| Activation::cases(text, &Library::new()).expect("one case").remove(0);
    let (g, h) = (of(g), of(h));
    let moment = g.activation.pair_moment(1, &h.activation, 1).expect("within limits");
    let covariance = g.activation.pair_covariance(&h.activation).expect("within limits");
    let mut results = vec![moment, covariance.clone()];
    for symbol in symbols {
        let slope = covariance.clone().differentiate(symbol).expect("within limits");
        results.push(slope.clone());
        results.push(slope.differentiate(&Symbol::Covariance).expect("within limits"));
    }
    Entry { case: g, other: Some(h), pair: true, results }
}

/// γ, ξ², γ′, ξ′² and σ.
const LAW: [Symbol; 5] =
    [Symbol::Gamma, Symbol::Xi2, Symbol::GammaOther, Symbol::Xi2Other, Symbol::Covariance];

#[test]
fn two_pre_activations() {
    for (g, h) in [
        ("max(0, x)", "clamp(x, -1, 1)"),
        ("sign(x - 1/3)", "step(x)"),
        ("|x^2 - 2|", "max(0, x)^2"),
        ("|x^3 - x - 1|", "|x^2 - 2|"),
        ("max(0, x)", "x"),
        ("3", "x^3"),
        ("0", "0"),
    ] {
        let entry = pair(g, h, &LAW);
        for derivation in &entry.results {
            assert!(derivation.pair_certificates().is_ok(), "{g} and {h}");
        }
        assert_reads_back(&[entry]);
    }
}

#[test]
fn two_pre_activations_with_parameters() {
    let (a, eps) = (Symbol::Parameter("a".into()), Symbol::Parameter("eps".into()));
    let leaky = "leaky(x; eps in (0, 1)) = max(x, eps * x)";
    let soft = "soft(x; a > 0) = clamp(x / a, -1, 1)";
    assert_reads_back(&[pair(leaky, soft, &[a.clone(), eps, Symbol::Gamma])]);
    // The parameter that both have is the same, and moves the knots of both.
    assert_reads_back(&[pair(soft, "tent(x; a > 0) = max(0, a - |x|)", &[a])]);
}

#[test]
fn higher_moments_of_two_pre_activations() {
    let mut entry = pair("max(0, x)", "clamp(x, -1, 1)", &[]);
    let (g, h) = (entry.case.activation.clone(), entry.other.clone().expect("h").activation);
    for (n, m) in [(0, 0), (1, 0), (0, 2), (2, 1), (2, 3)] {
        entry.results.push(g.pair_moment(n, &h, m).expect("within limits"));
    }
    assert_reads_back(&[entry]);
}

#[test]
fn a_document() {
    let only_mean = |g: &Activation| vec![g.moment(1).expect("low")];
    insta::assert_snapshot!(assert_reads_back(&entries("bowl(x) = |x^2 - 2|", only_mean)));
}

#[test]
fn the_schema_is_the_documented_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/inspect.schema.json");
    let documented = std::fs::read_to_string(path).expect("docs/inspect.schema.json");
    assert!(
        documented == Document::schema(),
        "docs/inspect.schema.json is not the schema: `cargo run -p gaussform-report --example schema` prints it"
    );
}

#[test]
fn a_wrong_document_is_refused() {
    let json = Document::write(&entries("|x^2 - 2|", usual)).expect("certified").to_json();
    let read = |text: &str| Document::parse(text).and_then(|document| document.read());
    assert!(matches!(read("{"), Err(ReadError::Json(_))));
    for (right, wrong) in [
        ("\"version\": 2", "\"version\": 3"),
        ("\"coefficient\": \"2\"", "\"coefficient\": \"2/0\""),
        ("\"coefficient\": \"2\"", "\"coefficient\": \"two\""),
        ("\"knot\": 1", "\"knot\": 7"),
        ("\"minimal\"", "\"maximal\""),
        ("\"index\": 1", "\"index\": 2"),
        ("\"exponent\": 2", "\"exponent\": -2"),
        ("\"exponent\": 2", "\"exponent\": 99999999"),
    ] {
        assert!(json.contains(right), "{right} in {json}");
        assert!(read(&json.replacen(right, wrong, 1)).is_err(), "{wrong}");
    }
}

#[test]
fn a_wrong_document_of_two_pre_activations_is_refused() {
    let json = assert_reads_back(&[pair("max(0, x)", "|x - 1|", &[Symbol::Xi2])]);
    let read = |text: &str| Document::parse(text).and_then(|document| document.read());
    for (right, wrong) in [
        ("\"pair\": true", "\"pair\": 1"),
        ("\"knot_h\": 1", "\"knot_h\": 7"),
        (",\n                        \"knot_h\": 1", ""),
        ("\"quadrant\"", "\"octant\""),
        ("\"symbol\": \"cov\"", "\"symbol\": \"gamma_h\""),
    ] {
        assert!(json.contains(right), "{right} in {json}");
        assert!(read(&json.replacen(right, wrong, 1)).is_err(), "{wrong}");
    }
    // Of one pre-activation the same claims prove nothing.
    let one = read(&json.replacen("\"pair\": true,", "", 1)).expect("the claims are the same");
    assert!(one[0].results.iter().all(|derivation| derivation.pair_certificates().is_err()));
}

#[test]
fn a_step_that_does_not_follow_is_read_and_does_not_replay() {
    let entry = entries("max(0, x)", |g| vec![g.moment(1).expect("low")]).remove(0);
    let mut document = Document::write(&[entry]).expect("certified");
    let steps = &mut document.entries[0].results[0].steps;
    let last = steps.len() - 1;
    steps[last].premises.reverse();
    let again = document.read().expect("the claims are the same");
    assert_eq!(again[0].results[0].replay(), Err(last));
}

/// Expressions of the class, with knots that may be irrational.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("(x^2 - 2)".to_owned()),
        (-3i32..4, 1i32..4).prop_map(|(n, d)| format!("({n}/{d})")),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|a| format!("|{a}|")),
            inner.clone().prop_map(|a| format!("max(0, {a} - 1/2)")),
            inner.prop_map(|a| format!("sign({a})")),
            pair.clone().prop_map(|(a, b)| format!("({a} + {b})")),
            pair.prop_map(|(a, b)| format!("max({a}, {b})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn derive_write_read(text in expression(), n in 0_u32..4) {
        let derive = |g: &Activation| {
            let moment = g.moment(n).expect("within limits");
            let slope = moment.clone().differentiate(&Symbol::Xi2).expect("within limits");
            vec![moment, slope]
        };
        assert_reads_back(&entries(&text, derive));
    }
}

proptest! {
    // Two knots of high degree each take a second without optimisation.
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn derive_write_read_pairs(g in expression(), h in expression(), at in 0_usize..5) {
        assert_reads_back(&[pair(&g, &h, &LAW[at..=at])]);
    }
}
