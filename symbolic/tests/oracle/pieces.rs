//! The other side's reading of the syntax tree: piecewise polynomials in z = (u − γ)/ξ on a
//! window, with floats for break points and coefficients.
//!
//! Only integrals are asked for, so a break too many does no harm, nor does a double root that
//! is missed or found twice.

use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Expression, ExpressionKind, Input, parse_input,
};

use super::Normal;
use super::real::{Real, real, rounded, whole};

/// The window reaches this far on both sides of 0.
pub(crate) const REACH: i64 = 24;
/// Coefficients and distances below this are errors of rounding: 60 digits.
const NOISE: f64 = 1e-60;
/// And values of a polynomial below this, relative to the sum of its terms' sizes.
const ZERO: f64 = 1e-80;

/// One value per interval between ascending break points.
#[derive(Clone)]
pub(crate) struct Pieces<T> {
    pub(crate) breaks: Vec<Real>,
    pub(crate) values: Vec<T>,
}

impl<T> Pieces<T> {
    fn new(value: T) -> Self {
        Self { breaks: Vec::new(), values: vec![value] }
    }

    fn map<R>(&self, operation: impl Fn(&T) -> R) -> Pieces<R> {
        let values = self.values.iter().map(operation).collect();
        Pieces { breaks: self.breaks.clone(), values }
    }

    fn zip<S, R>(&self, other: &Pieces<S>, operation: impl Fn(&T, &S) -> R) -> Pieces<R> {
        let (mut i, mut j) = (0, 0);
        let mut result = Pieces::new(operation(&self.values[0], &other.values[0]));
        while i < self.breaks.len() || j < other.breaks.len() {
            let (left, right) = (self.breaks.get(i), other.breaks.get(j));
            let gap = match (left, right) {
                (Some(left), Some(right)) => (left - right).to_f64(),
                (Some(_), None) => -1.0,
                _ => 1.0,
            };
            result.breaks.extend(if gap < NOISE { left } else { right }.cloned());
            i += usize::from(gap < NOISE);
            j += usize::from(gap > -NOISE);
            result.values.push(operation(&self.values[i], &other.values[j]));
        }
        result
    }

    /// Every interval with its ends.
    pub(crate) fn intervals(&self) -> impl Iterator<Item = (Real, Real, &T)> {
        let end = |i: usize| self.breaks.get(i).cloned();
        self.values.iter().enumerate().map(move |(i, value)| {
            let from = i.checked_sub(1).and_then(end).unwrap_or_else(|| whole(-REACH));
            (from, end(i).unwrap_or_else(|| whole(REACH)), value)
        })
    }
}

impl Pieces<Polynomial> {
    /// The function of a bare expression in x, as one of z.
    pub(crate) fn read(text: &str, normal: &Normal) -> Self {
        let Ok(Input::Expression(expression)) = parse_input(text) else {
            panic!("{text} is no expression");
        };
        let variable = Polynomial(vec![real(&normal.gamma), real(&normal.xi)]);
        Reader(Pieces::new(variable)).value(&expression)
    }

    /// The value at a point that is no break.
    pub(crate) fn at(&self, z: &Real) -> Real {
        let before = self.breaks.iter().take_while(|place| *place < z).count();
        self.values[before].at(z)
    }

    /// Whether the function jumps somewhere.
    pub(crate) fn jumps(&self) -> bool {
        let mut sides = self.breaks.iter().zip(self.values.windows(2));
        sides.any(|(place, sides)| {
            let jump = &sides[0].at(place) - &sides[1].at(place);
            jump.to_f64().abs() > NOISE.sqrt()
        })
    }

