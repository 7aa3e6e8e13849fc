//! The law of u given A as weights on nodes.
//!
//! A [part](super::part) of the line is seen from its end that is nearer to γ. At x, in units of ξ from there, the density is
//! φ(√(s² + 2E)) with s the distance of the end from γ and E = sx + x²/2. The part is cut into panels over which E grows by a
//! constant, until nothing is left of the density beside the powers of x that are asked for, and each panel has the nodes of
//! a Gauss–Legendre rule. All weights are positive, so that sums of values of one sign do not cancel.
//!
//! Exponents are taken from that of the nearest end r, s_r²/2: weights are e^(−(s² − s_r²)/2 − E), and the difference of
//! squares is (d − d_r)(d + d_r)/ξ² in words. So nothing underflows, how far A may lie.
//!
//! The function is expanded around the near end of each part, from the nearest place where its coefficients are known. Values
//! are taken less that at the end r, by Horner's scheme in two words around the near end or a known place, whichever is
//! nearer: so the digits of a value are those of its variation, how large the function or how small ξ may be.

use super::number::Number;
use super::part::{Abscissa, Part, Parts};
use crate::Float;
use crate::constants::rules;
use crate::kernel::exponential::density_in_unit;
use crate::kernel::number;
use crate::kernel::pieces::{MAX_DEGREE, Table};
use crate::kernel::{triple, word};
use crate::lanes::double::two_product;

/// A number in two words.
pub(super) type Word<V> = [V; 2];

/// The growth of the exponent over a panel.
const STEP: f64 = 4.0;
/// No panel is wider, in units of ξ.
const WIDEST: f64 = 2.0;
/// No part needs as many panels.
const PANELS: usize = 1000;
/// A panel is longer by this factor rather than that a shorter one follows.
const STRETCH: f64 = 1.25;

/// A node of the law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<V> {
    /// The weight of the node, in the unit of densities.
    pub(super) weight: V,
    /// The value of the function, less that at the nearest end.
    pub(super) value: Word<V>,
    /// The difference of z = (u − γ)/ξ from its value at the nearest end.
    pub(super) distance: Word<V>,
    /// The difference of z² from its value at the nearest end.
    pub(super) square: Word<V>,
}

/// A computation that takes the nodes one after the other.
pub(super) trait Visitor<V> {
    fn visit(&mut self, node: Node<V>);
}

/// The law of u, given A or given the opposite.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a, V: Number> {
    function: &'a Table<'a>,
    /// Where it is not 0 is A; for none, A is the whole line.
    condition: Option<&'a Table<'a>>,
    gamma: f64,
    xi2: V,
    xi: V,
    is_inside: bool,
    /// The nearest end less γ.
    nearest: Word<V>,
    /// The value of the function there.
    level: [V; 3],
}

impl<'a, V: Number> Measure<'a, V> {
    /// The law; nothing for a set without an interval.
    pub(super) fn new(
        function: &'a Table<'a>,
        condition: Option<&'a Table<'a>>,
        gamma: f64,
        xi2: V,
        is_inside: bool,
    ) -> Option<Self> {
        let parts = Parts::new(function, condition, gamma).filter(|p| p.is_inside == is_inside);
        let distances = parts.map(|part| (less::<V>(part.near, [gamma, 0.0, 0.0]), part));
        let nearer = |a: (Word<V>, Part), b: (Word<V>, Part)| {
            if b.0[0].abs().lt(a.0[0].abs()) { b } else { a }
        };
        let (nearest, part) = distances.reduce(nearer)?;
        let level = known_around(function, &part, [number(0.0); 2]).value_at_end();
        Some(Self { function, condition, gamma, xi2, xi: xi2.sqrt(), is_inside, nearest, level })
    }

    /// The value of the function at the nearest end.
    pub(super) fn level(&self) -> Word<V> {
        [self.level[0], self.level[1]]
    }

    /// z at the nearest end: the mean of γ and ξ² less.
    pub(super) fn nearest(&self) -> V {
        self.nearest[0] / self.xi
    }

    /// z² there.
    pub(super) fn nearest_square(&self) -> Word<V> {
        self.over_variance(word::multiply(self.nearest, self.nearest))
    }

    fn over_variance(&self, square: Word<V>) -> Word<V> {
        word::divide(square, [self.xi2, number(0.0)])
    }

