//! The integral of the softmax on a card, in single precision: an invocation for each row of logits and each node of a panel.
//!
//! Method and formulas are those of the processor (`mod.rs`), with the same panels, nodes and table. Six of the table's angles are
//! interpolated instead of eight. Beyond the table Y goes on along its tangent: E is below 2e-9 there.
//! Expectations have an error of some 1e-6, and logits are taken less the largest mean.
//!
//! The invocations of a row pass through the same panels, each at its own node, and add up what they have at the end.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use burn::backend::Cube;
use burn::tensor::{DType, Tensor, TensorData};
use burn_cubecl::tensor::CubeTensor;
use cubecl::calculate_cube_count_elemwise;
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::{LinearView, LinearViewMut};

use super::table::{ANGLES, CELLS, HALF, TERMS, slices};
use super::{LEFT, NODES, REACH, RIGHT, RULE, WIDTH};
use crate::operation::card::{beside, empty, is_finite, is_on_card, plain};

/// The most logits of a row, which an invocation holds in memory of its own.
const MOST: usize = 64;
/// How many rows a cube of invocations has.
const ROWS: usize = 8;
/// How many angles are interpolated.
const STENCIL: usize = 6;
/// Where the nodes and the weights of the rule stand behind the table.
const NODES_FROM: usize = (ANGLES + 1) * CELLS * TERMS;

/// Σ_k y_k E log softmax_k of each row, of shape \[n, 1\], and its derivatives in means and variances.
pub(in super::super) struct OnCard {
    pub(in super::super) value: Tensor<2>,
    pub(in super::super) d_mean: Tensor<2>,
    pub(in super::super) d_variance: Tensor<2>,
}

impl OnCard {
    /// Of logits on a card in single precision, outside of any graph; `None` elsewhere, and for many classes.
    pub(in super::super) fn of(
        mean: &Tensor<2>,
        variance: &Tensor<2>,
        y: &Tensor<2>,
    ) -> Option<Self> {
        let [rows, classes] = mean.dims();
        if rows == 0 || classes > MOST || ![mean, variance, y].into_iter().all(is_on_card) {
            return None;
        }
        let of = mean;
        let inputs = [mean, variance, y].map(|tensor| tensor.clone().inner());
        let device = inputs[0].device();
        let table = Tensor::<1>::from_data(TensorData::from(numbers()), (&device, DType::F32));
        let table = plain(&table.try_into_primitive::<Cube>().ok()?);
        let inputs = inputs.map(|tensor| tensor.try_into_primitive::<Cube>());
        let [Ok(mean), Ok(variance), Ok(y)] = inputs else { return None };
        let [mean, variance, y] = [mean, variance, y].map(|tensor| plain(&tensor));
        let outputs = [1, classes, classes].map(|columns| empty(&mean, [rows, columns].into()));
        launch([mean, variance, y, table], outputs.clone(), rows, classes);
        let [value, d_mean, d_variance] = outputs.map(|tensor| beside(tensor, of));
        Some(Self { value, d_mean, d_variance })
    }
}

/// The table by angle, cell and power, then the nodes and the weights of the rule.
fn numbers() -> &'static [f32] {
    static NUMBERS: std::sync::OnceLock<Vec<f32>> = std::sync::OnceLock::new();
    NUMBERS.get_or_init(|| {
        let table = slices().flatten().flatten();
        let both = RULE.iter().flat_map(|(node, _)| [-node, *node]);
        let weights = RULE.iter().flat_map(|(_, weight)| [*weight; 2]);
        table.copied().chain(both).chain(weights).map(|number| number as f32).collect()
    })
}

fn launch(inputs: [CubeTensor; 4], outputs: [CubeTensor; 3], rows: usize, classes: usize) {
    let client = inputs[0].client.clone();
    let dim = CubeDim::new_1d((ROWS * NODES) as u32);
    let count = calculate_cube_count_elemwise(&client, rows * NODES, dim);
    let [mean, variance, y, table] = inputs.map(CubeTensor::into_linear_view);
    let [value, d_mean, d_variance] = outputs.map(CubeTensor::into_linear_view);
    expected::launch(
        &client, count, dim, mean, variance, y, table, value, d_mean, d_variance, classes,
    );
}

