//! The numbers of a function as the sum reads them: a row for each place, knot and bounded piece.
//!
//! Rows come from a [`Builder`](super::Builder). In a table a number is an `f64`; in a computation it is in lanes, and `None` if
//! it is known to be 0, so that nothing is computed with it.

use core::marker::PhantomData;

use super::element::{Distance, Element};
use super::words::{coefficient, coefficients, pair_in_lanes, triple};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::{Lanes, Mask, State, Step};

/// The rows of a function. Without any, the function has a degree that is too high.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows<'a> {
    /// The places around which pieces are expanded, from left to right: at least one for each piece.
    pub places: &'a [Place],
    /// The knots, from left to right.
    pub knots: &'a [Knot],
    /// The pieces between neighbouring knots.
    pub pieces: &'a [Piece],
}

/// A place on a piece, with the piece around it: q(x) = value + Σ taylor\[j − 1\] (x − at)ʲ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<N = f64> {
    /// The least γ that takes this place, in two words: −∞ for the first place.
    pub from: [N; 2],
    /// The place, in two words.
    pub at: [N; 2],
    /// The value of the piece there, in two words.
    pub value: [N; 2],
    /// The other coefficients, j = 1 … 3.
    pub taylor: [N; 3],
}

/// A knot with the pieces beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot<N = f64> {
    /// The place, in three words.
    pub at: [N; 3],
    /// The piece to the left, and the piece to the right.
    pub sides: [Side<N>; 2],
    /// The piece to the right less the piece to the left.
    pub jump: Jump<N>,
}

/// The difference d of the pieces beside a knot, right less left: d(x) = d₀ + d′(x). With a′ and b′ the pieces themselves, each
/// less its value at the knot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump<N = f64> {
    /// d₀.
    pub value: N,
    /// j! times the coefficients of d′, j = 1 … 3.
    pub mean: [N; 3],
    /// j! times the coefficients of d (a′ + b′), j = 1 … 6.
    pub square: [N; 6],
}

/// A piece around a knot: a(x) = a₀ + a′(x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side<N = f64> {
    /// a₀, in two words.
    pub value: [N; 2],
    /// j! times the coefficients of a′, j = 1 … 3.
    pub mean: [N; 3],
    /// j! times the coefficients of a′², j = 2 … 6.
    pub square: [N; 5],
}

/// A bounded piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece<N = f64> {
    /// The whole piece.
    pub whole: Span<N>,
    /// The two parts of the piece, if its terms around its ends nearly cancel.
    pub cut: Option<Cut<N>>,
}

/// A piece in two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut<N = f64> {
    /// Where they meet, in three words.
    pub at: [N; 3],
    /// The piece around it.
    pub side: Side<N>,
    /// The left and the right one.
    pub parts: [Span<N>; 2],
}

/// A stretch of a piece around its middle: G(τ) = value + G′(τ), with τ from −1 to 1 over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<N = f64> {
    /// The middle, in two words.
    pub middle: [N; 2],
    /// Half the width.
    pub half: N,
    /// The value in the middle, in two words.
    pub value: [N; 2],
    /// The coefficients of G′, k = 1 … 3.
    pub mean: [N; 3],
    /// The coefficients of G′², k = 2 … 6.
    pub square: [N; 5],
}

/// A change of the numbers of rows. A number is in the units of the function to a power: 0 for a place or a width, 1 for a value, 2
/// for a product of two values.
pub trait Map<N, M> {
    /// A number in some words.
    fn words<const K: usize>(&mut self, power: i32, words: [N; K]) -> [M; K];
    /// Numbers of one word each.
    fn each<const K: usize>(&mut self, power: i32, numbers: [N; K]) -> [M; K];
}

/// The change to numbers in lanes, each `None` if it is known to be 0.
struct InLanes<V, const KNOWN: bool>(PhantomData<V>);

impl<V: Lanes, const KNOWN: bool> Map<f64, Option<V>> for InLanes<V, KNOWN> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn words<const K: usize>(&mut self, _: i32, words: [f64; K]) -> [Option<V>; K] {
        let (mut padded, mut all) = ([0.0; 3], [None; K]);
        padded[..K].copy_from_slice(&words);
        all.copy_from_slice(&triple::<V, KNOWN>(padded)[..K]);
        all
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each<const K: usize>(&mut self, _: i32, numbers: [f64; K]) -> [Option<V>; K] {
        coefficients::<V, KNOWN, K>(numbers)
    }
}

