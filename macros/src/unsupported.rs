//! Errors for Rust outside the class of activations: one for each construct, at its place, with what to write
//! instead.

use std::fmt::Display;

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{
    Attribute, BinOp, Expr, ExprIf, ExprMatch, ExprPath, Ident, Item, Local, Macro, Pat, Token,
};

use crate::place::Place;
use crate::scope::Scope;
use crate::signature::Signature;

const ALLOWED: &str =
    "a body is made of `+`, `-`, `*`, `/` by a number, `if`, `match`, `let`, `const` and";

/// The methods of floats that a body may call, with the number of their arguments and how they are written.
pub(crate) const METHODS: [(&str, usize, &str); 9] = [
    ("abs", 0, "x.abs()"),
    ("clamp", 2, "x.clamp(a, b)"),
    ("copysign", 1, "x.copysign(y)"),
    ("max", 1, "x.max(y)"),
    ("min", 1, "x.min(y)"),
    ("mul_add", 2, "x.mul_add(a, b)"),
    ("powi", 1, "x.powi(n)"),
    ("recip", 0, "x.recip()"),
    ("signum", 0, "x.signum()"),
];

fn methods() -> String {
    let names: Vec<String> = METHODS.iter().map(|(name, ..)| format!("`{name}`")).collect();
    names.join(", ")
}

fn allowed() -> String {
    format!("{ALLOWED} the methods {}", methods())
}

fn not_supported(tokens: &impl ToTokens, what: impl Display, help: impl Display) -> syn::Error {
    Place::of(tokens).advise(format_args!("{what} not supported"), help)
}

/// An expression of a form that no activation has.
pub(crate) fn expression(expr: &Expr) -> syn::Error {
    match expr {
        Expr::ForLoop(expr) => looping(&expr.for_token),
        Expr::While(expr) => looping(&expr.while_token),
        Expr::Loop(expr) => looping(&expr.loop_token),
        Expr::Return(expr) => not_supported(
            &expr.return_token,
            "this `return` is",
            "`return` with a value ends the function, or an `if` without `else` in the function's own block",
        ),
        Expr::Cast(expr) => not_supported(
            expr,
            "a conversion with `as` is",
            "write a number with a point, `2.0`; all arguments have one type",
        ),
        Expr::Assign(expr) => assignment(&expr.eq_token),
        Expr::Unsafe(expr) => not_supported(&expr.unsafe_token, "`unsafe` is", allowed()),
        Expr::Macro(expr) => invocation(&expr.mac),
        Expr::Closure(expr) => not_supported(expr, "a closure is", "bind its value with `let`"),
        Expr::Unary(expr) => not_supported(&expr.op, "this operator is", allowed()),
        _ => not_supported(expr, "this expression is", allowed()),
    }
}

fn looping(token: &impl ToTokens) -> syn::Error {
    let help = "an activation has a fixed number of terms; write them out";
    not_supported(token, "a loop is", help)
}

fn assignment(token: &impl ToTokens) -> syn::Error {
    not_supported(token, "assignment is", "bind a new name: `let y = …;`")
}

/// An operator between two values.
pub(crate) fn operator(operator: &BinOp) -> syn::Error {
    match operator {
        BinOp::Rem(_) => Place::of(operator).advise(
            "`%` has infinitely many pieces",
            "an activation has finitely many; write the pieces with `if`",
        ),
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_) => {
            Place::of(operator)
                .advise("a comparison is no number", "use it as a condition: `if x < 0.0 { … }`")
        }
        BinOp::AddAssign(_)
        | BinOp::SubAssign(_)
        | BinOp::MulAssign(_)
        | BinOp::DivAssign(_)
        | BinOp::RemAssign(_) => assignment(operator),
        _ => {
            let operator = operator.to_token_stream();
            Place::of(&operator).advise(format_args!("`{operator}` is not supported"), allowed())
        }
    }
}

/// Something that is no condition.
pub(crate) fn condition(expr: &Expr) -> syn::Error {
    match expr {
        Expr::Binary(binary) if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) => {
            let operator = binary.op.to_token_stream();
            Place::of(&binary.op).advise(
                format_args!("`{operator}` distinguishes single points, which no expectation sees"),
                "compare with `<`, `<=`, `>` or `>=`",
            )
        }
        Expr::Let(_) => not_supported(expr, "`if let` is", "compare numbers: `if x < 0.0 { … }`"),
        Expr::MethodCall(call) if call.method.to_string().starts_with("is_") => {
            method(&call.method).0
        }
        _ => Place::of(expr).advise(
            "expected a comparison",
            "conditions are made of `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`",
        ),
    }
}

