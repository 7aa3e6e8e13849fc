//! ξ² = 0 with γ on a knot: the limits for ξ → 0, taken symbolically.
//!
//! Off the knots nothing special happens: the tails vanish and Q_k are the derivatives of g.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::moment::{Expansion, Form};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Error, Knot};

use crate::builder::{Builder, input, zero};
use crate::ir::{Block, Input, Operand};
use crate::moments::Role;
use crate::tail::Contributions;

/// The results of a function of the kernel at each knot, for ξ² = 0.
pub(crate) fn lower(activation: &Activation, role: Role) -> Result<Vec<Block>, Error> {
    let mean = activation.moment(1)?.form().clone();
    let second = activation.moment(2)?.form().clone();
    let contributions = Contributions { activation };
    let blocks = activation.function.knots().iter().map(|knot| {
        let forms = quantities(activation, &mean, &second, knot, role);
        Builder::default()
            .block(|b| forms.iter().map(|form| limit(b, &contributions, form)).collect())
    });
    Ok(blocks.collect())
}

/// The quantities near a knot, each up to what vanishes exponentially.
fn quantities(
    activation: &Activation,
    mean: &Form,
    second: &Form,
    knot: &Knot,
    role: Role,
) -> Vec<Form> {
    let [m, s] = [mean, second].map(|form| form.at_knot(knot));
    let two = integer(2);
    // The derivatives of mean, second moment and variance in a symbol.
    let in_symbol = |symbol: &Symbol| {
        let [dm, ds] = [mean, second].map(|form| form.derivative(symbol).at_knot(knot));
        let dv = &ds - &(&m * &dm).scale(&two);
        [dm, ds, dv]
    };
    if role == Role::Parameters {
        let symbols = activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
        return symbols.flat_map(|symbol| in_symbol(&symbol)).collect();
    }
    let variance = &s - &(&m * &m);
    let mut forms = vec![m.clone(), s.clone(), variance];
    if role == Role::Gradient {
        let [dm_dgamma, _, dv_dgamma] = in_symbol(&Symbol::Gamma);
        let [dm_dxi2, _, dv_dxi2] = in_symbol(&Symbol::Xi2);
        forms.extend([dm_dgamma, dm_dxi2, dv_dgamma, dv_dxi2]);
    }
    forms
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
