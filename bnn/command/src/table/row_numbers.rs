//! Numbers that name the rows of a table and say nothing else of them.
//!
//! A whole table has such numbers in order, from 0 or 1 on, and its column may have any name. A part of a table has some of the
//! numbers, in any order. Its column looks like others of different whole numbers, so that the name decides.

use super::Cells;

/// From this many rows on, a column that counts them is one of row numbers.
const COUNTED: usize = 10;
/// Names that programs and people give to row numbers in the first column, without signs and in small letters. `column1` stands
/// for a column without a name.
const FIRST: [&str; 16] = [
    "1",
    "case",
    "column1",
    "idx",
    "index",
    "no",
    "nr",
    "obs",
    "observation",
    "record",
    "row",
    "rowid",
    "rowname",
    "rownames",
    "rownumber",
    "unnamed0",
];

/// Whether the numbers of column `j`, one for each row, name the rows.
pub(super) fn are_row_numbers(cells: &Cells, j: usize, numbers: &[f64]) -> bool {
    // Rows that are left out are counted too.
    let mut offsets = numbers.iter().zip(cells.numbers()).map(|(number, row)| number - *row as f64);
    let first = offsets.next();
    let count = numbers.len() >= COUNTED
        && (first == Some(0.0) || first == Some(1.0))
        && offsets.all(|offset| Some(offset) == first);
    count || (is_name_of_rows(&cells.header[j], j) && are_different_and_whole(numbers))
}

/// Whether a column of this name, the `j`-th of its table, has identifiers: `id`, `customer_id` or `PassengerId`, or one of the
/// names for row numbers in the first column.
fn is_name_of_rows(name: &str, j: usize) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    if j == 0 && FIRST.contains(&letters.to_lowercase().as_str()) {
        return true;
    }
    let Some(end) = name.len().checked_sub(2).filter(|end| name.is_char_boundary(*end)) else {
        return false;
    };
    let (before, last) = name.split_at(end);
    // `Id` begins a word after a small letter, and `id` after a sign alone: `grid` and `paid` are no identifiers.
    let begins = before
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric() || (last.starts_with('I') && !c.is_uppercase()));
    last.eq_ignore_ascii_case("id") && begins
}

fn are_different_and_whole(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.iter().all(|number| number.fract() == 0.0)
        && sorted.windows(2).all(|pair| pair[0] < pair[1])
}

#[cfg(test)]
mod tests {
    use super::is_name_of_rows;

    #[test]
    fn names_of_rows_are_told_from_others() {
        for (name, j) in [
            ("id", 3),
            ("ID", 0),
            ("customer_id", 5),
            ("PassengerId", 0),
            ("Patient ID", 2),
            ("orderID", 2),
            ("rownames", 0),
            ("Unnamed: 0", 0),
            ("column 1", 0),
            ("Index", 0),
            ("...1", 0),
        ] {
            assert!(is_name_of_rows(name, j), "{name}");
        }
        for (name, j) in [
            ("grid", 0),
            ("paid", 1),
            ("PAID", 0),
            ("index", 1),
            ("x", 0),
            ("d", 0),
            ("é", 0),
            ("years", 0),
        ] {
            assert!(!is_name_of_rows(name, j), "{name}");
        }
    }
}
