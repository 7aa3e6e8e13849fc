//! The format of a table's bytes, by the first of them, and the columns of formats that know the types of their cells.

#[cfg(feature = "arrow")]
use super::arrow;
#[cfg(feature = "parquet")]
use super::parquet;
use super::typed::TypedColumn;

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
    pub(super) fn columns(self, bytes: Vec<u8>) -> Result<Vec<TypedColumn>, [String; 2]> {
        let [name, feature] = self.names();
        let read = match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => parquet::columns(bytes),
            #[cfg(feature = "arrow")]
            Self::ArrowFile => arrow::file(bytes),
            #[cfg(feature = "arrow")]
            Self::ArrowStream => arrow::stream(bytes),
            _ => {
                let problem =
                    format!("begins as {name} does, which this program was built without");
                let help = format!("build it with --features {feature}, or write the table as CSV");
                drop(bytes);
                return Err([problem, help]);
            }
        };
        read.map_err(|e| {
            let help = "it may have been cut off or damaged, or be compressed in a way that is not known here: write it once more";
            [format!("begins as {name} does, but cannot be read: {e}"), help.to_owned()]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Form;

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
