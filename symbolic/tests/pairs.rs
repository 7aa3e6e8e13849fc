//! Two pre-activations: every moment replays and proves itself, nothing that differs from it does,
//! and the special cases come out.

mod common;

use common::{checked, parse};
use gaussform_symbolic::derivation::{CertificateError, certify_pair};
use gaussform_symbolic::exact::{integer, ratio};
use gaussform_symbolic::moment::{Axis, Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Derivation, Error, render};

const LIBRARY: [&str; 14] = [
    "3",
    "x",
    "max(0, x)",
    "step(x)",
    "clamp(x, -1, 1)",
    "max(0, x)^2",
    "x*clamp(x + 3, 0, 6)/6",
    "max(0, 1 - |x|)",
    "|x^2 - 2|",
    "|x^3 - x - 1|",
    "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 2 - x; else: x^2 }",
    "leaky(x; eps in (0, 1)) = max(eps*x, x)",
    "shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)",
    "smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)",
];

/// Replayed, and proved by its certificate.
fn proved(derivation: Result<Derivation, Error>) -> Derivation {
    let derivation = checked(derivation);
    derivation.pair_certificates().expect("it proves itself");
    derivation
}

#[test]
fn every_pair_replays_and_proves_itself() {
    for (i, g) in LIBRARY.iter().enumerate() {
        for h in &LIBRARY[i..] {
            let covariance = proved(parse(g).pair_covariance(&parse(h)));
            assert_eq!(covariance.pair_certificates().map(|c| c.len()), Ok(3), "{g} with {h}");
        }
    }
}

#[test]
fn powers_replay_and_prove_themselves() {
    for (g, h) in [
        ("max(0, x)", "max(0, x)"),
        ("clamp(x, -1, 1)", "step(x - 1/2)"),
        ("|x^2 - 2|", "|x|"),
        ("leaky(x; eps in (0, 1)) = max(eps*x, x)", "hard(x; a > 0) = clamp(x, -a, a)"),
    ] {
        for (n, m) in [(0, 0), (2, 0), (0, 3), (2, 1), (1, 3), (2, 2)] {
            let derivation = proved(parse(g).pair_moment(n, &parse(h), m));
            assert_eq!(derivation.pair_certificates().expect("proved")[0].powers, (n, m));
        }
    }
}

/// The derivations of the three equations, in the five inputs and the parameters.
#[test]
fn derivatives_are_moments_of_derivatives() {
    let relu = parse("max(0, x)");
    let step = parse("step(x)");
    let hat = parse("max(0, 1 - |x|)");
    let slope = parse("step(x + 1) - 2*step(x) + step(x - 1)");
    let form = |g: &Activation, h: &Activation| proved(g.pair_covariance(h)).form();
    let covariance = form(&relu, &hat);
    let moment = proved(relu.pair_moment(1, &hat, 1)).form();
    // Cov(g, h) in γ is Cov(g′, h), and E[g h] in σ is E[g′ h′].
    assert_eq!(covariance.derivative(&Symbol::Gamma), form(&step, &hat));
    assert_eq!(covariance.derivative(&Symbol::GammaOther), form(&relu, &slope));
    let slopes = proved(step.pair_moment(1, &slope, 1)).form();
    assert_eq!(moment.derivative(&Symbol::Covariance), slopes);
}

#[test]
fn parameters_move_knots() {
    // clamp(x, −a, a) in a is 1 beyond a and −1 beyond −a: the jumps that move cancel.
    let hard = parse("hard(x; a > 0) = clamp(x, -a, a)");
    let slope = parse("slope(x; a > 0) = step(x - a) - step(-x - a)");
    let relu = parse("max(0, x)");
    let in_a = Symbol::Parameter("a".into());
    let derived = proved(relu.pair_moment(1, &hard, 1)).differentiate(&in_a).expect("little work");
    assert_eq!(derived.replay(), Ok(()));
    assert_eq!(derived.form(), proved(relu.pair_moment(1, &slope, 1)).form());
}

/// Formulas would not say which `w` is meant.
#[test]
fn the_second_law_has_its_own_names() {
    let relu = parse("max(0, x)");
    for name in ["w", "gamma_h", "xi2_h", "cov"] {
        let shifted = parse(&format!("g(x; {name}) = max(x, {name})"));
        for (g, h) in [(&shifted, &relu), (&relu, &shifted)] {
            let error = g.pair_moment(1, h, 1).expect_err("it has the name");
            assert!(error.kind.to_string().contains(&format!("`{name}` cannot be")), "{error}");
            assert!(g.pair_covariance(h).is_err());
        }
        checked(shifted.moment(1));
    }
}

