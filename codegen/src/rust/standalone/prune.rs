//! Leaving out what nobody calls.
//!
//! An item is needed if something that is needed mentions it; a method or a constant of a type or a trait, if its name
//! occurs in something that is needed; the body that a trait gives to a method, if an implementation that is needed has no
//! own. Now and then one too many is kept, and never one too few.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{File, ImplItem, Item, ItemImpl, ItemTrait, TraitItem, TraitItemFn};

use super::mentions::{Id, Mentions, Module, Names, Scope, below};
use super::nest::{name, retain_leaves};

/// Keeps what some tokens need, and some names with all of their methods.
pub(super) fn prune(items: &mut Vec<Item>, tokens: &TokenStream, names: &[&str]) {
    let known = Names::new(items);
    let mut all = Vec::new();
    flatten(items, &Vec::new(), &known, &mut all);
    let File { items: outside, .. } = syn::parse2(tokens.clone()).expect("items of Rust");
    let mut needs = Needs {
        outside: &outside,
        all: &all,
        whole: names.iter().flat_map(|name| known.all(name)).collect(),
        found: known.mentions(tokens.clone(), Scope::Outside),
        known: &known,
    };
    needs.found.items.extend(needs.whole.clone());
    let mut left: Vec<Part> = all.iter().flat_map(|place| parts(&known, place)).collect();
    // A part that is needed may need one that was passed before, so all are asked until nothing
    // is added.
    loop {
        let before = left.len();
        left.retain(|part| {
            let is_needed = needs.part(part);
            if is_needed {
                needs.found.items.extend(part.mentions.items.iter().cloned());
                needs.found.members.extend(part.mentions.members.iter().cloned());
            }
            !is_needed
        });
        if left.len() == before {
            break;
        }
    }
    let mut modules = Modules::default();
    sweep(items, "", &mut all.iter(), &needs, &mut modules);
    tidy_imports(items, &Vec::new(), &needs, &modules);
}

/// An item that is neither a module nor an import, in its module.
struct Located {
    module: Module,
    item: Item,
    /// The types and the trait of an implementation.
    implements: Option<Implements>,
}

/// The items that an implementation is for. They are looked up once, because each of its methods asks for them.
struct Implements {
    /// The items that its type mentions.
    types: BTreeSet<Id>,
    /// The trait, if it has one: empty if that is not one of these items.
    trait_: Option<BTreeSet<Id>>,
}

impl Implements {
    fn new(known: &Names, module: &Module, item: &ItemImpl) -> Self {
        let mentioned = |tokens| known.mentions(tokens, Scope::Module(module)).items;
        let trait_ = item.trait_.as_ref().and_then(|(path, _)| {
            let name = path.segments.last()?.ident.to_string();
            let mut ids = mentioned(path.to_token_stream());
            // The path may have arguments, and what these mention is no trait.
            ids.retain(|(_, id)| *id == name);
            Some(ids)
        });
        Self { types: mentioned(item.self_ty.to_token_stream()), trait_ }
    }
}

/// An item without its methods and constants, one of these without the body that a trait gives, or that body.
struct Part<'a> {
    of: &'a Located,
    member: Option<String>,
    is_given: bool,
    mentions: Mentions,
}

fn parts<'a>(known: &Names, of: &'a Located) -> Vec<Part<'a>> {
    let part = |member, tokens: TokenStream| Part {
        of,
        member,
        is_given: false,
        mentions: known.mentions(tokens, Scope::Module(&of.module)),
    };
    match &of.item {
        Item::Impl(whole) => {
            let head = ItemImpl { items: Vec::new(), ..whole.clone() };
            let members = whole.items.iter().map(|f| part(implemented(f), f.to_token_stream()));
            members.chain([part(None, head.to_token_stream())]).collect()
        }
        Item::Trait(whole) => {
            let head = ItemTrait { items: Vec::new(), ..whole.clone() };
            let members = whole.items.iter().flat_map(|f| match f {
                TraitItem::Fn(TraitItemFn { sig, default: Some(body), .. }) => vec![
                    part(declared(f), sig.to_token_stream()),
                    Part { is_given: true, ..part(declared(f), body.to_token_stream()) },
                ],
                f => vec![part(declared(f), f.to_token_stream())],
            });
            members.chain([part(None, head.to_token_stream())]).collect()
        }
        item => vec![part(None, item.to_token_stream())],
    }
}

