//! Lanes of a register of AVX2 moved to its ends and back.
//!
//! The functions are called where the machine has their instructions.
#![allow(unsafe_code, reason = "intrinsics; each use is covered by the module's documentation")]

use core::arch::x86_64::*;

/// A register whose lanes can be moved to its ends.
pub(super) trait Divisible: Copy {
    /// Which lanes come one after the other if those whose bits are set come last.
    unsafe fn order(last: u64) -> __m256i;
    /// Where each lane comes then.
    unsafe fn places(last: u64) -> __m256i;
    /// In each lane the one that has been chosen for it.
    unsafe fn permute(self, order: __m256i) -> Self;
    /// The first lanes of one, as many as bits are not set, and the last ones of the other.
    unsafe fn join(last: u64, parts: [Self; 2]) -> Self;
}

impl Divisible for __m256 {
    /// By tables: to spread bits takes very long on some machines without AVX-512.
    #[inline(always)]
    unsafe fn order(last: u64) -> __m256i {
        unsafe { bytes(ORDERS[last as usize % ORDERS.len()]) }
    }
    #[inline(always)]
    unsafe fn places(last: u64) -> __m256i {
        unsafe { bytes(PLACES[last as usize % PLACES.len()]) }
    }
    #[inline(always)]
    unsafe fn permute(self, order: __m256i) -> Self {
        unsafe { _mm256_permutevar8x32_ps(self, order) }
    }
    #[inline(always)]
    unsafe fn join(last: u64, [first, rest]: [Self; 2]) -> Self {
        unsafe {
            let from_rest =
                _mm256_loadu_ps(LAST[last.count_ones() as usize % LAST.len()].as_ptr().cast());
            _mm256_blendv_ps(first, rest, from_rest)
        }
    }
}

/// As twice as many of half the bits.
impl Divisible for __m256d {
    #[inline(always)]
    unsafe fn order(last: u64) -> __m256i {
        unsafe { __m256::order(double(last)) }
    }
    #[inline(always)]
    unsafe fn places(last: u64) -> __m256i {
        unsafe { __m256::places(double(last)) }
    }
    #[inline(always)]
    unsafe fn permute(self, order: __m256i) -> Self {
        unsafe { _mm256_castps_pd(_mm256_castpd_ps(self).permute(order)) }
    }
    #[inline(always)]
    unsafe fn join(last: u64, [first, rest]: [Self; 2]) -> Self {
        unsafe {
            let halves = [_mm256_castpd_ps(first), _mm256_castpd_ps(rest)];
            _mm256_castps_pd(Divisible::join(double(last), halves))
        }
    }
}

/// Which lanes come one after the other for the bits of a byte, a byte each.
static ORDERS: [u64; 256] = tables()[0];
/// Where each lane comes, likewise.
static PLACES: [u64; 256] = tables()[1];

const fn tables() -> [[u64; 256]; 2] {
    let [mut orders, mut places] = [[0; 256]; 2];
    let mut byte = 0_usize;
    while byte < 256 {
        let mut ranks = [0, 8 - byte.count_ones() as u64];
        let mut lane = 0;
        while lane < 8 {
            let rank = &mut ranks[byte >> lane & 1];
            orders[byte] |= lane << (8 * *rank);
            places[byte] |= *rank << (8 * lane);
            *rank += 1;
            lane += 1;
        }
        byte += 1;
    }
    [orders, places]
}

/// All bits in as many of the last of eight lanes; for up to eight of them.
static LAST: [[i32; 8]; 16] = {
    let mut masks = [[0; 8]; 16];
    let mut count = 0;
    while count <= 8 {
        let mut lane = 8 - count;
        while lane < 8 {
            masks[count][lane] = -1;
            lane += 1;
        }
        count += 1;
    }
    masks
};

/// A number for each of eight lanes from a byte each.
#[inline(always)]
unsafe fn bytes(numbers: u64) -> __m256i {
    unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(numbers.cast_signed())) }
}

/// Each of four bits twice.
#[inline(always)]
fn double(bits: u64) -> u64 {
    const DOUBLE: [u8; 16] = {
        let mut double = [0; 16];
        let mut bits = 0_usize;
        while bits < 16 {
            let mut lane = 0;
            while lane < 4 {
                double[bits] |= ((bits >> lane & 1) as u8 * 3) << (2 * lane);
                lane += 1;
            }
            bits += 1;
        }
        double
    };
    DOUBLE[bits as usize % DOUBLE.len()].into()
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::mem::transmute;

    use super::*;

    macro_rules! moves {
        ($test:ident: $register:ident of $lanes:literal $T:ident) => {
            #[test]
            fn $test() {
                if !std::is_x86_feature_detected!("avx2") {
                    return;
                }
                let numbers: [$T; $lanes] = core::array::from_fn(|i| i as $T);
                for bits in 0_u64..1 << $lanes {
                    let is_last = |i: &usize| bits >> i & 1 == 1;
                    let mut expected = numbers;
                    let others = (0..$lanes).filter(|i| !is_last(i));
                    for (to, i) in
                        expected.iter_mut().zip(others.chain((0..$lanes).filter(is_last)))
                    {
                        *to = numbers[i];
                    }
                    let count = bits.count_zeros() as usize + $lanes - 64;
                    let joined: [$T; $lanes] =
                        core::array::from_fn(|i| if i < count { i as $T } else { -(i as $T) });
                    // The machine has been asked for what is called; arrays are as large as registers.
                    let results: [[$T; $lanes]; 3] = unsafe {
                        let lanes: $register = transmute(numbers);
                        let negative: $register = transmute(numbers.map(|number| -number));
                        let moved = lanes.permute(<$register>::order(bits));
                        let back = moved.permute(<$register>::places(bits));
                        transmute([moved, back, <$register>::join(bits, [lanes, negative])])
                    };
                    assert_eq!(results, [expected, numbers, joined], "{bits:x}");
                }
            }
        };
    }

    moves!(four_doubles: __m256d of 4 f64);
    moves!(eight_singles: __m256 of 8 f32);
}
