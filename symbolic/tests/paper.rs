//! The formulas of the paper, derived.
//!
//! Equation numbers are those of Jankowiak, "Closed Form Variational Objectives For Bayesian
//! Neural Networks with a Single Hidden Layer". Each test shows what is derived beside the
//! number of the equation, and compares it with the right-hand side of the paper built here
//! term by term: γ and v = ξ² are polynomials, `erf` stands for erf((γ − t)/(√2 ξ)) and `gauss`
//! for √(2/π) ξ exp(−(γ − t)²/(2ξ²)).

mod common;

use common::{checked, number, parameter, parse};
use gaussform_symbolic::derivation::{CertificateError, certify};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Derivation, Knot, render};
use insta::assert_snapshot;

/// Derives E[gⁿ] and checks the derivation both ways.
fn moment(text: &str, n: u32) -> Derivation {
    checked(parse(text).moment(n))
}

fn mean(text: &str) -> Derivation {
    moment(text, 1)
}

fn second(text: &str) -> Derivation {
    moment(text, 2)
}

fn shown(derivation: &Derivation) -> String {
    render::text::equation(derivation)
}

/// Σ coefficient · γⁱ · ξ²ʲ
fn polynomial(terms: &[(i64, i32, i32)]) -> Polynomial {
    terms.iter().fold(Polynomial::zero(), |sum, (coefficient, i, j)| {
        let monomial = &Polynomial::power(Symbol::Gamma, *i) * &Polynomial::power(Symbol::Xi2, *j);
        &sum + &monomial.scale(&integer(*coefficient))
    })
}

fn constant(value: &Rational) -> Polynomial {
    Polynomial::constant(value.clone())
}

fn named(name: &str) -> Polynomial {
    Polynomial::symbol(parameter(name))
}

/// A knot at a polynomial in parameters that are all positive; 1 is as good a witness as any.
fn knot(place: &Polynomial) -> Knot {
    let ones: Vec<_> = place.symbols().into_iter().map(|symbol| (symbol, integer(1))).collect();
    let witness = number(place, &ones);
    match place.as_constant() {
        Some(value) => Knot::new(value),
        None => Knot::Parametric { place: place.clone(), witness },
    }
}

fn erf(coefficient: &Polynomial, place: &Polynomial) -> Form {
    Form::term(coefficient.clone(), Function::Erf(knot(place)))
}

fn gauss(coefficient: &Polynomial, place: &Polynomial) -> Form {
    Form::term(coefficient.clone(), Function::Gauss(knot(place)))
}

/// a · √(2/π) ξ e^{−γ²/(2ξ²)} + b · erf(γ/(√2 ξ))
fn at_zero(a: &[(i64, i32, i32)], b: &[(i64, i32, i32)]) -> Form {
    &gauss(&polynomial(a), &Polynomial::zero()) + &erf(&polynomial(b), &Polynomial::zero())
}

/// γ + α
fn gamma_plus(alpha: &Polynomial) -> Polynomial {
    &polynomial(&[(1, 1, 0)]) + alpha
}

/// Ω(ξ, γ + α) of Eq. 18 and 25.
fn omega(alpha: &Polynomial) -> Form {
    &gauss(&Polynomial::one(), &-alpha) + &erf(&gamma_plus(alpha), &-alpha)
}

/// Ψ(ξ, γ) of Eq. 19.
fn psi() -> Form {
    at_zero(&[(1, 1, 0)], &[(1, 0, 1), (1, 2, 0)])
}

/// ρ(ξ, γ) of Eq. 34, where `k` is the coefficient of γξ³.
fn rho(k: i64) -> Form {
    at_zero(&[(1, 3, 0), (k, 1, 1)], &[(1, 4, 0), (6, 2, 1), (3, 0, 2)])
}

/// χ(ξ, γ, α₊, α₋) of Eq. 26.
fn chi(plus: &Polynomial, minus: &Polynomial) -> Form {
    let (right, left) = (gamma_plus(plus), gamma_plus(&-minus));
    let both = &polynomial(&[(1, 0, 1)]) + &(&right * &left);
    let gausses = &gauss(&right, minus) - &gauss(&left, &-plus);
    let erfs = &erf(&both, minus) - &erf(&both, &-plus);
    &(&gausses + &erfs) + &both.into()
}

fn half(form: &Form) -> Form {
    form.scale(&ratio(1, 2))
}

#[test]
fn eq_18_the_mean_of_the_modulus_is_omega() {
    let derived = mean("|x|");
    assert_snapshot!(shown(&derived), @"E[g(u)] = γ erf(γ/(√2 ξ)) + √(2/π) ξ exp(−γ²/(2 ξ²))");
    assert_eq!(derived.form(), omega(&Polynomial::zero()));
}

