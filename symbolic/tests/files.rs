//! Files of declarations: documentation, calls of what stands before, and every error at once.

use gaussform_symbolic::{Activation, Library};
use insta::assert_snapshot;

fn activations(text: &str) -> Vec<Activation> {
    Activation::parse_file(text, &Library::new()).expect("a valid file")
}

/// Every error with the line and the text that it points at.
fn errors(text: &str) -> String {
    let errors = Activation::parse_all(text, &Library::new()).expect_err("a wrong file");
    let line = |error: &gaussform_symbolic::Error| {
        let before = &text[..error.span.start];
        let place = &text[error.span.start..error.span.end];
        format!("{}: `{place}`: {error}", before.matches('\n').count() + 1)
    };
    errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_with_two_signs_document_what_follows() {
    let file = activations(
        "# A file.\n\n## Up to 0, nothing.\n##\n##   Indented, `code`.  \n# no documentation\n\
         relu(x) = max(0, x) # the end\n\n### ornament ###\nup(x) = relu(x + 1)\n## Last.\r\n\
         down(x) = relu(-x)",
    );
    let docs: Vec<&[String]> = file.iter().map(|activation| activation.docs.as_slice()).collect();
    assert_eq!(docs[0], ["Up to 0, nothing.", "", "  Indented, `code`."]);
    assert_eq!([docs[1].len(), docs[2].len()], [0, 1]);
    assert_eq!(docs[2], ["Last."]);
    let one = Activation::parse("## The same.\nf(x) = x").expect("a declaration");
    assert_eq!(one.docs, ["The same."]);
}

/// A comment ends with its line, however lines end.
#[test]
fn lines_end_in_any_way() {
    let text =
        "# A file.\n\n## Up to (0.\nrelu(x) = max(0, x) # | the end\n# more\ndown(x) = relu(-x)\n";
    let wrong = "## A (.\na(x) = max(0, y)\n\n# (b\n## B.\nb(x) = 2x\nc(x) = max(0, # )\n x\n";
    for end in ["\r", "\r\n"] {
        let file = activations(&text.replace('\n', end));
        assert_eq!(file.len(), 2);
        assert_eq!(file[0].docs, ["Up to (0."]);
        assert_eq!(file[1].function, activations(text)[1].function);
        let [found, wanted] = [&*wrong.replace('\n', end), wrong].map(|text| {
            let errors = Activation::parse_all(text, &Library::new()).expect_err("a wrong file");
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        });
        assert_eq!(found, wanted);
        assert_eq!(wanted.len(), 3);
    }
}

#[test]
fn documentation_belongs_to_a_declaration() {
    assert_snapshot!(errors("f(x) = x\n## of nothing\n"), @"
    3: ``: syntax error: expected a declaration; `##` documents a declaration, and none follows
    ");
    assert_snapshot!(errors("f(x) = x +\n## amid\n1\n"), @"
    2: `#`: syntax error: expected an expression; `##` documents the declaration that follows; a comment begins with one `#`
    ");
}

#[test]
fn a_declaration_may_call_those_before_it() {
    let file = activations("f(x; a > 0) = max(0, a*x)\n\ng(x; b > 1) = f(x - 1, b) + f(-x, 2)\n");
    assert_eq!(file[1].function.knots().len(), 2);
    assert_snapshot!(errors("g(x) = f(x)\nf(x) = x\n"), @"
    1: `f`: unknown name `f`; the functions are abs, max, min, clamp, relu, sign, step and the declared activations
    ");
}

#[test]
fn every_error_of_a_file_is_told() {
    assert_snapshot!(errors(
        "# five mistakes\na(x) = max(0, y)\nb(x) = 2x\nc(x) = x +\n\n## Fine.\nd(x) = |x|\n\
         e(x; p >) = p*x\nf(x; p\n     , q) = p*x)\ng(x) = d(x)\nd(x) = 1\n"
    ), @"
    2: `y`: unknown name `y`; only `x` is known here; parameters are declared, as in `g(x; y) = …`
    3: `x`: syntax error: expected a declaration, an operator or the end; products need a `*`: write `2*x`, not `2x`
    4: ``: syntax error: expected an expression; the text ends too early
    8: `)`: syntax error: expected an expression
    12: `d`: `d` is declared twice; choose another name
    ");
}

#[test]
fn what_follows_from_an_error_is_not_told() {
    assert_snapshot!(errors(
        "a(x) = max(0 x)\nb(x) = a(x + 1)\nc(x) = b(x)/c\nd(x) = b(x)\ne(x) = z(x)\n"
    ), @"
    1: `x`: syntax error: expected an operator or `)`; arguments stand between commas, and products need a `*`: write `2*x`, not `2x`
    5: `z`: unknown name `z`; the functions are abs, max, min, clamp, relu, sign, step and the declared activations
    ");
}

#[test]
fn text_before_and_between_declarations_is_an_error() {
    assert_snapshot!(errors("hello\nf(x) = x\nworld\ng(x) = x\n"), @"
    1: `h`: syntax error: expected a declaration
    3: `w`: syntax error: expected a declaration, an operator or the end; products need a `*`: write `2*x`, not `2x`
    ");
    assert_snapshot!(errors("$"), @"1: `$`: syntax error: expected a declaration");
}
