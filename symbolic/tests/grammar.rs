//! The meaning of expressions and declarations.

mod common;

use common::{Source, cases, file, function, parse};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::{Activation, Library};
use insta::assert_snapshot;
use proptest::prelude::*;

/// The value of an expression without x.
fn number(text: &str) -> Rational {
    let function = function(text);
    function.as_polynomial().and_then(|p| p.as_constant()).expect("a constant")
}

#[test]
fn operators_bind_and_associate_as_in_mathematics() {
    for (text, value) in [
        ("1 - 2 - 3", integer(-4)),
        ("8 / 4 / 2", integer(1)),
        ("2 + 3*4", integer(14)),
        ("2*3^2", integer(18)),
        ("-2^2", integer(-4)),
        ("(-2)^2", integer(4)),
        ("2^3^2", integer(512)),
        ("(2^3)^2", integer(64)),
        ("2*-3", integer(-6)),
        ("2 - -3", integer(5)),
        ("--3", integer(3)),
        ("1/2*4", integer(2)),
        ("2^(1 + 1)", integer(4)),
        ("0^0", integer(1)),
        ("-|-3|^2", integer(-9)),
    ] {
        assert_eq!(number(text), value, "{text}");
    }
    assert_eq!(function("-x^2"), function("-(x^2)"));
}

#[test]
fn decimals_are_exact() {
    for (text, value) in [
        ("0.01", ratio(1, 100)),
        ("0.1 + 0.2", ratio(3, 10)),
        (".5", ratio(1, 2)),
        ("3.", integer(3)),
        ("1e-3", ratio(1, 1000)),
        ("2.5E+2", integer(250)),
        ("0.1e1", integer(1)),
        ("0e999999", integer(0)),
        ("000.50", ratio(1, 2)),
    ] {
        assert_eq!(number(text), value, "{text}");
    }
}

#[test]
fn bars_nest() {
    for (text, plain) in [
        ("||x| - 1|", "abs(abs(x) - 1)"),
        ("|x|*|x - 1|", "abs(x)*abs(x - 1)"),
        ("|x*|x| - 1|", "abs(x*abs(x) - 1)"),
        ("|||x| - 2| - 1|", "abs(abs(abs(x) - 2) - 1)"),
        ("||x||", "abs(x)"),
        ("|(|x|)|", "abs(x)"),
        ("|-|x||", "abs(x)"),
        ("max(|x|, |x - 1|)", "max(abs(x), abs(x - 1))"),
    ] {
        assert_eq!(function(text), function(plain), "{text}");
    }
}

#[test]
fn symbols_of_mathematics_are_understood() {
    assert_eq!(function("−x·2"), function("-x*2"));
    let ascii = "piecewise { -1 <= x < 1: x; x >= 2: 1; else: 0 }";
    assert_eq!(function("piecewise { −1 ≤ x < 1: x; x ≥ 2: 1; else: 0 }"), function(ascii));
    let domain = |text: &str| parse(text).parameters[0].clone();
    assert_eq!(domain("g(x; a in (0, ∞)) = a*x"), domain("g(x; a > 0) = a*x"));
    assert_eq!(domain("g(x; a in [−1, inf)) = a*x"), domain("g(x; a >= -1) = a*x"));
}

#[test]
fn comparisons_chain() {
    let chain = Source::read("piecewise { -1 < x <= 1: 1; else: 0 }");
    let values =
        [ratio(-3, 2), integer(-1), integer(0), integer(1), integer(2)].map(|x| chain.at(&x));
    assert_eq!(values, [0, 0, 1, 1, 0].map(integer));
    let nested = "step(x + 1)*(1 - step(x - 1))";
    assert_eq!(function("piecewise { -1 < x <= 1: 1; else: 0 }"), function(nested));
    assert_eq!(function("piecewise { 0 < x > -5 < x + 1: 1; else: 0 }"), function("step(x)"));
}

#[test]
fn white_space_and_comments_are_ignored() {
    let spaced =
        "# the hat\nhat ( x ) =\n  # zero outside\n  max ( 0 ,\t1 - | x | ) # (unclosed | bars\n";
    assert_eq!(parse(spaced).function, function("max(0,1-|x|)"));
    assert_eq!(parse(spaced).name, "hat");
}

#[test]
fn a_file_declares_functions_that_later_ones_call() {
    let library = file(
        "# a small library
         leaky(x; eps in (0, 1)) = max(eps*x, x)
         hat(t) = max(0, 1 - |t|)   # the variable has any name
         both(x) = leaky(hat(x) - 1/2, 0.1) + hat(2*x)
         shifted(x; a) = a*hat(x - 3)",
    )
    .expect("a library");
    let names: Vec<&str> = library.iter().map(|activation| activation.name.as_str()).collect();
    assert_eq!(names, ["leaky", "hat", "both", "shifted"]);
    let hat = "max(0, 1 - |x|)";
    let both = format!("max(({hat} - 1/2)/10, {hat} - 1/2) + max(0, 1 - |2*x|)");
    assert_eq!(library[2].function, function(&both));
    assert_eq!(library[3].parameters.len(), 1);
    assert_eq!(file("").expect("no declarations"), []);
}

#[test]
fn a_library_may_be_given_from_outside() {
    let hat = parse("hat(x) = max(0, 1 - |x|)");
    let library = Library::from([(hat.name.clone(), hat)]);
    let called = Activation::parse_with("hat(x/2) + 1", &library).expect("it is known");
    assert_eq!(called.function, function("max(0, 1 - |x/2|) + 1"));
}

