use crate::support::{command, file, gaussform, gaussform_with};

#[test]
fn a_closed_pipe_ends_the_command_without_a_word() {
    let table: String = "gamma,xi2\n".to_owned() + &"0.5,2\n".repeat(20_000);
    let (_folder, path) = file("points.csv", &table);
    for args in [
        vec!["eval", "relu", "--csv", &path],
        vec!["inspect", "clamp(x, -1, 1)^6", "--steps"],
        vec!["emit", "hat", "--target", "rust"],
        vec!["list"],
        vec!["--help"],
        vec!["eval", "--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(&args).stdout(writer).output().expect("the binary runs");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(141), "{args:?}");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    for args in [&["list"][..], &["--help"], &["eval", "--help"], &["--version"]] {
        let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let output = command(args).stdout(full).output().expect("the binary runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot write to standard output"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_dash_as_output_is_standard_output() {
    let args = ["eval", "relu", "--gamma=1", "--xi2=1"];
    let folder = tempfile::tempdir().expect("a folder");
    let output = command(&[&args[..], &["--out", "-"]].concat()).current_dir(&folder).output();
    let output = output.expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), gaussform(&args).output());
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
}

#[test]
fn devices_are_written_to_and_not_replaced() {
    let args = ["eval", "relu", "--gamma=1", "--xi2=1", "--out", "/dev/null"];
    assert_eq!(gaussform(&args).output(), "");
    let null = std::fs::metadata("/dev/null").expect("a device");
    assert!(!null.is_file());
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, path) = file("real.txt", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    let link = folder.path().join("link.txt");
    symlink(&path, &link).expect("a link");
    let out = link.to_str().expect("UTF-8");
    gaussform(&["eval", "relu", "--gamma=1", "--xi2=1", "--out", out]).output();
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&path).expect("a file").starts_with("mean "));
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_stays() {
    let (folder, _) = file("there.txt", "");
    let link = folder.path().join("link.txt");
    std::os::unix::fs::symlink(folder.path().join("missing.txt"), &link).expect("a link");
    let out = link.to_str().expect("UTF-8");
    let error = gaussform(&["eval", "relu", "--gamma=1", "--xi2=1", "--out", out]).error();
    assert!(error.contains("it is a link that leads nowhere"), "{error}");
    assert!(link.is_symlink() && !link.exists());
}

#[test]
fn a_file_that_must_not_be_written_stays() {
    let (_folder, path) = file("kept.txt", "old");
    let mut permissions = std::fs::metadata(&path).expect("a file").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).expect("a mode");
    let args = ["eval", "relu", "--gamma=1", "--xi2=1", "--out", &path];
    let error = gaussform(&args).error();
    assert!(error.contains("cannot write") && error.contains("permission denied"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "old");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let table = "gamma,xi2\n".to_owned() + &"0.5,2\n".repeat(500_000);
    let (folder, path) = file("points.csv", &table);
    let out = folder.path().join("out.csv");
    let out = out.to_str().expect("UTF-8");
    let count = || std::fs::read_dir(folder.path()).expect("a folder").count();
    let mut child =
        command(&["eval", "relu", "--csv", &path, "--out", out]).spawn().expect("the binary runs");
    while count() < 2 {
        assert_eq!(child.try_wait().expect("a child"), None, "too fast to be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().expect("a signal");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert_eq!(count(), 1);
}

#[test]
fn pipes_get_no_colours() {
    for args in [vec!["inspect", "relu"], vec!["verify", "relu"], vec!["list"], vec!["--help"]] {
        assert!(!gaussform(&args).output().contains('\x1b'), "{args:?}");
    }
}

#[test]
fn standard_input_is_limited() {
    let endless = vec![b'x'; 70_000];
    let error = gaussform_with(&["inspect", "-"], &endless).error();
    assert!(error.contains("at most 65536 bytes"), "{error}");
}
