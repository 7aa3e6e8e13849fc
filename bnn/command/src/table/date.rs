//! Dates and times in the usual notations, in their own time zone. The zone after a time (`Z`, `+02:00`) is ignored,
//! since the hour of the day is what a column is read for.

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};
use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// Ways to write a date, those that are preferred first. A month alone is its first day.
const DATES: [&str; 21] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d-%B-%Y",
    "%d %B %Y",
    "%d. %B %Y",
    "%B %d, %Y",
    "%B %d %Y",
    "%A, %d %B %Y",
    "%d.%m.%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%B-%y",
    "%Y-%m",
    "%B %Y",
    "%Y-W%W",
];
/// Ways to write a time.
const TIMES: [&str; 4] = ["%H:%M:%S%.f", "%I:%M:%S %p", "%I:%M %p", "%H:%M"];

/// The notation of the dates of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DateFormat {
    /// The format of the date in the notation of strftime; none for times of a day.
    pub(crate) date: Option<String>,
}

/// A point of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stamp {
    /// Days since the first of January 1970; 0 for a time of a day.
    pub(crate) date: Option<NaiveDate>,
    /// The part of the day that has gone, in [0, 1); none if no time is written.
    pub(crate) time: Option<f64>,
}

impl Stamp {
    /// Days since the beginning of 1970, with the part of the day.
    pub(crate) fn days(&self) -> f64 {
        let epoch = NaiveDate::default();
        let whole = self.date.map_or(0, |date| date.signed_duration_since(epoch).num_days());
        whole as f64 + self.time.unwrap_or(0.0)
    }

    /// The part of the year that has gone, in [0, 1).
    pub(crate) fn of_year(&self) -> f64 {
        let Some(date) = self.date else { return 0.0 };
        let days = if date.leap_year() { 366.0 } else { 365.0 };
        f64::from(date.ordinal0()) / days
    }

    /// Whether it is the beginning of a month.
    pub(crate) fn begins_month(&self) -> bool {
        self.time.unwrap_or(0.0) == 0.0 && self.date.is_some_and(|date| date.day() == 1)
    }

    /// The point of time, if its year has four digits: %Y takes `24` for the year 24.
    fn known(self) -> Option<Self> {
        self.date.is_none_or(|date| (1000..=9999).contains(&date.year())).then_some(self)
    }

    /// The part of the week that has gone, in [0, 1), from Monday on.
    pub(crate) fn of_week(&self) -> f64 {
        self.date.map_or(0.0, |date| f64::from(date.weekday().num_days_from_monday()) / 7.0)
    }
}

impl DateFormat {
    /// The format that most cells are written in, and how many of them; none if none is a date.
    pub(crate) fn of<'a>(cells: impl Iterator<Item = Cell<'a>> + Clone) -> Option<(Self, usize)> {
        // All notations have digits.
        let cells = cells.filter(|cell| match cell {
            Cell::Text(text) => text.bytes().any(|byte| byte.is_ascii_digit()),
            cell => matches!(cell, Cell::Time { .. }),
        });
        let all = cells.clone().count();
        let formats = DATES.iter().map(|date| Some((*date).to_owned())).chain([None]);
        let mut best: Option<(Self, usize)> = None;
        for date in formats {
            let most = best.as_ref().map_or(0, |(_, most)| *most);
            if most == all {
                break;
            }
            let format = Self { date };
            let count = cells.clone().filter(|cell| format.read(*cell).is_some()).count();
            // Of notations that read as many cells the first one stays.
            if count > most {
                best = Some((format, count));
            }
        }
        best
    }

    /// The point of time of a cell. One whose type is that of dates has the notation of all formats of dates.
    pub(crate) fn read(&self, cell: Cell<'_>) -> Option<Stamp> {
        match cell {
            Cell::Text(text) => self.read_text(text),
            Cell::Time { ticks, clock } => {
                let (date, time) = clock.at(ticks)?;
                let fits = self.date.is_some() == date.is_some();
                Stamp { date, time: time.map(part_of_day) }.known().filter(|_| fits)
            }
            _ => None,
        }
    }

    fn read_text(&self, text: &str) -> Option<Stamp> {
        let Some(format) = &self.date else {
            return time(text).map(|time| Stamp { date: None, time: Some(time) });
        };
        let (date, rest) = match format.as_str() {
            "%Y-%m" | "%B %Y" => {
                // A month has no day to parse.
                let date = NaiveDate::parse_from_str(&format!("{text} 1"), &format!("{format} %d"));
                (date.ok()?, "")
            }
            "%Y-W%W" => {
                // A week of ISO 8601 stands for its Monday, which may lie in the year before.
                let date = NaiveDate::parse_from_str(&format!("{text}-1"), "%G-W%V-%u");
                (date.ok()?, "")
            }
            _ => NaiveDate::parse_and_remainder(text, format).ok()?,
        };
        let rest = rest.strip_prefix(['T', ',']).unwrap_or(rest).trim();
        let time = if rest.is_empty() { None } else { Some(time(rest)?) };
        Stamp { date: Some(date), time }.known()
    }

    /// The format in words.
    pub(crate) fn words(&self) -> &'static str {
        match self.date.as_deref() {
            None => "time of day",
            Some("%m/%d/%Y" | "%m-%d-%Y" | "%m/%d/%y") => "date, month first",
            Some("%d/%m/%Y" | "%d-%m-%Y" | "%d/%m/%y") => "date, day first",
            Some(_) => "date",
        }
    }
}

