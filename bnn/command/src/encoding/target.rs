//! The target column: a number, or one of some classes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::table::{Cell, Cells, LARGEST, Missing, NumberFormat, Reading, Unread, Wishes};

/// Advice for a column that cannot be predicted.
const HELP: &str = "choose another target";
/// The largest number of classes. A column with more is one of names.
const CLASSES: usize = 200;
/// A target of at most so many whole numbers may be one of classes, if each has so many rows on average.
const FEW: usize = 10;
const ROWS: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// The classes, numbers by size and words by the alphabet; none for a number.
    pub(crate) words: Option<Vec<String>>,
    /// The format of the target's numbers.
    pub(crate) format: NumberFormat,
    /// Whether the classes are numbers.
    pub(crate) written_as_numbers: bool,
    /// Whether minus signs alone are words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) minus: bool,
}

/// The different texts of a column, by the alphabet.
fn different(cells: &Cells, j: usize, missing: &Missing) -> Vec<String> {
    let there = cells.each(j).filter(|cell| !missing.is(*cell));
    let found: BTreeSet<Cow<'_, str>> = there.map(Cell::text).collect();
    found.into_iter().map(Cow::into_owned).collect()
}

impl NumberFormat {
    /// Sorts texts that are numbers by size, and those of one number by the alphabet.
    fn sort(&self, texts: &mut [String]) {
        let value = |text: &str| self.read(Cell::Text(text)).unwrap_or(0.0);
        texts.sort_by(|a, b| value(a).total_cmp(&value(b)).then_with(|| a.cmp(b)));
    }
}

impl Target {
    /// How the column `name` is read, of which no cell is missing.
    ///
    /// Two whole numbers are classes, and so are up to 10 that follow each other from 0 or 1 on, if there are 5 rows for each;
    /// `--words` and `--numbers` decide otherwise.
    pub(crate) fn of(
        cells: &Cells,
        name: &str,
        missing: &Missing,
        wishes: &Wishes,
    ) -> Result<Self, Failure> {
        let j = cells.column(name)?;
        let missing = &missing.of_column(cells, j);
        let minus = missing.minus();
        let refuse = |problem: String, help: &str| Err(cells.at_header(j, problem, help));
        let reading = match Reading::of(cells, j, missing, wishes) {
            Ok(reading) => reading,
            // Numbers that count the rows are no input, but may be predicted.
            Err(Unread::RowNumbers) => Reading::Number(wishes.format_of(cells, j, missing)),
            Err(Unread::Names) => {
                let first = cells.texts(j).next().unwrap_or_default();
                let help = "words that are all different are taken for names, and numbers are written as -1234.5; choose another target";
                return refuse(format!("no two rows have the same word, such as `{first}`"), help);
            }
            Err(unread) => {
                return refuse(unread.words(), &format!("it says nothing; {HELP}"));
            }
        };
        let (name, format) = (name.to_owned(), NumberFormat::default());
        match reading {
            Reading::Number(format) => {
                let mut target =
                    Self { name, words: None, format, written_as_numbers: false, minus };
                let wish = |list: &[String]| list.contains(&target.name);
                if !wish(&wishes.numbers) && target.are_classes(cells, j, missing) {
                    target.words = Some(target.classes(cells, j, missing));
                    target.written_as_numbers = true;
                    return Ok(target);
                }
                let numbers = target.numbers(cells, missing)?;
                let sd = gaussform_bnn::Scale::fit(numbers.into_iter()).sd;
                if sd < 1.0 / LARGEST {
                    let problem =
                        format!("its standard deviation is {sd:e}, below {:e}", 1.0 / LARGEST);
                    return refuse(problem, "choose another unit");
                }
                Ok(target)
            }
            Reading::Date(_) => refuse(
                "it has dates, which are not predicted".to_owned(),
                "write days as numbers, or choose another target",
            ),
            Reading::Boolean(_) | Reading::Words => {
                let mut words = different(cells, j, missing);
                let first = cells.texts(j).next().unwrap_or_default();
                if words.len() > CLASSES {
                    let problem =
                        format!("it has {} different words, such as `{first}`", words.len());
                    return refuse(
                        problem,
                        &format!("more than {CLASSES} are taken for names; {HELP}"),
                    );
                }
                // `--words` makes classes of numbers too: in the order of their size, but each text is a class.
                let (numbers, count) =
                    NumberFormat::of(words.iter().map(String::as_str), Default::default());
                if count == words.len() {
                    numbers.sort(&mut words);
                }
                Ok(Self { name, words: Some(words), format, written_as_numbers: false, minus })
            }
        }
    }

