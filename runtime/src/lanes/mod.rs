//! Numbers side by side: what a kernel computes with.
//!
//! A kernel is written once, over [`Lanes`]: one `f64`, one number with a wide exponent ([`wide`]),
//! or a register of AVX2 or AVX-512 ([`x86`]). There are no branches on the data of a lane. A result that
//! only some lanes need is computed if any of them does, and selected.
//!
//! Only the outermost function is compiled for the machine's instructions ([`dispatch`]). So every function here is inlined
//! without exception, but for the few that are called out of line, so that kernels stay small ([`Lanes::outlined`]).

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Range, Sub};

use crate::Float;
use crate::accuracy::Accuracy;
use crate::precision::Precision;
use crate::safe_range::SafeRange;

pub(crate) mod dispatch;
pub(crate) mod double;
mod scalar;
pub(crate) mod twice;
pub(crate) mod wide;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

/// Floating-point numbers of one precision, side by side.
///
/// The trait is implemented here and named by generated kernels only.
pub trait Lanes:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of each number.
    type Scalar: Float;
    /// The type of the elements of slices, which has as many digits as results are wanted in.
    type Element: Float;
    /// The accuracy that results of that type need.
    type Accuracy: Accuracy<Scalar = Self::Scalar>;
    /// A truth value for each lane.
    type Mask: Mask;

    /// The number of lanes.
    const COUNT: usize;
    /// Whether every input is handled, or only inputs in the safe range. Vectors leave the others to a single number.
    const GENERAL: bool;
    /// Whether densities far beyond the range of a scalar are numbers.
    const UNBOUNDED: bool = false;
    /// Whether [`repeat`](Self::repeat) is a loop, whose step is not compiled for each index. False where operations are recorded.
    const LOOPS: bool = true;

    /// Whether [`mul_add`](Self::mul_add) rounds once.
    fn is_fused() -> bool;

    /// A number, in all lanes.
    fn splat(value: Self::Scalar) -> Self;
    /// The first elements of a slice, one a lane. The slice must be long enough.
    fn load(from: &[Self::Element]) -> Self;
    /// Stores the lanes in the first elements of a slice, which must be long enough.
    fn store(self, into: &mut [Self::Element]);

    /// self · factor + term
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    /// self · factor − term
    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        self * factor - term
    }
    /// term − self · factor
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        term - self * factor
    }
    /// |self|
    fn abs(self) -> Self;
    /// √self
    fn sqrt(self) -> Self;
    /// self · 2ⁿ for `shifted` = n + the constant that rounds to an integer, with
    /// gradual underflow.
    fn scale(self, shifted: Self) -> Self;
    /// self · 2ⁿ where self and the result are normal numbers. Where the product is no normal number the result is
    /// another one; for self = 1 it is not positive then.
    #[inline(always)]
    fn raise(self, shifted: Self) -> Self {
        self.scale(shifted)
    }
    /// 2ⁿ for an integer n = self.
    #[inline(always)]
    fn two_to(self) -> Self {
        Self::splat(Self::Scalar::ONE).scale(self + Self::splat(Self::Scalar::SHIFTER))
    }
    /// The larger one; `other` if self is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    /// The smaller one; `other` if self is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// self < other; false for NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// self ≤ other; false for NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// self = other; false for NaN.
    fn equals(self, other: Self) -> Self::Mask;
    /// `yes` in the lanes of `mask`, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Where γ and ξ² are within limits; false for NaN.
    #[inline(always)]
    fn are_within(self, variance: Self, limits: SafeRange) -> Self::Mask {
        let power = |e: i32| Self::splat(Self::Scalar::power_of_two(e));
        let near = self.abs().le(power(limits.size));
        near.and(power(limits.least).le(variance)).and(variance.le(power(limits.most)))
    }

    /// Runs code that many kernels call, with the machine's instructions: compiled once for all kernels that the
    /// compiler takes together. A call to another place would cost a tenth of a large kernel's time.
    #[inline(always)]
    fn outlined<W: Work>(work: W) -> W::Output {
        Self::outlined_in::<(), W>(work)
    }

    /// Runs code of one kernel, compiled once in the module of its [unit](crate::kernel::Kernel::Unit).
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output;

    /// Runs code if a condition holds in some lane; elsewhere the results are `otherwise`. In lanes in which the
    /// condition does not hold, the caller ignores the results. Where operations are recorded, this is a branch.
    #[inline(always)]
    fn if_any<W: Work<Output = [Self; N]>, const N: usize>(
        mask: Self::Mask,
        work: W,
        otherwise: [Self; N],
    ) -> [Self; N] {
        if mask.any() { work.run() } else { otherwise }
    }

    /// Takes a step for each number of a range in order, until a step says that no later one changes anything. Where
    /// operations are recorded, and the rows of a table are not known, this is a loop over the table.
    #[inline(always)]
    fn repeat<S: Step<Self, N, M>, const N: usize, const M: usize>(
        range: Range<usize>,
        step: S,
        mut state: State<Self, N, M>,
    ) -> State<Self, N, M> {
        for i in range {
            let more;
            (state, more) = step.take(i, state);
            if !more {
                break;
            }
        }
        state
    }

    /// The names of the words of a table's number, where operations are recorded (`kernel::record`) and the
    /// number is not known: `None` for a word that is known to be 0. `None` elsewhere.
    #[inline(always)]
    fn named_words(words: [f64; 3]) -> Option<[Option<Self>; 3]> {
        let _ = words;
        None
    }

    /// A function of numbers that has a name where operations are recorded (`kernel::record`), to be called
    /// there; elsewhere it is in line.
    #[inline(always)]
    fn named<F: Named<I, O>, const I: usize, const O: usize>(inputs: [Self; I]) -> [Self; O] {
        F::body(inputs)
    }

    /// ξ and 1/ξ of a variance, each within two units in the last place, and 1/(2ξ) to four digits.
    #[inline(always)]
    fn roots(self) -> [Self; 3] {
        let root = self.sqrt();
        let inverse = Self::splat(Self::Scalar::ONE) / root;
        [root, inverse, Self::splat(Self::Scalar::HALF) * inverse]
    }

    /// self/divisor for a divisor far from overflow and underflow, within two units in the last
    /// place.
    #[inline(always)]
    fn quotient(self, divisor: Self) -> Self {
        self / divisor
    }
}