#[test]
fn independent_pre_activations_factorise() {
    for (g, h) in [("max(0, x)", "clamp(x, -1, 1)"), ("|x^2 - 2|", "step(x^3 - x - 1)")] {
        let (g, h) = (parse(g), parse(h));
        let both = proved(g.pair_moment(1, &h, 1)).form().independent();
        let [mean, other] = [&g, &h].map(|f| checked(f.moment(1)).form());
        assert_eq!(both, &mean * &other.in_other());
        assert!(proved(g.pair_covariance(&h)).form().independent().is_zero());
    }
}

/// Stein's lemma: Cov(g(u), w) = σ E[g′(u)].
#[test]
fn a_straight_partner_gives_the_mean_slope() {
    for text in ["max(0, x)", "clamp(x, -1, 1)", "|x^2 - 2|", "|x|^3"] {
        let g = parse(text);
        let covariance = proved(g.pair_covariance(&parse("x"))).form();
        let slope = checked(g.moment(1)).form().derivative(&Symbol::Gamma);
        assert_eq!(covariance, slope.multiply(&Polynomial::symbol(Symbol::Covariance)), "{text}");
    }
    let relu = proved(parse("max(0, x)").pair_covariance(&parse("x")));
    assert_eq!(render::text::equation(&relu), "Cov(g(u), h(w)) = 1/2 σ + 1/2 σ erf(γ/(√2 ξ))");
}

/// Where w is u, the moments are those of one pre-activation.
#[test]
fn coincident_pre_activations_are_one() {
    for (g, h) in [
        ("max(0, x)", "max(0, x)"),
        ("clamp(x, -1, 1)", "clamp(x, -1, 1)"),
        ("|x^2 - 2|", "|x^3 - x - 1|"),
        ("step(x)", "x*clamp(x + 3, 0, 6)/6"),
        ("smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)", "cut(x; a < b) = max(x, a)"),
    ] {
        let (g, h) = (parse(g), parse(h));
        for (n, m) in [(1, 1), (2, 1)] {
            let both = proved(g.pair_moment(n, &h, m)).form().coincident();
            assert_eq!(both, checked(g.joint_moment(n, &h, m)).form());
        }
    }
}

/// With means 0 and knots at 0, E and edges are 0 and what is left is Q = (2/π) asin ρ and
/// K = (2/π) √Δ: the arc-cosine kernels of order 0 and 1 (Cho and Saul 2009).
fn centred(form: &Form) -> Form {
    let mut sum = Form::zero();
    for (product, coefficient) in form.terms() {
        let at_zero = coefficient
            .substitute(&Symbol::Gamma, &Polynomial::zero())
            .substitute(&Symbol::GammaOther, &Polynomial::zero());
        let function = product.factors().next().map(|(function, _)| function.clone());
        match function {
            None => sum = &sum + &at_zero.into(),
            Some(Function::Erf(_) | Function::ErfOther(_) | Function::Edge(..)) => {}
            Some(function) => sum = &sum + &Form::term(at_zero, function),
        }
    }
    sum
}

#[test]
fn zero_means_give_the_arc_cosine_kernels() {
    let (relu, step) = (parse("max(0, x)"), parse("step(x)"));
    let text = |g: &Activation| {
        let form = centred(&proved(g.pair_moment(1, g, 1)).form());
        render::text::form(&form)
    };
    assert_eq!(text(&step), "1/4 + 1/4 Q(γ, γ′)");
    let order_one = text(&relu);
    assert!(order_one.starts_with("1/4 σ + 1/4 σ Q(γ, γ′) + 1/(2 π) √Δ exp("), "{order_one}");
}

/// The terms coefficient · monomial · function of a form, one by one.
fn single_terms(form: &Form) -> Vec<Form> {
    let mut terms = Vec::new();
    for (product, coefficient) in form.terms() {
        let function = product.factors().next().map(|(function, _)| function.clone());
        for (monomial, value) in coefficient.terms() {
            let powers = monomial.powers().iter();
            let term = powers.fold(Polynomial::constant(value.clone()), |term, (symbol, n)| {
                &term * &Polynomial::power(symbol.clone(), *n)
            });
            terms.push(match &function {
                Some(function) => Form::term(term, function.clone()),
                None => term.into(),
            });
        }
    }
    terms
}

