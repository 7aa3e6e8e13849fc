//! The language: what expressions mean, and what is said of those that mean nothing.

mod common;

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
        Syntax: syntax error: expected a comparison, an operator, `)` or `in`

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
        "g(x; a >= 0) = x/a",
        "g(x; a, b) = x/(a - b)",
        "g(x; a) = x/(a - a)",
        "g(x; a > 0) = 1/(a*x)",
        "x^-1",
        "x^0.5",
        "2^x",
        "x^|x|",
        "x^9999999999",
        "clamp(x, 1, -1)",
        "g(x; a > 0) = clamp(x, a, -a)",
        "g(x; a in (1, 0)) = a*x",
        "g(x; a in (1, 1)) = a*x",
        "g(x; gamma > 0) = gamma*x",
    ]), @"
    1/x
      ^
        Division: division by `x`: a divisor must be known to be other than 0
        help: a quotient by the variable is not piecewise polynomial

    1/0
      ^
        Division: division by `0`: a divisor must be known to be other than 0

    1/|x|
      ^^^
        Division: division by a piecewise function: a divisor must be known to be other than 0
        help: a quotient by the variable is not piecewise polynomial

    g(x; a >= 0) = x/a
                     ^
        Division: division by `a`: a divisor must be known to be other than 0
        help: declare what makes it so: `a < 0` or `a > 0`

    g(x; a, b) = x/(a - b)
                   ^^^^^^^
        Division: division by `a − b`: a divisor must be known to be other than 0
        help: declare what makes it so: `a < b` or `a > b`

    g(x; a) = x/(a - a)
                ^^^^^^^
        Division: division by `0`: a divisor must be known to be other than 0

    g(x; a > 0) = 1/(a*x)
                    ^^^^^
        Division: division by `a x`: a divisor must be known to be other than 0
        help: a quotient by the variable is not piecewise polynomial

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

    g(x; a > 0) = clamp(x, a, -a)
                  ^^^^^^^^^^^^^^^
        Domain: the lower bound of `clamp` exceeds the upper
        help: write clamp(value, lower, upper)

    g(x; a in (1, 0)) = a*x
         ^^^^^^^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; a in (1, 1)) = a*x
         ^^^^^^^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; gamma > 0) = gamma*x
         ^^^^^
        Domain: `gamma` cannot be the name of a parameter
        help: it is the pre-activation's own; choose another name
    ");
}

