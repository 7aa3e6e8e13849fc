//! Blocks of the IR as Python statements over arrays.
//!
//! Every arm of a branch is computed and selected. A variable that is read once, in the block that
//! computes it, is written in its place unless the line would become long.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_symbolic::exact::Rational;
use num_traits::{Signed, Zero};

use super::Target;
use super::layout::statement;
use super::number::{float, words};
use crate::inline::read_once;
use crate::ir::{Block, Case, Condition, Expr, Input, Operand, Product, Stmt, Var, Word};
use crate::rounding::{Length, ROOT_TWO_OVER_PI, nearest};

/// The longest expression that is written inside of another one.
const LONGEST: usize = 36;

/// The most variables that are assigned to in one statement.
const MOST_NAMES: usize = 8;

/// The name of an array of zeros.
const ZERO: &str = "zero";

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
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

    fn atom(text: impl Into<String>) -> Self {
        Self::new(text.into(), Binding::Atom)
    }

    /// The text, in parentheses if it binds less tightly than needed.
    fn at_least(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// Writes the body of one function.
pub(super) struct Printer<'a> {
    target: Target,
    pieces: usize,
    /// The name of the input γ.
    argument: &'a str,
    /// What the variables of the block begin with.
    prefix: String,
    indent: usize,
    text: String,
    inlined: BTreeMap<Var, Fragment>,
    /// Words that have a name.
    words: BTreeMap<(Length, Word), String>,
    /// The knots, as they are named.
    knots: &'a [Word],
}

impl<'a> Printer<'a> {
    pub(super) fn new(target: Target, knots: &'a [Word], argument: &'a str) -> Self {
        Self {
            target,
            pieces: knots.len() + 1,
            argument,
            prefix: "v".to_owned(),
            indent: 0,
            text: String::new(),
            inlined: BTreeMap::new(),
            words: BTreeMap::new(),
            knots,
        }
    }

    /// Writes a statement.
    pub(super) fn line(&mut self, text: &str) {
        self.text += &statement(self.indent, text);
    }

    /// Goes into the body of what was written.
    pub(super) fn enter(&mut self) {
        self.indent += 1;
    }

    /// What was written, without an array of zeros that nothing reads.
    pub(super) fn finish(self) -> String {
        let start = format!("    zero = xp.zeros_like({})\n", self.argument);
        let reads = self.text.matches("zero").count() - self.text.matches("zeros_like").count();
        let is_idle = reads == 1;
        if is_idle { self.text.replace(&start, "") } else { self.text }
    }

    /// Names the words that blocks read and that depend on parameters.
    pub(super) fn words(&mut self, blocks: &[&Block]) {
        let mut found = BTreeSet::new();
        for block in blocks {
            words_of(block, &mut found);
        }
        for word in &found {
            self.name_word(Length::Double, word);
        }
    }

    /// The knots in a list.
    pub(super) fn places(&mut self) {
        for knot in self.knots {
            self.name_word(Length::Triple, knot);
        }
        let knots: Vec<String> =
            self.knots.iter().map(|knot| self.word(Length::Triple, knot)).collect();
        self.line(&format!("knots = [{}]", knots.join(", ")));
    }

    /// Gives a name to a word that moves and to its parts.
    pub(super) fn name_word(&mut self, length: Length, word: &Word) {
        let key = (length, word.clone());
        if self.words.contains_key(&key) || matches!(word, Word::Constant(_) | Word::Parameter(_)) {
            return;
        }
        let call = match word {
            Word::Negate(a) => {
                self.name_word(length, a);
                format!("_{}_negate(p, {})", length.name(), self.word(length, a))
            }
            Word::Add(sides) => self.word_call(length, "add", sides),
            Word::Multiply(sides) => self.word_call(length, "multiply", sides),
            Word::Divide(sides) => self.word_call(length, "divide", sides),
            Word::Constant(_) | Word::Parameter(_) => unreachable!("has no name"),
        };
        let name = format!("w{}", self.words.len());
        self.line(&format!("{name} = {call}"));
        self.words.insert(key, name);
    }

