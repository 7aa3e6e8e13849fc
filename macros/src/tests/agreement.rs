//! Any function, written in Rust and in the language, has the same normal form or none in both.

use gaussform_symbolic::Activation;
use proptest::prelude::*;

use super::read;

/// A function of x, made of what both languages can say.
#[derive(Clone, Debug)]
enum Tree {
    Variable,
    /// Quarters.
    Number(i8),
    /// `+`, `-` or `*`.
    Binary(char, Box<[Tree; 2]>),
    Negation(Box<Tree>),
    /// `abs`, `max`, `min`.
    Method(&'static str, Box<[Tree; 2]>),
    /// Between −1 and a number.
    Clamp(Box<Tree>, i8),
    Signum(Box<Tree>),
    /// If the first is less than the second.
    If(&'static str, Box<[Tree; 4]>),
    /// Below 0, from 0 to 1, and beyond.
    Match(Box<[Tree; 4]>),
    /// The second as a function of the first.
    Let(Box<[Tree; 2]>),
}

impl Tree {
    fn rust(&self) -> String {
        match self {
            Self::Variable => "x".to_owned(),
            Self::Number(quarters) => format!("({:?})", f64::from(*quarters) / 4.0),
            Self::Binary(operator, sides) => {
                format!("({} {operator} {})", sides[0].rust(), sides[1].rust())
            }
            Self::Negation(inner) => format!("(-{})", inner.rust()),
            Self::Method("abs", sides) => format!("{}.abs()", sides[0].rust()),
            Self::Method(name, sides) => format!("{}.{name}({})", sides[0].rust(), sides[1].rust()),
            Self::Clamp(inner, high) => {
                format!("f64::clamp({}, -1.0, {:?})", inner.rust(), f64::from(*high))
            }
            Self::Signum(inner) => format!("{}.signum()", inner.rust()),
            Self::If(comparison, parts) => {
                let [left, right, then, otherwise] = parts.each_ref().map(Self::rust);
                format!("(if {left} {comparison} {right} {{ {then} }} else {{ {otherwise} }})")
            }
            Self::Match(parts) => {
                let [subject, below, within, beyond] = parts.each_ref().map(Self::rust);
                format!(
                    "(match {subject} {{ ..0.0 => {below}, 0.0..=1.0 => {within}, _ => {beyond} }})"
                )
            }
            Self::Let(parts) => {
                format!("({{ let x = {}; {} }})", parts[0].rust(), parts[1].rust())
            }
        }
    }

    fn text(&self, x: &str) -> String {
        match self {
            Self::Variable => x.to_owned(),
            Self::Number(quarters) => format!("({quarters}/4)"),
            Self::Binary(operator, sides) => {
                format!("({} {operator} {})", sides[0].text(x), sides[1].text(x))
            }
            Self::Negation(inner) => format!("(-{})", inner.text(x)),
            Self::Method("abs", sides) => format!("|{}|", sides[0].text(x)),
            Self::Method(name, sides) => {
                format!("{name}({}, {})", sides[0].text(x), sides[1].text(x))
            }
            Self::Clamp(inner, high) => format!("clamp({}, -1, {high})", inner.text(x)),
            Self::Signum(inner) => format!("piecewise {{ {} >= 0: 1; else: -1 }}", inner.text(x)),
            Self::If(comparison, parts) => {
                let [left, right, then, otherwise] = parts.each_ref().map(|part| part.text(x));
                format!("piecewise {{ {left} {comparison} {right}: {then}; else: {otherwise} }}")
            }
            Self::Match(parts) => {
                let [subject, below, within, beyond] = parts.each_ref().map(|part| part.text(x));
                format!(
                    "piecewise {{ {subject} < 0: {below}; {subject} <= 1: {within}; else: {beyond} }}"
                )
            }
            Self::Let(parts) => parts[1].text(&format!("({})", parts[0].text(x))),
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![2 => Just(Tree::Variable), 1 => (-9..=9_i8).prop_map(Tree::Number)];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let pair = [inner.clone(), inner.clone()].prop_map(Box::new);
        let four = [inner.clone(), inner.clone(), inner.clone(), inner.clone()].prop_map(Box::new);
        let one = inner.prop_map(Box::new);
        let operator = prop_oneof![Just('+'), Just('-'), Just('*')];
        let method = prop_oneof![Just("abs"), Just("max"), Just("min")];
        let comparison = prop_oneof![Just("<"), Just("<="), Just(">"), Just(">=")];
        prop_oneof![
            (operator, pair.clone()).prop_map(|(operator, sides)| Tree::Binary(operator, sides)),
            one.clone().prop_map(Tree::Negation),
            (method, pair.clone()).prop_map(|(name, sides)| Tree::Method(name, sides)),
            (one.clone(), 0..3_i8).prop_map(|(inner, high)| Tree::Clamp(inner, high)),
            one.prop_map(Tree::Signum),
            (comparison, four.clone()).prop_map(|(comparison, parts)| Tree::If(comparison, parts)),
            four.prop_map(Tree::Match),
            pair.prop_map(Tree::Let),
        ]
    })
}

proptest! {
    #[test]
    fn rust_and_text_have_one_normal_form(tree in tree()) {
        let (rust, text) = (tree.rust(), tree.text("x"));
        let read = read("", &format!("fn g(x: f64) -> f64 {{ {rust} }}"));
        let parsed = Activation::parse(&format!("g(x) = {text}"));
        match (read, parsed) {
            (Ok(read), Ok(parsed)) => prop_assert_eq!(read, parsed, "{}", rust),
            // What Rust alone has.
            (Err(errors), _) if errors[0].contains("the sign of 0") => {}
            (Err(errors), Ok(_)) => prop_assert!(false, "{} for {}", errors[0], rust),
            (Ok(_), Err(error)) => prop_assert!(false, "{} for {}", error, text),
            (Err(_), Err(_)) => {}
        }
    }
}
