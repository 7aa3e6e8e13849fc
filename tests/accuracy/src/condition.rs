//! How much the sum behind the variance of a straight function can amplify errors.
//!
//! With q the piece of γ, T = g − q, m = E[T] and F = E[T (T + 2(q − E q))], the variance is Var q + F − m². Its condition
//! is κ = (Var q + |F| + m²)/Var g, where the piece of γ is not narrow.

use gaussform_accuracy::error::Measure;
use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::{Real, float, to_f64};
use gaussform_accuracy::registry;
use gaussform_accuracy::sweep::count;
use gaussform_runtime::kernel::{Deviation, Edge, is_narrow};

/// Points for each activation.
const POINTS: usize = 2000;

/// A Markdown table of the largest condition of each activation and where it is.
pub(crate) fn report() -> String {
    let oracle = Oracle::default();
    let mut rows = vec![
        "| activation | largest κ | at γ = | ξ = |".to_owned(),
        "| --- | ---: | ---: | ---: |".to_owned(),
    ];
    for entry in registry::all().into_iter().filter(|entry| entry.function.degree() <= 1) {
        let g = &entry.function;
        let all = points::<f64>(g, count(POINTS)).into_iter();
        let conditions = all.filter_map(|(gamma, xi2)| {
            condition(&oracle, g, gamma, xi2).map(|condition| (condition, gamma, xi2))
        });
        let worst = conditions.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((condition, gamma, xi2)) = worst {
            rows.push(format!(
                "| {} | {condition:.1} | {gamma:.3e} | {:.3e} |",
                g.name,
                xi2.sqrt()
            ));
        }
    }
    rows.join("\n")
}

/// The condition, unless γ lies on a narrow piece, or a result near an end of the range.
fn condition(oracle: &Oracle, g: &Function, gamma: f64, xi2: f64) -> Option<f64> {
    let deviation = Deviation::new(xi2, [0, 0]);
    let left = |knot: &&Real| to_f64(&(&float(gamma, knot.precision()) - *knot)) >= 0.0;
    let home = g.knots.iter().filter(left).count();
    let ends = [home.checked_sub(1), Some(home).filter(|i| *i < g.knots.len())];
    if let [Some(left), Some(right)] = ends {
        let at =
            [left, right].map(|i| Edge::at(gamma, [to_f64(&g.knots[i]), 0.0, 0.0], &deviation));
        if is_narrow(&at[0], &at[1]) {
            return None;
        }
    }
    let truth = oracle.truth(g, gamma, xi2);
    let extreme = Measure::new(&truth).is_extreme::<f64>(xi2);
    let variance = truth.values[2].clone();
    if xi2 == 0.0 || extreme || variance.is_zero() {
        return None;
    }
    let q = &g.pieces[home];
    let less = |p: &Vec<Real>| p.iter().zip(q).map(|(a, b)| a - b).collect();
    let rest = Function::new("T", g.knots.clone(), g.pieces.iter().map(less).collect());
    let smooth = Function::new("q", Vec::new(), vec![q.clone()]);
    let mean = oracle.truth(&rest, gamma, xi2).values[0].clone();
    let smooth = oracle.truth(&smooth, gamma, xi2).values[2].clone();
    let square = &mean * &mean;
    let product = (&(&variance - &smooth) + &square).abs();
    let sum = &(&product + &smooth) + &square;
    Some(to_f64(&(&sum / &variance)))
}
