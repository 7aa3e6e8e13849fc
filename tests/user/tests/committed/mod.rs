//! Committed bits: numbers that are the same on every machine, and a hash of what is computed of them.

/// Numbers that are random enough, from integers alone (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014).
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// An integer from `low` to `high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).unsigned_abs()).cast_signed()
    }

    /// A number from 2ᵉ to 2ᵉ⁺¹.
    pub(crate) fn of_size(&mut self, e: i64) -> f64 {
        f64::from_bits(((e + 1023).unsigned_abs() << 52) | (self.bits() >> 12))
    }
}

/// FNV-1a of the bits of numbers.
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    pub(crate) fn numbers<T: gf::Float>(&mut self, numbers: impl IntoIterator<Item = T>) {
        for number in numbers {
            // Rust does not say which NaN an operation gives.
            let number = number.to_f64();
            let number = if number.is_nan() { f64::NAN } else { number };
            for byte in number.to_bits().to_le_bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            }
        }
    }

    /// A line of a table.
    pub(crate) fn line(&self, name: &str) -> String {
        format!("{:016x} {name}\n", self.0)
    }
}
