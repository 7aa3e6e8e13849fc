//! The tables of the runtime are the ones that this package makes.

use gaussform_constants::{COMMAND, files};

#[test]
fn tables_are_current() {
    for file in files() {
        assert!(file.is_current(), "{}: `{COMMAND}` makes another text", file.path.display());
    }
}
