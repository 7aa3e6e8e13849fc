//! The separator of a table's cells: the sign that gives the first lines the most cells, and each line the same
//! number of cells.

use csv::ReaderBuilder;

/// The signs that are tried, those that are preferred first.
const SIGNS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// The number of bytes and of records that decide.
const BYTES: usize = 1 << 16;
const RECORDS: usize = 50;

/// The separator of the cells of `bytes`.
pub(crate) fn separator(bytes: &[u8]) -> u8 {
    let (mut best, mut most) = (SIGNS[0], (false, 1));
    for sign in SIGNS {
        let score = score(bytes, sign);
        // Lines of one length count before many cells; of equal signs the first one stays.
        if score.1 > 1 && score > most {
            (best, most) = (sign, score);
        }
    }
    best
}

/// Whether all records have as many cells as the header, and how many it has.
fn score(bytes: &[u8], sign: u8) -> (bool, usize) {
    let cut = bytes.len() > BYTES;
    let start = &bytes[..bytes.len().min(BYTES)];
    let mut reader =
        ReaderBuilder::new().delimiter(sign).flexible(true).has_headers(false).from_reader(start);
    let mut lengths: Vec<usize> =
        reader.byte_records().take(RECORDS).map_while(Result::ok).map(|r| r.len()).collect();
    // What was cut off ends in the middle of a record.
    if cut && lengths.len() < RECORDS {
        lengths.pop();
    }
    let header = lengths.first().copied().unwrap_or(0);
    (lengths.iter().all(|length| *length == header), header)
}

#[cfg(test)]
mod tests {
    use super::separator;

    #[test]
    fn the_sign_that_gives_every_line_as_many_cells() {
        for (text, sign) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("a|b|c\n1|2|3\n", b'|'),
            // Commas within words, and one column alone.
            ("a;b\n\"x, y, z\";2\n", b';'),
            ("a\n1\n2\n", b','),
            ("", b','),
            // Semicolons within words.
            ("a,b\nx;y;z,2\n", b','),
        ] {
            assert_eq!(separator(text.as_bytes()), sign, "{text:?}");
        }
    }
}
