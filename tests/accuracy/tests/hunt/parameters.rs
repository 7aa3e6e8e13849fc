//! Random functions with parameters: knots that move together and apart, slopes and heights that are computed.

use std::collections::BTreeMap;

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::{Real, float, to_f64};
use gaussform_codegen::Kernel;
use gaussform_runtime::ParameterGrad;
use gaussform_symbolic::Activation as Declared;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;

use super::measure::point;
use super::setting;
use super::subject::{fraction, function, text};
use super::tally::{Points, Tally};

/// The parameters: the place of all, the unit of widths, and a coefficient.
const NAMES: [&str; 3] = ["a", "w", "b"];

/// 2 to minus this is the step of the differences, of which the error is its square.
const STEP: i32 = 200;

/// A random declaration.
fn declaration(random: &mut Random) -> String {
    let count = 1 + random.draw() % 5;
    let mut multiples: Vec<(i64, i64)> = (0..count).map(|_| fraction(random, 4, &[1, 2])).collect();
    multiples.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    multiples.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    let places: Vec<String> = multiples.iter().map(|&m| format!("a + ({})*w", text(m))).collect();
    let degree = 1 + random.draw() % 3;
    let mut coefficient = || {
        let number = text(fraction(random, 3, &[1, 2, 5]));
        match random.draw() % 4 {
            0 => format!("({number} + b)"),
            1 => format!("({number})*b"),
            2 => format!("({number})*w"),
            _ => format!("({number})"),
        }
    };
    let body = if coefficient().len().is_multiple_of(2) {
        let first = coefficient();
        let hinges = places
            .iter()
            .map(|place| format!(" + {}*max(0, x - ({place}))^{degree}", coefficient()));
        format!("{first}*x{}", hinges.collect::<String>())
    } else {
        let pieces = (0..=places.len()).map(|i| {
            let place = places.get(i.saturating_sub(1)).map_or("a", String::as_str);
            let terms = (0..=degree).map(|j| format!("{}*(x - ({place}))^{j}", coefficient()));
            let end = places.get(i).map_or("else".to_owned(), |place| format!("x < {place}"));
            format!("{end}: {}; ", terms.collect::<Vec<_>>().join(" + "))
        });
        format!("piecewise {{ {}}}", pieces.collect::<String>())
    };
    format!("f(x; a, w > 0, b) = {body}")
}

/// Values of the parameters.
fn values(random: &mut Random) -> [f64; 3] {
    let a = match random.draw() % 3 {
        0 => random.between(-2.0, 2.0),
        1 => random.between(-1e4, 1e4),
        _ => 10_f64.powf(random.between(-9.0, 0.0)),
    };
    [a, 10_f64.powf(random.between(-6.0, 1.0)), random.between(-2.0, 2.0)]
}

fn exact(values: [f64; 3]) -> BTreeMap<Symbol, Rational> {
    let number = |x: f64| Rational::from_float(x).expect("finite");
    NAMES.into_iter().zip(values).map(|(n, x)| (Symbol::Parameter(n.into()), number(x))).collect()
}

/// The function for values, one of which moves by so many steps.
fn moved(declared: &Declared, values: [f64; 3], which: usize, steps: i64) -> Function {
    let mut exact = exact(values);
    let step = (0..STEP)
        .fold(Rational::from_integer(steps.into()), |s, _| s / Rational::from_integer(2.into()));
    *exact.get_mut(&Symbol::Parameter(NAMES[which].into())).expect("a parameter") += step;
    let fixed = declared.with_values(&exact).expect("values of the domain");
    function(&declared.name, &fixed.function)
}