    fn plus(&self, other: &Self) -> Self {
        self.zip(other, Polynomial::plus)
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&other.map(|value| value.times(&constant(-1))))
    }

    fn times(&self, other: &Self) -> Self {
        self.zip(other, Polynomial::times)
    }

    fn sign(&self) -> Pieces<i8> {
        let mut signs: Pieces<i8> = Pieces { breaks: Vec::new(), values: Vec::new() };
        for (from, to, polynomial) in self.intervals() {
            let mut ends = vec![from];
            ends.extend(polynomial.roots(&ends[0], &to));
            ends.push(to);
            for pair in ends.windows(2) {
                let sign = polynomial.sign(&(&(&pair[0] + &pair[1]) * &rounded(0.5)));
                if signs.values.last() != Some(&sign) {
                    if !signs.values.is_empty() {
                        signs.breaks.push(pair[0].clone());
                    }
                    signs.values.push(sign);
                }
            }
        }
        signs
    }

    fn modulus(&self) -> Self {
        self.zip(&self.sign(), |value, sign| value.times(&constant(i64::from(*sign))))
    }

    /// The larger of the two where `side` is 1, the smaller where it is −1.
    fn extreme(&self, other: &Self, side: i8) -> Self {
        let order = self.minus(other).sign();
        let first = order.map(|sign| sign * side > 0);
        first.choose(self, other)
    }
}

impl Pieces<bool> {
    fn choose(&self, yes: &Pieces<Polynomial>, no: &Pieces<Polynomial>) -> Pieces<Polynomial> {
        let no = self.zip(no, |holds, no| (!holds).then(|| no.clone()));
        no.zip(yes, |no, yes| no.as_ref().unwrap_or(yes).clone())
    }
}

/// The coefficients of z⁰, z¹, …
#[derive(Clone)]
pub(crate) struct Polynomial(pub(crate) Vec<Real>);

fn constant(value: i64) -> Polynomial {
    Polynomial(vec![whole(value)])
}

