//! The choice of the widest vectors that the machine has: AVX-512, AVX2, or one number.
//!
//! Every computation is compiled once for each of the three. The machine is asked while the program runs.

use super::Lanes;
#[cfg(target_arch = "x86_64")]
use super::x86::{F32x8, F32x16, F64x4, F64x8, Relaxed4, Relaxed8};
use crate::Float;

/// A computation with lanes of any width.
pub(crate) trait Task<T: Float> {
    /// The unit of the [kernel](crate::kernel::Kernel::Unit).
    type Unit;
    /// Computes with vectors; to be inlined. Vectors of `V` compute in the precision of `T`, and vectors of `R` in
    /// double precision.
    fn run<V: Lanes<Element = T>, R: Lanes<Element = T>>(self);
    /// Computes without vectors.
    fn run_one_by_one(self);
}

/// A computation in double precision that is the same with lanes of any width, and with one number.
#[cfg(feature = "pairs")]
pub(crate) trait InDoubles {
    /// Computes with lanes; to be inlined.
    fn with<V: Lanes<Element = f64>>(self);
}

#[cfg(feature = "pairs")]
impl<W: InDoubles> Task<f64> for W {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        self.with::<V>();
    }

    fn run_one_by_one(self) {
        self.with::<f64>();
    }
}

/// A precision that has vectors.
pub(crate) trait Vectors: Float {
    /// Computes with the widest vectors of this machine.
    fn dispatch<W: Task<Self>>(work: W);
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx512, "avx512f", "avx512dq", "avx512vl", "fma", "avx2", "popcnt", "bmi2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx2, "avx2", "fma", "popcnt");

/// Whether the machine has AVX-512, and no test or benchmark has asked to do without it, as most machines do.
#[cfg(target_arch = "x86_64")]
#[inline]
fn takes_avx512() -> bool {
    #[cfg(feature = "testing")]
    if *environment::WITHOUT_AVX512 {
        return false;
    }
    has_avx512::get()
}

#[cfg(all(feature = "testing", target_arch = "x86_64"))]
mod environment {
    extern crate std;

    /// Whether the environment has the variable `GAUSSFORM_WITHOUT_AVX512`.
    pub(super) static WITHOUT_AVX512: std::sync::LazyLock<bool> =
        std::sync::LazyLock::new(|| std::env::var_os("GAUSSFORM_WITHOUT_AVX512").is_some());
}

macro_rules! vectors {
    ($T:ident, $Avx2:ident $Double2:ident, $Avx512:ident $Double512:ident) => {
        impl Vectors for $T {
            #[inline]
            #[allow(unsafe_code, reason = "the machine has been asked for what is called")]
            fn dispatch<W: Task<Self>>(work: W) {
                #[cfg(target_arch = "x86_64")]
                {
                    /// A method is compiled in the module of its type.
                    trait In {
                        unsafe fn avx2<W: Task<$T>>(work: W);
                        unsafe fn avx512<W: Task<$T>>(work: W);
                    }
                    impl<Unit> In for Unit {
                        #[target_feature(enable = "avx2,fma,popcnt")]
                        unsafe fn avx2<W: Task<$T>>(work: W) {
                            work.run::<$Avx2, $Double2>();
                        }
                        #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma,avx2,popcnt,bmi2")]
                        unsafe fn avx512<W: Task<$T>>(work: W) {
                            work.run::<$Avx512, $Double512>();
                        }
                    }
                    if takes_avx512() {
                        // The machine has the instructions that the function is compiled for.
                        return unsafe { W::Unit::avx512(work) };
                    }
                    if has_avx2::get() {
                        // The machine has these instructions too.
                        return unsafe { W::Unit::avx2(work) };
                    }
                }
                work.run_one_by_one();
            }
        }
    };
}

vectors!(f64, F64x4 F64x4, F64x8 F64x8);
vectors!(f32, F32x8 Relaxed4, F32x16 Relaxed8);
