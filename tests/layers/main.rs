//! In each crate data flows one way: no modules import each other in a circle.
//!
//! For each folder of a crate its parts are the files and the folders in it. No part imports from another one that, by
//! way of any others, imports from it. A folder with the file that declares it (`a.rs` or `a/mod.rs`) is one part for
//! those beside it; inside, no order is asked between that file and the others. What counts as an import is what `use`
//! names, and every path in code that leads to a module of the crate; names that a module only re-exports count for the
//! module that defines them. Tests inside of a crate may import anything.

mod arrows;
mod circles;
mod tokens;

use std::collections::BTreeMap;
use std::path::Path;

use arrows::Modules;
use circles::{Circle, circles};

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let mut wrong = Vec::new();
    for package in packages(&manifest) {
        let sources = if package == "." { "src".to_owned() } else { format!("{package}/src") };
        let mut files = BTreeMap::new();
        // A package of tests or benchmarks alone has none.
        if root.join(&sources).is_dir() {
            collect(&root.join(&sources), "", &mut files);
        }
        wrong.extend(complaints(&sources, files));
    }
    assert!(wrong.is_empty(), "{} mistakes:\n\n{}\n", wrong.len(), wrong.join("\n\n"));
}

/// The folders of all packages of the workspace, and of those beside it.
fn packages(manifest: &str) -> Vec<&str> {
    let listed = |key: &str| {
        let list =
            manifest.split_once(&format!("\n{key} = [")).and_then(|(_, rest)| rest.split_once(']'));
        let (list, _) = list.unwrap_or_else(|| panic!("Cargo.toml has a list `{key}`"));
        list.split('"').skip(1).step_by(2)
    };
    ["."].into_iter().chain(listed("members")).chain(listed("exclude")).collect()
}

/// The texts of the files in a folder by their paths below it, without `.rs`.
fn collect(folder: &Path, below: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{below}{}", path.file_stem().expect("a name").to_str().expect("UTF-8"));
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(name, std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

/// A complaint for each circle of a crate.
fn complaints(sources: &str, files: BTreeMap<String, String>) -> Vec<String> {
    let complaint = |circle: Circle| {
        let parts: Vec<String> = circle.parts.iter().map(|part| format!("`{part}`")).collect();
        let folder = [sources, &circle.folder].join("/");
        format!(
            "{}: {} import each other:\n  {}\n  Turn one of these imports around: move what is used to a module of its \
             own below both, or to the part that owns the idea; have the caller hand it in; or put an error beside what \
             raises it.",
            folder.trim_end_matches('/'),
            parts.join(", "),
            circle.imports.join("\n  "),
        )
    };
    circles(&Modules::new(files), sources).into_iter().map(complaint).collect()
}

/// The complaints about a crate of some files. `high` imports from `low` and `beside`, where nothing else is given.
fn of_files(files: &[(&str, &str)]) -> Vec<String> {
    let mut all: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    for (name, text) in [
        ("lib", "mod low; mod high; pub use high::Top;"),
        ("low", ""),
        ("beside", ""),
        ("high", "use crate::beside; use crate::low::Base;"),
    ] {
        all.entry(name.to_owned()).or_insert_with(|| text.to_owned());
    }
    complaints("made/up", all)
}

#[test]
fn packages_are_found_in_the_manifest() {
    let manifest = "[workspace]\nexclude = [\"fuzz\"]\nmembers = [\n    \"a\",\n    \"b/c\",\n]\n";
    assert_eq!(packages(manifest), [".", "a", "b/c", "fuzz"]);
}

#[test]
fn an_import_that_closes_a_circle_is_found_however_it_is_written() {
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
            wrong.len() == 1
                && wrong[0].starts_with("made/up: `high`, `low` import each other:")
                && wrong[0].contains("is in `high`"),
            "{text}: {wrong:?}"
        );
    }
    let wrong = of_files(&[("low/inner", "fn f() {\n    crate::Top::new();\n}")]);
    assert!(
        wrong[0].contains("\n  made/up/low/inner.rs:2: `crate::Top::new` is in `high`\n")
            && wrong[0].contains("\n  made/up/high.rs:1: `crate::low::Base` is in `low`\n"),
        "{wrong:?}"
    );
}

#[test]
fn a_circle_is_found_however_long_it_is_and_wherever_it_closes() {
    let far = [("low", "use crate::beside;"), ("beside", "use crate::high::Thing;")];
    let wrong = of_files(&far);
    assert!(
        wrong.len() == 1 && wrong[0].starts_with("made/up: `beside`, `high`, `low` import"),
        "{wrong:?}"
    );
    // Two files of two folders, though no file is in a circle.
    let wrong = of_files(&[
        ("low/one", "use crate::high;"),
        ("high", "use crate::low::two;"),
        ("low/two", ""),
    ]);
    assert!(wrong.len() == 1 && wrong[0].starts_with("made/up: `high`, `low` import"), "{wrong:?}");
    let inside = [("low/one", "use super::two;"), ("low/two", "use super::one;")];
    let wrong = of_files(&inside);
    assert!(
        wrong.len() == 1 && wrong[0].starts_with("made/up/low: `one`, `two` import"),
        "{wrong:?}"
    );
}

#[test]
fn a_file_and_the_folder_that_it_declares_are_one_part() {
    let files = [("low", "mod inner; use inner::f;"), ("low/inner", "use super::Base;")];
    assert_eq!(of_files(&files), Vec::<String>::new());
    let files = [("low/mod", "mod inner; use inner::f;"), ("low/inner", "use super::Base;")];
    assert_eq!(of_files(&files), Vec::<String>::new());
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
