//! Files that are written, and runs that are interrupted.

use std::fs;
use std::process::Command;

use crate::place::{Place, table};

#[test]
fn a_model_replaces_no_device_link_or_folder() {
    let place = Place::new();
    place.put("t.csv", table(30));
    fs::create_dir(place.path("folder")).unwrap();
    let train = "train --csv t.csv --target price --epochs 2 --hidden 2";
    let fails = |out: &str, problem: &str| {
        let said = place.fails(&format!("{train} --out {out}"));
        assert!(said.starts_with(&format!("error: {out}: cannot be written: {problem}")), "{said}");
    };
    fails("folder", "it is a folder");
    fails("no/m.st", "No such file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fails("/dev/null", "it is a device");
        symlink("nowhere", place.path("dangling")).unwrap();
        fails("dangling", "it is a link that leads nowhere");
        assert!(fs::symlink_metadata(place.path("dangling")).unwrap().is_symlink());
        // A link to a file stays one, and the file is replaced.
        place.put("m.st", "old");
        symlink("m.st", place.path("link")).unwrap();
        place.does(&format!("{train} --out link"));
        assert!(fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
        place.does("predict --model m.st --csv t.csv");
    }
}

#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for args in [&["--help"][..], &["train", "--help"], &["--version"]] {
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let command = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .args(args)
            .stdout(full)
            .output()
            .unwrap();
        let said = String::from_utf8(command.stderr).unwrap();
        assert!(
            command.status.code() == Some(2) && said.starts_with("error: "),
            "{args:?}: {said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_model_and_goes_on_to_the_same_bits() {
    let place = Place::new();
    place.put("t.csv", table(200));
    let train = |out: &str| {
        format!("train --csv t.csv --target price --hidden 20 --epochs 400 --seed 3 --out {out}")
    };
    place.does(&train("whole.st"));
    for (signal, checkpoint) in [("-INT", ""), ("-TERM", " --checkpoint kept")] {
        let code = place.interrupted(&format!("{}{checkpoint}", train("m.st")), signal);
        assert_eq!(code, Some(130));
        // A model as any other.
        place.does("predict --model m.st --csv t.csv");
        let folder = if checkpoint.is_empty() { "m.st.checkpoint" } else { "kept" };
        assert!(place.path(folder).join("training-1.safetensors").is_file());

        let said = place.fails(&format!("{}{checkpoint}", train("m.st")));
        assert!(
            said.contains("holds the checkpoint of a run that did not come to its end"),
            "{said}"
        );
        let other = format!("{}{checkpoint} --resume --prior 3", train("m.st"));
        assert!(place.fails(&other).contains("of a network with other layers, priors or noise"));
        let other = format!("{}{checkpoint} --resume --learning-rate 0.5", train("m.st"));
        assert!(place.fails(&other).contains("the checkpoint is of another run"));
        place.put("t3.csv", table(199));
        let other = format!("{}{checkpoint} --resume", train("m.st")).replace("t.csv", "t3.csv");
        assert!(place.fails(&other).contains("it trained on 200 rows, not on 199"));

        place.does(&format!("{}{checkpoint} --resume", train("m.st")));
        assert_eq!(
            fs::read(place.path("m.st")).unwrap(),
            fs::read(place.path("whole.st")).unwrap()
        );
        assert!(!place.path(folder).exists());
    }
    let said = place.fails(&format!("{} --resume", train("m.st")));
    assert!(said.starts_with("error: m.st.checkpoint: has no checkpoint to go on with"), "{said}");
}
