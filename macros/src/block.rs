//! Blocks: items, `let` and early returns, then a value.
//!
//! `if c { return a; } b` is `if c { a } else { b }`.

use gaussform_symbolic::grammar::{Condition, Expression, ExpressionKind};
use syn::{Block, Expr, ExprIf, Ident, Local, Pat, Stmt};

use crate::body::{Reader, ValueOf};
use crate::place::Place;
use crate::scope::Meaning;
use crate::unsupported;

/// The early returns of a block, in their order.
#[derive(Default)]
struct Early {
    /// Where the first one stands.
    place: Option<Place>,
    branches: Vec<(Condition, Expression)>,
}

/// Whether each branch of `if … else if …` ends with `return`, and there is no last `else`.
fn leaves(first: &ExprIf) -> bool {
    let mut next = first;
    loop {
        if !matches!(next.then_branch.stmts.last(), Some(Stmt::Expr(Expr::Return(_), _))) {
            return false;
        }
        match next.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            None => return true,
            Some(Expr::If(chained)) => next = chained,
            Some(_) => return false,
        }
    }
}

impl<'a> Reader<'_, 'a> {
    /// Reads a block whose value is a number.
    pub(crate) fn block(&mut self, block: &'a Block, of: ValueOf) -> Option<Expression> {
        let mark = self.scope.mark();
        // Items are in scope of the whole block.
        let items = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        });
        let mut sound = self.bind_items(items).is_some();
        let (mut value, mut early) = (None, Early::default());
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match statement {
                Stmt::Item(_) => {}
                Stmt::Local(local) => sound &= self.local(local).is_some(),
                Stmt::Expr(expr, None) if last => value = Some(self.expression_of(expr, of)),
                // `return x;` at the end is the value too, although it has a semicolon.
                Stmt::Expr(expr @ Expr::Return(_), Some(_)) if last => {
                    value = Some(self.expression_of(expr, of));
                }
                Stmt::Expr(Expr::If(first), _) if of == ValueOf::Function && leaves(first) => {
                    sound &= self.early(first, &mut early).is_some();
                }
                Stmt::Expr(expr, semicolon) => {
                    sound = false;
                    // What it assigns to was reported where it was bound.
                    if !self.assigns_to_failed(expr) {
                        let semicolon = semicolon.as_ref().filter(|_| last);
                        self.report.refuse(unsupported::statement(expr, semicolon));
                    }
                }
                Stmt::Macro(invocation) => {
                    sound = false;
                    self.report.push(unsupported::invocation(&invocation.mac));
                }
            }
        }
        self.scope.leave(mark);
        if early.place.is_some() {
            // Entered once, by the first early return, for the `else` that holds all that follows.
            self.budget.leave();
        }
        match value {
            Some(value) => value.filter(|_| sound).map(|value| self.unless(early, value)),
            None if sound => {
                let braces = block.brace_token.span;
                let place = Place::from(braces.open()).to(braces.close());
                self.refuse(place.error("the block has no value"))
            }
            None => {
                // The compiler refuses a block without a value as well.
                self.report.refused = true;
                None
            }
        }
    }

    /// Reads an `if` whose branches all return. What follows it is a level deeper, in its `else`.
    fn early(&mut self, first: &'a ExprIf, early: &mut Early) -> Option<()> {
        let place = Place::of(&first.if_token);
        if early.place.is_none() {
            self.budget.enter(|| place, self.report)?;
            early.place = Some(place);
        }
        let plain = self.plain(&first.attrs);
        let (branches, _) = self.branches(first, ValueOf::Function);
        early.branches.extend(branches?);
        plain
    }

    /// The value of a block that may have been left before its end.
    fn unless(&mut self, early: Early, value: Expression) -> Expression {
        let Some(place) = early.place else { return value };
        let place = place.to(self.places.place(value.span));
        self.at(place, ExpressionKind::Piecewise(early.branches, Box::new(value)))
    }

    fn assigns_to_failed(&self, expr: &Expr) -> bool {
        let left = match expr {
            Expr::Assign(assignment) => &assignment.left,
            Expr::Binary(binary) => &binary.left,
            _ => return false,
        };
        let Expr::Path(path) = &**left else { return false };
        let meaning = path.path.get_ident().and_then(|name| self.scope.meaning(name));
        matches!(meaning, Some(Meaning::Failed))
    }

    fn local(&mut self, local: &'a Local) -> Option<()> {
        let plain = self.plain(&local.attrs);
        let Some(init) = &local.init else {
            return self.push(unsupported::uninitialized(local));
        };
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        let bound = match pattern {
            Pat::Wild(_) => self.expression(&init.expr).map(|_| ()),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                // The value is read for its errors. A mutable name is then bound to nothing, so
                // that its uses give no further error.
                let bound = self.bind(&name.ident, &init.expr);
                match &name.mutability {
                    Some(token) => {
                        self.scope.bind(&name.ident, Meaning::Failed, self.report);
                        self.push(unsupported::mutable(*token))
                    }
                    None => bound,
                }
            }
            pattern => {
                self.scope.bind_failed(pattern, self.report);
                self.push(unsupported::pattern(pattern))
            }
        };
        plain.and(bound)
    }

    /// Binds a name to a value, or to nothing if the value has an error.
    fn bind(&mut self, name: &Ident, value: &'a Expr) -> Option<()> {
        let meaning = self.meaning_of(value);
        let bound = meaning.is_some();
        self.scope.bind(name, meaning.unwrap_or(Meaning::Failed), self.report);
        bound.then_some(())
    }
}
