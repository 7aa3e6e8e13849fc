//! The elements of a block in the order of their regimes.
//!
//! A vector computes all that any of its lanes needs. Where inputs are mixed, that is nearly all of a
//! kernel. Lanes of one regime side by side need one part of it.

use crate::Float;
use crate::kernel::{Kernel, Lanes, Mask};

/// The most elements of a block: its inputs and results stay in the first cache.
pub(crate) const BLOCK: usize = 512;

/// Where the bits of a byte are set, the lowest first.
static PLACES: [[u16; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < places.len() {
        let (mut count, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                places[byte][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

/// The places of the elements of a block, for any number of regimes.
pub(crate) struct Order<V: Lanes> {
    /// The index of the element at each place, with room for the places of one more byte.
    places: [u16; BLOCK + 8],
    /// The place of each element.
    ranks: [u16; BLOCK],
    /// The regime of each element.
    regimes: [V::Element; BLOCK],
}

impl<T: Float, V: Lanes<Element = T>> Order<V> {
    /// The order of a block without elements.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { places: [0; BLOCK + 8], ranks: [0; BLOCK], regimes: [T::ZERO; BLOCK] }
    }

    /// Puts a block of γ and ξ², a number of whole vectors, into the order of its regimes; false if it is in order
    /// already.
    #[inline(always)]
    pub(crate) fn sort<K: Kernel>(&mut self, kernel: &K, gamma: &[T], xi2: &[T]) -> bool {
        if kernel.regimes() == 1 {
            return false;
        }
        let regimes = &mut self.regimes[..gamma.len()];
        let inputs = gamma.chunks_exact(V::COUNT).zip(xi2.chunks_exact(V::COUNT));
        for (regimes, (gamma, xi2)) in regimes.chunks_exact_mut(V::COUNT).zip(inputs) {
            kernel.regime(V::load(gamma), V::load(xi2)).store(regimes);
        }
        let mut count = 0;
        for regime in 0..kernel.regimes() {
            let regime = V::splat(V::Scalar::from_f64(regime as f64));
            for (i, lanes) in regimes.chunks_exact(V::COUNT).enumerate() {
                let bits = V::load(lanes).equals(regime).bits();
                for first in (0..V::COUNT).step_by(8) {
                    let byte = (bits >> first) as u8;
                    let shift = (i * V::COUNT + first) as u16;
                    let to = &mut self.places[count..count + 8];
                    // Eight places are written whatever the bits are, and the next byte goes on after those that count: no bit has a branch.
                    for (to, place) in to.iter_mut().zip(PLACES[usize::from(byte)]) {
                        *to = place + shift;
                    }
                    count += byte.count_ones() as usize;
                }
            }
        }
        for (rank, place) in self.places[..count].iter().enumerate() {
            // With the remainder the compiler sees that the index is one.
            self.ranks[usize::from(*place) % BLOCK] = rank as u16;
        }
        true
    }

    /// The elements of a block in this order; anything after the last one.
    #[inline(always)]
    pub(crate) fn arrange<const N: usize>(&self, block: &[&[T]; N], sorted: &mut [[T; BLOCK]; N]) {
        for (block, sorted) in block.iter().zip(sorted) {
            // Only the last block of a slice is shorter: others are not copied.
            let filled_up;
            let block = match (*block).try_into() {
                Ok(block) => block,
                Err(_) => {
                    filled_up = fill_up(block);
                    &filled_up
                }
            };
            take(&self.places[..BLOCK], block, sorted);
        }
    }

    /// The elements in this order, back to where they were.
    #[inline(always)]
    pub(crate) fn restore<const N: usize>(
        &self,
        sorted: &[[T; BLOCK]; N],
        block: &mut [&mut [T]; N],
    ) {
        for (sorted, block) in sorted.iter().zip(block) {
            take(&self.ranks, sorted, block);
        }
    }
}

/// A block with zeros after its end.
fn fill_up<T: Float>(block: &[T]) -> [T; BLOCK] {
    let mut filled_up = [T::ZERO; BLOCK];
    filled_up[..block.len()].copy_from_slice(block);
    filled_up
}

/// Each from its place, of which the compiler knows that it is one. What is written comes one after the other:
/// memory may be far away.
#[inline(always)]
fn take<T: Float>(places: &[u16], from: &[T; BLOCK], to: &mut [T]) {
    for (to, place) in to.iter_mut().zip(places) {
        *to = from[usize::from(*place) % BLOCK];
    }
}
