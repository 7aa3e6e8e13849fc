//! Every moment replays and proves itself, and nothing that differs from it does.

mod common;

use common::parse;
use gaussform_symbolic::derivation::{
    CertificateError, Claim, Kernel, Quantity, Rule, Step, certify,
};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Monomial, Polynomial, Symbol};
use gaussform_symbolic::{Derivation, Knot, Piecewise};

const ACTIVATIONS: [&str; 21] = [
    "x",
    "3",
    "|x|",
    "max(0, x)",
    "max(0, x)^3",
    "sign(x)",
    "step(x - 1/3)",
    "clamp(x, -1, 1)",
    "x*clamp(x + 3, 0, 6)/6",
    "(|x + 3/2| - |x - 3/2|)/2",
    "|x + 2|*|x - 1/2|",
    "|x^2 - 1|",
    "|(x - 1)*(x + 1/2)*(x - 3)|",
    "||x| - 1|",
    "|||x| - 2| - 1|",
    "max(0, 1 - |x|)",
    "max(x, x^3, 1/4)",
    "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 2 - x; else: x^2 }",
    "leaky(x; eps in (0, 1)) = max(eps*x, x)",
    "slope(x; eps > 0) = clamp(eps*x, -2*eps, 2*eps) + eps^2*|x|",
    "wave(x; a, b) = a*|x + 1| + b*|x - 1|*step(x) - a*b*x^2",
];

#[test]
fn every_moment_replays_and_proves_itself() {
    for text in ACTIVATIONS {
        let activation = parse(text);
        for n in 1..=6 {
            let derivation = activation.moment(n).expect("a small order");
            assert_eq!(derivation.replay(), Ok(()), "{text}, moment {n}");
            let certificates = derivation.certificates().expect(text);
            assert_eq!(certificates.len(), 1);
            assert_eq!(certificates[0].power, n);
        }
    }
}

#[test]
fn a_variance_and_its_derivatives_replay_and_prove_their_moments() {
    for text in ACTIVATIONS {
        let variance = parse(text).variance().expect("little work");
        assert_eq!(variance.certificates().expect(text).len(), 2, "{text}");
        let derivative = variance.differentiate(&Symbol::Xi2).differentiate(&Symbol::Gamma);
        assert_eq!(derivative.replay(), Ok(()), "{text}");
    }
}

/// The zeroth moment is 1, and it needs no knot.
#[test]
fn the_zeroth_moment_is_one() {
    let derivation = parse("|x| + step(x)").moment(0).expect("a small order");
    assert_eq!(*derivation.form(), Form::from(Polynomial::one()));
    assert!(derivation.certificates().is_ok());
}

/// coefficient · symbols
fn monomial(symbols: &Monomial, coefficient: &Rational) -> Polynomial {
    symbols
        .powers()
        .iter()
        .fold(Polynomial::constant(coefficient.clone()), |product, (symbol, exponent)| {
            product.shift(symbol, *exponent)
        })
}

/// A single term of a moment.
fn term(function: Option<&Function>, coefficient: Polynomial) -> Form {
    function
        .map_or_else(|| coefficient.clone().into(), |f| Form::term(coefficient.clone(), f.clone()))
}

/// The terms coefficient · symbols · function of a moment.
fn terms(form: &Form) -> Vec<(Option<Function>, Monomial, Rational)> {
    let mut terms = Vec::new();
    for (product, polynomial) in form.terms() {
        let function = product.factors().next().map(|(function, _)| function.clone());
        for (symbols, coefficient) in polynomial.terms() {
            terms.push((function.clone(), symbols.clone(), coefficient.clone()));
        }
    }
    terms
}

fn moved(function: &Function, by: &Rational) -> Function {
    let knot = Knot::new(function.knot().value() + by);
    match function {
        Function::Erf(_) => Function::Erf(knot),
        Function::Gauss(_) => Function::Gauss(knot),
    }
}

