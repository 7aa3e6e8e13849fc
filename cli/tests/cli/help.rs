//! The help, the completions and the manual pages: what they say holds.

use std::process::{Command, Stdio};

use crate::support::{command, gaussform, gaussform_with};

const COMMANDS: [&str; 9] =
    ["inspect", "eval", "kernel", "plot", "emit", "verify", "list", "completions", "man"];

/// Lines of a help that call the command. One that ends with a backslash goes on in the next.
fn examples(help: &str) -> Vec<String> {
    let help = help.replace("\\\n    ", "");
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    let own = lines.filter(|line| !line.starts_with(' '));
    let calls = own.filter(|line| line.starts_with("gaussform ") || line.contains("| gaussform "));
    calls.map(str::to_owned).collect()
}

/// The help of a command, or of gaussform as a whole, on a terminal of so many columns.
fn help_at(columns: usize, of: Option<&str>) -> String {
    let args: Vec<&str> = of.into_iter().chain(["--help"]).collect();
    let output = command(&args).env("COLUMNS", columns.to_string()).stdin(Stdio::null()).output();
    String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8")
}

/// Examples stand as they are written, and a paragraph breaks only before a word that has no place in the line.
#[test]
fn help_is_laid_out_for_its_terminal() {
    for of in COMMANDS.iter().copied().map(Some).chain([None]) {
        let behind = |help: String| help[help.find("Examples:").expect("examples")..].to_owned();
        let indented = |help: &str| -> Vec<String> {
            help.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect()
        };
        let narrow = behind(help_at(80, of));
        assert_eq!(indented(&narrow), indented(&behind(help_at(200, of))), "{of:?}");
        for (columns, help) in [(80, narrow), (100, behind(help_at(200, of)))] {
            let lines: Vec<&str> = help.lines().collect();
            for pair in lines.windows(2) {
                assert!(pair[0].chars().count() <= columns, "{pair:?}");
                let prose = pair.iter().all(|line| !line.is_empty() && !line.starts_with(' '));
                if prose && !pair[0].ends_with(':') {
                    let word = pair[1].split(' ').next().unwrap_or_default();
                    let joined = pair[0].chars().count() + 1 + word.chars().count();
                    assert!(joined > columns, "{pair:?}");
                }
            }
        }
    }
}

#[test]
fn help_has_the_exit_codes_of_its_command() {
    for of in COMMANDS.iter().copied().map(Some).chain([None]) {
        let checks = matches!(of, None | Some("verify"));
        assert_eq!(help_at(100, of).contains("\n  1    "), checks, "{of:?}");
    }
}

#[test]
fn help_has_examples() {
    for command in COMMANDS {
        for option in ["-h", "--help"] {
            let help = gaussform(&[command, option]).output();
            assert!(help.contains("Examples:"), "{help}");
            assert!(examples(&help).iter().any(|line| line.contains(command)), "{help}");
            assert_eq!(help.contains("Exit codes:"), option == "--help", "{help}");
        }
    }
    let version = gaussform(&["--version"]).output();
    assert!(version.starts_with("gaussform "), "{version}");
}

/// Every example is run by a shell, in a folder with the files that it names.
#[cfg(unix)]
#[test]
fn the_examples_of_the_help_work() {
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_gaussform")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let mut count = 0;
    for command in COMMANDS.iter().map(Some).chain([None]) {
        let args: Vec<&str> = command.copied().into_iter().chain(["--help"]).collect();
        let help = gaussform(&args).output();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("activations.gf"), "hat(x) = max(0, 1 - |x|)\n")
            .expect("a file");
        std::fs::write(folder.path().join("points.csv"), "gamma,xi2\n0,1\n").expect("a file");
        let pairs = "gamma,xi2,gamma_h,xi2_h,cov\n0,1,0,1,0.5\n";
        std::fs::write(folder.path().join("pairs.csv"), pairs).expect("a file");
        // Not those that change the user's own configuration.
        let lines = examples(&help).into_iter().filter(|line| !line.contains(['~', '$']));
        for line in lines.filter(|line| !line.contains("man -l")) {
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(folder.path())
                .env("PATH", format!("{}:{path}", bin.display()))
                .output()
                .expect("a shell");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && stderr.is_empty(), "{line}\n{stderr}");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} examples");
}

