//! Numbers in the usual notations: `-1234.5`, `1,234.50`, `1.234,50`, `12 %`, `$1,200`, `(35)`.
//!
//! A column has one decimal sign and at most one unit. Digits before the decimal sign may stand in groups of three (or as in
//! `12,34,567`), all separated by one sign. Parentheses are a minus. A value keeps the size that is written: `12%` is 12.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// The sign before the fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decimal {
    #[default]
    Point,
    Comma,
}

/// The notation of the numbers of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NumberFormat {
    pub(crate) decimal: Decimal,
    /// A currency or `%`, if most cells with a unit have it.
    pub(crate) unit: Option<String>,
}

/// Why a cell is no number of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NumberProblem {
    NotNumber,
    NotFinite,
    /// The unit of the cell differs from the unit of the column.
    Unit,
}

const SIGNS_OF_GROUPS: [&[char]; 2] = [
    &[',', ' ', '\u{a0}', '\u{202f}', '\'', '’', '_'],
    &['.', ' ', '\u{a0}', '\u{202f}', '\'', '’', '_'],
];
const CODES: [&str; 16] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "BRL", "MXN",
];

/// How many texts are numbers by one decimal sign alone, and how many by both but not the same ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    /// By the point alone, such as `1.5`.
    pub(crate) point: usize,
    /// By the comma alone, such as `1,5` and `1.234.567`.
    pub(crate) comma: usize,
    /// By both, and with a point, such as `1.234`.
    pub(crate) open_point: usize,
    /// By both, and with a comma, such as `1,234`.
    pub(crate) open_comma: usize,
}

impl Signs {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut signs = Self::default();
        for text in texts.filter(|text| text.contains(['.', ','])) {
            let [point, comma] = [Decimal::Point, Decimal::Comma]
                .map(|decimal| parse(text, decimal).map(|(value, _)| value));
            let count = match (point, comma) {
                (Some(_), None) => &mut signs.point,
                (None, Some(_)) => &mut signs.comma,
                (Some(a), Some(b)) if a != b && text.contains(',') => &mut signs.open_comma,
                (Some(a), Some(b)) if a != b => &mut signs.open_point,
                _ => continue,
            };
            *count += 1;
        }
        signs
    }

    /// The decimal sign that the texts show: that of most numbers of one reading; none if they show neither.
    pub(crate) fn shown(self) -> Option<Decimal> {
        match self.point.cmp(&self.comma) {
            Ordering::Greater => Some(Decimal::Point),
            Ordering::Less => Some(Decimal::Comma),
            Ordering::Equal => None,
        }
    }
}

impl Decimal {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Point => Self::Comma,
            Self::Comma => Self::Point,
        }
    }

    /// The name of the sign, as the option has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }
}

impl NumberFormat {
    /// The format that most of `texts` are written in, and how many of them. A tie of decimal signs is one of texts such
    /// as `1,234` alone: it goes to `preferred`.
    pub(crate) fn of<'a>(
        texts: impl Iterator<Item = &'a str> + Clone,
        preferred: Decimal,
    ) -> (Self, usize) {
        // How many texts are numbers, and how many of these have each unit.
        let tally = |decimal| {
            let (mut count, mut units) = (0, Vec::<(&str, usize)>::new());
            for (_, unit) in texts.clone().filter_map(|text| parse(text, decimal)) {
                count += 1;
                let Some(unit) = unit else { continue };
                match units.iter_mut().find(|(known, _)| *known == unit) {
                    Some((_, count)) => *count += 1,
                    None => units.push((unit, 1)),
                }
            }
            (count, units)
        };
        let (mut decimal, (mut most_read, mut units)) = (preferred, tally(preferred));
        // Where the preferred sign reads all texts, the other one reads no more.
        if most_read < texts.clone().count() {
            let other = preferred.other();
            let (count, found) = tally(other);
            if count > most_read {
                (decimal, most_read, units) = (other, count, found);
            }
        }
        let most = units.iter().map(|(_, count)| *count).max();
        let unit = units.iter().find(|(_, count)| Some(*count) == most);
        let unit = unit.map(|(unit, _)| (*unit).to_owned());
        (Self { decimal, unit }, most_read)
    }

    /// The number of a cell. One whose type is that of numbers has no unit.
    pub(crate) fn read(&self, cell: Cell<'_>) -> Result<f64, NumberProblem> {
        let found = match cell {
            Cell::Text(text) => parse(text, self.decimal),
            typed => typed.number().map(|value| (value, None)),
        };
        let (value, unit) = found.ok_or(NumberProblem::NotNumber)?;
        let fits = match (unit, self.unit.as_deref()) {
            // 0 is the same number in per cent.
            (None, Some(unit)) => !is_share(unit) || value == 0.0,
            (unit, known) => unit == known,
        };
        if !fits {
            return Err(NumberProblem::Unit);
        }
        if value.is_finite() { Ok(value) } else { Err(NumberProblem::NotFinite) }
    }

    /// A text of the column that would be another number by the other decimal sign, with the numbers by this sign and by the other;
    /// none if a text shows the sign.
    pub(crate) fn open<'a>(
        &self,
        mut texts: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<(&'a str, [f64; 2])> {
        if Signs::of(texts.clone()).shown().is_some() {
            return None;
        }
        texts.find_map(|text| {
            let (this, _) = parse(text, self.decimal)?;
            let (other, _) = parse(text, self.decimal.other())?;
            (this != other).then_some((text, [this, other]))
        })
    }

    /// The format in words, after `number`.
    pub(crate) fn words(&self) -> String {
        let decimal = match self.decimal {
            Decimal::Point => "",
            Decimal::Comma => ", decimal comma",
        };
        let unit = self.unit.as_ref().map(|unit| format!(", {unit}"));
        format!("{decimal}{}", unit.unwrap_or_default())
    }
}

