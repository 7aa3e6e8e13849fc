//! The tally of a hunt: the largest error so far, and all errors that are larger than promised.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::real::to_f64;
use gaussform_codegen::{ACCURACY_CURVED, Kernel};

use crate::measure::{check_products, error, slice};

/// The bound that is promised for slices of f32, which are computed in f64.
const SINGLE: f64 = 1.0;

/// The largest error, and every error that is larger than promised.
#[derive(Default)]
pub(crate) struct Tally {
    worst: f64,
    failures: Vec<String>,
}

/// The points of a function: γ and ξ² that f64 holds, and such that f32 holds too.
pub(crate) struct Points {
    pub(crate) doubles: Vec<[f64; 2]>,
    pub(crate) singles: Vec<[f64; 2]>,
}

impl Points {
    /// So many of each; `point` is told whether f32 is to hold it.
    pub(crate) fn new(count: usize, mut point: impl FnMut(bool) -> [f64; 2]) -> Self {
        let [doubles, singles] =
            [false, true].map(|is_single| (0..count).map(|_| point(is_single)).collect());
        Self { doubles, singles }
    }
}

impl Tally {
    /// An error in units in the last place, and the most that is promised; `what` says of what it is.
    pub(crate) fn record(&mut self, error: f64, most: f64, what: impl FnOnce() -> String) {
        let error = if error.is_nan() { f64::INFINITY } else { error };
        self.worst = self.worst.max(error);
        if error > most {
            self.failures.push(format!("{error:.3e} ulp, {}", what()));
        }
    }

    /// Compares the moments and derivatives of a kernel with the truth, one by one and in slices of both precisions.
    pub(crate) fn compare(
        &mut self,
        name: &str,
        (kernel, values): (&Kernel, &[f64]),
        (oracle, function): (&Oracle, &Function),
        Points { doubles, singles }: &Points,
    ) {
        let mut check = |points: &[[f64; 2]], results: &[[f64; 7]], is_single: bool, how: &str| {
            for (&[gamma, xi2], got) in points.iter().zip(results) {
                let truth = oracle.truth(function, gamma, xi2).values;
                let truth: [f64; 7] = std::array::from_fn(|i| to_f64(&truth[i]));
                // Twice as much where pieces are not cut, in both precisions.
                let single = SINGLE * (kernel.accuracy() / ACCURACY_CURVED).max(1.0);
                let most = if is_single { single } else { kernel.accuracy() };
                let share = if is_single { 1.0 } else { most / kernel.accuracy_of_slope() };
                self.record(error(&truth, xi2, got, is_single, share), most, || {
                    format!("{how}, {name} at {gamma:e}, {xi2:e}: {got:?}")
                });
            }
        };
        let fixed = kernel.fixed(values);
        let single = |&[gamma, xi2]: &[f64; 2]| fixed.moments_grad(gamma, xi2).to_array();
        let results: Vec<[f64; 7]> = doubles.iter().map(single).collect();
        check(doubles, &results, false, "single");
        if let Some(numbers) = kernel.numbers_for(values) {
            let results = numbers.with(|t| slice::<f64>(t, doubles));
            numbers.with(|t| check_products(t, doubles, &results, name));
            check(doubles, &results, false, "slice of f64");
            check(singles, &numbers.with(|t| slice::<f32>(t, singles)), true, "slice of f32");
        }
    }

    /// Says what was hunted and the largest error.
    ///
    /// # Panics
    ///
    /// If an error was larger than promised.
    pub(crate) fn end(self, what: &str) {
        let Self { worst, failures } = self;
        #[allow(clippy::print_stdout, reason = "of a hunt on request one wants to know")]
        {
            println!("{what}: largest error {worst:.2} ulp");
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}