#[test]
fn eq_19_the_mean_of_u_times_its_modulus_is_psi() {
    let derived = mean("x*|x|");
    assert_snapshot!(shown(&derived), @"E[g(u)] = (γ² + ξ²) erf(γ/(√2 ξ)) + √(2/π) γ ξ exp(−γ²/(2 ξ²))");
    assert_eq!(derived.form(), psi());
}

#[test]
fn eq_20_relu() {
    let (phi, upsilon) = (mean("max(0, x)"), second("max(0, x)"));
    assert_snapshot!(shown(&phi), @"E[g(u)] = 1/2 γ + 1/2 γ erf(γ/(√2 ξ)) + 1/2 √(2/π) ξ exp(−γ²/(2 ξ²))");
    assert_snapshot!(shown(&upsilon), @"E[g(u)²] = 1/2 (γ² + ξ²) + 1/2 (γ² + ξ²) erf(γ/(√2 ξ)) + 1/2 √(2/π) γ ξ exp(−γ²/(2 ξ²))");
    let gamma = Form::from(polynomial(&[(1, 1, 0)]));
    let square = Form::from(polynomial(&[(1, 0, 1), (1, 2, 0)]));
    assert_eq!(phi.form(), half(&(&gamma + &omega(&Polynomial::zero()))));
    assert_eq!(upsilon.form(), half(&(&square + &psi())));
}

