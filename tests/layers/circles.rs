//! Circles of imports between the parts of a folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::arrows::{Modules, ROOT};

/// Parts of one folder that import each other, each by way of some of the others.
#[derive(Debug)]
pub(crate) struct Circle {
    /// The folder below the sources of the crate; empty for the sources themselves.
    pub(crate) folder: String,
    /// The names of the parts, in alphabetical order: files of the folder, and folders in it.
    pub(crate) parts: BTreeSet<String>,
    /// The imports between the parts, the first from each part to each other one: file, line, path and the module that
    /// the path leads to.
    pub(crate) imports: Vec<String>,
}

/// All circles of a crate whose sources lie in the folder `sources`.
pub(crate) fn circles(modules: &Modules, sources: &str) -> Vec<Circle> {
    let inside = modules.names().filter_map(|name| Some(name.rsplit_once('/')?.0));
    let folders: BTreeSet<&str> = inside.chain([""]).collect();
    folders.into_iter().flat_map(|folder| of_folder(modules, sources, folder)).collect()
}

/// The part of a folder to which a module belongs, itself or the folder around it; none outside of the folder, and for
/// the folder's own file.
fn part<'a>(module: &'a str, folder: &str) -> Option<&'a str> {
    let rest = match folder {
        _ if module == ROOT => return None,
        "" => module,
        folder => module.strip_prefix(folder)?.strip_prefix('/')?,
    };
    rest.split('/').next()
}

fn of_folder(modules: &Modules, sources: &str, folder: &str) -> Vec<Circle> {
    let mut arrows: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for module in modules.names() {
        let Some(from) = part(module, folder) else { continue };
        for arrow in modules.arrows(module) {
            let Some(to) = part(&arrow.to, folder).filter(|to| *to != from) else { continue };
            let (file, line, path) = (modules.file(module), arrow.line, &arrow.path);
            let text = format!("{sources}/{file}.rs:{line}: `{path}` is in `{}`", arrow.to);
            arrows.entry(from).or_default().entry(to.to_owned()).or_insert(text);
        }
    }
    let reached = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut rest = vec![from.to_owned()];
        while let Some(part) = rest.pop() {
            for to in arrows.get(part.as_str()).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(to.clone()) {
                    rest.push(to.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<String>> =
        arrows.keys().map(|part| (*part, reached(part))).collect();
    let mut circles: Vec<Circle> = Vec::new();
    for (part, onward) in &reached {
        let is_known = circles.iter().any(|circle| circle.parts.contains(*part));
        if is_known || !onward.contains(*part) {
            continue;
        }
        let back = |other: &&String| reached.get(other.as_str()).is_some_and(|r| r.contains(*part));
        let parts: BTreeSet<String> = onward.iter().filter(back).cloned().collect();
        let imports = parts.iter().flat_map(|from| &arrows[from.as_str()]);
        let imports = imports.filter(|(to, _)| parts.contains(*to)).map(|(_, text)| text.clone());
        let imports = imports.collect();
        circles.push(Circle { folder: folder.to_owned(), parts, imports });
    }
    circles
}
