use crate::support::gaussform;

#[test]
fn the_table_has_every_declaration() {
    let text = gaussform(&["list"]).output();
    let mut lines = text.lines();
    let titles: Vec<&str> = lines.next().expect("titles").split_whitespace().collect();
    assert_eq!(titles, ["name", "parameters", "definition", "knots", "source"]);
    let names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    let declared = gaussform_generated::DECLARATIONS.lines();
    let declared = declared.filter(|line| !line.starts_with('#') && line.contains(") ="));
    let declared: Vec<&str> = declared.filter_map(|line| line.split('(').next()).collect();
    assert_eq!(names, declared);
}

#[test]
fn a_row_tells_parameters_definition_knots_and_source() {
    let text = gaussform(&["list"]).output();
    let row = |name: &str| {
        let mut rows = text.lines().filter(|line| line.split_whitespace().next() == Some(name));
        rows.next().expect("a row").to_owned()
    };
    let leaky = row("leaky_relu");
    for part in ["eps in (0, 1)", "max(eps * x, x)", "  0  ", "torch.nn.LeakyReLU"] {
        assert!(leaky.contains(part), "{leaky}");
    }
    assert!(row("hat").contains("−1, 0, 1"));
    assert!(text.lines().all(|line| line == line.trim_end()));
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
    let prelu = text.lines().find(|line| line.starts_with("prelu")).expect("a row");
    assert!(prelu.ends_with("He et al. 2015."), "{prelu}");
}
