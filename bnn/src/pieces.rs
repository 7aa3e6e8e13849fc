//! A function as numbers: knots, and polynomials around their ends, as values, slopes and ONNX graphs need them.

use gaussform_runtime::kernel::pieces::Table;

/// A piecewise polynomial g in f64, on the host.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// The highest degree of a piece, at least 1.
    degree: usize,
    /// The knots, in ascending order.
    pub(crate) knots: Vec<Knot>,
    /// The polynomials around one or two places of each piece, in ascending order. Their ranges cover the line.
    pub(crate) references: Vec<Reference>,
}

/// A knot: a place where the polynomial changes.
#[derive(Clone, Debug)]
pub(crate) struct Knot {
    /// The place, as a sum of two words.
    pub(crate) at: [f64; 2],
    /// The coefficients of the pieces to the left and to the right, in powers of the distance from the knot.
    pub(crate) sides: [Vec<f64>; 2],
    /// g on the knot.
    pub(crate) value: f64,
}

impl Knot {
    /// Whether the knot is the number `x`, to all digits.
    pub(crate) fn is_at(&self, x: f64) -> bool {
        self.at == [x, 0.0]
    }

    /// The least `f64` that does not lie to the left of the knot.
    fn from(&self) -> f64 {
        if self.at[1] > 0.0 { self.at[0].next_up() } else { self.at[0] }
    }

    /// g, g′ and g″ on the knot. A derivative is the mean of both sides, or 0 where a lower derivative jumps.
    pub(crate) fn limits(&self) -> [f64; 3] {
        let [left, right] = &self.sides;
        let of = |side: &[f64], j: usize| side.get(j).copied().unwrap_or(0.0);
        let mean = |j: usize| 0.5 * (of(left, j) + of(right, j));
        let jumps = left[0] != right[0] || self.value != right[0];
        let bends = jumps || left[1] != right[1];
        let slope = if jumps { 0.0 } else { mean(1) };
        [self.value, slope, if bends { 0.0 } else { 2.0 * mean(2) }]
    }
}

/// A polynomial in powers of the distance from `at`, for the numbers from `from` up to the next reference.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) from: f64,
    pub(crate) at: [f64; 2],
    pub(crate) coefficients: Vec<f64>,
    /// The index of the piece, counted from the left.
    pub(crate) piece: usize,
}

/// An interval of the line with its polynomial, in powers of the distance from `at`.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) at: f64,
    pub(crate) coefficients: Vec<f64>,
}

impl Pieces {
    /// The highest degree of a piece.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// The intervals of the line with their polynomials, from the left.
    pub(crate) fn stretches(&self) -> Vec<Stretch> {
        let ends = self.references.iter().skip(1).map(|r| r.from).chain([f64::INFINITY]);
        let stretch = |(r, to): (&Reference, f64)| Stretch {
            from: r.from,
            to,
            at: r.at[0],
            coefficients: r.coefficients.clone(),
        };
        self.references.iter().zip(ends).map(stretch).collect()
    }

    /// The knots that are `f64` numbers, each with g, g′ and g″ ([`Knot::limits`]).
    pub(crate) fn limits(&self) -> impl Iterator<Item = (f64, [f64; 3])> {
        self.knots.iter().filter(|k| k.is_at(k.at[0])).map(|k| (k.at[0], k.limits()))
    }

    /// The slopes of g left and right of 0, if g(t·x) = t·g(x) for every t > 0: every piece is a line through the
    /// origin, with one slope on each side of it. Coefficients of parameters are rounded, hence the tolerance.
    pub(crate) fn slopes(&self) -> Option<[f64; 2]> {
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-12 * scale;
        let mut slopes = [None; 2];
        for Stretch { from, to, at, coefficients } in self.stretches() {
            let of = |j: usize| coefficients.get(j).copied().unwrap_or(0.0);
            let (value, slope) = (of(0), of(1));
            let through_origin = close(value, slope * at, value.abs().max((slope * at).abs()));
            if !through_origin || coefficients.iter().skip(2).any(|c| *c != 0.0) {
                return None;
            }
            for (side, _) in [from < 0.0, to > 0.0].into_iter().enumerate().filter(|(_, on)| *on) {
                let known = *slopes[side].get_or_insert(slope);
                if !close(known, slope, known.abs()) {
                    return None;
                }
            }
        }
        let [left, right] = [slopes[0]?, slopes[1]?];
        let on_line = |knot: &Knot| {
            let expected = knot.at[0] * if knot.at[0] < 0.0 { left } else { right };
            close(knot.value, expected, expected.abs())
        };
        self.knots.iter().all(on_line).then_some([left, right])
    }

