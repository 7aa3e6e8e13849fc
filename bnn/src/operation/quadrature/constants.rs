//! The function and the Gauss–Legendre rule as tensors, which all elements share.

use std::f64::consts::PI;

use burn::tensor::{DType, Device, Int, Tensor, TensorData};

use super::super::rule::gauss_legendre;
use crate::pieces::Pieces;

/// The columns of a row of numbers.
pub(super) mod columns {
    /// The place of the polynomial, in two words.
    pub(crate) const AT: usize = 0;
    /// The next knot and the knot before, in two words each.
    pub(crate) const ENDS: [usize; 2] = [2, 4];
    /// Whether these knots exist.
    pub(crate) const HAS_ENDS: [usize; 2] = [6, 7];
    /// The coefficients. They are followed, for each knot, by whether it lies ahead, and then by the rises.
    pub(crate) const COEFFICIENTS: usize = 8;
}

/// The function and the rule as tensors of one device and type.
pub(super) struct Constants<'a> {
    pub(super) pieces: &'a Pieces,
    device: Device,
    pub(super) dtype: DType,
    /// A row of numbers for each reference, with the [`columns`].
    rows: Tensor<2>,
    /// The nodes and weights, of shape \[1, 1, nodes\].
    pub(super) nodes: Tensor<3>,
    pub(super) weights: Tensor<3>,
    /// Number of nodes.
    pub(super) count: usize,
    /// The power of e by which the density falls before the rule ends.
    pub(super) fall: f64,
}

impl<'a> Constants<'a> {
    pub(super) fn new(pieces: &'a Pieces, device: &Device, dtype: DType) -> Self {
        // Least counts that leave nothing but rounding, found by trying all for every distance and power.
        let degree = pieces.degree;
        let (count, fall) = match dtype {
            DType::F64 => (24 + 2 * degree, 37.0 + 5.0 * degree as f64),
            _ => (12 + 2 * degree, 20.0 + 4.0 * degree as f64),
        };
        let (nodes, weights) = gauss_legendre(count);
        let along = |values: Vec<f64>| {
            Tensor::from_data(TensorData::new(values, [1, 1, count]), (device, dtype))
        };
        let weights = weights.iter().map(|w| w / (2.0 * PI).sqrt()).collect();
        let (values, width) = Self::rows(pieces, dtype);
        let shape = [values.len() / width, width];
        Self {
            pieces,
            device: device.clone(),
            dtype,
            rows: Tensor::from_data(TensorData::new(values, shape), (device, dtype)),
            nodes: along(nodes),
            weights: along(weights),
            count,
            fall,
        }
    }

    /// The rows one after the other, and the length of a row. A rise is the change of g from the nearer end of the
    /// piece to the far side of a knot.
    fn rows(pieces: &Pieces, dtype: DType) -> (Vec<f64>, usize) {
        let mut out = Vec::new();
        let knots = &pieces.knots;
        for r in &pieces.references {
            let (next, before) = (knots.get(r.piece), r.piece.checked_sub(1).map(|k| &knots[k]));
            out.extend(words(r.at, dtype));
            // Without a knot the place itself fills the columns, and `HAS_ENDS` says so.
            out.extend(words(next.map_or(r.at, |knot| knot.at), dtype));
            out.extend(words(before.map_or(r.at, |knot| knot.at), dtype));
            out.extend([next.is_some(), before.is_some()].map(f64::from));
            out.extend(&r.coefficients);
            let is_ahead = |k: usize| k >= r.piece;
            out.extend((0..knots.len()).map(|k| f64::from(is_ahead(k))));
            out.extend(knots.iter().enumerate().map(|(k, knot)| {
                let (near, far) = if is_ahead(k) { (next, 1) } else { (before, 0) };
                near.map_or(0.0, |near| knot.sides[far][0] - near.sides[1 - far][0])
            }));
        }
        let width = out.len() / pieces.references.len().max(1);
        (out, width)
    }

    pub(super) fn nodes_of_an_element(&self) -> usize {
        (self.pieces.knots.len() + 2) * self.count
    }

    /// A number for each knot, as a tensor of shape \[1, knots\].
    pub(super) fn by_knot(&self, values: impl Iterator<Item = f64>) -> Tensor<2> {
        let values: Vec<f64> = values.collect();
        let shape = [1, values.len()];
        Tensor::from_data(TensorData::new(values, shape), (&self.device, self.dtype))
    }

    /// The row of numbers for each γ of shape \[n, 1\], and the Taylor coefficients at γ.
    pub(super) fn around(&self, gamma: Tensor<2>) -> (Tensor<2>, Vec<Tensor<2>>) {
        let mut index = Tensor::<2, Int>::zeros(gamma.dims(), &self.device);
        for reference in self.pieces.references.iter().skip(1) {
            index =
                index + gamma.clone().greater_equal_elem(least(reference.from, self.dtype)).int();
        }
        let row = self.rows.clone().select(0, index.flatten::<1>(0, 1));
        let column = |i: usize| row.clone().narrow(1, i, 1);
        // Near numbers subtract exactly, so that the low word still counts.
        let distance = (gamma - column(columns::AT)) - column(columns::AT + 1);
        let degree = self.pieces.degree;
        let mut a: Vec<Tensor<2>> =
            (0..=degree).map(|j| column(columns::COEFFICIENTS + j)).collect();
        // Repeated synthetic division moves the centre of the polynomial to γ.
        for j in 0..degree {
            for i in (j..degree).rev() {
                a[i] = a[i].clone() + a[i + 1].clone() * distance.clone();
            }
        }
        (row, a)
    }
}

/// A number as two words of a precision.
pub(super) fn words([high, low]: [f64; 2], dtype: DType) -> [f64; 2] {
    if dtype == DType::F64 {
        return [high, low];
    }
    let rounded = f64::from(high as f32);
    [rounded, (high - rounded) + low]
}

/// The least number of a precision that is at least `from`.
fn least(from: f64, dtype: DType) -> f64 {
    // Rounded down, it would take in a number that lies before `from`.
    let rounded = from as f32;
    match dtype {
        DType::F64 => from,
        _ if f64::from(rounded) < from => f64::from(rounded.next_up()),
        _ => f64::from(rounded),
    }
}
