//! The elements of a block in two parts, where all that differs is whether one piece is narrow.
//!
//! A permutation moves the lanes of each vector to its ends, those with a narrow piece to the back. The vector is stored
//! twice: where the first part ends so far, and where the second part begins, which grows from the end of the block. Neither
//! store overwrites an element of an earlier one that is still wanted.

use core::marker::PhantomData;

use crate::Float;
use crate::kernel::{BoundedPiece, Kernel, Mask};
use crate::lanes::Register;
use crate::order::{Arrangement, BLOCK};

/// The fewest lanes of a register.
const FEWEST: usize = 4;

/// Which elements of a block are in the second part, a bit for each lane of each vector.
pub(crate) struct Partition<V> {
    last: [u16; BLOCK / FEWEST],
    piece: Option<BoundedPiece>,
    registers: PhantomData<V>,
}

/// Where the two parts are in a block that has been divided so far.
struct Ends {
    /// The end of the first one.
    first: usize,
    /// The beginning of the second one.
    last: usize,
}

impl Ends {
    /// Where a vector comes, its first lanes and its last ones.
    #[inline(always)]
    fn step<V: Register>(&mut self, last: u64) -> [usize; 2] {
        let places = [self.first, self.last - V::COUNT];
        let count = last.count_ones() as usize;
        self.first += V::COUNT - count;
        self.last -= count;
        places
    }
}

impl<T: Float, V: Register<Element = T>> Arrangement<T> for Partition<V> {
    #[inline(always)]
    fn new<K: Kernel>(kernel: &K) -> Self {
        const { assert!(FEWEST <= V::COUNT && V::COUNT <= 16 && BLOCK.is_multiple_of(V::COUNT)) }
        Self {
            last: [0; BLOCK / FEWEST],
            piece: kernel.bounded_piece().map(BoundedPiece::new),
            registers: PhantomData,
        }
    }

    #[inline(always)]
    fn sort<K: Kernel>(&mut self, _: &K, gamma: &[T], xi2: &[T]) -> bool {
        let Some(piece) = self.piece else { return false };
        // Often variances are so small that no more need be asked.
        let mut largest = V::splat(V::Scalar::ZERO);
        for xi2 in xi2.chunks_exact(V::COUNT) {
            largest = V::load(xi2).max(largest);
        }
        if !piece.may_be_narrow(largest).any() {
            return false;
        }
        let mut count = 0;
        let inputs = gamma.chunks_exact(V::COUNT).zip(xi2.chunks_exact(V::COUNT));
        for (last, (gamma, xi2)) in self.last.iter_mut().zip(inputs) {
            let bits = piece.is_narrow(V::load(gamma), V::load(xi2)).bits();
            *last = bits as u16;
            count += bits.count_ones() as usize;
        }
        count != 0 && count != gamma.len()
    }

    #[inline(always)]
    fn arrange<const N: usize>(&self, block: &[&[T]; N], sorted: &mut [[T; BLOCK]; N]) {
        let length = block[0].len();
        let mut ends = Ends { first: 0, last: length };
        for (i, last) in self.last[..length / V::COUNT].iter().enumerate() {
            let last = u64::from(*last);
            let mut lanes = [V::splat(V::Scalar::ZERO); N];
            for (lanes, block) in lanes.iter_mut().zip(block) {
                *lanes = V::load(&block[i * V::COUNT..]);
            }
            let places = ends.step::<V>(last);
            for (lanes, sorted) in V::part(last, lanes).iter().zip(&mut *sorted) {
                for place in places {
                    lanes.store(&mut sorted[place..]);
                }
            }
        }
    }

    #[inline(always)]
    fn restore<const N: usize>(&self, sorted: &[[T; BLOCK]; N], block: &mut [&mut [T]; N]) {
        let length = block[0].len();
        let mut ends = Ends { first: 0, last: length };
        for (i, last) in self.last[..length / V::COUNT].iter().enumerate() {
            let last = u64::from(*last);
            let [first_place, last_place] = ends.step::<V>(last);
            let mut parts = [[V::splat(V::Scalar::ZERO); 2]; N];
            for (parts, sorted) in parts.iter_mut().zip(sorted) {
                *parts = [V::load(&sorted[first_place..]), V::load(&sorted[last_place..])];
            }
            for (lanes, block) in V::rejoin(last, parts).iter().zip(&mut *block) {
                lanes.store(&mut block[i * V::COUNT..]);
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;
    use crate::lanes::x86::{F32x8, F64x4};

    /// Of elements numbered from 0, those come first whose number `is_last` denies, and all come back.
    fn divides<V: Register>(length: usize, is_last: impl Fn(usize) -> bool) {
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        let number = |i: usize| V::Element::from_f64(i as f64);
        let numbers: Vec<V::Element> = (0..length).map(number).collect();
        let mut partition = Partition::<V> { last: [0; _], piece: None, registers: PhantomData };
        for i in (0..length).filter(|i| is_last(*i)) {
            partition.last[i / V::COUNT] |= 1 << (i % V::COUNT);
        }
        let mut sorted = [[number(0); BLOCK]; 2];
        partition.arrange(&[&numbers, &numbers], &mut sorted);
        let others = (0..length).filter(|i| !is_last(*i)).count();
        for (place, element) in sorted[0][..length].iter().enumerate() {
            assert_eq!(is_last(element.to_f64() as usize), place >= others, "{element} at {place}");
        }
        let mut back = [numbers.clone(), numbers.clone()];
        back.iter_mut().for_each(|slice| slice.fill(number(0)));
        let [first, second] = &mut back;
        partition.restore(&sorted, &mut [first, second]);
        assert!(back.iter().all(|slice| *slice == numbers), "of {length}");
    }

    fn divides_all<V: Register>() {
        for length in [V::COUNT, 2 * V::COUNT, 3 * V::COUNT, BLOCK - V::COUNT, BLOCK] {
            divides::<V>(length, |_| false);
            divides::<V>(length, |_| true);
            divides::<V>(length, |i| i % 2 == 1);
            divides::<V>(length, |i| i < length / 2);
            // A generator of Lehmer's, its upper digits.
            divides::<V>(length, |i| (48_271 * (i + 1) % 2_147_483_647) % 7 < 3);
        }
    }

    #[test]
    fn blocks_of_doubles_are_divided() {
        divides_all::<F64x4>();
    }

    #[test]
    fn blocks_of_singles_are_divided() {
        divides_all::<F32x8>();
    }
}