/// Whether a number without this unit would be another number.
fn is_share(unit: &str) -> bool {
    matches!(unit, "%" | "‰")
}

/// The value and the unit of a text, if it is a number.
fn parse(text: &str, decimal: Decimal) -> Option<(f64, Option<&str>)> {
    let (inner, accounting) = match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    };
    // A sign may stand before the unit or after it, but once.
    let (rest, first) = sign(inner);
    let (rest, unit) = unit(rest);
    let (rest, second) = if unit.is_some() { sign(rest) } else { (rest, None) };
    let negative = match (first, second, accounting) {
        (None, None, accounting) => accounting,
        (Some(negative), None, false) | (None, Some(negative), false) => negative,
        _ => return None,
    };
    let value = plain(rest, decimal)?;
    Some((if negative { -value } else { value }, unit))
}

/// A sign at the start, and whether it is a minus.
fn sign(text: &str) -> (&str, Option<bool>) {
    for (sign, negative) in [("-", true), ("−", true), ("+", false)] {
        if let Some(rest) = text.strip_prefix(sign) {
            return (rest.trim_start(), Some(negative));
        }
    }
    (text, None)
}

/// A unit at one of the ends, and what is left.
fn unit(text: &str) -> (&str, Option<&str>) {
    let is_unit =
        |c: char| matches!(c, '%' | '‰' | '$' | '¢' | '£' | '¤' | '¥' | '\u{20a0}'..='\u{20cf}');
    if let Some(c) = text.chars().next_back().filter(|c| is_unit(*c)) {
        let at = text.len() - c.len_utf8();
        return (text[..at].trim_end(), Some(&text[at..]));
    }
    if let Some(c) = text.chars().next().filter(|c| is_unit(*c)) {
        let (unit, rest) = text.split_at(c.len_utf8());
        return (rest.trim_start(), Some(unit));
    }
    for code in CODES {
        if let Some(rest) = text.strip_prefix(code) {
            return (rest.trim_start(), Some(code));
        }
        if let Some(rest) = text.strip_suffix(code) {
            return (rest.trim_end(), Some(code));
        }
    }
    (text, None)
}

/// A number without sign and unit.
fn plain(text: &str, decimal: Decimal) -> Option<f64> {
    // The decimal comma has no other reading of what the point writes plainly, but for groups.
    let starts = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',') || text.starts_with("inf");
    if !text.chars().next().is_some_and(starts) {
        return matches!(text, "Inf" | "Infinity" | "INF").then_some(f64::INFINITY);
    }
    let (point, groups) = match decimal {
        Decimal::Point => ('.', SIGNS_OF_GROUPS[0]),
        Decimal::Comma => (',', SIGNS_OF_GROUPS[1]),
    };
    let (whole, fraction) = match text.split_once(point) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let group = whole.chars().find(|c| groups.contains(c));
    if group.is_none() && (decimal == Decimal::Point || fraction.is_none()) {
        return text.parse().ok();
    }
    let whole = match group {
        Some(sign) => ungrouped(whole, sign)?,
        None => whole.to_owned(),
    };
    match fraction {
        Some(fraction) => format!("{whole}.{fraction}").parse().ok(),
        None => whole.parse().ok(),
    }
}

