//! Activations in files, by the feature `serde`: parameters by name, checked when they are read.

use gaussform::activations::{LeakyRelu, Relu};
use serde_json::{from_str, to_string};

#[allow(missing_docs, unreachable_pub, dead_code)]
mod activations {
    gaussform::include_activations!("activations");
}
use activations::{ClampBetween, StepAt};

#[gaussform::activation(c > 0)]
fn taken(x: f64, value: f64, r#type: f64, c: f64) -> f64 {
    r#type * x.clamp(-c, c) + value
}

#[test]
fn what_is_written_is_read() {
    let g = ClampBetween::new(-0.5, 2.25).expect("in order");
    let text = to_string(&g).expect("JSON");
    assert_eq!(text, r#"{"a":-0.5,"b":2.25}"#);
    assert_eq!(from_str::<ClampBetween>(&text).expect("what was written"), g);
    let text = to_string(&Relu).expect("JSON");
    assert_eq!(from_str::<Relu>(&text).expect("what was written"), Relu);
    let g = Taken::new(1.5, -2.0, 3.0).expect("in the domain");
    let text = to_string(&g).expect("JSON");
    assert_eq!(text, r#"{"value":1.5,"type":-2.0,"c":3.0}"#);
    assert_eq!(from_str::<Taken>(&text).expect("what was written"), g);
    assert_eq!(taken(1.0, 1.5, -2.0, 3.0), -0.5);
}

#[test]
fn any_order_other_fields_and_sequences_are_read() {
    let g = ClampBetween::new(-1.0, 2.0).expect("in order");
    for text in [r#"{"b":2,"a":-1}"#, r#"{"c":[{}],"a":-1,"b":2.0}"#, "[-1,2]"] {
        assert_eq!(from_str::<ClampBetween>(text).expect("the parameters"), g, "{text}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |text| from_str::<ClampBetween>(text).expect_err(text).to_string();
    for (text, message) in [
        (r#"{"a":5,"b":1}"#, "a <= b"),
        (r#"{"a":5}"#, "missing field `b`"),
        (r#"{"a":5,"b":6,"a":5}"#, "duplicate field `a`"),
        (r#"{"a":5,"b":"x"}"#, "expected f64"),
        ("[1]", "the parameters of ClampBetween"),
        ("3", "the parameters of ClampBetween"),
    ] {
        assert!(error(text).contains(message), "{text}: {}", error(text));
    }
    let error = from_str::<LeakyRelu>(r#"{"eps":1.5}"#).expect_err("outside");
    assert!(error.to_string().contains("eps in (0, 1)"), "{error}");
    assert!(from_str::<StepAt>(r#"{"a":1e999}"#).is_err());
    let error = from_str::<Relu>("3").expect_err("no unit").to_string();
    assert!(error.contains("the activation Relu, which has no parameters"), "{error}");
}
