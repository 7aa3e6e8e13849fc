//! The steps of the sum over pieces.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces::record::{Body, Kind, Recorder, Sink, Source, steps};

use super::inputs::{DEVIATION, EDGE, Inputs, TRIPLE};
use crate::script::function::{Group, PAIR, Parameter, Shape};
use crate::script::graph::Value;
use crate::script::lanes::{Traced, Truth};
use crate::script::session::{define, is_wanted};

const fn record(name: &'static str, fields: &'static [&'static str]) -> Group {
    Group { name, fields, is_word: false }
}

/// The records that the steps read and give.
static RECORDS: [Group; 13] = [
    PAIR,
    DEVIATION,
    EDGE,
    TRIPLE,
    Group { name: "row", fields: &["node", "low", "weight"], is_word: true },
    record(
        "end",
        &[
            "edge.z",
            "edge.s",
            "edge.d",
            "edge.h",
            "edge.h_low",
            "edge.s_low",
            "displacement.high",
            "displacement.low",
            "is_right",
        ],
    ),
    record(
        "panel",
        &[
            "leftward",
            "distance.high",
            "distance.low",
            "density.high",
            "density.low",
            "width.high",
            "width.low",
        ],
    ),
    record(
        "contribution",
        &[
            "mass.high",
            "mass.low",
            "mean.high",
            "mean.low",
            "squares.high",
            "squares.low",
            "hermite[0]",
            "hermite[1]",
            "first[0]",
            "first[1]",
            "second[0]",
            "second[1]",
            "smooth[0]",
            "smooth[1]",
            "size[0]",
            "size[1]",
        ],
    ),
    record("stretch", &["width.high", "width.low", "length.high", "length.low", "fall"]),
    record(
        "around",
        &[
            "rest",
            "squares",
            "hermite[0]",
            "hermite[1]",
            "first[0]",
            "first[1]",
            "second[0]",
            "second[1]",
            "smooth[0]",
            "smooth[1]",
            "size[0]",
            "size[1]",
        ],
    ),
    record("flux", &["sums[0]", "sums[1]", "sizes[0]", "sizes[1]"]),
    record("level", &["place.high", "place.low", "offset.high", "offset.low"]),
    record(
        "common",
        &["mass", "means[0].high", "means[0].low", "means[1].high", "means[1].low", "product"],
    ),
];

/// Whether a field of a record is a truth value.
pub(crate) fn is_truth(field: &str) -> bool {
    matches!(field, "is_right" | "leftward" | "from_left")
}

fn shape(kind: Kind) -> Shape {
    match kind {
        Kind::Number => Shape::Number,
        Kind::Truth => Shape::Truth,
        Kind::List(count) => Shape::List(count),
        Kind::Record(name) => {
            let record = RECORDS.iter().find(|record| record.name == name);
            Shape::Group(record.expect("a record has its fields here"))
        }
    }
}

impl<T: Float> Source<Traced<T>> for Inputs {
    fn number(&mut self) -> Traced<T> {
        Traced::new(self.value())
    }
    fn truth(&mut self) -> Truth {
        Truth(self.value())
    }
}

/// Results one after the other.
struct Outputs(Vec<Value>);

impl<T: Float> Sink<Traced<T>> for Outputs {
    fn number(&mut self, value: Traced<T>) {
        self.0.push(value.value());
    }
    fn truth(&mut self, value: Truth) {
        self.0.push(value.0);
    }
}

struct Steps;

impl<T: Float> Recorder<Traced<T>> for Steps {
    fn step(
        &mut self,
        name: &'static str,
        inputs: &[(&'static str, Kind)],
        result: Kind,
        body: Body<'_, Traced<T>>,
    ) {
        if !is_wanted(name) {
            return;
        }
        let parameter =
            |&(name, kind): &(&str, Kind)| Parameter { name: name.to_owned(), shape: shape(kind) };
        let parameters = inputs.iter().map(parameter).collect();
        define(name, parameters, shape(result), |places| {
            let mut outputs = Outputs(Vec::new());
            body(&mut Inputs(places.into_iter()), &mut outputs);
            outputs.0
        });
    }
}

/// Records all steps.
pub(super) fn record_steps<T: Float>() {
    steps::<Traced<T>>(&mut Steps);
}