/// Forms that differ from the right one in one coefficient, or in the knot of one function.
fn wrong(form: &Form) -> Vec<(String, Form)> {
    let tiny = ratio(1, 1 << 52);
    let mut wrong = Vec::new();
    for (function, symbols, coefficient) in terms(form) {
        let name = format!("{symbols:?} at {function:?}");
        let last_bit = &coefficient * &tiny;
        for (what, change) in [
            ("its last bit", last_bit),
            ("flipped sign", &coefficient * integer(-2)),
            ("left out", -coefficient.clone()),
        ] {
            let changed = form + &term(function.as_ref(), monomial(&symbols, &change));
            wrong.push((format!("{name}: {what}"), changed));
        }
    }
    for (product, coefficient) in form.terms() {
        let Some((function, _)) = product.factors().next() else { continue };
        let without = form - &term(Some(function), coefficient.clone());
        let elsewhere = term(Some(&moved(function, &tiny)), coefficient.clone());
        wrong.push((format!("{function:?} moved"), &without + &elsewhere));
    }
    wrong
}

fn assert_only_the_form_itself_certifies(text: &str, n: u32) {
    let derivation = parse(text).moment(n).expect("a small order");
    let (function, form) = (derivation.function(), derivation.form());
    for (what, changed) in wrong(form) {
        assert!(certify(&changed, function, n).is_err(), "{text}, moment {n}, {what}");
    }
}

#[test]
fn no_other_coefficient_certifies() {
    for text in ACTIVATIONS {
        assert_only_the_form_itself_certifies(text, 1);
    }
    for (text, n) in [
        ("max(0, x)", 6),
        ("clamp(x, -1, 1)", 2),
        ("(|x + 3/2| - |x - 3/2|)/2", 3),
        ("sign(x) + step(x - 1/3)", 5),
        ("leaky(x; eps in (0, 1)) = max(eps*x, x)", 2),
    ] {
        assert_only_the_form_itself_certifies(text, n);
    }
}

#[test]
fn a_moment_certifies_for_its_own_function_and_order_only() {
    for text in ACTIVATIONS {
        let activation = parse(text);
        let second = activation.moment(2).expect("a small order");
        let other = activation.function.plus(&Piecewise::variable());
        assert!(certify(second.form(), &activation.function, 2).is_ok());
        // A step is its own square and cube; nothing else here is.
        let same = activation.function.pow(2) == activation.function.pow(3);
        assert_eq!(certify(second.form(), &activation.function, 3).is_ok(), same, "{text}");
        assert!(certify(second.form(), &other, 2).is_err(), "{text}");
    }
}

#[test]
fn a_failed_certificate_names_the_condition() {
    let relu = parse("max(0, x)");
    let mean = relu.moment(1).expect("a small order");
    let shifted = mean.form() + &Polynomial::one().into();
    let Err(CertificateError::Limit { interval, limit, expected }) =
        certify(&shifted, &relu.function, 1)
    else {
        panic!("the limit is wrong")
    };
    assert_eq!((interval, limit, expected), (0, Polynomial::one(), Polynomial::zero()));

    let heated = mean.form() + &Polynomial::symbol(Symbol::Xi2).into();
    let left = Form::from(Polynomial::one());
    assert_eq!(certify(&heated, &relu.function, 1), Err(CertificateError::Heat(left)));

    let squared = mean.form() * mean.form();
    assert_eq!(certify(&squared, &relu.function, 2), Err(CertificateError::Growth));
    let divided = mean.form().multiply(&Polynomial::power(Symbol::Xi2, -1));
    assert_eq!(certify(&divided, &relu.function, 1), Err(CertificateError::Growth));
}

/// The heat kernel √(2/π) e^{−γ²/(2ξ²)}/ξ solves the heat equation and tends to 0 off the knots: added to a
/// moment it would go unnoticed if coefficients could be divided by ξ².
#[test]
fn the_heat_kernel_is_no_moment() {
    let origin = Function::Gauss(Knot::new(integer(0)));
    let kernel = Form::term(Polynomial::power(Symbol::Xi2, -1), origin);
    let second = kernel.derivative(&Symbol::Gamma).derivative(&Symbol::Gamma);
    assert_eq!(kernel.derivative(&Symbol::Xi2), second.scale(&ratio(1, 2)));

    let zero = Piecewise::constant(integer(0));
    assert!(certify(&Form::zero(), &zero, 1).is_ok());
    assert_eq!(certify(&kernel, &zero, 1), Err(CertificateError::Growth));
}

