//! The recordings of this thread: graphs, the innermost one last, and functions that are done.

use std::cell::RefCell;

use super::function::{Function, Parameter, Shape};
use super::graph::{Arithmetic, Builder, Graph, Operation, Value};

/// Error-free transformations, and steps of a power of two: nothing in them may be fused or simplified.
const EXACT: [&str; 6] = ["two_sum", "fast_two_sum", "split", "two_product", "two_square", "times"];

/// Whether a function is an error-free transformation.
pub(super) fn is_exact(name: &str) -> bool {
    EXACT.contains(&name)
}

/// The functions that are there, of those that are wanted.
struct Functions {
    arithmetic: Arithmetic,
    wanted: Option<String>,
    done: Vec<Function>,
}

thread_local! {
    static BUILDERS: RefCell<Vec<Builder>> = const { RefCell::new(Vec::new()) };
    static FUNCTIONS: RefCell<Option<Functions>> = const { RefCell::new(None) };
}

/// Works on the innermost graph.
pub(super) fn with<R>(work: impl FnOnce(&mut Builder) -> R) -> R {
    BUILDERS.with_borrow_mut(|builders| work(builders.last_mut().expect("something is recorded")))
}

/// The graph of what a body does with some inputs.
pub(super) fn graph(
    builder: Builder,
    inputs: usize,
    body: impl FnOnce(Vec<Value>) -> Vec<Value>,
) -> Graph {
    BUILDERS.with_borrow_mut(|builders| builders.push(builder));
    let places = (0..inputs).map(|at| with(|builder| builder.of(Operation::Input(at), &[])));
    // The body borrows the builders itself, so none is borrowed while it runs.
    let results = body(places.collect());
    let builder = BUILDERS.with_borrow_mut(Vec::pop).expect("it was pushed");
    builder.finish(results)
}

fn with_functions<R>(work: impl FnOnce(&mut Functions) -> R) -> R {
    FUNCTIONS.with_borrow_mut(|functions| work(functions.as_mut().expect("functions are recorded")))
}

/// Records a function, unless it is there.
pub(crate) fn define(
    name: &str,
    parameters: Vec<Parameter>,
    shape: Shape,
    body: impl FnOnce(Vec<Value>) -> Vec<Value>,
) {
    if with_functions(|functions| functions.done.iter().any(|function| function.name == name)) {
        return;
    }
    let mut builder = Builder::new(with_functions(|functions| functions.arithmetic));
    builder.has_calls = true;
    builder.depth = usize::from(is_exact(name));
    let inputs = parameters.iter().map(|parameter| parameter.shape.size()).sum();
    let graph = graph(builder, inputs, body);
    assert_eq!(graph.results.len(), shape.size(), "the results of `{name}`");
    let function = Function { name: name.to_owned(), parameters, shape, graph };
    with_functions(|functions| functions.done.push(function));
}

/// Whether a function is asked for by itself, and not only where another one calls it.
pub(crate) fn is_wanted(name: &str) -> bool {
    with_functions(|functions| functions.wanted.as_deref().is_none_or(|wanted| wanted == name))
}

/// The functions that a computation defines, each after those that it calls. With a name, only this one and those that it calls.
pub(crate) fn functions(
    arithmetic: Arithmetic,
    wanted: Option<&str>,
    work: impl FnOnce(),
) -> Vec<Function> {
    let wanted = wanted.map(str::to_owned);
    // A recording may stand in another one, whose functions come back afterwards.
    let outer = FUNCTIONS.replace(Some(Functions { arithmetic, wanted, done: Vec::new() }));
    work();
    FUNCTIONS.replace(outer).map(|functions| functions.done).unwrap_or_default()
}
