//! The inputs that functions are recorded from.

use std::array;

use crate::script::function::Group;
use crate::script::graph::Value;
use crate::script::lanes::{Traced, Truth};

pub(super) const DEVIATION: Group =
    Group { name: "deviation", fields: &["xi", "inverse", "lost"], is_word: false };
pub(super) const EDGE: Group =
    Group { name: "edge", fields: &["z", "s", "d", "h", "h_low", "s_low"], is_word: false };
pub(super) const TRIPLE: Group =
    Group { name: "triple", fields: &["high", "middle", "low"], is_word: true };

/// Numbers and truth values in the order of the parameters.
pub(super) struct Inputs(pub(super) std::vec::IntoIter<Value>);

impl Inputs {
    pub(super) fn value(&mut self) -> Value {
        self.0.next().expect("an input")
    }

    pub(super) fn truth(&mut self) -> Truth {
        Truth(self.value())
    }

    pub(super) fn number<T>(&mut self) -> Traced<T> {
        Traced::new(self.value())
    }

    pub(super) fn numbers<T, const N: usize>(&mut self) -> [Traced<T>; N] {
        array::from_fn(|_| self.number())
    }
}
