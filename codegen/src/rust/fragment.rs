//! Expressions with how tightly they bind, so that parentheses stand only where they are needed.

use proc_macro2::{Punct, Spacing, TokenStream};
use quote::quote;

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Sum,
    Product,
    Sign,
    Atom,
}

/// An operation on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
}

impl Operation {
    /// The sign, and how tightly the operands on its left and on its right bind at least. The right side binds more
    /// tightly, so that the order of operations is that of the IR.
    fn sign(self) -> (char, [Binding; 2]) {
        match self {
            Self::Add => ('+', [Binding::Sum, Binding::Product]),
            Self::Subtract => ('-', [Binding::Sum, Binding::Product]),
            Self::Multiply => ('*', [Binding::Product, Binding::Sign]),
        }
    }
}

/// An expression that knows how tightly it binds.
#[derive(Clone)]
pub(super) struct Fragment {
    pub(super) tokens: TokenStream,
    binding: Binding,
    /// The factors, if it is a product that can be fused with a sum.
    factors: Option<[TokenStream; 2]>,
}

impl Fragment {
    pub(super) fn new(tokens: TokenStream, binding: Binding) -> Self {
        Self { tokens, binding, factors: None }
    }

    pub(super) fn atom(tokens: TokenStream) -> Self {
        Self::new(tokens, Binding::Atom)
    }

    /// The value with the opposite sign.
    pub(super) fn negated(&self) -> Self {
        let value = self.at_least(Binding::Atom);
        Self::new(quote!(-#value), Binding::Sign)
    }

    /// The tokens, in parentheses if they bind less tightly than needed.
    pub(super) fn at_least(&self, binding: Binding) -> TokenStream {
        let tokens = &self.tokens;
        if self.binding < binding { quote!((#tokens)) } else { tokens.clone() }
    }

    /// A sum, difference or product.
    pub(super) fn infix(operation: Operation, [a, b]: [&Self; 2]) -> Self {
        let (sign, [left, right]) = operation.sign();
        let sign = Punct::new(sign, Spacing::Alone);
        let (x, y) = (a.at_least(left), b.at_least(right));
        let is_product = operation == Operation::Multiply;
        // Fused, the first factor is what a method is called on, and the second an argument.
        let factors = is_product.then(|| [a.at_least(Binding::Atom), b.tokens.clone()]);
        Self { factors, ..Self::new(quote!(#x #sign #y), left) }
    }

    /// A sum or difference of which one side is a product, as one operation.
    pub(super) fn fused(operation: Operation, [a, b]: [&Self; 2]) -> Option<Self> {
        let (left, right) = (&a.tokens, &b.tokens);
        let tokens = match (operation, &a.factors, &b.factors) {
            (Operation::Add, _, Some([x, y])) => quote!(#x.mul_add(#y, #left)),
            (Operation::Add, Some([x, y]), _) => quote!(#x.mul_add(#y, #right)),
            (Operation::Subtract, _, Some([x, y])) => quote!(#x.neg_mul_add(#y, #left)),
            (Operation::Subtract, Some([x, y]), _) => quote!(#x.mul_sub(#y, #right)),
            _ => return None,
        };
        Some(Self::atom(tokens))
    }
}