    fn word_call(&mut self, length: Length, name: &str, sides: &[Word; 2]) -> String {
        for side in sides {
            self.name_word(length, side);
        }
        let [left, right] = sides.each_ref().map(|side| match side {
            Word::Constant(value) => self.lifted(length, value),
            side => self.word(length, side),
        });
        format!("_{}_{name}(p, {left}, {right})", length.name())
    }

    /// A constant where arithmetic of words is done: an array where numbers of Python would not be
    /// rounded to the precision.
    fn lifted(&self, length: Length, value: &Rational) -> String {
        let words = words(self.target, length, value);
        if self.target.has_single() { format!("_lift(theta0, {words})") } else { words }
    }

    /// A word as an expression that gives its parts.
    pub(super) fn word(&self, length: Length, word: &Word) -> String {
        match word {
            Word::Constant(value) => words(self.target, length, value),
            Word::Parameter(index) => {
                let zeros = format!(", xp.zeros_like(theta{index})").repeat(length.zeros().len());
                format!("(theta{index}{zeros})")
            }
            word => self.words[&(length, word.clone())].clone(),
        }
    }

    /// The statements of the limits at rest, whose variables are their own.
    pub(super) fn at_rest(&mut self, index: usize, block: &Block) -> Vec<String> {
        let inlined = std::mem::take(&mut self.inlined);
        let prefix = std::mem::replace(&mut self.prefix, format!("rest{index}_"));
        let results = self.block(block);
        self.inlined = inlined;
        self.prefix = prefix;
        results
    }

