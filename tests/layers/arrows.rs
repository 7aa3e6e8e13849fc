//! The modules of a crate, and which of them name which.

use std::collections::{BTreeMap, BTreeSet};

use crate::tokens::{Token, is_word, tokens};

/// The name of the root of a crate, which has no path of its own.
pub(crate) const ROOT: &str = "(root)";

/// Re-exports of re-exports end somewhere.
const MAX_REEXPORTS: usize = 20;

/// A name that a module takes from another one.
#[derive(Debug)]
pub(crate) struct Arrow {
    /// The path as it is written.
    pub(crate) path: String,
    pub(crate) line: usize,
    /// The module that defines it.
    pub(crate) to: String,
}

/// A path in a `use`.
#[derive(Debug)]
struct Import {
    /// The name by which the module knows the import.
    name: String,
    path: Vec<String>,
    line: usize,
    is_public: bool,
}

#[derive(Debug, Default)]
struct Module {
    file: String,
    imports: Vec<Import>,
    /// Paths of two and more names in code.
    paths: Vec<(Vec<String>, usize)>,
}

/// The modules of a crate by their paths, `a/b` for `crate::a::b`.
#[derive(Debug)]
pub(crate) struct Modules(BTreeMap<String, Module>);

impl Modules {
    /// From files by their paths without `.rs`, less what is there for tests only.
    pub(crate) fn new(files: BTreeMap<String, String>) -> Self {
        let mut modules = BTreeMap::new();
        let mut for_tests = BTreeSet::new();
        let has_library = files.contains_key("lib");
        for (file, text) in files {
            let name = match file.as_str() {
                "lib" => ROOT.to_owned(),
                "main" if !has_library => ROOT.to_owned(),
                file => file.strip_suffix("/mod").unwrap_or(file).to_owned(),
            };
            let mut tokens = tokens(&text);
            for module in cut_tests(&mut tokens) {
                for_tests.insert(child(&name, &module));
            }
            modules.insert(name, Module::new(file, &tokens));
        }
        modules.retain(|name, _| !for_tests.iter().any(|test| is_inside(name, test)));
        Self(modules)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The file of a module, without `.rs`.
    pub(crate) fn file(&self, name: &str) -> &str {
        &self.0[name].file
    }

    /// Imports of a module from other modules, the first from each. A re-export of a module's own contents is none.
    pub(crate) fn arrows(&self, name: &str) -> Vec<Arrow> {
        let module = &self.0[name];
        let mut found = BTreeSet::new();
        let imports =
            module.imports.iter().map(|import| (&import.path, import.line, import.is_public));
        let paths = module.paths.iter().map(|(path, line)| (path, *line, false));
        let arrow = |(path, line, is_public): (&Vec<String>, usize, bool)| {
            let to = self.definer(name, path, MAX_REEXPORTS)?;
            let is_shown = is_public && (name == ROOT || is_inside(&to, name));
            (to != name && !is_shown).then(|| Arrow { path: path.join("::"), line, to })
        };
        imports
            .chain(paths)
            .filter_map(arrow)
            .filter(|arrow| found.insert(arrow.to.clone()))
            .collect()
    }

    /// The module that defines what a path in `module` names; none if that is another crate.
    fn definer(&self, module: &str, path: &[String], reexports: usize) -> Option<String> {
        let mut at = module.to_owned();
        let mut path = path;
        let mut is_inside = false;
        while let Some((first, rest)) = path.split_first() {
            let inner = child(&at, first);
            match first.as_str() {
                "crate" => at = ROOT.to_owned(),
                "super" => at = parent(&at),
                "self" => {}
                _ if self.contains(&inner) => at = inner,
                name => {
                    let imports = &self.0.get(&at)?.imports;
                    let import = imports.iter().find(|import| import.name == *name);
                    return match import {
                        Some(import) if reexports > 0 && import.path != path => {
                            let path = [&import.path, rest].concat();
                            self.definer(&at, &path, reexports - 1)
                        }
                        _ => is_inside.then_some(at),
                    };
                }
            }
            is_inside = true;
            path = rest;
        }
        Some(at)
    }
}

impl Module {
    fn new(file: String, tokens: &[Token]) -> Self {
        let mut module = Self { file, ..Self::default() };
        let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
        let mut i = 0;
        while i < tokens.len() {
            let before = if i == 0 { "" } else { text(i - 1) };
            if text(i) == "use" && text(i + 1) != "<" && text(i + 1) != ":" {
                let is_public = before == "pub" || before == ")";
                i = module.read_use(tokens, i + 1, &[], is_public);
            } else if starts_path(text(i))
                && text(i + 1) == "::"
                && !["::", "$", "."].contains(&before)
            {
                let line = tokens[i].line;
                let mut path = vec![text(i).to_owned()];
                while text(i + 1) == "::" && starts_path(text(i + 2)) {
                    path.push(text(i + 2).to_owned());
                    i += 2;
                }
                module.paths.push((path, line));
                i += 1;
            } else {
                i += 1;
            }
        }
        module
    }

