//! The files of a crate as one tree of items.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, File, ImplItem, Item, TraitItem, TypeParamBound, UseTree};

use super::decided::without;

/// The files that are left out with all that needs them: how the widest vectors of a machine are found, and slices
/// that are computed with them.
const DISPATCH: [&str; 4] = ["lanes/dispatch.rs", "slices.rs", "tabulated/tangent.rs", "typed.rs"];

/// The feature that two pre-activations stand behind.
const PAIRS: &str = "pairs";

/// The files of the crate, and what of them is wanted.
#[derive(Clone, Copy)]
struct Texts<'a> {
    files: &'a [(&'a str, &'a str)],
    /// The functions that say no: branches behind them are left out.
    never: &'a BTreeSet<&'a str>,
    /// Whether items for two pre-activations are wanted.
    pairs: bool,
}

/// The items of `lib.rs` with its modules inside of it, those for two pre-activations if they are wanted, without branches behind
/// functions that say no. A module without a file is left out.
pub(super) fn crate_items(
    files: &[(&str, &str)],
    never: &BTreeSet<&str>,
    pairs: bool,
) -> Vec<Item> {
    let texts = Texts { files, never, pairs };
    let (_, mut items) = module(texts, "lib.rs", "", 0);
    // A macro of the crate is for its build scripts.
    items.retain(|item| !matches!(item, Item::Macro(item) if item.ident.is_some()));
    items
}

/// The attributes and the items of a file; its modules are in `folder`.
fn module(texts: Texts<'_>, file: &str, folder: &str, depth: usize) -> (Vec<Attribute>, Vec<Item>) {
    let Texts { files, never, pairs } = texts;
    let File { attrs, items, .. } = parse(files, file, depth, never);
    let mut missing = BTreeSet::new();
    let items = items.into_iter().filter_map(|mut item| {
        if let Some(attributes) = attributes(&mut item) {
            attributes.retain(|attribute| !(pairs && is_feature(attribute, PAIRS)));
            // What is there only under some condition.
            if has_condition(attributes) {
                return None;
            }
        }
        if let Item::Mod(inner) = &mut item
            && inner.content.is_none()
        {
            let path = format!("{folder}{}", inner.ident);
            let names = [format!("{path}.rs"), format!("{path}/mod.rs")];
            if DISPATCH.contains(&&*names[0]) {
                return None;
            }
            let Some(name) = names.iter().find(|name| files.iter().any(|(file, _)| file == name))
            else {
                missing.insert(inner.ident.to_string());
                return None;
            };
            let (attributes, items) = module(texts, name, &format!("{path}/"), depth + 1);
            // The documentation stands at the head of the module's own file.
            inner.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
            inner.attrs.extend(attributes);
            inner.content = Some((syn::token::Brace::default(), items));
            inner.semi = None;
        }
        if let Item::Impl(inner) = &mut item {
            inner
                .items
                .retain(|method| !matches!(method, ImplItem::Fn(f) if has_condition(&f.attrs)));
        }
        Some(item)
    });
    let mut items: Vec<Item> = items.collect();
    let is_missing = |item: &Item| matches!(item, Item::Use(item) if matches!(&item.tree, UseTree::Path(path) if missing.contains(&path.ident.to_string())));
    items.retain(|item| !is_missing(item));
    (attrs, items)
}

/// Whether an attribute is the condition that a feature is there.
fn is_feature(attribute: &Attribute, feature: &str) -> bool {
    // Tokens cannot be compared, but their texts can.
    let condition = quote!(feature = #feature).to_string();
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == condition)
}

fn parse(files: &[(&str, &str)], name: &str, depth: usize, never: &BTreeSet<&str>) -> File {
    let (_, text) = files.iter().find(|(file, _)| *file == name).expect("a file of the runtime");
    let tokens: TokenStream = text.parse().expect("tokens of Rust");
    let mut file: File =
        syn::parse2(relative(without(tokens, never), depth)).expect("a file of Rust");
    file.attrs.retain(|attribute| attribute.path().is_ident("doc"));
    file
}

