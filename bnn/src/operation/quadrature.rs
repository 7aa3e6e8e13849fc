//! Moments by tensor operations alone, on any backend.
//!
//! The function is taken relative to g(γ): on the piece of γ by its Taylor polynomial there, on others by that around
//! their nearer knot with the rise up to it. So there is nothing to cancel when a variance is small beside the square of a
//! mean. γ and the knots cut the line into panels. On each the density falls outward from the near end, and a
//! Gauss–Legendre rule, cut off where nothing is left, has positive weights: tails are as right as the density itself.
//! No special function is called.

use std::f64::consts::PI;

use burn::tensor::{Bool, DType, Device, Int, Tensor, TensorData};

use super::pieces::Pieces;
use super::rule::gauss_legendre;

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
    for knot in &pieces.knots {
        let there = gamma.clone().equal_elem(knot.at[0]);
        out = fold(out, knot.limits(), |t, limit| t.mask_fill(there.clone(), limit));
    }
    out
}

fn fold(t: [Tensor<1>; 3], x: [f64; 3], f: impl Fn(Tensor<1>, f64) -> Tensor<1>) -> [Tensor<1>; 3] {
    let [a, b, c] = t;
    [f(a, x[0]), f(b, x[1]), f(c, x[2])]
}

/// The function and the rule as tensors.
struct Constants<'a> {
    pieces: &'a Pieces,
    device: Device,
    dtype: DType,
    /// A row for each reference; see [`Constants::rows`].
    rows: Tensor<2>,
    /// The nodes and weights, of shape \[1, 1, nodes\].
    nodes: Tensor<3>,
    weights: Tensor<3>,
    /// How many nodes there are.
    count: usize,
    /// By what power of e the density falls before it is cut off.
    fall: f64,
}