/// An `if` without `else`.
pub(crate) fn open_branch(conditional: &ExprIf) -> syn::Error {
    Place::of(&conditional.if_token).advise(
        "this `if` has no `else`",
        "every branch needs a value, `if … { … } else { … }`, or ends the function by `return`",
    )
}

/// A `match` without an arm for the rest.
pub(crate) fn open_match(expr: &ExprMatch) -> syn::Error {
    Place::of(&expr.match_token)
        .advise("this `match` does not cover all numbers", "end it with `_ => …`")
}

/// A pattern for a single number.
pub(crate) fn point(pattern: &impl ToTokens) -> syn::Error {
    Place::of(pattern).advise(
        "this arm is for a single point, which no expectation sees",
        "match a range, such as `..=0.0` or `-1.0..=1.0`",
    )
}

/// A pattern that numbers do not have.
pub(crate) fn matched(pattern: &Pat) -> syn::Error {
    let help = "a number is matched with ranges, such as `-1.0..=1.0`, with names and with `_`";
    not_supported(pattern, "this pattern is", help)
}

/// A statement that gives nothing to the value; `semicolon` is there if it is the last.
pub(crate) fn statement(expr: &Expr, semicolon: Option<&Token![;]>) -> syn::Error {
    match expr {
        Expr::If(conditional) if conditional.else_branch.is_none() => open_branch(conditional),
        Expr::Binary(binary) => match binary.op {
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_) => assignment(&binary.op),
            _ => useless(expr, semicolon),
        },
        Expr::If(_)
        | Expr::Block(_)
        | Expr::Call(_)
        | Expr::Lit(_)
        | Expr::MethodCall(_)
        | Expr::Paren(_)
        | Expr::Path(_) => useless(expr, semicolon),
        _ => expression(expr),
    }
}

fn useless(expr: &Expr, semicolon: Option<&Token![;]>) -> syn::Error {
    match semicolon {
        Some(semicolon) => Place::of(semicolon)
            .advise("the value is lost", "remove the semicolon: the last expression is the value"),
        None => Place::of(expr)
            .advise("this value is lost", "bind it with `let`, or make it the last expression"),
    }
}

/// A macro call.
pub(crate) fn invocation(call: &Macro) -> syn::Error {
    let name = call.path.to_token_stream().to_string().replace(' ', "");
    let help = if name.contains("assert") {
        "state the domain of a parameter in the attribute: `#[activation(eps in (0, 1))]`"
            .to_owned()
    } else {
        "macros in a body are not expanded; write what it expands to".to_owned()
    };
    Place::of(call).advise(format_args!("`{name}!` is not supported"), help)
}

/// An item other than a constant or a function.
pub(crate) fn item(item: &Item) -> syn::Error {
    let help = "only `const` and `fn` may stand here; move it out of the function";
    not_supported(item, "this item is", help)
}

/// An attribute that may change what is compiled.
pub(crate) fn attribute(attribute: &Attribute) -> syn::Error {
    let help = "put it on the whole activation, or on the module";
    not_supported(attribute, "this attribute is", help)
}

/// `let x;`
pub(crate) fn uninitialized(local: &Local) -> syn::Error {
    Place::of(local).advise("this `let` has no value", "write `let y = …;`")
}

/// `mut`
pub(crate) fn mutable(token: Token![mut]) -> syn::Error {
    not_supported(&token, "`mut` is", "bind a new name for each value: `let y = …;`")
}

/// A pattern that is no name.
pub(crate) fn pattern(pattern: &Pat) -> syn::Error {
    not_supported(pattern, "this pattern is", "bind one name: `let y = …;`")
}

/// A name that the macro does not know.
pub(crate) fn name(name: &Ident, known: &str) -> syn::Error {
    let name = name.unraw();
    let help = if name.to_string().contains(char::is_lowercase) {
        "a body sees its arguments, and what it binds with `let` and `const`".to_owned()
    } else {
        format!(
            "write `const {name}: f64 = …;` in the body, or put the constant and the function in \
             a module under `#[gaussform::activations]`"
        )
    };
    let message = format_args!("unknown name `{name}`; known here: {known}");
    Place::from(name.span()).advise(message, help)
}

/// A condition where a number is needed.
pub(crate) fn truth(name: &Ident) -> syn::Error {
    let help = format_args!("use it in `if {name} {{ … }}`, or write `f64::from({name})`");
    Place::from(name.span()).advise(format_args!("`{name}` is a condition, not a number"), help)
}

