//! Inputs beyond the limits are refused, and inputs just within them are not.

mod common;

use common::{error, parse};
use gaussform_symbolic::{Activation, ErrorKind, Library, Limit};
use insta::assert_snapshot;

/// Texts that would take a careless reader down: each gets an error, at once, within a stack of
/// two megabytes.
#[test]
fn what_is_too_large_is_refused_at_once() {
    let repeat = |open: &str, inside: &str, close: &str, n: usize| {
        format!("{}{inside}{}", open.repeat(n), close.repeat(n))
    };
    let sum =
        |n: usize, term: &dyn Fn(usize) -> String| (0..n).map(term).collect::<Vec<_>>().join(" + ");
    let parameters = "g(x; a, b, c, d, e, f, h, k) =";
    for (text, limit) in [
        (repeat("(", "x", ")", 5_000), Limit::Depth),
        (repeat("|", "x", "|", 5_000), Limit::Depth),
        (repeat("max(x, ", "x", ")", 5_000), Limit::Depth),
        (repeat("piecewise { x < 0: 0; else: ", "x", "}", 2_000), Limit::Depth),
        ("-".repeat(1_000) + "x", Limit::Depth),
        ("-".repeat(3_000) + "x", Limit::Nodes),
        (repeat("----------------(", "x", ")", 48), Limit::Depth),
        (repeat("1^1^1^1^1^1^1^1^1^1^1^1^1^1^1^(", "1", ")", 48), Limit::Depth),
        (sum(5_000, &|_| "x".into()), Limit::Nodes),
        (sum(50_000, &|_| "x".into()), Limit::Length),
        ("x".repeat(100_000), Limit::Length),
        ("2^".repeat(500) + "2", Limit::Depth),
        ("2^2^2^2^2^2".into(), Limit::Bits),
        ("10^100000".into(), Limit::Bits),
        ("1e99999".into(), Limit::Bits),
        ("1e-99999".into(), Limit::Bits),
        ("1e999999999999999999999999".into(), Limit::Bits),
        ("9".repeat(5_000), Limit::Bits),
        ("((x + 1)^60)^60".into(), Limit::Degree),
        ("x^65".into(), Limit::Degree),
        ("x^9999999999".into(), Limit::Degree),
        (format!("x^{}", "9".repeat(1_000)), Limit::Degree),
        (repeat("(", "x", ")^2", 40), Limit::Degree),
        (sum(70, &|i| format!("|x - {i}|")), Limit::Knots),
        (sum(70, &|i| format!("step(x - {i}/7)")), Limit::Knots),
        (format!("{parameters} (a + b + c + d + e + f + h + k)^30 * x"), Limit::Terms),
        (format!("{parameters} ((a + b + c + d + e + f + h + k + x)^4)^2"), Limit::Terms),
        (format!("{parameters} a^70*x"), Limit::Degree),
        ("g(x; a, b, c, d, e, f, h, k, l) = x".into(), Limit::Parameters),
        ("g(x; a < b < c < d < e < f < h < k < l) = x".into(), Limit::Parameters),
        ("|x^64 - 10^80*x - 1|".into(), Limit::Roots),
        ("max(x^63, 10^90*x - 1)".into(), Limit::Roots),
    ] {
        let error = error(&text);
        let shown: String = text.chars().take(40).collect();
        let found = match error.kind {
            ErrorKind::Limit { limit, .. } => limit,
            other => panic!("{shown}: {other:?}"),
        };
        assert_eq!(found, limit, "{shown}");
    }
}

/// The deepest texts that are accepted do not exhaust the stack of a thread.
#[test]
fn what_is_just_within_the_limits_is_read() {
    let nested = |open: &str, inside: &str, close: &str, n: usize| {
        format!("{}{inside}{}", open.repeat(n), close.repeat(n))
    };
    for text in [
        nested("(", "x", ")", 48),
        nested("|", "x", "|", 48),
        nested("(||", "x", "||)", 16),
        nested("max(x, ", "x", ")", 48),
        nested("piecewise { x < 0: 1; else: ", "x", "}", 48),
        nested("piecewise {", "x", " < 0: 1; else: 2}", 48),
        nested("--(", "x", ")", 48),
        nested("-(|-|", "x", "||)", 16),
        nested("1^1^1^(", "1", ")", 47),
    ] {
        assert!(Activation::parse(&text).is_ok(), "{text}");
    }
}

/// Work is counted before it is done.
#[test]
fn too_much_work_is_refused_soon() {
    let hinges: Vec<String> = (0..60).map(|i| format!("relu(x - {i}/7)")).collect();
    let hinges = format!("({})^32", hinges.join(" + "));
    let polynomial: Vec<String> =
        (1..=32).map(|i| format!("{}*x^{i}", i * 7919 % 41 - 20)).collect();
    let irrational = format!("max(|{} - 3|, x^3)", polynomial.join(" + "));
    for (text, n) in [
        (hinges.as_str(), 3),
        ("clamp(x, 0, 1)^64", 6),
        ("max(0, x + 1/3)^32", 64),
        (irrational.as_str(), 5),
        ("max(x^43*x, x + 1)", 7),
        ("g(x; a, b, c) = |x - a*b*c|*(a + b + c + x)^4", 9),
        ("g(x; a > 0, b > 0) = (x/(a + b) + 1/(a*b + 1))^8*|x|", 1),
    ] {
        let refused = match Activation::parse(text) {
            Ok(activation) => activation.moment(n).err(),
            Err(error) => Some(error),
        };
        let kind = refused.map(|error| error.kind);
        let work = matches!(kind, Some(ErrorKind::Limit { limit: Limit::Work, .. }));
        assert!(work, "{text:.60}: {kind:?}");
    }
}

#[test]
fn an_order_beyond_the_limit_is_refused() {
    let error = parse("x").moment(65).expect_err("too large");
    assert_snapshot!(error, @"too large: the order of a moment is limited to 64, and this needs 65; ask for a lower moment");
}

#[test]
fn too_many_cases_are_refused() {
    let moduli = (-7..7).map(|k| format!("|a - {k} - 1/2| + |b - {k} - 1/2|"));
    let text = format!("g(x; a, b) = x*({})", moduli.collect::<Vec<_>>().join(" + "));
    let error = Activation::cases(&text, &Library::new()).expect_err("15 times 15 cases");
    assert!(matches!(error.kind, ErrorKind::Limit { limit: Limit::Cases, .. }), "{error}");
}