/// The name of a method or a constant that is implemented.
fn implemented(item: &ImplItem) -> Option<String> {
    match item {
        ImplItem::Const(item) => Some(item.ident.to_string()),
        ImplItem::Fn(item) => Some(item.sig.ident.to_string()),
        _ => None,
    }
}

/// The name of a method or a constant that a trait declares.
fn declared(item: &TraitItem) -> Option<String> {
    match item {
        TraitItem::Const(item) => Some(item.ident.to_string()),
        TraitItem::Fn(item) => Some(item.sig.ident.to_string()),
        _ => None,
    }
}

/// The items and members that were found to be needed so far.
struct Needs<'a> {
    known: &'a Names,
    /// All items of the crate.
    all: &'a [Located],
    /// The items that use the crate.
    outside: &'a [Item],
    /// The items of which all methods are needed.
    whole: BTreeSet<Id>,
    found: Mentions,
}

impl Needs<'_> {
    fn part(&self, part: &Part<'_>) -> bool {
        let Part { of, member, is_given, .. } = part;
        self.item(of)
            && member.as_deref().is_none_or(|member| self.member(of, member))
            && (!is_given || self.is_given(of, member.as_deref()))
    }

    fn item(&self, of: &Located) -> bool {
        match &of.implements {
            // An implementation is needed if both its type and its trait are, as far as they are ours.
            Some(Implements { types, trait_ }) => {
                self.are_any_found(types)
                    && trait_.as_ref().is_none_or(|ids| self.are_any_found(ids))
            }
            None => name(&of.item)
                .is_none_or(|name| self.found.items.contains(&(of.module.clone(), name))),
        }
    }

    /// Whether a method or a constant of an implementation or a trait is needed, if that is.
    fn member(&self, of: &Located, member: &str) -> bool {
        let is_whole = |ids: &BTreeSet<Id>| ids.iter().any(|id| self.whole.contains(id));
        let are_all = match &of.implements {
            // A trait that is not ours has no method too many.
            Some(Implements { trait_: Some(ids), .. }) => ids.is_empty() || is_whole(ids),
            Some(Implements { types, .. }) => is_whole(types),
            None => {
                name(&of.item).is_none_or(|name| self.whole.contains(&(of.module.clone(), name)))
            }
        };
        are_all || self.found.members.contains(member)
    }

    /// Whether the body that a trait gives to a method stands for that of an implementation.
    fn is_given(&self, of: &Located, method: Option<&str>) -> bool {
        let (Some(name), Some(method)) = (name(&of.item), method) else { return true };
        let id = (of.module.clone(), name);
        if self.whole.contains(&id) {
            return true;
        }
        let lacks =
            |item: &ItemImpl| item.items.iter().all(|f| implemented(f).as_deref() != Some(method));
        // The types of a file implement traits of the runtime too.
        let outside = self.outside.iter().any(|item| match item {
            Item::Impl(item) => {
                let trait_name = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
                trait_name.is_some_and(|last| last.ident == id.1) && lacks(item)
            }
            _ => false,
        });
        outside
            || self.all.iter().any(|other| match (&other.item, &other.implements) {
                (Item::Impl(item), Some(Implements { trait_: Some(ids), .. })) => {
                    ids.contains(&id) && lacks(item) && self.item(other)
                }
                _ => false,
            })
    }

    fn are_any_found(&self, ids: &BTreeSet<Id>) -> bool {
        ids.is_empty() || ids.iter().any(|id| self.found.items.contains(id))
    }
}

