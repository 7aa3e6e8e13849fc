//! Arrays of NumPy as slices that kernels take: chunk by chunk, on several threads where there are many elements.
//!
//! A contiguous array is read and written where it lies. Of a strided or broadcast one, each chunk is gathered into a
//! buffer that stays in the cache.

use gaussform_python_kernels::{Kernels, Quantity, Scalar};
use numpy::ndarray::{ArrayView, ArrayView1, ArrayViewD, ArrayViewMutD, Axis, IxDyn};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::flags::Flags;
use crate::threads;

/// A computation on every element of arrays.
pub(crate) trait Elementwise: Sync {
    /// Elements that one task computes.
    const CHUNK: usize;
    /// Elements from which on several threads are worth their start.
    const MANY: usize;

    fn run<T: Scalar>(&self, inputs: &[&[T]], outputs: &mut [&mut [T]]);
}

/// A quantity of one pre-activation.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) kernels: &'a dyn Kernels,
    pub(crate) quantity: Quantity,
}

impl Elementwise for Work<'_> {
    /// A dozen slices of them fit into a core's cache.
    const CHUNK: usize = 1 << 13;
    const MANY: usize = 1 << 15;

    fn run<T: Scalar>(&self, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        T::of(self.kernels).compute(self.quantity, inputs, outputs);
    }
}

/// The arrays of one precision, all of one shape.
struct Arrays<'py, T: Element> {
    inputs: Vec<PyReadonlyArrayDyn<'py, T>>,
    outputs: Vec<PyReadwriteArrayDyn<'py, T>>,
}