impl Polynomial {
    fn new(mut coefficients: Vec<Real>) -> Self {
        while coefficients.last().is_some_and(|last| last.to_f64().abs() < NOISE) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    fn plus(&self, other: &Self) -> Self {
        let (long, short) =
            if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut sum = long.0.clone();
        for (a, b) in sum.iter_mut().zip(&short.0) {
            *a = &*a + b;
        }
        Self::new(sum)
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = vec![whole(0); (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = &product[i + j] + &(a * b);
            }
        }
        Self::new(product)
    }

    fn derivative(&self) -> Self {
        let slopes = (1..).zip(self.0.iter().skip(1)).map(|(k, c)| &whole(k) * c);
        Self(slopes.collect())
    }

    pub(crate) fn at(&self, z: &Real) -> Real {
        self.0.iter().rev().fold(whole(0), |value, c| &(&value * z) + c)
    }

    /// The sign at a point; 0 too where rounding leaves none.
    fn sign(&self, z: &Real) -> i8 {
        let value = self.at(z).to_f64();
        let at = z.to_f64().abs();
        let size = self.0.iter().rev().fold(0.0, |size, c| size * at + c.to_f64().abs());
        i8::from(value > ZERO * size) - i8::from(value < -ZERO * size)
    }

    /// The roots strictly between two points, ascending. Between the roots of its derivative a
    /// polynomial is monotone; one of them is a root itself where it is a multiple one.
    fn roots(&self, from: &Real, to: &Real) -> Vec<Real> {
        let slope = self.derivative();
        if slope.0.is_empty() {
            return Vec::new();
        }
        let mut ends = slope.roots(from, to);
        ends.push(to.clone());
        let mut roots = Vec::new();
        let (mut left, mut before) = (from.clone(), self.sign(from));
        for (i, right) in ends.iter().enumerate() {
            let after = self.sign(right);
            if before * after < 0 {
                roots.push(self.root_between(&slope, left, right.clone(), before));
            }
            if after == 0 && i + 1 < ends.len() {
                roots.push(right.clone());
            }
            (left, before) = (right.clone(), after);
        }
        roots
    }

    /// Newton's method, kept between two points by bisection; `before` is the sign at the first.
    fn root_between(&self, slope: &Self, mut left: Real, mut right: Real, before: i8) -> Real {
        let half = rounded(0.5);
        let mut at = self.guess(left.to_f64(), right.to_f64(), before);
        for _ in 0..400 {
            let inside = left < at && at < right;
            if !inside {
                at = &(&left + &right) * &half;
            }
            let value = self.at(&at);
            if (value.to_f64() > 0.0) == (before > 0) {
                left = at.clone();
            } else {
                right = at.clone();
            }
            let step = &value / &slope.at(&at);
            at = &at - &step;
            if step.to_f64().abs() < ZERO {
                break;
            }
        }
        at
    }

    /// Bisection in machine numbers.
    fn guess(&self, mut left: f64, mut right: f64, before: i8) -> Real {
        let coefficients: Vec<f64> = self.0.iter().map(Real::to_f64).collect();
        for _ in 0..60 {
            let middle = f64::midpoint(left, right);
            let value = coefficients.iter().rev().fold(0.0, |value, c| value * middle + c);
            *if (value > 0.0) == (before > 0) { &mut left } else { &mut right } = middle;
        }
        rounded(left)
    }
}

/// Reads expressions, given what x is.
struct Reader(Pieces<Polynomial>);

impl Reader {
    fn value(&self, expression: &Expression) -> Pieces<Polynomial> {
        match &expression.kind {
            ExpressionKind::Number(value) => Pieces::new(Polynomial(vec![real(value)])),
            ExpressionKind::Name(_) => self.0.clone(),
            ExpressionKind::Negation(a) => number(0).minus(&self.value(a)),
            ExpressionKind::Modulus(a) => self.value(a).modulus(),
            ExpressionKind::Binary(operator, left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                match operator {
                    BinaryOperator::Add => a.plus(&b),
                    BinaryOperator::Subtract => a.minus(&b),
                    BinaryOperator::Multiply => a.times(&b),
                    BinaryOperator::Divide => {
                        let inverse = &whole(1) / &b.values[0].0[0];
                        a.times(&Pieces::new(Polynomial(vec![inverse])))
                    }
                    BinaryOperator::Power => {
                        let exponent = b.values[0].0.first().map_or(0.0, Real::to_f64);
                        (0..exponent as usize).fold(number(1), |power, _| power.times(&a))
                    }
                }
            }
            ExpressionKind::Call(name, arguments) => {
                let values: Vec<_> = arguments.iter().map(|a| self.value(a)).collect();
                call(&name.text, &values)
            }
            ExpressionKind::Piecewise(branches, otherwise) => {
                branches.iter().rev().fold(self.value(otherwise), |rest, (condition, value)| {
                    self.holds(condition).choose(&self.value(value), &rest)
                })
            }
        }
    }

    fn holds(&self, condition: &Condition) -> Pieces<bool> {
        let mut left = self.value(&condition.first);
        let mut holds = Pieces::new(true);
        for (comparison, right) in &condition.rest {
            let right = self.value(right);
            let one = left.minus(&right).sign().map(|sign| match comparison {
                Comparison::Less => *sign < 0,
                Comparison::LessEqual => *sign <= 0,
                Comparison::Greater => *sign > 0,
                Comparison::GreaterEqual => *sign >= 0,
            });
            holds = holds.zip(&one, |a, b| *a && *b);
            left = right;
        }
        holds
    }
}

fn number(value: i64) -> Pieces<Polynomial> {
    Pieces::new(constant(value))
}

fn call(name: &str, values: &[Pieces<Polynomial>]) -> Pieces<Polynomial> {
    let fold = |side| {
        let (first, rest) = values.split_first().expect("an argument");
        rest.iter().fold(first.clone(), |best, value| best.extreme(value, side))
    };
    match (name, values) {
        ("max", _) => fold(1),
        ("min", _) => fold(-1),
        ("clamp", [a, low, high]) => a.extreme(low, 1).extreme(high, -1),
        ("relu", [a]) => a.extreme(&number(0), 1),
        ("abs", [a]) => a.modulus(),
        ("step", [a]) => a.sign().map(|sign| constant(i64::from(*sign > 0))),
        ("sign", [a]) => a.sign().map(|sign| constant(i64::from(*sign))),
        _ => panic!("no function `{name}`"),
    }
}