/// A function of numbers with a name, for [`Lanes::named`]. It is a trait, because a function that is handed over
/// would be called: only code in line has the machine's instructions.
pub trait Named<const I: usize, const O: usize> {
    /// The name.
    const NAME: &'static str;
    /// The function.
    fn body<V: Lanes>(inputs: [V; I]) -> [V; O];
}

/// A piece of code over lanes, for [`Lanes::outlined`]. It is a trait for the same reason as [`Named`].
pub trait Work {
    /// The type of its result.
    type Output;
    /// Runs it.
    fn run(self) -> Self::Output;
}

/// The state that a loop carries from step to step: N numbers and M masks of lanes.
#[allow(unreachable_pub)] // `record` reaches it, with the feature `source`.
pub type State<V, const N: usize, const M: usize> = ([V; N], [<V as Lanes>::Mask; M]);

/// A step of a loop, for [`Lanes::repeat`]. It is a trait for the same reason as [`Named`].
pub trait Step<V: Lanes, const N: usize, const M: usize> {
    /// The state after the step of that number, and whether a later one may change it.
    fn take(&self, i: usize, state: State<V, N, M>) -> (State<V, N, M>, bool);
}

/// A truth value for each lane.
pub trait Mask: Copy + Debug {
    /// A bit for each lane, the first one lowest.
    fn bits(self) -> u64;
    /// Whether it is true anywhere.
    fn any(self) -> bool;
    /// Whether it is true everywhere.
    fn all(self) -> bool;
    /// The lanes in which both hold.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The lanes in which one of them holds, or both.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The lanes in which it does not hold.
    #[must_use]
    fn not(self) -> Self;
}