/// Computes something of arrays of one shape and of one floating type, into others.
pub(crate) fn compute(
    py: Python<'_>,
    work: &impl Elementwise,
    inputs: &[Bound<'_, PyAny>],
    outputs: &[Bound<'_, PyAny>],
) -> PyResult<()> {
    let Some(first) = inputs.first() else {
        return Err(PyTypeError::new_err("an input is wanted"));
    };
    if first.cast::<PyArrayDyn<f64>>().is_ok() {
        Arrays::<f64>::new(inputs, outputs)?.compute(py, work)
    } else if first.cast::<PyArrayDyn<f32>>().is_ok() {
        Arrays::<f32>::new(inputs, outputs)?.compute(py, work)
    } else {
        Err(PyTypeError::new_err("arrays are wanted, of float64 or of float32"))
    }
}

impl<'py, T: Scalar + Element> Arrays<'py, T> {
    fn new(inputs: &[Bound<'py, PyAny>], outputs: &[Bound<'py, PyAny>]) -> PyResult<Self> {
        let array = |array: &Bound<'py, PyAny>| -> PyResult<Bound<'py, PyArrayDyn<T>>> {
            let wrong = |_| PyTypeError::new_err("all arrays must have one floating type");
            array.cast::<PyArrayDyn<T>>().cloned().map_err(wrong)
        };
        let readonly = |a: &Bound<'py, PyAny>| Ok(array(a)?.try_readonly()?);
        let readwrite = |a: &Bound<'py, PyAny>| Ok(array(a)?.try_readwrite()?);
        let outputs: Vec<_> = outputs.iter().map(readwrite).collect::<PyResult<_>>()?;
        let inputs: Vec<_> = inputs.iter().map(readonly).collect::<PyResult<_>>()?;
        let shape = inputs.first().map(|a| a.as_array().raw_dim());
        let same = inputs.iter().all(|a| Some(a.as_array().raw_dim()) == shape)
            && outputs.iter().all(|a| Some(a.as_array().raw_dim()) == shape);
        if same {
            Ok(Self { inputs, outputs })
        } else {
            Err(PyValueError::new_err("all arrays must have one shape"))
        }
    }

    fn compute(mut self, py: Python<'_>, work: &impl Elementwise) -> PyResult<()> {
        let inputs: Vec<ArrayViewD<'_, T>> = self.inputs.iter().map(|a| a.as_array()).collect();
        let outputs: Vec<ArrayViewMutD<'_, T>> =
            self.outputs.iter_mut().map(|a| a.as_array_mut()).collect();
        py.detach(|| elements(work, &inputs, outputs));
        Ok(())
    }
}

/// The slices of one chunk that are written.
struct Task<'a, T> {
    first: usize,
    outputs: Vec<&'a mut [T]>,
}

/// Computes something of views of one shape, into others.
pub(crate) fn elements<T: Scalar, W: Elementwise>(
    work: &W,
    inputs: &[ArrayViewD<'_, T>],
    mut outputs: Vec<ArrayViewMutD<'_, T>>,
) {
    let Some(length) = inputs.first().map(ArrayView::len) else { return };
    if outputs.iter().all(|view| view.is_standard_layout()) {
        let slices = outputs.iter_mut().filter_map(|view| view.as_slice_mut()).collect();
        return chunks(work, inputs, slices, length);
    }
    let mut buffers: Vec<Vec<T>> = outputs.iter().map(|_| vec![T::ZERO; length]).collect();
    chunks(work, inputs, buffers.iter_mut().map(Vec::as_mut_slice).collect(), length);
    for (view, buffer) in outputs.iter_mut().zip(&buffers) {
        let shape = view.raw_dim();
        view.assign(&ArrayViewD::from_shape(shape, buffer).expect("as many elements"));
    }
}

fn chunks<'a, T: Scalar, W: Elementwise>(
    work: &W,
    inputs: &[ArrayViewD<'_, T>],
    outputs: Vec<&'a mut [T]>,
    length: usize,
) {
    let mut tasks: Vec<Task<'a, T>> = (0..length)
        .step_by(W::CHUNK)
        .map(|first| Task { first, outputs: Vec::with_capacity(outputs.len()) })
        .collect();
    for output in outputs {
        for (task, slice) in tasks.iter_mut().zip(output.chunks_mut(W::CHUNK)) {
            task.outputs.push(slice);
        }
    }
    let run = |mut task: Task<'_, T>| {
        // Flags belong to a thread, and a task may run on any thread of the pool.
        let _flags = Flags::standard();
        let count = W::CHUNK.min(length - task.first);
        let buffers: Vec<Slice<'_, T>> =
            inputs.iter().map(|view| gather(view, task.first, count)).collect();
        let slices: Vec<&[T]> = buffers.iter().map(Slice::as_slice).collect();
        work.run(&slices, &mut task.outputs);
    };
    let threads = if length >= W::MANY { threads::pool() } else { None };
    match threads {
        Some(threads) => threads.install(|| tasks.into_par_iter().for_each(run)),
        None => tasks.into_iter().for_each(run),
    }
}

/// Some elements of an array in their logical order.
enum Slice<'a, T> {
    Own(&'a [T]),
    Gathered(Vec<T>),
}

impl<T> Slice<'_, T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Self::Own(slice) => slice,
            Self::Gathered(values) => values,
        }
    }
}

fn gather<'a, T: Scalar>(view: &'a ArrayViewD<'_, T>, first: usize, count: usize) -> Slice<'a, T> {
    if let Some(all) = view.as_slice() {
        return Slice::Own(&all[first..first + count]);
    }
    let width = view.shape().last().copied().unwrap_or(1);
    let mut values = Vec::with_capacity(count);
    let mut at = first;
    while values.len() < count {
        let lane = lane(view, at / width);
        let skipped = at % width;
        let taken = (width - skipped).min(count - values.len());
        values.extend(lane.iter().skip(skipped).take(taken).copied());
        at += taken;
    }
    Slice::Gathered(values)
}

/// A row along the last axis.
fn lane<'a, T>(view: &'a ArrayViewD<'_, T>, mut index: usize) -> ArrayView1<'a, T> {
    let mut row: ArrayView<'a, T, IxDyn> = view.view();
    // An array without axes is contiguous and does not come here.
    let axes = row.ndim();
    // From the inner axes outward, so that the index is taken apart by remainders.
    for axis in (0..axes - 1).rev() {
        let length = row.shape()[axis];
        row = row.index_axis_move(Axis(axis), index % length);
        index /= length;
    }
    row.into_dimensionality().expect("one axis is left")
}
