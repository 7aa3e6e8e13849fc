//! The functions that kernels call, each only where a kernel calls it.

use std::collections::{BTreeMap, BTreeSet};

use super::{pieces, tables};
use crate::kernel::Kernel;

/// The definitions that a text needs, each with its comment.
pub(super) fn needed(kernels: &[Kernel], text: &str) -> String {
    let items = items(kernels);
    let named: BTreeMap<&str, &str> = items.iter().map(|item| (name(item), &**item)).collect();
    let mut needed = BTreeSet::new();
    let mut texts = vec![text];
    while let Some(text) = texts.pop() {
        for word in words(text) {
            if let Some((name, item)) = named.get_key_value(word)
                && needed.insert(*name)
            {
                texts.push(item);
            }
        }
    }
    let items = items.iter().filter(|item| needed.contains(name(item)));
    // Constants stand together.
    let (constants, rest): (Vec<_>, Vec<_>) = items.partition(|item| item.starts_with("const"));
    let block = |items: Vec<&String>, gap: &str| {
        items.into_iter().map(|item| format!("{item}{gap}")).collect::<String>()
    };
    let gap = if constants.is_empty() { "" } else { "\n" };
    format!("{}{gap}{}", block(constants, "\n"), block(rest, "\n\n"))
}

/// All definitions.
fn items(kernels: &[Kernel]) -> Vec<String> {
    let mut text = [
        include_str!("words.wgsl"),
        include_str!("input.wgsl"),
        include_str!("operations.wgsl"),
        include_str!("edge.wgsl"),
    ]
    .join("\n");
    text += &format!("\n{}", pieces::SHARED.join("\n"));
    let degrees = kernels.iter().filter_map(|kernel| Some(kernel.table()?.degree));
    for degree in degrees.collect::<BTreeSet<usize>>() {
        text += &format!("\n{}", pieces::of_degree(degree));
    }
    let mut items = tables::definitions::<f32>();
    items.extend(text.split("\n\n").map(|item| item.trim().to_owned()));
    items
}

/// The name that a definition defines.
fn name(item: &str) -> &str {
    let line = item.lines().find(|line| !line.starts_with("//")).unwrap_or_default();
    let keywords = ["", "fn", "const", "struct", "var", "private"];
    words(line).find(|word| !keywords.contains(word)).unwrap_or_default()
}

/// The words of a text, but for comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
}
