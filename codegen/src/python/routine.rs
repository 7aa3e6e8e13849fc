//! The functions of one kernel in Python.

use super::Target;
use super::body::Body;
use crate::ir::{AtZeroVariance, Block, Case, Condition, Expr, Function, Input, Stmt, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::{Length, double};
use crate::run::tails_size;

/// g itself.
pub(super) fn value(kernel: &Kernel, target: Target) -> String {
    let head = format!("def _value_kernel({}):", parameters(kernel, &["p", "x"]));
    let mut body = Body::new(target, kernel.knots(), "x", &head);
    let block = kernel.value();
    body.words(&[block]);
    if !kernel.knots().is_empty() {
        body.places();
    }
    let results = body.block(block);
    body.line(&format!("return (xp.where(xp.isnan(x), x, {}),)", results[0]));
    body.finish()
}

/// A routine: its function and the limits for ξ² = 0 on knots.
pub(super) fn routine(kernel: &Kernel, target: Target, name: &str, routine: &Routine) -> String {
    let head = format!("def {name}({}):", parameters(kernel, &["p", "gamma", "xi2"]));
    let mut body = Body::new(target, kernel.knots(), "gamma", &head);
    let limits: Vec<&AtZeroVariance> =
        routine.on_knots.iter().filter(|limit| is_hit(kernel, limit)).collect();
    let mut blocks = vec![&routine.function.block];
    blocks.extend(limits.iter().map(|limit| &limit.block));
    let knots = !kernel.knots().is_empty();
    body.words(&blocks);
    if knots {
        body.places();
        knot_tails(kernel, target, &routine.function, &mut body);
    }
    let results = body.block(&routine.function.block);
    body.line(&format!("results = ({})", results.join(", ")));
    select_at_zero_variance(&limits, routine.quantities.len(), &mut body);
    body.line("return _finish(gamma, xi2, results)");
    body.finish()
}

/// The first of the limits for ξ² = 0 on knots, in place of results.
pub(super) fn on_knots(kernel: &Kernel, routine: &Routine, count: usize, body: &mut Body<'_>) {
    let limits: Vec<&AtZeroVariance> =
        routine.on_knots.iter().filter(|limit| is_hit(kernel, limit)).collect();
    let blocks: Vec<&Block> = limits.iter().map(|limit| &limit.block).collect();
    body.words(&blocks);
    select_at_zero_variance(&limits, count, body);
}

fn select_at_zero_variance(limits: &[&AtZeroVariance], count: usize, body: &mut Body<'_>) {
    // The first that applies decides, so it is selected last.
    for (index, limit) in limits.iter().enumerate().rev() {
        let mut results = body.at_zero_variance(index, &limit.block);
        results.truncate(count);
        let mut at = format!("(xi2 == 0.0) & _is_on(gamma, knots[{}])", limit.first);
        if limit.last != limit.first {
            at += &format!(" & _is_on(gamma, knots[{}])", limit.last);
        }
        body.line(&format!("at = {at}"));
        body.line(&format!("limits = ({})", results.join(", ")));
        body.line("results = _where(at, limits, results)");
    }
}

/// A knot between two numbers is never hit.
fn is_hit(kernel: &Kernel, limit: &AtZeroVariance) -> bool {
    match &kernel.knots()[limit.first] {
        Word::Constant(place) => double::<f64>(place)[1] == 0.0,
        _ => true,
    }
}

/// The knots seen from γ, their tails, and the integrals over narrow pieces.
fn knot_tails(kernel: &Kernel, target: Target, function: &Function, body: &mut Body<'_>) {
    let block = &function.block;
    body.line("deviation = p.deviation_of(xi2)");
    body.line("xi, inverse, _ = deviation");
    body.line("edges = _edges(p, gamma, knots, deviation)");
    body.line("z, s, d, h = edges");
    if uses_side(block) {
        body.line("right = p.is_right(edges)");
    }
    if block.reads(|input| matches!(input, Input::SignedDistance(_))) {
        body.line("score = p.score(edges)");
    }
    if block.any(&|s| matches!(s, Stmt::Let(_, Expr::Seen(_)))) {
        body.line("seen = xp.any(h > p.negligible, 0)");
    }
    let tails = function.tails.iter().copied().max().unwrap_or(0);
    if tails > 0 {
        body.line(&format!("tails = p.tails_{}(edges)", tails_size(tails)));
    }
    if kernel.knots().len() > 1 {
        body.line("narrow = p.is_narrow((z[:-1],), (z[1:],))");
        powers(kernel, target, function, body);
    }
}

/// The density on each bounded piece, and the integrals of the basis.
fn powers(kernel: &Kernel, target: Target, function: &Function, body: &mut Body<'_>) {
    let if_any = |piece: usize, call: String| match target.skips() {
        true => format!("{call} if narrow[{piece}].any() else None"),
        false => call,
    };
    for width in kernel.widths() {
        body.name_word(Length::Double, width);
    }
    let widths = kernel.widths().iter().map(|width| body.word(Length::Double, width));
    let widths: Vec<String> = widths.collect();
    body.line(&format!("widths = [{}]", widths.join(", ")));
    let powers = (0..widths.len()).map(|piece| {
        if_any(piece, format!("_powers(p, {piece}, narrow, edges, widths[{piece}], deviation)"))
    });
    let powers: Vec<String> = powers.collect();
    body.line(&format!("powers = [{}]", powers.join(", ")));
    if function.integrals.contains(&true) {
        let pieces = 0..powers.len();
        let integrals = pieces.map(|piece| if_any(piece, format!("_integrals(powers[{piece}])")));
        let integrals: Vec<String> = integrals.collect();
        body.line(&format!("integrals = [{}]", integrals.join(", ")));
    }
}

/// Whether a block asks on which side of a knot γ lies.
fn uses_side(block: &Block) -> bool {
    let bounded = |case: &Case| case.piece() > 0 || matches!(case, Case::Wide(_));
    block.any(&|s| matches!(s, Stmt::Let(_, Expr::Side(..))))
        || block.statements.iter().any(|statement| {
            matches!(statement, Stmt::Branch { condition: Condition::Case(cases), .. }
                if cases.iter().any(bounded))
        })
}

/// The arguments of a kernel, parameters last.
pub(super) fn parameters(kernel: &Kernel, first: &[&str]) -> String {
    let mut names: Vec<String> = first.iter().map(|&name| name.to_owned()).collect();
    names.extend((0..kernel.activation().parameters.len()).map(|index| format!("theta{index}")));
    names.join(", ")
}
