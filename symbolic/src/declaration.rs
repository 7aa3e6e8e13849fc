//! An activation as a text of the language, from which the same activation is read.

use crate::activation::Activation;
use crate::domain::{BITS, Domain, Knot};
use crate::exact::Rational;
use crate::piecewise::{Piecewise, value_at};
use crate::polynomial::{Algebraic, Polynomial, Symbol};
use crate::render::source;

impl Activation {
    /// The declaration on one line, in normal form: pieces from left to right, calls written out.
    /// Reading it gives the same activation, less the documentation.
    ///
    /// ```
    /// # use gaussform_symbolic::Activation;
    /// let clip = Activation::parse("clip(x; low < high) = clamp(x, low, high)")?;
    /// assert_eq!(
    ///     clip.declaration(),
    ///     "clip(x; low, high, low < high) = piecewise { x < low: low; x < high: x; else: high }"
    /// );
    /// assert_eq!(Activation::parse(&clip.declaration())?, clip);
    /// # Ok::<(), gaussform_symbolic::Error>(())
    /// ```
    ///
    /// An irrational knot is told by its polynomial, between two numbers that have no other root of it
    /// between them. Names from elsewhere that the language lacks, such as `α`, stay as they are. A text of
    /// more than [`Limit::Nodes`](crate::Limit::Nodes) is not read again.
    #[must_use]
    pub fn declaration(&self) -> String {
        let variable = self.variable();
        let domains = self.parameters.iter().map(ToString::to_string);
        let relations = self.relations.iter().map(ToString::to_string);
        let parameters = domains.chain(relations).collect::<Vec<_>>().join(", ");
        let separator = if parameters.is_empty() { "" } else { "; " };
        let body = Writer { variable: &variable }.function(&self.pointwise, &self.domain);
        format!("{}({variable}{separator}{parameters}) = {body}", self.name)
    }

    /// A name for the variable that no parameter has.
    fn variable(&self) -> String {
        let taken = |name: &str| self.parameters.iter().any(|parameter| &*parameter.name == name);
        let mut name = "x".to_owned();
        while taken(&name) {
            name.push('_');
        }
        name
    }
}

/// Writes parts of a function of a variable.
struct Writer<'a> {
    variable: &'a str,
}

impl Writer<'_> {
    fn function(&self, function: &Piecewise, domain: &Domain) -> String {
        let pieces = function.pieces();
        let enclosures = enclosures(function.knots(), domain);
        let mut branches = String::new();
        for (i, knot) in function.knots().iter().enumerate() {
            let junction = Junction { left: &pieces[i], right: &pieces[i + 1], knot };
            let value = &function.at_knots()[i];
            branches.push_str(&match knot {
                Knot::Algebraic(root) => self.around(root, &enclosures[i], &junction, value),
                place => {
                    let place = source::knot(place);
                    self.branches(self.variable, &place, &junction, value)
                }
            });
        }
        let last = self.polynomial(&pieces[pieces.len() - 1]);
        if branches.is_empty() { last } else { format!("piecewise {{ {branches}else: {last} }}") }
    }

    /// The branches of `piecewise` for the piece on the left of a knot, and for the value on the knot where neither
    /// piece has it. Left of the knot `test` is less than `bound`, and on the knot it is equal to `bound`.
    fn branches(
        &self,
        test: &str,
        bound: &str,
        junction: &Junction<'_>,
        value: &Polynomial,
    ) -> String {
        let branch = |sign: &str, value: &Polynomial| {
            format!("{test} {sign} {bound}: {}; ", self.polynomial(value))
        };
        let [left, right] =
            [junction.left, junction.right].map(|piece| value_at(piece, junction.knot) == *value);
        match (left, right) {
            // The value on the knot is that of the right piece, whose branch comes next.
            (_, true) => branch("<", junction.left),
            (true, false) => branch("<=", junction.left),
            (false, false) => branch("<", junction.left) + &branch("<=", &at_itself(value)),
        }
    }

    /// All that is left of the upper of two numbers around an irrational knot.
    fn around(
        &self,
        root: &Algebraic,
        bounds: &[Knot; 2],
        junction: &Junction<'_>,
        value: &Polynomial,
    ) -> String {
        let minimal = root.minimal();
        let coefficients = minimal.coefficients().iter().cloned().map(Rational::from_integer);
        let polynomial = Polynomial::free(coefficients.collect());
        // The knot is the only root between its bounds, so up to it the sign is that at the lower
        // bound.
        let rises = bounds[0].rational().is_none_or(|below| minimal.sign_at(below) < 0);
        let test = self.polynomial(&if rises { polynomial } else { -&polynomial });
        let inner = self.branches(&test, "0", junction, value);
        let [left, right] = [junction.left, junction.right].map(|piece| self.polynomial(piece));
        let (x, [below, above]) = (self.variable, bounds.each_ref().map(source::knot));
        format!("{x} <= {below}: {left}; {x} < {above}: piecewise {{ {inner}else: {right} }}; ")
    }

    fn polynomial(&self, polynomial: &Polynomial) -> String {
        let variable = Polynomial::symbol(Symbol::Parameter(self.variable.into()));
        source::polynomial(&polynomial.substitute(&Symbol::Variable, &variable))
    }
}

/// Two pieces and the knot between them.
struct Junction<'a> {
    left: &'a Polynomial,
    right: &'a Polynomial,
    knot: &'a Knot,
}

/// A value on an irrational knot as a polynomial in the variable, which is the knot there.
fn at_itself(value: &Polynomial) -> Polynomial {
    value.replaced(|symbol, exponent| match symbol {
        Symbol::Root(_) => Polynomial::power(Symbol::Variable, exponent),
        other => Polynomial::power(other.clone(), exponent),
    })
}

/// Numbers around each irrational knot, of few digits: between them lie no other knot and no other root of
/// its polynomial.
fn enclosures(knots: &[Knot], domain: &Domain) -> Vec<[Knot; 2]> {
    let mut bits = 2;
    loop {
        let bounds = |knot: &Knot| match knot {
            Knot::Algebraic(root) => {
                let (below, above) = root.enclosure(bits);
                [below, above].map(Knot::new)
            }
            place => [place.clone(), place.clone()],
        };
        let bounds: Vec<[Knot; 2]> = knots.iter().map(bounds).collect();
        let ascend = |pair: &[[Knot; 2]]| match domain.order(&pair[0][1], &pair[1][0]) {
            Ok(order) => order.is_le(),
            // The order of knots themselves follows from numbers of so many digits.
            Err(_) => bits >= BITS,
        };
        let mut pairs = knots.iter().zip(&bounds);
        if bounds.windows(2).all(ascend) && pairs.all(|(knot, bounds)| is_alone(knot, bounds)) {
            return bounds;
        }
        bits *= 2;
    }
}

/// Whether no other root of the polynomial of an irrational knot lies between the numbers.
fn is_alone(knot: &Knot, [below, above]: &[Knot; 2]) -> bool {
    let Knot::Algebraic(root) = knot else { return true };
    let others = Algebraic::roots_of(root.minimal()).into_iter().filter(|other| other != root);
    others.map(Knot::Algebraic).all(|other| other < *below || other > *above)
}
