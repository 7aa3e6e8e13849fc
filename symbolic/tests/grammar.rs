//! The language: what expressions mean, and what is said of those that mean nothing.

mod common;

use std::time::{Duration, Instant};

use common::{Source, cases, function, parse};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::{Activation, Error, ErrorKind, Library, Limit};
use insta::assert_snapshot;
use proptest::prelude::*;

/// The value of an expression without x.
fn number(text: &str) -> Rational {
    let function = function(text);
    function.as_polynomial().and_then(|p| p.as_constant()).expect("a constant")
}

fn error(text: &str) -> Error {
    Activation::parse(text).expect_err(text)
}

fn file(text: &str) -> Result<Vec<Activation>, Error> {
    Activation::parse_file(text, &Library::new())
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

/// The error with a caret under its place, the name of its kind, and its help.
fn report(text: &str, error: &Error) -> String {
    let span = error.span.start..error.span.end;
    let slice = text.get(span).unwrap_or_else(|| panic!("{text}: {:?}", error.span));
    let before = text[..error.span.start].chars().count();
    let carets = "^".repeat(slice.chars().count().max(1));
    let kind = format!("{:?}", error.kind);
    let kind = kind.split([' ', '(', '{']).next().expect("a word");
    let help = error.help.as_ref().map_or(String::new(), |help| format!("\n    help: {help}"));
    format!("{text}\n{:before$}{carets}\n    {kind}: {}{help}\n", "", error.kind)
}

fn reports(texts: &[&str]) -> String {
    texts.iter().map(|text| report(text, &error(text))).collect::<Vec<_>>().join("\n")
}

#[test]
fn errors_of_syntax() {
    assert_snapshot!(reports(&[
        "2x",
        "",
        "   ",
        "(x + 1)(x - 1)",
        "2|x|",
        "x**2",
        "x +",
        "max(x, )",
        "max()",
        "(x",
        "x)",
        "|x - 1",
        "max(|x, 1)",
        "x $ 2",
        "x = 2",
        "f(x = 1",
        "if x > 0 { x } else { 0 }",
        "piecewise { x < 0: 1 }",
        "piecewise { x: 1; else: 0 }",
        "g(x; a in (0 1)) = a*x",
        "g(x; a = 1) = a*x",
        "1.2.3",
        "1e",
        "x > 0",
    ]), @"
    2x
     ^
        Syntax: syntax error: expected an operator or the end
        help: products need a `*`: write `2*x`, not `2x`


    ^
        Syntax: syntax error: expected an expression
        help: the text ends too early

       
       ^
        Syntax: syntax error: expected an expression
        help: the text ends too early

    (x + 1)(x - 1)
           ^
        Syntax: syntax error: expected an operator or the end
        help: products need a `*`: write `2*x`, not `2x`

    2|x|
     ^
        Syntax: syntax error: expected an operator or the end
        help: products need a `*`: write `2*x`, not `2x`

    x**2
      ^
        Syntax: syntax error: expected an expression
        help: powers are written with `^`

    x +
       ^
        Syntax: syntax error: expected an expression
        help: the text ends too early

    max(x, )
           ^
        Syntax: syntax error: expected an expression

    max()
        ^
        Syntax: syntax error: expected an expression

    (x
      ^
        Syntax: syntax error: expected an operator or `)`
        help: `(` is not closed

    x)
     ^
        Syntax: syntax error: expected an operator or the end
        help: it closes nothing

    |x - 1
          ^
        Syntax: syntax error: expected an operator or `|`
        help: a bar `|` is not closed

    max(|x, 1)
          ^
        Syntax: syntax error: expected an operator or `|`
        help: a bar `|` is not closed

    x $ 2
      ^
        Syntax: syntax error: expected an operator or the end

    x = 2
      ^
        Syntax: syntax error: expected an operator or the end
        help: a declaration begins with a name and its variable, as in `f(x) = …`

    f(x = 1
        ^
        Syntax: syntax error: expected a parameter, an operator or `)`

    if x > 0 { x } else { 0 }
       ^
        Syntax: syntax error: expected an operator or the end
        help: a function with branches is written `piecewise { x > 0: x; else: 0 }`

    piecewise { x < 0: 1 }
                         ^
        Syntax: syntax error: expected an operator or `;`
        help: the last branch is for everything else: `else: …`

    piecewise { x: 1; else: 0 }
                 ^
        Syntax: syntax error: expected a comparison, an operator or `;`

    g(x; a in (0 1)) = a*x
               ^
        Syntax: syntax error: expected a number or an operator
        help: a domain reads `a in (0, 1)`

    g(x; a = 1) = a*x
           ^
        Syntax: syntax error: expected a comparison or `in`

    1.2.3
       ^
        Syntax: syntax error: expected an operator or the end

    1e
     ^
        Syntax: syntax error: expected an operator or the end
        help: products need a `*`: write `2*x`, not `2x`

    x > 0
      ^
        Syntax: syntax error: expected an operator or the end
        help: comparisons stand in branches: `piecewise { x < 0: 0; else: x }`
    ");
}

#[test]
fn errors_of_names_and_arguments() {
    assert_snapshot!(reports(&[
        "max(0, y)",
        "NaN",
        "inf",
        "x*infinity",
        "rleu(x)",
        "tanh(x)",
        "relu",
        "relu(x, 1)",
        "clamp(x, 1)",
        "x(2)",
        "g(x; a > 0) = b*x",
        "g(x; x) = x",
        "g(x; a, a) = a*x",
    ]), @"
    max(0, y)
           ^
        UnknownName: unknown name `y`
        help: only `x` is known here; parameters are declared as in `g(x; y > 0) = …`

    NaN
    ^^^
        UnknownName: unknown name `NaN`
        help: numbers are finite: write them in digits

    inf
    ^^^
        UnknownName: unknown name `inf`
        help: numbers are finite: write them in digits

    x*infinity
      ^^^^^^^^
        UnknownName: unknown name `infinity`
        help: numbers are finite: write them in digits

    rleu(x)
    ^^^^
        UnknownName: unknown name `rleu`
        help: did you mean `relu`?

    tanh(x)
    ^^^^
        UnknownName: unknown name `tanh`
        help: the functions are abs, max, min, clamp, relu, sign, step and the declared activations

    relu
    ^^^^
        UnknownName: unknown name `relu`
        help: `relu` is a function: write `relu(x)`

    relu(x, 1)
    ^^^^
        Arguments: `relu` takes 1 argument, not 2

    clamp(x, 1)
    ^^^^^
        Arguments: `clamp` takes 3 arguments, not 2

    x(2)
    ^
        UnknownName: unknown name `x`
        help: `x` is not a function; a product needs a `*`: write `x*(…)`

    g(x; a > 0) = b*x
                  ^
        UnknownName: unknown name `b`
        help: known here: `x` and `a`; parameters are declared as in `g(x; b > 0) = …`

    g(x; x) = x
         ^
        Duplicate: `x` is declared twice
        help: choose another name

    g(x; a, a) = a*x
            ^
        Duplicate: `a` is declared twice
        help: choose another name
    ");
}

#[test]
fn errors_of_meaning() {
    assert_snapshot!(reports(&[
        "1/x",
        "1/0",
        "1/|x|",
        "g(x; a > 0) = x/a",
        "x^-1",
        "x^0.5",
        "2^x",
        "x^|x|",
        "x^9999999999",
        "clamp(x, 1, -1)",
        "|x^2 - 2|",
        "|x^3 - x - 1|",
        "g(x; a > 0) = |x - a|",
        "g(x; a) = max(a*x, x)",
        "g(x; a, b) = |a - b|*x",
        "g(x; a in (1, 0)) = a*x",
        "g(x; a in (1, 1)) = a*x",
        "g(x; a, b > a) = a*x",
    ]), @"
    1/x
      ^
        Division: division by `x`: a divisor must be a number other than 0
        help: a quotient by the variable or a parameter is not piecewise polynomial

    1/0
      ^
        Division: division by `0`: a divisor must be a number other than 0

    1/|x|
      ^^^
        Division: division by a piecewise function: a divisor must be a number other than 0
        help: a quotient by the variable or a parameter is not piecewise polynomial

    g(x; a > 0) = x/a
                    ^
        Division: division by `a`: a divisor must be a number other than 0
        help: a quotient by the variable or a parameter is not piecewise polynomial

    x^-1
      ^^
        Exponent: the exponent `−1` is not a whole number from 0 upwards

    x^0.5
      ^^^
        Exponent: the exponent `1/2` is not a whole number from 0 upwards

    2^x
      ^
        Exponent: the exponent `x` is not a whole number from 0 upwards

    x^|x|
      ^^^
        Exponent: the exponent that varies by pieces is not a whole number from 0 upwards

    x^9999999999
      ^^^^^^^^^^
        Limit: too large: the degree of a piece is limited to 64, and this needs 9999999999

    clamp(x, 1, -1)
    ^^^^^^^^^^^^^^^
        Domain: the lower bound of `clamp` exceeds the upper
        help: write clamp(value, lower, upper)

    |x^2 - 2|
    ^^^^^^^^^
        IrrationalKnot: a knot at an irrational number: `x² − 2` has a root between -3/2 and -1
        help: knots are rational numbers for now

    |x^3 - x - 1|
    ^^^^^^^^^^^^^
        IrrationalKnot: a knot at an irrational number: `x³ − x − 1` has a root between 1 and 3/2
        help: knots are rational numbers for now

    g(x; a > 0) = |x - a|
                  ^^^^^^^
        ParametricKnot: a knot at a root of `x − a` would move with a parameter
        help: knots are numbers for now; parameters may enter the coefficients

    g(x; a) = max(a*x, x)
              ^^^^^^^^^^^
        Undecided: the sign of `−1 + a` does not follow from the declared domains
        help: declare the domain that decides it, as in `eps in (0, 1)`

    g(x; a, b) = |a - b|*x
                 ^^^^^^^
        Undecided: the sign of `a − b` does not follow from the declared domains
        help: declare the domain that decides it, as in `eps in (0, 1)`

    g(x; a in (1, 0)) = a*x
         ^^^^^^^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; a in (1, 1)) = a*x
         ^^^^^^^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; a, b > a) = a*x
                ^
        Domain: relations between parameters are not supported
        help: compare the parameter with a number
    ");
}

#[test]
fn errors_between_declarations() {
    let library = "leaky(x; eps in (0, 1)) = max(eps*x, x)\n";
    let texts = [
        "f(x) = leaky(x)",
        "f(x) = leaky(x, 2)",
        "f(x) = leaky(x, x)",
        "leaky(x) = x",
        "f(x) = later(x)",
    ];
    let reports = texts.map(|text| {
        let whole = format!("{library}{text}");
        let mut error = file(&whole).expect_err(text);
        error.span.start -= library.len();
        error.span.end -= library.len();
        report(text, &error)
    });
    assert_snapshot!(reports.join("\n"), @"
    f(x) = leaky(x)
           ^^^^^
        Arguments: `leaky` takes 2 arguments, not 1
        help: write `leaky(…, eps)`

    f(x) = leaky(x, 2)
                    ^
        Domain: 2 is not in the domain of `eps`
        help: it is declared as `eps in (0, 1)`

    f(x) = leaky(x, x)
                    ^
        NotConstant: parameter `eps` of `leaky` must not depend on the variable
        help: give it a number

    leaky(x) = x
    ^^^^^
        Duplicate: `leaky` is declared twice
        help: choose another name

    f(x) = later(x)
           ^^^^^
        UnknownName: unknown name `later`
        help: the functions are abs, max, min, clamp, relu, sign, step and the declared activations
    ");
}

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
    ] {
        let start = Instant::now();
        let error = error(&text);
        let seconds = start.elapsed();
        let shown: String = text.chars().take(40).collect();
        let found = match error.kind {
            ErrorKind::Limit { limit, .. } => limit,
            other => panic!("{shown}: {other:?}"),
        };
        assert_eq!(found, limit, "{shown}");
        assert!(seconds < Duration::from_secs(1), "{shown}: {seconds:?}");
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
        nested("|", "x", "|", 96),
        nested("(||", "x", "||)", 48),
        nested("max(x, ", "x", ")", 48),
        nested("piecewise { x < 0: 1; else: ", "x", "}", 48),
        nested("piecewise {", "x", " < 0: 1; else: 2}", 48),
        nested("--(", "x", ")", 48),
        nested("-(|-|", "x", "||)", 38),
        nested("1^1^1^(", "1", ")", 47),
    ] {
        assert!(Activation::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn an_order_beyond_the_limit_is_refused() {
    let error = parse("x").moment(65).expect_err("too large");
    assert_snapshot!(error, @"too large: the order of a moment is limited to 64, and this needs 65; ask for a lower moment, or a function of lower degree");
}

proptest! {
    #![proptest_config(cases(400))]

    /// Whatever is typed, there is an answer, and an error points into the text.
    #[test]
    fn nothing_that_is_typed_panics(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "x", "y", "a", "0", "1", "2.5", "1e3", "+", "-", "−", "*", "·", "/", "^", "|", "|",
                "(", ")", "{", "}", "[", "]", ",", ";", ":", "<", "<=", "≥", "=", "max(", "min(",
                "relu(", "sign(", "step(", "clamp(", "piecewise {", "else:", "in", "inf", "∞", " ",
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