#[test]
fn no_arguments_give_the_help() {
    let error = gaussform(&[]).error();
    assert!(error.contains("Usage:") && error.contains("Examples:"), "{error}");
}

#[test]
fn scripts_complete_commands_options_and_names() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = gaussform(&["completions", shell]).output();
        for word in ["inspect", "monte-carlo", "completions"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        let names = matches!(shell, "bash" | "zsh");
        assert_eq!(script.contains("hard_tanh"), names, "{shell}");
    }
}

/// The shells that are installed accept their scripts.
#[test]
fn scripts_are_well_formed() {
    for (shell, args) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = gaussform(&["completions", shell]).output();
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), script).expect("a file");
        let parsed = Command::new(shell).args(args).arg(file.path()).output();
        if let Ok(parsed) = parsed {
            let stderr = String::from_utf8_lossy(&parsed.stderr);
            assert!(parsed.status.success() && stderr.is_empty(), "{shell}: {stderr}");
        }
    }
}

/// The script, in a shell that asks it.
#[test]
fn bash_completes() {
    let script = gaussform(&["completions", "bash"]).output();
    let ask = |words: &str, last: usize| {
        let text = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD={last}; COMP_TYPE=9\n\
             _gaussform gaussform \"${{COMP_WORDS[{last}]}}\" \"\" 2>/dev/null; echo \"${{COMPREPLY[*]}}\""
        );
        let output = Command::new("bash").args(["-c", &text]).stdin(Stdio::null()).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).ok()
    };
    for (words, last, expected) in [
        ("gaussform insp", 1, "inspect"),
        ("gaussform inspect hard_t", 2, "hard_tanh"),
        ("gaussform eval relu --prec", 3, "--precision"),
    ] {
        // Where there is no bash, there is nothing to complete.
        let Some(reply) = ask(words, last) else { return };
        assert_eq!(reply, expected, "{words}");
    }
}

#[test]
fn manual_pages() {
    let page = gaussform(&["man"]).output();
    assert!(page.contains(".TH gaussform 1") && page.contains("Exit codes:"), "{page}");
    let page = gaussform(&["man", "eval"]).output();
    assert!(page.contains(".TH gaussform-eval 1") && page.contains("RFC 4180"), "{page}");
    assert!(page.contains(".SH EXAMPLES") && !page.contains("EXTRA"), "{page}");
    let error = gaussform(&["man", "evl"]).error();
    assert!(error.contains("did you mean `eval`?"), "{error}");
}

#[test]
fn colours_are_shown_where_they_are_wanted() {
    let always = gaussform(&["--color", "always", "inspect", "relu"]).output();
    assert!(always.contains('\x1b'), "{always}");
    let always = gaussform(&["list", "--color=always", "--color=never"]);
    assert_eq!(always.code, Some(2), "given twice: {}", always.stdout);
    for args in [["inspect", "rellu"], ["inspect", "--oops"]] {
        let run = gaussform(&[&args[..], &["--color=always"]].concat());
        assert!(run.stderr.contains('\x1b') && run.stdout.is_empty(), "{}", run.stderr);
        gaussform(&[&args[..], &["--color=never"]].concat()).error();
    }
}

#[test]
fn quiet_commands_say_what_is_wrong() {
    assert_eq!(gaussform(&["verify", "relu", "--quiet"]).output(), "");
    assert!(gaussform(&["-q", "verify", "rellu"]).error().contains("did you mean"));
    let table = gaussform_with(&["eval", "relu", "--csv=-", "-q"], b"gamma,xi2\n0,1\n").output();
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn letters_of_either_case_name_choices() {
    gaussform(&["eval", "relu", "--gamma=1", "--xi2=1", "--precision", "F32"]).output();
    gaussform(&["inspect", "relu", "--format", "LaTeX"]).output();
    gaussform(&["emit", "relu", "--target", "Rust"]).output();
}
