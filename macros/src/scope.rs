//! The names that a body may use, and the budget that substituting them must keep to.

use std::rc::Rc;

use gaussform_symbolic::Limit;
use gaussform_symbolic::grammar::Expression;
use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Ident, Pat};

use crate::known::Known;
use crate::number::Rational;
use crate::place::{Place, Report, origin};

/// The meaning of a name in a body.
#[derive(Clone)]
pub(crate) enum Meaning<'a> {
    /// The argument or a parameter.
    Argument,
    /// A number that was bound, with its number of nodes and its height.
    Value(Expression, Size),
    /// A condition that was bound, as 1 where it holds and 0 elsewhere.
    Truth(Expression, Size),
    /// An integer, good for `powi` only.
    Integer(Rational),
    /// A `const` or a function.
    Item(Rc<Known<'a>>),
    /// Something that was reported already.
    Failed,
}

/// The names in scope; the last of a name counts.
#[derive(Clone, Default)]
pub(crate) struct Scope<'a> {
    bindings: Vec<Binding<'a>>,
    /// The type of numbers of a generic function.
    pub(crate) generic: Option<&'a Ident>,
}

#[derive(Clone)]
struct Binding<'a> {
    name: String,
    origin: Option<String>,
    meaning: Meaning<'a>,
}

impl<'a> Scope<'a> {
    /// Brings a name into scope. It may hide one of the same text, but not if only the compiler
    /// could tell which of the two a use means.
    pub(crate) fn bind(&mut self, name: &Ident, meaning: Meaning<'a>, report: &mut Report) {
        let origin = origin(name.span());
        let text = name.unraw().to_string();
        if self.bindings.iter().any(|known| known.name == text && known.origin != origin) {
            report.push(Place::from(name.span()).advise(
                format_args!("there are two names `{text}` here, told apart by macro hygiene only"),
                "choose another name for one of them",
            ));
        }
        self.bindings.push(Binding { name: text, origin, meaning });
    }

    /// Binds the names of a pattern that was reported, so that their uses are not.
    pub(crate) fn bind_failed(&mut self, pattern: &Pat, report: &mut Report) {
        let mut tokens: Vec<TokenTree> = pattern.to_token_stream().into_iter().collect();
        while let Some(token) = tokens.pop() {
            match token {
                // Keywords such as `mut` are identifiers among tokens, but syn takes them for no
                // names.
                TokenTree::Ident(name) if syn::parse2::<Ident>(name.to_token_stream()).is_ok() => {
                    self.bind(&name, Meaning::Failed, report);
                }
                TokenTree::Group(group) => tokens.extend(group.stream()),
                _ => {}
            }
        }
    }

    /// The innermost meaning of the name, if it has one.
    pub(crate) fn meaning(&self, name: &Ident) -> Option<&Meaning<'a>> {
        let name = name.unraw();
        let known = self.bindings.iter().rev().find(|known| name == known.name);
        known.map(|known| &known.meaning)
    }

    /// How many names there are; [`leave`](Self::leave) goes back to it.
    pub(crate) fn mark(&self) -> usize {
        self.bindings.len()
    }

    /// Forgets the names bound since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        self.bindings.truncate(mark);
    }

    /// The names of values, for an error.
    pub(crate) fn known(&self) -> String {
        self.listed(|meaning| !matches!(meaning, Meaning::Item(item) if item.is_function()))
    }

    /// The names of functions that can be called, for an error.
    pub(crate) fn functions(&self) -> String {
        self.listed(|meaning| matches!(meaning, Meaning::Item(item) if item.is_callable()))
    }

    fn listed(&self, is_listed: impl Fn(&Meaning<'a>) -> bool) -> String {
        let mut names: Vec<String> = Vec::new();
        for known in self.bindings.iter().filter(|known| is_listed(&known.meaning)) {
            let name = format!("`{}`", known.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    /// The scope of an item's body: the items of its own block and of the blocks around it, without anything that is
    /// bound by `let`.
    pub(crate) fn of_item(&self, item: &Known<'a>) -> Self {
        let is_neighbour = |binding: &Binding<'a>| match &binding.meaning {
            Meaning::Item(other) => Rc::ptr_eq(&other.block, &item.block),
            _ => false,
        };
        let end = self.bindings.iter().rposition(is_neighbour).map_or(0, |last| last + 1);
        let is_item = |binding: &&Binding<'a>| matches!(binding.meaning, Meaning::Item(_));
        let bindings = self.bindings[..end].iter().filter(is_item).cloned().collect();
        Self { bindings, generic: None }
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
    /// A budget of its own, at the same depth.
    pub(crate) fn at_the_depth_of(other: &Self) -> Self {
        Self { depth: other.depth, deepest: other.depth, ..Self::default() }
    }

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
        // The height of this part alone is wanted, so the deepest level of what was before is put
        // aside.
        before.deepest = before.depth;
        let value = build(this);
        let after = budget(this);
        let size = Size { nodes: after.nodes - nodes, height: after.deepest - after.depth };
        after.deepest = after.deepest.max(outer);
        (value, size)
    }
}
