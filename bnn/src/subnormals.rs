//! Subnormal numbers as 0, for as long as some work takes.
//!
//! ```text
//! x86-64     FTZ and DAZ of MXCSR: subnormal results, and subnormal operands, are 0
//! aarch64    FZ of FPCR: both
//! others     nothing changes
//! ```
//!
//! Variances and gradients of units that are off go below the smallest normal number, and a processor may take a hundred
//! times as long for an operation on such a number. The kernels of activations are right to the last subnormal number and
//! need them in the low words of their results. So they run with subnormal numbers, whatever their caller has asked for.
//!
//! Processors have these flags for each thread. A guard restores them, also when the work panics.

#![allow(unsafe_code, reason = "the control register of floating-point numbers has no safe access")]

/// Runs `work` with subnormal numbers as 0 in this thread, where the processor can, and returns its result.
///
/// [`train`](crate::train), [`Model::predict`](crate::Model::predict) and their kind do so themselves. The function is
/// for a training loop of one's own on [`bound`](crate::bound): a step can take several times as long without it. The
/// moments of activations are the same with it and without.
pub fn flush_subnormals<R>(work: impl FnOnce() -> R) -> R {
    let _guard = Guard::new(true);
    work()
}

/// Runs `work` with subnormal numbers as they are in this thread, and returns its result.
pub(crate) fn keep_subnormals<R>(work: impl FnOnce() -> R) -> R {
    let _guard = Guard::new(false);
    work()
}

/// Restores the flags of this thread when it is dropped.
struct Guard {
    before: Option<register::Word>,
}

impl Guard {
    fn new(flushed: bool) -> Self {
        let now = register::read();
        let wanted = if flushed { now | register::FLUSHED } else { now & !register::FLUSHED };
        // The flags are mostly right already, and reading is cheaper than writing.
        let before = (wanted != now).then(|| {
            register::write(wanted);
            now
        });
        Self { before }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // Exceptions that the work has raised stay raised.
            let now = register::read();
            register::write((now & !register::FLUSHED) | (before & register::FLUSHED));
        }
    }
}

// The bits of `FLUSHED` change no rounding and unmask no exception. The compiler takes operations on numbers to be those
// without the flags; what it computes in advance or moves past a guard can differ in subnormal numbers alone, of which
// nothing is promised while the flags are set.

#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    pub(super) type Word = u32;

    /// Flush to zero, and denormals are zeros.
    pub(super) const FLUSHED: Word = 1 << 15 | 1 << 6;

    pub(super) fn read() -> Word {
        let mut word: Word = 0;
        // SAFETY: the instruction stores the control word of the thread in `word`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: the word is one that was read, but for bits that every processor of the architecture has.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    pub(super) type Word = u64;

    /// Flush to zero.
    pub(super) const FLUSHED: Word = 1 << 24;

    pub(super) fn read() -> Word {
        let word: Word;
        // SAFETY: the instruction reads the control word of the thread.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: Word) {
        // SAFETY: the word is one that was read, but for a bit that every processor of the architecture has.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) type Word = u32;

    pub(super) const FLUSHED: Word = 0;

    pub(super) fn read() -> Word {
        0
    }

    pub(super) fn write(_: Word) {}
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::panic::catch_unwind;

    use super::{flush_subnormals, keep_subnormals};

    /// Whether half of the smallest normal number is 0 in this thread.
    #[inline(never)]
    fn flushes() -> bool {
        black_box(f32::MIN_POSITIVE) * black_box(0.5) == 0.0
    }

    /// Whether a subnormal operand counts as 0.
    #[inline(never)]
    fn ignores() -> bool {
        black_box(f64::from_bits(1 << 40)) * black_box(2f64.powi(100)) == 0.0
    }

    #[test]
    fn guards_nest_and_restore_the_flags() {
        let can = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        assert!(!flushes() && !ignores());
        flush_subnormals(|| {
            assert_eq!([flushes(), ignores()], [can; 2]);
            keep_subnormals(|| {
                assert!(!flushes() && !ignores());
                flush_subnormals(|| assert_eq!([flushes(), ignores()], [can; 2]));
                assert!(!flushes() && !ignores());
            });
            assert_eq!([flushes(), ignores()], [can; 2]);
        });
        assert!(!flushes() && !ignores());
        let _ = catch_unwind(|| flush_subnormals(|| panic!("work that fails")));
        assert!(!flushes() && !ignores());
    }
}