    /// Visits all nodes, for sums of products of two values and four distances.
    pub(super) fn visit(&self, visitor: &mut impl Visitor<V>) {
        for part in Parts::new(self.function, self.condition, self.gamma) {
            if part.is_inside == self.is_inside {
                self.visit_part(&part, visitor);
            }
        }
    }

    fn visit_part(&self, part: &Part, visitor: &mut impl Visitor<V>) {
        let zero = number::<V>(0.0);
        let distance = less::<V>(part.near, [self.gamma, 0.0, 0.0]);
        let size = |[high, low]: Word<V>| if high.lt(zero) { [-high, -low] } else { [high, low] };
        let s = distance[0].abs() / self.xi;
        let length = part.far.map(|far| less::<V>(far, part.near)[0].abs() / self.xi);
        let (end, nearest) = (size(distance), size(self.nearest));
        let more = word::subtract(end, nearest);
        let more = self.over_variance(word::multiply(more, word::add(end, nearest)));
        // Nothing is left here beside the density at the nearest end.
        if density_in_unit(more[0], more[1]).equals(zero) {
            return;
        }
        let end = Expansion::new(&known_around(self.function, part, [zero; 2]), &self.level);
        let offset = word::subtract(distance, self.nearest);
        let offset = word::divide(offset, [self.xi, zero]);
        let rule = rule(end.degree);
        let last = number::<V>(farthest_exponent(end.degree));
        let mut x = zero;
        for _ in 0..PANELS {
            let slope = s + x;
            let step = number::<V>(2.0 * STEP);
            // So large a slope has no square.
            let is_steep = number::<V>(1e9).lt(slope);
            let root = if is_steep { slope } else { (slope * slope + step).sqrt() };
            // The root of slope · x + x²/2 = STEP, as a quotient: a difference would cancel for large slopes.
            let mut width = (step / (slope + root)).min(number(WIDEST));
            let ends = length.is_some_and(|length| (length - x).le(width * number(STRETCH)));
            if let (true, Some(length)) = (ends, length) {
                width = length - x;
            }
            let at = |x: V| two_product(if part.is_right { x } else { -x }, self.xi);
            let middle = at(x + width * number(0.5));
            let known = known_around(self.function, part, middle);
            // A polynomial loses the fewest digits around the place that is nearest.
            let is_far = word::add(known.from, middle)[0].abs().lt(middle[0].abs());
            for &[node, _, weight] in rule {
                let x = x + width * number(node);
                // z² less s², without the difference of squares.
                let grown = x * (s + s + x);
                let square = word::add(more, [grown, zero]);
                let weight = density_in_unit(square[0], square[1]) * (width * number(weight));
                let signed = if part.is_right { x } else { -x };
                visitor.visit(Node {
                    weight,
                    value: if is_far { known.less(&self.level, at(x)) } else { end.value(at(x)) },
                    distance: word::add(offset, [signed, zero]),
                    square,
                });
            }
            x = x + width;
            if ends || last.lt(x * (s + x * number(0.5))) {
                break;
            }
        }
    }
}

/// The coefficients of the piece around γ, less the power of two of the table; `None` without any.
pub(super) fn polynomial_at<V: Number>(
    function: &Table<'_>,
    gamma: f64,
) -> Option<[V; MAX_DEGREE + 1]> {
    let mut parts = Parts::new(function, None, gamma);
    let part = parts.find(|part| part.near == [gamma, 0.0, 0.0])?;
    let zero = [number(0.0); 3];
    let around = known_around(function, &part, [number(0.0); 2]);
    Some(Expansion::new(&around, &zero).coefficients.map(|[high, _]| high))
}

/// The place with known coefficients that is nearest to a point of a part, so far from its near end.
fn known_around<'a, V: Number>(table: &'a Table<'a>, part: &Part, x: Word<V>) -> Known<'a, V> {
    let knots = [
        part.piece.checked_sub(1).map(|i| (table.knots[i], table.right_of(i))),
        table.knots.get(part.piece).map(|knot| (*knot, table.left_of(part.piece))),
    ];
    let centers = table.centers.iter().filter(|center| center.piece == part.piece);
    let centers = centers.map(|center| (center.at, center.coefficients));
    let places = knots.into_iter().flatten().chain(centers).map(|(place, coefficients)| {
        let from = less::<V>(part.near, place);
        (word::add(from, x)[0].abs(), Known { from, coefficients })
    });
    let nearest = places.reduce(|a, b| if b.0.lt(a.0) { b } else { a });
    nearest.map_or(Known { from: [number(0.0); 2], coefficients: &[] }, |(_, known)| known)
}

