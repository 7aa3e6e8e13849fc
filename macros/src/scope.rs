//! The names that a body may use, and the budget that substituting them must keep to.

use gaussform_symbolic::Limit;
use gaussform_symbolic::grammar::Expression;
use syn::Ident;
use syn::ext::IdentExt;

use crate::number::Rational;
use crate::place::{Place, Report, origin};

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Meaning {
    /// The argument or a parameter.
    Argument,
    /// A `let` or `const`, with its number of nodes and its height.
    Value(Expression, Size),
    /// An integer, good for `powi` only.
    Integer(Rational),
    /// Something that was reported already.
    Failed,
}

/// The names in scope; the last of a name counts.
#[derive(Default)]
pub(crate) struct Scope(Vec<Binding>);

struct Binding {
    name: String,
    origin: Option<String>,
    meaning: Meaning,
}

impl Scope {
    /// Brings a name into scope. It may hide one of the same text, but not if only the compiler
    /// could tell which of the two a use means.
    pub(crate) fn bind(&mut self, name: &Ident, meaning: Meaning, report: &mut Report) {
        let origin = origin(name.span());
        let text = name.unraw().to_string();
        if self.0.iter().any(|known| known.name == text && known.origin != origin) {
            report.push(Place::from(name.span()).advise(
                format_args!("there are two names `{text}` here, told apart by macro hygiene only"),
                "choose another name for one of them",
            ));
        }
        self.0.push(Binding { name: text, origin, meaning });
    }

    /// What the name stands for.
    pub(crate) fn meaning(&self, name: &Ident) -> Option<&Meaning> {
        let name = name.unraw();
        self.0.iter().rev().find(|known| name == known.name).map(|known| &known.meaning)
    }

    /// How many names there are; [`leave`](Self::leave) goes back to it.
    pub(crate) fn mark(&self) -> usize {
        self.0.len()
    }

    /// Forgets the names bound since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The names, for an error.
    pub(crate) fn known(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for known in &self.0 {
            let name = format!("`{}`", known.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }
}

/// The extent of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Numbers, names and operators.
    pub(crate) nodes: usize,
    /// Levels of nesting.
    pub(crate) height: usize,
}

/// How much was built, and how deep it is nested. Bodies are bounded before anything recurses
/// along them, and substitutions before anything is copied.
#[derive(Default)]
pub(crate) struct Budget {
    nodes: usize,
    depth: usize,
    deepest: usize,
    exceeded: bool,
}

impl Budget {
    /// Goes a level deeper, if that is possible; [`leave`](Self::leave) comes back.
    pub(crate) fn enter(&mut self, place: impl Fn() -> Place, report: &mut Report) -> Option<()> {
        self.spend(Size { nodes: 1, height: 1 }, place, report)?;
        self.depth += 1;
        Some(())
    }

    /// Comes back from a level.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Accounts for something that is put here. Only the first excess is reported.
    pub(crate) fn spend(
        &mut self,
        size: Size,
        place: impl Fn() -> Place,
        report: &mut Report,
    ) -> Option<()> {
        self.nodes += size.nodes;
        self.deepest = self.deepest.max(self.depth + size.height);
        let limit = if self.deepest > Limit::Depth.maximum() {
            Limit::Depth
        } else if self.nodes > Limit::Nodes.maximum() {
            Limit::Nodes
        } else {
            return Some(());
        };
        if !self.exceeded {
            report.push(place().limit(limit, None));
        }
        self.exceeded = true;
        None
    }

    /// Runs `build` and measures what it builds.
    pub(crate) fn measure<B, T>(
        this: &mut B,
        budget: impl Fn(&mut B) -> &mut Self,
        build: impl FnOnce(&mut B) -> T,
    ) -> (T, Size) {
        let before = budget(this);
        let (nodes, outer) = (before.nodes, before.deepest);
        before.deepest = before.depth;
        let value = build(this);
        let after = budget(this);
        let size = Size { nodes: after.nodes - nodes, height: after.deepest - after.depth };
        after.deepest = after.deepest.max(outer);
        (value, size)
    }
}