    /// Reads a tree of imports below a path, up to what stands after it.
    fn read_use(
        &mut self,
        tokens: &[Token],
        start: usize,
        below: &[String],
        is_public: bool,
    ) -> usize {
        let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
        let mut path = below.to_vec();
        let mut i = start;
        let mut name = None;
        loop {
            match text(i) {
                "{" => {
                    i += 1;
                    while !["}", ";", ""].contains(&text(i)) {
                        let next = self.read_use(tokens, i, &path, is_public);
                        i = if text(next) == "," { next + 1 } else { next.max(i + 1) };
                    }
                    return i + 1;
                }
                "as" => {
                    name = Some(text(i + 1).to_owned());
                    i += 2;
                }
                "::" => i += 1,
                "self" if !path.is_empty() => {
                    i += 1;
                }
                word if starts_path(word) => {
                    path.push(word.to_owned());
                    i += 1;
                }
                "*" => i += 1,
                _ => break,
            }
        }
        if let Some(last) = path.last() {
            let name = name.unwrap_or_else(|| last.clone());
            let line = tokens[start].line;
            self.imports.push(Import { name, path, line, is_public });
        }
        i
    }
}

fn starts_path(word: &str) -> bool {
    word.chars().next().is_some_and(|c| is_word(c) && !c.is_numeric())
}

/// Cuts the modules that are there for tests only out, and returns the names of those with a file.
fn cut_tests(tokens: &mut Vec<Token>) -> Vec<String> {
    let is = |token: Option<&Token>, text: &str| token.is_some_and(|token| token.text == text);
    let mut names = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let is_condition =
            ["#", "[", "cfg"].iter().enumerate().all(|(k, text)| is(tokens.get(i + k), text));
        let close =
            tokens[i..].iter().position(|token| token.text == "]").map_or(i, |length| i + length);
        let says = |word: &str| tokens[i..close].iter().any(|token| token.text == word);
        let is_cut =
            is_condition && says("test") && !says("not") && is(tokens.get(close + 1), "mod");
        let name = close + 2;
        if !is_cut || name + 1 >= tokens.len() {
            i += 1;
            continue;
        }
        let mut end = name + 1;
        if tokens[end].text == ";" {
            names.push(tokens[name].text.clone());
        } else {
            let mut depth = 0;
            while end < tokens.len() {
                depth += i32::from(tokens[end].text == "{") - i32::from(tokens[end].text == "}");
                if depth == 0 {
                    break;
                }
                end += 1;
            }
        }
        tokens.drain(i..(end + 1).min(tokens.len()));
    }
    names
}

fn child(module: &str, name: &str) -> String {
    if module == ROOT { name.to_owned() } else { format!("{module}/{name}") }
}

fn parent(module: &str) -> String {
    module.rsplit_once('/').map_or(ROOT, |(parent, _)| parent).to_owned()
}

fn is_inside(module: &str, folder: &str) -> bool {
    module == folder || module.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
