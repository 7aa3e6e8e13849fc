//! The loop over the pieces, from left to right.
//!
//! The piece of γ is cut at γ, and each part is a panel. A polynomial is given to the visitor around the near end of
//! its panel, less the value of the function at γ.

use super::panel::{End, Panel, displacement};
use super::table::Table;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::{Deviation, Lanes, Mask, Pair, number, pair};

/// A computation that takes the panels and the knots of F functions with common knots, from left to right.
pub(super) trait Visitor<V: Lanes, const F: usize> {
    /// Takes a panel. For each function, `coefficients` are those of its piece around the near end, less the level of
    /// the function; they may be overwritten.
    fn panel(&mut self, panel: &Panel<V>, coefficients: [&mut [Pair<V>]; F]);
    /// Takes the knot of that number, with its end.
    fn knot(&mut self, knot: usize, end: &End<V>);
}

/// The level of a function: its value at γ, in two parts. The first is the value at the nearest place around which
/// the table has the piece, and the second is the rest. So no digit is lost where γ is near the place.
pub(super) type Level<V> = [Pair<V>; 2];

/// Shows a visitor all pieces and all knots, and returns the levels. A polynomial has room for `COUNT` coefficients.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn walk<V: Lanes, const F: usize, const COUNT: usize>(
    tables: [&Table<'_>; F],
    gamma: V,
    deviation: &Deviation<V>,
    visitor: &mut impl Visitor<V, F>,
) -> [Level<V>; F] {
    let table = tables[0];
    let count = table.count();
    let none = Pair::exact(V::splat(V::Scalar::ZERO));
    let nowhere = V::splat(V::Scalar::ONE).lt(V::splat(V::Scalar::ZERO));
    // The pieces of γ around γ.
    let mut own = [[none; COUNT]; F];
    let levels = expand(tables, gamma, &mut own);
    // From γ to its left end.
    let mut inner: Panel<V> = Panel::from_gamma(None, nowhere.not());
    let mut coefficients = [[none; COUNT]; F];
    let mut left: Option<End<V>> = None;
    for piece in 0..=table.knots.len() {
        let right = match table.knots.get(piece) {
            Some(&knot) => Some(End::new(gamma, knot, deviation)),
            None => None,
        };
        let beyond = match &left {
            Some(left) => left.is_right,
            None => nowhere,
        };
        let before = match &right {
            Some(right) => right.is_right.not(),
            None => nowhere,
        };
        let here = beyond.or(before).not();
        let width = match (&left, &right) {
            (Some(_), Some(_)) => Some(pair(table.widths[piece - 1])),
            _ => None,
        };
        let mut panel: Option<Panel<V>> = None;
        if here.any() {
            for f in 0..F {
                coefficients[f][..count].copy_from_slice(&own[f][..count]);
            }
            let leftmost = Panel::from_gamma(left.as_ref(), nowhere.not());
            inner = Panel::select(here, leftmost, inner);
            panel = Some(Panel::from_gamma(right.as_ref(), nowhere));
        }
        if let (Some(end), true) = (&left, beyond.any()) {
            let one = Panel::beyond(end, width, nowhere);
            let partly = take(&mut panel, beyond, one);
            for f in 0..F {
                let around = tables[f].right_of(piece - 1);
                put(&mut coefficients[f], beyond, partly, around, levels[f]);
            }
        }
        if let (Some(end), true) = (&right, before.any()) {
            let one = Panel::beyond(end, width, nowhere.not());
            let partly = take(&mut panel, before, one);
            for f in 0..F {
                let around = tables[f].left_of(piece);
                put(&mut coefficients[f], before, partly, around, levels[f]);
            }
        }
        if let Some(panel) = panel.filter(Panel::has_density) {
            visitor.panel(&panel, coefficients.each_mut().map(|c| &mut c[..count]));
        }
        if let Some(right) = &right {
            visitor.knot(piece, right);
        }
        left = right;
    }
    // Lanes have γ on different pieces: the left parts of these wait until all lanes have one, and are one panel.
    visitor.panel(&inner, own.each_mut().map(|c| &mut c[..count]));
    levels
}

/// A panel in some lanes; whether others have another one already.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take<V: Lanes>(panel: &mut Option<Panel<V>>, mask: V::Mask, one: Panel<V>) -> bool {
    let others = if mask.all() { None } else { *panel };
    *panel = Some(match others {
        Some(other) => Panel::select(mask, one, other),
        None => one,
    });
    others.is_some()
}

/// The coefficients around the near end of a panel less the level, in all lanes or in some.
#[cfg_attr(not(debug_assertions), inline(always))]
fn put<V: Lanes>(
    coefficients: &mut [Pair<V>],
    mask: V::Mask,
    partly: bool,
    around: &[[f64; 2]],
    level: Level<V>,
) {
    for (j, &number) in around.iter().enumerate() {
        let mut value = pair(number);
        if j == 0 {
            value = above(number::pair(number), level);
        }
        if partly {
            value = Pair::select(mask, value, coefficients[j]);
        }
        coefficients[j] = value;
    }
}

