//! A column as inputs of the network: one number, the parts of a date, or a place for each word.

use std::f64::consts::TAU;

use gaussform_bnn::Scale;
use serde::{Deserialize, Serialize};

use super::fill::Group;
use super::levels::Levels;
use super::rows::Encoded;
use super::tail::Tail;
use crate::args::{Columns, UnknownWords};
use crate::failure::Failure;
use crate::table::{Cell, Cells, LARGEST, Missing, NumberFormat, Reading, Stamp, Unread, Wishes};

/// An input column, with its reading and encoding, which training and prediction share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) reading: Reading,
    pub(crate) values: ColumnEncoding,
    /// The column of the standard deviations with which this one was measured.
    pub(crate) noise: Option<String>,
    /// The notation of that column; as its cells say, in models of versions that did not keep it.
    #[serde(default)]
    pub(crate) noise_format: Option<NumberFormat>,
    /// Whether one more input says which cells are missing.
    pub(crate) flag: bool,
    /// Whether minus signs alone are words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) minus: bool,
}

/// How the values of a column become numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ColumnEncoding {
    /// One number, within `range` on the rows of training.
    Number {
        tail: Tail,
        range: [f64; 2],
    },
    /// The days since the first, and the parts of cycles as sine and cosine.
    Date {
        range: [f64; 2],
        days: bool,
        year: bool,
        week: bool,
        day: bool,
    },
    /// 0 or 1.
    Boolean,
    Words(Levels),
}

/// The place of a word among the inputs of its column.
enum WordInput {
    Missing,
    /// The word is new, and the column has no place for new words.
    New,
    At(usize),
}

/// A column that is no input, with the reason.
pub(crate) struct LeftOut {
    pub(crate) kind: &'static str,
    pub(crate) why: String,
}

impl From<Unread> for LeftOut {
    fn from(unread: Unread) -> Self {
        Self { kind: unread.kind(), why: unread.words() }
    }
}

impl Column {
    /// Column `j`, or the reason why it is no input.
    pub(crate) fn of(
        cells: &Cells,
        j: usize,
        missing: &Missing,
        wishes: &Wishes,
        options: &Columns,
    ) -> Result<Result<Self, LeftOut>, Failure> {
        let missing = missing.of_column(cells, j);
        let reading = match Reading::of(cells, j, &missing, wishes) {
            Ok(reading) => reading,
            Err(unread) => return Ok(Err(unread.into())),
        };
        let count = |missing: &Missing| cells.each(j).filter(|cell| !missing.is(*cell)).count();
        let (lenient, _) =
            with_unparsable(&reading, cells, j, missing.clone(), options.unknown_words);
        // Where the user wants numbers of a column of words, its first word is refused below.
        let missing = &if 2 * count(&lenient) > count(&missing) { lenient } else { missing };
        let values = match &reading {
            Reading::Number(_) => {
                let numbers = reading.numbers(cells, j, missing)?;
                let known: Vec<f64> = numbers.into_iter().flatten().collect();
                let sd = Scale::fit(known.iter().copied()).sd;
                // Variances are divided by its square, which has no digits below this.
                if sd < 1.0 / LARGEST {
                    let least = 1.0 / LARGEST;
                    let problem = format!("its standard deviation is {sd:e}, below {least:e}");
                    return Err(cells.at_header(j, problem, "choose another unit"));
                }
                ColumnEncoding::Number {
                    range: range(&known),
                    tail: Tail::of(&known, options.tails.unwrap_or_default()),
                }
            }
            Reading::Date(_) => {
                let stamps = reading.stamps(cells, j, missing)?;
                ColumnEncoding::date(&stamps.into_iter().flatten().collect::<Vec<_>>())
            }
            Reading::Boolean(_) => ColumnEncoding::Boolean,
            Reading::Words => {
                let there = cells.each(j).filter(|cell| !missing.is(*cell));
                match Levels::of(there.map(Cell::text), options.unknown_words) {
                    Some(levels) => ColumnEncoding::Words(levels),
                    None => return Ok(Err(Unread::Names.into())),
                }
            }
        };
        let name = cells.header[j].clone();
        let (noise, noise_format, minus) = (None, None, missing.minus());
        Ok(Ok(Self { name, reading, values, noise, noise_format, flag: false, minus }))
    }

    /// The groups of inputs that are missing together.
    pub(crate) fn groups(&self) -> Vec<Group> {
        match &self.values {
            ColumnEncoding::Words(levels) => vec![Group { width: levels.width(), shares: true }],
            ColumnEncoding::Boolean => vec![Group { width: 1, shares: true }],
            values => vec![Group { width: values.width(), shares: false }],
        }
    }

