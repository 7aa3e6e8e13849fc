//! Results of runs in one compressed archive (tar, gzip), as this repository keeps them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use tar::Archive;

use crate::failure::Failure;
use crate::record::Found;

/// The contents of all `result.json` in the archive, in the order of their paths.
pub(crate) fn contents(path: &Path) -> Result<Vec<Found>, Failure> {
    let unreadable =
        |e| Failure::file(path, e, "name a folder of results, or an archive of it by tar and gzip");
    let file = File::open(path).map_err(unreadable)?;
    let mut found = BTreeMap::new();
    for entry in Archive::new(GzDecoder::new(file)).entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let name = entry.path().map_err(unreadable)?.into_owned();
        if name.file_name().is_some_and(|name| name == "result.json") {
            let mut text = String::new();
            entry.read_to_string(&mut text).map_err(unreadable)?;
            let contents = Found::parse(&text, &path.join(&name))?;
            found.insert(name, contents);
        }
    }
    Ok(found.into_values().collect())
}