#[cube(launch)]
fn expected(
    mean: LinearView<'_, f32>,
    variance: LinearView<'_, f32>,
    y: LinearView<'_, f32>,
    table: LinearView<'_, f32>,
    mut value: LinearViewMut<'_, f32>,
    mut d_mean: LinearViewMut<'_, f32>,
    mut d_variance: LinearViewMut<'_, f32>,
    #[comptime] classes: usize,
) {
    let node = ABSOLUTE_POS % NODES;
    // Invocations behind the last row repeat the first: all of a cube meet where parts are added.
    let is_row = value.is_in_bounds(ABSOLUTE_POS / NODES);
    let row = select(is_row, ABSOLUTE_POS / NODES, 0usize);
    let start = row * classes;
    let mut middles = Array::<f32>::new(classes);
    let mut scales = Array::<f32>::new(classes);
    let mut stencils = Array::<f32>::new(comptime!(classes * STENCIL));
    let mut angles = Array::<f32>::new(classes);
    let mut rates = Array::<f32>::new(classes);
    // E log softmax of the largest, then E softmax_k, then E softmax_k (1 − softmax_k): the part of this node.
    let mut parts = Array::<f32>::new(comptime!(1 + 2 * classes));

    let mut top = mean.read(start);
    let mut largest = 0usize;
    let mut wrong = 0.0f32;
    for j in 0..classes {
        let (m, v) = (mean.read(start + j), variance.read(start + j));
        // A NaN loses every comparison below and would leave no trace.
        wrong += select(is_finite(m) & is_finite(v), 0.0f32, 1.0f32);
        if m > top {
            top = m;
            largest = j;
        }
    }
    let mut low = 0.0f32;
    let mut high = 0.0f32;
    parts[0] = 0.0f32;
    for j in 0..classes {
        let v = max(variance.read(start + j), 0.0f32);
        let middle = mean.read(start + j) - top;
        middles[j] = middle;
        scales[j] = f32::sqrt(1.0f32 + v);
        parts[1 + j] = 0.0f32;
        parts[1 + classes + j] = 0.0f32;
        high = max(high, middle + comptime!(RIGHT as f32) + min(0.5f32 * v, 7.2f32 * f32::sqrt(v)));
        if j == largest {
            low = -f32::sqrt(comptime!((LEFT * LEFT) as f32) + 73.96f32 * v);
        }
        let place = angle(f32::sqrt(v)) * comptime!(std::f32::consts::FRAC_2_PI * ANGLES as f32);
        let first = min(
            f32::floor(place) - comptime!((STENCIL / 2 - 1) as f32),
            comptime!((ANGLES + 1 - STENCIL) as f32),
        );
        angles[j] = first;
        for i in 0..STENCIL {
            let mut weight = 1.0f32;
            for k in 0..STENCIL {
                if k != i {
                    weight *= (place - (first + f32::cast_from(k)))
                        / (f32::cast_from(i) - f32::cast_from(k));
                }
            }
            stencils[j * STENCIL + i] = weight;
        }
    }
    let at = table.read(NODES_FROM + node);
    let share = table.read(NODES_FROM + NODES + node);
    let mut t = low;
    while t < high {
        let wide = sharpest(&middles, &scales, t, classes) * comptime!(WIDTH as f32);
        let next = sharpest(&middles, &scales, t + wide, classes) * comptime!(WIDTH as f32);
        // A width below the rounding of t would leave t where it is, and the loop would not end.
        let width = max(min(min(wide, next), high - t), 1e-6f32 * f32::abs(t));
        // The panel that the next one meets.
        let end = t + width;
        let half = 0.5f32 * (end - t);
        let place = t + half + half * at;
        let mut own = 0.0f32;
        let mut others = 0.0f32;
        let mut rate = 0.0f32;
        for j in 0..classes {
            let u = max((place - middles[j]) / scales[j] + 9.0f32, 0.0f32);
            let cell = min(f32::floor(u), comptime!((CELLS - 1) as f32));
            let beyond = max(u - comptime!(CELLS as f32), 0.0f32);
            let r = min(2.0f32 * (u - cell) - 1.0f32, 1.0f32);
            let mut sums = Array::<f32>::new(TERMS);
            #[unroll]
            for power in 0..TERMS {
                sums[power] = 0.0f32;
            }
            for k in 0..STENCIL {
                let weight = stencils[j * STENCIL + k];
                // Y is an even function of the standard deviation, so that angles go on below 0.
                let slice = usize::cast_from(f32::abs(angles[j] + f32::cast_from(k))) * CELLS;
                let from = (slice + usize::cast_from(cell)) * TERMS;
                #[unroll]
                for power in 0..TERMS {
                    sums[power] += weight * table.read(from + power);
                }
            }
            let mut sum = 0.0f32;
            let mut slope = 0.0f32;
            #[unroll]
            for term in 0..TERMS {
                slope = slope * r + sum;
                sum = sum * r + sums[comptime!(TERMS - 1) - term];
            }
            let e = f32::exp(-(sum + 2.0f32 * slope * beyond));
            if j == largest {
                own = e;
            } else {
                others += e;
            }
            let of_class = e * (2.0f32 * slope / scales[j]);
            rates[j] = of_class;
            rate += of_class;
        }
        let weight = half * share * f32::exp(-own);
        parts[0] -= weight * less_than_one(others);
        let weight = weight * f32::exp(-others);
        for j in 0..classes {
            let of_class = weight * rates[j];
            parts[1 + j] += of_class;
            parts[1 + classes + j] += of_class * max(rate - rates[j], 0.0f32);
        }
        t = end;
    }

    let in_cube = usize::cast_from(UNIT_POS);
    let first = in_cube - node;
    let from = (in_cube / NODES) * comptime!(1 + 2 * classes);
    let mut shared = Shared::<[f32]>::new_slice(comptime!(ROWS * NODES));
    let mut sums = Shared::<[f32]>::new_slice(comptime!(ROWS * (1 + 2 * classes)));
    for part in 0..comptime!(1 + 2 * classes) {
        // Two barriers: all have written before one adds, and it has added before others write.
        shared[in_cube] = parts[part];
        sync_cube();
        // One invocation adds a part, in the order of the nodes, so that bits do not vary.
        if node == part % NODES {
            let mut sum = 0.0f32;
            for i in 0..NODES {
                sum += shared[first + i];
            }
            sums[from + part] = sum;
        }
        sync_cube();
    }

    let nan = f32::reinterpret(u32::reinterpret(wrong) | 0x7fc0_0000u32);
    let mut total = 0.0f32;
    let mut sum = 0.0f32;
    for j in 0..classes {
        let y = y.read(start + j);
        total += y;
        sum += y * (middles[j] + sums[from]);
    }
    if is_row {
        if node == 0 {
            value.write(row, select(wrong > 0.0f32, nan, sum));
        }
        let mut j = node;
        while j < classes {
            // y − Σy · p, of terms that keep the digits of 1 − p.
            let mut others = 0.0f32;
            for k in 0..classes {
                if k != j {
                    others += sums[from + 1 + k];
                }
            }
            let y = y.read(start + j);
            let by_mean = y * others - (total - y) * sums[from + 1 + j];
            d_mean.write(start + j, select(wrong > 0.0f32, nan, by_mean));
            let by_variance = -0.5f32 * total * sums[from + 1 + classes + j];
            d_variance.write(start + j, select(wrong > 0.0f32, nan, by_variance));
            j += NODES;
        }
    }
}

