//! Knots and panels in the coordinates of each element: distances from γ in units of ξ.

use std::f64::consts::PI;

use burn::tensor::{Bool, Tensor};

use super::FAR;
use super::constants::{Constants, columns, words};
use super::sum::Sum;
use crate::pieces::Knot;

/// The knots in the coordinates of each element.
pub(super) struct Knots {
    /// (t − γ)/ξ, of shape \[n, knots\].
    score: Tensor<2>,
    /// 1 where the knot lies ahead of γ, −1 where it lies behind.
    sign: Tensor<2>,
    ahead: Tensor<2, Bool>,
    /// g(t) − g(γ) on the far side of the knot.
    rise: Tensor<2>,
}

/// The intervals of integration: the two of γ's piece, then one beyond each knot.
pub(super) struct Panels {
    /// The distance of the near end from γ, in units of ξ.
    pub(super) near: Tensor<2>,
    pub(super) length: Tensor<2>,
    pub(super) sign: Tensor<2>,
    /// g − g(γ) and g′ − g′(γ) at the near end, and the coefficients from the first on.
    pub(super) rise: Tensor<2>,
    pub(super) slope: Tensor<2>,
    pub(super) coefficients: Vec<Tensor<2>>,
}

impl Knots {
    pub(super) fn new(
        constants: &Constants<'_>,
        row: &Tensor<2>,
        gamma: Tensor<2>,
        inverse: &Tensor<2>,
        [next, before]: [Tensor<2>; 2],
    ) -> Option<Self> {
        let count = constants.pieces.knots.len();
        if count == 0 {
            return None;
        }
        let n = gamma.dims()[0];
        let places = |word: usize| {
            let of = |knot: &Knot| words(knot.at, constants.dtype)[word];
            constants.by_knot(constants.pieces.knots.iter().map(of))
        };
        // Near numbers subtract exactly, so that the low word still counts.
        let score = ((places(0) - gamma) + places(1)) * inverse.clone();
        let by_knot = columns::COEFFICIENTS + constants.pieces.degree + 1;
        let ahead = row.clone().narrow(1, by_knot, count);
        let beyond = row.clone().narrow(1, by_knot + count, count);
        let sign = ahead.clone().mul_scalar(2.0).sub_scalar(1.0);
        let ahead = ahead.greater_equal_elem(0.5);
        let shape = [n, count];
        let nearer = before.expand(shape).mask_where(ahead.clone(), next.expand(shape));
        Some(Self { score: score.clamp(-FAR, FAR), sign, ahead, rise: nearer + beyond })
    }

    /// A number for the far side of each knot: of its right side where the knot lies ahead, of its left side
    /// elsewhere.
    fn far_side(&self, [left, right]: [Tensor<2>; 2]) -> Tensor<2> {
        let shape = self.score.dims();
        left.expand(shape).mask_where(self.ahead.clone(), right.expand(shape))
    }

    /// The terms that jumps of g and of g′ add to the derivatives of the mean in γ, of the mean in ξ², of the
    /// variance in γ and of the variance in ξ². `offset` is E\[g\] − g(γ), of shape \[n, 1\].
    pub(super) fn flux(
        &self,
        constants: &Constants<'_>,
        inverse: &Tensor<2>,
        offset: Tensor<2>,
    ) -> [Sum; 4] {
        let of = |f: &dyn Fn(&[Vec<f64>; 2]) -> f64| {
            constants.by_knot(constants.pieces.knots.iter().map(|knot| f(&knot.sides)))
        };
        let jump = of(&|[left, right]| right[0] - left[0]);
        let bend = of(&|[left, right]| right[1] - left[1]);
        let slope = of(&|[left, right]| 0.5 * (right[1] + left[1]));
        let density = self.score.clone().square().mul_scalar(-0.5).exp() * inverse.clone();
        let density = density.mul_scalar(1.0 / (2.0 * PI).sqrt());
        // On a jump g counts as the mean of its two sides.
        let middle = self.rise.clone() - self.sign.clone() * jump.clone().mul_scalar(0.5);
        let middle = middle - offset;
        let jump = jump * density.clone();
        let bend = bend * density + jump.clone() * self.score.clone() * inverse.clone();
        let sum = |t: Tensor<2>| Sum { size: t.clone().abs().sum_dim(1), value: t.sum_dim(1) };
        [
            sum(jump.clone()),
            sum(bend.clone()).times(0.5),
            sum(jump.clone() * middle.clone()).times(2.0),
            sum(middle * bend + jump * slope),
        ]
    }
}

impl Panels {
    pub(super) fn new(
        constants: &Constants<'_>,
        taylor: &[Tensor<2>],
        inner: [Tensor<2>; 2],
        knots: Option<&Knots>,
        inverse: &Tensor<2>,
    ) -> Self {
        let zero = inverse.zeros_like();
        let one = inverse.ones_like();
        let none = || vec![zero.clone(), zero.clone()];
        let [next, before] = inner.map(|length| length.clamp_min(0.0));
        let (mut near, mut rise, mut slope) = (none(), none(), none());
        let mut length = vec![next, before];
        let mut sign = vec![one.clone(), one.neg()];
        let mut coefficients: Vec<Vec<Tensor<2>>> =
            taylor.iter().skip(1).map(|a| vec![a.clone(), a.clone()]).collect();
        if let Some(knots) = knots {
            let pieces = constants.pieces;
            let sides = |j: usize| {
                [0, 1].map(|side| {
                    constants.by_knot(pieces.knots.iter().map(|knot| knot.sides[side][j]))
                })
            };
            let bounded = |k: Option<usize>| k.and_then(|k| pieces.widths.get(k)).copied();
            let width = |k: Option<usize>| bounded(k).unwrap_or(f64::INFINITY);
            let count = pieces.knots.len();
            let widths = [
                constants.by_knot((0..count).map(|k| width(k.checked_sub(1)).min(FAR))),
                constants.by_knot((0..count).map(|k| width(Some(k)).min(FAR))),
            ];
            near.push((knots.score.clone() * knots.sign.clone()).clamp_min(0.0));
            length.push((knots.far_side(widths) * inverse.clone()).clamp_max(FAR));
            sign.push(knots.sign.clone());
            rise.push(knots.rise.clone());
            slope.push(knots.far_side(sides(1)) - taylor[1].clone());
            for (j, column) in coefficients.iter_mut().enumerate() {
                column.push(knots.far_side(sides(j + 1)));
            }
        }
        let joined = |columns: Vec<Tensor<2>>| Tensor::cat(columns, 1);
        Self {
            near: joined(near),
            length: joined(length),
            sign: joined(sign),
            rise: joined(rise),
            slope: joined(slope),
            coefficients: coefficients.into_iter().map(joined).collect(),
        }
    }
}
