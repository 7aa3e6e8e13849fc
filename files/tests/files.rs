//! Files as others see them: old or new, never a half, and nothing beside them.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use gaussform_files::{Unfinished, check_place, write_whole};
use tempfile::TempDir;

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_new_when_it_is_finished() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("m.st");
    write_whole(&path, b"old").expect("a place");
    let mut file = Unfinished::new(&path).expect("a place");
    file.write_all(b"new").expect("room");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_eq!(names(&folder).len(), 2);
    file.finish().expect("a place");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(names(&folder), ["m.st"]);
}

#[test]
fn one_that_is_given_up_and_a_check_leave_nothing() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("m.st");
    drop(Unfinished::new(&path).expect("a place"));
    check_place(&path, 1000).expect("a place");
    assert!(names(&folder).is_empty());
}

#[test]
fn one_that_cannot_get_its_name_is_removed() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("m.st");
    let file = Unfinished::new(&path).expect("a place");
    fs::create_dir(&path).expect("a place");
    assert!(file.finish().is_err());
    assert_eq!(names(&folder), ["m.st"]);
}

#[test]
fn many_may_write_one_file() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("m.st");
    let write = |digit: u8| {
        let path = path.clone();
        move || {
            for _ in 0..20 {
                write_whole(&path, &[digit; 5000]).expect("a place");
            }
        }
    };
    std::thread::scope(|scope| {
        for digit in 0..4 {
            scope.spawn(write(digit));
        }
    });
    let bytes = fs::read(&path).expect("a file");
    assert!(bytes.len() == 5000 && bytes.iter().all(|byte| *byte == bytes[0]));
    assert_eq!(names(&folder), ["m.st"]);
}

#[test]
fn parts_of_killed_processes_are_removed_and_others_stay() {
    let folder = TempDir::new().expect("a folder");
    let put = |name: &str| File::create(folder.path().join(name)).expect("a place");
    let writes = put(".m.st.1-0.part");
    writes.lock().expect("a lock");
    for name in [".m.st.1-1.part", ".m.st.4000000000-0.part", ".n.st.1-0.part", "m.st.1-0.part"] {
        put(name);
    }
    write_whole(&folder.path().join("m.st"), b"new").expect("a place");
    assert_eq!(names(&folder), [".m.st.1-0.part", ".n.st.1-0.part", "m.st", "m.st.1-0.part"]);
}

#[test]
fn what_is_no_file_that_may_be_written_stays() {
    let folder = TempDir::new().expect("a folder");
    let refused = |path: &Path, problem: &str| {
        let error = write_whole(path, b"new").expect_err("a refusal");
        assert!(error.to_string().contains(problem), "{error}");
        assert_eq!(check_place(path, 0).expect_err("a refusal").to_string(), error.to_string());
    };
    refused(folder.path(), "it is a folder");
    refused(Path::new(""), "it names no file");
    assert_eq!(
        check_place(&folder.path().join("no/m.st"), 0).expect_err("a refusal").kind(),
        ErrorKind::NotFound
    );
    let kept = folder.path().join("kept");
    fs::write(&kept, "old").expect("a place");
    let mut permissions = fs::metadata(&kept).expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&kept, permissions).expect("a mode");
    refused(&kept, "permission denied");
    #[cfg(unix)]
    {
        refused(Path::new("/dev/null"), "it is a device");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).expect("a link");
        refused(&link, "it is a link that leads nowhere");
        assert_eq!(names(&folder), ["kept", "link"]);
    }
    assert_eq!(fs::read(&kept).expect("a file"), b"old");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = TempDir::new().expect("a folder");
    let [path, link] = ["m.st", "link"].map(|name| folder.path().join(name));
    fs::write(&path, "old").expect("a place");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("m.st", &link).expect("a link");
    write_whole(&link, b"new").expect("a place");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
}