/// The part of the day of a time, whatever its zone.
fn time(text: &str) -> Option<f64> {
    TIMES.iter().find_map(|format| {
        let (time, zone) = NaiveTime::parse_and_remainder(text, format).ok()?;
        let zone = zone.trim();
        let offset = |zone: &str| {
            zone.strip_prefix(['+', '-']).is_some_and(|offset| {
                let digits = offset.bytes().filter(u8::is_ascii_digit).count();
                matches!(digits, 2 | 4) && offset.bytes().all(|b| b.is_ascii_digit() || b == b':')
            })
        };
        let fits = matches!(zone, "" | "Z" | "UTC" | "GMT") || offset(zone);
        fits.then(|| part_of_day(time))
    })
}

/// The part of the day that has gone at a time, in [0, 1).
fn part_of_day(time: NaiveTime) -> f64 {
    // A leap second is counted as nanoseconds beyond the second before it.
    let seconds = f64::from(time.num_seconds_from_midnight())
        + f64::from(time.nanosecond().min(999_999_999)) * 1e-9;
    seconds / 86400.0
}

#[cfg(test)]
mod tests {
    use super::{Cell, DateFormat};

    fn days(texts: &[&str]) -> Option<Vec<f64>> {
        let (format, _) = DateFormat::of(texts.iter().copied().map(Cell::Text))?;
        texts.iter().map(|text| Some(format.read(Cell::Text(text))?.days())).collect()
    }

    #[test]
    fn what_people_write() {
        // 2024-03-05 is day 19787, by `date -d 2024-03-05 +%s` / 86400.
        for text in [
            "2024-03-05",
            "2024/03/05",
            "05.03.2024",
            "5.3.2024",
            "3/5/2024",
            "03/05/2024",
            "05-Mar-2024",
            "5 March 2024",
            "Mar 5, 2024",
            "March 5 2024",
            "Tue, 05 Mar 2024",
            "5.3.24",
            "2024-W10",
        ] {
            let expected = if text == "2024-W10" { 19786.0 } else { 19787.0 };
            assert_eq!(days(&[text]), Some(vec![expected]), "{text}");
        }
        for text in [
            "2024-03-05T06:00:00Z",
            "2024-03-05 06:00",
            "3/5/2024 6:00 AM",
            "2024-03-05 06:00:00.000+02:00",
        ] {
            assert_eq!(days(&[text]), Some(vec![19787.25]), "{text}");
        }
        assert_eq!(days(&["06:00", "18:00:00"]), Some(vec![0.25, 0.75]));
        assert_eq!(days(&["2024-03", "Mar 2024"]), None);
        assert_eq!(days(&["2024-03"]), Some(vec![19783.0]));
        // The thirteenth cannot be a month.
        assert_eq!(days(&["05/03/2024", "13/03/2024"]), Some(vec![19787.0, 19795.0]));
        for text in ["x", "2024", "2024-13-01", "25:00", "2024-02-30", "1/2", "10", ""] {
            assert_eq!(days(&[text]), None, "{text}");
        }
    }

    #[test]
    fn parts_of_year_and_week() {
        let (format, _) = DateFormat::of([Cell::Text("2023-01-02")].into_iter()).unwrap();
        let stamp = format.read(Cell::Text("2023-01-02")).unwrap();
        assert!((stamp.of_year() - 1.0 / 365.0).abs() < 1e-12);
        assert_eq!(stamp.of_week(), 0.0);
    }
}
