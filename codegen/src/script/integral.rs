//! The integral over the correlation of two straight functions, recorded step by step: what happens to a knot, to the correlation, to two knots, at a
//! node, and to the sums.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::Lanes as _;
use gaussform_runtime::pair::record;

use super::graph::{Graph, Style};
use super::lanes::{Traced, record as recorded};

/// A step: its name, the names of its inputs, and what is done.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) inputs: Vec<&'static str>,
    pub(crate) graph: Graph,
}

const PATH: [&str; 4] = ["rho", "squared_rest", "end", "end_rest"];
const SUMS: [&str; 6] = ["i0", "i1", "s0", "s1", "m0", "m1"];
const TERMS: [&str; 6] = ["t", "t_a", "t_b", "t_aa", "t_bb", "t_rho"];

/// How many sums there are.
pub(crate) fn sums(jumps: bool) -> usize {
    if jumps { 6 } else { 4 }
}

/// The steps in a precision, for functions of which one jumps or none does.
pub(crate) fn steps<T: Float>(jumps: bool) -> Vec<Step> {
    let sums = &SUMS[..sums(jumps)];
    let step =
        |name, inputs: &[&[&'static str]], body: &dyn Fn(&mut Reader<T>) -> Vec<Number<T>>| {
            let inputs = inputs.concat();
            let graph = recorded::<T>(inputs.len(), Style::Free, |places| {
                body(&mut Reader { places, next: 0 })
            });
            Step { name, inputs, graph }
        };
    let all_sums = |reader: &mut Reader<T>| {
        let zero = Number::<T>::splat(T::ZERO);
        // Without jumps four sums are given, and the other two are 0.
        let given: Vec<Number<T>> = sums.iter().map(|_| reader.take::<1>()[0]).collect();
        std::array::from_fn::<_, 6, _>(|i| given.get(i).copied().unwrap_or(zero))
    };
    let node = |reader: &mut Reader<T>| {
        let (path, node, at) = (reader.take(), reader.take(), reader.take());
        let terms = match jumps {
            true => record::node::<_, true>(path, node, at),
            false => record::node::<_, false>(path, node, at),
        };
        terms[..sums.len()].to_vec()
    };
    let terms = |reader: &mut Reader<T>| {
        let (path, knots, at) = (reader.take(), [reader.take(), reader.take()], reader.take());
        let sums = all_sums(reader);
        match jumps {
            true => record::terms::<_, true>(path, knots, at, sums).to_vec(),
            false => record::terms::<_, false>(path, knots, at, sums).to_vec(),
        }
    };
    let covariance = |reader: &mut Reader<T>| {
        let (variances, [rho]) = (reader.take(), reader.take());
        let (units, terms) = ([reader.take(), reader.take()], reader.take());
        match jumps {
            true => record::covariance::<_, true>(variances, rho, units, terms).to_vec(),
            false => record::covariance::<_, false>(variances, rho, units, terms).to_vec(),
        }
    };
    vec![
        step("knot", &[&["gamma", "xi2", "t", "t_low", "t_lowest", "kink", "jump"]], &|reader| {
            record::knot(reader.take(), reader.take(), reader.take()).to_vec()
        }),
        step("path", &[&["xi2", "xi2_h", "cov"]], &|reader| {
            let (variances, [c]) = (reader.take(), reader.take());
            record::path(variances, c).to_vec()
        }),
        step("meet", &[&["rho", "a", "phi", "lost", "b", "phi_h", "lost_h"]], &|reader| {
            let [rho] = reader.take();
            record::knot_pair(rho, reader.take(), reader.take()).to_vec()
        }),
        step("node", &[&PATH, &["x", "rest", "weight", "square", "product"]], &node),
        step(
            "terms",
            &[
                &PATH,
                &["a", "lost", "kink", "jump", "b", "lost_h", "kink_h", "jump_h"],
                &["square", "product", "density"],
                sums,
            ],
            &terms,
        ),
        step(
            "covariance",
            &[
                &["xi2", "xi2_h", "rho", "base", "slope", "flux", "first", "second"],
                &["base_h", "slope_h", "flux_h", "first_h", "second_h"],
                &TERMS,
            ],
            &covariance,
        ),
    ]
}

type Number<T> = Traced<T>;

/// Inputs in their order.
struct Reader<'a, T> {
    places: &'a [Number<T>],
    next: usize,
}

impl<T: Float> Reader<'_, T> {
    fn take<const N: usize>(&mut self) -> [Number<T>; N] {
        self.next += N;
        std::array::from_fn(|i| self.places[self.next - N + i])
    }
}