/// A polynomial by its coefficients in the table.
struct Known<'a, V> {
    /// The near end of the part less the place.
    from: Word<V>,
    /// The coefficients in powers of the distance from the place, up to the highest that is not 0.
    coefficients: &'a [[f64; 2]],
}

impl<V: Number> Known<'_, V> {
    /// The value at the near end.
    fn value_at_end(&self) -> [V; 3] {
        let [high, low] = self.from;
        self.terms().rfold([number(0.0); 3], |sum, [c, c_low]| {
            let product = triple::multiply(sum, [high, low, number(0.0)]);
            triple::add(product, [c, c_low, number(0.0)])
        })
    }

    /// The value so far from the near end, less a level.
    fn less(&self, level: &[V; 3], x: Word<V>) -> Word<V> {
        let w = word::add(self.from, x);
        let mut terms = self.terms();
        let constant = terms.next().unwrap_or([number(0.0); 2]);
        horner(terms, w, difference(constant, level))
    }

    /// The coefficients, up to the highest that is not 0: so that a distance may be infinite.
    fn terms(&self) -> impl DoubleEndedIterator<Item = Word<V>> + use<'_, V> {
        let count = self.coefficients.iter().rposition(|c| c[0] != 0.0).map_or(0, |i| i + 1);
        self.coefficients[..count].iter().map(|c| c.map(number::<V>))
    }
}

/// A polynomial around the near end of a part.
struct Expansion<V> {
    degree: usize,
    /// The constant less a level, then the coefficients.
    coefficients: [Word<V>; MAX_DEGREE + 1],
}

impl<V: Number> Expansion<V> {
    fn new(known: &Known<'_, V>, level: &[V; 3]) -> Self {
        let mut c = [[number(0.0); 2]; MAX_DEGREE + 1];
        let mut degree = 0;
        for (i, term) in known.terms().enumerate() {
            (c[i], degree) = (term, i);
        }
        // Where the end is a knot, the table has the coefficients around it.
        if !known.from[0].equals(number(0.0)) {
            for k in 0..degree {
                for j in (k..degree).rev() {
                    c[j] = word::add(c[j], word::multiply(c[j + 1], known.from));
                }
            }
        }
        let [high, low, lowest] = triple::subtract(known.value_at_end(), *level);
        c[0] = [high, low + lowest];
        Self { degree, coefficients: c }
    }

    /// The value so far from the near end, less the level.
    fn value(&self, x: Word<V>) -> Word<V> {
        let terms = self.coefficients[1..=self.degree].iter().copied();
        horner(terms, x, self.coefficients[0])
    }
}

/// The constant and the sum of the terms times ascending powers of a number.
fn horner<V: Number>(
    terms: impl DoubleEndedIterator<Item = Word<V>>,
    w: Word<V>,
    constant: Word<V>,
) -> Word<V> {
    let sum = terms.rev().reduce(|sum, c| word::add(word::multiply(sum, w), c));
    sum.map_or(constant, |sum| word::add(word::multiply(sum, w), constant))
}

/// A number less a level.
fn difference<V: Number>([high, low]: Word<V>, level: &[V; 3]) -> Word<V> {
    let [high, low, _] = triple::subtract([high, low, number(0.0)], *level);
    [high, low]
}

/// a − b in two words.
fn less<V: Number>(a: Abscissa, b: Abscissa) -> Word<V> {
    let [a, b] = [a, b].map(|place| place.map(number::<V>));
    let [high, low, _] = triple::subtract(a, b);
    [high, low]
}

/// How many more powers of u than in the square of the function may be in a sum.
const MORE: usize = 4;

/// The rule for functions of a degree. Over a panel, polynomials of degree 24 stand for the density.
fn rule(degree: usize) -> &'static [rules::Row<f64>] {
    let wanted = (2 * degree + MORE + 24) / 2;
    let largest = rules::F64[rules::F64.len() - 1];
    rules::F64.into_iter().find(|rule| rule.len() >= wanted).unwrap_or(largest)
}

/// The exponent beyond which nothing is left beside the largest term xᵖ e^(−E): E − p ln(E/p) − p = 40 has its root below.
fn farthest_exponent(degree: usize) -> f64 {
    let p = (2 * degree + MORE) as f64;
    40.0 + p + 2.0 * Float::sqrt(40.0 * p)
}