/// Replaces paths that start at a crate by paths from a module at a depth, and leaves out `allow` attributes, because
/// the outermost module has them.
fn relative(tokens: TokenStream, depth: usize) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |i: usize, punct: char| matches!(trees.get(i), Some(TokenTree::Punct(p)) if p.as_char() == punct);
    let mut output = TokenStream::new();
    let mut i = 0;
    while i < trees.len() {
        // Behind `::` the word is a name inside of another path.
        let starts_path = is(i + 1, ':') && is(i + 2, ':') && !(i > 0 && is(i - 1, ':'));
        match &trees[i] {
            TokenTree::Ident(ident) if starts_path && (ident == "crate" || ident == "libm") => {
                let up = std::iter::repeat_n(Ident::new("super", Span::call_site()), depth);
                if depth == 0 {
                    output.extend(quote!(self));
                } else {
                    output.extend(quote!(#(#up)::*));
                }
                // The file needs no crate: a module of that name takes its place.
                if ident == "libm" {
                    output.extend(quote!(::libm));
                }
            }
            // The file has the standard library.
            TokenTree::Ident(ident) if starts_path && ident == "alloc" => {
                output.extend(quote!(::std))
            }
            // The hash is skipped here, and its brackets below.
            TokenTree::Punct(hash) if hash.as_char() == '#' && is_allow(trees.get(i + 1)) => i += 1,
            TokenTree::Group(group) => {
                let inner = relative(group.stream(), depth);
                output.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            tree => output.extend([tree.clone()]),
        }
        i += 1;
    }
    output
}

/// Whether the brackets of an attribute hold `allow(…)`.
fn is_allow(tree: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = tree else { return false };
    matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "allow")
}

/// The attributes of an item of a kind that the runtime has.
fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::ExternCrate(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

fn has_condition(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

/// Leaves out the items that only vectors need: those that name the file of the choice of vectors, and the methods
/// that are written again for speed where a trait is implemented.
pub(super) fn without_vectors(items: &mut Vec<Item>, files: &[(&str, &str)]) {
    let dispatch = DISPATCH.iter().flat_map(|file| parse(files, file, 0, &BTreeSet::new()).items);
    let names: BTreeSet<String> = dispatch.filter_map(|item| name(&item)).collect();
    let mut methods = Vec::new();
    collect_provided(items, &mut methods);
    cut(items, &names, &methods);
}

/// The trait whose methods for slices are written once more with vectors.
const SLICES: &str = "Activation";

/// Collects the methods for slices of that trait that have a body.
fn collect_provided(items: &[Item], methods: &mut Vec<Ident>) {
    for item in items {
        match item {
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    collect_provided(items, methods);
                }
            }
            Item::Trait(item) if item.ident == SLICES => {
                methods.extend(item.items.iter().filter_map(|f| match f {
                    TraitItem::Fn(f) if f.default.is_some() && is_of_slices(&f.sig.ident) => {
                        Some(f.sig.ident.clone())
                    }
                    _ => None,
                }));
            }
            _ => {}
        }
    }
}

fn is_of_slices(method: &Ident) -> bool {
    method.to_string().ends_with("_into")
}

fn cut(items: &mut Vec<Item>, names: &BTreeSet<String>, provided: &[Ident]) {
    items.retain_mut(|item| {
        match item {
            Item::Mod(inner) => {
                if let Some((_, items)) = &mut inner.content {
                    cut(items, names, provided);
                }
                return true;
            }
            Item::Use(item) => {
                let wanted =
                    |_: &str, name: Option<&str>| name.is_none_or(|name| !names.contains(name));
                return retain_leaves(&mut item.tree, "", &wanted);
            }
            Item::Trait(item) => {
                let bounds = std::mem::take(&mut item.supertraits);
                let named = |bound: &TypeParamBound| match bound {
                    TypeParamBound::Trait(bound) => last(&bound.path),
                    _ => None,
                };
                let kept =
                    bounds.into_iter().filter(|b| named(b).is_none_or(|n| !names.contains(&n)));
                item.supertraits = kept.collect::<Punctuated<_, _>>();
            }
            Item::Impl(item) => {
                let of = item.trait_.as_ref().and_then(|(path, _)| last(path));
                let again =
                    |f: &ImplItem| matches!(f, ImplItem::Fn(f) if provided.contains(&f.sig.ident));
                if of.as_deref() == Some(SLICES) {
                    item.items.retain(|f| !again(f));
                }
            }
            _ => {}
        }
        !mentions(item.to_token_stream()).iter().any(|word| names.contains(word))
    });
}

fn last(path: &syn::Path) -> Option<String> {
    path.segments.last().map(|segment| segment.ident.to_string())
}

/// The name that an item defines.
pub(super) fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Every word in some tokens.
pub(super) fn mentions(tokens: TokenStream) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(word) => {
                words.insert(word.to_string());
            }
            TokenTree::Group(group) => words.extend(mentions(group.stream())),
            _ => {}
        }
    }
    words
}

/// Leaves out the names of a `use` that are not wanted, told by the name before each; false if none is left. A whole module
/// has no name of its own.
pub(super) fn retain_leaves(
    tree: &mut UseTree,
    before: &str,
    wanted: &impl Fn(&str, Option<&str>) -> bool,
) -> bool {
    match tree {
        UseTree::Path(path) => {
            let before = path.ident.to_string();
            retain_leaves(&mut path.tree, &before, wanted)
        }
        UseTree::Name(name) if name.ident == "self" => wanted(before, None),
        UseTree::Name(name) => wanted(before, Some(&name.ident.to_string())),
        UseTree::Rename(rename) => wanted(before, Some(&rename.ident.to_string())),
        UseTree::Glob(_) => wanted(before, None),
        UseTree::Group(group) => {
            let items = std::mem::take(&mut group.items);
            let kept = items
                .into_iter()
                .filter_map(|mut tree| retain_leaves(&mut tree, before, wanted).then_some(tree));
            group.items = kept.collect();
            !group.items.is_empty()
        }
    }
}