/// The digits of groups separated by `sign`.
fn ungrouped(whole: &str, sign: char) -> Option<String> {
    let groups: Vec<&str> = whole.split(sign).collect();
    let digits = groups.iter().all(|g| g.bytes().all(|b| b.is_ascii_digit()));
    let [first, middle @ .., last] = &groups[..] else { return None };
    let width = middle.first().map_or(3, |g| g.len());
    let fits = digits
        && (1..=3).contains(&first.len())
        // No number begins with a group of 0: `0,123` is a fraction.
        && !first.starts_with('0')
        && last.len() == 3
        && (2..=3).contains(&width)
        && middle.iter().all(|g| g.len() == width);
    fits.then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::{Cell, Decimal, NumberFormat, NumberProblem};

    fn read(texts: &[&str]) -> Option<(NumberFormat, Vec<f64>)> {
        let (format, count) = NumberFormat::of(texts.iter().copied(), Decimal::Point);
        let numbers = texts
            .iter()
            .map(|text| format.read(Cell::Text(text)).ok())
            .collect::<Option<Vec<_>>>()?;
        (count == texts.len()).then_some((format, numbers))
    }

    #[test]
    fn what_people_write() {
        for (texts, unit, numbers) in [
            (&["1", "-2.5", "+3e-2", ".5", "7."][..], None, &[1.0, -2.5, 0.03, 0.5, 7.0][..]),
            (&["12%", "7.5 %", "-3%", "0"], Some("%"), &[12.0, 7.5, -3.0, 0.0]),
            (
                &["$1,234.50", "-$3", "$-4", "5", "($2,000)"],
                Some("$"),
                &[1234.5, -3.0, -4.0, 5.0, -2000.0],
            ),
            (&["1.234,50", "7,5", "1.000.000"], None, &[1234.5, 7.5, 1e6]),
            (&["1.234,50 €", "2 €"], Some("€"), &[1234.5, 2.0]),
            (&["EUR 12", "3.5 EUR"], Some("EUR"), &[12.0, 3.5]),
            (&["1 234,5", "12 000 000"], None, &[1234.5, 12e6]),
            (&["1'234.5", "12,34,567"], None, &[1234.5, 1_234_567.0]),
            (&["1,234", "12,345"], None, &[1234.0, 12345.0]),
            // A fraction of one digit decides for the whole column.
            (&["1,234", "12,3"], None, &[1.234, 12.3]),
            (&["0,125", "1,250"], None, &[0.125, 1.25]),
            (&["−5", "1e3"], None, &[-5.0, 1000.0]),
        ] {
            let (format, found) = read(texts).unwrap_or_else(|| panic!("{texts:?}"));
            assert_eq!(format.unit.as_deref(), unit, "{texts:?}");
            assert_eq!(found, numbers, "{texts:?}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "x",
            "5x",
            "1,2,3",
            "1.2.3",
            "12,34",
            "--5",
            "$",
            "%",
            "1 2",
            "2024-01-02",
            "e5",
            "(-5)",
            "+-1",
            "",
            "0x1",
        ] {
            let (_, count) = NumberFormat::of([text].into_iter(), Decimal::Point);
            let as_comma = text == "12,34";
            assert_eq!(count, usize::from(as_comma), "{text}");
        }
    }

    #[test]
    fn units_do_not_mix() {
        let share = NumberFormat { decimal: Decimal::Point, unit: Some("%".to_owned()) };
        assert_eq!(share.read(Cell::Text("0.12")), Err(NumberProblem::Unit));
        let dollars = NumberFormat { decimal: Decimal::Point, unit: Some("$".to_owned()) };
        assert_eq!(dollars.read(Cell::Text("12")), Ok(12.0));
        assert_eq!(dollars.read(Cell::Text("€12")), Err(NumberProblem::Unit));
        // What has a type has no unit: a share would be another number.
        assert_eq!(share.read(Cell::Number(0.12)), Err(NumberProblem::Unit));
        assert_eq!(dollars.read(Cell::Whole(12)), Ok(12.0));
        assert_eq!(NumberFormat::default().read(Cell::Text("inf")), Err(NumberProblem::NotFinite));
    }
}