impl<'a> Constants<'a> {
    fn new(pieces: &'a Pieces, device: &Device, dtype: DType) -> Self {
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

    /// For each reference: its place in two words, the next knot and the one before in two words each, whether there
    /// are such, the coefficients, for each knot whether it lies ahead, and for each knot the rise from the nearer end of
    /// the piece to the far side of the knot.
    fn rows(pieces: &Pieces, dtype: DType) -> (Vec<f64>, usize) {
        let mut out = Vec::new();
        let knots = &pieces.knots;
        for r in &pieces.references {
            let (next, before) = (knots.get(r.piece), r.piece.checked_sub(1).map(|k| &knots[k]));
            out.extend(words(r.at, dtype));
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

    fn nodes_of_an_element(&self) -> usize {
        (self.pieces.knots.len() + 2) * self.count
    }

    /// A number for each knot, of shape \[1, knots\].
    fn by_knot(&self, values: impl Iterator<Item = f64>) -> Tensor<2> {
        let values: Vec<f64> = values.collect();
        let shape = [1, values.len()];
        Tensor::from_data(TensorData::new(values, shape), (&self.device, self.dtype))
    }

    /// The row of the reference of each γ (\[n, 1\]), and the Taylor coefficients at γ.
    fn around(&self, gamma: Tensor<2>) -> (Tensor<2>, Vec<Tensor<2>>) {
        let mut index = Tensor::<2, Int>::zeros(gamma.dims(), &self.device);
        for reference in self.pieces.references.iter().skip(1) {
            index = index + gamma.clone().greater_equal_elem(reference.from).int();
        }
        let row = self.rows.clone().select(0, index.flatten::<1>(0, 1));
        let column = |i: usize| row.clone().narrow(1, i, 1);
        let distance = (gamma - column(0)) - column(1);
        let degree = self.pieces.degree;
        let mut a: Vec<Tensor<2>> = (0..=degree).map(|j| column(8 + j)).collect();
        for j in 0..degree {
            for i in (j..degree).rev() {
                a[i] = a[i].clone() + a[i + 1].clone() * distance.clone();
            }
        }
        (row, a)
    }
}

/// A number in two words of a precision.
fn words([high, low]: [f64; 2], dtype: DType) -> [f64; 2] {
    if dtype == DType::F64 {
        return [high, low];
    }
    let rounded = f64::from(high as f32);
    [rounded, (high - rounded) + low]
}

/// A chunk of inputs, with what is known of each before anything is integrated. Shapes are \[n, 1\] for an element,
/// \[n, knots\] and \[n, panels\]; the panels are the two of γ's piece, then one beyond each knot.
struct Elements<'a> {
    constants: &'a Constants<'a>,
    xi2: Tensor<2>,
    /// ξ and its inverse.
    xi: Tensor<2>,
    inverse: Tensor<2>,
    taylor: Vec<Tensor<2>>,
    knots: Option<Knots>,
    panels: Panels,
}

/// The knots as an element sees them.
struct Knots {
    /// (t − γ)/ξ
    score: Tensor<2>,
    /// 1 where the knot lies ahead of γ, −1 where behind.
    sign: Tensor<2>,
    ahead: Tensor<2, Bool>,
    /// g(t) − g(γ) on the far side.
    rise: Tensor<2>,
}

struct Panels {
    /// From γ, in units of ξ.
    near: Tensor<2>,
    length: Tensor<2>,
    sign: Tensor<2>,
    /// g − g(γ) and g′ − g′(γ) at the near end, and the coefficients from the first on.
    rise: Tensor<2>,
    slope: Tensor<2>,
    coefficients: Vec<Tensor<2>>,
}

impl<'a> Elements<'a> {
    fn new(constants: &'a Constants<'a>, gamma: Tensor<1>, xi2: Tensor<1>) -> Self {
        let (gamma, xi2) = (gamma.unsqueeze_dim::<2>(1), xi2.unsqueeze_dim::<2>(1));
        let xi = xi2.clone().clamp_min(LEAST_VARIANCE).sqrt();
        let inverse = xi.clone().recip();
        let (row, taylor) = constants.around(gamma.clone());
        let column = |i: usize| row.clone().narrow(1, i, 1);
        // The ends of γ's piece, from γ.
        let ends = [2, 4].map(|i| (column(i) - gamma.clone()) + column(i + 1));
        let rises = ends.clone().map(|end| {
            let inner = taylor.iter().skip(1).rev().cloned();
            inner.reduce(|sum, a| sum * end.clone() + a).map_or(end.clone(), |s| s * end)
        });
        let [next, before] = ends;
        let far = |length: Tensor<2>, has: Tensor<2>| {
            (length * inverse.clone()).mask_fill(has.lower_elem(0.5), FAR)
        };
        let inner = [far(next, column(6)), far(before.neg(), column(7))];
        let knots = Knots::new(constants, &row, gamma, &inverse, rises);
        let panels = Panels::new(constants, &taylor, inner, knots.as_ref(), &inverse);
        Self { constants, xi2, xi, inverse, taylor, knots, panels }
    }

    fn results(self) -> [Tensor<2>; 6] {
        let Self { constants, xi2, xi, inverse, taylor, knots, panels } = self;
        let [n, count] = panels.near.dims();
        let (at_nodes, degree) = ([n, count, constants.count], constants.pieces.degree);
        let deep = |t: Tensor<2>| t.unsqueeze_dim::<3>(2);
        let sum = |t: Tensor<3>| t.reshape([n, count * constants.count]).sum_dim(1);

        let length = panels.length.clone().min_pair(reach(&panels.near, constants.fall));
        let z = deep(panels.near) + deep(length.clone()) * constants.nodes.clone();
        let mass = z.clone().square().mul_scalar(-0.5).exp()
            * deep(length.clone())
            * constants.weights.clone();
        let step = deep(panels.sign.clone() * length * xi) * constants.nodes.clone();
        let polynomial = |from: usize, factor: &dyn Fn(usize) -> f64| {
            let terms = (from..=degree).rev().map(|j| {
                deep(panels.coefficients[j - 1].clone()).mul_scalar(factor(j)).expand(at_nodes)
            });
            terms.reduce(|sum, c| sum * step.clone() + c)
        };
        // g − g(γ), g′ − g′(γ) and g″ at the nodes.
        let v = polynomial(1, &|_| 1.0).map_or(step.clone(), |p| p * step.clone());
        let v = v + deep(panels.rise);
        let slope = deep(panels.slope).expand(at_nodes);
        let w = match polynomial(2, &|j| j as f64) {
            Some(p) => p * step.clone() + slope,
            None => slope,
        };
        let bend = polynomial(2, &|j| (j * (j - 1)) as f64);

        let offset = sum(mass.clone() * v.clone());
        let apart = v - deep(offset.clone()).expand(at_nodes);
        let weighted = mass.clone() * apart.clone();
        let first_slope = taylor[1].clone();
        let slopes = sum(mass.clone() * w.clone());
        let slopes_apart = w.clone() - deep(slopes.clone()).expand(at_nodes);
        let steep = deep(first_slope.clone()).expand(at_nodes) + w;
        let squares = weighted.clone() * apart;
        let variance = sum(squares.clone());
        // E[g′], ½ E[g″], 2 E[(g − E g) g′] and E[g′²] + E[(g − E g) g″], each with what its terms come to without sign.
        let signed = |t: Tensor<3>| Sum { size: sum(t.clone().abs()), value: sum(t) };
        let mut direct = [
            Sum { value: first_slope + slopes, size: sum(mass.clone() * steep.clone().abs()) },
            Sum::nothing(&xi2),
            signed(weighted.clone() * slopes_apart).times(2.0),
            signed(mass.clone() * steep.square()),
        ];
        if let Some(bend) = bend {
            direct[1].add(signed(mass * bend.clone()).times(0.5));
            direct[3].add(signed(weighted.clone() * bend));
        }
        if let Some(knots) = knots {
            let flux = knots.flux(constants, &inverse, offset.clone());
            for (sum, flux) in direct.iter_mut().zip(flux) {
                sum.add(flux);
            }
        }
        // The same with the derivatives on the density: E[(g − E g) He_k]/ξᵏ, and with the square.
        let he = [z.clone() * deep(panels.sign), z.square().sub_scalar(1.0)];
        let by = [inverse.clone(), inverse.square().mul_scalar(0.5)];
        let is_there = variance.clone().greater_elem(LEAST_VARIANCE);
        let mut stein = Vec::new();
        for (t, size) in [(weighted, variance.clone().sqrt()), (squares, variance.clone())] {
            for (he, by) in he.iter().zip(&by) {
                let value = sum(t.clone() * he.clone()) * by.clone();
                stein.push(Sum { value, size: size.clone() * by.clone() });
            }
        }
        // NaN for what is no variance.
        let valid = xi2.sqrt().mul_scalar(0.0);
        let mean = taylor[0].clone() + offset;
        let mut out = vec![mean, variance];
        for (direct, stein) in direct.into_iter().zip(stein) {
            out.push(direct.or_if_smaller(stein, is_there.clone()));
        }
        let mut out = out.into_iter().map(|t| t + valid.clone());
        std::array::from_fn(|_| out.next().unwrap_or_else(|| valid.clone()))
    }
}

/// A sum, and that of the absolute values of its terms, which its error is small beside.
struct Sum {
    value: Tensor<2>,
    size: Tensor<2>,
}

impl Sum {
    fn nothing(like: &Tensor<2>) -> Self {
        Self { value: like.zeros_like(), size: like.zeros_like() }
    }

    fn times(self, factor: f64) -> Self {
        Self { value: self.value.mul_scalar(factor), size: self.size.mul_scalar(factor) }
    }

    fn add(&mut self, other: Self) {
        self.value = self.value.clone() + other.value;
        self.size = self.size.clone() + other.size;
    }

    /// The value that has the smaller error, as a number that is 0 if taken 0 times.
    fn or_if_smaller(self, other: Self, may: Tensor<2, Bool>) -> Tensor<2> {
        let smaller = other.size.lower(self.size.mul_scalar(0.5)).bool_and(may);
        let value = self.value.mask_where(smaller, other.value);
        let most = if value.dtype() == DType::F64 { f64::MAX } else { f64::from(f32::MAX) };
        value.clamp(-most, most)
    }
}

/// How far from the near end the density falls by e to the power of `fall`.
fn reach(near: &Tensor<2>, fall: f64) -> Tensor<2> {
    let root = near.clone().square().add_scalar(2.0 * fall).sqrt();
    (near.clone() + root).recip().mul_scalar(2.0 * fall)
}

impl Knots {
    fn new(
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
            let of = |knot: &super::pieces::Knot| words(knot.at, constants.dtype)[word];
            constants.by_knot(constants.pieces.knots.iter().map(of))
        };
        let score = ((places(0) - gamma) + places(1)) * inverse.clone();
        let ahead = row.clone().narrow(1, 9 + constants.pieces.degree, count);
        let beyond = row.clone().narrow(1, 9 + constants.pieces.degree + count, count);
        let sign = ahead.clone().mul_scalar(2.0).sub_scalar(1.0);
        let ahead = ahead.greater_equal_elem(0.5);
        let shape = [n, count];
        let nearer = before.expand(shape).mask_where(ahead.clone(), next.expand(shape));
        Some(Self { score: score.clamp(-FAR, FAR), sign, ahead, rise: nearer + beyond })
    }

    /// The number of the far side of each knot: of its right side where it lies ahead, of its left side elsewhere.
    fn far_side(&self, [left, right]: [Tensor<2>; 2]) -> Tensor<2> {
        let shape = self.score.dims();
        left.expand(shape).mask_where(self.ahead.clone(), right.expand(shape))
    }

    /// What jumps of g and g′ add to the derivatives of mean and variance in γ and ξ², with E\[g\] − g(γ).
    fn flux(&self, constants: &Constants<'_>, inverse: &Tensor<2>, offset: Tensor<2>) -> [Sum; 4] {
        let of = |f: &dyn Fn(&[Vec<f64>; 2]) -> f64| {
            constants.by_knot(constants.pieces.knots.iter().map(|knot| f(&knot.sides)))
        };
        let jump = of(&|[left, right]| right[0] - left[0]);
        let bend = of(&|[left, right]| right[1] - left[1]);
        let slope = of(&|[left, right]| 0.5 * (right[1] + left[1]));
        let density = self.score.clone().square().mul_scalar(-0.5).exp() * inverse.clone();
        let density = density.mul_scalar(1.0 / (2.0 * PI).sqrt());
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
    fn new(
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
