//! The nodes of a quadrant in the vectors of the machine.

use super::quadrant::Quadrant;
use crate::Float;
use crate::lanes::Lanes;
use crate::lanes::dispatch::{Task, Vectors};

/// How many sums vectors take at once; more are for single numbers.
pub(super) const SUMS: usize = 20;
/// No vector has more numbers.
pub(super) const WIDEST: usize = 8;

impl Quadrant {
    /// The [`Summation`](super::quadrant::Summation) that computes many nodes side by side.
    pub(super) fn in_vectors(&self, top: [usize; 2], into: &mut [f64]) {
        match top[0] + top[1] + 2 {
            0..=3 if into.len() <= SUMS => f64::dispatch(Nodes::<3> { quadrant: self, top, into }),
            4..=5 if into.len() <= SUMS => f64::dispatch(Nodes::<5> { quadrant: self, top, into }),
            6..=9 if into.len() <= SUMS => f64::dispatch(Nodes::<9> { quadrant: self, top, into }),
            _ => self.one_by_one(top, into),
        }
    }
}

struct Nodes<'a, const N: usize> {
    quadrant: &'a Quadrant,
    top: [usize; 2],
    into: &'a mut [f64],
}

impl<const N: usize> Task<f64> for Nodes<'_, N> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        let mut sums = [V::splat(V::Scalar::from_f64(0.0)); SUMS];
        self.quadrant.add_nodes::<V, N>(self.top, &mut sums);
        for (into, sum) in self.into.iter_mut().zip(sums) {
            let mut lanes = [0.0; WIDEST];
            sum.store(&mut lanes);
            *into = lanes[..V::COUNT].iter().sum();
        }
    }

    fn run_one_by_one(self) {
        self.quadrant.add_nodes::<f64, N>(self.top, self.into);
    }
}