    /// The numbers of the rows, none of which is missing.
    pub(crate) fn numbers(&self, cells: &Cells, missing: &Missing) -> Result<Vec<f64>, Failure> {
        let j = cells.readable(&self.name)?;
        let numbers = Reading::Number(self.format.clone()).numbers(cells, j, missing)?;
        let number = |(row, value): (usize, Option<f64>)| {
            value.ok_or_else(|| {
                cells.at(row, j, "the value is missing", "fill it in or leave the row out")
            })
        };
        numbers.into_iter().enumerate().map(number).collect()
    }

    /// The number of each row's class.
    pub(crate) fn labels(&self, cells: &Cells) -> Result<Vec<usize>, Failure> {
        let j = cells.readable(&self.name)?;
        let words = self.words.as_deref().unwrap_or_default();
        // `1.0` is the class `1`.
        let value =
            |cell: Cell<'_>| self.format.read(cell).ok().filter(|_| self.written_as_numbers);
        let values: Vec<Option<f64>> = words.iter().map(|word| value(Cell::Text(word))).collect();
        // `True` of a text is `true` of a typed column.
        let are_truths = matches!(words, [no, yes]
            if no.eq_ignore_ascii_case("false") && yes.eq_ignore_ascii_case("true"));
        let label = |(row, cell): (usize, Cell<'_>)| {
            let text = cell.text();
            let is_word =
                |word: &String| *word == text || are_truths && word.eq_ignore_ascii_case(&text);
            let found = words.iter().position(is_word).or_else(|| {
                let number = value(cell)?;
                values.iter().position(|value| *value == Some(number))
            });
            found.ok_or_else(|| {
                let problem = format!("`{text}` is a class that the model has not seen");
                cells.at(row, j, problem, format!("it knows {}", words.join(", ")))
            })
        };
        cells.each(j).enumerate().map(label).collect()
    }

    /// Whether `--numbers` would make numbers of the classes.
    pub(super) fn classes_are_numbers(&self) -> bool {
        let words = self.words.iter().flatten().map(String::as_str);
        let (_, numbers) = NumberFormat::of(words.clone(), Default::default());
        self.written_as_numbers || numbers == words.count()
    }

    /// The different numbers, each by its first text.
    fn classes(&self, cells: &Cells, j: usize, missing: &Missing) -> Vec<String> {
        let mut words = different(cells, j, missing);
        self.format.sort(&mut words);
        let value = |word: &str| self.format.read(Cell::Text(word)).ok();
        // The sort has put the texts of one number side by side.
        words.dedup_by(|a, b| value(a) == value(b));
        words
    }

    /// Whether few whole numbers are names of classes.
    fn are_classes(&self, cells: &Cells, j: usize, missing: &Missing) -> bool {
        let Some(whole) = self.whole_numbers(cells, j, missing) else { return false };
        let follow = whole.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
        let from = matches!(whole.first(), Some(first) if *first == 0.0 || *first == 1.0);
        whole.len() == 2 || (follow && from && cells.rows() >= ROWS * whole.len())
    }

    /// Whether the column could have been read as classes of numbers.
    pub(super) fn few_whole_numbers(&self, cells: &Cells, j: usize, missing: &Missing) -> bool {
        self.whole_numbers(cells, j, missing).is_some()
    }

    /// The different values, rising, if they are whole and few.
    fn whole_numbers(&self, cells: &Cells, j: usize, missing: &Missing) -> Option<Vec<f64>> {
        let mut values: Vec<f64> = Vec::new();
        for cell in cells.each(j).filter(|cell| !missing.is(*cell)) {
            let value = self.format.read(cell).ok().filter(|value| value.fract() == 0.0)?;
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > FEW {
                return None;
            }
        }
        // Few rows have few values, whatever they are.
        values.sort_by(f64::total_cmp);
        (self.format.unit.is_none() && cells.rows() >= ROWS * 2).then_some(values)
    }
}