    /// The statements of a block; gives its results.
    pub(super) fn block(&mut self, block: &Block) -> Vec<String> {
        let once = read_once(block);
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let fragment = self.expr(expr);
                    if once.contains(var) && fragment.text.len() <= LONGEST {
                        self.inlined.insert(*var, fragment);
                    } else {
                        let text = format!("{} = {}", self.variable(*var), fragment.text);
                        self.line(&text);
                    }
                }
                Stmt::Branch { condition, arms, outputs } => self.branch(condition, arms, outputs),
                Stmt::Quadrature { piece, product, outputs } => {
                    self.quadrature(piece - 1, product, outputs);
                }
            }
        }
        block.results.iter().map(|result| self.array(&self.operand(result))).collect()
    }

    fn branch(&mut self, condition: &Condition, arms: &[Block], outputs: &[Var]) {
        match condition {
            Condition::Case(cases) => {
                self.zeros(outputs);
                for (case, arm) in cases.iter().zip(arms) {
                    let piece = case.piece();
                    let narrow = matches!(case, Case::Narrow(_));
                    let kind = if narrow { ", which is narrow" } else { "" };
                    self.line(&format!("# gamma on piece {piece}{kind}"));
                    let mask = self.case(*case);
                    self.line(&format!("case = {mask}"));
                    self.selected("case", arm, outputs, Some(ZERO));
                }
            }
            Condition::Narrow(piece) => {
                let results = self.block(&arms[1]);
                for (var, result) in outputs.iter().zip(results) {
                    let text = format!("{} = {result}", self.variable(*var));
                    self.line(&text);
                }
                self.selected(&format!("narrow[{}]", piece - 1), &arms[0], outputs, None);
            }
            Condition::Place => {
                let [output] = outputs else { unreachable!("g has one value") };
                let name = self.variable(*output);
                let (last, rest) = arms.split_last().expect("a branch has arms");
                let value = self.block(last);
                self.line(&format!("{name} = {}", value[0]));
                for (knot, arms) in rest.chunks(2).enumerate().rev() {
                    for (test, arm) in [("on", &arms[1]), ("below", &arms[0])] {
                        let value = self.block(arm);
                        let argument = self.argument;
                        self.line(&format!(
                            "{name} = xp.where(_is_{test}({argument}, knots[{knot}]), {}, {name})",
                            value[0]
                        ));
                    }
                }
            }
        }
    }

    /// Variables that are 0 where nothing else is assigned to them.
    fn zeros(&mut self, outputs: &[Var]) {
        for outputs in outputs.chunks(MOST_NAMES) {
            let names: Vec<String> = outputs.iter().map(|var| self.variable(*var)).collect();
            self.line(&format!("{} = {ZERO}", names.join(" = ")));
        }
    }

    /// Integrals over a bounded piece, counted without the unbounded one on the left.
    fn quadrature(&mut self, piece: usize, product: &Product, outputs: &[Var]) {
        let list = |factor: &[Operand]| {
            let values: Vec<String> =
                factor.iter().map(|value| self.array(&self.operand(value))).collect();
            format!("[{}]", values.join(", "))
        };
        let [first, second] = [&product.first, &product.second].map(|factor| list(factor));
        let less = self.operand(&product.less).text;
        let names: Vec<String> = outputs.iter().map(|var| self.variable(*var)).collect();
        let count = outputs.len();
        let call = format!("_products(strips[{piece}], {first}, {second}, {less}, {count})");
        let assignment = format!("[{}] = {call}", names.join(", "));
        if self.target.skips() {
            self.zeros(outputs);
            self.line(&format!("if narrow[{piece}].any():"));
            self.indent += 1;
            self.line(&assignment);
            self.indent -= 1;
        } else {
            self.line(&assignment);
        }
    }

    /// Overwrites outputs where a mask holds, but for those that have the value already.
    fn selected(&mut self, mask: &str, arm: &Block, outputs: &[Var], already: Option<&str>) {
        let skips = self.target.skips();
        if skips {
            self.line(&format!("if {mask}.any():"));
            self.indent += 1;
        }
        let body = self.text.len();
        let results = self.block(arm);
        let results = outputs.iter().zip(&results);
        for (var, result) in results.filter(|(_, result)| already != Some(&result[..])) {
            let name = self.variable(*var);
            self.line(&format!("{name} = xp.where({mask}, {result}, {name})"));
        }
        if skips && self.text.len() == body {
            self.line("pass");
        }
        if skips {
            self.indent -= 1;
        }
    }

    /// Where γ lies so.
    fn case(&self, case: Case) -> String {
        let piece = case.piece();
        let mut parts = Vec::new();
        if piece > 0 {
            parts.push(format!("~right[{}]", piece - 1));
        }
        if piece + 1 < self.pieces {
            parts.push(format!("right[{piece}]"));
        }
        if parts.len() == 2 {
            let sign = if matches!(case, Case::Narrow(_)) { "" } else { "~" };
            parts.push(format!("{sign}narrow[{}]", piece - 1));
        }
        parts.join(" & ")
    }

    fn variable(&self, var: Var) -> String {
        format!("{}{var}", self.prefix)
    }

    fn expr(&self, expr: &Expr) -> Fragment {
        let operand = |o: &Operand| self.operand(o);
        match expr {
            Expr::Add(a, b) | Expr::Subtract(a, b) => {
                let a = operand(a).at_least(Binding::Sum);
                let b = operand(b).at_least(Binding::Product);
                let sign = if matches!(expr, Expr::Add(..)) { '+' } else { '-' };
                Fragment::new(format!("{a} {sign} {b}"), Binding::Sum)
            }
            Expr::Multiply(a, b) => {
                let a = operand(a).at_least(Binding::Product);
                let b = operand(b).at_least(Binding::Sign);
                Fragment::new(format!("{a} * {b}"), Binding::Product)
            }
            Expr::Negate(a) => {
                let a = operand(a).at_least(Binding::Atom);
                Fragment::new(format!("-{a}"), Binding::Sign)
            }
            Expr::Polynomial(around, coefficients) => {
                let words: Vec<String> =
                    coefficients.iter().map(|c| self.word(Length::Double, c)).collect();
                let (words, argument) = (words.join(", "), self.argument);
                Fragment::atom(match around {
                    None => format!("_polynomial(p, [{words}], {argument})"),
                    Some(knot) => {
                        format!("_polynomial_around(p, [{words}], knots[{knot}], {argument})")
                    }
                })
            }
            Expr::Word(Word::Constant(value)) => self.constant(value),
            Expr::Word(Word::Parameter(index)) => Fragment::atom(format!("theta{index}")),
            Expr::Word(word) => Fragment::atom(format!("{}[0]", self.word(Length::Double, word))),
            Expr::Pole(coefficient, otherwise) => {
                let [a, b] = [coefficient, otherwise].map(|o| operand(o).text);
                Fragment::atom(format!("_pole(gamma, {a}, {b})"))
            }
            Expr::Seen(value) => {
                Fragment::atom(format!("xp.where(seen, {}, 0.0)", operand(value).text))
            }
            Expr::Nearer([near, far], first, second) => {
                let [first, second] = [first, second].map(|o| self.array(&operand(o)));
                let mask = format!("abs(z[{near}]) <= abs(z[{far}])");
                Fragment::atom(format!("xp.where({mask}, {first}, {second})"))
            }
            Expr::Side(knot, left, right) => {
                let [left, right] = [left, right].map(|o| self.array(&operand(o)));
                Fragment::atom(format!("xp.where(right[{knot}], {left}, {right})"))
            }
        }
    }

    /// A number as an array.
    fn array(&self, fragment: &Fragment) -> String {
        let text = &fragment.text;
        match text.parse::<f64>() {
            Ok(0.0) => ZERO.to_owned(),
            Ok(_) => format!("zero + {text}").replace("+ -", "- "),
            Err(_) => text.clone(),
        }
    }

    fn constant(&self, value: &Rational) -> Fragment {
        let negative = value.is_negative() && !value.is_zero();
        let binding = if negative { Binding::Sign } else { Binding::Atom };
        Fragment::new(float::<f64>(nearest(value)), binding)
    }

    fn operand(&self, operand: &Operand) -> Fragment {
        match operand {
            Operand::Constant(value) => self.constant(value),
            Operand::Var(var) => self
                .inlined
                .get(var)
                .cloned()
                .unwrap_or_else(|| Fragment::atom(self.variable(*var))),
            Operand::Input(input) => Fragment::atom(self.input(input)),
        }
    }

    fn input(&self, input: &Input) -> String {
        match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Xi => "xi".to_owned(),
            Input::InverseXi => "inverse".to_owned(),
            Input::Parameter(index) => format!("theta{index}"),
            Input::Distance(knot) => format!("s[{knot}]"),
            Input::SignedDistance(knot) => format!("score[{knot}]"),
            Input::Displacement(knot) => format!("d[{knot}]"),
            Input::DensityUnit => "p.unit".to_owned(),
            Input::Density(knot) => format!("h[{knot}]"),
            Input::Tail(knot, order) => format!("tails[{order}][{knot}]"),
            Input::Integral(piece, j) => format!("integrals[{}][{j}]", piece - 1),
            Input::RootTwoOverPi => float(ROOT_TWO_OVER_PI),
        }
    }
}

/// Whether a block reads an input of a kind.
pub(super) fn reads(block: &Block, kind: impl Fn(&Input) -> bool) -> bool {
    let mut found = false;
    block.visit(&mut |operand| found |= matches!(operand, Operand::Input(input) if kind(input)));
    found
}

/// Whether a block has a computation of a kind.
pub(super) fn has(block: &Block, kind: &impl Fn(&Expr) -> bool) -> bool {
    block.statements.iter().any(|statement| match statement {
        Stmt::Let(_, expr) => kind(expr),
        Stmt::Branch { arms, .. } => arms.iter().any(|arm| has(arm, kind)),
        Stmt::Quadrature { .. } => false,
    })
}

/// The words in a block.
fn words_of(block: &Block, found: &mut BTreeSet<Word>) {
    for statement in &block.statements {
        match statement {
            Stmt::Let(_, Expr::Word(word)) => {
                found.insert(word.clone());
            }
            Stmt::Let(_, Expr::Polynomial(_, coefficients)) => {
                found.extend(coefficients.iter().cloned());
            }
            Stmt::Let(..) | Stmt::Quadrature { .. } => {}
            Stmt::Branch { arms, .. } => arms.iter().for_each(|arm| words_of(arm, found)),
        }
    }
}
