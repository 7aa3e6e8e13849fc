//! g′ and g″ at known numbers, from the polynomials of the pieces.

use crate::pieces::{Pieces, Reference};

/// The derivatives g′ and g″ of a piecewise polynomial, as polynomials in f64.
#[derive(Clone, Debug)]
pub(crate) struct Derivatives {
    /// The least number of each row, in ascending order.
    starts: Vec<f64>,
    rows: Vec<Row>,
}

/// g′ and g″ from one number up to that of the next row, as polynomials in the distance from `at`.
#[derive(Clone, Debug)]
struct Row {
    /// g′ and g″ on the number itself, if it is a knot.
    first: Option<[f64; 2]>,
    at: [f64; 2],
    /// Coefficients of g′ and of g″, the constant first. All rows have as many, so that a processor foresees how many are taken.
    terms: [Vec<f64>; 2],
}

impl Pieces {
    pub(crate) fn derivatives(&self) -> Derivatives {
        let row = |r: &Reference| {
            let knot = r.piece.checked_sub(1).and_then(|k| self.knots.get(k));
            let knot = knot.filter(|knot| knot.is_at(r.from));
            let slope = differentiated(&r.coefficients);
            let bend = differentiated(&slope);
            let first = knot.map(|knot| {
                let [_, slope, bend] = knot.limits();
                [slope, bend]
            });
            Row { first, at: r.at, terms: [slope, bend] }
        };
        let mut rows: Vec<Row> = self.references.iter().map(row).collect();
        for k in 0..2 {
            let most = rows.iter().map(|row| row.terms[k].len()).max().unwrap_or(0);
            rows.iter_mut().for_each(|row| row.terms[k].resize(most, 0.0));
        }
        Derivatives { starts: self.references.iter().map(|r| r.from).collect(), rows }
    }
}

impl Derivatives {
    /// g′ and g″ at `x`. On a knot each is the mean of both sides, or 0 where a lower derivative jumps. At ±∞ they
    /// are limits.
    pub(crate) fn at(&self, x: f64) -> [f64; 2] {
        let row = self.starts.partition_point(|start| *start <= x).saturating_sub(1);
        let (Some(row), Some(start), false) =
            (self.rows.get(row), self.starts.get(row), x.is_nan())
        else {
            return [f64::NAN; 2];
        };
        // Few numbers are a start, but which rows begin with a knot no processor foresees.
        if x == *start
            && let Some(limits) = row.first
        {
            return limits;
        }
        let distance = (x - row.at[0]) - row.at[1];
        let [slope, bend] = &row.terms;
        [polynomial(slope, distance), polynomial(bend, distance)]
    }
}

/// By Horner's rule, for an infinite `x` from the highest term that there is.
fn polynomial(terms: &[f64], x: f64) -> f64 {
    let terms = terms.iter().rev().copied();
    if x.is_finite() {
        return terms.fold(0.0, |sum, term| sum * x + term);
    }
    terms.skip_while(|term| *term == 0.0).reduce(|sum, term| sum * x + term).unwrap_or(0.0)
}

fn differentiated(terms: &[f64]) -> Vec<f64> {
    let factors = (1..).map(f64::from);
    terms.iter().skip(1).zip(factors).map(|(c, j)| c * j).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gaussform_generated::{
        Abs, Clip, HardShrink, HardSigmoid, HardSigmoidAffine, HardSwish, HardTanh, Hat, Heaviside,
        Prelu, Relu, Relu2, Relu3, Relu6, SignOf, SoftShrink, SparsePlus, Sqnl, Square, Ternary,
    };
    use gaussform_runtime::MomentsGradMut;

    use crate::function::{Bound, Kernels};
    use crate::random::Random;

    fn functions() -> Vec<Arc<dyn Bound>> {
        vec![
            Arc::new(Abs),
            Arc::new(Clip::new(-0.3, 1.7).unwrap()),
            Arc::new(Hat),
            Arc::new(HardShrink::new(0.7).unwrap()),
            Arc::new(HardSigmoid),
            // Knots that no number is.
            Arc::new(HardSigmoidAffine::new(0.3, 0.1).unwrap()),
            Arc::new(HardSwish),
            Arc::new(HardTanh),
            Arc::new(Heaviside),
            Arc::new(Prelu::new(0.2).unwrap()),
            Arc::new(Relu),
            Arc::new(Relu2),
            Arc::new(Relu3),
            Arc::new(Relu6),
            Arc::new(SignOf),
            Arc::new(SoftShrink::new(0.1).unwrap()),
            Arc::new(SparsePlus),
            Arc::new(Sqnl),
            Arc::new(Square),
            Arc::new(Ternary::new(0.6).unwrap()),
        ]
    }

    /// The limits for ξ → 0 of the derivatives of a mean: ∂E[g]/∂γ → g′ and ∂E[g]/∂ξ² → ½ g″. They are infinite at a
    /// jump, and the second at a kink.
    fn by_kernels<T: Kernels>(g: &dyn Bound, x: &[T]) -> Vec<[f64; 2]> {
        let zero = vec![T::ZERO; x.len()];
        let mut rows: [Vec<T>; 6] = std::array::from_fn(|_| zero.clone());
        let out = MomentsGradMut::new(rows.each_mut().map(|row| &mut row[..]));
        T::of(g).gradients(x, &zero, out);
        let [_, _, slope, half_bend, ..] = rows;
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let pair = |(a, b): (&T, &T)| [finite(a.to_f64()), finite(2.0 * b.to_f64())];
        slope.iter().zip(&half_bend).map(pair).collect()
    }

    fn agrees<T: Kernels>(g: &dyn Bound, epsilon: f64) {
        let pieces = g.pieces();
        let mut random = Random::new(5);
        let mut x: Vec<f64> = (0..400).map(|_| 3.0 * random.normal()).collect();
        x.extend((-12..=12).map(|i| f64::from(i) / 4.0));
        x.extend([1e-40, -1e-40, 1e6, -1e6]);
        for knot in &pieces.knots {
            let at = T::from_f64(knot.at[0]).to_f64();
            let near = epsilon * at.abs();
            x.extend([knot.at[0], at, at + near, at - near]);
        }
        let x: Vec<T> = x.into_iter().map(T::from_f64).collect();
        let derivatives = pieces.derivatives();
        for (x, expected) in x.iter().zip(by_kernels(g, &x)) {
            let exact = derivatives.at(x.to_f64());
            let found = exact.map(|d| T::from_f64(d).to_f64());
            if pieces.degree() < 2 {
                assert_eq!(found, expected, "{g:?} at {x}");
            }
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() <= 2.0 * epsilon * (1.0 + b.abs()), "{g:?} at {x}: {a}, {b}");
            }
        }
    }

    #[test]
    fn derivatives_are_the_limits_of_the_kernels() {
        for g in functions() {
            agrees::<f64>(&*g, f64::EPSILON);
            agrees::<f32>(&*g, f32::EPSILON.into());
        }
    }

    #[test]
    fn what_is_not_finite_has_limits_or_none() {
        let at = |g: &dyn Bound, x: f64| g.pieces().derivatives().at(x);
        assert_eq!(at(&Relu, f64::INFINITY), [1.0, 0.0]);
        assert_eq!(at(&Relu, f64::NEG_INFINITY), [0.0, 0.0]);
        assert_eq!(at(&Sqnl, f64::INFINITY), [0.0, 0.0]);
        assert_eq!(at(&Square, f64::NEG_INFINITY), [f64::NEG_INFINITY, 2.0]);
        assert!(at(&Relu, f64::NAN).iter().all(|d| d.is_nan()));
    }
}