/// The derivatives of mean, second moment and variance in a parameter, as differences, and what errors are measured
/// against: the standard deviation of what moves, √E\[ġ²\] and √Var g times that, with jumps that move.
fn derivatives(
    oracle: &Oracle,
    declared: &Declared,
    values: [f64; 3],
    which: usize,
    [gamma, xi2]: [f64; 2],
) -> ([f64; 3], [f64; 3]) {
    let at = |steps| oracle.truth(&moved(declared, values, which, steps), gamma, xi2).values;
    let ([up, here, down], bits) = ([at(1), at(0), at(-1)], 1000);
    let mut half = float(0.5, bits);
    for _ in 0..STEP {
        half = &half * &float(2.0, bits);
    }
    let difference = |i: usize| -> Real { &(&up[i] - &down[i]) * &half };
    let truth = [0, 1, 2].map(|i| to_f64(&difference(i)));
    let symbol = Symbol::Parameter(NAMES[which].into());
    let exact = exact(values);
    let rate = rate(declared, &symbol, &exact);
    let square = to_f64(&oracle.truth(&rate, gamma, xi2).values[1]);
    let [mean, second, variance] = [0, 1, 2].map(|i| to_f64(&here[i]));
    let (mut flux, mut level_flux) = (0.0, 0.0);
    let fixed = declared.with_values(&exact).expect("values of the domain").function;
    let at_knot = |p: &gaussform_symbolic::polynomial::Polynomial, t: &Rational| -> f64 {
        let t = gaussform_symbolic::polynomial::Polynomial::constant(t.clone());
        let value = p.substitute(&Symbol::Variable, &t).as_constant().expect("a number");
        to_f64(&gaussform_accuracy::real::ratio(&value.to_string()))
    };
    for (knot, sides) in fixed.knots().iter().zip(fixed.pieces().windows(2)) {
        let t = knot.rational().expect("rational");
        let place = to_f64(&gaussform_accuracy::real::ratio(&t.to_string()));
        let moves = declared.function.knots().iter().any(|k| {
            let p = k.polynomial();
            p.evaluate(&exact).as_ref() == Some(t) && !p.derivative(&symbol).is_zero()
        });
        let z = (place - gamma) / xi2.sqrt();
        let density = (-0.5 * z * z).exp() / (std::f64::consts::TAU * xi2).sqrt();
        let [left, right] = [at_knot(&sides[0], t), at_knot(&sides[1], t)];
        // A motion of a knot of a or w is at most some units.
        let jump = if moves { 4.0 * (right - left).abs() * density } else { 0.0 };
        flux += jump;
        level_flux += jump * ((left - mean).abs() + (right - mean).abs());
    }
    let size = square.sqrt() + flux;
    let deviation = variance.sqrt() * square.sqrt() + level_flux;
    (truth, [size, second.sqrt() * size + deviation, deviation])
}

/// ∂g/∂θ at a fixed place.
fn rate(declared: &Declared, symbol: &Symbol, exact: &BTreeMap<Symbol, Rational>) -> Function {
    use gaussform_accuracy::real::ratio;
    let number = |p: &gaussform_symbolic::polynomial::Polynomial| {
        ratio(&p.evaluate(exact).expect("a number").to_string())
    };
    let function = &declared.function;
    let pieces = function.pieces().iter().map(|piece| {
        let rate = piece.derivative(symbol);
        rate.coefficients(&Symbol::Variable).iter().map(&number).collect()
    });
    let knots = function.knots().iter().map(|knot| number(&knot.polynomial()));
    Function::new("rate", knots.collect(), pieces.collect())
}

#[test]
fn no_function_with_parameters_is_wrong() {
    const POINTS: usize = 6;
    let functions = setting("GAUSSFORM_HUNT", 400) / 4;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1));
    let oracle = Oracle::new(1000);
    let (mut moments, mut rates) = (Tally::default(), Tally::default());
    for _ in 0..functions {
        let text = declaration(&mut random);
        let declared = Declared::parse(&text).expect("a declaration");
        let kernel = Kernel::new(&declared).expect("a kernel");
        let names: Vec<_> = declared.parameters.iter().map(|p| p.name.to_string()).collect();
        assert_eq!(names, NAMES);
        let values = values(&mut random);
        let fixed = declared.with_values(&exact(values)).expect("values of the domain");
        let truth_of = function(&text, &fixed.function);
        let mut knots: Vec<f64> = truth_of.knots.iter().map(to_f64).collect();
        if knots.is_empty() {
            knots.push(values[0]);
        }
        let points = Points::new(POINTS, |is_single| point(&mut random, &knots, is_single));
        let name = format!("{text}, {values:?}");
        moments.compare(&name, (&kernel, &values), (&oracle, &truth_of), &points);
        let fixed = kernel.fixed(&values);
        let first = points.doubles[0];
        let [gamma, xi2] = first;
        let gradients = fixed.parameter_grad(gamma, xi2);
        for (which, ParameterGrad { dmean, dsecond, dvariance }) in
            gradients.into_iter().enumerate()
        {
            let (truth, scales) = derivatives(&oracle, &declared, values, which, first);
            for (i, got) in [dmean, dsecond, dvariance].into_iter().enumerate() {
                let scale = scales[i].max(truth[i].abs());
                if !(scale > 1e-290 && scale < 1e290) {
                    continue;
                }
                let error = (got - truth[i]).abs() / scale / f64::EPSILON;
                rates.record(error, kernel.accuracy(), || {
                    let (of, truth) = (NAMES[which], truth[i]);
                    format!("derivative {i} in {of}: {name} at {gamma:e}, {xi2:e}: {got:e} for {truth:e}")
                });
            }
        }
    }
    moments.end(&format!("{functions} functions with parameters"));
    rates.end(&format!("derivatives of {functions} functions in parameters"));
}
