//! Snapshots of the messages for texts that have no meaning.

mod common;

use common::{error, file, parse};
use gaussform_symbolic::{Activation, Error};
use insta::assert_snapshot;

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
        "max(0 x)",
        "piecewise { x > 0 && x < 1: x; else: 0 }",
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

    max(0 x)
          ^
        Syntax: syntax error: expected an operator or `)`
        help: arguments stand between commas, and products need a `*`: write `2*x`, not `2x`

    piecewise { x > 0 && x < 1: x; else: 0 }
                      ^
        Syntax: syntax error: expected a comparison, an operator or `;`
        help: conditions are joined by `and` and `or`
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
        "ReLU",
        "Sign(x)",
        "max(0, Tanh)",
    ]), @"
    max(0, y)
           ^
        UnknownName: unknown name `y`
        help: only `x` is known here; parameters are declared, as in `g(x; y) = …`

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
        help: it is no piecewise polynomial: take a hard form, such as `clamp(x, -1, 1)` for tanh

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
        help: known here: `x` and `a`; parameters are declared, as in `g(x; b) = …`

    g(x; x) = x
         ^
        Duplicate: `x` is declared twice
        help: choose another name

    g(x; a, a) = a*x
            ^
        Duplicate: `a` is declared twice
        help: choose another name

    ReLU
    ^^^^
        UnknownName: unknown name `ReLU`
        help: did you mean `relu`?

    Sign(x)
    ^^^^
        UnknownName: unknown name `Sign`
        help: did you mean `sign`?

    max(0, Tanh)
           ^^^^
        UnknownName: unknown name `Tanh`
        help: it is no piecewise polynomial: take a hard form, such as `clamp(x, -1, 1)` for tanh
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
        "g(x; u > 0) = u*x",
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
        help: formulas write the pre-activation and its law by it; choose another name

    g(x; u > 0) = u*x
         ^
        Domain: `u` cannot be the name of a parameter
        help: formulas write the pre-activation and its law by it; choose another name
    ");
}

/// An open sign or order is told with the two declarations that would decide it.
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
        help: known here: `x`, `a` and `c`; parameters are declared, as in `g(x; b) = …`

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
        help: parameters are related by `<`, `<=`, `>` or `>=`

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

/// Nothing lies beyond infinity.
#[test]
fn a_parameter_beyond_infinity_is_refused() {
    for header in ["a > inf", "a < -inf", "inf < a", "inf < a < inf", "a >= inf"] {
        assert!(Activation::parse(&format!("g(x; {header}) = a*x")).is_err(), "{header}");
    }
}

#[test]
fn a_central_moment_of_too_low_an_order_is_no_question() {
    for n in 0..2 {
        assert!(parse("x").central(n).is_err(), "{n}");
    }
}