    pub(crate) fn of(table: &Table<'_>) -> Self {
        let count = table.degree + 1;
        let unit = 2f64.powi(table.exponent);
        let numbers =
            |c: &[[f64; 2]]| -> Vec<f64> { c.iter().map(|c| (c[0] + c[1]) * unit).collect() };
        let side =
            |i: usize| numbers(table.sides.get(i * count..(i + 1) * count).unwrap_or_default());
        let knots: Vec<Knot> = table
            .knots
            .iter()
            .zip(table.values)
            .enumerate()
            .map(|(k, (at, value))| Knot {
                at: [at[0], at[1]],
                sides: [side(2 * k), side(2 * k + 1)],
                value: value * unit,
            })
            .collect();
        let mut references = Vec::new();
        for piece in 0..=knots.len() {
            let left = piece.checked_sub(1).and_then(|k| knots.get(k));
            let right = knots.get(piece);
            let centers = table.centers.iter().filter(|center| center.piece == piece);
            let mut around: Vec<([f64; 2], Vec<f64>)> =
                centers.map(|c| ([c.at[0], c.at[1]], numbers(c.coefficients))).collect();
            around.extend(left.map(|knot| (knot.at, knot.sides[1].clone())));
            around.extend(right.map(|knot| (knot.at, knot.sides[0].clone())));
            around.sort_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
            let begin = left.map_or(f64::NEG_INFINITY, Knot::from);
            for (i, (at, coefficients)) in around.iter().enumerate() {
                let from = match i.checked_sub(1).and_then(|i| around.get(i)) {
                    // Halfway from the place before, which may lie off the piece.
                    Some((before, _)) => begin.max(before[0] + (at[0] - before[0]) / 2.0),
                    None => begin,
                };
                references.push(Reference {
                    from,
                    at: *at,
                    coefficients: coefficients.clone(),
                    piece,
                });
            }
        }
        Self { degree: table.degree, knots, references }
    }
}

#[cfg(test)]
mod tests {
    use gaussform::activations::{
        Abs, ClippedRelu, HardTanh, Heaviside, Identity, LeakyRelu, Relu, Relu2, ShiftedRelu,
        SoftShrink,
    };

    use crate::{Function, Nonlinearity};

    fn slopes(g: impl Nonlinearity) -> Option<[f64; 2]> {
        Function::new("g", g).slopes()
    }

    #[test]
    fn functions_of_one_slope_on_each_side_of_0_have_slopes() {
        assert_eq!(slopes(Relu), Some([0.0, 1.0]));
        assert_eq!(slopes(Abs), Some([-1.0, 1.0]));
        assert_eq!(slopes(Identity), Some([1.0, 1.0]));
        assert_eq!(slopes(LeakyRelu::new(0.01).expect("in the domain")), Some([0.01, 1.0]));
    }

    #[test]
    fn knots_off_the_origin_steps_and_curves_are_seen_wherever_they_are() {
        assert_eq!(slopes(ShiftedRelu), None);
        assert_eq!(slopes(ClippedRelu::new(1e9).expect("in the domain")), None);
        assert_eq!(slopes(SoftShrink::new(0.5).expect("in the domain")), None);
        assert_eq!(slopes(HardTanh), None);
        assert_eq!(slopes(Heaviside), None);
        assert_eq!(slopes(Relu2), None);
    }
}
