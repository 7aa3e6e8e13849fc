//! Moments seen from one piece: the form that stays accurate in floating point.
//!
//! Let q be the polynomial of a base piece and T = g − q. With Q_k = E\[q⁽ᵏ⁾(u)\] and
//! T_k = ∂ᵏE\[T\]/∂γᵏ, S_k = ∂ᵏE\[T²\]/∂γᵏ,
//!
//! - E\[g\] = Q₀ + T₀,
//! - Var g = Σ_{k≥1} ξ²ᵏ (Q_k² + 2 Q_k T_k)/k! + S₀ − T₀²,
//!
//! and T, T² are polynomials on the other pieces, so their expectations are sums of the
//! tails E\[(σ(u − t))₊ⁿ\]. No difference of large numbers is left when q is the piece near γ.
//! Where γ lies on a narrow piece, q is a constant instead, the value at an end of that piece or that
//! of g around it: its polynomial may be much larger than g elsewhere.
//!
//! These are identities of the derived moments; [`Regime::mean`] and [`Regime::variance`] put
//! them together exactly, and the tests compare.

use num_traits::{One, Signed, Zero};

use crate::domain::Knot;
use crate::exact::{Rational, factorial, integer, ratio};
use crate::moment::{Form, Function};
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// The moments of an activation, rewritten around one of its pieces.
#[derive(Clone, Debug)]
pub struct Regime<'a> {
    function: &'a Piecewise,
    base: usize,
    level: bool,
    polynomial: Polynomial,
}

/// The difference p − q between a piece and the base, on its interval.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The index of the piece.
    pub piece: usize,
    /// The index of the knot of the piece that is nearer to the base piece; of the base piece
    /// itself, the left one.
    pub near: usize,
    /// The index of the other knot, if the piece is bounded.
    pub far: Option<usize>,
    /// Whether the piece lies to the right of its near knot.
    pub right: bool,
    /// p − q as a polynomial in u.
    pub polynomial: Polynomial,
}

impl<'a> Regime<'a> {
    /// The regime of the piece with index `base`: q is its polynomial.
    ///
    /// # Panics
    ///
    /// If there is no such piece.
    #[must_use]
    pub fn new(function: &'a Piecewise, base: usize) -> Self {
        let polynomial = function.pieces()[base].clone();
        Self { function, base, level: false, polynomial }
    }

    /// The regimes around the bounded piece with index `base` in which q is its value at the left
    /// end, and at the right one.
    ///
    /// # Panics
    ///
    /// If there is no such piece.
    #[must_use]
    pub fn ends(function: &'a Piecewise, base: usize) -> [Self; 2] {
        [base - 1, base].map(|end| {
            let end = function.knots()[end].polynomial();
            let value = function.pieces()[base].substitute(&Symbol::Variable, &end);
            Self::at_level(function, base, value)
        })
    }

    /// The regimes around the bounded piece with index `base` of a piecewise linear function in which q
    /// is a constant, each with a piece: the first one whose piece is not narrow is to be taken, or
    /// else the last one.
    ///
    /// Where g has the same value on pieces on both sides, q is that value: nearly all of the mass may be
    /// there, and the variance is small beside T² unless T vanishes there. Elsewhere q is the value at the
    /// left end, or 0 if that is not much larger than what the piece rises by.
    ///
    /// # Panics
    ///
    /// If there is no such piece.
    #[must_use]
    pub fn levels(function: &'a Piecewise, base: usize) -> Vec<(Self, usize)> {
        let pieces = function.pieces();
        let is_flat = |piece: &&Polynomial| piece.degree(&Symbol::Variable) <= 0;
        // Values that parameters may make the same are taken for it.
        let may_be = |a: &Polynomial, b: &Polynomial| {
            (a - b).as_constant().is_none_or(|difference| difference.is_zero())
        };
        let mut levels: Vec<(Self, usize)> = Vec::new();
        for (i, piece) in pieces[..base].iter().enumerate().rev() {
            let is_beyond = is_flat(&piece)
                && pieces[base + 1..].iter().filter(is_flat).any(|p| may_be(p, piece));
            if is_beyond && levels.iter().all(|(level, _)| level.polynomial != *piece) {
                levels.push((Self::at_level(function, base, piece.clone()), i));
            }
        }
        if levels.is_empty() {
            let [left, right] = Self::ends(function, base);
            let rise = (&right.polynomial - &left.polynomial).as_constant();
            let small = left.polynomial.as_constant().zip(rise);
            let small = small.is_some_and(|(level, rise)| level.abs() <= rise.abs() * integer(2));
            let zero = || Self::at_level(function, base, Polynomial::zero());
            levels.push((if small { zero() } else { left }, base - 1));
        }
        levels
    }

    fn at_level(function: &'a Piecewise, base: usize, level: Polynomial) -> Self {
        Self { function, base, level: true, polynomial: level }
    }

