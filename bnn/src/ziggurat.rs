//! Standard Normal numbers for samples of a step, a few operations each, by the ziggurat method (Marsaglia and Tsang, "The
//! Ziggurat Method for Generating Random Variables", 2000; with independent bits for layer and place as in Doornik, "An Improved
//! Ziggurat Method to Generate Normal Random Samples", 2005).
//!
//! The area below f(x) = e^(−x²/2) is covered by layers of one area: rectangles up to f, and one at the base with the tail beyond
//! R. A draw takes a layer and a place on it. What lies below f on the whole height of its layer, 98.5 % of all, is the draw. Else
//! a height is drawn too, or a place in the tail. The numbers are exact but for rounding: 53 bits on each layer.

use std::array;
use std::sync::LazyLock;

use crate::random::Random;
use crate::standard_normal::normal_cdf;

/// The number of layers.
const LAYERS: usize = 256;
/// Where the tail begins: the only place for which the highest of the layers ends at f(0) = 1.
const R: f64 = 3.654_152_885_361_009;

static ZIGGURAT: LazyLock<Ziggurat> = LazyLock::new(Ziggurat::new);

/// Fills a list with standard Normal numbers.
pub(crate) fn fill(random: &mut Random, list: &mut [f64]) {
    let ziggurat = &*ZIGGURAT;
    for number in list {
        *number = ziggurat.draw(random);
    }
}

/// The layers, from the base to the top.
struct Ziggurat {
    /// The length of each layer, down to 0 beyond the last one. That of the base is its area by its height.
    lengths: [f64; LAYERS + 1],
    /// f at these lengths: the lower end of a layer, but for the base.
    heights: [f64; LAYERS + 1],
}

impl Ziggurat {
    fn new() -> Self {
        let tail = (2.0 * std::f64::consts::PI).sqrt() * normal_cdf(-R);
        let area = R * density(R) + tail;
        let mut lengths = [0.0; LAYERS + 1];
        // The tail is part of the base's area: a place beyond R stands for the tail.
        (lengths[0], lengths[1]) = (area / density(R), R);
        // The last length stays 0, so that every draw of the highest layer is compared with f.
        for i in 2..LAYERS {
            let height = density(lengths[i - 1]) + area / lengths[i - 1];
            lengths[i] = (-2.0 * libm::log(height)).sqrt();
        }
        Self { lengths, heights: array::from_fn(|i| density(lengths[i])) }
    }

    fn draw(&self, random: &mut Random) -> f64 {
        loop {
            let bits = random.bits();
            let layer = bits as usize % LAYERS;
            // From −1 to 1, by bits that the layer has not.
            let place = (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            let x = place * self.lengths[layer];
            if x.abs() < self.lengths[layer + 1] {
                return x;
            }
            if layer == 0 {
                return beyond(random).copysign(x);
            }
            let [low, high] = [self.heights[layer], self.heights[layer + 1]];
            if low + (high - low) * random.uniform() < density(x) {
                return x;
            }
        }
    }
}

/// f(x).
fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// A number of the tail beyond R (Marsaglia, "Generating a Variable from the Tail of the Normal Distribution", 1964).
fn beyond(random: &mut Random) -> f64 {
    loop {
        let [x, y] = [R, 1.0].map(|rate| -libm::log(1.0 - random.uniform()) / rate);
        if 2.0 * y > x * x {
            return R + x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LAYERS, R, Ziggurat, fill};
    use crate::random::Random;
    use crate::standard_normal::normal_cdf;

    #[test]
    fn layers_have_one_area_and_end_at_the_top() {
        let Ziggurat { lengths, heights } = Ziggurat::new();
        let area = lengths[0] * heights[1];
        for i in 1..LAYERS {
            let layer = lengths[i] * (heights[i + 1] - heights[i]);
            assert!((layer / area - 1.0).abs() < 1e-9, "layer {i}: {layer:e}, not {area:e}");
        }
    }

    /// Shares of draws up to places inside of layers, at R and in the tail, each within five of its standard deviations.
    #[test]
    fn draws_are_standard_normal() {
        const COUNT: usize = 4_000_000;
        let mut draws = vec![0.0; COUNT];
        fill(&mut Random::new(7), &mut draws);
        for place in [0.05, 0.3, 1.0, 1.9, 2.8, 3.5, R, 3.8, 4.3] {
            for x in [-place, place] {
                let expected = normal_cdf(x);
                let share = draws.iter().filter(|d| **d < x).count() as f64 / COUNT as f64;
                let deviation = (expected * (1.0 - expected) / COUNT as f64).sqrt();
                let z = (share - expected) / deviation;
                assert!(z.abs() < 5.0, "below {x}: {share}, not {expected} ({z} deviations)");
            }
        }
        let moment = |n: i32| draws.iter().map(|d| d.powi(n)).sum::<f64>() / COUNT as f64;
        for (n, expected, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let z = (moment(n) - expected) / (variance / COUNT as f64).sqrt();
            assert!(z.abs() < 5.0, "moment {n}: {} ({z} deviations)", moment(n));
        }
    }
}
