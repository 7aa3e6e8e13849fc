//! Every moment replays and proves itself, and nothing that differs from it does.

mod common;

use common::{checked, parameter, parse, rewritten};
use gaussform_symbolic::derivation::{
    CertificateError, Claim, Factor, Powers, Quantity, Rule, Step, Value, Which, certify,
};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function, Point};
use gaussform_symbolic::polynomial::{Monomial, Polynomial, Symbol, real_roots};
use gaussform_symbolic::{Activation, Derivation, Knot};

const WITH_RATIONAL_KNOTS: [&str; 21] = [
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

const WITH_OTHER_KNOTS: [&str; 12] = [
    "|x^2 - 2|",
    "|x^3 - x - 1|",
    "max(x^4 - 3*x, x + 1)",
    "clamp(x^2 - 3, -1, 2)*|x|",
    "step(x^2 - 2)*step(x^3 - 2)",
    "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2",
    "shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)",
    "between(x; a < b) = clamp(x, a, b)",
    "chi(x; p > 0, m > 0) = |x + p|*|x - m|",
    "smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)",
    "jump(x; p > 2) = step(x - 1/p)/p + |x^2 - 2|",
    "mixed(x; a > 2, a < b) = a*|x^2 - 2|*step(b - x)",
];

fn activations() -> impl Iterator<Item = &'static str> {
    WITH_RATIONAL_KNOTS.into_iter().chain(WITH_OTHER_KNOTS)
}

/// Pairs of activations of one pre-activation; parameters of one name are the same.
const PAIRS: [(&str, &str); 7] = [
    ("max(0, x)", "x + 1"),
    ("|x|", "step(x - 1)"),
    ("|x^2 - 2|", "|x - 1|"),
    ("|x^2 - 2|", "max(x^3 - 2*x, 1)"),
    ("hard(x; alpha > 0) = clamp(x, -alpha, alpha)", "shrink(x; alpha > 0) = relu(x - alpha)"),
    ("smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)", "cut(x; a, b) = a*x + b"),
    ("leaky(x; eps in (0, 1)) = max(eps*x, x)", "far(x; c > 2) = |x - c|"),
];

fn pairs() -> impl Iterator<Item = (String, Activation, Activation)> {
    PAIRS.into_iter().map(|(g, h)| (format!("{g} with {h}"), parse(g), parse(h)))
}

#[test]
fn every_moment_replays_and_proves_itself() {
    let orders = WITH_RATIONAL_KNOTS.map(|text| (text, 6)).into_iter();
    for (text, highest) in orders.chain(WITH_OTHER_KNOTS.map(|text| (text, 3))) {
        let activation = parse(text);
        for n in 1..=highest {
            let derivation = activation.moment(n).expect("a small order");
            assert_eq!(derivation.replay(), Ok(()), "{text}, moment {n}");
            let certificates = derivation.certificates().expect(text);
            assert_eq!(certificates.len(), 1);
            assert_eq!(certificates[0].powers, (n, 0));
        }
    }
}

#[test]
fn every_joint_moment_replays_and_proves_itself() {
    for (text, g, h) in pairs() {
        for (n, m) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 3)] {
            let derivation = g.joint_moment(n, &h, m).expect("an order that follows");
            assert_eq!(derivation.replay(), Ok(()), "{text}, moment {n}, {m}");
            let certificates = derivation.certificates().expect(&text);
            assert_eq!(certificates[0].powers, (n, m));
        }
        assert_eq!(checked(g.covariance(&h)).certificates().map(|c| c.len()), Ok(3), "{text}");
    }
}

#[test]
fn a_variance_and_its_derivatives_replay_and_prove_their_moments() {
    for text in activations() {
        let activation = parse(text);
        let variance = activation.variance().expect("little work");
        assert_eq!(variance.certificates().expect(text).len(), 2, "{text}");
        let derivative = checked(variance.clone().differentiate(&Symbol::Xi2));
        checked(derivative.differentiate(&Symbol::Gamma));
        for parameter in &activation.parameters {
            checked(variance.clone().differentiate(&Symbol::Parameter(parameter.name.clone())));
        }
        assert_eq!(checked(activation.central(3)).certificates().map(|c| c.len()), Ok(3), "{text}");
    }
}

/// The zeroth moment is 1, and it needs no knot.
#[test]
fn the_zeroth_moment_is_one() {
    let derivation = checked(parse("|x| + step(x)").moment(0));
    assert_eq!(derivation.form(), Form::from(Polynomial::one()));
}

