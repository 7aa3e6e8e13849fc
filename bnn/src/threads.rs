//! Work in parts on several threads.
//!
//! The parts never depend on the number of threads, and results come in the order of the parts. So the bits of a
//! result are the same for any number of threads.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};

use crate::subnormals::flush_subnormals;

/// How many threads are wanted, 0 for as many as there are processors.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Bytes of a thread's stack, as many as the first thread of a process has on most systems: without optimization, kernels
/// of declarations need more than the 2 MiB that other threads get.
const STACK: usize = 8 << 20;

/// So many numbers take no longer to compute than a thread to start.
const FEW: usize = 1 << 16;

thread_local! {
    /// Whether this thread is at work on a part, which is not shared any further.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Sets how many threads train and predict, for the whole process; 0, as at first, for as many as there are processors for it.
///
/// Results do not depend on the number, to the bit.
pub fn set_threads(count: usize) {
    WANTED.store(count, Ordering::Relaxed);
}

/// How many threads train and predict.
pub(crate) fn threads() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// The results of `work` on each part, in the order of the parts. Subnormal numbers are 0 within.
pub(crate) fn each<I: Send, T: Send>(parts: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let helpers = threads().min(parts.len()).saturating_sub(1);
    let work = |part| flush_subnormals(|| work(part));
    if helpers == 0 || WITHIN.get() {
        return parts.into_iter().map(work).collect();
    }
    let rest = Mutex::new(parts.into_iter().enumerate());
    // A thread takes the next part when it is free; results do not depend on who took which.
    let take = || rest.lock().ok()?.next();
    let share = || {
        // The calling thread takes parts too, and goes on with other work afterwards.
        let before = WITHIN.replace(true);
        let mut done = Vec::new();
        while let Some((i, part)) = take() {
            done.push((i, work(part)));
        }
        WITHIN.set(before);
        done
    };
    let mut all = thread::scope(|scope| {
        // Where no more threads can be had, there are fewer.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, share).ok();
        let started: Vec<_> = (0..helpers).filter_map(start).collect();
        let mut all = share();
        for thread in started {
            all.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}

/// [`each`] for parts that hold so many `numbers` in all: a few are not worth a thread.
pub(crate) fn each_of<I: Send, T: Send>(
    numbers: usize,
    parts: Vec<I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    if numbers < FEW {
        return parts.into_iter().map(|part| flush_subnormals(|| work(part))).collect();
    }
    each(parts, work)
}

/// The rows of a table in `count` shares of one size, which differ by at most one row.
pub(crate) fn shares(rows: usize, count: usize) -> Vec<std::ops::Range<usize>> {
    let count = count.clamp(1, rows.max(1));
    (0..count).map(|i| i * rows / count..(i + 1) * rows / count).collect()
}

#[cfg(test)]
mod tests {
    use super::{each, set_threads, shares};

    #[test]
    fn results_come_in_the_order_of_the_parts() {
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        for count in [1, 2, 7, 0] {
            set_threads(count);
            assert_eq!(each((0..1000).collect(), |i: usize| i * i), squares);
            // Parts of parts are not shared any further.
            let nested = each(vec![10, 20], |n: usize| each((0..n).collect(), |i: usize| i));
            assert_eq!(nested, [(0..10).collect::<Vec<_>>(), (0..20).collect()]);
        }
        assert!(each(Vec::<usize>::new(), |i| i).is_empty());
    }

    #[test]
    fn shares_cover_the_rows_once() {
        for (rows, count) in [(0, 3), (1, 1), (5, 9), (1000, 7)] {
            let all: Vec<usize> = shares(rows, count).into_iter().flatten().collect();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
            let sizes: Vec<usize> =
                shares(rows, count).iter().map(ExactSizeIterator::len).collect();
            let [least, most] = [sizes.iter().min(), sizes.iter().max()].map(|s| *s.unwrap());
            assert!(most - least <= 1 && sizes.len() <= count);
        }
    }
}
