//! Linear programming in exact numbers: the simplex method with Bland's rule.

use num_traits::{Signed, Zero};

use super::Bound;
use crate::exact::Rational;

/// How many steps are tried.
const PIVOTS: usize = 400;

/// Equations in x ≥ 0, solved for one variable of the basis each.
struct Tableau {
    /// The coefficients of an equation, and last its right side, which is not negative.
    rows: Vec<Vec<Rational>>,
    /// The index of the variable that every equation is solved for; `None` for a variable that is to become zero.
    basis: Vec<Option<usize>>,
    /// The reduced costs: the gain of the objective per unit of every variable. The last entry is minus the
    /// objective's value.
    gain: Vec<Rational>,
    pivots: usize,
}

/// How a maximum was left.
#[derive(PartialEq)]
enum End {
    Reached,
    Unbounded,
    Unfinished,
}

/// Whether the equations (the right side is last) have a solution x ≥ 0, which proves
/// [`Bound::Nonnegative`], and one with a positive xⱼ that is strict: [`Bound::Positive`].
pub(super) fn bound(mut rows: Vec<Vec<Rational>>, strict: &[bool]) -> Option<Bound> {
    let width = strict.len();
    // The added variables start at the right sides, which must not be negative.
    for row in &mut rows {
        if row[width].is_negative() {
            row.iter_mut().for_each(|entry| *entry = -&*entry);
        }
    }
    // First the variables of the basis, one added to every equation, are made zero …
    let gain = (0..=width).map(|j| rows.iter().map(|row| &row[j]).sum()).collect();
    let basis = vec![None; rows.len()];
    let mut tableau = Tableau { rows, basis, gain, pivots: 0 };
    let end = tableau.maximise(|tableau| tableau.gain[width].is_zero());
    if end == End::Unfinished || !tableau.gain[width].is_zero() {
        return None;
    }
    tableau.clear_basis();
    // … then the sum of the strict variables is made positive.
    tableau.gain = (0..=width)
        .map(|j| {
            let own = Rational::from_integer(i32::from(j < width && strict[j]).into());
            let pairs = tableau.basis.iter().zip(&tableau.rows);
            let used = pairs.filter(|(basic, _)| basic.is_some_and(|i| strict[i]));
            used.fold(own, |gain, (_, row)| gain - &row[j])
        })
        .collect();
    let end = tableau.maximise(|tableau| tableau.gain[width].is_negative());
    // Even if it was not finished, the second part starts from a solution, which proves ≥ 0.
    let positive = end == End::Unbounded || tableau.gain[width].is_negative();
    Some(if positive { Bound::Positive } else { Bound::Nonnegative })
}

impl Tableau {
    fn width(&self) -> usize {
        self.gain.len() - 1
    }

    /// Raises the objective until it cannot be raised or is `enough`.
    fn maximise(&mut self, enough: impl Fn(&Self) -> bool) -> End {
        while !enough(self) {
            // Bland's rule: the first variable that gains, and among equals the first that
            // goes. So no basis comes back.
            let Some(column) = (0..self.width()).find(|j| self.gain[*j].is_positive()) else {
                break;
            };
            let Some(row) = self.leaving(column) else { return End::Unbounded };
            if self.pivots == PIVOTS {
                return End::Unfinished;
            }
            self.pivot(row, column);
        }
        End::Reached
    }

    /// The equation that limits how far the variable `column` can grow.
    fn leaving(&self, column: usize) -> Option<usize> {
        let ratio = |i: usize| &self.rows[i][self.width()] / &self.rows[i][column];
        (0..self.rows.len())
            .filter(|i| self.rows[*i][column].is_positive())
            // `None` is the least, so among equals an added variable goes first.
            .map(|i| (ratio(i), self.basis[i], i))
            .min()
            .map(|(_, _, i)| i)
    }

    /// Solves the equation `row` for the variable `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        self.pivots += 1;
        let mut solved = std::mem::take(&mut self.rows[row]);
        let scale = solved[column].recip();
        for entry in solved.iter_mut().filter(|entry| !entry.is_zero()) {
            *entry *= &scale;
        }
        // The solved row was taken out and is empty here.
        let others = self.rows.iter_mut().chain([&mut self.gain]);
        for other in others.filter(|other| !other.is_empty() && !other[column].is_zero()) {
            let factor = other[column].clone();
            for (entry, own) in other.iter_mut().zip(&solved).filter(|(_, own)| !own.is_zero()) {
                *entry -= own * &factor;
            }
        }
        self.rows[row] = solved;
        self.basis[row] = Some(column);
    }

    /// Rids the basis of the added variables, which are zero, and drops equations 0 = 0.
    fn clear_basis(&mut self) {
        for row in 0..self.rows.len() {
            let entries = &self.rows[row][..self.width()];
            if let (None, Some(column)) =
                (self.basis[row], entries.iter().position(|entry| !entry.is_zero()))
            {
                self.pivot(row, column);
            }
        }
        let basis = &self.basis;
        let mut solved = basis.iter().map(Option::is_some);
        self.rows.retain(|_| solved.next() == Some(true));
        self.basis.retain(Option::is_some);
    }
}
