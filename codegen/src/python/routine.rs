//! The functions of one kernel in Python.

use super::Target;
use super::body::Body;
use crate::ir::{AtRest, Block, Case, Condition, Expr, Function, Input, Stmt, Word};
use crate::kernel::{Kernel, Routine};
use crate::record::tails_size;
use crate::rounding::{Length, double};

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
    let rests: Vec<&AtRest> = routine.on_knots.iter().filter(|rest| is_hit(kernel, rest)).collect();
    let mut blocks = vec![&routine.function.block];
    blocks.extend(rests.iter().map(|rest| &rest.block));
    let knots = !kernel.knots().is_empty();
    body.words(&blocks);
    if knots {
        body.places();
        sight(kernel, target, &routine.function, &mut body);
    }
    let results = body.block(&routine.function.block);
    body.line(&format!("results = ({})", results.join(", ")));
    select_at_rest(&rests, routine.quantities.len(), &mut body);
    body.line("return _finish(gamma, xi2, results)");
    body.finish()
}

/// The first of the limits for ξ² = 0 on knots, in place of results.
pub(super) fn on_knots(kernel: &Kernel, routine: &Routine, count: usize, body: &mut Body<'_>) {
    let rests: Vec<&AtRest> = routine.on_knots.iter().filter(|rest| is_hit(kernel, rest)).collect();
    let blocks: Vec<&Block> = rests.iter().map(|rest| &rest.block).collect();
    body.words(&blocks);
    select_at_rest(&rests, count, body);
}

fn select_at_rest(rests: &[&AtRest], count: usize, body: &mut Body<'_>) {
    // The first that applies decides, so it is selected last.
    for (index, rest) in rests.iter().enumerate().rev() {
        let mut results = body.at_rest(index, &rest.block);
        results.truncate(count);
        let mut at = format!("(xi2 == 0.0) & _is_on(gamma, knots[{}])", rest.first);
        if rest.last != rest.first {
            at += &format!(" & _is_on(gamma, knots[{}])", rest.last);
        }
        body.line(&format!("at = {at}"));
        body.line(&format!("limits = ({})", results.join(", ")));
        body.line("results = _where(at, limits, results)");
    }
}

/// A knot between two numbers is never hit.
fn is_hit(kernel: &Kernel, rest: &AtRest) -> bool {
    match &kernel.knots()[rest.first] {
        Word::Constant(place) => double::<f64>(place)[1] == 0.0,
        _ => true,
    }
}

/// The knots seen from γ, their tails, and the integrals over narrow pieces.
fn sight(kernel: &Kernel, target: Target, function: &Function, body: &mut Body<'_>) {
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
        strips(kernel, target, function, body);
    }
}

/// The density on each bounded piece, and the integrals of the basis.
fn strips(kernel: &Kernel, target: Target, function: &Function, body: &mut Body<'_>) {
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
    let strips = (0..widths.len()).map(|piece| {
        if_any(piece, format!("_strip(p, {piece}, narrow, edges, widths[{piece}], deviation)"))
    });
    let strips: Vec<String> = strips.collect();
    body.line(&format!("strips = [{}]", strips.join(", ")));
    if function.integrals.contains(&true) {
        let pieces = 0..strips.len();
        let integrals = pieces.map(|piece| if_any(piece, format!("_integrals(strips[{piece}])")));
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