/// A path such as `f64::EPSILON`.
pub(crate) fn constant(path: &ExprPath) -> syn::Error {
    let is_infinite = |name: &Ident| name == "INFINITY" || name == "NEG_INFINITY";
    if path.path.segments.last().is_some_and(|last| is_infinite(&last.ident)) {
        let help = "for a `clamp` with one end write `max` or `min`, for a range leave the end out";
        return Place::of(path).advise("there is no infinite number in an activation", help);
    }
    not_supported(path, "a path is", "write the number out, to as many digits as are meant")
}

/// A call of something that is neither a method of numbers nor a function that can be seen.
pub(crate) fn call(function: &Expr, scope: &Scope<'_>) -> syn::Error {
    // Tokens are printed with spaces between them: `f64 :: exp`.
    let name = function.to_token_stream().to_string().replace(' ', "");
    let name = name.as_str();
    let help = match METHODS.iter().find(|(method, ..)| *method == name) {
        Some((.., usage)) => format!("write `{usage}`"),
        None if is_transcendental(name) => allowed(),
        None => match scope.functions() {
            known if known.is_empty() => "the macro sees one function only; put both in a module \
                                          under `#[gaussform::activations]`"
                .to_owned(),
            _ if name.contains("::") => {
                "the functions that can be called stand in the same module".to_owned()
            }
            known => format!("the functions that can be called here: {known}"),
        },
    };
    Place::of(function).advise(format_args!("calls of `{name}` are not supported"), help)
}

/// A function that is called with too many or too few numbers.
pub(crate) fn arguments(place: Place, signature: &Signature<'_>, found: usize) -> syn::Error {
    let names: Vec<String> =
        signature.arguments.iter().map(|name| format!("`{}`", name.unraw())).collect();
    let (taken, plural) = (names.len(), if names.len() == 1 { "" } else { "s" });
    let message = format_args!("the function takes {taken} argument{plural}, not {found}");
    place.advise(message, format_args!("write {}", names.join(", ")))
}

/// A function where a number is needed.
pub(crate) fn function_as_value(name: &Ident) -> syn::Error {
    let help = format_args!("call it: `{name}(x)`");
    Place::from(name.span()).advise(format_args!("`{name}` is a function"), help)
}

/// A function or a constant that is needed for its own value.
pub(crate) fn recursion(place: Place) -> syn::Error {
    place.advise(
        "this is needed for its own value",
        "an activation has a fixed number of terms; write them out",
    )
}

/// The sign of zero.
pub(crate) const SIGN_OF_ZERO: &str = "this takes the sign of 0 on an interval, which is 1 or −1 by \
     the way in which the 0 was computed\nhelp: say which one is meant: \
     `if y >= 0.0 { 1.0 } else { -1.0 }`";

/// A method that no piecewise polynomial has, and whether there is none of that name on `f64`.
pub(crate) fn method(method: &Ident) -> (syn::Error, bool) {
    let name = method.unraw().to_string();
    let place = Place::from(method.span());
    let (why, help) = match name.as_str() {
        "powf" => ("is not piecewise polynomial", "write `.powi(n)` for a whole n".to_owned()),
        "tanh" => {
            ("is not piecewise polynomial", "`x.clamp(-1.0, 1.0)` is its hard form".to_owned())
        }
        "ceil" | "div_euclid" | "floor" | "fract" | "rem_euclid" | "round" | "round_ties_even"
        | "trunc" => (
            "has infinitely many pieces",
            "an activation has finitely many; write the pieces with `if`".to_owned(),
        ),
        "is_sign_negative" | "is_sign_positive" | "is_nan" | "is_finite" | "is_infinite" => {
            ("is not supported", "compare numbers: `x < 0.0`".to_owned())
        }
        "to_degrees" | "to_radians" => {
            ("is not supported", "multiply by a number that is written out".to_owned())
        }
        _ if is_transcendental(&name) => ("is not piecewise polynomial", allowed()),
        _ => {
            let help = format!("the methods are {}", methods());
            return (place.advise(format_args!("unknown method `{name}`"), help), true);
        }
    };
    (place.advise(format_args!("`{name}` {why}"), help), false)
}

fn is_transcendental(name: &str) -> bool {
    const NAMES: &str = " acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 \
        exp_m1 gamma hypot ln ln_1p ln_gamma log log10 log2 powf sin sin_cos sinh sqrt tan tanh ";
    NAMES.contains(&format!(" {name} "))
}
