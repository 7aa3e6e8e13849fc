//! The constants and functions that a body may use, each with what is known of it.

use std::cell::Cell;
use std::rc::Rc;

use syn::{Attribute, Ident, Item, ItemConst, ItemFn};

/// A `const` or a function that a body may use.
pub(crate) struct Known<'a> {
    pub(crate) kind: Kind<'a>,
    /// Whether it stands beside the activation, not in its body.
    pub(crate) is_outer: bool,
    /// Shared by the items of one block, which see each other.
    pub(crate) block: Rc<()>,
    pub(crate) state: Cell<State>,
    /// Whether the compiler would refuse it too.
    pub(crate) refused: Cell<bool>,
}

/// The declaration of an item.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    Constant(&'a ItemConst),
    Function(&'a ItemFn),
}

/// How far the reading of an item by itself has come.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum State {
    Unread,
    Reading,
    Sound,
    Failed,
}

impl<'a> Known<'a> {
    fn new(kind: Kind<'a>, block: &Rc<()>, is_outer: bool) -> Rc<Self> {
        let (state, refused) = (Cell::new(State::Unread), Cell::new(false));
        Rc::new(Self { kind, is_outer, block: block.clone(), state, refused })
    }

    /// An item of a block in a body; `None` for what is neither a `const` nor a function.
    pub(crate) fn of_block(item: &'a Item, block: &Rc<()>) -> Option<(&'a Ident, Rc<Self>)> {
        Some(match item {
            Item::Const(item) => (&item.ident, Self::new(Kind::Constant(item), block, false)),
            Item::Fn(item) => (&item.sig.ident, Self::new(Kind::Function(item), block, false)),
            _ => return None,
        })
    }

    /// A constant beside activations.
    pub(crate) fn constant(item: &'a ItemConst, block: &Rc<()>) -> Rc<Self> {
        Self::new(Kind::Constant(item), block, true)
    }

    /// An activation, or a function beside one.
    pub(crate) fn function(item: &'a ItemFn, block: &Rc<()>) -> Rc<Self> {
        Self::new(Kind::Function(item), block, true)
    }

    /// Whether the compiler would report a mistake in it a second time.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.get()
    }

    /// Whether it is a function.
    pub(crate) fn is_function(&self) -> bool {
        matches!(self.kind, Kind::Function(_))
    }

    /// Whether it is a function, and not the one that calls.
    pub(crate) fn is_callable(&self) -> bool {
        self.is_function() && self.state.get() != State::Reading
    }

    /// Whether it is a constant of a type that `powi` takes, or one like it.
    pub(crate) fn is_integer(&self) -> bool {
        const TYPES: [&str; 12] = [
            "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        ];
        TYPES.iter().any(|name| self.is_of_type(name))
    }

    /// Whether it is a constant condition.
    pub(crate) fn is_truth(&self) -> bool {
        self.is_of_type("bool")
    }

    fn is_of_type(&self, name: &str) -> bool {
        let Kind::Constant(ItemConst { ty, .. }) = self.kind else { return false };
        matches!(&**ty, syn::Type::Path(path) if path.path.is_ident(name))
    }

    pub(crate) fn attributes(&self) -> &'a [Attribute] {
        match self.kind {
            Kind::Constant(item) => &item.attrs,
            Kind::Function(item) => &item.attrs,
        }
    }
}
