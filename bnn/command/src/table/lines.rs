//! The line of a file on which a record begins.

use csv::Position;

/// The lines of a file, from its beginning on. The reader of CSV takes a record to begin with the blank lines before it, and
/// counts no line that ends in a carriage return alone.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The line of a record, which does not lie before the last one.
    pub(crate) fn at(&mut self, record: Option<&Position>) -> u64 {
        let start = record.map_or(0, |position| position.byte() as usize);
        while let Some(byte) = self.bytes.get(self.at)
            && (self.at < start || matches!(byte, b'\r' | b'\n'))
        {
            let ends = match byte {
                b'\n' => true,
                b'\r' => self.bytes.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(ends);
            self.at += 1;
        }
        self.line
    }
}
