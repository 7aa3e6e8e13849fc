//! A handler of XLA's foreign functions, by which JAX calls the kernels on a processor.
//!
//! The structures are those of `xla/ffi/api/c_api.h`, version 0.3 of the interface, as far as the handler reads them. XLA passes a frame
//! with buffers for arguments and results and with attributes; the one attribute here, `g`, is a text of a quantity, the values of the
//! parameters and the declaration of the function:
//!
//! ```text
//! moments_grad;0.1,2.5;leaky(x; eps in (0, 1), a) = …
//! ```
//!
//! XLA's threads flush subnormal numbers; the kernels run with the default flags, as everywhere.
#![allow(unsafe_code, reason = "XLA passes pointers")]
#![allow(dead_code, reason = "structures have all fields of XLA's up to the last that is read")]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{ptr, slice, str};

use gaussform_python_kernels::{Quantity, Scalar};
use numpy::ndarray::{ArrayView, ArrayViewD, ArrayViewMut};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::array::{self, Work};
use crate::function::{Function, Ready, second_derivatives};

#[repr(C)]
struct Base {
    size: usize,
    kind: c_int,
    next: *mut Base,
}

#[repr(C)]
struct Version {
    size: usize,
    extension: *mut Base,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Base,
    metadata: *mut Metadata,
}

#[repr(C)]
struct ErrorArguments {
    size: usize,
    extension: *mut Base,
    message: *const c_char,
    code: c_int,
}

#[repr(C)]
struct Api {
    size: usize,
    extension: *mut Base,
    version: Version,
    internal: *const c_void,
    error: extern "C" fn(*mut ErrorArguments) -> *mut c_void,
}

#[repr(C)]
struct Buffer {
    size: usize,
    extension: *mut Base,
    kind: c_int,
    data: *mut c_void,
    rank: i64,
    dimensions: *const i64,
}

#[repr(C)]
struct Bytes {
    start: *const u8,
    length: usize,
}

/// Arguments or results.
#[repr(C)]
struct Buffers {
    size: usize,
    extension: *mut Base,
    count: i64,
    kinds: *const c_int,
    buffers: *const *const Buffer,
}

#[repr(C)]
struct Attributes {
    size: usize,
    extension: *mut Base,
    count: i64,
    kinds: *const c_int,
    names: *const *const Bytes,
    values: *const *const c_void,
}

#[repr(C)]
struct Frame {
    size: usize,
    extension: *mut Base,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: Buffers,
    results: Buffers,
    attributes: Attributes,
}

const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
const INVALID_ARGUMENT: c_int = 3;
const STRING: c_int = 4;
const F32: c_int = 11;
const F64: c_int = 12;
/// The version of the interface that the structures are taken from.
const VERSION: [c_int; 2] = [0, 3];

/// The computation that a call asks for.
enum Task {
    Kernels(Quantity),
    Hessian,
}

type Known = Arc<(Task, Ready)>;

/// The computations that texts of the attribute stand for; as many as a program has functions.
static KNOWN: LazyLock<Mutex<BTreeMap<String, Known>>> = LazyLock::new(Mutex::default);

/// The computation that a text of the attribute stands for.
fn known(text: &str) -> Option<Known> {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text) {
        return Some(known.clone());
    }
    let (quantity, rest) = text.split_once(';')?;
    let (values, declaration) = rest.split_once(';')?;
    let values: Vec<f64> = values
        .split(',')
        .filter(|v| !v.is_empty())
        .map(|v| v.parse().ok())
        .collect::<Option<_>>()?;
    let task = match quantity {
        "hessian" => Task::Hessian,
        other => Task::Kernels(Quantity::named(other)?),
    };
    let new = Arc::new((task, Function::read(declaration)?.at(&values).ok()?));
    all.insert(text.to_owned(), new.clone());
    Some(new)
}

/// The elements of a buffer.
unsafe fn length(buffer: &Buffer) -> usize {
    // A slice wants a pointer that is not null even for no elements, which XLA does not promise.
    if buffer.rank == 0 {
        return 1;
    }
    // SAFETY: there are as many dimensions as the rank says.
    let dimensions = unsafe { slice::from_raw_parts(buffer.dimensions, buffer.rank as usize) };
    dimensions.iter().product::<i64>() as usize
}

unsafe fn buffers(all: &Buffers) -> Vec<&Buffer> {
    // As above: the pointer may be null.
    if all.count == 0 {
        return Vec::new();
    }
    // SAFETY: there are as many pointers as the count says, each to a buffer.
    unsafe { slice::from_raw_parts(all.buffers, all.count as usize).iter().map(|b| &**b).collect() }
}

