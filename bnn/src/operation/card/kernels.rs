//! The kernels of a step. An element of a tensor is an invocation.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use burn_cubecl::tensor::CubeTensor;
use cubecl::calculate_cube_count_elemwise;
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::{LinearView, LinearViewMut};

use super::super::slices::MomentRule;
use super::Call;
use super::walk::{evaluate, is_number, is_valid, not_a_number};
use crate::programs::Program;

/// Writes the results of a step: all means, then all variances.
pub(super) fn forward(call: &Call, [gamma, xi2]: [CubeTensor; 2], out: CubeTensor) {
    let (client, (count, dim)) = (gamma.client.clone(), grid(&gamma));
    let (x, out) = (gamma.into_linear_view(), out.into_linear_view());
    let programs = &call.programs;
    match call.step {
        MomentRule::Moments => {
            let program = programs.moments.clone();
            moments::launch(&client, count, dim, x, xi2.into_linear_view(), out, program);
        }
        MomentRule::Linearised => {
            let program = programs.slopes.clone();
            linearised::launch(&client, count, dim, x, xi2.into_linear_view(), out, program);
        }
        MomentRule::Values => values::launch(&client, count, dim, x, out, programs.slopes.clone()),
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
    let [x, y, d_gamma] = [gamma, cotangent, d_gamma].map(CubeTensor::into_linear_view);
    let programs = &call.programs;
    if call.step == MomentRule::Values {
        let program = programs.slopes.clone();
        return values_back::launch(&client, count, dim, x, y, d_gamma, program);
    }
    let [v, d_xi2] = [xi2, d_xi2].map(CubeTensor::into_linear_view);
    if call.step == MomentRule::Moments {
        let program = programs.gradients.clone();
        moments_back::launch(&client, count, dim, x, v, y, d_gamma, d_xi2, program);
    } else {
        let program = programs.slopes.clone();
        linearised_back::launch(&client, count, dim, x, v, y, d_gamma, d_xi2, program);
    }
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
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let results = evaluate(m, v, program);
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
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let (mean, variance) = (cotangent.read(at), cotangent.read(at + gamma.shape()));
        let results = evaluate(m, v, program);
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
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let results = evaluate(m, v, program);
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
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if gamma.is_in_bounds(at) {
        let (m, v) = (gamma.read(at), xi2.read(at));
        let (mean, variance) = (cotangent.read(at), cotangent.read(at + gamma.shape()));
        let results = evaluate(m, v, program);
        let (slope, bend) = (*results.index(1), *results.index(2));
        let (valid, nan) = (is_number(m), not_a_number(m));
        let by_gamma = mean * slope + variance * (slope + slope) * bend * v;
        d_gamma.write(at, select(valid, by_gamma, nan));
        d_xi2.write(at, select(valid, variance * slope * slope, nan));
    }
}

#[cube(launch)]
fn values(x: LinearView<'_, f32>, mut out: LinearViewMut<'_, f32>, #[comptime] program: Program) {
    let at = ABSOLUTE_POS;
    if x.is_in_bounds(at) {
        let m = x.read(at);
        let results = evaluate(m, m, program);
        let value = *results.index(0);
        out.write(at, select(is_number(m), value, not_a_number(m)));
    }
}

#[cube(launch)]
fn values_back(
    x: LinearView<'_, f32>,
    cotangent: LinearView<'_, f32>,
    mut d_x: LinearViewMut<'_, f32>,
    #[comptime] program: Program,
) {
    let at = ABSOLUTE_POS;
    if x.is_in_bounds(at) {
        let m = x.read(at);
        let results = evaluate(m, m, program);
        let by_x = cotangent.read(at) * *results.index(1);
        d_x.write(at, select(is_number(m), by_x, not_a_number(m)));
    }
}
