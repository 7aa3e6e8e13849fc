//! Blocks of the IR as statements of C.
//!
//! A variable that is read once, in the block that computes it, is written in its place, unless
//! the line would become long.

use std::collections::{BTreeMap, BTreeSet};

use super::routine::strip;
use super::source::{Source, float};
use super::word;
use crate::builder::zero;
use crate::inline::{is_read, read_once};
use crate::ir::{Block, Case, Condition, Expr, Input, Operand, Product, Stmt, Var};
use crate::rounding::{ROOT_TWO_OVER_PI, double};

/// What the code computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `double`, with operators.
    Double,
    /// Numbers with a wide exponent, with calls.
    Wide,
}

impl Numbers {
    /// The type, as the prelude names it.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Double => "gsf_f64",
            Self::Wide => "gsf_wide",
        }
    }

    /// The type, as a declaration names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Wide => "gsf_wide",
        }
    }
}

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Sum,
    Product,
    Sign,
    Atom,
}

#[derive(Clone)]
struct Fragment {
    text: String,
    binding: Binding,
}

impl Fragment {
    fn new(text: String, binding: Binding) -> Self {
        Self { text, binding }
    }

    fn atom(text: String) -> Self {
        Self::new(text, Binding::Atom)
    }

    /// The text, in parentheses if it binds less tightly than needed.
    fn at_least(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// An expression longer than this gets a line of its own.
const LONG: usize = 64;

/// Prints blocks of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Printer<'a> {
    pub(super) numbers: Numbers,
    /// The name of the input γ.
    pub(super) argument: &'static str,
    /// How many knots there are.
    pub(super) knots: usize,
    /// Whether every piece is straight.
    pub(super) linear: bool,
    /// Whether tails are pairs of numbers.
    pub(super) is_precise: bool,
    /// The variables that hold pairs.
    pub(super) pairs: &'a BTreeSet<Var>,
    /// Whether the block at hand is computed in pairs.
    pub(super) in_pairs: bool,
}

type Inlined = BTreeMap<Var, Fragment>;

impl Printer<'_> {
    /// Prints the statements of a block, and returns its results as what surrounds it computes with.
    pub(super) fn block(&self, block: &Block, source: &mut Source) -> Vec<String> {
        let results = Self { in_pairs: block.in_pairs, ..*self }.inside(block, source);
        let results = results.into_iter().map(|r| self.convert(Fragment::atom(r), block.in_pairs));
        results.map(|result| result.text).collect()
    }

    /// A value of a block that is computed in pairs, or not.
    fn convert(&self, value: Fragment, in_pairs: bool) -> Fragment {
        match (in_pairs, self.in_pairs) {
            (true, false) => self.call("pair_round", &[&value.text]),
            (false, true) => self.call("pair_exact", &[&value.text]),
            _ => value,
        }
    }