/// coefficient · symbols, in lowest terms.
fn monomial(symbols: &Monomial, coefficient: &Rational) -> Polynomial {
    symbols
        .powers()
        .iter()
        .fold(Polynomial::constant(coefficient.clone()), |product, (symbol, exponent)| {
            &product * &Polynomial::power(symbol.clone(), *exponent)
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

/// Other places: a little beside the knot, and where a sign or a root was mistaken for another.
fn elsewhere(knot: &Knot) -> Vec<Knot> {
    let tiny = ratio(1, 1 << 52);
    match knot {
        Knot::Rational(value) => vec![Knot::new(value + tiny), Knot::new(value - integer(7))],
        Knot::Algebraic(root) => {
            let conjugates = real_roots(root.minimal(), 10_000).expect("little work").into_iter();
            let others = conjugates.map(|(root, _)| Knot::from(root)).filter(|other| other != knot);
            others.chain([Knot::new(root.enclosure(60).0)]).collect()
        }
        Knot::Parametric { place, witness } => {
            let at = |place, witness| Knot::Parametric { place, witness };
            let beside = place + &Polynomial::constant(tiny.clone());
            vec![
                at(beside, witness + &tiny),
                at(place.scale(&integer(-1)), -witness),
                at(place.scale(&integer(2)), witness * integer(2)),
                // It differs for all values of the parameters but one.
                Knot::new(witness.clone()),
            ]
        }
    }
}

fn at(function: &Function, knot: Knot) -> Function {
    match function {
        Function::Erf(_) => Function::Erf(knot),
        _ => Function::Gauss(knot),
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
        for knot in elsewhere(function.in_u().expect("of u alone")) {
            let name = format!("{function:?} moved to {knot:?}");
            let moved = term(Some(&at(function, knot)), coefficient.clone());
            wrong.push((name, &without + &moved));
        }
    }
    wrong
}

fn assert_only_the_form_itself_certifies(text: &str, derivation: &Derivation, powers: Powers) {
    let (subject, form) = (derivation.subject(), derivation.form());
    assert!(certify(&form, subject, powers).is_ok(), "{text}, moment {powers:?}");
    for (what, changed) in wrong(&form) {
        assert!(certify(&changed, subject, powers).is_err(), "{text}, moment {powers:?}, {what}");
    }
}

#[test]
fn no_other_coefficient_certifies() {
    let firsts = activations().map(|text| (text, 1));
    let higher = [
        ("max(0, x)", 6),
        ("clamp(x, -1, 1)", 2),
        ("(|x + 3/2| - |x - 3/2|)/2", 3),
        ("sign(x) + step(x - 1/3)", 5),
        ("leaky(x; eps in (0, 1)) = max(eps*x, x)", 2),
        ("|x^2 - 2| + x", 2),
        ("shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)", 3),
        ("smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)", 2),
    ];
    for (text, n) in firsts.chain(higher) {
        let derivation = checked(parse(text).moment(n));
        assert_only_the_form_itself_certifies(text, &derivation, (n, 0));
    }
    for (text, g, h) in pairs() {
        let derivation = checked(g.joint_moment(1, &h, 1));
        assert_only_the_form_itself_certifies(&text, &derivation, (1, 1));
    }
}

#[test]
fn a_moment_certifies_for_its_own_function_and_order_only() {
    for text in activations() {
        let activation = parse(text);
        let second = checked(activation.moment(2)).form();
        let changed = |change: &dyn Fn(&str) -> String| parse(&rewritten(text, change));
        let other = changed(&|body| format!("({body}) + x"));
        assert!(certify(&second, &activation.subject(), (2, 0)).is_ok());
        // A step is its own square and cube; nothing else here is.
        let [square, cube] = ["2", "3"].map(|n| changed(&|body| format!("({body})^{n}")).function);
        let same = certify(&second, &activation.subject(), (3, 0)).is_ok();
        assert_eq!(same, square == cube, "{text}");
        assert!(certify(&second, &other.subject(), (2, 0)).is_err(), "{text}");
    }
}

#[test]
fn a_joint_moment_certifies_for_its_own_pair_and_powers_only() {
    for (text, g, h) in pairs() {
        let both = checked(g.joint_moment(2, &h, 1));
        let swapped = checked(h.joint_moment(1, &g, 2));
        let proof = |derivation: &Derivation, powers| {
            certify(&both.form(), derivation.subject(), powers).is_ok()
        };
        assert!(proof(&both, (2, 1)) && proof(&swapped, (1, 2)), "{text}");
        for powers in [(1, 2), (1, 1), (2, 0), (0, 1), (3, 1)] {
            assert!(!proof(&both, powers), "{text} {powers:?}");
        }
        assert!(!proof(&swapped, (2, 1)), "{text}");
        // Without h there is no power of it to be the moment of.
        assert!(certify(&both.form(), &g.subject(), (2, 1)).is_err(), "{text}");
    }
}

#[test]
fn a_failed_certificate_names_the_condition() {
    let relu = parse("max(0, x)");
    let (mean, subject) = (checked(relu.moment(1)).form(), relu.subject());
    let shifted = &mean + &Polynomial::one().into();
    let Err(CertificateError::Limit { interval, limit, expected }) =
        certify(&shifted, &subject, (1, 0))
    else {
        panic!("the limit is wrong")
    };
    assert_eq!((interval, limit, expected), (0, Polynomial::one(), Polynomial::zero()));

    let heated = &mean + &Polynomial::symbol(Symbol::Xi2).into();
    let left = Form::from(Polynomial::one());
    assert_eq!(certify(&heated, &subject, (1, 0)), Err(CertificateError::Heat(left)));

    let squared = &mean * &mean;
    assert_eq!(certify(&squared, &subject, (2, 0)), Err(CertificateError::Growth));
    let divided = mean.multiply(&Polynomial::power(Symbol::Xi2, -1));
    assert_eq!(certify(&divided, &subject, (1, 0)), Err(CertificateError::Growth));
}

/// The heat kernel √(2/π) e^{−γ²/(2ξ²)}/ξ solves the heat equation and tends to 0 off the knots: added to a
/// moment it would go unnoticed if coefficients could be divided by ξ².
#[test]
fn the_heat_kernel_is_no_moment() {
    let origin = Function::Gauss(Knot::new(integer(0)));
    let kernel = Form::term(Polynomial::power(Symbol::Xi2, -1), origin);
    let second = kernel.derivative(&Symbol::Gamma).derivative(&Symbol::Gamma);
    assert_eq!(kernel.derivative(&Symbol::Xi2), second.scale(&ratio(1, 2)));

    let zero = parse("0").subject();
    assert!(certify(&Form::zero(), &zero, (1, 0)).is_ok());
    assert_eq!(certify(&kernel, &zero, (1, 0)), Err(CertificateError::Growth));
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
        Claim::Expectation(k, factor, form) => Claim::Expectation(k, factor, &form + &one.into()),
        Claim::Result(quantity, value) => Claim::Result(quantity, value.plus(&Value::one())),
        Claim::Mixed(..) => unreachable!("of one pre-activation"),
    }
}

/// A claim of the same value for another quantity, which is therefore false.
fn renamed(claim: &Claim) -> Claim {
    match claim.clone() {
        Claim::Signs((n, m), form) => Claim::Signs((m, n + 1), form),
        Claim::Moduli((n, m), form) => Claim::Moduli((n, m + 1), form),
        Claim::Expectation(k, Factor::One, form) => {
            Claim::Expectation(k, Factor::Sign(Knot::new(integer(9))), form)
        }
        Claim::Expectation(k, factor, form) => Claim::Expectation(k + 1, factor, form),
        Claim::Result(Quantity::Moment(n, m), value) => {
            Claim::Result(Quantity::Moment(n, m + 1), value)
        }
        Claim::Result(_, value) => Claim::Result(Quantity::Moment(1, 0), value),
        Claim::Mixed(..) => unreachable!("of one pre-activation"),
    }
}

fn rules() -> Vec<Rule> {
    let knot = || Knot::new(integer(9));
    let limits = [Point::Infinity, Point::NegativeInfinity, Point::Above(integer(0))];
    let points = |symbol: &Symbol| limits.clone().map(|point| Rule::Limit(symbol.clone(), point));
    [
        Rule::NormalForm(Which::First),
        Rule::NormalForm(Which::Second),
        Rule::ZerothPower,
        Rule::ProductOfSigns,
        Rule::SplitAtKnots,
        Rule::Normalisation,
        Rule::CosineIntegral(knot()),
        Rule::DifferentiateModulus,
        Rule::MultiplyByU,
        Rule::Linearity,
        Rule::Variance,
        Rule::CentralMoment,
        Rule::Covariance,
        Rule::Differentiate(Symbol::Gamma),
        Rule::Differentiate(Symbol::Xi2),
        Rule::Differentiate(parameter("alpha")),
    ]
    .into_iter()
    .chain(points(&Symbol::Gamma))
    .chain(points(&parameter("alpha")))
    .collect()
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
    let relu = parse("max(0, x)");
    let leaky = parse("leaky(x; eps in (0, 1)) = max(eps*x, x)");
    let hard = parse("hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2");
    let slope = leaky.variance().and_then(|v| v.differentiate(&parameter("eps")));
    let mean = hard.moment(1);
    let wide = mean.clone().and_then(|m| m.limit(&parameter("alpha"), &Point::Infinity));
    let steep = mean.and_then(|m| m.differentiate(&parameter("alpha")));
    for trace in [
        parse("clamp(x, -1, 1)").moment(2),
        parse("|x^2 - 1| + step(x)").moment(1),
        parse("|x^2 - 2|").moment(1),
        slope,
        wide,
        steep,
        hard.moment(1).and_then(|m| m.limit(&Symbol::Gamma, &Point::NegativeInfinity)),
        relu.central(3),
        relu.covariance(&hard),
    ] {
        let trace = checked(trace);
        for i in 0..trace.steps().len() {
            for step in tampered(trace.steps(), i) {
                let mut steps = trace.steps().to_vec();
                steps[i] = step;
                let forged = Derivation::from_parts(trace.subject().clone(), steps)
                    .expect("it still ends with a result");
                assert_eq!(forged.replay(), Err(i), "{:?}", forged.steps()[i]);
            }
        }
    }
}

/// Rules about a second activation need one, and those about one moment find it in no other.
#[test]
fn a_rule_applies_to_what_it_is_about_only() {
    let (g, h) = (parse("max(0, x)"), parse("|x - 1|"));
    let covariance = checked(g.covariance(&h));
    let (alone, both) = (g.subject(), covariance.subject());
    assert_eq!(Rule::NormalForm(Which::Second).apply(&alone, &[]), None);
    assert!(Rule::NormalForm(Which::Second).apply(both, &[]).is_some());

    let moment =
        |n, m| checked(g.joint_moment(n, &h, m)).steps().last().cloned().expect("one").claim;
    let [mean, other, product] = [moment(1, 0), moment(0, 1), moment(1, 1)];
    let covariance = |premises: [&Claim; 3]| Rule::Covariance.apply(both, &premises);
    assert!(covariance([&product, &mean, &other]).is_some());
    assert_eq!(covariance([&product, &other, &mean]), None);
    assert_eq!(covariance([&product, &mean, &mean]), None);
    let (second, third) = (moment(2, 0), moment(3, 0));
    let central = |premises: &[&Claim]| Rule::CentralMoment.apply(both, premises);
    assert!(central(&[&mean, &second, &third]).is_some());
    for premises in [&[&mean][..], &[&second, &mean], &[&mean, &third], &[&other, &second]] {
        assert_eq!(central(premises), None);
    }
    assert_eq!(Rule::Limit(Symbol::Xi2, Point::Above(integer(0))).apply(both, &[&mean]), None);
}

#[test]
fn a_trace_replays_for_its_own_function_only() {
    let trace = checked(parse("max(0, x)").moment(2));
    let steps = trace.steps().to_vec();
    let [same, other] = ["(x + |x|)/2", "max(0, x) + 1"].map(|text| parse(text).subject());
    let replay = |subject| Derivation::from_parts(subject, steps.clone()).map(|d| d.replay());
    assert_eq!(replay(same), Some(Ok(())));
    assert_eq!(replay(other), Some(Err(0)));

    // A joint moment is not that of the exchanged pair.
    let (g, h) = (parse("|x^2 - 2|"), parse("max(0, x)"));
    let both = checked(g.joint_moment(1, &h, 2));
    let swapped = checked(h.joint_moment(1, &g, 2)).subject().clone();
    let forged = Derivation::from_parts(swapped, both.steps().to_vec()).expect("a result");
    assert!(forged.replay().is_err());
}

#[test]
fn a_trace_must_end_with_a_result() {
    let trace = checked(parse("max(0, x)").moment(1));
    let (subject, steps) = (trace.subject().clone(), trace.steps());
    assert!(Derivation::from_parts(subject.clone(), Vec::new()).is_none());
    assert!(Derivation::from_parts(subject, steps[..steps.len() - 1].to_vec()).is_none());
}

/// A derivation has those of its moments in it, step by step as they are by themselves.
#[test]
fn moments_stand_in_derivations() {
    for text in [
        "max(0, x)",
        "|x^2 - 2|",
        "g(x; a < b) = clamp(x, a, b)",
        "piecewise { x < 0: 0; else: x^3 - 2*x + 1 }",
    ] {
        let g = parse(text);
        let central = g.central(3).expect("little work");
        for n in 1..=3 {
            assert_eq!(central.moment(n, 0), g.moment(n).ok(), "moment {n} of {text}");
        }
        assert_eq!(central.moment(4, 0), None);
    }
}
