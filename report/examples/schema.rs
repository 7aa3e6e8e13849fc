//! Prints the schema of the JSON format: `docs/inspect.schema.json`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(gaussform_report::record::Document::schema().as_bytes())
}
