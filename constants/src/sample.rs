//! Arguments at which rounding errors are measured, the same on every machine.

use crate::format::Format;

/// The number of arguments.
const SIZE: usize = 30_000;

/// 0, tiny numbers, and numbers in \[0, [`Format::FARTHEST`]\], most of them small: there both terms
/// of the recurrence count, and errors are largest. Another seed gives others.
pub(crate) fn arguments<T: Format>(seed: u64) -> Vec<T> {
    let mut generator = Generator(seed);
    let mut out = vec![0.0, 1e-30, 1e-20, 1e-10];
    while out.len() < SIZE {
        out.extend([0.3, 1.0, 4.0, T::FARTHEST].map(|end| end * generator.unit()));
        // Nearly uniform in the logarithm, from 2⁻¹⁴ to 1.
        let binade = 2.0_f64.powi(-1 - (14.0 * generator.unit()) as i32);
        out.push(binade * (1.0 + generator.unit()));
    }
    out.truncate(SIZE);
    out.into_iter().map(T::from_f64).collect()
}

/// Knuth's linear congruential generator (MMIX), of which the upper bits are taken.
struct Generator(u64);

impl Generator {
    /// In \[0, 1).
    fn unit(&mut self) -> f64 {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
