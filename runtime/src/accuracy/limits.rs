//! The lengths of the series over a narrow piece.

/// The number of integrals that a series gives.
pub(crate) const COUNT: usize = 5;
/// The largest number of terms of a series.
pub(crate) const LONGEST: usize = 20;

/// 1/(2n + 1)!! for each n.
pub const INVERSE_FACTORIALS: [f64; LONGEST] = {
    let mut inverse = [1.0; LONGEST];
    let (mut n, mut factorial) = (1, 1.0);
    while n < LONGEST {
        factorial *= (2 * n + 1) as f64;
        inverse[n] = 1.0 / factorial;
        n += 1;
    }
    inverse
};

/// How far the series go.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// The highest m in F₀, F₁, ….
    pub last: [usize; COUNT],
    /// The n of the highest M_n, for which 1/(2n + 1)!! is taken.
    pub start: usize,
}

impl Series {
    /// The lengths for pieces within a [limit](super::Accuracy::STRAIGHT). The remainder is less than `least` relative to J₀, and for all but J₀
    /// relative to J₂.
    pub(crate) const fn new(limit: f64, least: f64) -> Self {
        // Of |y|, and of a²: at most |y| on a piece away from γ, and (width/2)² where γ is on it.
        let bound = 0.5 * limit;
        let mut series = Self { last: [0; COUNT], start: 0 };
        let mut j = 0;
        while j < COUNT {
            let beside = INVERSE_FACTORIALS[if j == 0 { 0 } else { 1 }];
            let (mut m, mut power) = (0, 1.0);
            loop {
                power *= bound * bound / (2 * (m + 1)) as f64;
                if power * INVERSE_FACTORIALS[m + 1 + j] < least * beside {
                    break;
                }
                m += 1;
            }
            series.last[j] = m;
            if series.start < m + j {
                series.start = m + j;
            }
            j += 1;
        }
        // What is left out of M_n comes into M₁ with its power of a².
        let (mut n, mut power) = (0, 1.0);
        while n < series.start {
            power *= bound;
            n += 1;
        }
        while power * INVERSE_FACTORIALS[series.start + 1] > least * INVERSE_FACTORIALS[1] {
            power *= bound;
            series.start += 1;
        }
        series
    }
}
