//! Columns of files that know the types of their cells, as the texts that a table has.
//!
//! A cell becomes the shortest text that means it: numbers with a point, dates as `2024-03-05`, instants as
//! `2024-03-05T06:00:00` in UTC, false and true, and nothing where it is null. What the type of a column says beyond the texts is its
//! [`Kind`].

use chrono::{DateTime, NaiveDate, NaiveTime};

/// What a source of cells says of those of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: they are as people write them.
    #[default]
    Written,
    /// They are numbers with a point before the fraction, whatever the notation of other columns is.
    Numbers,
    /// They are words, though they may be digits.
    Words,
    /// They are of this type, of which no text is made.
    Other(String),
}

/// A column of a file, its cells as texts.
pub(crate) struct TypedColumn {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The cells, empty where they are missing; those at the end that are missing may be left out.
    pub(crate) texts: Vec<String>,
}

impl TypedColumn {
    /// A column of cells of a type that has no texts.
    pub(super) fn other(name: &str, of: &str) -> Self {
        Self { name: name.to_owned(), kind: Kind::Other(of.to_owned()), texts: Vec::new() }
    }
}

/// The shortest text that is read as this number; of NaN, which is missing, nothing.
pub(crate) fn number(value: f64) -> String {
    shortest(value.is_nan(), format!("{value:?}"))
}

/// The shortest text of a number in single precision, which a file of texts would have.
pub(super) fn single(value: f32) -> String {
    shortest(value.is_nan(), format!("{value:?}"))
}

fn shortest(missing: bool, text: String) -> String {
    if missing {
        return String::new();
    }
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The text of value · 10^−scale.
pub(super) fn decimal(value: i128, scale: i32) -> String {
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    let Ok(scale) = usize::try_from(scale) else {
        return format!("{sign}{digits}{}", "0".repeat(scale.unsigned_abs() as usize));
    };
    // At least one digit stands before the point.
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// The text of a day, counted from the first of January 1970.
pub(super) fn day(days: i64) -> String {
    let date = i32::try_from(days).ok().and_then(NaiveDate::from_epoch_days);
    // What is no date of the calendar is refused where dates are read.
    date.map_or_else(|| format!("day {days}"), |date| date.to_string())
}

/// The text of an instant, counted in parts of a second from the beginning of 1970.
pub(super) fn instant(ticks: i64, per_second: i64) -> String {
    let nanos = ticks.rem_euclid(per_second) * (NANOS / per_second);
    let instant = DateTime::from_timestamp(ticks.div_euclid(per_second), nanos as u32);
    instant.map_or_else(
        || format!("instant {ticks}"),
        |instant| instant.format("%Y-%m-%dT%H:%M:%S%.f").to_string(),
    )
}

/// The text of a time of the day, counted in parts of a second from midnight.
pub(super) fn time(ticks: i64, per_second: i64) -> String {
    let nanos = ticks.rem_euclid(per_second) * (NANOS / per_second);
    let seconds = u32::try_from(ticks.div_euclid(per_second)).ok();
    let time = seconds.and_then(|s| NaiveTime::from_num_seconds_from_midnight_opt(s, nanos as u32));
    time.map_or_else(|| format!("time {ticks}"), |time| time.format("%H:%M:%S%.f").to_string())
}

/// Nanoseconds in a second, of which the units of time are parts.
const NANOS: i64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::{day, decimal, instant, number, single, time};

    #[test]
    fn numbers_are_written_to_the_bit() {
        for value in
            [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, 1e-300, 1e16, 123_456_789.0, f64::MIN_POSITIVE]
        {
            let read: f64 = number(value).parse().unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{}", number(value));
        }
        assert_eq!(
            (single(0.1), single(3.0), number(f64::NAN)),
            ("0.1".into(), "3".into(), String::new())
        );
    }

    #[test]
    fn decimals_have_their_point() {
        for (value, scale, text) in [
            (12345, 2, "123.45"),
            (-5, 2, "-0.05"),
            (0, 2, "0.00"),
            (7, 0, "7"),
            (-7, -2, "-700"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ] {
            assert_eq!(decimal(value, scale), text);
        }
    }

    #[test]
    fn points_of_time_are_written_as_they_are_read() {
        assert_eq!(day(19_787), "2024-03-05");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(day(i64::MAX), format!("day {}", i64::MAX));
        assert_eq!(instant(1_709_618_400, 1), "2024-03-05T06:00:00");
        assert_eq!(instant(-1, 1_000), "1969-12-31T23:59:59.999");
        assert_eq!(instant(i64::MIN, 1), format!("instant {}", i64::MIN));
        assert_eq!(time(21_600_000_001, 1_000_000), "06:00:00.000001");
        assert_eq!(time(-1, 1), "time -1");
    }
}
