//! A table of numbers without a meaning of their own: the rows of a matrix below a header.

use csv::{ByteRecord, ReaderBuilder};

use super::input::{Input, TooLong};
use crate::number::finite;
use crate::report::{Complaint, Failure};

/// The rows below the header, at least one, all as long as the header.
pub(crate) fn matrix(input: &Input) -> Result<Vec<Vec<f64>>, Failure> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input.rewound()?);
    let help = "give a header, and below it a row of numbers for each point";
    let mut header: Option<ByteRecord> = None;
    let (mut rows, mut row) = (Vec::new(), ByteRecord::new());
    loop {
        reader.get_ref().begin_row();
        let more = reader.read_byte_record(&mut row).map_err(|error| match error.kind() {
            csv::ErrorKind::Io(error) if TooLong::is_reason_of(error) => {
                let message = format!("{}: a row without an end", input.name());
                Complaint::new(message, format!("{TooLong}: is a quote `\"` left open?")).into()
            }
            _ => Failure::plain(format!("cannot read {}: {error}", input.name())),
        })?;
        if !more {
            break;
        }
        let Some(names) = &header else {
            let is_number =
                |field: &[u8]| finite::<f64>("", &String::from_utf8_lossy(field)).is_ok();
            if row.iter().all(is_number) {
                let complaint = Complaint::new("the header is a row of numbers", help);
                return Err(input.wrong_row(&row, None, complaint));
            }
            header = Some(row.clone());
            continue;
        };
        let (found, wanted) = (row.len(), names.len());
        if found != wanted {
            let message = format!("the row has {found} fields and the header {wanted}");
            let help = "give every row as many fields as the header";
            return Err(input.wrong_row(&row, None, Complaint::new(message, help)));
        }
        let number = |(column, field): (usize, &[u8])| {
            let name = String::from_utf8_lossy(&names[column]);
            let value = finite::<f64>(name.trim(), &String::from_utf8_lossy(field));
            value.map_err(|complaint| input.wrong_row(&row, Some(column), complaint))
        };
        rows.push(row.iter().enumerate().map(number).collect::<Result<Vec<f64>, Failure>>()?);
    }
    if rows.is_empty() {
        return Err(Complaint::new(format!("{} has no rows", input.name()), help).into());
    }
    Ok(rows)
}
