//! The formulas of a kernel with values of its parameters, run for one pre-activation.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gaussform_runtime::kernel::{self, Facts, Form, Lanes, number, record};
use gaussform_symbolic::exact::Rational;

use crate::given::{evaluate, place};
use crate::ir::{AtZeroVariance, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::double;
use crate::run::{self, FormulaInputs, array};

/// The formulas of a kernel for values of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Interpreted<'a> {
    kernel: &'a Kernel,
    parameters: Vec<f64>,
    /// The knots, each a sum of three words, ascending.
    knots: Vec<[f64; 3]>,
    /// The widths of the bounded pieces, each a sum of two words.
    widths: Vec<[f64; 2]>,
    /// Numbers of the IR in two words, by their addresses: to round one takes longer than to compute with it.
    rounded: RefCell<BTreeMap<usize, [f64; 2]>>,
}

impl<'a> Interpreted<'a> {
    pub(crate) fn new(kernel: &'a Kernel, parameters: &[f64]) -> Self {
        kernel.check_count(parameters);
        Self {
            kernel,
            parameters: parameters.to_vec(),
            knots: kernel.knots().iter().map(|knot| place(knot, parameters)).collect(),
            widths: kernel.widths().iter().map(|width| evaluate(width, parameters)).collect(),
            rounded: RefCell::default(),
        }
    }

    /// The knots.
    pub(crate) fn knots(&self) -> &[[f64; 3]] {
        &self.knots
    }

    /// g(x).
    pub(crate) fn value(&self, x: f64) -> f64 {
        if x.is_nan() { x } else { run::at(self, self.kernel.value(), x)[0] }
    }

    /// The results for ξ² = 0 on each knot that is a number, or on a run of such that have met.
    pub(crate) fn at_zero_variance(
        &self,
        routine: &'a Routine,
    ) -> impl Iterator<Item = (f64, Vec<f64>)> {
        routine.on_knots.iter().filter_map(move |AtZeroVariance { first, last, block }| {
            let [at, low, lowest] = self.knots[*first];
            // A knot between two numbers is never hit.
            let is_number = low == 0.0 && lowest == 0.0;
            (is_number && self.knots[*first] == self.knots[*last])
                .then(|| (at, run::at(self, block, at)))
        })
    }

    /// The results with γ on a knot.
    fn on_knot(&self, routine: &'a Routine, gamma: f64) -> Option<Vec<f64>> {
        self.at_zero_variance(routine).find(|(at, _)| *at == gamma).map(|(_, results)| results)
    }

    fn rounded(&self, address: usize, of: impl FnOnce() -> [f64; 2]) -> [f64; 2] {
        *self.rounded.borrow_mut().entry(address).or_insert_with(of)
    }
}

impl<V: Lanes> FormulaInputs<V> for Interpreted<'_> {
    fn kernel(&self) -> &Kernel {
        self.kernel
    }

    fn parameter(&self, index: usize) -> V {
        number(self.parameters[index])
    }

    fn knot(&self, knot: usize) -> [V; 3] {
        lanes(self.knots[knot])
    }

    fn width(&self, piece: usize) -> [V; 2] {
        pair(self.widths[piece])
    }

    fn word(&self, word: &Word) -> [V; 2] {
        // The kernel is borrowed, so that its numbers keep their addresses.
        let address = std::ptr::from_ref(word).addr();
        pair(self.rounded(address, || evaluate(word, &self.parameters)))
    }

    fn constant(&self, value: &Rational) -> [V; 2] {
        let address = std::ptr::from_ref(value).addr();
        pair(self.rounded(address, || double::<f64>(value)))
    }
}

/// A number of three words.
fn lanes<V: Lanes>(words: [f64; 3]) -> [V; 3] {
    record::words::<V::Scalar>(words).map(V::splat)
}

/// A number of two words.
fn pair<V: Lanes>([high, low]: [f64; 2]) -> [V; 2] {
    let [high, low, _] = lanes([high, low, 0.0]);
    [high, low]
}

impl kernel::Kernel for &Interpreted<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    /// Facts say how slices are computed: no slice is.
    const FORM: Form = Form::Formulas(Facts { knots: 0, degree: 0, is_moderate: false });

    fn degree(&self) -> u32 {
        u32::try_from(self.kernel.activation().function.degree()).unwrap_or(0)
    }

    fn value(&self, x: f64) -> f64 {
        Interpreted::value(self, x)
    }

    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        array(&run::results(*self, &self.kernel.moments().function, gamma, xi2))
    }

    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        array(&run::results(*self, &self.kernel.gradient().function, gamma, xi2))
    }

    fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
        self.on_knot(self.kernel.gradient(), gamma).map(|results| array(&results))
    }

    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        if out.is_empty() {
            return;
        }
        let results = run::results(*self, &self.kernel.parameters().function, gamma, xi2);
        out.iter_mut().zip(results.chunks_exact(3)).for_each(|(entry, of)| *entry = array(of));
    }

    fn parameter_gradients_at_zero_variance(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let results = self.on_knot(self.kernel.parameters(), gamma);
        for (entry, of) in out.iter_mut().zip(results.iter().flat_map(|all| all.chunks_exact(3))) {
            *entry = array(of);
        }
        results.is_some()
    }
}