/// The scale over which the sharpest of the functions changes at `t`.
#[cube]
fn sharpest(middles: &Array<f32>, scales: &Array<f32>, t: f32, #[comptime] classes: usize) -> f32 {
    let mut least = 3.0e38f32;
    for j in 0..classes {
        let far = (t - middles[j]) * comptime!((1.0 / REACH) as f32);
        least = min(least, f32::sqrt(scales[j] * scales[j] + far * far));
    }
    least
}

/// The arc tangent of s/[`HALF`], by three halvings of the angle and its series; a card's own may be thousands of units wrong.
#[cube]
fn angle(s: f32) -> f32 {
    let mut z = s * comptime!((1.0 / HALF) as f32);
    let is_large = z > 1.0f32;
    z = select(is_large, 1.0f32 / z, z);
    z = z / (1.0f32 + f32::sqrt(1.0f32 + z * z));
    z = z / (1.0f32 + f32::sqrt(1.0f32 + z * z));
    let square = z * z;
    let series = 1.0f32
        - square
            * (1.0f32 / 3.0f32 - square * (0.2f32 - square * (1.0f32 / 7.0f32 - square / 9.0f32)));
    let angle = 4.0f32 * z * series;
    select(is_large, comptime!(std::f32::consts::FRAC_PI_2) - angle, angle)
}

/// 1 − e⁻ˣ for x ≥ 0.
#[cube]
fn less_than_one(x: f32) -> f32 {
    let near = x * (1.0f32 - x * (0.5f32 - x * (1.0f32 / 6.0f32 - x / 24.0f32)));
    select(x < 0.03f32, near, 1.0f32 - f32::exp(-x))
}
