//! Lanes of two registers of AVX-512 brought together in one: by permutations, which wait for no multiplication.
//!
//! The functions are called where the machine has their instructions.
#![allow(unsafe_code, reason = "intrinsics; each use is covered by the module's documentation")]

use core::arch::x86_64::*;

/// A register whose lanes can be moved.
pub(super) trait Movable: Copy {
    /// A bit for each lane.
    type Mask: Copy;

    /// Where the lanes of two masks go, if one register has room for them.
    unsafe fn moves(first: Self::Mask, second: Self::Mask) -> Option<Moves<Self>>;
    /// In each lane the one that has been chosen for it.
    unsafe fn permute(self, order: __m512i) -> Self;
    /// The same from two registers, from the second one in some lanes.
    unsafe fn join(order: __m512i, from_second: Self::Mask, both: [Self; 2]) -> Self;
}

/// Where lanes go.
pub(super) struct Moves<R: Movable> {
    /// The lane of one of both registers for each lane.
    order: __m512i,
    /// The lanes that come from the second one.
    from_second: R::Mask,
    /// For each lane of either, where it went if it did.
    back: [__m512i; 2],
}

impl<R: Movable> Moves<R> {
    /// The lanes of two registers in one.
    #[inline(always)]
    pub(super) unsafe fn together(&self, both: [R; 2]) -> R {
        unsafe { R::join(self.order, self.from_second, both) }
    }

    /// Back to where they were in both.
    #[inline(always)]
    pub(super) unsafe fn apart(&self, lanes: R) -> [R; 2] {
        unsafe { [lanes.permute(self.back[0]), lanes.permute(self.back[1])] }
    }
}

macro_rules! with_masks {
    ($register:ident $Mask:ident $permute:ident $mask_permute:ident $index:ident) => {
        impl Movable for $register {
            type Mask = $Mask;

            #[inline(always)]
            unsafe fn moves(first: $Mask, second: $Mask) -> Option<Moves<Self>> {
                let count = first.count_ones();
                if count + second.count_ones() > $Mask::BITS {
                    return None;
                }
                unsafe {
                    // Four bits for each lane: its number, of those in the mask one after the other, and back.
                    let spread = |mask: $Mask| _pdep_u64(mask.into(), 0x1111_1111_1111_1111) * 15;
                    let (first, second) = (spread(first), spread(second));
                    let rest = _pext_u64(NUMBERS, second).unbounded_shl(4 * count);
                    let order = $index(_pext_u64(NUMBERS, first) | rest);
                    let back = $index(_pdep_u64(NUMBERS, first));
                    let rest = $index(_pdep_u64(NUMBERS.unbounded_shr(4 * count), second));
                    let from_second = $Mask::MAX.unbounded_shl(count);
                    Some(Moves { order, from_second, back: [back, rest] })
                }
            }
            #[inline(always)]
            unsafe fn permute(self, order: __m512i) -> Self {
                unsafe { $permute(order, self) }
            }
            #[inline(always)]
            unsafe fn join(order: __m512i, from_second: $Mask, [first, second]: [Self; 2]) -> Self {
                unsafe { $mask_permute(first.permute(order), from_second, order, second) }
            }
        }
    };
}

with_masks!(__m512d u8 _mm512_permutexvar_pd _mm512_mask_permutexvar_pd index8);
with_masks!(__m512 u16 _mm512_permutexvar_ps _mm512_mask_permutexvar_ps index16);

/// The numbers of lanes, in four bits each.
const NUMBERS: u64 = 0xFEDC_BA98_7654_3210;

/// Eight numbers from four bits each; instructions that permute read the lowest three bits only.
#[inline(always)]
unsafe fn index8(numbers: u64) -> __m512i {
    unsafe {
        let shifts = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
        _mm512_srlv_epi64(_mm512_set1_epi64(numbers.cast_signed()), shifts)
    }
}

/// Sixteen; of which four are read.
#[inline(always)]
unsafe fn index16(numbers: u64) -> __m512i {
    unsafe {
        let [low, high] = [numbers, numbers >> 32].map(|half| half as i32);
        let both = _mm512_mask_set1_epi32(_mm512_set1_epi32(low), 0xFF00, high);
        let shifts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
        _mm512_srlv_epi32(both, shifts)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::mem::transmute;

    use super::*;

    /// Pairs of masks: all of those of up to eight lanes.
    fn masks(lanes: u32) -> impl Iterator<Item = [u32; 2]> {
        let all = (1 << lanes) - 1;
        (0_u32..1 << 16).map(move |n| match lanes {
            16 => [n.wrapping_mul(0x9E37_79B1) & all, n.wrapping_mul(0x9E37_79B1) >> 16],
            _ => [n & all, n >> 8 & all],
        })
    }

    macro_rules! moves {
        ($test:ident: $register:ident of $lanes:literal $T:ident, $feature:tt, mask $mask:expr) => {
            #[test]
            fn $test() {
                if !std::is_x86_feature_detected!($feature)
                    || !std::is_x86_feature_detected!("bmi2")
                {
                    return;
                }
                let numbers: [[$T; $lanes]; 2] =
                    core::array::from_fn(|r| core::array::from_fn(|i| (100 * r + i) as $T));
                for both in masks($lanes) {
                    let chosen = |r: usize, i: usize| both[r] >> i & 1 == 1;
                    let expected: std::vec::Vec<$T> = (0..2)
                        .flat_map(|r| {
                            (0..$lanes).filter(move |&i| chosen(r, i)).map(move |i| numbers[r][i])
                        })
                        .collect();
                    // The machine has been asked for what is called; arrays are as large as registers.
                    let [a, b]: [$register; 2] = unsafe { transmute(numbers) };
                    let mask: fn(u32) -> <$register as Movable>::Mask = $mask;
                    let moves = unsafe { <$register>::moves(mask(both[0]), mask(both[1])) };
                    assert_eq!(moves.is_some(), expected.len() <= $lanes, "{both:x?}");
                    let Some(moves) = moves else { continue };
                    let together = unsafe { moves.together([a, b]) };
                    let lanes: [$T; $lanes] = unsafe { transmute(together) };
                    assert_eq!(lanes[..expected.len()], expected, "{both:x?}");
                    let apart: [[$T; $lanes]; 2] = unsafe { transmute(moves.apart(together)) };
                    for (r, i) in (0..2).flat_map(|r| (0..$lanes).map(move |i| (r, i))) {
                        assert!(!chosen(r, i) || apart[r][i] == numbers[r][i], "{both:x?}");
                    }
                }
            }
        };
    }

    moves!(eight_doubles: __m512d of 8 f64, "avx512f", mask |bits| bits as u8);
    moves!(sixteen_singles: __m512 of 16 f32, "avx512f", mask |bits| bits as u16);
}