    /// The texts without a value in the column, the `j`-th of `cells`, and a remark on cells that are no numbers or dates as the
    /// others are.
    pub(crate) fn missing(
        &self,
        cells: &Cells,
        j: usize,
        missing: &Missing,
        unknown: UnknownWords,
    ) -> (Missing, Option<String>) {
        with_unparsable(&self.reading, cells, j, missing.with_minus(self.minus), unknown)
    }

    /// The inputs of the rows of `cells`.
    pub(crate) fn encode(
        &self,
        cells: &Cells,
        missing: &Missing,
        unknown: UnknownWords,
    ) -> Result<Encoded, Failure> {
        let j = cells.readable(&self.name)?;
        let noise = self.noise(cells, &missing.with_minus(self.minus))?;
        let (missing, unparsable) = self.missing(cells, j, missing, unknown);
        let missing = &missing;
        let width = self.values.width();
        let mut out = Encoded {
            means: vec![f64::NAN; width * cells.rows()],
            width,
            variances: None,
            missing: cells.each(j).map(|cell| missing.is(cell)).collect(),
            far: 0,
            new: 0,
            unparsable,
        };
        match &self.values {
            ColumnEncoding::Number { tail, range } => {
                let mut variances = vec![0.0; noise.len()];
                let numbers = self.reading.numbers(cells, j, missing)?;
                for (i, value) in numbers.into_iter().enumerate() {
                    let Some(value) = value else { continue };
                    let near = near(value, *range);
                    out.far += usize::from(near != value);
                    let (u, slope) = tail.apply(near);
                    out.means[i] = u;
                    if let Some(sd) = noise.get(i) {
                        // To first order a transform multiplies noise by its slope.
                        variances[i] = (slope * sd).powi(2);
                    }
                }
                out.variances = self.noise.is_some().then_some(variances);
            }
            ColumnEncoding::Date { range, .. } => {
                let stamps = self.reading.stamps(cells, j, missing)?;
                for (i, stamp) in stamps.into_iter().enumerate() {
                    let Some(stamp) = stamp else { continue };
                    out.far += usize::from(near(stamp.days(), *range) != stamp.days());
                    let row = &mut out.means[width * i..width * (i + 1)];
                    row.copy_from_slice(&self.values.parts(&stamp));
                }
            }
            ColumnEncoding::Boolean | ColumnEncoding::Words(_) => {
                for (i, place) in self.places(cells, j, missing, unknown)?.into_iter().enumerate() {
                    let row = &mut out.means[width * i..width * (i + 1)];
                    match (place, &self.values) {
                        (WordInput::Missing, _) => {}
                        // Its inputs stay NaN, so that they are filled as those of a missing cell.
                        (WordInput::New, _) => out.new += 1,
                        (WordInput::At(place), ColumnEncoding::Boolean) => row[0] = place as f64,
                        (WordInput::At(place), _) => {
                            row.fill(0.0);
                            row[place] = 1.0;
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// The places of the words of the rows.
    fn places(
        &self,
        cells: &Cells,
        j: usize,
        missing: &Missing,
        unknown: UnknownWords,
    ) -> Result<Vec<WordInput>, Failure> {
        let words: &[String] = match (&self.values, &self.reading) {
            (ColumnEncoding::Words(levels), _) => &levels.words,
            (_, Reading::Boolean(pair)) => pair,
            _ => &[],
        };
        let known = |text: &str| match &self.values {
            ColumnEncoding::Words(levels) => levels.place(text),
            // `True` of a text is `true` of a typed column.
            _ => words.iter().position(|word| word.eq_ignore_ascii_case(text)),
        };
        let place = |(row, cell): (usize, Cell<'_>)| {
            if missing.is(cell) {
                return Ok(WordInput::Missing);
            }
            let text = cell.text();
            match known(&text) {
                Some(place) => Ok(WordInput::At(place)),
                None if unknown == UnknownWords::Other => Ok(WordInput::New),
                None => {
                    let rare = match &self.values {
                        ColumnEncoding::Words(Levels { rare: Some(rare), .. })
                            if !rare.is_empty() =>
                        {
                            format!(" and {} rarer ones", rare.len())
                        }
                        _ => String::new(),
                    };
                    let problem = format!("`{text}` is a word that the model has not seen");
                    let help = format!("it knows {}{rare}", words.join(", "));
                    Err(cells.at(row, j, problem, help))
                }
            }
        };
        cells.each(j).enumerate().map(place).collect()
    }

    /// The standard deviations with which the rows were measured; none where the column of noise says nothing.
    fn noise(&self, cells: &Cells, missing: &Missing) -> Result<Vec<f64>, Failure> {
        let Some(name) = &self.noise else { return Ok(Vec::new()) };
        let j = cells.readable(name)?;
        let format = match &self.noise_format {
            Some(format) => format.clone(),
            None => Wishes::default().format_of(cells, j, missing),
        };
        let sds = Reading::Number(format).numbers(cells, j, missing)?;
        let known: Vec<f64> = sds.iter().copied().flatten().collect();
        if let Some(row) = sds.iter().position(|sd| sd.is_some_and(|sd| sd < 0.0)) {
            let problem = "a standard deviation is not negative";
            return Err(cells.at(row, j, problem, format!("it is the one of `{}`", self.name)));
        }
        // Where it is not said how well a number is known, it is known as well as the others.
        let usual =
            if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        Ok(sds.into_iter().map(|sd| sd.unwrap_or(usual)).collect())
    }
}

/// The texts that are missing. Those that no notation reads are among them, with a remark on these, unless the user wants them
/// refused.
fn with_unparsable(
    reading: &Reading,
    cells: &Cells,
    j: usize,
    missing: Missing,
    unknown: UnknownWords,
) -> (Missing, Option<String>) {
    let found = match unknown {
        UnknownWords::Other => reading.unparsable(cells, j, &missing),
        UnknownWords::Error => Vec::new(),
    };
    let remark = found.first().map(|(row, text)| {
        let what = match reading {
            Reading::Date(_) => "date",
            _ => "number",
        };
        let first = format!("`{text}` in line {}", cells.line(*row));
        match found.len() - 1 {
            0 => format!("{first} is no {what} and counts as missing"),
            1 => format!("{first} and 1 more cell are no {what}s and count as missing"),
            more => format!("{first} and {more} more cells are no {what}s and count as missing"),
        }
    });
    (missing.with_unparsable(found.into_iter().map(|(_, text)| text.into_owned())), remark)
}

impl ColumnEncoding {
    fn date(stamps: &[Stamp]) -> Self {
        let days: Vec<f64> = stamps.iter().map(Stamp::days).collect();
        let range = range(&days);
        let vary = |part: &dyn Fn(&Stamp) -> f64| {
            stamps.windows(2).any(|pair| part(&pair[0]) != part(&pair[1]))
        };
        let span = range[1] - range[0];
        let dated = stamps.iter().any(|stamp| stamp.date.is_some());
        // Months are written as their first days, whose places in the week say nothing.
        let whole_months = stamps.iter().all(Stamp::begins_month);
        Self::Date {
            range,
            days: dated,
            // Within a quarter of a year, or a week, a cycle says no more than the days do.
            year: dated && span >= 90.0 && vary(&Stamp::of_year),
            week: dated && span >= 7.0 && !whole_months && vary(&Stamp::of_week),
            // A time of the day has an input though it is always the same: that it is there may say something.
            day: !dated || vary(&|stamp| stamp.time.unwrap_or(0.0)),
        }
    }

    /// The numbers of a point of time.
    fn parts(&self, stamp: &Stamp) -> Vec<f64> {
        let Self::Date { range, days, year, week, day } = self else { return Vec::new() };
        let cycle = |part: f64| [(TAU * part).sin(), (TAU * part).cos()];
        let mut out = Vec::new();
        out.extend(days.then(|| near(stamp.days(), *range) - range[0]));
        for (wanted, part) in
            [(year, stamp.of_year()), (week, stamp.of_week()), (day, stamp.time.unwrap_or(0.0))]
        {
            out.extend(cycle(part).into_iter().filter(|_| *wanted));
        }
        out
    }

    /// Number of inputs for a value, without the one for missing cells.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Boolean => 1,
            Self::Date { days, year, week, day, .. } => {
                let cycles = [year, week, day].into_iter().filter(|cycle| **cycle).count();
                usize::from(*days) + 2 * cycles
            }
            Self::Words(levels) => levels.width(),
        }
    }

    /// The transformation of a number as a formula in x; none of what is as the table has it.
    pub(crate) fn formula(&self) -> Option<String> {
        match self {
            Self::Number { tail, .. } => tail.formula(),
            _ => None,
        }
    }

    /// The inputs in words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Number { tail, .. } => format!("a number{}", tail.words()),
            Self::Boolean => "0 or 1".to_owned(),
            Self::Date { days, year, week, day, .. } => {
                let parts = [(days, "days"), (year, "year"), (week, "week"), (day, "time of day")];
                let names = parts.into_iter().filter(|(wanted, _)| **wanted).map(|(_, name)| name);
                names.collect::<Vec<_>>().join(", ")
            }
            Self::Words(levels) => {
                let other = if levels.other { " and one for other words" } else { "" };
                format!("a place for each of {}{other}", levels.words.len())
            }
        }
    }
}

/// The least and the largest value; 0 if there are none.
fn range(values: &[f64]) -> [f64; 2] {
    let ends = values
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)]);
    if values.is_empty() { [0.0; 2] } else { ends }
}

/// A value, or what is nearest to it within the range of training and once its width on either side: further away nothing
/// was learned, and numbers without bounds give predictions without sense.
fn near(value: f64, [low, high]: [f64; 2]) -> f64 {
    let width = high - low;
    value.clamp(low - width, high + width)
}