impl<N: Copy> Place<N> {
    /// The row with changed numbers, in the order of the fields.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn map<M>(&self, by: &mut impl Map<N, M>) -> Place<M> {
        Place {
            from: by.words(0, self.from),
            at: by.words(0, self.at),
            value: by.words(1, self.value),
            taylor: by.each(1, self.taylor),
        }
    }
}

impl<N: Copy> Side<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<M>(&self, by: &mut impl Map<N, M>) -> Side<M> {
        let (value, mean) = (by.words(1, self.value), by.each(1, self.mean));
        Side { value, mean, square: by.each(2, self.square) }
    }
}

impl<N: Copy> Jump<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<M>(&self, by: &mut impl Map<N, M>) -> Jump<M> {
        let ([value], mean) = (by.each(1, [self.value]), by.each(1, self.mean));
        Jump { value, mean, square: by.each(2, self.square) }
    }
}

impl<N: Copy> Knot<N> {
    /// The row with changed numbers, in the order of the fields.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn map<M>(&self, by: &mut impl Map<N, M>) -> Knot<M> {
        let (at, [left, right]) = (by.words(0, self.at), &self.sides);
        Knot { at, sides: [left.map(by), right.map(by)], jump: self.jump.map(by) }
    }
}

impl<N: Copy> Piece<N> {
    /// The row with changed numbers, in the order of the fields.
    pub fn map<M>(&self, by: &mut impl Map<N, M>) -> Piece<M> {
        Piece { whole: self.whole.map(by), cut: self.cut.as_ref().map(|cut| cut.map(by)) }
    }
}

impl<N: Copy> Cut<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<M>(&self, by: &mut impl Map<N, M>) -> Cut<M> {
        let (at, [left, right]) = (by.words(0, self.at), &self.parts);
        Cut { at, side: self.side.map(by), parts: [left.map(by), right.map(by)] }
    }
}

impl<N: Copy> Span<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<M>(&self, by: &mut impl Map<N, M>) -> Span<M> {
        let (middle, [half]) = (by.words(0, self.middle), by.each(0, [self.half]));
        let (value, mean) = (by.words(1, self.value), by.each(1, self.mean));
        Span { middle, half, value, mean, square: by.each(2, self.square) }
    }
}

impl Place {
    /// Zeros, to be written over.
    pub const EMPTY: Self = Self::new([0.0; 2], [0.0; 2], [0.0; 2], [0.0; 3]);

    /// The row with these numbers, in the order of its fields.
    pub const fn new(from: [f64; 2], at: [f64; 2], value: [f64; 2], taylor: [f64; 3]) -> Self {
        Self { from, at, value, taylor }
    }

    /// The row in lanes.
    pub fn in_lanes<V: Lanes, const KNOWN: bool>(&self) -> Place<Option<V>> {
        self.map(&mut InLanes::<V, KNOWN>(PhantomData))
    }
}

impl Side {
    const EMPTY: Self = Self::new([0.0; 2], [0.0; 3], [0.0; 5]);

    /// The row with these numbers, in the order of its fields.
    pub const fn new(value: [f64; 2], mean: [f64; 3], square: [f64; 5]) -> Self {
        Self { value, mean, square }
    }
}

impl Jump {
    const EMPTY: Self = Self::new(0.0, [0.0; 3], [0.0; 6]);

    /// The row with these numbers, in the order of its fields.
    pub const fn new(value: f64, mean: [f64; 3], square: [f64; 6]) -> Self {
        Self { value, mean, square }
    }
}

impl Knot {
    /// Zeros, to be written over.
    pub const EMPTY: Self = Self::new([0.0; 3], Side::EMPTY, Side::EMPTY, Jump::EMPTY);

    /// The row of a place with the pieces to its left and right, and their difference.
    pub const fn new(at: [f64; 3], left: Side, right: Side, jump: Jump) -> Self {
        Self { at, sides: [left, right], jump }
    }

    /// The row in lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn in_lanes<V: Lanes, const KNOWN: bool>(&self) -> Knot<Option<V>> {
        self.map(&mut InLanes::<V, KNOWN>(PhantomData))
    }

    /// The place seen from γ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn seen<V: Lanes, const KNOWN: bool>(&self, element: &Element<V>) -> Distance<V> {
        Distance::new(element.gamma, triple::<V, KNOWN>(self.at))
    }
}

impl Piece {
    /// Zeros, to be written over.
    pub const EMPTY: Self = Self::new(Span::EMPTY, None);

    /// The row of a piece, and of its parts if it is cut.
    pub const fn new(whole: Span, cut: Option<Cut>) -> Self {
        Self { whole, cut }
    }

