//! The kernels of a step. An element of a tensor is an invocation.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use burn_cubecl::tensor::CubeTensor;
use cubecl::calculate_cube_count_elemwise;
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::{LinearView, LinearViewMut};

use super::super::slices::MomentRule;
use super::Call;
use super::walk::{Numbers, evaluate, is_number, is_valid, not_a_number};
use crate::programs::Program;

/// Writes the results of a step: all means, then all variances.
pub(super) fn forward(call: &Call, [gamma, xi2]: [CubeTensor; 2], out: CubeTensor) {
    let (client, (count, dim)) = (gamma.client.clone(), grid(&gamma));
    let program = match call.step {
        MomentRule::Moments => &call.programs.moments,
        _ => &call.programs.slopes,
    };
    let numbers = numbers(program, &gamma).map(CubeTensor::into_linear_view).into();
    let (x, out, program) = (gamma.into_linear_view(), out.into_linear_view(), program.clone());
    if call.step == MomentRule::Values {
        return values::launch(&client, count, dim, x, out, numbers, program);
    }
    let v = xi2.into_linear_view();
    if call.step == MomentRule::Moments {
        moments::launch(&client, count, dim, x, v, out, numbers, program);
    } else {
        linearised::launch(&client, count, dim, x, v, out, numbers, program);
    }
}

/// Writes the cotangents of γ and ξ², given that of the results. The second is not written if ξ² is not read.
pub(super) fn backward(
    call: &Call,
    [gamma, xi2]: [CubeTensor; 2],
    cotangent: CubeTensor,
    [d_gamma, d_xi2]: [CubeTensor; 2],
) {
    let (client, (count, dim)) = (gamma.client.clone(), grid(&gamma));
    let program = match call.step {
        MomentRule::Moments => &call.programs.gradients,
        _ => &call.programs.slopes,
    };
    let numbers = numbers(program, &gamma).map(CubeTensor::into_linear_view).into();
    let [x, y, d_gamma] = [gamma, cotangent, d_gamma].map(CubeTensor::into_linear_view);
    let program = program.clone();
    if call.step == MomentRule::Values {
        return values_back::launch(&client, count, dim, x, y, d_gamma, numbers, program);
    }
    let [v, d_xi2] = [xi2, d_xi2].map(CubeTensor::into_linear_view);
    if call.step == MomentRule::Moments {
        moments_back::launch(&client, count, dim, x, v, y, d_gamma, d_xi2, numbers, program);
    } else {
        linearised_back::launch(&client, count, dim, x, v, y, d_gamma, d_xi2, numbers, program);
    }
}

/// The numbers that the loops of a program read, on the card of a tensor; `None` if there are no loops.
fn numbers(program: &Program, beside: &CubeTensor) -> Option<CubeTensor> {
    let numbers = &program.contents().numbers;
    if numbers.is_empty() {
        return None;
    }
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let handle = beside.client.create_from_slice(&bytes);
    let (client, device) = (beside.client.clone(), beside.device.clone());
    let shape = [numbers.len()].into();
    Some(CubeTensor::new_contiguous(client, device, shape, handle, beside.dtype))
}

/// An invocation for each element.
pub(super) fn grid(tensor: &CubeTensor) -> (CubeCount, CubeDim) {
    let elements = tensor.meta.num_elements();
    let dim = CubeDim::new(&tensor.client, elements);
    (calculate_cube_count_elemwise(&tensor.client, elements, dim), dim)
}

#[cube(launch)]
fn moments(
    gamma: LinearView<'_, f32>,
    xi2: LinearView<'_, f32>,
    mut out: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let results = evaluate(m, v, numbers, program);
        let (valid, nan) = (is_valid(m, v), not_a_number(m));
        let (mean, variance) = (*results.index(0), *results.index(1));
        out.write(at, select(valid, mean, nan));
        out.write(at + gamma.shape(), select(valid, variance, nan));
    }
}

#[cube(launch)]
fn moments_back(
    gamma: LinearView<'_, f32>,
    xi2: LinearView<'_, f32>,
    cotangent: LinearView<'_, f32>,
    mut d_gamma: LinearViewMut<'_, f32>,
    mut d_xi2: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let (mean, variance) = (cotangent.read(at), cotangent.read(at + gamma.shape()));
        let results = evaluate(m, v, numbers, program);
        let (valid, nan) = (is_valid(m, v), not_a_number(m));
        let (mean_gamma, mean_xi2) = (*results.index(2), *results.index(3));
        let (variance_gamma, variance_xi2) = (*results.index(4), *results.index(5));
        let by_gamma = mean * mean_gamma + variance * variance_gamma;
        let by_xi2 = mean * mean_xi2 + variance * variance_xi2;
        d_gamma.write(at, select(valid, by_gamma, nan));
        d_xi2.write(at, select(valid, by_xi2, nan));
    }
}

#[cube(launch)]
fn linearised(
    gamma: LinearView<'_, f32>,
    xi2: LinearView<'_, f32>,
    mut out: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let results = evaluate(m, v, numbers, program);
        let (value, slope) = (*results.index(0), *results.index(1));
        let (valid, nan) = (is_number(m), not_a_number(m));
        out.write(at, select(valid, value, nan));
        out.write(at + gamma.shape(), select(valid, slope * slope * v, nan));
    }
}

#[cube(launch)]
fn linearised_back(
    gamma: LinearView<'_, f32>,
    xi2: LinearView<'_, f32>,
    cotangent: LinearView<'_, f32>,
    mut d_gamma: LinearViewMut<'_, f32>,
    mut d_xi2: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let (mean, variance) = (cotangent.read(at), cotangent.read(at + gamma.shape()));
        let results = evaluate(m, v, numbers, program);
        let (slope, bend) = (*results.index(1), *results.index(2));
        let (valid, nan) = (is_number(m), not_a_number(m));
        let by_gamma = mean * slope + variance * (slope + slope) * bend * v;
        d_gamma.write(at, select(valid, by_gamma, nan));
        d_xi2.write(at, select(valid, variance * slope * slope, nan));
    }
}

#[cube(launch)]
fn values(
    x: LinearView<'_, f32>,
    mut out: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if x.is_in_bounds(at) {
        let m = x.read(at);
        let results = evaluate(m, m, numbers, program);
        let value = *results.index(0);
        out.write(at, select(is_number(m), value, not_a_number(m)));
    }
}

#[cube(launch)]
fn values_back(
    x: LinearView<'_, f32>,
    cotangent: LinearView<'_, f32>,
    mut d_x: LinearViewMut<'_, f32>,
    numbers: Numbers<'_>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if x.is_in_bounds(at) {
        let m = x.read(at);
        let results = evaluate(m, m, numbers, program);
        let by_x = cotangent.read(at) * *results.index(1);
        d_x.write(at, select(is_number(m), by_x, not_a_number(m)));
    }
}
