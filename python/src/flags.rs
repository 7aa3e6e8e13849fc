//! The floating-point flags that kernels rely on, whatever the caller's thread has set.
//!
//! Some programs let their threads flush subnormal numbers to zero: XLA's worker threads, PyTorch after
//! `set_flush_denormal`, any library built with `-ffast-math`. Kernels would lose the tails there. So the control word
//! has its default (round to nearest, subnormals kept, no traps) while they run, and is restored afterwards.
#![allow(unsafe_code, reason = "control words of a processor are read and written by instructions")]

use std::marker::PhantomData;

/// The default flags, until this is dropped.
pub(crate) struct Flags {
    saved: u64,
    /// Belongs to the thread that made it.
    thread: PhantomData<*const ()>,
}

impl Flags {
    pub(crate) fn standard() -> Self {
        let saved = control::read();
        control::write(control::STANDARD);
        Self { saved, thread: PhantomData }
    }
}

impl Drop for Flags {
    fn drop(&mut self) {
        // The whole word: the caller does not see the exceptions that the kernels raised.
        control::write(self.saved);
    }
}

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    /// All exceptions masked, round to nearest, neither FTZ nor DAZ.
    pub(super) const STANDARD: u64 = 0x1f80;

    pub(super) fn read() -> u64 {
        let mut word = 0_u32;
        // SAFETY: the instruction stores the control word of the thread in `word`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        u64::from(word)
    }

    pub(super) fn write(word: u64) {
        let word = word as u32;
        // SAFETY: the word is the default one or one that was read.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    /// Round to nearest, no flush to zero, no traps.
    pub(super) const STANDARD: u64 = 0;

    pub(super) fn read() -> u64 {
        let word: u64;
        // SAFETY: the instruction reads the control word of the thread.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    pub(super) fn write(word: u64) {
        // SAFETY: the word is the default one or one that was read.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub(super) const STANDARD: u64 = 0;

    pub(super) fn read() -> u64 {
        STANDARD
    }

    pub(super) fn write(_: u64) {}
}
