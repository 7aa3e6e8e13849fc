//! The body of a function, in which words have names.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_symbolic::exact::Rational;

use super::Target;
use super::block::Python;
use super::lines::Lines;
use super::number::words;
use crate::ir::{Block, Expr, Stmt, Word};
use crate::print::Printer;
use crate::rounding::Length;

/// Writes one function.
pub(super) struct Body<'a> {
    language: Python<'a>,
    lines: Lines,
    /// The knots, as they are named.
    knots: &'a [Word],
}

impl<'a> Body<'a> {
    /// A body with the head of its function, and with the name of the input γ.
    pub(super) fn new(target: Target, knots: &'a [Word], argument: &'a str, head: &str) -> Self {
        let (pieces, prefix) = (knots.len() + 1, "v".to_owned());
        let language = Python { target, pieces, argument, prefix, words: BTreeMap::new() };
        let mut body = Self { language, lines: Lines::default(), knots };
        body.lines.open(head);
        body.line(&format!("zero = xp.zeros_like({argument})"));
        body
    }

    /// Writes a statement.
    pub(super) fn line(&mut self, text: &str) {
        self.lines.line(text);
    }

    /// The text that was written, without an array of zeros that nothing reads.
    pub(super) fn finish(self) -> String {
        let start = format!("    zero = xp.zeros_like({})\n", self.language.argument);
        let text = self.lines.finish();
        let reads = text.matches("zero").count() - text.matches("zeros_like").count();
        let is_idle = reads == 1;
        if is_idle { text.replace(&start, "") } else { text }
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
        if self.language.words.contains_key(&key)
            || matches!(word, Word::Constant(_) | Word::Parameter(_))
        {
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
        let name = format!("w{}", self.language.words.len());
        self.line(&format!("{name} = {call}"));
        self.language.words.insert(key, name);
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
        let words = words(self.language.target, length, value);
        if self.language.target.has_single() { format!("_lift(theta0, {words})") } else { words }
    }

    /// A word as an expression that gives its parts.
    pub(super) fn word(&self, length: Length, word: &Word) -> String {
        self.language.parts(length, word)
    }

    /// The statements of a block; gives its results.
    pub(super) fn block(&mut self, block: &Block) -> Vec<String> {
        Printer::plain(&self.language).block(block, &mut self.lines)
    }

    /// The statements of the limits at zero variance, whose variables are their own.
    pub(super) fn at_zero_variance(&mut self, index: usize, block: &Block) -> Vec<String> {
        let prefix = std::mem::replace(&mut self.language.prefix, format!("rest{index}_"));
        let results = self.block(block);
        self.language.prefix = prefix;
        results
    }
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
            Stmt::Let(..) | Stmt::Integrate { .. } => {}
            Stmt::Branch { arms, .. } => arms.iter().for_each(|arm| words_of(arm, found)),
        }
    }
}
