//! Reading a table: bytes, then cells, then the reading of each column.
//!
//! [`source`] brings the bytes and [`separator`] says what stands between cells; [`cells`] keeps every cell as text with
//! its line. [`missing`], [`number`] and [`date`] read one cell, and [`reading`] decides for a column as a whole.

mod cells;
mod date;
mod lines;
mod missing;
mod number;
mod reading;
mod separator;
mod source;

pub(crate) use cells::{Cells, LARGEST};
pub(crate) use date::{DateFormat, Stamp};
pub(crate) use missing::Missing;
pub(crate) use number::{Decimal, NumberFormat};
pub(crate) use reading::{Reading, Unread, Wishes};
