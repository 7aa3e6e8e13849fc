//! The native module of the Python package `gaussform`.
//!
//! It has what Python cannot do itself: kernels on arrays ([`array`]), derivations ([`inspect`]), covariances ([`pair`]), networks
//! ([`table`]), and a door for JAX ([`xla`]).
//! Arguments are sorted out in Python (`gaussform/_function.py`), so that a reader of the package finds there what its
//! functions take and give.

mod array;
mod error;
mod flags;
mod function;
mod inspect;
mod pair;
mod table;
mod threads;
mod xla;

use pyo3::prelude::*;

#[pyfunction]
fn set_num_threads(count: usize) {
    threads::set_count(count);
}

#[pyfunction]
fn get_num_threads() -> usize {
    threads::count()
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("DeclarationError", py.get_type::<error::DeclarationError>())?;
    m.add("DerivationError", py.get_type::<error::DerivationError>())?;
    m.add("ParameterError", py.get_type::<error::ParameterError>())?;
    m.add_class::<function::Function>()?;
    m.add_class::<table::Model>()?;
    m.add_function(wrap_pyfunction!(table::means_missing, m)?)?;
    m.add_function(wrap_pyfunction!(xla::xla_handler, m)?)?;
    m.add_function(wrap_pyfunction!(function::library, m)?)?;
    m.add_function(wrap_pyfunction!(function::declarations, m)?)?;
    m.add_function(wrap_pyfunction!(set_num_threads, m)?)?;
    m.add_function(wrap_pyfunction!(get_num_threads, m)?)
}