    /// q
    #[must_use]
    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }

    /// p − q on the pieces on which g differs from q; on all of them where q is a constant.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let pieces = self.function.pieces().iter().enumerate();
        pieces
            .map(|(piece, polynomial)| {
                let right = piece > self.base || (self.level && piece == self.base);
                let [left, other] =
                    [piece.checked_sub(1), (piece < self.function.knots().len()).then_some(piece)];
                let (near, far) = if right { (left, other) } else { (other, left) };
                (piece, near, far, right, polynomial - self.polynomial())
            })
            .filter(|(.., polynomial)| self.level || !polynomial.is_zero())
            .filter_map(|(piece, near, far, right, polynomial)| {
                Some(Difference { piece, near: near?, far, right, polynomial })
            })
            .collect()
    }

    /// Q_k = E\[q⁽ᵏ⁾(u)\] = Σⱼ ξ²ʲ q⁽ᵏ⁺²ʲ⁾(γ)/(2ʲ j!), as the coefficients of ξ²ʲ: polynomials in u
    /// to be taken at u = γ.
    #[must_use]
    pub fn smooth(polynomial: &Polynomial, k: u32) -> Vec<Polynomial> {
        let derivative = |p: &Polynomial| p.derivative(&Symbol::Variable);
        let mut current = (0..k).fold(polynomial.clone(), |p, _| derivative(&p));
        let mut coefficients = Vec::new();
        let mut scale = Rational::one();
        while !current.is_zero() {
            coefficients.push(current.scale(&scale));
            current = derivative(&derivative(&current));
            scale /= integer(2 * i64::try_from(coefficients.len()).expect("a small degree"));
        }
        coefficients
    }

    /// E\[g\], put together from this regime.
    #[must_use]
    pub fn mean(&self) -> Form {
        &smooth_form(self.polynomial(), 0) + &self.tails(0, |d| d.clone())
    }

    /// Var g, put together from this regime.
    #[must_use]
    pub fn variance(&self) -> Form {
        let degree = u32::try_from(self.polynomial().degree(&Symbol::Variable)).unwrap_or(0);
        let first = self.tails(0, |d| d.clone());
        let mut sum = &self.tails(0, |d| d * d) - &(&first * &first);
        for k in 1..=degree {
            let q = smooth_form(self.polynomial(), k);
            let t = self.tails(k, |d| d.clone());
            let power = Polynomial::power(Symbol::Xi2, i32::try_from(k).expect("a small degree"));
            let both = &(&q * &q) + &(&q * &t).scale(&integer(2));
            sum = &sum + &both.multiply(&power).scale(&factorial(k).recip());
        }
        sum
    }

    /// ∂ᵏ/∂γᵏ of the expectation of `of`(T), from the tails at the knots.
    fn tails(&self, k: u32, of: impl Fn(&Polynomial) -> Polynomial) -> Form {
        let mut sum = Form::zero();
        for difference in self.differences() {
            let polynomial = of(&difference.polynomial);
            let knot = |i: usize| &self.function.knots()[i];
            sum = &sum + &tail(&polynomial, knot(difference.near), difference.right);
            // A bounded piece is what lies beyond its near knot, less what lies beyond the far
            // one.
            if let Some(far) = difference.far {
                sum = &sum - &tail(&polynomial, knot(far), difference.right);
            }
        }
        (0..k).fold(sum, |form, _| form.derivative(&Symbol::Gamma))
    }
}

fn smooth_form(polynomial: &Polynomial, k: u32) -> Form {
    let gamma = Polynomial::symbol(Symbol::Gamma);
    let terms = (0..).zip(Regime::smooth(polynomial, k));
    let sum = terms.fold(Polynomial::zero(), |sum, (j, coefficient)| {
        &sum + &coefficient.substitute(&Symbol::Variable, &gamma).shift(&Symbol::Xi2, j)
    });
    sum.into()
}

/// E\[p(u) 1{u beyond t}\], beyond meaning to the right or to the left.
///
/// With Kₙ = E\[(σ(u−t))₊ⁿ\]: K₀ = ½(1 + σE_t), K₁ = σ(γ−t) K₀ + ½ G_t and
/// Kₙ = σ(γ−t) Kₙ₋₁ + (n−1) ξ² Kₙ₋₂.
fn tail(polynomial: &Polynomial, knot: &Knot, right: bool) -> Form {
    let sigma = integer(if right { 1 } else { -1 });
    let half = ratio(1, 2);
    let erf = Form::term(Polynomial::constant(&half * &sigma), Function::Erf(knot.clone()));
    let offset = (&Polynomial::symbol(Symbol::Gamma) - &knot.polynomial()).scale(&sigma);
    let mut current = &Form::from(Polynomial::constant(half.clone())) + &erf;
    let mut next = &current.multiply(&offset)
        + &Form::term(Polynomial::constant(half), Function::Gauss(knot.clone()));
    let mut sum = Form::zero();
    let mut power = Polynomial::one();
    for (n, coefficient) in (1..).zip(polynomial.taylor(&Symbol::Variable, &knot.polynomial())) {
        sum = &sum + &current.multiply(&(&coefficient * &power));
        let lower = current.multiply(&Polynomial::symbol(Symbol::Xi2)).scale(&integer(n));
        let after = &next.multiply(&offset) + &lower;
        (current, next) = (next, after);
        // (u − t)ⁿ is σⁿ (σ(u − t))ⁿ.
        power = power.scale(&sigma);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    #[test]
    fn every_regime_is_the_derived_moment() {
        for text in [
            "max(0, x)",
            "g(x; eps) = piecewise { x < 0: eps*x; else: x }",
            "clamp(x, -1, 1)",
            "max(0, 1 - |x|)",
            "max(0, x)^2",
            "step(x - 1/3)",
            "x*|x|",
            "x*clamp(x + 3, 0, 6)/6",
            "||x| - 1|^3 + x^2",
            "|x^2 - 2|",
            "max(x^3 - x, 1)",
            "g(x; a < b) = clamp(x, a, b)",
            "g(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
        ] {
            let activation = Activation::parse(text).expect("a valid activation");
            let mean = activation.moment(1).expect("a low order");
            let variance = activation.variance().expect("little work");
            for base in 0..activation.function.pieces().len() {
                let regime = Regime::new(&activation.function, base);
                assert_eq!(regime.mean(), mean.form(), "mean of {text}, base {base}");
                assert_eq!(regime.variance(), variance.form(), "variance of {text}, base {base}");
            }
        }
    }
}
