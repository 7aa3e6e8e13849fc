//! One cell in the type that its source gives it, and its text.
//!
//! The text is the shortest that means the cell: numbers with a point, dates as `2024-03-05`, instants as `2024-03-05T06:00:00` in
//! UTC, false and true.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveTime};

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    /// A text as people write it, trimmed. The empty text is a cell without a value, in columns of all types.
    Text(&'a str),
    /// A number, which is not NaN.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// The number digits · 10^−scale.
    Decimal { digits: i128, scale: i32 },
    /// False or true.
    Boolean(bool),
    /// A point of time, in ticks of a clock.
    Time { ticks: i64, clock: Clock },
}

/// The beginning and the unit of a count of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Days since the first of January 1970.
    Days,
    /// Parts of a second since the beginning of 1970 in UTC, so many in a second.
    Instants(i64),
    /// Parts of a second since midnight, so many in a second.
    Times(i64),
}

/// Nanoseconds in a second, of which the units of clocks are parts.
const NANOS: i64 = 1_000_000_000;

impl<'a> Cell<'a> {
    /// The shortest text that means the cell.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Number(value) => shortest(value).into(),
            Self::Whole(value) => value.to_string().into(),
            Self::Decimal { digits, scale } => decimal(digits, scale).into(),
            Self::Boolean(value) => if value { "true" } else { "false" }.into(),
            Self::Time { ticks, clock } => clock.text(ticks).into(),
        }
    }

    /// The text of a cell that people wrote; none of a cell whose type is known.
    pub(crate) fn written(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a cell whose type is one of numbers, rounded to a double.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Whole(value) => Some(value as f64),
            Self::Decimal { digits, scale: 0 } => Some(digits as f64),
            Self::Decimal { digits, scale } => decimal(digits, scale).parse().ok(),
            _ => None,
        }
    }
}

impl Clock {
    /// The day and the time of the day at a tick; none if no calendar has it.
    pub(super) fn at(self, ticks: i64) -> Option<(Option<NaiveDate>, Option<NaiveTime>)> {
        let parts = |per_second: i64| {
            // Rounded down, so that what is left of an instant before 1970 is positive.
            let nanos = ticks.rem_euclid(per_second) * (NANOS / per_second);
            (ticks.div_euclid(per_second), nanos as u32)
        };
        match self {
            Self::Days => {
                let date = NaiveDate::from_epoch_days(i32::try_from(ticks).ok()?)?;
                Some((Some(date), None))
            }
            Self::Instants(per_second) => {
                let (seconds, nanos) = parts(per_second);
                let instant = DateTime::from_timestamp(seconds, nanos)?;
                Some((Some(instant.date_naive()), Some(instant.time())))
            }
            Self::Times(per_second) => {
                let (seconds, nanos) = parts(per_second);
                let seconds = u32::try_from(seconds).ok()?;
                Some((None, Some(NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos)?)))
            }
        }
    }

    /// The text of a tick.
    fn text(self, ticks: i64) -> String {
        let time = |time: NaiveTime| time.format("%H:%M:%S%.f").to_string();
        match (self.at(ticks), self) {
            (Some((Some(date), Some(of_day))), _) => format!("{date}T{}", time(of_day)),
            (Some((Some(date), None)), _) => date.to_string(),
            (Some((None, of_day)), _) => of_day.map(time).unwrap_or_default(),
            // No calendar has it: it is refused where dates are read.
            (None, Self::Days) => format!("day {ticks}"),
            (None, Self::Instants(_)) => format!("instant {ticks}"),
            (None, Self::Times(_)) => format!("time {ticks}"),
        }
    }
}

/// The double that the shortest text of a number in single precision means, as a file of texts would have it: 0.1 for 0.1.
pub(super) fn widened(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}

/// The shortest text that is read as this number.
fn shortest(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The text of digits · 10^−scale.
fn decimal(digits: i128, scale: i32) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let digits = digits.unsigned_abs().to_string();
    let Ok(scale) = usize::try_from(scale) else {
        return format!("{sign}{digits}{}", "0".repeat(scale.unsigned_abs() as usize));
    };
    // At least one digit stands before the point.
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Clock, widened};

    #[test]
    fn numbers_are_written_to_the_bit() {
        for value in
            [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, 1e-300, 1e16, 123_456_789.0, f64::MIN_POSITIVE]
        {
            let text = Cell::Number(value).text();
            let read: f64 = text.parse().unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(Cell::Number(3.0).text(), "3");
        for (value, text) in
            [(0.1, "0.1"), (3.0, "3"), (1e-40, "1e-40"), (f32::MAX, "3.4028235e38")]
        {
            assert_eq!(Cell::Number(widened(value)).text(), text);
        }
        assert!(widened(f32::NAN).is_nan() && widened(f32::NEG_INFINITY) == f64::NEG_INFINITY);
    }

    #[test]
    fn decimals_have_their_point() {
        for (digits, scale, text) in [
            (12345, 2, "123.45"),
            (-5, 2, "-0.05"),
            (0, 2, "0.00"),
            (7, 0, "7"),
            (-7, -2, "-700"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ] {
            let cell = Cell::Decimal { digits, scale };
            assert_eq!(cell.text(), text);
            assert_eq!(cell.number(), text.parse().ok());
        }
    }

    #[test]
    fn points_of_time_are_written_as_they_are_read() {
        for (clock, ticks, text) in [
            (Clock::Days, 19_787, "2024-03-05"),
            (Clock::Days, -1, "1969-12-31"),
            (Clock::Days, i64::MAX, "day 9223372036854775807"),
            (Clock::Instants(1), 1_709_618_400, "2024-03-05T06:00:00"),
            (Clock::Instants(1_000), -1, "1969-12-31T23:59:59.999"),
            (Clock::Instants(1), i64::MIN, "instant -9223372036854775808"),
            (Clock::Times(1_000_000), 21_600_000_001, "06:00:00.000001"),
            (Clock::Times(1), -1, "time -1"),
        ] {
            assert_eq!(Cell::Time { ticks, clock }.text(), text);
        }
    }
}
