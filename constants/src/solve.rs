//! Linear equations: elimination with partial pivoting.

use crate::number::{Real, real};

/// x with A x = b, for a regular matrix given as its rows, each with the entry of b at its end.
pub(crate) fn solve(mut rows: Vec<Vec<Real>>) -> Vec<Real> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column + 1..n).fold(column, |best, row| {
            if rows[row][column].abs() > rows[best][column].abs() { row } else { best }
        });
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = &row[column] / &pivot[column];
            for (entry, upper) in row[column..].iter_mut().zip(&pivot[column..]) {
                *entry -= &factor * upper;
            }
        }
    }
    let mut x = vec![real(0.0); n];
    for (i, row) in rows.iter().enumerate().rev() {
        let known = (i + 1..n).fold(row[n].clone(), |sum, j| &sum - &(&row[j] * &x[j]));
        x[i] = &known / &row[i];
    }
    x
}
