//! A table of points (γ, ξ²) in CSV, read row by row in bounded memory.

mod assignment;
mod input;
mod matrix;
mod place;

use csv::{ByteRecord, ReaderBuilder};
use gaussform_symbolic::{Activation, similar};

use crate::number::{self, Number};
use crate::report::{Complaint, Failure};

pub(crate) use assignment::Assignment;
pub(crate) use input::Input;
use input::{Limited, TooLong};
pub(crate) use matrix::matrix;

/// The columns of a law of one or two pre-activations.
const LAW: [&str; 5] = ["gamma", "xi2", "gamma_h", "xi2_h", "cov"];

/// The names that a column of ξ may have.
const ROOTS: [&str; 2] = ["xi", "sd"];

/// A table with the points of its rows.
pub(crate) struct PointRows<'a> {
    input: &'a Input,
    reader: csv::Reader<Limited<'a>>,
    header: ByteRecord,
    gamma: usize,
    xi2: usize,
    /// The name of the column of ξ instead of ξ², if that is what the table has.
    root: Option<&'static str>,
    row: ByteRecord,
}

impl<'a> PointRows<'a> {
    /// Reads the header of a table that may have columns for the parameters of these activations.
    pub(crate) fn new(input: &'a Input, activations: &[&Activation]) -> Result<Self, Failure> {
        // The header is read as a row, so that errors can point at it. Rows of other lengths are
        // refused here, with their places.
        let reader =
            ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input.rewound()?);
        let empty = ByteRecord::new();
        let mut rows = Self {
            input,
            reader,
            header: empty.clone(),
            gamma: 0,
            xi2: 0,
            root: None,
            row: empty.clone(),
        };
        let mut header = empty;
        if !rows.read(&mut header)? {
            let help = "begin with a header such as `gamma,xi2`";
            return Err(Complaint::new(format!("{} is empty", input.name()), help).into());
        }
        rows.header = header;
        rows.root = rows.root(activations)?;
        (rows.gamma, rows.xi2) = (rows.column("gamma")?, rows.column(rows.root.unwrap_or("xi2"))?);
        Ok(rows)
    }

    /// The name of the column of ξ, if the table has that instead of ξ². A column that may be a parameter is one
    /// where another column has the variance.
    fn root(&self, activations: &[&Activation]) -> Result<Option<&'static str>, Failure> {
        let is_there = |name: &str| !self.columns(name).is_empty();
        let is_parameter = |root: &str| {
            activations.iter().flat_map(|g| &g.parameters).any(|parameter| *parameter.name == *root)
        };
        let roots = ROOTS.into_iter().filter(|root| is_there(root));
        let (parameters, own): (Vec<_>, Vec<_>) = roots.partition(|root| is_parameter(root));
        let (kept, other) = match (is_there("xi2"), own.as_slice()) {
            (true, []) => return Ok(None),
            (true, [root, ..]) => ("xi2", root),
            (false, [kept, other, ..]) => (*kept, other),
            (false, [root]) => return Ok(Some(root)),
            (false, []) => return Ok(parameters.first().copied()),
        };
        let message = format!("line 1: the header has a column `{kept}` and a column `{other}`");
        let help = "take one of them out of the table, or rename it: a point has one variance";
        let column = self.columns(other).first().copied();
        Err(self.input.wrong(&self.header, column, Complaint::new(message, help)))
    }

    /// Whether the column has γ or the variance.
    fn is_of_law(&self, column: usize) -> bool {
        [self.gamma, self.xi2].contains(&column)
    }

    /// The names of the columns, as they are written.
    pub(crate) fn header(&self) -> &ByteRecord {
        &self.header
    }

    /// The row that was read last.
    pub(crate) fn row(&self) -> &ByteRecord {
        &self.row
    }

    /// How many bytes of the input have been read.
    pub(crate) fn position(&self) -> u64 {
        self.reader.position().byte()
    }

    /// Reads and checks a row; none is left at the end.
    pub(crate) fn point<T: Number>(&mut self) -> Result<Option<(T, T)>, Failure> {
        let mut row = std::mem::take(&mut self.row);
        let more = self.read(&mut row)?;
        self.row = row;
        if !more {
            return Ok(None);
        }
        self.check_quotes()?;
        self.check_width()?;
        let gamma = self.field(self.gamma, "gamma", number::gamma)?;
        let xi2 = match self.root {
            Some(name) => self.field(self.xi2, name, |text| number::squared(name, text))?,
            None => self.field(self.xi2, "xi2", number::xi2)?,
        };
        Ok(Some((gamma, xi2)))
    }

    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Failure> {
        self.reader.get_ref().begin_row();
        self.reader.read_byte_record(record).map_err(|error| {
            let name = self.input.name();
            match error.kind() {
                csv::ErrorKind::Io(error) if TooLong::is_reason_of(error) => {
                    let line = record.position().map_or(1, csv::Position::line);
                    let message = format!("{name}, line {line}: a row without an end");
                    let help = format!("{TooLong}: is a quote `\"` left open?");
                    Complaint::new(message, help).into()
                }
                _ => Failure::plain(format!("cannot read {name}: {error}")),
            }
        })
    }

    /// The columns of this name.
    fn columns(&self, name: &str) -> Vec<usize> {
        let is_it = |index: &usize| self.header[*index].trim_ascii() == name.as_bytes();
        (0..self.header.len()).filter(is_it).collect()
    }

    /// The index of the column of this name, if there is one.
    pub(crate) fn position_of(&self, name: &str) -> Result<Option<usize>, Failure> {
        if self.columns(name).is_empty() { Ok(None) } else { self.column(name).map(Some) }
    }

    /// Refuses a table that has a column of one of the `names`, which are written behind its columns.
    pub(crate) fn check_names(&self, names: &[String]) -> Result<(), Failure> {
        let clash = names.iter().find_map(|name| Some((name, *self.columns(name).first()?)));
        let Some((name, column)) = clash else { return Ok(()) };
        let message = format!("line 1: a result is called `{name}`, as this column is");
        let help = "rename the column, or take it out of the table";
        Err(self.input.wrong(&self.header, Some(column), Complaint::new(message, help)))
    }

    /// The error for a parameter that has the name of a column which has another meaning.
    fn taken(&self, name: &str, column: usize) -> Failure {
        let message = format!(
            "line 1: the column `{name}` belongs to the pre-activations, and `{name}` is a parameter"
        );
        let help = format!("give the parameter by `--param {name}=VALUE`, or rename it");
        self.input.wrong(&self.header, Some(column), Complaint::new(message, help))
    }

    /// A complaint about the row that was read last.
    pub(crate) fn refusal(&self, complaint: Complaint) -> Failure {
        self.input.wrong_row(&self.row, None, complaint)
    }

    /// The index of the one column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        let found = self.columns(name);
        let (message, column) = match found.as_slice() {
            [only] => return Ok(*only),
            [] => (format!("line 1: the header has no column `{name}`"), None),
            [_, second, ..] => {
                (format!("line 1: the header has two columns `{name}`"), Some(*second))
            }
        };
        let Some(names) = self.names() else {
            let complaint =
                Complaint::new("line 1: the header is not UTF-8 text", "save it as UTF-8");
            return Err(self.input.wrong(&self.header, None, complaint));
        };
        let alone = names.len() == 1 && names[0].contains([';', '\t']);
        // A name that is taken for another column is not meant.
        let free = names.iter().map(|name| name.trim()).filter(|name| !LAW.contains(name));
        let meant = similar(name, free);
        let help = match meant.filter(|_| column.is_none()) {
            _ if alone => "separate the columns by commas, as in `gamma,xi2`".to_owned(),
            Some(meant) => format!("should `{meant}` be called `{name}`?"),
            None if column.is_some() => "rename one of them".to_owned(),
            None if LAW[..2].contains(&name) => {
                "the header names the columns `gamma` and `xi2` once each, as in `gamma,xi2`"
                    .to_owned()
            }
            None => format!("two pre-activations need the columns `{}`", LAW.join("`, `")),
        };
        Err(self.input.wrong(&self.header, column, Complaint::new(message, help)))
    }

    fn names(&self) -> Option<Vec<&str>> {
        self.header.iter().map(|name| std::str::from_utf8(name).ok()).collect()
    }

    /// A quote that is open takes all rows that follow.
    fn check_quotes(&self) -> Result<(), Failure> {
        if self.position() < self.input.size() {
            return Ok(());
        }
        self.input.check_quotes(&self.row)
    }

    fn check_width(&self) -> Result<(), Failure> {
        let (found, wanted) = (self.row.len(), self.header.len());
        if found == wanted {
            return Ok(());
        }
        let message = format!("the row has {} and the header {}", fields(found), fields(wanted));
        let help = "give every row as many fields as the header";
        Err(self.input.wrong_row(&self.row, None, Complaint::new(message, help)))
    }

    /// The value in a column of the row that was read last.
    pub(crate) fn field<'r, T>(
        &'r self,
        column: usize,
        name: &str,
        parse: impl Fn(&'r str) -> Result<T, Complaint>,
    ) -> Result<T, Failure> {
        let value = match std::str::from_utf8(&self.row[column]) {
            Ok(text) => parse(text),
            Err(_) => Err(Complaint::new(format!("`{name}` is not UTF-8 text"), "write a number")),
        };
        value.map_err(|complaint| self.input.wrong_row(&self.row, Some(column), complaint))
    }
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}
