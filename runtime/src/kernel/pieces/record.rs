//! The steps of the sum over pieces as functions of numbers alone, for the generator.
//!
//! A number that is a constant in the loops (a knot, a width, a coefficient) is an input here. Each step is given to
//! a [`Recorder`] with its name, the names and kinds of its inputs, the kind of its result, and its body.

use super::common::Common;
use super::contribution::{Contribution, Slopes};
use super::curved::{self, Around, Stretch, most_nodes};
use super::panel::{self, End, Panel};
use super::sum::{self, Flux};
use super::tangent;
use super::walk::{self, Level};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::{Deviation, Edge, Lanes, Pair};
use crate::precision::Precision;

/// Numbers and truth values, one after the other.
pub trait Source<V: Lanes> {
    /// The next number.
    fn number(&mut self) -> V;
    /// The next truth value.
    fn truth(&mut self) -> V::Mask;
}

/// The destination of numbers and truth values, one after the other.
pub trait Sink<V: Lanes> {
    /// A number.
    fn number(&mut self, value: V);
    /// A truth value.
    fn truth(&mut self, value: V::Mask);
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A truth value.
    Truth,
    /// A list of this many numbers.
    List(usize),
    /// Numbers and truth values that belong together, by the name of the record.
    Record(&'static str),
}

/// A value that consists of numbers and truth values, in the order of its fields.
pub trait Fields<V: Lanes>: Sized {
    /// The kind of the value.
    const KIND: Kind;
    /// Reads the fields, in their order.
    fn read(from: &mut dyn Source<V>) -> Self;
    /// Writes the fields, in their order.
    fn write(self, into: &mut dyn Sink<V>);
}

/// The body of a step: it reads the inputs and writes the result.
pub type Body<'a, V> = &'a dyn Fn(&mut dyn Source<V>, &mut dyn Sink<V>);

/// The receiver of the steps.
pub trait Recorder<V: Lanes> {
    /// A step with the names of its inputs.
    fn step(
        &mut self,
        name: &'static str,
        inputs: &[(&'static str, Kind)],
        result: Kind,
        body: Body<'_, V>,
    );
}

/// A truth value.
struct Truth<V: Lanes>(V::Mask);

/// A knot in three words of double precision.
struct Knot<V>([V; 3]);

/// A node in two words of double precision, and its weight.
struct Row<V>([V; 3]);

impl<V: Lanes> Fields<V> for V {
    const KIND: Kind = Kind::Number;
    fn read(from: &mut dyn Source<V>) -> Self {
        from.number()
    }
    fn write(self, into: &mut dyn Sink<V>) {
        into.number(self);
    }
}

/// A list: of numbers if it is an input by itself, of other values within a record.
impl<V: Lanes, T: Fields<V>, const N: usize> Fields<V> for [T; N] {
    const KIND: Kind = Kind::List(N);
    fn read(from: &mut dyn Source<V>) -> Self {
        core::array::from_fn(|_| T::read(from))
    }
    fn write(self, into: &mut dyn Sink<V>) {
        self.into_iter().for_each(|value| value.write(into));
    }
}

macro_rules! records {
    ($($Type:ident $name:literal: $of:expr, $parts:expr;)*) => {$(
        impl<V: Lanes> Fields<V> for $Type<V> {
            const KIND: Kind = Kind::Record($name);
            fn read(from: &mut dyn Source<V>) -> Self {
                $of(Fields::read(from))
            }
            fn write(self, into: &mut dyn Sink<V>) {
                $parts(self).write(into);
            }
        }
    )*};
    ($($Type:ident $name:literal { $($field:ident),* })*) => {$(
        impl<V: Lanes> Fields<V> for $Type<V> {
            const KIND: Kind = Kind::Record($name);
            fn read(from: &mut dyn Source<V>) -> Self {
                $(let $field = Fields::read(from);)*
                Self { $($field),* }
            }
            fn write(self, into: &mut dyn Sink<V>) {
                $(self.$field.write(into);)*
            }
        }
    )*};
}

records! {
    Pair "pair": |[high, low]: [V; 2]| Pair::new(high, low), Pair::words;
    Deviation "deviation": Deviation::of, |d: Self| [d.xi, d.inverse, d.lost];
    Knot "triple": Knot, |knot: Self| knot.0;
    Row "row": Row, |row: Self| row.0;
}

records! {
    Edge "edge" { z, s, d, h, h_low, s_low }
    Contribution "contribution" { mass, mean, squares, slopes }
    Slopes "slopes" { hermite, first, second, smooth, size }
    Stretch "stretch" { width, length, fall }
    Around "around" { rest, squares, slopes }
    Common "common" { mass, means, product }
    Flux "flux" { sums, sizes }
}

impl<V: Lanes> Fields<V> for Truth<V> {
    const KIND: Kind = Kind::Truth;
    fn read(from: &mut dyn Source<V>) -> Self {
        Self(from.truth())
    }
    fn write(self, into: &mut dyn Sink<V>) {
        into.truth(self.0);
    }
}

impl<V: Lanes> Fields<V> for End<V> {
    const KIND: Kind = Kind::Record("end");
    fn read(from: &mut dyn Source<V>) -> Self {
        let (edge, displacement) = (Edge::read(from), Pair::read(from));
        let mut end = Self::of(edge, displacement);
        end.is_right = from.truth();
        end
    }
    fn write(self, into: &mut dyn Sink<V>) {
        self.edge.write(into);
        self.displacement.write(into);
        into.truth(self.is_right);
    }
}

impl<V: Lanes> Fields<V> for Panel<V> {
    const KIND: Kind = Kind::Record("panel");
    fn read(from: &mut dyn Source<V>) -> Self {
        let leftward = from.truth();
        let (near, density, width) = (Fields::read(from), Fields::read(from), Fields::read(from));
        Self { leftward, near, density, width }
    }
    fn write(self, into: &mut dyn Sink<V>) {
        into.truth(self.leftward);
        self.near.write(into);
        self.density.write(into);
        self.width.write(into);
    }
}

/// The level of a function.
struct Height<V>(Level<V>);

impl<V: Lanes> Fields<V> for Height<V> {
    const KIND: Kind = Kind::Record("level");
    fn read(from: &mut dyn Source<V>) -> Self {
        Self(Fields::read(from))
    }
    fn write(self, into: &mut dyn Sink<V>) {
        self.0.write(into);
    }
}

/// Gives steps to a recorder. A step with two names is there without derivatives and with them; `SLOPES` says which.
macro_rules! steps {
    ($recorder:ident: $([$name:literal $($with_slopes:literal)?] $inputs:tt -> $Result:ty $body:block)*) => {$(
        {
            #[allow(dead_code)]
            const SLOPES: bool = false;
            steps!(one $recorder, $name, $inputs, $Result, $body);
        }
        $({
            const SLOPES: bool = true;
            steps!(one $recorder, $with_slopes, $inputs, $Result, $body);
        })?
    )*};
    (one $recorder:ident, $name:literal, ($($input:ident: $Input:ty),*), $Result:ty, $body:block) => {
        $recorder.step(
            $name,
            &[$((stringify!($input), <$Input as Fields<V>>::KIND)),*],
            <$Result as Fields<V>>::KIND,
            &|from, into| {
                $(let $input: $Input = Fields::read(from);)*
                <$Result as Fields<V>>::write($body, into);
            },
        );
    };
}

/// Gives all steps to a recorder.
pub fn steps<V: Lanes>(recorder: &mut impl Recorder<V>) {
    steps! { recorder:
        ["end_at"](gamma: V, knot: Knot<V>, deviation: Deviation<V>) -> End<V> {
            let edge = Edge::of_words::<true>(gamma, knot.0, &deviation);
            End::of(edge, panel::displacement_of(gamma, knot.0))
        }
        ["displacement"](gamma: V, knot: Knot<V>) -> Pair<V> {
            panel::displacement_of(gamma, knot.0)
        }
        ["above"](constant: Pair<V>, level: Height<V>) -> Pair<V> {
            walk::above(constant.words(), level.0)
        }
        ["shift_step"](coefficient: Pair<V>, next: Pair<V>, from: Pair<V>) -> Pair<V> {
            walk::step(coefficient, next, from)
        }
        ["panel_from_gamma"](outer: End<V>, leftward: Truth<V>) -> Panel<V> {
            Panel::from_gamma(Some(&outer), leftward.0)
        }
        ["endless_from_gamma"](leftward: Truth<V>) -> Panel<V> {
            Panel::from_gamma(None, leftward.0)
        }
        ["panel_beyond"](inner: End<V>, width: Pair<V>, leftward: Truth<V>) -> Panel<V> {
            Panel::beyond(&inner, Some(width), leftward.0)
        }
        ["endless_beyond"](inner: End<V>, leftward: Truth<V>) -> Panel<V> {
            Panel::beyond(&inner, None, leftward.0)
        }
        ["stretch_of"](most: V, panel: Panel<V>, deviation: Deviation<V>) -> Stretch<V> {
            Stretch::up_to(most, &panel, &deviation)
        }
        ["mass_at"](row: Row<V>, distance: Pair<V>, length: Pair<V>) -> V {
            curved::mass_at(row.0, distance, length)
        }
        ["place_at"](row: Row<V>, width: Pair<V>) -> Pair<V> {
            curved::place_at(row.0, width)
        }
        ["z_at"](row: Row<V>, distance: Pair<V>, length: Pair<V>) -> V {
            curved::z_at(row.0, distance, length)
        }
        ["middle_of"](mass: V, sum: V) -> Pair<V> {
            let [middle, inverse] = curved::middle([mass, sum]);
            Pair::new(middle, inverse)
        }
        ["around_with" "around_with_slopes"](
            around: Around<V>, mass: V, value: V, z: V, first: V, second: V
        ) -> Around<V> {
            around.with::<SLOPES>(mass, value, z, [first, second])
        }
        ["curved_contribution"](
            panel: Panel<V>, length: Pair<V>, constant: Pair<V>, mass: V, middle: V, inverse: V, around: Around<V>
        ) -> Contribution<V> {
            curved::finish(&panel, length, constant, [mass, middle, inverse], around)
        }
        ["join" "join_slopes"](a: Contribution<V>, b: Contribution<V>) -> Contribution<V> {
            a.join::<SLOPES>(b)
        }
        ["flux_with"](flux: Flux<V>, edge: Edge<V>, jump: V, bend: V, deviation: Deviation<V>) -> Flux<V> {
            flux.with(&edge, [jump, bend], &deviation)
        }
        ["sum_results" "sum_results_slopes"](
            whole: Contribution<V>, level: Height<V>, flux: Flux<V>, deviation: Deviation<V>, cancels: V
        ) -> [V; 6] {
            let [place, offset] = level.0;
            let whole = Contribution { mean: (place + offset) + whole.mean, ..whole };
            sum::results::<V, SLOPES>(&whole, &flux, &deviation, cancels)
        }
        ["around_both"](
            rest: V, other: V, product: V, mass: V, value: V, value_other: V, middle: V, middle_other: V
        ) -> [V; 3] {
            let middles = [middle, middle_other, V::splat(V::Scalar::ZERO)];
            curved::around_both([rest, other, product], mass, [value, value_other], middles)
        }
        ["common_of"](
            panel: Panel<V>, length: Pair<V>, constant: Pair<V>, other: Pair<V>, mass: V, middles: [V; 3],
            around: [V; 3]
        ) -> Common<V> {
            curved::finish_both(&panel, length, [constant, other], mass, middles, around)
        }
        ["join_common"](a: Common<V>, b: Common<V>) -> Common<V> {
            a.join(b)
        }
        ["total"](level: Height<V>, mean: Pair<V>) -> V {
            tangent::total(level.0, mean)
        }
        ["moved"](
            flux: [V; 2], rate: V, edge: Edge<V>, left: Pair<V>, right: Pair<V>, level: Height<V>, mean: Pair<V>,
            deviation: Deviation<V>
        ) -> [V; 2] {
            let sides = [left.words(), right.words()];
            tangent::moved(flux, rate, &edge, sides, level.0, mean, &deviation)
        }
        ["tangent_results"](mean: V, rate: V, product: V, flux: [V; 2]) -> [V; 3] {
            tangent::derivatives(mean, rate, product, flux)
        }
    }
}

/// The rules for polynomials of a degree: their nodes, and for which falls of the density each is taken; the last one
/// that there is room for is taken for all others.
pub fn rules(degree: usize) -> impl Iterator<Item = (&'static [[f64; 3]], f64)> {
    let rules = f64::RULES.iter();
    rules.map(move |rule| (*rule, curved::most_fall(f64::NODE_COUNT, rule.len(), degree)))
}

/// The number of rules for which there is room where moments are computed.
#[must_use]
pub fn rules_for_moments(degree: usize) -> usize {
    f64::RULES.iter().filter(|rule| rule.len() <= most_nodes(degree)).count()
}

/// Twice the fall of the density beyond which nothing is left for polynomials of a degree.
#[must_use]
pub fn twice_all(degree: usize) -> f64 {
    curved::twice_all(f64::FALL, degree)
}

/// Rules and limits of kernels in single precision, which need fewer digits.
pub mod single {
    use crate::accuracy::Accuracy;
    use crate::constants::rules;
    use crate::kernel::pieces::curved;

    /// The rules for polynomials of a degree, and for which falls of the density each is taken.
    pub fn rules(degree: usize) -> impl Iterator<Item = (&'static [[f64; 3]], f64)> {
        let rules = rules::RELAXED.iter();
        rules.map(move |rule| (*rule, curved::most_fall(f32::NODE_COUNT, rule.len(), degree)))
    }

    /// Twice the fall of the density beyond which nothing is left for polynomials of a degree.
    #[must_use]
    pub fn twice_all(degree: usize) -> f64 {
        curved::twice_all(f32::FALL, degree)
    }
}

/// The unit of densities is 2 to minus this.
pub const DENSITY_EXPONENT: usize = <f64 as Accuracy>::DENSITY_EXPONENT as usize;

/// A result is raised by a power of two in steps of this exponent at most.
pub const MOST_EXPONENT: usize = <f64 as Precision>::MOST_EXPONENT as usize;

/// The most nodes of a rule.
pub const MAX_NODES: usize = curved::MAX_NODES;

/// The degree from which on the terms of a polynomial may cancel by more than plain numbers have to spare.
pub const CANCELS_FROM: usize = curved::CANCELS_FROM;

/// √2π in two words.
pub const ROOT_TAU: [f64; 2] = curved::ROOT_TAU;

/// φ(0) in two words.
pub const DENSITY_AT_GAMMA: [f64; 2] = panel::DENSITY_AT_GAMMA;

/// The factor by which the terms of a polynomial of a degree, or of its derivatives, may exceed their sum in plain
/// numbers.
#[must_use]
pub fn cancels(degree: usize) -> f64 {
    sum::cancels(degree)
}
