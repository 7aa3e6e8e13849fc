//! Two correlated pre-activations, layers of them, and kernels of wide networks.

use gaussform_codegen::Dynamic;
use gaussform_python_kernels::Scalar;
use gaussform_runtime::infinite::{Layer, Values};
use gaussform_runtime::pair::{self, Inputs, Outputs};
use numpy::{PyReadonlyArray2, PyReadonlyArray3, PyReadwriteArray2, PyReadwriteArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::array::{self, Elementwise};
use crate::flags::Flags;
use crate::function::Function;
use crate::threads;

/// E[g h] of two functions, its logarithm, and the derivatives of both.
struct Mixed<'a> {
    g: &'a Dynamic,
    h: &'a Dynamic,
}

impl Elementwise for Mixed<'_> {
    // Some milliseconds each.
    const CHUNK: usize = 1 << 3;
    const MANY: usize = 1 << 4;

    fn run<T: Scalar>(&self, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        for i in 0..inputs[0].len() {
            let law: [f64; 5] = std::array::from_fn(|k| inputs[k][i].to_f64());
            let [gamma, xi2, gamma_h, xi2_h, cov] = law;
            let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov };
            // Single precision rounds √(ξ² ξ′²) by more than double does.
            let is_rounded = T::from_f64(1.0 + f64::EPSILON) == T::ONE;
            let at = if is_rounded { at.pulled(f64::from(f32::EPSILON)) } else { at };
            let values = pair::mixed_moment(self.g, self.h, at).to_array();
            for (output, value) in outputs.iter_mut().zip(values) {
                output[i] = T::from_f64(value);
            }
        }
    }
}

/// Two functions of correlated pre-activations.
struct Pair<'a> {
    g: &'a Dynamic,
    h: &'a Dynamic,
}

impl Elementwise for Pair<'_> {
    // A pair takes about as long as a hundred moments.
    const CHUNK: usize = 1 << 7;
    const MANY: usize = 1 << 9;

    fn run<T: Scalar>(&self, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        let ([a, b, c, d, e], [p, q, r, s, t, u, v]) = (inputs, outputs) else {
            panic!("five inputs and seven outputs");
        };
        let columns = [&mut **p, &mut **q, &mut **r, &mut **s, &mut **t, &mut **u, &mut **v];
        self.g.pair_moments_into(self.h, [a, b, c, d, e], Outputs { columns });
    }
}

fn contiguous<E>(_: E) -> PyErr {
    PyValueError::new_err("a contiguous array is wanted")
}

/// Runs work on the threads of the pool, or on this one.
fn on_threads(work: impl FnOnce() + Send) {
    match threads::pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[pymethods]
impl Function {
    /// E[g h], Cov(g, h) and the derivatives of the covariance of every element, from five arrays into seven.
    fn pairs(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        other: &Function,
        other_values: Vec<f64>,
        inputs: [Bound<'_, PyAny>; 5],
        outputs: [Bound<'_, PyAny>; 7],
    ) -> PyResult<()> {
        let (g, h) = (self.at(&values)?.dynamic, other.at(&other_values)?.dynamic);
        array::compute(py, &Pair { g: &g, h: &h }, &inputs, &outputs)
    }

    /// E[g h] relative to itself, its logarithm and the derivatives of both of every element, from five arrays into twelve.
    fn mixed(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        other: &Function,
        other_values: Vec<f64>,
        inputs: [Bound<'_, PyAny>; 5],
        outputs: [Bound<'_, PyAny>; 12],
    ) -> PyResult<()> {
        let (g, h) = (self.at(&values)?.dynamic, other.at(&other_values)?.dynamic);
        array::compute(py, &Mixed { g: &g, h: &h }, &inputs, &outputs)
    }

    /// The covariances of a layer for each of a batch of means (batch, n) and covariances (batch, n, n).
    fn layer(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        gamma: PyReadonlyArray2<'_, f64>,
        cov: PyReadonlyArray3<'_, f64>,
        mut out: PyReadwriteArray3<'_, f64>,
    ) -> PyResult<()> {
        let g = self.at(&values)?.dynamic;
        let n = gamma.as_array().ncols();
        // Chunks of no numbers panic.
        if n == 0 {
            return Ok(());
        }
        let (gamma, cov) = (gamma.as_slice()?, cov.as_slice()?);
        let out = out.as_slice_mut().map_err(contiguous)?;
        if cov.len() != gamma.len() * n || out.len() != cov.len() {
            return Err(PyValueError::new_err("a covariance matrix is not n × n for n means"));
        }
        py.detach(|| {
            on_threads(|| {
                let inputs = gamma.par_chunks(n).zip(cov.par_chunks(n * n));
                inputs.zip(out.par_chunks_mut(n * n)).for_each(|((gamma, cov), out)| {
                    let _flags = Flags::standard();
                    pair::layer(&*g, gamma, cov, out);
                });
            });
        });
        Ok(())
    }

    /// The kernels NNGP and NTK of a network of infinite width between the rows of two matrices.
    #[allow(clippy::too_many_arguments, reason = "a network, two inputs, two outputs")]
    fn infinite(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        depth: usize,
        variances: [f64; 2],
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray2<'_, f64>,
        mut nngp: PyReadwriteArray2<'_, f64>,
        mut ntk: PyReadwriteArray2<'_, f64>,
    ) -> PyResult<()> {
        let g = self.at(&values)?.dynamic;
        let (columns, rows) = (x.as_array().ncols(), y.as_array().nrows());
        if columns == 0 || rows == 0 || y.as_array().ncols() != columns {
            return Err(PyValueError::new_err(
                "the inputs have different numbers of columns, or none",
            ));
        }
        let [weight, bias] = variances;
        let layer = Layer { weight, bias, mean: 0.0 };
        let (x, y) = (x.as_slice()?, y.as_slice()?);
        let nngp = nngp.as_slice_mut().map_err(contiguous)?;
        let ntk = ntk.as_slice_mut().map_err(contiguous)?;
        py.detach(|| {
            on_threads(|| {
                let outputs = nngp.par_chunks_mut(rows).zip(ntk.par_chunks_mut(rows));
                x.par_chunks(columns).zip(outputs).for_each(|(x, (nngp, ntk))| {
                    let _flags = Flags::standard();
                    for (i, y) in y.chunks(columns).enumerate() {
                        let kernel = deep(&g, x, y, layer, depth);
                        nngp[i] = kernel.nngp;
                        ntk[i] = kernel.ntk;
                    }
                });
            });
        });
        Ok(())
    }
}

/// The outputs of a network with so many layers of activations.
fn deep(g: &Dynamic, x: &[f64], y: &[f64], layer: Layer, depth: usize) -> Values {
    (0..depth).fold(Values::first(x, y, layer), |values, _| values.then(g, layer))
}
