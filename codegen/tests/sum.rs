//! The sum over knots and pieces, with the numbers of the table, is the derived moment.
//!
//! The numbers of each row are those of the function, rounded once. With the exact ones, the formulas of
//! `gaussform_runtime::kernel::sum` are compared as forms with what the engine derives: for every piece that γ may lie on, around
//! a level.

use gaussform_codegen::Kernel;
use gaussform_codegen::ir::Word;
use gaussform_runtime::kernel::sum::{MAX_DEGREE, Rows, Side, Span};
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Library};
use num_traits::{One, ToPrimitive, Zero};

/// The files of declarations that the library is made of.
const FILES: [&str; 3] = ["activations.gf", "approximations.gf", "splines.gf"];

/// Functions of other kinds: jumps, curves without end, far knots, constants.
const OTHERS: [&str; 6] = [
    "piecewise { x < 1/3: x^3 - 2*x; x < 2: 5 - x^2; else: 7/5*x }",
    "piecewise { x < -1/7: 1; x < 1/7: x^2; x < 1: x^3/3; else: -x }",
    "piecewise { x < 1000: 2*x; x < 1001: x^2 - 998*x; else: 3003 }",
    "1000000 + |x - 1/10|",
    "x^3 - x/3",
    "piecewise { x < 0: -1; x < 1/100: x^3; x < 3: 2; else: x^2 - 1/9 }",
];

/// Coefficients of powers, the constant first.
type Coefficients = Vec<Rational>;

fn rational(numerator: i64) -> Rational {
    Rational::from_integer(numerator.into())
}

fn at(c: &[Rational], i: usize) -> Rational {
    c.get(i).cloned().unwrap_or_else(Zero::zero)
}

fn factorial(n: usize) -> Rational {
    (1..=n).fold(Rational::one(), |product, i| product * rational(i as i64))
}

fn product(a: &[Rational], b: &[Rational]) -> Coefficients {
    let mut all = vec![Rational::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            all[i + j] += x * y;
        }
    }
    all
}

/// In powers of the distance from a place, by repeated division.
fn around(c: &[Rational], place: &Rational) -> Coefficients {
    let mut c = c.to_vec();
    for k in 0..c.len() {
        for j in (k..c.len() - 1).rev() {
            let next = &c[j + 1] * place;
            c[j] += next;
        }
    }
    c
}

/// Without the constant, squared.
fn square_of_rest(c: &[Rational]) -> Coefficients {
    let mut rest = c.to_vec();
    rest[0] = Zero::zero();
    product(&rest, &rest)
}

/// A function as exact numbers.
struct Exact {
    knots: Vec<Rational>,
    pieces: Vec<Coefficients>,
}

impl Exact {
    fn new(activation: &Activation) -> Option<Self> {
        let function = &activation.function;
        let knots = function.knots().iter().map(|knot| knot.rational().cloned());
        let piece = |piece: &Polynomial| {
            let coefficients = piece.coefficients(&Symbol::Variable);
            let mut numbers: Coefficients =
                coefficients.iter().map(|c| c.as_constant()).collect::<Option<_>>()?;
            numbers.resize(numbers.len().max(1), Zero::zero());
            Some(numbers)
        };
        let pieces = function.pieces().iter().map(piece).collect::<Option<_>>()?;
        Some(Self { knots: knots.collect::<Option<_>>()?, pieces })
    }

    /// The function with the knots of a kernel, at some of which nothing changes.
    fn divided(&self, kernel: &Kernel) -> Self {
        let place = |knot: &Word| knot.as_constant().expect("a number").clone();
        let knots: Vec<Rational> = kernel.knots().iter().map(place).collect();
        assert!(self.knots.iter().all(|knot| knots.contains(knot)), "a knot is missing");
        assert!(knots.windows(2).all(|pair| pair[0] < pair[1]), "knots descend");
        // The piece that ends at a knot, and the last one.
        let piece = |end: Option<&Rational>| {
            let before = self.knots.iter().filter(|knot| end.is_none_or(|end| *knot < end)).count();
            self.pieces[before].clone()
        };
        let pieces = knots.iter().map(Some).chain([None]).map(piece).collect();
        Self { knots, pieces }
    }
}