/// What is left open is said with the two declarations that would settle it.
#[test]
fn errors_of_what_is_left_open() {
    assert_snapshot!(reports(&[
        "g(x; a) = max(a*x, x)",
        "g(x; a, b) = |a - b|*x",
        "g(x; a, b) = clamp(x, a, b)",
        "g(x; a, b) = |x - a| + |x - b|",
        "g(x; a, b) = |(x - a)*(x - 2*b + 1)|",
        "g(x; a) = |x^2 - 2| + |x - a|",
        "g(x; a, b, a < b) = |x - a| + |x - b| + |x|",
        "g(x; a) = |x^2 - a|",
        "g(x; a > 0) = |x^2 - a*x - 1|",
        "g(x; a > 0) = max(x^3, a)",
    ]), @"
    g(x; a) = max(a*x, x)
              ^^^^^^^^^^^
        Undecided: the sign of `a − 1` does not follow from what is declared
        help: declare what decides it: `a < 1` or `a > 1`

    g(x; a, b) = |a - b|*x
                 ^^^^^^^
        Undecided: the sign of `a − b` does not follow from what is declared
        help: declare what decides it: `a < b` or `a > b`

    g(x; a, b) = clamp(x, a, b)
                 ^^^^^^^^^^^^^^
        Undecided: the sign of `b − a` does not follow from what is declared
        help: declare what decides it: `a < b` or `a > b`

    g(x; a, b) = |x - a| + |x - b|
                 ^^^^^^^^^^^^^^^^^
        Order: the order of the knots `a` and `b` does not follow from what is declared
        help: declare what decides it: `a < b` or `a > b`

    g(x; a, b) = |(x - a)*(x - 2*b + 1)|
                 ^^^^^^^^^^^^^^^^^^^^^^^
        Order: the order of the knots `2*b - 1` and `a` does not follow from what is declared
        help: declare what decides it: `a < 2*b - 1` or `a > 2*b - 1`

    g(x; a) = |x^2 - 2| + |x - a|
              ^^^^^^^^^^^^^^^^^^^
        Order: the order of the knots `a` and `-1.414…` does not follow from what is declared
        help: declare what decides it: `a < -1.415` or `a > -1.414`

    g(x; a, b, a < b) = |x - a| + |x - b| + |x|
                        ^^^^^^^^^^^^^^^^^^^^^^^
        Order: the order of the knots `a` and `0` does not follow from what is declared
        help: declare what decides it: `a < 0` or `a > 0`

    g(x; a) = |x^2 - a|
              ^^^^^^^^^
        ParametricKnot: a knot at a root of `x² − a` is no quotient of polynomials in the parameters
        help: declare the root itself as the parameter, as in `|x^2 - r^2|` with `r > 0`

    g(x; a > 0) = |x^2 - a*x - 1|
                  ^^^^^^^^^^^^^^^
        ParametricKnot: a knot at a root of `x² − a x − 1` is no quotient of polynomials in the parameters
        help: declare the root itself as the parameter, as in `|x^2 - r^2|` with `r > 0`

    g(x; a > 0) = max(x^3, a)
                  ^^^^^^^^^^^
        ParametricKnot: a knot at a root of `x³ − a` is no quotient of polynomials in the parameters
        help: declare the root itself as the parameter, as in `|x^2 - r^2|` with `r > 0`
    ");
}

/// The help is enough: with either of the two declarations there is a function.
#[test]
fn what_is_left_open_is_settled_by_the_help() {
    for (declared, body) in [
        ("a", "max(a*x, x)"),
        ("a, b", "|a - b|*x"),
        ("a, b", "|x - a| + |x - b|"),
        ("a, b", "|(x - a)*(x - 2*b + 1)|"),
        ("a", "|x|/(2*a - 1)"),
        ("a, b", "clamp((x - a)/(b - a), 0, 1)"),
        ("a, b", "|x - a*b| + |x|"),
        ("a > 0, b", "|x - a/b|/b"),
        ("a > 0", "max(x/a, a*x)"),
    ] {
        let help = error(&format!("g(x; {declared}) = {body}")).help.expect(body);
        let [_, one, _, other, _] = help.split('`').collect::<Vec<_>>()[..] else {
            panic!("{help}")
        };
        for settled in [one, other] {
            parse(&format!("g(x; {declared}, {settled}) = {body}"));
        }
    }
}

#[test]
fn errors_of_parameters_and_relations() {
    assert_snapshot!(reports(&[
        "g(x; a, a) = a*x",
        "g(x; a in (0, 1), a in (0, 2)) = a*x",
        "g(x; a < x) = a*x",
        "g(x; a, a < x^2) = a*x",
        "g(x; a < c) = b*x",
        "g(x; a < b + d) = a*x",
        "g(x; a > 0, a < 0) = a*x",
        "g(x; 1 > a >= 1) = a*x",
        "g(x; a < b, b < a) = clamp(x, a, b)",
        "g(x; a < b < c < a) = x",
        "g(x; a > 0, b < 0, a < b) = a*x",
        "g(x; a, a^2 < 0) = a*x",
        "g(x; a < a + 1) = a*x",
        "g(x; a <= a) = a*x",
        "g(x; a + 1 < a) = a*x",
        "g(x; 1 < 0) = x",
        "g(x; a < ) = a*x",
        "g(x; < a) = a*x",
        "g(x; a < < b) = a*x",
        "g(x; a + b) = a*x",
        "g(x; a = b) = a*x",
        "g(x; a != b) = a*x",
        "g(x; a, b, 1/a < b) = x",
        "g(x; a > 0, 1/a < b) = x",
        "g(x; a, b, |a| < b) = clamp(x, -b, b)",
    ]), @"
    g(x; a, a) = a*x
            ^
        Duplicate: `a` is declared twice
        help: choose another name

    g(x; a in (0, 1), a in (0, 2)) = a*x
                      ^
        Duplicate: `a` is declared twice
        help: choose another name

    g(x; a < x) = a*x
             ^
        NotConstant: a relation between parameters must not depend on the variable
        help: the function is declared for every value of the variable

    g(x; a, a < x^2) = a*x
                ^^^
        NotConstant: a relation between parameters must not depend on the variable
        help: the function is declared for every value of the variable

    g(x; a < c) = b*x
                  ^
        UnknownName: unknown name `b`
        help: known here: `x`, `a` and `c`; parameters are declared as in `g(x; b > 0) = …`

    g(x; a < b + d) = a*x
             ^
        UnknownName: unknown name `b`
        help: a parameter is declared by its name on its own: `b, …`

    g(x; a > 0, a < 0) = a*x
                ^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; 1 > a >= 1) = a*x
         ^^^^^^^^^^
        Domain: no number lies in the domain of `a`
        help: a domain reads `a in (0, 1)`, the lower end first

    g(x; a < b, b < a) = clamp(x, a, b)
         ^
        Domain: no values of the parameters satisfy all that is declared
        help: take a relation or a bound away

    g(x; a < b < c < a) = x
         ^
        Domain: no values of the parameters satisfy all that is declared
        help: take a relation or a bound away

    g(x; a > 0, b < 0, a < b) = a*x
         ^^^^^
        Domain: no values of the parameters satisfy all that is declared
        help: take a relation or a bound away

    g(x; a, a^2 < 0) = a*x
         ^
        Domain: no values of the parameters satisfy all that is declared
        help: take a relation or a bound away

    g(x; a < a + 1) = a*x
         ^^^^^^^^^
        Domain: this holds without any declaration
        help: a relation is between parameters, as in `a < b`

    g(x; a <= a) = a*x
         ^^^^^^
        Domain: this holds without any declaration
        help: a relation is between parameters, as in `a < b`

    g(x; a + 1 < a) = a*x
         ^^^^^^^^^
        Domain: this holds for no values of the parameters
        help: a relation is between parameters, as in `a < b`

    g(x; 1 < 0) = x
         ^^^^^
        Domain: this holds for no values of the parameters
        help: a relation is between parameters, as in `a < b`

    g(x; a < ) = a*x
             ^
        Syntax: syntax error: expected an expression

    g(x; < a) = a*x
         ^
        Syntax: syntax error: expected a parameter
        help: comparisons stand in branches: `piecewise { x < 0: 0; else: x }`

    g(x; a < < b) = a*x
             ^
        Syntax: syntax error: expected an expression
        help: comparisons stand in branches: `piecewise { x < 0: 0; else: x }`

    g(x; a + b) = a*x
         ^^^^^
        Syntax: syntax error: expected a comparison
        help: a parameter is declared by its name, `a`, or by a relation, `a < b`

    g(x; a = b) = a*x
           ^
        Syntax: syntax error: expected a comparison, an operator, `)` or `in`

    g(x; a != b) = a*x
           ^
        Syntax: syntax error: expected a comparison, an operator, `)` or `in`

    g(x; a, b, 1/a < b) = x
                 ^
        Division: division by `a`: a divisor must be known to be other than 0
        help: declare what makes it so: `a < 0` or `a > 0`

    g(x; a > 0, 1/a < b) = x
                ^^^
        Domain: a relation between quotients of parameters
        help: multiply by the denominators

    g(x; a, b, |a| < b) = clamp(x, -b, b)
               ^^^
        Undecided: the sign of `a` does not follow from what is declared
        help: declare what decides it: `a < 0` or `a > 0`
    ");
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

/// Nothing lies beyond infinity.
#[test]
fn a_parameter_beyond_infinity_is_refused() {
    for header in ["a > inf", "a < -inf", "inf < a", "inf < a < inf", "a >= inf"] {
        assert!(Activation::parse(&format!("g(x; {header}) = a*x")).is_err(), "{header}");
    }
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

/// These were errors once.
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

#[test]
fn errors_between_declarations() {
    let library = "leaky(x; eps in (0, 1)) = max(eps*x, x)
soft(x; a < b) = clamp(x, a, b)\n";
    let texts = [
        "f(x) = leaky(x)",
        "f(x) = leaky(x, 2)",
        "f(x) = leaky(x, x)",
        "leaky(x) = x",
        "f(x) = later(x)",
        "f(x; b) = leaky(x, b)",
        "f(x; b > 0) = leaky(x, 1/(1 + b)) + leaky(x, b)",
        "f(x) = soft(x, 3, 2)",
        "f(x; b) = soft(x, b, 2)",
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
        help: give it a number or an expression in parameters

    leaky(x) = x
    ^^^^^
        Duplicate: `leaky` is declared twice
        help: choose another name

    f(x) = later(x)
           ^^^^^
        UnknownName: unknown name `later`
        help: the functions are abs, max, min, clamp, relu, sign, step and the declared activations

    f(x; b) = leaky(x, b)
                       ^
        Domain: b is not in the domain of `eps`
        help: it is declared as `eps in (0, 1)`

    f(x; b > 0) = leaky(x, 1/(1 + b)) + leaky(x, b)
                                                 ^
        Domain: b is not in the domain of `eps`
        help: it is declared as `eps in (0, 1)`

    f(x) = soft(x, 3, 2)
           ^^^^^^^^^^^^^
        Domain: the parameters do not satisfy `a < b`
        help: `soft` is declared so

    f(x; b) = soft(x, b, 2)
              ^^^^^^^^^^^^^
        Domain: the parameters do not satisfy `a < b`
        help: `soft` is declared so
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
        ("clamp(x, 0, 1)^64", 2),
        ("max(0, x + 1/3)^32", 64),
        (irrational.as_str(), 5),
        ("max(x^43*x, x + 1)", 4),
        ("g(x; a, b, c) = |x - a*b*c|*(a + b + c + x)^4", 6),
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
fn a_central_moment_of_too_low_an_order_is_no_question() {
    for n in 0..2 {
        assert!(parse("x").central(n).is_err(), "{n}");
    }
}

#[test]
fn too_many_cases_are_refused() {
    let moduli = (-7..7).map(|k| format!("|a - {k} - 1/2| + |b - {k} - 1/2|"));
    let text = format!("g(x; a, b) = x*({})", moduli.collect::<Vec<_>>().join(" + "));
    let error = Activation::cases(&text, &Library::new()).expect_err("15 times 15 cases");
    assert!(matches!(error.kind, ErrorKind::Limit { limit: Limit::Cases, .. }), "{error}");
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
