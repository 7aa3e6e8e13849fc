//! Which items of a crate some tokens mean.
//!
//! A name after a dot, or after a type and `::`, is that of a method or another member. A name after a module and `::` is of an
//! item of a module so called. Any other name is of an item of the same module, or of one that is imported there. Where
//! that leaves a doubt, all items of the name are meant.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, UseTree};

use super::nest::name;

/// A module, as the names from the root of the crate to it.
pub(super) type Module = Vec<String>;

/// Where tokens stand, which decides what a name by itself means.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    /// In a module of the crate: an item of that module, or one that it imports.
    Module(&'a Module),
    /// In an import: any item of the name.
    Import,
    /// Outside of the crate: nothing of it, but for imports.
    Outside,
}

/// An item by its module and its name.
pub(super) type Id = (Module, String);

/// The items and members that some tokens mention.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    pub(super) items: BTreeSet<Id>,
    pub(super) members: BTreeSet<String>,
}

/// The most imports of imports that are followed.
const MOST_IMPORTS: usize = 4;

/// The items of a crate with the names that each module imports.
#[derive(Default)]
pub(super) struct Names {
    /// The modules that define an item of a name.
    defined: BTreeMap<String, BTreeSet<Module>>,
    /// For each module, what a name is imported from: the last module of the path, and the name there.
    imports: BTreeMap<Module, BTreeMap<String, [String; 2]>>,
    /// The modules that import all names of another.
    with_globs: BTreeSet<Module>,
}

impl Names {
    /// The names of some items and of those in their modules.
    pub(super) fn new(items: &[Item]) -> Self {
        let mut names = Self::default();
        names.collect(items, &Vec::new());
        names
    }

    fn collect(&mut self, items: &[Item], module: &Module) {
        for item in items {
            match item {
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        self.collect(items, &below(module, &inner.ident));
                    }
                }
                Item::Use(item) => self.import(&item.tree, "", module),
                item => {
                    if let Some(name) = name(item) {
                        self.defined.entry(name).or_default().insert(module.clone());
                    }
                }
            }
        }
    }

    fn import(&mut self, tree: &UseTree, from: &str, module: &Module) {
        let (local, there) = match tree {
            UseTree::Path(path) => {
                return self.import(&path.tree, &path.ident.to_string(), module);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, from, module));
            }
            UseTree::Glob(_) => {
                self.with_globs.insert(module.clone());
                return;
            }
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.rename, &rename.ident),
        };
        let imports = self.imports.entry(module.clone()).or_default();
        imports.insert(local.to_string(), [from.to_owned(), there.to_string()]);
    }

    /// The items of a name after a module and `::`, which may be imported there, or all items of the name if there is none in
    /// a module so called.
    pub(super) fn qualified(
        &self,
        before: &str,
        name: &str,
        from: Option<&Module>,
    ) -> BTreeSet<Id> {
        let found = self.found(before, name, from, MOST_IMPORTS);
        if found.is_empty() { self.all(name) } else { found }
    }

    fn found(&self, before: &str, name: &str, from: Option<&Module>, left: usize) -> BTreeSet<Id> {
        let is_there = |module: &Module| match (before, from) {
            // `super` may be repeated, so any module around may be meant.
            ("super", Some(from)) => module.len() < from.len() && from.starts_with(module),
            _ => module.last().is_some_and(|last| last == before),
        };
        let mut found = self.all(name);
        found.retain(|(module, _)| is_there(module));
        let importing = self.imports.iter().filter(|(module, _)| left > 0 && is_there(module));
        for (module, names) in importing {
            if let Some([before, there]) = names.get(name) {
                found.extend(self.found(before, there, Some(module), left - 1));
            }
        }
        found
    }

    /// All items of a name.
    pub(super) fn all(&self, name: &str) -> BTreeSet<Id> {
        let modules = self.defined.get(name).into_iter().flatten();
        modules.map(|module| (module.clone(), name.to_owned())).collect()
    }

    /// The items of a name that stands by itself.
    fn plain(&self, name: &str, scope: Scope<'_>) -> BTreeSet<Id> {
        let module = match scope {
            Scope::Module(module) => module,
            Scope::Import => return self.all(name),
            Scope::Outside => return BTreeSet::new(),
        };
        if self.defined.get(name).is_some_and(|modules| modules.contains(module)) {
            return BTreeSet::from([(module.clone(), name.to_owned())]);
        }
        match self.imports.get(module).and_then(|imports| imports.get(name)) {
            Some([before, there]) => self.qualified(before, there, Some(module)),
            None if self.with_globs.contains(module) => self.all(name),
            None => BTreeSet::new(),
        }
    }

    /// The items and members whose names stand in some tokens.
    pub(super) fn mentions(&self, tokens: TokenStream, scope: Scope<'_>) -> Mentions {
        let mut mentions = Mentions::default();
        self.add(tokens, scope, &mut mentions);
        mentions
    }

    fn add(&self, tokens: TokenStream, scope: Scope<'_>, mentions: &mut Mentions) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut now = scope;
        let from = if let Scope::Module(module) = scope { Some(module) } else { None };
        for (i, tree) in trees.iter().enumerate() {
            match tree {
                // Until its semicolon an import has names of any module.
                TokenTree::Ident(word) if word == "use" => now = Scope::Import,
                TokenTree::Punct(end) if end.as_char() == ';' => now = scope,
                TokenTree::Group(group) => self.add(group.stream(), now, mentions),
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    match Before::of(&trees[..i]) {
                        Before::Module(module) => {
                            mentions.items.extend(self.qualified(&module, &word, from));
                            continue;
                        }
                        Before::Other => mentions.items.extend(self.plain(&word, now)),
                        Before::Member => {}
                    }
                    mentions.members.insert(word);
                }
                _ => {}
            }
        }
    }
}

/// The tokens before a name.
enum Before {
    /// A dot, a type and `::`, or `fn`: it is the name of a member.
    Member,
    /// A module of this name and `::`.
    Module(String),
    Other,
}

impl Before {
    fn of(trees: &[TokenTree]) -> Self {
        let is =
            |tree: &TokenTree, punct| matches!(tree, TokenTree::Punct(p) if p.as_char() == punct);
        match trees {
            [.., TokenTree::Ident(word)] if word == "fn" => Self::Member,
            // `..` ends a range or begins the rest of a structure.
            [.., range, dot] if is(range, '.') && is(dot, '.') => Self::Other,
            [.., dot] if is(dot, '.') => Self::Member,
            [.., TokenTree::Ident(path), first, second] if is(first, ':') && is(second, ':') => {
                let path = path.to_string();
                let is_type = path.starts_with(char::is_uppercase);
                if is_type { Self::Member } else { Self::Module(path) }
            }
            [.., angle, first, second] if is(angle, '>') && is(first, ':') && is(second, ':') => {
                Self::Member
            }
            _ => Self::Other,
        }
    }
}

/// The path of a module in another.
pub(super) fn below(module: &Module, name: impl ToString) -> Module {
    module.iter().cloned().chain([name.to_string()]).collect()
}
