//! The increasing function G with G′ = |g′| and the jumps of g made positive. Its covariances are the scale of
//! errors.

use gaussform_symbolic::exact::ratio;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Case, Error, Knot, Library, Parts, Piecewise};

use super::constant;

/// G with G′ = |g′| and the jumps |jump| for an activation g without parameters.
///
/// # Errors
///
/// If the roots of g′ take too much work.
pub(super) fn rising(g: &Activation) -> Result<Activation, Error> {
    let u = Symbol::Variable;
    let slopes = g.function.pieces().iter().map(|piece| piece.derivative(&u)).collect();
    let steepness = Activation::parse_with("|slope(x)|", &library(g.function.knots(), slopes)?)?;
    let mut knots: Vec<Knot> = g.function.knots().to_vec();
    knots.extend_from_slice(steepness.function.knots());
    knots.sort();
    knots.dedup();
    let steep = steepness.function.pieces();
    let mut pieces = vec![integral(&steep[0])];
    for knot in &knots {
        let at = |piece: &Polynomial| piece.substitute(&u, &knot.polynomial());
        let passed = steepness.function.knots().iter().take_while(|known| *known <= knot);
        let right = integral(&steep[passed.count()]);
        let jump = match g.function.knots().iter().position(|known| known == knot) {
            Some(i) => &at(&g.function.pieces()[i + 1]) - &at(&g.function.pieces()[i]),
            None => Polynomial::zero(),
        };
        let jump = if is_negative(&jump) { -&jump } else { jump };
        // An integral is open by a constant: G goes on where it was on the left, higher by the
        // jump.
        let before = at(pieces.last().expect("the first piece"));
        let shift = &(&before + &jump) - &at(&right);
        pieces.push(&right + &shift);
    }
    assembled(&g.name, knots, pieces)
}

/// The derivative by the name of `slope`.
fn library(knots: &[Knot], slopes: Vec<Polynomial>) -> Result<Library, Error> {
    Ok([("slope".to_owned(), assembled("slope", knots.to_vec(), slopes)?)].into())
}

/// The function that is continuous from the right.
fn assembled(name: &str, knots: Vec<Knot>, pieces: Vec<Polynomial>) -> Result<Activation, Error> {
    let value = |(knot, piece): (&Knot, &Polynomial)| {
        piece.substitute(&Symbol::Variable, &knot.polynomial())
    };
    let at = knots.iter().zip(&pieces[1..]).map(value).collect();
    let function = Piecewise::from_parts(knots, pieces, at).expect("one piece more than knots");
    let parts = Parts {
        name: name.to_owned(),
        parameters: Vec::new(),
        relations: Vec::new(),
        conditions: Vec::new(),
        function,
    };
    parts.assemble().map(|Case { activation, .. }| activation)
}

fn integral(piece: &Polynomial) -> Polynomial {
    let powers = piece.by_powers(&Symbol::Variable);
    powers.iter().fold(Polynomial::zero(), |sum, (exponent, coefficient)| {
        let share = ratio(1, i64::from(*exponent) + 1);
        &sum + &coefficient.scale(&share).shift(&Symbol::Variable, exponent + 1)
    })
}

/// Whether a polynomial in irrational knots is less than 0.
fn is_negative(number: &Polynomial) -> bool {
    constant(number).is_some_and(|value| value < 0.0)
}
