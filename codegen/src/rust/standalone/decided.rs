//! Branches that are never taken for the kernels of a file.
//!
//! The runtime asks for the form of a kernel by functions with a name: `if const { is_table::<K>() } { a } else { b }` is b
//! in a file without tables.

use std::collections::BTreeSet;

use gaussform_runtime::kernel::{Form, pieces, sum};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::kernel::Kernel;
use crate::table::Table;

/// The functions of the runtime that say no for all of these kernels.
pub(super) fn never(kernels: &[&Kernel]) -> BTreeSet<&'static str> {
    let tables = || kernels.iter().filter_map(|kernel| kernel.table());
    let is_any = [
        ("is_table", tables().next().is_some()),
        (
            "is_compiled_table",
            kernels.iter().any(|kernel| matches!(kernel.form(), Form::Table { unrolled: None })),
        ),
        ("is_at_nodes", tables().any(|table| table.degree > sum::MAX_DEGREE)),
        ("needs_nodes", tables().any(may_need_nodes)),
        ("has_parameters", kernels.iter().any(|kernel| !kernel.activation().parameters.is_empty())),
    ];
    is_any.into_iter().filter(|(_, is_any)| !is_any).map(|(name, _)| name).collect()
}

/// Whether coefficients may be far from each other: those that depend on parameters may be anything.
fn may_need_nodes(table: &Table) -> bool {
    table.degree > pieces::STEEPEST || table.exponent != 0 || !table.has_known_coefficients()
}

/// The tokens without the branches behind one of these functions.
pub(super) fn without(tokens: TokenStream, never: &BTreeSet<&str>) -> TokenStream {
    let mut output = Vec::new();
    let mut left = tokens.into_iter().peekable();
    while let Some(tree) = left.next() {
        match tree {
            TokenTree::Ident(word) if word == "if" => {
                let mut condition = Vec::new();
                let is_block = |tree: &TokenTree, before: Option<&TokenTree>| {
                    // The braces of `const { … }` belong to the condition.
                    let is_const =
                        matches!(before, Some(TokenTree::Ident(word)) if word == "const");
                    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
                        && !is_const
                };
                while let Some(tree) = left.next_if(|tree| !is_block(tree, condition.last())) {
                    condition.push(tree);
                }
                if !asks(&condition, never) {
                    output.push(TokenTree::Ident(word));
                    output.extend(condition);
                    continue;
                }
                left.next();
                // What stands after `else` takes the place of all: a block, or the next `if`.
                left.next_if(|tree| matches!(tree, TokenTree::Ident(word) if word == "else"));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without(group.stream(), never));
                inner.set_span(group.span());
                output.push(TokenTree::Group(inner));
            }
            tree => output.push(tree),
        }
    }
    output.into_iter().collect()
}

/// Whether a condition is a call of one of these functions, or begins with one that has to hold too.
fn asks(condition: &[TokenTree], never: &BTreeSet<&str>) -> bool {
    match condition {
        [TokenTree::Ident(word), TokenTree::Group(group)] if word == "const" => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            asks(&inner, never)
        }
        [TokenTree::Ident(word), rest @ ..] => {
            // The other side of an `or` may hold.
            let either = rest.windows(2).any(|two| {
                two.iter().all(|tree| matches!(tree, TokenTree::Punct(p) if p.as_char() == '|'))
            });
            never.contains(&*word.to_string()) && !either
        }
        _ => false,
    }
}
