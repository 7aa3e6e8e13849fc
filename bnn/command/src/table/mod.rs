//! Reading a table: bytes, then cells, then the reading of each column.
//!
//! [`source`] brings the bytes and [`form`] says what they are: text, whose [`separator`] stands between cells, or a file that
//! knows the types of its cells ([`parquet`], [`arrow`]). [`declared`] checks the lengths that an Arrow file declares before it is
//! read. A [`cell`] is a text or has the type of its source, a [`column`] has cells of one type, and [`cells`] has the columns.
//! [`missing`], [`number`] and [`date`] read one cell, and [`reading`] decides for a column as a whole, by [`row_numbers`] where
//! the column has numbers.

#[cfg(feature = "arrow")]
mod arrow;
// Texts alone have no types.
#[cfg_attr(not(all(feature = "arrow", feature = "parquet")), allow(dead_code))]
mod cell;
mod cells;
#[cfg_attr(not(all(feature = "arrow", feature = "parquet")), allow(dead_code))]
mod column;
mod date;
#[cfg(feature = "arrow")]
mod declared;
mod form;
mod missing;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
mod row_numbers;
mod separator;
mod source;

pub(crate) use cell::Cell;
pub(crate) use cells::{Cells, LARGEST};
pub(crate) use column::{ColumnData, Columns};
pub(crate) use date::{DateFormat, Stamp};
pub(crate) use form::silence_readers;
pub(crate) use missing::Missing;
pub(crate) use number::{Decimal, NumberFormat};
pub(crate) use reading::{IDENTIFIER, Reading, Unread, Wishes};