/// Asserts that a number of the table is an exact one, rounded.
fn same(row: f64, exact: &Rational, of: &str) {
    let nearest = exact.to_f64().expect("a number");
    let error = (row - nearest).abs();
    // What double words have left of 0.
    let is_nothing = nearest.abs().max(row.abs()) < 1e-28;
    assert!(is_nothing || error <= f64::EPSILON * nearest.abs(), "{row:e} for {nearest:e} in {of}");
}

/// Asserts that two words are an exact number.
fn same_words(row: [f64; 2], exact: &Rational, of: &str) {
    let words = row.map(|word| Rational::from_float(word).expect("a number"));
    let error = (&words[0] + &words[1]) - exact;
    let error = error.to_f64().expect("a number").abs();
    let size = exact.to_f64().expect("a number").abs();
    assert!(error <= 1e-30 * size + 1e-28, "{row:?} for {size:e} in {of}");
}

fn check_side(side: &Side, exact: &[Rational], of: &str) {
    same_words(side.value, &at(exact, 0), of);
    let square = square_of_rest(exact);
    for (i, row) in side.mean.iter().enumerate() {
        same(*row, &(at(exact, i + 1) * factorial(i + 1)), of);
    }
    for (i, row) in side.square.iter().enumerate() {
        same(*row, &(at(&square, i + 2) * factorial(i + 2)), of);
    }
}

fn check_span(span: &Span, piece: &[Rational], [left, right]: [&Rational; 2], of: &str) {
    let (middle, half) = ((left + right) / rational(2), (right - left) / rational(2));
    same_words(span.middle, &middle, of);
    same(span.half, &half, of);
    let mut power = Rational::one();
    let mut exact = around(piece, &middle);
    for c in &mut exact {
        *c *= &power;
        power *= &half;
    }
    same_words(span.value, &exact[0], of);
    let square = square_of_rest(&exact);
    for (i, row) in span.mean.iter().enumerate() {
        same(*row, &at(&exact, i + 1), of);
    }
    for (i, row) in span.square.iter().enumerate() {
        same(*row, &at(&square, i + 2), of);
    }
}

/// Asserts that the rows are those of the function.
fn check_rows(rows: &Rows<'_>, exact: &Exact, of: &str) {
    for (k, (row, knot)) in rows.knots.iter().zip(&exact.knots).enumerate() {
        same_words([row.at[0], row.at[1]], knot, of);
        for (side, piece) in row.sides.iter().zip(&exact.pieces[k..]) {
            check_side(side, &around(piece, knot), of);
        }
    }
    for (i, row) in rows.pieces.iter().enumerate() {
        let ends = [&exact.knots[i], &exact.knots[i + 1]];
        let piece = &exact.pieces[i + 1];
        check_span(&row.whole, piece, ends, of);
        if let Some(cut) = &row.cut {
            let middle = cut.at.map(|word| Rational::from_float(word).expect("a number"));
            let middle = &middle[0] + &middle[1];
            check_side(&cut.side, &around(piece, &middle), of);
            let share = (&middle - ends[0]) / (ends[1] - ends[0]);
            let share = share.to_f64().expect("a number");
            assert!(share > 0.2 && share < 0.8, "a cut at {share} in {of}");
        }
    }
    for row in rows.places {
        let place = row.at.map(|word| Rational::from_float(word).expect("a number"));
        let place = &place[0] + &place[1];
        let fits = exact.pieces.iter().any(|piece| {
            let c = around(piece, &place);
            (0..MAX_DEGREE).all(|i| {
                let nearest = at(&c, i + 1).to_f64().expect("a number");
                (row.taylor[i] - nearest).abs() <= 1e-12 * nearest.abs() + 1e-30
            })
        });
        assert!(fits, "a place at {} in {of}", row.at[0]);
    }
}

/// The mean of a declared function.
fn mean(text: &str) -> Form {
    let activation = Activation::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    activation.moment(1).expect("a moment").form()
}

/// τ_j of a knot: E[(u − t)ʲ; beyond t]/j!, away from γ.
fn tail(knot: &Rational, j: usize, is_right: bool) -> Form {
    let power = format!("(x - ({knot}))^{j}/({})", factorial(j));
    mean(&if is_right {
        format!("piecewise {{ x < {knot}: 0; else: {power} }}")
    } else {
        format!("piecewise {{ x < {knot}: {power}; else: 0 }}")
    })
}

