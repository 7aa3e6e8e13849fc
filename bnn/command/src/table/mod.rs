//! Reading a table: bytes, then cells, then the reading of each column.
//!
//! [`source`] brings the bytes and [`form`] says what they are: text, whose [`separator`] stands between cells, or a file that
//! knows the types of its cells ([`parquet`], [`arrow`]), of which [`typed`] makes texts. [`declared`] checks the lengths that an
//! Arrow file declares before it is read. [`cells`] keeps every cell as text with its line. [`missing`], [`number`] and [`date`]
//! read one cell, and [`reading`] decides for a column as a whole.

#[cfg(feature = "arrow")]
mod arrow;
mod cells;
mod date;
#[cfg(feature = "arrow")]
mod declared;
mod form;
mod lines;
mod missing;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
mod separator;
mod source;
// Each reader of types uses a part of it.
#[cfg_attr(not(all(feature = "arrow", feature = "parquet")), allow(dead_code))]
mod typed;

pub(crate) use cells::{Cells, LARGEST};
pub(crate) use date::{DateFormat, Stamp};
pub(crate) use missing::Missing;
pub(crate) use number::{Decimal, NumberFormat};
pub(crate) use reading::{Reading, Unread, Wishes};
pub(crate) use typed::{Kind, TypedColumn, number};
