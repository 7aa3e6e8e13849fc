//! The format of a table's bytes, by the first of them, and the columns of formats that know the types of their cells.

use std::cell::Cell;

#[cfg(feature = "arrow")]
use super::arrow;
use super::column::Columns;
#[cfg(feature = "parquet")]
use super::parquet;

/// How the cells of a table stand in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Text, a row in each line.
    Csv,
    Parquet,
    /// Arrow's format of files, which Feather is.
    ArrowFile,
    /// Arrow's format of streams.
    ArrowStream,
}

/// The first bytes of each format but CSV. All have bytes 0 besides, which no text has.
const BEGINNINGS: [(&[u8], Form); 3] = [
    (b"PAR1", Form::Parquet),
    (b"ARROW1", Form::ArrowFile),
    (&[0xff, 0xff, 0xff, 0xff], Form::ArrowStream),
];

impl Form {
    /// The format of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let begins = |(beginning, _): &&(&[u8], Self)| bytes.starts_with(beginning);
        let found = BEGINNINGS.iter().find(begins).filter(|_| bytes.contains(&0));
        found.map_or(Self::Csv, |(_, form)| *form)
    }

    /// The name of the format, and the feature of this program that reads it.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Csv => ["CSV", "default"],
            Self::Parquet => ["Parquet", "parquet"],
            Self::ArrowFile => ["an Arrow file", "arrow"],
            Self::ArrowStream => ["an Arrow stream", "arrow"],
        }
    }

    /// The columns of bytes in this format, which is not CSV; or the problem with them and what to do.
    pub(super) fn columns(self, bytes: Vec<u8>) -> Result<Columns, [String; 2]> {
        let [name, feature] = self.names();
        let begins = format!("begins as {name} does");
        match self.read(bytes) {
            Some(Ok(columns)) => Ok(columns),
            Some(Err(e)) => {
                let help = "it may have been cut off or damaged, or be compressed in a way that is not known here: write it once more";
                Err([format!("{begins}, but cannot be read: {e}"), help.to_owned()])
            }
            None => {
                let help = format!("build it with --features {feature}, or write the table as CSV");
                Err([format!("{begins}, which this program was built without"), help])
            }
        }
    }

    /// The columns, if this program reads the format.
    fn read(self, bytes: Vec<u8>) -> Option<Result<Columns, String>> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => Some(unwound(|| parquet::columns(bytes))),
            #[cfg(feature = "arrow")]
            Self::ArrowFile => Some(unwound(|| arrow::file(bytes))),
            #[cfg(feature = "arrow")]
            Self::ArrowStream => Some(unwound(|| arrow::stream(bytes))),
            _ => {
                drop(bytes);
                None
            }
        }
    }
}

thread_local! {
    /// Whether a reader of another crate is at work on this thread.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics of readers, which are told as errors of the file, from being printed. It changes the hook of the process, so the program
/// calls it once, at its start.
pub(crate) fn silence_readers() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_READING.get() {
            usual(panic);
        }
    }));
}

/// The columns that a reader of another crate finds. Where it panics, as that of Arrow does where a length is damaged, that is an error of
/// the file.
#[cfg(any(feature = "arrow", feature = "parquet"))]
fn unwound(read: impl FnOnce() -> Result<Columns, String>) -> Result<Columns, String> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    IS_READING.set(true);
    // What the reader had is dropped with it.
    let read = catch_unwind(AssertUnwindSafe(read));
    IS_READING.set(false);
    read.unwrap_or_else(|_| Err("a length or an offset in it is wrong".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Form;

    /// Others of the process hear of their own panics while a file is read.
    #[cfg(any(feature = "arrow", feature = "parquet"))]
    #[test]
    fn panics_elsewhere_are_told() {
        use std::sync::mpsc::channel;

        let (told, heard) = channel();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let _ = told.send(panic.payload_as_str().map(str::to_owned));
        }));
        let read = super::unwound(|| {
            let elsewhere = std::thread::spawn(|| panic!("elsewhere"));
            assert!(elsewhere.join().is_err());
            Err("read".to_owned())
        });
        std::panic::set_hook(usual);
        assert!(read.is_err_and(|error| error == "read"));
        assert!(heard.iter().any(|panic| panic.as_deref() == Some("elsewhere")));
    }

    #[test]
    fn a_text_is_no_file_of_types() {
        for (bytes, form) in [
            (&b"PAR1\x15\x04\0PAR1"[..], Form::Parquet),
            (b"PAR1,x\n1,2\n", Form::Csv),
            (b"ARROW1\0\0\xff", Form::ArrowFile),
            (b"\xff\xff\xff\xff\x10\0\0\0", Form::ArrowStream),
            (b"", Form::Csv),
        ] {
            assert_eq!(Form::of(bytes), form);
        }
    }
}