/// A bound may stand on either side, in a chain, or in several places: the tightest counts.
#[test]
fn bounds_and_relations_are_declared_in_any_order() {
    let parameters = |header: &str| {
        let activation = parse(&format!("g(x; {header}) = x"));
        let shown = activation.parameters.iter().map(ToString::to_string);
        let relations = activation.relations.iter().map(ToString::to_string);
        shown.chain(relations).collect::<Vec<_>>().join("; ")
    };
    let all = [
        "a > 0, a < 1",
        "a < 1, a > 0",
        "0 < a < 1",
        "1 > a > 0",
        "a in (0, 1)",
        "a in (0, 1), a < 2",
        "0 < a, 0 <= a <= 5, a < 1",
        "a >= 1, a <= 1",
        "a < inf, a > -inf",
        "a > -1/2",
        "a < b",
        "0 < a < b < 1",
        "1 > b > a > 0",
        "0 < a > b < 1",
        "a <= b, 2*a - 1 < b^2",
        "b > a, a",
    ]
    .map(|header| format!("{header}: {}", parameters(header)));
    assert_snapshot!(all.join("\n"), @"
    a > 0, a < 1: a in (0, 1)
    a < 1, a > 0: a in (0, 1)
    0 < a < 1: a in (0, 1)
    1 > a > 0: a in (0, 1)
    a in (0, 1): a in (0, 1)
    a in (0, 1), a < 2: a in (0, 1)
    0 < a, 0 <= a <= 5, a < 1: a in (0, 1)
    a >= 1, a <= 1: a in [1, 1]
    a < inf, a > -inf: a
    a > -1/2: a > -1/2
    a < b: a; b; a < b
    0 < a < b < 1: a > 0; b < 1; a < b
    1 > b > a > 0: b < 1; a > 0; a < b
    0 < a > b < 1: a > 0; b < 1; b < a
    a <= b, 2*a - 1 < b^2: a; b; a <= b; 2*a - 1 < b^2
    b > a, a: b; a; a < b
    ");
    let chain = parse("g(x; 0 < a < b < 1) = clamp(x, a, b)");
    let plain = parse("g(x; a in (0, 1), b in (0, 1), a < b) = clamp(x, a, b)");
    assert_eq!(chain.function, plain.function);
}

/// However far out or close together the values lie that satisfy a declaration.
#[test]
fn what_can_be_satisfied_is_accepted() {
    for header in [
        "a, 2*a > 40",
        "a < b, b < a + 1/100",
        "a > 0, b > 100*a",
        "a, b, a*b > 100",
        "a > 1/3, b > 20*a, 21*a > b",
        "0 < a < b < c < 1/10, c < a + 1/1000",
        "a <= b, b <= a",
        "a > b, b >= 30",
    ] {
        let text = format!("g(x; {header}) = a*x");
        assert!(Activation::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn irrational_and_moving_knots_are_read() {
    for (text, knots) in [
        ("|x^2 - 2|", 2),
        ("|x^3 - x - 1|", 1),
        ("g(x; a) = |x - a|", 1),
        ("g(x; a > 0) = |x/a - 1|", 1),
        ("g(x; a, b > a) = clamp(x, a, b)", 2),
        ("g(x; a > 2) = |x^2 - 2| + |x - a|", 3),
    ] {
        assert_eq!(parse(text).function.knots().len(), knots, "{text}");
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Any text gets an answer, and an error points into the text.
    #[test]
    fn nothing_that_is_typed_panics(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "x", "y", "a", "0", "1", "2.5", "1e3", "+", "-", "−", "*", "·", "/", "^", "|", "|",
                "(", ")", "{", "}", "[", "]", ",", ";", ":", "<", "<=", "≥", "=", "max(", "min(",
                "relu(", "sign(", "step(", "clamp(", "piecewise {", "else:", "in", "inf", "∞", " ", "g(x; a < b) =", "g(x; 0 < a, b) =", "b", "sqrt",
                "\n", "#", "g(x; a > 0) =", "é", "\u{0}", "😀",
            ]),
            0..24,
        ),
    ) {
        let text = tokens.concat();
        for result in [Activation::parse(&text).map(drop), file(&text).map(drop)] {
            if let Err(error) = result {
                prop_assert!(text.get(error.span.start..error.span.end).is_some(), "{error}");
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}

/// Comparisons that are joined are the intervals that they stand for.
#[test]
fn conditions_are_joined_by_and_and_or() {
    let same = [
        ("x < -2 or x > 1", "piecewise { x < -2: 1; x > 1: 1; else: 0 }"),
        ("x > 0 and x < 1", "piecewise { 0 < x < 1: 1; else: 0 }"),
        ("(x > 0 and x < 1) or 2 < x < 3", "piecewise { 0 < x < 1: 1; 2 < x < 3: 1; else: 0 }"),
        ("x > 0 and (x < 1 or x > 2)", "piecewise { x < 0: 0; x < 1: 1; x < 2: 0; else: 1 }"),
        ("(x) > 0 or (x < -1)", "piecewise { x < -1: 1; x < 0: 0; else: 1 }"),
    ];
    for (condition, function) in same {
        let text = format!("piecewise {{ {condition}: 1; else: 0 }}");
        let joined = Activation::parse(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let plain = Activation::parse(function).expect("valid");
        assert_eq!(joined.function, plain.function, "{condition}");
    }
}
