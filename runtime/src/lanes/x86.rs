//! The vector registers of x86-64: AVX2 with fused multiplication, and AVX-512.
//!
//! This module is the only place with `unsafe` code. The types are private to this crate.
//! They come into being only inside of the functions of [`dispatch`](super::dispatch) that are compiled for the
//! instructions and called after the machine was asked for them. So every intrinsic below is called where the machine
//! has it. Loads and stores check the length of the slice first.
#![allow(unsafe_code, reason = "intrinsics; each use is covered by the module's documentation")]

use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, Mask, Work};
use crate::accuracy::Relaxed;
use crate::precision::Precision;
use crate::safe_range::SafeRange;

/// Operators by the names of their intrinsics.
macro_rules! operators {
    ($Name:ident: $($Trait:ident $operator:ident $intrinsic:ident),*) => {
        $(impl $Trait for $Name {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
}

/// The implementation of lanes for one register of AVX2 or AVX-512, by the names of its intrinsics.
macro_rules! register {
    (
        $(#[$doc:meta])* $Name:ident($register:ident) of $count:literal $T:ident, in slices $Element:ident,
        accuracy $Accuracy:ident, masks $Mask:ident, features $features:literal;
        $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident
        $fmadd:ident $fmsub:ident $fnmadd:ident $set1:ident $loadu:ident $storeu:ident
        compare $compare:ident $min:ident $max:ident select $select:ident sign $xor:ident $andnot:ident
        $(overrides { $($overrides:tt)* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Name($register);

        operators! { $Name: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div }
        impl Neg for $Name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(unsafe { $xor(self.0, $set1(-0.0)) })
            }
        }

        impl Lanes for $Name {
            type Scalar = $T;
            type Element = $Element;
            type Accuracy = $Accuracy;
            type Mask = $Mask;

            const COUNT: usize = $count;
            const GENERAL: bool = false;

            #[inline(always)]
            fn is_fused() -> bool {
                true
            }

            #[inline(always)]
            fn splat(value: $T) -> Self {
                Self(unsafe { $set1(value) })
            }
            #[inline(always)]
            fn load(from: &[$Element]) -> Self {
                let from = &from[..$count];
                // The slice has as many elements as the register.
                Self(unsafe { $loadu(from.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, into: &mut [$Element]) {
                let into = &mut into[..$count];
                // The slice has as many elements as the register.
                unsafe { $storeu(into.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fmadd(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn mul_sub(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fmsub(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $fnmadd(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(unsafe { $andnot($set1(-0.0), self.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // The instruction returns the second operand if one is NaN.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // The instruction returns the second operand if one is NaN.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $Mask {
                $Mask(unsafe { $compare::<_CMP_LT_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> $Mask {
                $Mask(unsafe { $compare::<_CMP_LE_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn equals(self, other: Self) -> $Mask {
                $Mask(unsafe { $compare::<_CMP_EQ_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn select(mask: $Mask, yes: Self, no: Self) -> Self {
                Self($select(mask.0, yes.0, no.0))
            }
            #[inline(always)]
            fn outlined<W: Work>(work: W) -> W::Output {
                // Too large to be inlined where there are several calls.
                #[target_feature(enable = $features)]
                #[inline]
                fn call<W: Work>(work: W) -> W::Output {
                    work.run()
                }
                unsafe { call(work) }
            }
            #[inline(always)]
            fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
                /// A method is compiled in the module of its type.
                trait In {
                    unsafe fn call<W: Work>(work: W) -> W::Output;
                }
                impl<Unit> In for Unit {
                    #[target_feature(enable = $features)]
                    #[inline(never)]
                    unsafe fn call<W: Work>(work: W) -> W::Output {
                        work.run()
                    }
                }
                unsafe { Unit::call(work) }
            }
            $($($overrides)*)?
        }
    };
}

/// Powers of two by the bits of the exponent: shifts and additions of integers wait for no multiplication.
macro_rules! powers {
    ($bits:ident $number:ident $add:ident $slli:ident::<$significand:literal>) => {
        #[inline(always)]
        fn raise(self, shifted: Self) -> Self {
            unsafe {
                // n stands in the lowest bits; what is above them is shifted out.
                let exponent = $slli::<$significand>($bits(shifted.0));
                Self($number($add($bits(self.0), exponent)))
            }
        }
    };
}

/// Limits by the bits, which are integers in the order of the numbers: one comparison for all of them.
macro_rules! limits {
    ($T:ident $Mask:ident $bits:ident $set1:ident $sub:ident $or:ident $compare:ident) => {
        #[inline(always)]
        fn are_within(self, variance: Self, limits: SafeRange) -> $Mask {
            let power = |e: i32| $T::power_of_two(e).to_bits().cast_signed();
            unsafe {
                let [size, variance] = [$bits(self.abs().0), $bits(variance.0)];
                // Negative where a limit is passed. Where the second one overflows, which takes a negative
                // variance, so does the third.
                let above = $sub($set1(power(limits.size)), size);
                let below = $sub(variance, $set1(power(limits.least)));
                let beyond = $sub($set1(power(limits.most)), variance);
                $Mask($compare(
                    $or::<{ ANY_OF_THREE }>(above, below, beyond),
                    _mm512_setzero_si512(),
                ))
            }
        }
    };
}

/// The truth table of a ∨ b ∨ c.
const ANY_OF_THREE: i32 = 0b1111_1110;

/// A product with both factors of a power of two.
macro_rules! by_halves {
    ($bits:ident $number:ident $set1:ident $add:ident $sub:ident $srli:ident
        $slli:ident::<$significand:literal> bias $bias:literal) => {
        #[inline(always)]
        fn scale(self, shifted: Self) -> Self {
            unsafe {
                // n with twice the bias stands in the lowest bits; what is above them is shifted out.
                let biased = $add($bits(shifted.0), $set1(2 * $bias));
                let half = $srli::<1>(biased);
                let rest = $sub(biased, half);
                let first = Self($number($slli::<$significand>(half)));
                self * first * Self($number($slli::<$significand>(rest)))
            }
        }
    };
}

/// The instruction of AVX-512, which rounds the exponent down.
macro_rules! by_instruction {
    ($T:ident $scalef:ident) => {
        #[inline(always)]
        fn scale(self, shifted: Self) -> Self {
            let n = shifted - Self::splat($T::SHIFTER);
            Self(unsafe { $scalef(self.0, n.0) })
        }
    };
}

/// Masks of AVX2: all bits of a lane.
macro_rules! wide_mask {
    ($(#[$doc:meta])* $Mask:ident($register:ident), $and:ident $or:ident $xor:ident $movemask:ident
        $cast:ident $all:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Mask($register);

        impl Mask for $Mask {
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(unsafe { $movemask(self.0) }.cast_unsigned())
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.bits() != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.bits() == $all
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(unsafe { $xor(self.0, $cast(_mm256_set1_epi32(-1))) })
            }
        }
    };
}

/// Masks of AVX-512: a bit for each lane.
macro_rules! bit_mask {
    ($(#[$doc:meta])* $Mask:ident($bits:ident)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $Mask($bits);

        impl Mask for $Mask {
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self.0)
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0 != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.0 == $bits::MAX
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }
    };
}

wide_mask!(
    /// Four truth values.
    Mask4(__m256d), _mm256_and_pd _mm256_or_pd _mm256_xor_pd _mm256_movemask_pd
    _mm256_castsi256_pd 0b1111
);
wide_mask!(
    /// Eight truth values.
    Mask8(__m256), _mm256_and_ps _mm256_or_ps _mm256_xor_ps _mm256_movemask_ps
    _mm256_castsi256_ps 0xFF
);
bit_mask!(
    /// Eight truth values.
    Bits8(__mmask8)
);
bit_mask!(
    /// Sixteen truth values.
    Bits16(__mmask16)
);

#[inline(always)]
fn select4(mask: __m256d, yes: __m256d, no: __m256d) -> __m256d {
    unsafe { _mm256_blendv_pd(no, yes, mask) }
}

#[inline(always)]
fn select8(mask: __m256, yes: __m256, no: __m256) -> __m256 {
    unsafe { _mm256_blendv_ps(no, yes, mask) }
}

#[inline(always)]
fn blend8(mask: __mmask8, yes: __m512d, no: __m512d) -> __m512d {
    unsafe { _mm512_mask_blend_pd(mask, no, yes) }
}

#[inline(always)]
fn blend16(mask: __mmask16, yes: __m512, no: __m512) -> __m512 {
    unsafe { _mm512_mask_blend_ps(mask, no, yes) }
}

/// Four numbers of double precision with AVX2, in slices of either.
macro_rules! doubles4 {
    ($(#[$doc:meta])* $Name:ident, in slices $Element:ident, accuracy $Accuracy:ident, $load:ident $store:ident) => {
        register! {
            $(#[$doc])*
            $Name(__m256d) of 4 f64, in slices $Element, accuracy $Accuracy, masks Mask4,
            features "avx2,fma,popcnt";
            _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd
            _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd _mm256_set1_pd $load $store
            compare _mm256_cmp_pd _mm256_min_pd _mm256_max_pd select select4 sign _mm256_xor_pd _mm256_andnot_pd
            overrides {
                powers! { _mm256_castpd_si256 _mm256_castsi256_pd _mm256_add_epi64 _mm256_slli_epi64::<52> }
                by_halves! {
                    _mm256_castpd_si256 _mm256_castsi256_pd _mm256_set1_epi64x _mm256_add_epi64
                    _mm256_sub_epi64 _mm256_srli_epi64 _mm256_slli_epi64::<52> bias 1023
                }
            }
        }
    };
}

/// Eight with AVX-512, with roots and quotients of their own.
macro_rules! doubles8 {
    (
        $(#[$doc:meta])* $Name:ident, in slices $Element:ident, accuracy $Accuracy:ident,
        $load:ident $store:ident { $($estimates:tt)* }
    ) => {
        register! {
            $(#[$doc])*
            $Name(__m512d) of 8 f64, in slices $Element, accuracy $Accuracy, masks Bits8,
            features "avx512f,avx512dq,avx512vl,fma,avx2,popcnt,bmi2";
            _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_sqrt_pd
            _mm512_fmadd_pd _mm512_fmsub_pd _mm512_fnmadd_pd _mm512_set1_pd $load $store
            compare _mm512_cmp_pd_mask _mm512_min_pd _mm512_max_pd select blend8 sign _mm512_xor_pd _mm512_andnot_pd
            overrides {
                powers! { _mm512_castpd_si512 _mm512_castsi512_pd _mm512_add_epi64 _mm512_slli_epi64::<52> }
                by_instruction! { f64 _mm512_scalef_pd }
                limits! {
                    f64 Bits8 _mm512_castpd_si512 _mm512_set1_epi64 _mm512_sub_epi64
                    _mm512_ternarylogic_epi64 _mm512_cmpge_epi64_mask
                }
                $($estimates)*
            }
        }
    };
}

doubles4! {
    /// Four numbers with AVX2.
    F64x4, in slices f64, accuracy f64, _mm256_loadu_pd _mm256_storeu_pd
}

register! {
    /// Eight numbers with AVX2.
    F32x8(__m256) of 8 f32, in slices f32, accuracy f32, masks Mask8,
    features "avx2,fma,popcnt";
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps
    _mm256_fmadd_ps _mm256_fmsub_ps _mm256_fnmadd_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
    compare _mm256_cmp_ps _mm256_min_ps _mm256_max_ps select select8 sign _mm256_xor_ps _mm256_andnot_ps
    overrides {
        powers! { _mm256_castps_si256 _mm256_castsi256_ps _mm256_add_epi32 _mm256_slli_epi32::<23> }
        by_halves! {
            _mm256_castps_si256 _mm256_castsi256_ps _mm256_set1_epi32 _mm256_add_epi32
            _mm256_sub_epi32 _mm256_srli_epi32 _mm256_slli_epi32::<23> bias 127
        }
    }
}

doubles8! {
    /// Eight numbers with AVX-512.
    F64x8, in slices f64, accuracy f64, _mm512_loadu_pd _mm512_storeu_pd {
        // Estimates to 14 bits, and a step of fourth order each: division and square root would
        // take longer than everything else.
        #[inline(always)]
        fn roots(self) -> [Self; 3] {
            let constant = Self::splat;
            let estimate = Self(unsafe { _mm512_rsqrt14_pd(self.0) });
            let rest = (self * estimate).neg_mul_add(estimate, constant(1.0));
            // (1 − rest)^(−½) = 1 + rest/2 + 3 rest²/8 + 5 rest³/16.
            let series = rest.mul_add(constant(0.3125), constant(0.375));
            let series = rest.mul_add(series, constant(0.5));
            let inverse = (estimate * rest).mul_add(series, estimate);
            [self * inverse, inverse, estimate * constant(0.5)]
        }
        #[inline(always)]
        fn quotient(self, divisor: Self) -> Self {
            let estimate = Self(unsafe { _mm512_rcp14_pd(divisor.0) });
            let rest = divisor.neg_mul_add(estimate, Self::splat(1.0));
            // 1/(1 − rest) = 1 + rest + rest² + rest³.
            let series = rest.mul_add(rest, rest).mul_add(rest, rest);
            let quotient = self * estimate;
            quotient.mul_add(series, quotient)
        }
    }
}

register! {
    /// Sixteen numbers with AVX-512.
    F32x16(__m512) of 16 f32, in slices f32, accuracy f32, masks Bits16,
    features "avx512f,avx512dq,avx512vl,fma,avx2,popcnt,bmi2";
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_sqrt_ps
    _mm512_fmadd_ps _mm512_fmsub_ps _mm512_fnmadd_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
    compare _mm512_cmp_ps_mask _mm512_min_ps _mm512_max_ps select blend16 sign _mm512_xor_ps _mm512_andnot_ps
    overrides {
        powers! { _mm512_castps_si512 _mm512_castsi512_ps _mm512_add_epi32 _mm512_slli_epi32::<23> }
        by_instruction! { f32 _mm512_scalef_ps }
        limits! {
            f32 Bits16 _mm512_castps_si512 _mm512_set1_epi32 _mm512_sub_epi32
            _mm512_ternarylogic_epi32 _mm512_cmpge_epi32_mask
        }
        // Estimates to 14 bits and one step of Newton's method: division and square root would
        // take longer than everything else that is done in single precision.
        #[inline(always)]
        fn roots(self) -> [Self; 3] {
            let estimate = Self(unsafe { _mm512_rsqrt14_ps(self.0) });
            let root = self * estimate;
            let rest = root.neg_mul_add(estimate, Self::splat(1.0));
            let half = estimate * Self::splat(0.5);
            let inverse = half.mul_add(rest, estimate);
            [self * inverse, inverse, half]
        }
        #[inline(always)]
        fn quotient(self, divisor: Self) -> Self {
            let estimate = Self(unsafe { _mm512_rcp14_ps(divisor.0) });
            let quotient = self * estimate;
            divisor.neg_mul_add(quotient, self).mul_add(estimate, quotient)
        }
    }
}

/// Numbers of single precision from a slice.
#[inline(always)]
unsafe fn load4(from: *const f32) -> __m256d {
    unsafe { _mm256_cvtps_pd(_mm_loadu_ps(from)) }
}

/// Numbers of single precision into a slice.
#[inline(always)]
unsafe fn store4(into: *mut f32, lanes: __m256d) {
    unsafe { _mm_storeu_ps(into, _mm256_cvtpd_ps(lanes)) }
}

#[inline(always)]
unsafe fn load8(from: *const f32) -> __m512d {
    unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(from)) }
}

#[inline(always)]
unsafe fn store8(into: *mut f32, lanes: __m512d) {
    unsafe { _mm256_storeu_ps(into, _mm512_cvtpd_ps(lanes)) }
}

doubles4! {
    /// Four numbers with AVX2 of which only the first half of the digits is wanted.
    Relaxed4, in slices f32, accuracy Relaxed, load4 store4
}

doubles8! {
    /// Eight numbers with AVX-512 of which only the first half of the digits is wanted.
    Relaxed8, in slices f32, accuracy Relaxed, load8 store8 {
        // Estimates to 14 bits, and a step of third order each: 42 bits are enough.
        #[inline(always)]
        fn roots(self) -> [Self; 3] {
            let constant = Self::splat;
            let estimate = Self(unsafe { _mm512_rsqrt14_pd(self.0) });
            let rest = (self * estimate).neg_mul_add(estimate, constant(1.0));
            // (1 − rest)^(−½) = 1 + rest/2 + 3 rest²/8.
            let series = rest.mul_add(constant(0.375), constant(0.5));
            let inverse = (estimate * rest).mul_add(series, estimate);
            [self * inverse, inverse, estimate * constant(0.5)]
        }
        #[inline(always)]
        fn quotient(self, divisor: Self) -> Self {
            let estimate = Self(unsafe { _mm512_rcp14_pd(divisor.0) });
            let rest = divisor.neg_mul_add(estimate, Self::splat(1.0));
            let quotient = self * estimate;
            quotient.mul_add(rest.mul_add(rest, rest), quotient)
        }
    }
}