unsafe fn text(attributes: &Attributes) -> Option<&str> {
    if attributes.count != 1 {
        return None;
    }
    // SAFETY: there is one kind and one value, of the kind that is checked, in bytes that live as long as the call.
    unsafe {
        if *attributes.kinds != STRING {
            return None;
        }
        let bytes = &*(*attributes.values).cast::<Bytes>();
        str::from_utf8(slice::from_raw_parts(bytes.start, bytes.length)).ok()
    }
}

unsafe fn run<T: Scalar>(known: &(Task, Ready), inputs: &[&Buffer], outputs: &[&Buffer], n: usize) {
    // SAFETY: buffers are contiguous arrays of `n` elements of this type; those of results are not those of arguments.
    let inputs: Vec<ArrayViewD<'_, T>> = inputs
        .iter()
        .map(|b| unsafe {
            ArrayView::from(slice::from_raw_parts(b.data.cast::<T>(), n)).into_dyn()
        })
        .collect();
    // SAFETY: as above.
    let outputs = outputs
        .iter()
        .map(|b| unsafe {
            ArrayViewMut::from(slice::from_raw_parts_mut(b.data.cast::<T>(), n)).into_dyn()
        })
        .collect();
    let (task, ready) = known;
    match task {
        Task::Kernels(quantity) => {
            let work = Work { kernels: ready.kernels(), quantity: *quantity };
            array::elements(&work, &inputs, outputs);
        }
        Task::Hessian => {
            array::elements(&second_derivatives(&ready.dynamic), &inputs, outputs);
        }
    }
}

/// Executes a call; the complaint if it does not fit.
unsafe fn execute(frame: &Frame) -> Result<(), &'static CStr> {
    // SAFETY: XLA keeps what the frame points to for as long as the call lasts.
    unsafe {
        let known = text(&frame.attributes).and_then(known).ok_or(c"there is no such function")?;
        let (inputs, outputs) = (buffers(&frame.arguments), buffers(&frame.results));
        let counts = match known.0 {
            Task::Kernels(quantity) => quantity.counts(0),
            Task::Hessian => (2, 6),
        };
        if (inputs.len(), outputs.len()) != counts {
            return Err(c"the quantity has other numbers of arrays");
        }
        let (kind, n) = (inputs[0].kind, length(inputs[0]));
        if inputs.iter().chain(&outputs).any(|b| b.kind != kind || length(b) != n) {
            return Err(c"all arrays must have one shape and one floating type");
        }
        if n == 0 {
            return Ok(());
        }
        match kind {
            F64 => run::<f64>(&known, &inputs, &outputs, n),
            F32 => run::<f32>(&known, &inputs, &outputs, n),
            _ => return Err(c"arrays are wanted of float64 or of float32"),
        }
        Ok(())
    }
}

extern "C" fn handler(frame: *mut Frame) -> *mut c_void {
    // SAFETY: XLA calls with a frame that it keeps during the call, and with no other reference to it.
    unsafe {
        let frame = &*frame;
        let mut extension = frame.extension;
        while let Some(base) = extension.as_ref() {
            // Such a call asks for the version of the interface alone.
            if base.kind == METADATA {
                let metadata = &mut *(*extension.cast::<MetadataExtension>()).metadata;
                [metadata.version.major, metadata.version.minor] = VERSION;
                metadata.traits = 0;
                return ptr::null_mut();
            }
            extension = base.next;
        }
        // XLA calls for other stages too, in which there is nothing to do.
        if frame.stage != EXECUTE {
            return ptr::null_mut();
        }
        // A panic must not unwind into XLA.
        let done = catch_unwind(AssertUnwindSafe(|| execute(frame)));
        let message = match done {
            Ok(Ok(())) => return ptr::null_mut(),
            Ok(Err(message)) => message,
            Err(_) => c"the kernel failed; please report this",
        };
        let mut arguments = ErrorArguments {
            size: size_of::<ErrorArguments>(),
            extension: ptr::null_mut(),
            message: message.as_ptr(),
            code: INVALID_ARGUMENT,
        };
        ((*frame.api).error)(&raw mut arguments)
    }
}

/// The handler as a capsule, as JAX registers it.
#[pyfunction]
pub(crate) fn xla_handler(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let pointer = ptr::NonNull::new(handler as *mut c_void);
    let pointer = pointer.ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("no handler"))?;
    // SAFETY: a function lives as long as the process.
    unsafe { PyCapsule::new_with_pointer(py, pointer, c"xla._CUSTOM_CALL_TARGET") }
}