/// Every claim with a little more added to it.
fn altered(claim: &Claim) -> Claim {
    let one = Polynomial::one();
    match claim.clone() {
        Claim::Signs(n, mut form) => {
            form.smooth = &form.smooth + &one;
            Claim::Signs(n, form)
        }
        Claim::Moduli(n, mut form) => {
            form.smooth = &form.smooth + &one;
            Claim::Moduli(n, form)
        }
        Claim::Expectation(k, kernel, form) => Claim::Expectation(k, kernel, &form + &one.into()),
        Claim::Result(quantity, form) => Claim::Result(quantity, &form + &one.into()),
    }
}

/// The same value claimed of something else.
fn renamed(claim: &Claim) -> Claim {
    match claim.clone() {
        Claim::Signs(n, form) => Claim::Signs(n + 1, form),
        Claim::Moduli(n, form) => Claim::Moduli(n + 1, form),
        Claim::Expectation(k, Kernel::One, form) => {
            Claim::Expectation(k, Kernel::Sign(Knot::new(integer(9))), form)
        }
        Claim::Expectation(k, kernel, form) => Claim::Expectation(k + 1, kernel, form),
        Claim::Result(Quantity::Moment(n), form) => Claim::Result(Quantity::Moment(n + 1), form),
        Claim::Result(_, form) => Claim::Result(Quantity::Moment(1), form),
    }
}

fn rules() -> [Rule; 12] {
    let knot = || Knot::new(integer(9));
    [
        Rule::NormalForm,
        Rule::ZerothPower,
        Rule::ProductOfSigns,
        Rule::SplitAtKnots,
        Rule::Normalisation,
        Rule::CosineIntegral(knot()),
        Rule::DifferentiateModulus,
        Rule::MultiplyByU,
        Rule::Linearity,
        Rule::Variance,
        Rule::Differentiate(Symbol::Gamma),
        Rule::Differentiate(Symbol::Xi2),
    ]
}

/// Step `i` of a derivation, changed in one place in every way.
fn tampered(steps: &[Step], i: usize) -> Vec<Step> {
    let step = &steps[i];
    let mut all = vec![
        Step { claim: altered(&step.claim), ..step.clone() },
        Step { claim: renamed(&step.claim), ..step.clone() },
    ];
    let others = rules().into_iter().filter(|rule| *rule != step.rule);
    all.extend(others.map(|rule| Step { rule, ..step.clone() }));
    for (position, premise) in step.premises.iter().enumerate() {
        for other in (0..=steps.len()).filter(|other| other != premise) {
            let mut premises = step.premises.clone();
            premises[position] = other;
            all.push(Step { premises, ..step.clone() });
        }
    }
    if let [_, rest @ ..] = step.premises.as_slice() {
        all.push(Step { premises: rest.to_vec(), ..step.clone() });
    }
    all
}

#[test]
fn no_tampered_step_replays() {
    let leaky = parse("leaky(x; eps in (0, 1)) = max(eps*x, x)");
    let traces = [
        parse("clamp(x, -1, 1)").moment(2).expect("a small order"),
        parse("|x^2 - 1| + step(x)").moment(1).expect("a small order"),
        leaky.variance().expect("little work").differentiate(&Symbol::Parameter("eps".into())),
    ];
    for trace in traces {
        for i in 0..trace.steps().len() {
            for step in tampered(trace.steps(), i) {
                let mut steps = trace.steps().to_vec();
                steps[i] = step;
                let forged = Derivation::from_parts(trace.function().clone(), steps)
                    .expect("it still ends with a result");
                assert_eq!(forged.replay(), Err(i), "{:?}", forged.steps()[i]);
            }
        }
    }
}

#[test]
fn a_trace_replays_for_its_own_function_only() {
    let trace = parse("max(0, x)").moment(2).expect("a small order");
    let steps = trace.steps().to_vec();
    let [same, other] = ["(x + |x|)/2", "max(0, x) + 1"].map(|text| parse(text).function);
    let replay = |function| Derivation::from_parts(function, steps.clone()).map(|d| d.replay());
    assert_eq!(replay(same), Some(Ok(())));
    assert_eq!(replay(other), Some(Err(0)));
}

#[test]
fn a_trace_must_end_with_a_result() {
    let trace = parse("max(0, x)").moment(1).expect("a small order");
    let (function, steps) = (trace.function().clone(), trace.steps());
    assert!(Derivation::from_parts(function.clone(), Vec::new()).is_none());
    assert!(Derivation::from_parts(function, steps[..steps.len() - 1].to_vec()).is_none());
}