    /// The row in lanes. Where nothing needs the last digits, parts are of no use.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn in_lanes<V: Lanes, const KNOWN: bool>(&self) -> Piece<Option<V>> {
        let in_lanes = &mut InLanes::<V, KNOWN>(PhantomData);
        let cut = match &self.cut {
            Some(cut) if V::Accuracy::COMPENSATED => Some(cut.map(in_lanes)),
            _ => None,
        };
        Piece { whole: self.whole.map(in_lanes), cut }
    }
}

impl Cut {
    /// The row of a place inside of a piece, with the piece around it and the parts beside it.
    pub const fn new(at: [f64; 3], side: Side, left: Span, right: Span) -> Self {
        Self { at, side, parts: [left, right] }
    }
}

impl Span {
    const EMPTY: Self = Self::new([0.0; 2], 0.0, [0.0; 2], [0.0; 3], [0.0; 5]);

    /// The row with these numbers, in the order of its fields.
    pub const fn new(
        middle: [f64; 2],
        half: f64,
        value: [f64; 2],
        mean: [f64; 3],
        square: [f64; 5],
    ) -> Self {
        Self { middle, half, value, mean, square }
    }
}

/// The row of the place that is nearest to γ on the piece of γ.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pick<V: Lanes, const KNOWN: bool>(places: &[Place], gamma: V) -> Picked<V> {
    /// The choice between the place so far and the next one.
    struct Next<'a, V, const KNOWN: bool> {
        places: &'a [Place],
        gamma: V,
    }
    impl<V: Lanes, const KNOWN: bool> Step<V, 7, 0> for Next<'_, V, KNOWN> {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn take(&self, i: usize, (mut picked, none): State<V, 7, 0>) -> (State<V, 7, 0>, bool) {
            let place = &self.places[i];
            // Compared, since a compiler of WGSL might join the words of a difference.
            let [from, from_low] = pair_in_lanes::<V>(place.from);
            let mut before = self.gamma.lt(from);
            if !KNOWN || place.from[1] != 0.0 {
                let is_after = V::splat(V::Scalar::ZERO).lt(from_low);
                before = before.or(self.gamma.equals(from).and(is_after));
            }
            let beyond = before.not();
            let other = Picked::new(place).numbers();
            for j in 0..7 {
                picked[j] = V::select(beyond, other[j], picked[j]);
            }
            // They ascend.
            ((picked, none), KNOWN || beyond.any())
        }
    }
    // The first place begins at −∞: every γ takes it until a later one begins before γ.
    let first = Picked::new(&places[0]).numbers();
    let (picked, []) = V::repeat(1..places.len(), Next::<V, KNOWN> { places, gamma }, (first, []));
    let [at, at_low, value, value_low, taylor @ ..] = picked;
    Picked { at: [at, at_low], value: [value, value_low], taylor }
}

/// The row of a place for each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked<V> {
    pub(super) at: [V; 2],
    pub(super) value: [V; 2],
    pub(super) taylor: [V; 3],
}

impl<V: Lanes> Picked<V> {
    /// One place for all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(place: &Place) -> Self {
        let mut taylor = [V::splat(V::Scalar::ZERO); 3];
        for j in 0..3 {
            if let Some(coefficient) = coefficient::<V, false>(place.taylor[j]) {
                taylor[j] = coefficient;
            }
        }
        let (at, value) = (pair_in_lanes(place.at), pair_in_lanes(place.value));
        Self { at, value, taylor }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn numbers(self) -> [V; 7] {
        let Self { at: [at, at_low], value: [value, value_low], taylor: [a, b, c] } = self;
        [at, at_low, value, value_low, a, b, c]
    }
}

impl<V: Lanes> Span<Option<V>> {
    /// The stretch `yes` in the lanes of `mask`, `no` elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        let mut selected = yes;
        selected.half = either(mask, yes.half, no.half, zero);
        for i in 0..2 {
            selected.middle[i] = either(mask, yes.middle[i], no.middle[i], zero);
            selected.value[i] = either(mask, yes.value[i], no.value[i], zero);
        }
        for i in 0..3 {
            selected.mean[i] = either(mask, yes.mean[i], no.mean[i], zero);
        }
        for i in 0..5 {
            selected.square[i] = either(mask, yes.square[i], no.square[i], zero);
        }
        selected
    }
}

/// The number `yes` in the lanes of `mask`, `no` elsewhere.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn either<V: Lanes>(mask: V::Mask, yes: Option<V>, no: Option<V>, zero: V) -> Option<V> {
    match (yes, no) {
        (None, None) => None,
        _ => Some(V::select(mask, yes.unwrap_or(zero), no.unwrap_or(zero))),
    }
}