/// A constant of the table less the level. Both may be huge beside what the function does: each has two words,
/// whatever is compensated.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn above<V: Lanes>([high, low]: [V; 2], [place, offset]: Level<V>) -> Pair<V> {
    if V::Accuracy::COMPENSATED {
        return less(less(Pair::new(high, low), place), offset);
    }
    let [level, rest] = place.words();
    less(Pair::exact((high - level) + (low - rest)), offset)
}

/// a − b with a low word that is small against the high one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn less<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let [high, low] = (a - b).words();
    Pair::normal(high, low)
}

/// The pieces of γ around γ less their levels.
#[cfg_attr(not(debug_assertions), inline(always))]
fn expand<V: Lanes, const F: usize, const COUNT: usize>(
    tables: [&Table<'_>; F],
    gamma: V,
    coefficients: &mut [[Pair<V>; COUNT]; F],
) -> [Level<V>; F] {
    let zero = V::splat(V::Scalar::ZERO);
    let everywhere = zero.le(zero);
    let mut nearest = Nearest {
        distance: V::splat(V::Scalar::INFINITY),
        from: Pair::exact(zero),
        rest: [zero; F],
        coefficients,
    };
    let table = tables[0];
    let mut left: Option<Pair<V>> = None;
    for piece in 0..=table.knots.len() {
        let mut right = None;
        if let Some(&knot) = table.knots.get(piece) {
            right = Some(displacement(gamma, knot));
        }
        let mut here = everywhere;
        if let Some(left) = left {
            here = left.round().le(zero);
        }
        if let Some(right) = right {
            here = here.and(zero.lt(right.round()));
        }
        if here.any() {
            if let Some(left) = left {
                nearest.offer(here, left, tables.map(|table| table.right_of(piece - 1)));
            }
            if let Some(right) = right {
                nearest.offer(here, right, tables.map(|table| table.left_of(piece)));
            }
            for (i, center) in table.centers.iter().enumerate() {
                if center.piece == piece {
                    let around = tables.map(|table| table.centers[i].coefficients);
                    nearest.offer(here, displacement(gamma, center.at), around);
                }
            }
        }
        left = right;
    }
    let Nearest { from, rest, coefficients, .. } = nearest;
    let mut levels = [[Pair::exact(zero); 2]; F];
    for f in 0..F {
        let own = &mut coefficients[f][..table.count()];
        // The constant goes into the level. The shift to γ adds what the other terms give there.
        let [high, _] = own[0].words();
        own[0] = Pair::exact(zero);
        levels[f] = [Pair::new(high, rest[f]), shift(own, from)];
    }
    levels
}

/// A polynomial around another place, less its value there, which is given.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shift<V: Lanes>(coefficients: &mut [Pair<V>], from: Pair<V>) -> Pair<V> {
    // Horner's scheme again and again: what is left after step k is the coefficient k.
    let last = coefficients.len() - 1;
    for k in 0..last {
        for j in (k..last).rev() {
            coefficients[j] = step(coefficients[j], coefficients[j + 1], from);
        }
    }
    let value = coefficients[0];
    coefficients[0] = Pair::exact(V::splat(V::Scalar::ZERO));
    value
}

/// A step of Horner's scheme.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step<V: Lanes>(coefficient: Pair<V>, next: Pair<V>, from: Pair<V>) -> Pair<V> {
    let [high, low] = (coefficient + next * from).words();
    Pair::normal(high, low)
}

/// The nearest place so far, and the coefficients around it.
struct Nearest<'a, V, const F: usize, const COUNT: usize> {
    distance: V,
    from: Pair<V>,
    /// The second words of the constants.
    rest: [V; F],
    coefficients: &'a mut [[Pair<V>; COUNT]; F],
}

impl<V: Lanes, const F: usize, const COUNT: usize> Nearest<'_, V, F, COUNT> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn offer(&mut self, mask: V::Mask, displacement: Pair<V>, around: [&[[f64; 2]]; F]) {
        let distance = displacement.round().abs();
        let nearer = mask.and(distance.lt(self.distance));
        if !nearer.any() {
            return;
        }
        self.distance = V::select(nearer, distance, self.distance);
        self.from = Pair::select(nearer, -displacement, self.from);
        for (f, around) in around.iter().enumerate() {
            // A level may be huge, so that its second word counts also where nothing else has one.
            let [_, rest] = number::pair::<V>(around[0]);
            self.rest[f] = V::select(nearer, rest, self.rest[f]);
            for (c, &value) in self.coefficients[f].iter_mut().zip(*around) {
                *c = Pair::select(nearer, pair(value), *c);
            }
        }
    }
}