/// Collects all items but modules and imports, in the order in which [`sweep`] comes to them.
fn flatten(items: &[Item], module: &Module, known: &Names, all: &mut Vec<Located>) {
    for item in items {
        match item {
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    flatten(items, &below(module, &inner.ident), known, all);
                }
            }
            Item::Use(_) => {}
            item => all.push(Located {
                module: module.clone(),
                implements: match item {
                    Item::Impl(item) => Some(Implements::new(known, module, item)),
                    _ => None,
                },
                item: item.clone(),
            }),
        }
    }
}

/// The modules that are left, and those that are gone, each with the name of the module around it.
#[derive(Default)]
struct Modules {
    left: BTreeSet<[String; 2]>,
    gone: BTreeSet<[String; 2]>,
}

impl Modules {
    /// Whether a module of this name is left, in one that is called so.
    fn is_left(&self, around: &str, name: &str) -> bool {
        find(&self.left, around, name)
    }

    /// Whether there was a module of this name in one that is called so, and none is left.
    fn is_gone(&self, around: &str, name: &str) -> bool {
        find(&self.gone, around, name) && !self.is_left(around, name)
    }
}

fn find(modules: &BTreeSet<[String; 2]>, around: &str, name: &str) -> bool {
    // These words name no module: any may be meant.
    let is_any = ["", "crate", "self", "super"].contains(&around);
    modules.iter().any(|[parent, module]| module == name && (is_any || parent == around))
}

/// Leaves out the items that are not needed, and modules that hold nothing but imports then. `all` are the items as they were,
/// from the first of these on.
fn sweep(
    items: &mut Vec<Item>,
    around: &str,
    all: &mut std::slice::Iter<'_, Located>,
    needs: &Needs<'_>,
    modules: &mut Modules,
) {
    items.retain_mut(|item| match item {
        Item::Mod(inner) => {
            let Some((_, items)) = &mut inner.content else { return true };
            let module = inner.ident.to_string();
            sweep(items, &module, all, needs, modules);
            let is_left = !items.iter().all(|item| matches!(item, Item::Use(_)));
            let names = if is_left { &mut modules.left } else { &mut modules.gone };
            names.insert([around.to_owned(), module]);
            is_left
        }
        Item::Use(_) => true,
        item => {
            let whole = all.next().expect("an item that `flatten` has seen");
            let is_needed =
                |member: Option<String>| member.is_none_or(|member| needs.member(whole, &member));
            match item {
                Item::Impl(item) => item.items.retain(|f| is_needed(implemented(f))),
                Item::Trait(item) => {
                    item.items.retain(|f| is_needed(declared(f)));
                    for f in &mut item.items {
                        let is_given = needs.is_given(whole, declared(f).as_deref());
                        if let TraitItem::Fn(f) = f
                            && !is_given
                        {
                            // A method without a body ends with a semicolon.
                            (f.default, f.semi_token) = (None, Some(Default::default()));
                        }
                    }
                }
                _ => {}
            }
            needs.item(whole)
        }
    });
}

/// Removes the imports of items that are gone.
fn tidy_imports(items: &mut Vec<Item>, module: &Module, needs: &Needs<'_>, modules: &Modules) {
    items.retain_mut(|item| match item {
        Item::Mod(inner) => {
            if let Some((_, items)) = &mut inner.content {
                tidy_imports(items, &below(module, &inner.ident), needs, modules);
            }
            true
        }
        Item::Use(item) => retain_leaves(&mut item.tree, "", &|before, name| {
            let Some(name) = name else { return !modules.is_gone("", before) };
            let ids = needs.known.qualified(before, name, Some(module));
            // Without an item of that name, it is a module's, or of another crate.
            match ids.is_empty() {
                true => !modules.is_gone(before, name),
                false => needs.are_any_found(&ids) || modules.is_left(before, name),
            }
        }),
        _ => true,
    });
}
