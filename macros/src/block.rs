//! Blocks: `const` and `let`, then a value.

use gaussform_symbolic::grammar::Expression;
use syn::{Attribute, Block, Expr, Ident, Item, Local, Pat, Stmt};

use crate::body::Reader;
use crate::place::Place;
use crate::scope::{Budget, Meaning};
use crate::unsupported;

impl Reader<'_> {
    /// Reads a block whose value is a number.
    pub(crate) fn block(&mut self, block: &Block) -> Option<Expression> {
        let mark = self.scope.mark();
        // Items are in scope of the whole block.
        let items = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        });
        let mut sound = true;
        for item in items {
            sound &= self.item(item).is_some();
        }
        let mut value = None;
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match statement {
                Stmt::Item(_) => {}
                Stmt::Local(local) => sound &= self.local(local).is_some(),
                Stmt::Expr(expr, None) if last => value = Some(self.expression(expr)),
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
        match value {
            Some(value) => value.filter(|_| sound),
            None if sound => {
                let braces = block.brace_token.span;
                let place = Place::from(braces.open()).to(braces.close());
                self.refuse(place.error("the block has no value"))
            }
            None => {
                self.report.refused = true;
                None
            }
        }
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

    fn item(&mut self, item: &Item) -> Option<()> {
        match item {
            Item::Const(item) => {
                let plain = self.plain(&item.attrs);
                let bound = self.bind(&item.ident, &item.expr);
                plain.and(bound)
            }
            _ => self.push(unsupported::item(item)),
        }
    }

    fn local(&mut self, local: &Local) -> Option<()> {
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
                let bound = self.bind(&name.ident, &init.expr);
                match &name.mutability {
                    Some(token) => {
                        self.scope.bind(&name.ident, Meaning::Failed, self.report);
                        self.push(unsupported::mutable(*token))
                    }
                    None => bound,
                }
            }
            pattern => self.push(unsupported::pattern(pattern)),
        };
        plain.and(bound)
    }

    /// Binds a name to a value, or to nothing if the value has an error.
    fn bind(&mut self, name: &Ident, value: &Expr) -> Option<()> {
        if let Some(Ok(value)) = self.integer(value) {
            self.scope.bind(name, Meaning::Integer(value), self.report);
            return Some(());
        }
        let (value, size) =
            Budget::measure(self, |this| &mut this.budget, |this| this.expression(value));
        let bound = value.is_some();
        let meaning = value.map_or(Meaning::Failed, |value| Meaning::Value(value, size));
        self.scope.bind(name, meaning, self.report);
        bound.then_some(())
    }

    /// Refuses attributes that could change what is compiled.
    fn plain(&mut self, attributes: &[Attribute]) -> Option<()> {
        let harmless = ["allow", "expect", "warn", "deny", "doc"];
        let other = attributes
            .iter()
            .find(|attribute| !harmless.iter().any(|name| attribute.path().is_ident(name)));
        match other {
            None => Some(()),
            Some(attribute) => {
                let message = "attributes are not supported here";
                self.push(Place::of(attribute).error(message))
            }
        }
    }
}
