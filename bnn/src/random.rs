//! Random numbers by SplitMix64. A seed gives the same numbers on every machine and with every version of every
//! dependency, since results depend on them.

use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of the `index`-th stream of this seed, independent of the others.
    #[must_use]
    pub fn stream(seed: u64, index: u64) -> Self {
        let mut outer = Self::new(seed);
        let mixed = outer.bits() ^ index.wrapping_mul(0xd134_2543_de82_ef95);
        let mut inner = Self::new(mixed);
        Self { state: inner.bits() }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in \[0, 1), uniform.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard Normal number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(TAU * self.uniform())
    }

    /// 0, 1, …, `n` − 1 in random order (Fisher and Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            // The bias of the multiplication is below n / 2⁵³.
            let j = (self.uniform() * (i + 1) as f64) as usize;
            order.swap(i, j);
        }
        order
    }
}
