//! In each crate data flows one way: a module imports from the layers below its own alone.
//!
//! The layers stand in `layers`. A module or a folder has a place there, and a folder may be split. What counts as an
//! import is what `use` names, and every path in code that leads to a module of the crate; names that a module only
//! re-exports count for the module that defines them. Tests inside of a crate may import anything.

mod arrows;
mod layers;
mod tokens;

use std::collections::BTreeMap;
use std::path::Path;

use arrows::Modules;
use layers::{Crate, Exception, Layer};

#[test]
fn imports_run_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for of in layers::CRATES {
        let mut sources = BTreeMap::new();
        collect(&root.join(of.folder), "", &mut sources);
        assert!(!sources.is_empty(), "no sources in {}", of.folder);
        wrong.extend(complaints(of, sources));
    }
    assert!(wrong.is_empty(), "{} mistakes:\n\n{}\n", wrong.len(), wrong.join("\n\n"));
}

/// The texts of the files in a folder by their paths below it, without `.rs`.
fn collect(folder: &Path, below: &str, sources: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{below}{}", path.file_stem().expect("a name").to_str().expect("UTF-8"));
        if path.is_dir() {
            collect(&path, &format!("{name}/"), sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.insert(name, std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

/// Faults of the imports of a crate, or of its list of layers.
fn complaints(of: &Crate, sources: BTreeMap<String, String>) -> Vec<String> {
    const LIST: &str = "tests/layers/layers.rs";
    let modules = Modules::new(sources);
    let mut wrong = Vec::new();
    let mut places = BTreeMap::new();
    for (height, layer) in of.layers.iter().enumerate() {
        for name in layer.modules() {
            if !modules.contains(name) {
                wrong.push(format!("{LIST}: {} has no module `{name}`: take it out", of.folder));
            }
            if places.insert(*name, height).is_some() {
                wrong.push(format!("{LIST}: `{name}` of {} stands there twice", of.folder));
            }
        }
    }
    let mut unused: Vec<_> = of.exceptions.iter().collect();
    for module in modules.names() {
        let Some((from, height)) = place(&places, module) else {
            wrong.push(format!(
                "{}/{}.rs is in no layer: give `{module}` a line in {LIST}, above all that it imports",
                of.folder,
                modules.file(module)
            ));
            continue;
        };
        for arrow in modules.arrows(module) {
            let Some((to, target)) = place(&places, &arrow.to) else { continue };
            let beside = target == height && matches!(of.layers[height], Layer::Mutual(..));
            if target < height || from == to || beside {
                continue;
            }
            let known =
                of.exceptions.iter().find(|known| known.from == module && known.to == arrow.to);
            if let Some(known) = known {
                unused.retain(|other| !std::ptr::eq(*other, known));
                continue;
            }
            let how = if target > height { "which is above" } else { "which is beside" };
            wrong.push(format!(
                "{}/{}.rs:{}: `{}` is in `{to}`, {how} `{from}`.\n  Move what is used to `{from}` or below, or what \
                 uses it up; or have the caller hand it in. Where neither can be without the other, they share a \
                 layer in {LIST}, with the reason.",
                of.folder,
                modules.file(module),
                arrow.line,
                arrow.path,
            ));
        }
    }
    for known in unused {
        wrong.push(format!(
            "{LIST}: `{}` of {} does not import from `{}` any more: take the exception out ({})",
            known.from, of.folder, known.to, known.why
        ));
    }
    wrong
}

/// The entry that a module belongs to, itself or the nearest folder around it, and its height.
fn place<'a>(places: &BTreeMap<&'a str, usize>, module: &str) -> Option<(&'a str, usize)> {
    let mut name = module;
    loop {
        if let Some((entry, height)) = places.get_key_value(name) {
            return Some((entry, *height));
        }
        (name, _) = name.rsplit_once('/')?;
    }
}

/// The complaints about a crate of some files, with layers `low` and `beside`, `high`, and the root.
fn of_files(files: &[(&str, &str)]) -> Vec<String> {
    let of = Crate {
        folder: "made/up",
        layers: &[Layer::Of(&["low", "beside"]), Layer::Of(&["high"]), Layer::Of(&[arrows::ROOT])],
        exceptions: &[],
    };
    let mut sources: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    for (name, text) in [
        ("lib", "mod low; mod high; pub use high::Top;"),
        ("low", ""),
        ("beside", ""),
        ("high", ""),
    ] {
        sources.entry(name.to_owned()).or_insert_with(|| text.to_owned());
    }
    complaints(&of, sources)
}

#[test]
fn an_import_from_above_is_found_however_it_is_written() {
    for text in [
        "use crate::high::Thing;",
        "\n use crate::{low, high::{self as h, Thing}};",
        "use super::high;",
        "pub(crate) use super::high::Thing as Other;",
        "use crate::Top;",
        "fn f() -> u8 { crate::high::f::<u8>('\"') }",
        "macro_rules! m { () => { super::high::f() } }",
    ] {
        let wrong = of_files(&[("low", text)]);
        assert!(
            wrong.len() == 1 && wrong[0].contains("is in `high`, which is above `low`"),
            "{text}: {wrong:?}"
        );
    }
    let wrong = of_files(&[("low/inner", "fn f() {\n    crate::Top::new();\n}")]);
    assert!(
        wrong[0].starts_with("made/up/low/inner.rs:2: `crate::Top::new` is in `high`"),
        "{wrong:?}"
    );
}

#[test]
fn what_is_no_import_is_left_alone() {
    for text in [
        "// use crate::high::Thing;\n/* crate::high /* nested */ crate::high */",
        "const S: &str = \"crate::high::f\"; const R: &str = r#\"\"crate::high\"#;",
        "fn f<'a>(x: &'a u8) -> char { '\"' }",
        "macro_rules! m { () => { $crate::high::f() } }",
        "#[cfg(test)] mod tests { use crate::high::Thing; fn f() {} }",
        "#[cfg(all(test, unix))]\nmod tests { use crate::high::Thing; }",
        "use std::fmt; use low::high; fn high() {} fn g() { high(); x.high::<u8>(); other::high::f(); }",
    ] {
        assert_eq!(of_files(&[("low", text)]), Vec::<String>::new(), "{text}");
    }
    let through = [
        ("high", "pub use crate::low::Thing; use crate::low;"),
        ("low/inner", "use crate::high::Thing;"),
    ];
    assert_eq!(of_files(&through), Vec::<String>::new(), "a re-export counts for who defines it");
}

#[test]
fn a_file_without_a_layer_is_found() {
    let wrong = of_files(&[("new", "")]);
    assert!(wrong[0].contains("made/up/new.rs is in no layer"), "{wrong:?}");
}

#[test]
fn an_import_from_beside_is_found_unless_both_share_the_layer_for_a_reason() {
    let text = "use crate::beside::Thing;";
    let wrong = of_files(&[("low", text)]);
    assert!(
        wrong.len() == 1 && wrong[0].contains("is in `beside`, which is beside `low`"),
        "{wrong:?}"
    );
    let of = Crate {
        folder: "made/up",
        layers: &[
            Layer::Mutual(&["low", "beside"], "some reason"),
            Layer::Of(&[arrows::ROOT, "left"]),
        ],
        exceptions: &[Exception { from: "low", to: "gone", why: "some reason" }],
    };
    let files = [("lib", ""), ("low", text), ("beside", "use super::low;")];
    let wrong =
        complaints(&of, files.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].contains("has no module `left`"), "{wrong:?}");
    assert!(wrong[1].contains("take the exception out (some reason)"), "{wrong:?}");
}
