//! Moments by tensor operations alone, on any backend.
//!
//! The function is taken relative to g(γ): on the piece of γ by its Taylor polynomial there, on others by that around
//! their nearer knot with the rise up to it. So there is nothing to cancel when a variance is small beside the square of a
//! mean. γ and the knots cut the line into panels. On each the density falls outward from the near end, and a
//! Gauss–Legendre rule, cut off where nothing is left, has positive weights: tails are as right as the density itself.
//! No special function is called.

mod constants;
mod elements;
mod panels;
mod sum;

use burn::tensor::Tensor;

use crate::pieces::{Knot, Pieces};
use constants::{Constants, words};
use elements::Elements;

/// A smaller variance counts as this one.
const LEAST_VARIANCE: f64 = 1e-30;
/// Farther than anything that matters, in standard deviations; its square is finite in f32.
const FAR: f64 = 1e18;
/// So many numbers at nodes are computed at once.
const CHUNK: usize = 1 << 21;

/// Mean, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ² for γ and ξ² of shape \[n\], outside any graph.
///
/// A derivative is finite, so that it is nothing where it is taken 0 times.
pub(super) fn moments(pieces: &Pieces, gamma: Tensor<1>, xi2: Tensor<1>) -> [Tensor<1>; 6] {
    let constants = Constants::new(pieces, &gamma.device(), gamma.dtype());
    let at_once = (CHUNK / constants.nodes_of_an_element()).max(1);
    let chunks = gamma.split(at_once, 0).into_iter().zip(xi2.split(at_once, 0));
    let mut columns: [Vec<Tensor<1>>; 6] = Default::default();
    for (gamma, xi2) in chunks {
        let results = Elements::new(&constants, gamma, xi2).results();
        for (column, result) in columns.iter_mut().zip(results) {
            column.push(result.flatten(0, 1));
        }
    }
    columns.map(|column| Tensor::cat(column, 0))
}

/// g(γ), g′(γ) and g″(γ) for γ of shape \[n\]. On a knot a derivative is the mean of both sides, or 0 where a lower
/// one jumps.
pub(super) fn values(pieces: &Pieces, gamma: Tensor<1>) -> [Tensor<1>; 3] {
    let constants = Constants::new(pieces, &gamma.device(), gamma.dtype());
    let (_, taylor) = constants.around(gamma.clone().unsqueeze_dim(1));
    let at = |j: usize| taylor.get(j).map(|a| a.clone().flatten::<1>(0, 1));
    let zero = gamma.zeros_like();
    let bend = at(2).map(|a| a.mul_scalar(2.0));
    let mut out = [at(0), at(1), bend].map(|t| t.unwrap_or(zero.clone()));
    // No number of this precision lies on a knot that needs a second word.
    let is_number = |knot: &&Knot| words(knot.at, gamma.dtype())[1] == 0.0;
    for knot in pieces.knots.iter().filter(is_number) {
        let there = gamma.clone().equal_elem(knot.at[0]);
        out = fold(out, knot.limits(), |t, limit| t.mask_fill(there.clone(), limit));
    }
    out
}

fn fold(t: [Tensor<1>; 3], x: [f64; 3], f: impl Fn(Tensor<1>, f64) -> Tensor<1>) -> [Tensor<1>; 3] {
    let [a, b, c] = t;
    [f(a, x[0]), f(b, x[1]), f(c, x[2])]
}
