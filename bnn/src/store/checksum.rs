//! The checksum of a file: the CRC-32 of its description and of all its tensors, written into the description.

use flate2::Crc;

/// Eight digits in the place of the checksum, from which the checksum is computed.
pub(super) const BLANK: &str = "00000000";

/// The JSON text before the checksum in a description.
const BEFORE: &str = "\"checksum\":\"";

/// The CRC-32 of the description, with [`BLANK`] for its checksum, followed by the bytes of all tensors as they lie in the
/// file, in eight hexadecimal digits.
pub(super) fn of(description: &str, data: &[u8]) -> String {
    let mut crc = Crc::new();
    crc.update(with(description, BLANK).as_bytes());
    crc.update(data);
    format!("{:08x}", crc.sum())
}

/// The description with this checksum in the place of its own; as it is, if it has none.
pub(super) fn with(description: &str, checksum: &str) -> String {
    let place = description.find(BEFORE).map(|start| start + BEFORE.len());
    let parts =
        place.and_then(|at| Some((description.get(..at)?, description.get(at + BLANK.len()..)?)));
    match parts {
        Some((before, after)) => format!("{before}{checksum}{after}"),
        None => description.to_owned(),
    }
}