/// A sign, a factor of 2, the last bit of a number, a term left out: each fails.
#[test]
fn every_mutation_of_a_form_is_refuted() {
    let mut mutations = 0;
    for (g, h) in [
        ("max(0, x)", "max(0, x)"),
        ("clamp(x, -1, 1)", "max(0, 1 - |x|)"),
        ("max(0, x)^2", "step(x)"),
        ("|x^2 - 2|", "max(0, x)"),
        ("leaky(x; eps in (0, 1)) = max(eps*x, x)", "hard(x; a > 0) = clamp(x, -a, a)"),
    ] {
        let (g, h) = (parse(g), parse(h));
        let subject = g.pair(&h).expect("no common parameters");
        let form = proved(g.pair_moment(1, &h, 1)).form();
        for term in single_terms(&form) {
            for factor in [integer(-2), integer(1), integer(-1), ratio(1, 1 << 52)] {
                let wrong = &form + &term.scale(&factor);
                assert!(certify_pair(&wrong, &subject, (1, 1)).is_err(), "{term:?}");
                mutations += 1;
            }
        }
    }
    assert!(mutations > 500, "{mutations}");
}

#[test]
fn a_refused_form_says_which_condition_fails() {
    let relu = parse("max(0, x)");
    let subject = relu.pair(&relu).expect("no parameters");
    let form = proved(relu.pair_moment(1, &relu, 1)).form();
    let with = |extra: Polynomial| certify_pair(&(&form + &extra.into()), &subject, (1, 1));
    let symbol = |symbol: Symbol| Polynomial::symbol(symbol);
    // It solves neither heat equation nor Price's.
    let sigma = symbol(Symbol::Covariance);
    assert!(matches!(with(sigma), Err(CertificateError::Price(_))));
    let square = symbol(Symbol::Gamma).pow(2);
    assert!(matches!(with(square), Err(CertificateError::Heat(_))));
    // It solves all three, and is not g(γ) h(γ′).
    let mean = symbol(Symbol::Gamma);
    assert!(matches!(with(mean), Err(CertificateError::Corner(_))));
    let divided = Polynomial::power(Symbol::Determinant, -1);
    assert_eq!(with(divided), Err(CertificateError::Growth));
    // The density of u solves the heat equation and vanishes off the knot.
    let knot = relu.function.knots()[0].clone();
    let density = Form::term(Polynomial::power(Symbol::Xi2, -1), Function::Gauss(knot));
    let refused = certify_pair(&(&form + &density), &subject, (1, 1));
    assert_eq!(refused, Err(CertificateError::Growth));
    // A moment of one pre-activation is not one of two.
    assert!(certify_pair(&form, &relu.subject(), (1, 0)).is_err());
}

/// A step whose claim is changed does not follow.
#[test]
fn every_changed_step_is_found() {
    let (g, h) = (parse("clamp(x, -1, 1)*step(x)"), parse("max(0, x)^2"));
    let covariance = proved(g.pair_covariance(&h));
    let steps = covariance.steps();
    for i in 0..steps.len() - 1 {
        for j in 0..steps.len() - 1 {
            let mut changed = steps.to_vec();
            changed[i].claim = steps[j].claim.clone();
            let derivation = Derivation::from_parts(covariance.subject().clone(), changed);
            let replay = derivation.expect("it ends with a result").replay();
            assert_eq!(replay.is_ok(), steps[i].claim == steps[j].claim, "{i} by {j}");
        }
    }
    // Rules for two pre-activations say nothing about one.
    let alone = Derivation::from_parts(g.subject(), steps.to_vec()).expect("it ends with a result");
    assert!(alone.replay().is_err());
}

#[test]
fn multiplications_commute() {
    let form = proved(parse("|x^2 - 2|").pair_moment(1, &parse("step(x - 1)"), 1)).form();
    let [first, second] = Axis::BOTH.map(|axis| form.times(axis).times(axis.other()));
    assert_eq!(first, second);
}

/// A derivation that would take too long is refused before it is made.
#[test]
fn work_is_limited() {
    let long = parse("|x|^31*max(0, x - 1)");
    let error =
        long.pair_moment(2, &parse("|x^3 - x - 1|^7*|x - 1/3|^3"), 2).expect_err("too much");
    assert!(error.to_string().contains("products of terms"), "{error}");
}
