//! Printed expressions with how tightly they bind, so that parentheses stand only where they are needed.

use proc_macro2::{Punct, Spacing, TokenStream};
use quote::quote;

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    Sum,
    Product,
    Sign,
    Atom,
}

/// The material of expressions: characters or tokens.
pub(crate) trait Text: Clone {
    fn infix(&self, sign: char, right: &Self) -> Self;

    fn negated(&self) -> Self;

    fn in_parentheses(&self) -> Self;
}

impl Text for String {
    fn infix(&self, sign: char, right: &Self) -> Self {
        format!("{self} {sign} {right}")
    }

    fn negated(&self) -> Self {
        format!("-{self}")
    }

    fn in_parentheses(&self) -> Self {
        format!("({self})")
    }
}

impl Text for TokenStream {
    fn infix(&self, sign: char, right: &Self) -> Self {
        let sign = Punct::new(sign, Spacing::Alone);
        quote!(#self #sign #right)
    }

    fn negated(&self) -> Self {
        quote!(-#self)
    }

    fn in_parentheses(&self) -> Self {
        quote!((#self))
    }
}

/// An expression that knows how tightly it binds.
#[derive(Clone)]
pub(crate) struct Fragment<T> {
    pub(crate) text: T,
    pub(crate) binding: Binding,
    /// The factors, if it is a product that can be fused with a sum.
    pub(crate) factors: Option<[T; 2]>,
}

impl<T: Text> Fragment<T> {
    pub(crate) fn new(text: T, binding: Binding) -> Self {
        Self { text, binding, factors: None }
    }

    pub(crate) fn atom(text: impl Into<T>) -> Self {
        Self::new(text.into(), Binding::Atom)
    }

    /// The value with the opposite sign.
    pub(crate) fn negated(&self) -> Self {
        Self::new(self.at_least(Binding::Atom).negated(), Binding::Sign)
    }

    /// The text, in parentheses if it binds less tightly than needed.
    pub(crate) fn at_least(&self, binding: Binding) -> T {
        if self.binding < binding { self.text.in_parentheses() } else { self.text.clone() }
    }
}
