//! Parts that processes have left behind which were killed: their names, and the lock that they do not have.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;

/// The name of the part with a number, of this process: `.NAME.PROCESS-NUMBER.part`.
pub(crate) fn name_of_part(target: &Path, number: u32) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}-{number}.part", process::id()));
    name
}

/// Removes the parts of `target` that no process has locked, less those that this process `writes`: some file systems
/// let a process lock what it has locked.
pub(crate) fn remove_stale(target: &Path, writes: &[PathBuf]) {
    // A folder that cannot be read is no obstacle: a part that stays harms nobody.
    let Some(Ok(entries)) = target.parent().map(fs::read_dir) else { return };
    for name in entries.flatten().map(|entry| entry.file_name()) {
        let part = target.with_file_name(&name);
        if !is_part_of(target, name.as_encoded_bytes()) || writes.contains(&part) {
            continue;
        }
        if let Ok(file) = File::options().write(true).open(&part)
            && file.try_lock().is_ok()
        {
            // It is locked until it is gone. One that cannot be removed stays.
            let _ = fs::remove_file(&part);
        }
    }
}

/// Whether a file has the name of a part of `target`, of any process.
fn is_part_of(target: &Path, name: &[u8]) -> bool {
    let of = target.file_name().unwrap_or_default().as_encoded_bytes();
    let middle = name.strip_prefix(b".").and_then(|rest| rest.strip_prefix(of));
    let middle = middle.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".part"));
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    middle.is_some_and(|middle| {
        let mut numbers = middle.split(|byte| *byte == b'-');
        numbers.by_ref().take(2).filter(|text| is_number(text)).count() == 2
            && numbers.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_are_known_again() {
        let target = Path::new("folder/model.st");
        assert!(is_part_of(target, name_of_part(target, 3).as_encoded_bytes()));
        for other in [
            "model.st",
            ".model.st",
            "model.st.7-0.part",
            ".model.st.7.part",
            ".model.st.7-0.parts",
            ".model.st.x-0.part",
            ".model.st.7-0-1.part",
            ".other.st.7-0.part",
        ] {
            assert!(!is_part_of(target, other.as_bytes()), "{other}");
        }
    }
}
