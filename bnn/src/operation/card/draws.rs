//! Standard Normal numbers that are drawn on a card.
//!
//! Philox (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011) is a function of a key and of a counter. An
//! invocation takes the four words of its counter to four Normal numbers by Box and Muller. So the draws depend on the key and
//! on nothing else; their last digits are those of the card's logarithm and cosine.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use burn::backend::Cube;
use burn::tensor::Tensor;
use burn_cubecl::tensor::CubeTensor;
use cubecl::calculate_cube_count_elemwise;
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::LinearViewMut;

use super::{beside, is_on_card, plain};

/// Standard Normal numbers of a key, written over a tensor that nothing else has a part in; `None` if it is not on a card in
/// single precision.
pub(crate) fn normals<const D: usize>(
    place: Tensor<D>,
    key: impl FnOnce() -> u64,
) -> Option<Tensor<D>> {
    if !is_on_card(&place) {
        return None;
    }
    let memory = plain(&place.clone().inner().try_into_primitive::<Cube>().ok()?);
    draw(memory.clone(), key());
    Some(beside(memory, &place))
}

fn draw(out: CubeTensor, key: u64) {
    let (client, groups) = (out.client.clone(), out.meta.num_elements().div_ceil(4));
    let dim = CubeDim::new(&client, groups);
    let count = calculate_cube_count_elemwise(&client, groups, dim);
    let (first, second) = (key as u32, (key >> 32) as u32);
    standard_normals::launch(&client, count, dim, out.into_linear_view(), first, second);
}

#[cube(launch)]
fn standard_normals(mut out: LinearViewMut<'_, f32>, first_key: u32, second_key: u32) {
    let at = ABSOLUTE_POS * 4;
    if out.is_in_bounds(at) {
        let mut a = ABSOLUTE_POS as u32;
        let mut b = 0u32;
        let mut c = 0u32;
        let mut d = 0u32;
        let mut k = first_key;
        let mut l = second_key;
        // Multipliers, increments and the ten rounds are those of the paper's Philox4x32-10.
        for _ in 0..10u32 {
            let low = a * 0xD251_1F53u32;
            let high = u32::mul_hi(a, 0xD251_1F53u32);
            let other_low = c * 0xCD9E_8D57u32;
            let other_high = u32::mul_hi(c, 0xCD9E_8D57u32);
            a = other_high ^ b ^ k;
            b = other_low;
            c = high ^ d ^ l;
            d = low;
            k += 0x9E37_79B9u32;
            l += 0xBB67_AE85u32;
        }
        out.write(at, radius(a) * f32::cos(angle(b)));
        if out.is_in_bounds(at + 1) {
            out.write(at + 1, radius(a) * f32::sin(angle(b)));
        }
        if out.is_in_bounds(at + 2) {
            out.write(at + 2, radius(c) * f32::cos(angle(d)));
        }
        if out.is_in_bounds(at + 3) {
            out.write(at + 3, radius(c) * f32::sin(angle(d)));
        }
    }
}

/// √(−2 ln u) for u = (a + ½)/2³², of which no logarithm is one of 0.
#[cube]
fn radius(a: u32) -> f32 {
    let unit = (f32::cast_from(a) + 0.5f32) * 2.328_306_4e-10f32;
    // The largest words round to u = 1, whose logarithm may come out above 0.
    f32::sqrt(max(-2.0f32 * f32::ln(unit), 0.0f32))
}

/// An angle between −π and π, by the upper 24 bits.
#[cube]
fn angle(b: u32) -> f32 {
    (f32::cast_from(b >> 8u32) - 8_388_607.5f32) * 3.745_070_3e-7f32
}