    fn inside(&self, block: &Block, source: &mut Source) -> Vec<String> {
        let once = read_once(block);
        let mut inlined = Inlined::new();
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    if let Expr::Polynomial(_, coefficients) = expr {
                        let words: Vec<String> = coefficients.iter().map(word::initial).collect();
                        let list =
                            if words.is_empty() { "{0.0, 0.0}".into() } else { words.join(", ") };
                        source.line(&format!("const gsf_word c{var}[] = {{{list}}};"));
                    }
                    let fragment = self.expr(*var, expr, &inlined);
                    if once.contains(var) && fragment.text.len() <= LONG {
                        inlined.insert(*var, fragment);
                    } else {
                        let kind = self.value_type();
                        source.line(&format!("const {kind} v{var} = {};", fragment.text));
                    }
                }
                Stmt::Branch { condition, arms, outputs } => {
                    self.branch(condition, arms, outputs, source);
                }
                Stmt::Quadrature { piece, product, outputs } => {
                    let sums = self.quadrature(*piece, product, outputs, &inlined, source);
                    for (var, sum) in outputs.iter().zip(sums) {
                        if once.contains(var) {
                            inlined.insert(*var, Fragment::atom(sum));
                        } else if is_read(block, *var) {
                            source.line(&format!("const {} v{var} = {sum};", self.value_type()));
                        }
                    }
                }
            }
        }
        block.results.iter().map(|r| self.operand(r, &inlined).text).collect()
    }

    /// Integrals over a piece, as elements of an array.
    fn quadrature(
        &self,
        piece: usize,
        product: &Product,
        outputs: &[Var],
        inlined: &Inlined,
        source: &mut Source,
    ) -> Vec<String> {
        let (kind, number) = (self.numbers.kind(), self.numbers.name());
        let [id, orders] = [outputs[0], outputs.len()];
        let plain = Self { in_pairs: false, ..*self };
        let rounded = |o: &Operand| plain.convert(self.operand(o, inlined), self.in_pairs).text;
        let zero = zero();
        let mut array = |name: &str, factor: &[Operand]| {
            let zeros = std::iter::repeat_n(&zero, product.first.len() - factor.len());
            let values: Vec<String> = factor.iter().chain(zeros).map(rounded).collect();
            source.line(&format!("const {number} {name}{id}[] = {{{}}};", values.join(", ")));
            format!("{name}{id}")
        };
        let a = array("a", &product.first);
        let b =
            if product.first == product.second { a.clone() } else { array("b", &product.second) };
        let less = rounded(&product.less);
        let count = product.first.len();
        source.line(&format!("{number} sums{id}[{orders}];"));
        let strip = strip(self.linear);
        source.line(&format!(
            "{kind}_{strip}_products(&strip{piece}, {a}, {b}, {count}, {less}, {orders}, sums{id});"
        ));
        let sums = (0..orders).map(|order| format!("sums{id}[{order}]"));
        sums.map(|sum| self.convert(Fragment::atom(sum), false).text).collect()
    }

    /// What a value is stored as.
    fn value_type(&self) -> String {
        if self.in_pairs {
            format!("{}_pair", self.numbers.kind())
        } else {
            self.numbers.name().to_owned()
        }
    }

    fn branch(&self, condition: &Condition, arms: &[Block], outputs: &[Var], source: &mut Source) {
        for output in outputs {
            source.line(&format!("{} v{output};", self.value_type()));
        }
        if let Condition::Place = condition {
            source.open(&format!("switch (gsf_place({}, knots, {}))", self.argument, self.knots));
            for (place, arm) in arms.iter().enumerate() {
                let last = place + 1 == arms.len();
                let label = if last { "default:".to_owned() } else { format!("case {place}:") };
                source.open(&label);
                self.arm(arm, outputs, source);
                source.line("break;");
                source.close();
            }
            source.close();
            return;
        }
        for (i, arm) in arms.iter().enumerate() {
            let test = match condition {
                _ if i + 1 == arms.len() => None,
                Condition::Case(cases) => Some(self.case(cases[i])),
                Condition::Narrow(piece) => Some(format!("narrow[{piece}]")),
                Condition::Place => unreachable!("printed above"),
            };
            source.choice(i > 0, test.as_deref());
            self.arm(arm, outputs, source);
        }
        source.close();
    }

    fn arm(&self, arm: &Block, outputs: &[Var], source: &mut Source) {
        let results = self.block(arm, source);
        for (output, result) in outputs.iter().zip(results) {
            source.line(&format!("v{output} = {result};"));
        }
    }

    /// Whether γ lies so.
    fn case(&self, case: Case) -> String {
        let piece = case.piece();
        let on = format!("{}_is_on(edges, {}, {piece})", self.numbers.kind(), self.knots);
        let bounded = piece > 0 && piece < self.knots;
        match case {
            Case::Wide(_) if bounded => format!("!narrow[{piece}] && {on}"),
            Case::Wide(_) => on,
            Case::Narrow(_) => format!("narrow[{piece}] && {on}"),
        }
    }

    fn call(&self, name: &str, arguments: &[&str]) -> Fragment {
        Fragment::atom(format!("{}_{name}({})", self.numbers.kind(), arguments.join(", ")))
    }

    /// How the names of operations begin that are calls.
    fn calls(&self) -> Option<&'static str> {
        match self.numbers {
            _ if self.in_pairs => Some("pair_"),
            Numbers::Wide => Some(""),
            Numbers::Double => None,
        }
    }

    /// An operation on two operands.
    fn binary(&self, name: &str, sign: char, level: Binding, sides: [&Fragment; 2]) -> Fragment {
        if let Some(prefix) = self.calls() {
            return self.call(&format!("{prefix}{name}"), &sides.map(|side| side.text.as_str()));
        }
        // The right side binds more tightly, so that the order of operations is that of the IR.
        let tighter = if level == Binding::Sum { Binding::Product } else { Binding::Sign };
        let (left, right) = (sides[0].at_least(level), sides[1].at_least(tighter));
        Fragment::new(format!("{left} {sign} {right}"), level)
    }

    /// One of two operands.
    fn select(&self, test: &str, yes: &Fragment, no: &Fragment) -> Fragment {
        if let Some(prefix) = self.calls() {
            return self.call(&format!("{prefix}select"), &[test, &yes.text, &no.text]);
        }
        let [yes, no] = [yes, no].map(|side| side.at_least(Binding::Sum));
        Fragment::new(format!("{test} ? {yes} : {no}"), Binding::Choice)
    }

    fn expr(&self, var: Var, expr: &Expr, inlined: &Inlined) -> Fragment {
        let operand = |o: &Operand| self.operand(o, inlined);
        let kind = self.numbers.kind();
        match expr {
            Expr::Add(a, b) => self.binary("add", '+', Binding::Sum, [&operand(a), &operand(b)]),
            Expr::Subtract(a, b) => {
                self.binary("sub", '-', Binding::Sum, [&operand(a), &operand(b)])
            }
            Expr::Multiply(a, b) => {
                self.binary("mul", '*', Binding::Product, [&operand(a), &operand(b)])
            }
            Expr::Negate(a) => match self.calls() {
                Some(prefix) => self.call(&format!("{prefix}neg"), &[&operand(a).text]),
                None => {
                    let a = operand(a).at_least(Binding::Atom);
                    Fragment::new(format!("-{a}"), Binding::Sign)
                }
            },
            Expr::Polynomial(around, coefficients) => {
                let (c, count) = (format!("c{var}"), coefficients.len().to_string());
                let value = match around {
                    None => self.call("polynomial", &[&c, &count, self.argument]),
                    Some(knot) => {
                        let knot = format!("knots[{knot}]");
                        self.call("polynomial_around", &[&c, &count, &knot, self.argument])
                    }
                };
                if self.in_pairs { value } else { Fragment::atom(format!("{}.high", value.text)) }
            }
            Expr::Word(value) => {
                if self.in_pairs {
                    return self.call("of_word", &[&word::text(value)]);
                }
                let high = format!("{}.high", word::text(value));
                match self.numbers {
                    Numbers::Double => Fragment::atom(high),
                    Numbers::Wide => self.call("of", &[&high]),
                }
            }
            Expr::Pole(coefficient, otherwise) => {
                let [a, b] = [coefficient, otherwise].map(|o| operand(o).text);
                Fragment::atom(format!("gsf_pole({a}, {b})"))
            }
            Expr::Seen(value) => self.select("seen", &operand(value), &self.constant([0.0; 2])),
            Expr::Nearer([near, far], first, second) => {
                let test = format!("{kind}_is_nearer(edges[{near}], edges[{far}])");
                self.select(&test, &operand(first), &operand(second))
            }
            Expr::Side(knot, left, right) => {
                let test = format!("{kind}_is_right(edges[{knot}])");
                self.select(&test, &operand(left), &operand(right))
            }
        }
    }

    /// A constant of two words.
    fn constant(&self, [value, low]: [f64; 2]) -> Fragment {
        match self.numbers {
            _ if self.in_pairs => self.call("pair_words", &[&float(value), &float(low)]),
            Numbers::Wide => self.call("of", &[&float(value)]),
            Numbers::Double if value.is_sign_negative() => {
                Fragment::new(float(value), Binding::Sign)
            }
            Numbers::Double => Fragment::atom(float(value)),
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined) -> Fragment {
        match operand {
            Operand::Constant(value) => self.constant(double(value)),
            Operand::Var(var) => {
                let name = || Fragment::atom(format!("v{var}"));
                let held = || self.convert(name(), self.pairs.contains(var));
                inlined.get(var).cloned().unwrap_or_else(held)
            }
            Operand::Input(input) => self.input(input),
        }
    }

    fn input(&self, input: &Input) -> Fragment {
        let pair = |name: &str, of: &str| self.call(&format!("{name}_pair"), &[of]);
        let edge = |knot: usize| format!("edges[{knot}]");
        match *input {
            Input::Tail(knot, order) => {
                let tail = Fragment::atom(format!("tails[{knot}][{order}]"));
                return self.convert(tail, self.is_precise);
            }
            Input::RootTwoOverPi => return self.constant([ROOT_TWO_OVER_PI, 0.0]),
            Input::Xi if self.in_pairs => return pair("xi", "deviation"),
            Input::InverseXi if self.in_pairs => return pair("inverse", "deviation"),
            Input::Distance(knot) if self.in_pairs => return pair("distance", &edge(knot)),
            Input::SignedDistance(knot) if self.in_pairs => return pair("score", &edge(knot)),
            Input::Density(knot) if self.in_pairs => return pair("density", &edge(knot)),
            _ => {}
        }
        let number = Fragment::atom(match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Xi => "deviation.xi".to_owned(),
            Input::InverseXi => "deviation.inverse".to_owned(),
            Input::Parameter(i) => match self.numbers {
                Numbers::Double => format!("p[{i}]"),
                Numbers::Wide => format!("gsf_wide_of(p[{i}])"),
            },
            Input::Distance(knot) => format!("{}.s", edge(knot)),
            Input::SignedDistance(knot) => {
                format!("{}_score({})", self.numbers.kind(), edge(knot))
            }
            Input::Displacement(knot) => format!("{}.d", edge(knot)),
            Input::DensityUnit => match self.numbers {
                Numbers::Double => "GSF_DENSITY_UNIT".to_owned(),
                Numbers::Wide => "gsf_wide_of(GSF_DENSITY_UNIT)".to_owned(),
            },
            Input::Density(knot) => format!("{}.h", edge(knot)),
            Input::Integral(piece, j) => format!("integrals{piece}[{j}]"),
            Input::Tail(..) | Input::RootTwoOverPi => unreachable!("printed above"),
        });
        self.convert(number, false)
    }
}