/// E[a − c; beyond t] and E[(a − c)²; beyond t], as the sum has them.
fn truncated(a: &[Rational], level: &Rational, tails: &[Form]) -> [Form; 2] {
    let value = &a[0] - level;
    let sum = |c: &[Rational], from: usize| {
        let terms = (from..c.len()).map(|j| tails[j].scale(&(&c[j] * factorial(j))));
        terms.fold(Form::zero(), |sum, term| &sum + &term)
    };
    let (mass, m, n) = (&tails[0], sum(a, 1), sum(&square_of_rest(a), 2));
    let first = &mass.scale(&value) + &m;
    let second = &(&first + &m).scale(&value) + &n;
    [first, second]
}

/// Asserts that the sum is the derived moment of g − c and of (g − c)², with γ on any piece.
fn check_sum(exact: &Exact, text: &str) {
    let level = Rational::new(2.into(), 7.into());
    let polynomial = |c: &[Rational]| {
        let terms = c.iter().enumerate().map(|(j, c)| format!("({c})*x^{j}"));
        terms.collect::<Vec<_>>().join(" + ")
    };
    let declared = Activation::parse(&format!("{text} - {level}")).expect("a declaration");
    let derived = [1, 2].map(|n| declared.moment(n).expect("a moment").form());
    let degree = exact.pieces.iter().map(Vec::len).max().unwrap_or(1) - 1;
    for base in 0..exact.pieces.len() {
        let q = polynomial(&exact.pieces[base]);
        let mut sums = [mean(&format!("({q}) - {level}")), mean(&format!("(({q}) - {level})^2"))];
        for (k, knot) in exact.knots.iter().enumerate() {
            let is_right = k >= base;
            let tails: Vec<Form> = (0..=2 * degree).map(|j| tail(knot, j, is_right)).collect();
            for (side, sign) in [(1, 1), (0, -1)] {
                let a = around(&exact.pieces[k + side], knot);
                let sign = rational(if is_right { sign } else { -sign });
                for (sum, part) in sums.iter_mut().zip(truncated(&a, &level, &tails)) {
                    *sum = &*sum + &part.scale(&sign);
                }
            }
        }
        for (n, (sum, derived)) in sums.iter().zip(&derived).enumerate() {
            assert!((sum - derived).is_zero(), "moment {} of {text} around piece {base}", n + 1);
        }
    }
}

fn check(activation: &Activation, text: &str) -> bool {
    let Some(exact) = Exact::new(activation) else { return false };
    let degree = usize::try_from(activation.function.degree()).expect("a degree");
    if degree > MAX_DEGREE || !activation.parameters.is_empty() {
        return false;
    }
    let kernel = Kernel::with_table(activation).expect("a kernel");
    let exact = exact.divided(&kernel);
    kernel.numbers().expect("numbers").with(|table| check_rows(&table.rows, &exact, text));
    true
}

#[test]
fn numbers_are_those_of_the_function() {
    let mut seen = 0;
    for file in FILES {
        let path = format!("{}/../generated/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a file of declarations");
        for activation in Activation::parse_file(&text, &Library::new()).expect("declarations") {
            seen += usize::from(check(&activation, &activation.name));
        }
    }
    assert!(seen > 20, "{seen} functions");
    for text in OTHERS {
        assert!(check(&Activation::parse(text).expect("a declaration"), text));
    }
}

#[test]
fn sums_are_derived_moments() {
    let file = format!("{}/../generated/approximations.gf", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(file).expect("a file of declarations");
    let library = Activation::parse_file(&file, &Library::new()).expect("declarations");
    let library = library.iter().map(|a| (a.clone(), a.declaration()));
    let others = OTHERS.map(|text| (Activation::parse(text).expect("a function"), text.to_owned()));
    for (activation, text) in library.chain(others) {
        // The body of a declaration is an expression.
        let body = text.split_once(") = ").map_or(text.as_str(), |(_, body)| body);
        if let Some(exact) = Exact::new(&activation) {
            check_sum(&exact, &format!("({body})"));
        }
    }
}
