//! ξ² = 0 with γ on a knot: the limits for ξ → 0, taken symbolically.
//!
//! Off the knots nothing special happens: the tails vanish and Q_k are the derivatives of g.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::moment::{Expansion, Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Error, Knot, Parameter};

use crate::builder::{Builder, input, zero};
use crate::ir::{AtRest, Input, Operand};
use crate::quantity::{Moment, Quantity, Variable};
use crate::tail::Contributions;

/// The results of a function of the kernel for ξ² = 0 on each knot.
pub(crate) fn lower(
    activation: &Activation,
    quantities: &[Quantity],
) -> Result<Vec<AtRest>, Error> {
    let mean = activation.moment(1)?.form().clone();
    let second = activation.moment(2)?.form().clone();
    let contributions = Contributions::new(activation);
    let knots = activation.function.knots();
    let runs = (0..knots.len()).flat_map(|first| {
        let last = if may_meet(activation) { knots.len() } else { first + 1 };
        // The longest run of knots that have met decides.
        (first..last).rev().map(move |last| (first, last))
    });
    let at_rest = runs.map(|(first, last)| {
        let forms = forms(activation, &mean, &second, &knots[first..=last], quantities);
        let block = Builder::default()
            .block(|b| forms.iter().map(|form| limit(b, &contributions, form)).collect());
        AtRest { first, last, block }
    });
    Ok(at_rest.collect())
}

/// Whether knots that move may have the same place: no inequality between parameters that is
/// not strict, no knots that meet.
fn may_meet(activation: &Activation) -> bool {
    let closed = |p: &Parameter| [&p.lower, &p.upper].into_iter().flatten().any(|end| end.closed);
    let moves = |knot: &Knot| matches!(knot, Knot::Parametric { .. });
    activation.function.knots().iter().any(moves)
        && (activation.relations.iter().any(|relation| !relation.strict)
            || activation.parameters.iter().any(closed))
}

/// The form where several knots have met.
fn merged(form: &Form, knots: &[Knot]) -> Form {
    let function = |function: &Function| match function {
        Function::Erf(knot) if knots.contains(knot) => Function::Erf(knots[0].clone()),
        Function::Gauss(knot) if knots.contains(knot) => Function::Gauss(knots[0].clone()),
        other => other.clone(),
    };
    form.terms().fold(Form::zero(), |sum, (product, coefficient)| {
        let factors = product.factors().flat_map(|(f, n)| (0..n).map(move |_| f));
        let factors = factors.map(|f| Form::term(Polynomial::one(), function(f)));
        &sum + &factors.fold(Form::from(coefficient.clone()), |term, factor| &term * &factor)
    })
}

/// The quantities near a knot, or several that have met, each up to what vanishes exponentially.
fn forms(
    activation: &Activation,
    mean: &Form,
    second: &Form,
    knots: &[Knot],
    quantities: &[Quantity],
) -> Vec<Form> {
    let at_knots = |form: &Form| match knots {
        [knot] => form.at_knot(knot),
        _ => merged(form, knots).at_knot(&knots[0]),
    };
    let [m, s] = [mean, second].map(at_knots);
    let variance = &s - &(&m * &m);
    let moment = |moment: Moment| match moment {
        Moment::Mean => m.clone(),
        Moment::Second => s.clone(),
        Moment::Variance => variance.clone(),
    };
    let derivative = |moment: Moment, variable: Variable| {
        let symbol = match variable {
            Variable::Gamma => Symbol::Gamma,
            Variable::Xi2 => Symbol::Xi2,
            Variable::Parameter(i) => Symbol::Parameter(activation.parameters[i].name.clone()),
        };
        let [dm, ds] = [mean, second].map(|form| at_knots(&form.derivative(&symbol)));
        match moment {
            Moment::Mean => dm,
            Moment::Second => ds,
            Moment::Variance => &ds - &(&m * &dm).scale(&integer(2)),
        }
    };
    let form = |quantity: &Quantity| match quantity {
        Quantity::Moment(of) => moment(*of),
        Quantity::Derivative(of, variable) => derivative(*of, *variable),
    };
    quantities.iter().map(form).collect()
}

/// The limit for ξ → 0, infinite if a negative power of ξ is left.
fn limit(b: &mut Builder, contributions: &Contributions<'_>, form: &Form) -> Operand {
    let expansion: Expansion = form.expansion();
    let evaluate = |b: &mut Builder, roots: &[Polynomial]| {
        let coefficients: Vec<Operand> =
            roots.iter().map(|part| contributions.coefficient(b, part)).collect();
        b.horner(&coefficients, &input(Input::RootTwoOverPi))
    };
    let mut value = expansion.get(&0).map_or_else(zero, |roots| evaluate(b, roots));
    // The most negative power decides, so it comes last and outermost.
    for (_, roots) in expansion.range(..0).rev() {
        let coefficient = evaluate(b, roots);
        value = b.pole(coefficient, value);
    }
    value
}
