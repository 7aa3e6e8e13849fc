//! Leaving out what nobody calls.
//!
//! An item is needed if its name occurs in something that is needed and may see it. Names alone
//! decide, so that now and then one too many is kept, and never one too few.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Item, ItemImpl, Visibility};

use super::nest::{mentions, name, retain_leaves};

/// Keeps what some tokens need, and some names.
pub(super) fn prune(items: &mut Vec<Item>, tokens: &TokenStream, names: &[&str]) {
    let mut all = Vec::new();
    flatten(items, "", &mut all);
    let mut words = mentions(tokens.clone());
    words.extend(names.iter().map(|name| (*name).to_owned()));
    let mut needs = Needs {
        defined: all.iter().filter_map(|(_, item)| name(item)).collect(),
        words: BTreeMap::from([(OUTSIDE.to_owned(), words)]),
    };
    let mut kept = vec![false; all.len()];
    loop {
        let mut grown = false;
        for ((path, item), kept) in all.iter().zip(&mut kept) {
            if !*kept && needs.item(path, item) {
                (*kept, grown) = (true, true);
                let words = needs.words.entry(path.clone()).or_default();
                words.extend(mentions(item.to_token_stream()));
            }
        }
        if !grown {
            break;
        }
    }
    let mut gone = BTreeSet::new();
    sweep(items, "", &needs, &mut gone);
    let left = all.iter().zip(&kept).filter(|(_, kept)| **kept);
    let left: BTreeSet<String> = left.filter_map(|((_, item), _)| name(item)).collect();
    gone.extend(needs.defined.difference(&left).cloned());
    tidy_imports(items, &gone);
}

/// Where the tokens are that need the items.
const OUTSIDE: &str = "outside";

/// The names that are needed so far.
struct Needs {
    /// The names that the items define.
    defined: BTreeSet<String>,
    /// The words of needed items, by module.
    words: BTreeMap<String, BTreeSet<String>>,
}

impl Needs {
    fn item(&self, path: &str, item: &Item) -> bool {
        match item {
            Item::Impl(item) => self.implementation(item),
            item => name(item).is_none_or(|name| match is_private(item) {
                true => self.word(&name, path),
                false => self.word(&name, ""),
            }),
        }
    }

    /// An implementation is needed if both its type and its trait are, as far as they are ours.
    fn implementation(&self, item: &ItemImpl) -> bool {
        let kept = |word: &String| !self.defined.contains(word) || self.word(word, "");
        let of = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        of.is_none_or(|segment| kept(&segment.ident.to_string()))
            && mentions(item.self_ty.to_token_stream()).iter().all(kept)
    }

    /// Whether a word is used in a module or below it.
    fn word(&self, word: &str, path: &str) -> bool {
        self.words.iter().any(|(module, words)| module.starts_with(path) && words.contains(word))
    }
}

fn is_private(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        _ => return false,
    };
    matches!(visibility, Visibility::Inherited)
}

/// All items but modules and imports, with the modules that they are in.
fn flatten(items: &[Item], path: &str, all: &mut Vec<(String, Item)>) {
    for item in items {
        match item {
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    flatten(items, &format!("{path}::{}", inner.ident), all);
                }
            }
            Item::Use(_) => {}
            item => all.push((path.to_owned(), item.clone())),
        }
    }
}

/// Leaves out the items that are not needed, and modules that hold nothing but imports then.
fn sweep(items: &mut Vec<Item>, path: &str, needs: &Needs, gone: &mut BTreeSet<String>) {
    items.retain_mut(|item| match item {
        Item::Mod(inner) => {
            let Some((_, items)) = &mut inner.content else { return true };
            sweep(items, &format!("{path}::{}", inner.ident), needs, gone);
            let empty = items.iter().all(|item| matches!(item, Item::Use(_)));
            if empty {
                gone.insert(inner.ident.to_string());
            }
            !empty
        }
        Item::Use(_) => true,
        item => needs.item(path, item),
    });
}

/// Removes the imports of items that are gone.
fn tidy_imports(items: &mut Vec<Item>, gone: &BTreeSet<String>) {
    items.retain_mut(|item| match item {
        Item::Mod(inner) => {
            if let Some((_, items)) = &mut inner.content {
                tidy_imports(items, gone);
            }
            true
        }
        Item::Use(item) => retain_leaves(&mut item.tree, &|leaf| !gone.contains(leaf)),
        _ => true,
    });
}
