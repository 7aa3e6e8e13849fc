use crate::support::gaussform;

/// The declaration with what stands below it.
fn block(text: &str, name: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{name}(")));
    let first = lines.next().expect("a declaration");
    let below: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).collect();
    format!("{first}\n{}", below.join("\n"))
}

#[test]
fn the_list_has_every_declaration() {
    let text = gaussform(&["list"]).output();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split('(').next()).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.starts_with(' ')).collect();
    let declared = gaussform_generated::DECLARATIONS.lines();
    let declared = declared.filter(|line| !line.starts_with('#') && line.contains(") ="));
    let declared: Vec<&str> = declared.filter_map(|line| line.split('(').next()).collect();
    assert_eq!(names, declared);
}

#[test]
fn a_block_tells_declaration_knots_and_source() {
    let text = gaussform(&["list"]).output();
    let leaky = block(&text, "leaky_relu");
    assert!(
        leaky.starts_with("leaky_relu(x; eps in (0, 1)) = max(eps * x, x)\n    knot 0. "),
        "{leaky}"
    );
    assert!(leaky.contains("torch.nn.LeakyReLU"), "{leaky}");
    assert!(block(&text, "hat").contains("knots −1, 0, 1. "));
    assert!(block(&text, "square").contains("no knots. "));
    assert!(text.lines().all(|line| line == line.trim_end() && line.chars().count() <= 100));
}

/// A line of the list, broken or not, is text of the language.
#[test]
fn a_declaration_can_be_read_again() {
    let text = gaussform(&["list"]).output();
    let block = block(&text, "srelu");
    let declaration: String = block.split("    knots").next().expect("a declaration").to_owned();
    let again = gaussform(&["inspect", &declaration, "--moment", "1"]).output();
    assert_eq!(again, gaussform(&["inspect", "srelu", "--moment", "1"]).output());
}

#[test]
fn the_table_in_the_repository_is_what_the_command_prints() {
    let printed = gaussform(&["list", "--format", "markdown"]).output();
    let committed = include_str!("../../../generated/README.md").replace("\r\n", "\n");
    if let Some((i, line)) =
        printed.lines().enumerate().find(|(i, l)| committed.lines().nth(*i) != Some(l))
    {
        panic!(
            "generated/README.md:{} should be\n{line}\nwrite it with\n  \
             cargo run -p gaussform-cli -- list --format markdown > generated/README.md",
            i + 1
        );
    }
    assert_eq!(printed, committed);
}

#[test]
fn documentation_in_several_paragraphs_is_shown_by_its_first() {
    let text = gaussform(&["list"]).output();
    let prelu = block(&text, "prelu");
    assert!(prelu.ends_with("He et\n    al. 2015."), "{prelu}");
}