#[test]
fn eq_22_leaky_relu_with_a_symbolic_slope() {
    let text = "leaky(x; eps in (0, 1)) = max(eps*x, x)";
    let (phi, upsilon) = (mean(text), second(text));
    assert_snapshot!(shown(&phi), @"E[g(u)] = 1/2 γ (1 + ε) + 1/2 γ (1 − ε) erf(γ/(√2 ξ)) + 1/2 √(2/π) ξ (1 − ε) exp(−γ²/(2 ξ²))");
    assert_snapshot!(shown(&upsilon), @"
    E[g(u)²] = 1/2 (1 + ε²) (γ² + ξ²) + 1/2 (1 − ε²) (γ² + ξ²) erf(γ/(√2 ξ))
             + 1/2 √(2/π) γ ξ (1 − ε²) exp(−γ²/(2 ξ²))
    ");

    let by_pieces = "leaky(x; eps in (0, 1)) = piecewise { x < 0: eps*x; else: x }";
    assert_eq!(parse(text).function, parse(by_pieces).function);

    let (one, eps) = (Polynomial::one(), named("eps"));
    let line = Form::from(&polynomial(&[(1, 1, 0)]) * &(&one + &eps));
    assert_eq!(phi.form(), half(&(&line + &omega(&Polynomial::zero()).multiply(&(&one - &eps)))));
    let square = Form::from(&polynomial(&[(1, 0, 1), (1, 2, 0)]) * &(&one + &eps.pow(2)));
    assert_eq!(upsilon.form(), half(&(&square + &psi().multiply(&(&one - &eps.pow(2))))));
}

#[test]
fn eq_26_a_product_of_moduli_is_chi() {
    let derived = mean("|x + 2| * |x - 1/2|");
    assert_snapshot!(shown(&derived), @"
    E[g(u)] = 1/2 (2 γ² + 3 γ + 2 ξ² − 2) − 1/2 (2 γ² + 3 γ + 2 ξ² − 2) erf((γ + 2)/(√2 ξ))
            + 1/2 (2 γ² + 3 γ + 2 ξ² − 2) erf((γ − 1/2)/(√2 ξ))
            − 1/2 √(2/π) ξ (2 γ − 1) exp(−(γ + 2)²/(2 ξ²))
            + √(2/π) ξ (γ + 2) exp(−(γ − 1/2)²/(2 ξ²))
    ");
    assert_eq!(derived.form(), chi(&constant(&integer(2)), &constant(&ratio(1, 2))));

    let derived = mean("chi(x; p > 0, m > 0) = |x + p| * |x - m|");
    assert_snapshot!(shown(&derived), @"
    E[g(u)] = γ² − m γ + p γ + ξ² − m p − (γ² − m γ + p γ + ξ² − m p) erf((γ + p)/(√2 ξ))
            + (γ² − m γ + p γ + ξ² − m p) erf((γ − m)/(√2 ξ))
            − √(2/π) ξ (γ − m) exp(−(γ + p)²/(2 ξ²)) + √(2/π) ξ (γ + p) exp(−(γ − m)²/(2 ξ²))
    ");
    assert_eq!(derived.form(), chi(&named("p"), &named("m")));
    // On its diagonal, as Eq. 27 uses it.
    let derived = mean("chi(x; alpha > 0) = |x + alpha| * |x - alpha|");
    assert_eq!(derived.form(), chi(&named("alpha"), &named("alpha")));
}

#[test]
fn eq_27_hard_sigmoid() {
    assert_snapshot!(shown(&mean("(|x + 1| - |x - 1|)/2")), @"
    E[g(u)] = 1/2 (γ + 1) erf((γ + 1)/(√2 ξ)) − 1/2 (γ − 1) erf((γ − 1)/(√2 ξ))
            + 1/2 √(2/π) ξ exp(−(γ + 1)²/(2 ξ²)) − 1/2 √(2/π) ξ exp(−(γ − 1)²/(2 ξ²))
    ");
    assert_snapshot!(shown(&second("(|x + 1| - |x - 1|)/2")), @"
    E[g(u)²] = 1 + 1/2 (γ² + ξ² − 1) erf((γ + 1)/(√2 ξ)) − 1/2 (γ² + ξ² − 1) erf((γ − 1)/(√2 ξ))
             + 1/2 √(2/π) ξ (γ − 1) exp(−(γ + 1)²/(2 ξ²))
             − 1/2 √(2/π) ξ (γ + 1) exp(−(γ − 1)²/(2 ξ²))
    ");
    for alpha in [integer(1), ratio(3, 2)] {
        let text = format!("(|x + {alpha}| - |x - {alpha}|)/2");
        assert_hard_sigmoid(&text, &constant(&alpha));
    }
}

/// Φ and Υ of Eq. 27.
fn assert_hard_sigmoid(text: &str, alpha: &Polynomial) {
    let squares = &polynomial(&[(1, 0, 1), (1, 2, 0)]) + &alpha.pow(2);
    assert_eq!(mean(text).form(), half(&(&omega(alpha) - &omega(&-alpha))));
    assert_eq!(second(text).form(), half(&(&Form::from(squares) - &chi(alpha, alpha))));
}

#[test]
fn eq_23_to_27_with_a_symbolic_width() {
    let text = "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2";
    assert_snapshot!(shown(&mean(text)), @"
    E[g(u)] = 1/2 (γ + α) erf((γ + α)/(√2 ξ)) − 1/2 (γ − α) erf((γ − α)/(√2 ξ))
            + 1/2 √(2/π) ξ exp(−(γ + α)²/(2 ξ²)) − 1/2 √(2/π) ξ exp(−(γ − α)²/(2 ξ²))
    ");
    assert_snapshot!(shown(&second(text)), @"
    E[g(u)²] = α² + 1/2 (γ² + ξ² − α²) erf((γ + α)/(√2 ξ))
             − 1/2 (γ² + ξ² − α²) erf((γ − α)/(√2 ξ))
             + 1/2 √(2/π) ξ (γ − α) exp(−(γ + α)²/(2 ξ²))
             − 1/2 √(2/π) ξ (γ + α) exp(−(γ − α)²/(2 ξ²))
    ");
    assert_hard_sigmoid(text, &named("alpha"));
    assert_hard_sigmoid("hard(x; alpha > 0) = clamp(x, -alpha, alpha)", &named("alpha"));

    // Each modulus alone is Ω at its own end (Eq. 25).
    for (text, alpha) in [
        ("right(x; alpha > 0) = |x + alpha|", named("alpha")),
        ("left(x; alpha > 0) = |x - alpha|", -&named("alpha")),
    ] {
        assert_eq!(mean(text).form(), omega(&alpha));
    }
}

#[test]
fn eq_29_relu_squared() {
    let (phi, upsilon) = (mean("max(0, x)^2"), second("max(0, x)^2"));
    assert_snapshot!(shown(&phi), @"E[g(u)] = 1/2 (γ² + ξ²) + 1/2 (γ² + ξ²) erf(γ/(√2 ξ)) + 1/2 √(2/π) γ ξ exp(−γ²/(2 ξ²))");
    assert_snapshot!(shown(&upsilon), @"
    E[g(u)²] = 1/2 (γ⁴ + 6 γ² ξ² + 3 ξ⁴) + 1/2 (γ⁴ + 6 γ² ξ² + 3 ξ⁴) erf(γ/(√2 ξ))
             + 1/2 √(2/π) ξ (γ³ + 5 γ ξ²) exp(−γ²/(2 ξ²))
    ");
    let square = Form::from(polynomial(&[(1, 2, 0), (1, 0, 1)]));
    let fourth = Form::from(polynomial(&[(1, 4, 0), (6, 2, 1), (3, 0, 2)]));
    assert_eq!(phi.form(), half(&(&square + &psi())));
    assert_eq!(upsilon.form(), half(&(&fourth + &rho(5))));
}

#[test]
fn eq_33_the_mean_of_u_squared_times_its_modulus_is_zeta() {
    let derived = mean("x^2*|x|");
    assert_snapshot!(shown(&derived), @"E[g(u)] = (γ³ + 3 γ ξ²) erf(γ/(√2 ξ)) + √(2/π) ξ (γ² + 2 ξ²) exp(−γ²/(2 ξ²))");
    assert_eq!(derived.form(), at_zero(&[(2, 0, 1), (1, 2, 0)], &[(3, 1, 1), (1, 3, 0)]));
}

/// Eq. 34 is printed with √(2/π)(γ³ξ + 7γξ³) and should have a 5. The slip is a sign in its first
/// line: (iξ²t)³ of Eq. 31 puts −ξ⁶t³ in front of sin(γt), not +ξ⁶t³. With the 7 the formula does not
/// solve the heat equation, so it is the mean of no function; with the 5 it does, and it tends
/// to γ³|γ|.
#[test]
fn eq_34_rho_has_a_five_where_the_paper_prints_a_seven() {
    let derived = mean("x^3*|x|");
    assert_snapshot!(shown(&derived), @"E[g(u)] = (γ⁴ + 6 γ² ξ² + 3 ξ⁴) erf(γ/(√2 ξ)) + √(2/π) ξ (γ³ + 5 γ ξ²) exp(−γ²/(2 ξ²))");
    assert_eq!(derived.form(), rho(5));

    let subject = parse("x^3*|x|").subject();
    assert!(certify(&rho(5), &subject, (1, 0)).is_ok());
    assert!(matches!(certify(&rho(7), &subject, (1, 0)), Err(CertificateError::Heat(_))));
}

/// Remark 3 leaves E[uⁿ|u|] open (Eq. 45). Here for n = 4…8, and for these and all lower n against
/// Stein's recurrence K_m = γ K_{m−1} + (m−1) ξ² K_{m−2} for K_m = E[uᵐ sgn u].
#[test]
fn eq_45_every_power_times_the_modulus() {
    let derived: Vec<Form> = (0..=8).map(|n| mean(&format!("x^{n}*|x|")).form()).collect();
    let table: Vec<String> =
        (4..=8).map(|n| format!("n = {n}: {}", render::text::form(&derived[n]))).collect();
    assert_snapshot!(table.join("\n"), @"
    n = 4: (γ⁵ + 10 γ³ ξ² + 15 γ ξ⁴) erf(γ/(√2 ξ)) + √(2/π) ξ (γ⁴ + 9 γ² ξ² + 8 ξ⁴) exp(−γ²/(2 ξ²))
    n = 5: (γ⁶ + 15 γ⁴ ξ² + 45 γ² ξ⁴ + 15 ξ⁶) erf(γ/(√2 ξ)) + √(2/π) ξ (γ⁵ + 14 γ³ ξ² + 33 γ ξ⁴) exp(−γ²/(2 ξ²))
    n = 6: (γ⁷ + 21 γ⁵ ξ² + 105 γ³ ξ⁴ + 105 γ ξ⁶) erf(γ/(√2 ξ)) + √(2/π) ξ (γ⁶ + 20 γ⁴ ξ² + 87 γ² ξ⁴ + 48 ξ⁶) exp(−γ²/(2 ξ²))
    n = 7: (γ⁸ + 28 γ⁶ ξ² + 210 γ⁴ ξ⁴ + 420 γ² ξ⁶ + 105 ξ⁸) erf(γ/(√2 ξ)) + √(2/π) ξ (γ⁷ + 27 γ⁵ ξ² + 185 γ³ ξ⁴ + 279 γ ξ⁶) exp(−γ²/(2 ξ²))
    n = 8: (γ⁹ + 36 γ⁷ ξ² + 378 γ⁵ ξ⁴ + 1260 γ³ ξ⁶ + 945 γ ξ⁸) erf(γ/(√2 ξ)) + √(2/π) ξ (γ⁸ + 35 γ⁶ ξ² + 345 γ⁴ ξ⁴ + 975 γ² ξ⁶ + 384 ξ⁸) exp(−γ²/(2 ξ²))
    ");

    let (gamma, v) = (polynomial(&[(1, 1, 0)]), polynomial(&[(1, 0, 1)]));
    let mut stein = vec![erf(&Polynomial::one(), &Polynomial::zero()), omega(&Polynomial::zero())];
    for m in 2..=9_usize {
        let step = v.scale(&integer(i64::try_from(m - 1).expect("small")));
        stein.push(&stein[m - 1].multiply(&gamma) + &stein[m - 2].multiply(&step));
    }
    assert_eq!(derived, stein[1..]);
}

/// Below Eq. 20 and Eq. 27: what the formulas tend to. For ξ² → 0 they tend to the function
/// itself, which is what a certificate lists, interval by interval.
#[test]
fn a_certificate_lists_the_limits_of_the_formula() {
    let derivation = mean("(|x + 1| - |x - 1|)/2");
    let certificates = derivation.certificates().expect("it holds");
    let gamma = polynomial(&[(1, 1, 0)]);
    let one = Polynomial::one();
    assert_eq!(certificates[0].limits, [-&one, gamma, one]);
}
