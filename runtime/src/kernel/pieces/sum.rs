//! The loop over the pieces.

use super::curved::{self, MAX_NODES, Nodes};
use super::panel::{End, Panel, displacement};
use super::share::Share;
use super::straight;
use super::table::{MAX_DEGREE, Table};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::number::{self, number};
use crate::kernel::{Deviation, Lanes, Mask, Pair, density_unit, pair};
use crate::lanes::Work;
use crate::precision::Precision;

/// Mean and variance, for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn moments<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 2] {
    let [mean, variance, ..] = V::outlined_in::<(), _>(Sum::<V, false> { table, gamma, xi2 });
    [mean, variance]
}

/// Mean, variance and their derivatives in γ and ξ², likewise.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn gradients<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    V::outlined_in::<(), _>(Sum::<V, true> { table, gamma, xi2 })
}

/// Mean and variance for ξ² = 0 and γ on a knot; `None` elsewhere.
#[must_use]
pub fn moments_at_rest(table: &Table<'_>, gamma: f64) -> Option<[f64; 2]> {
    gradients_at_rest(table, gamma).map(|[mean, variance, ..]| [mean, variance])
}

/// The same with derivatives.
#[must_use]
pub fn gradients_at_rest(table: &Table<'_>, gamma: f64) -> Option<[f64; 6]> {
    table.knot_at(gamma).map(|knot| table.limits[knot])
}

struct Sum<'a, V, const SLOPES: bool> {
    table: &'a Table<'a>,
    gamma: V,
    xi2: V,
}

impl<V: Lanes, const SLOPES: bool> Work for Sum<'_, V, SLOPES> {
    type Output = [V; 6];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> [V; 6] {
        match self.table.degree {
            1 => self.run_with::<true, 2, 0>(),
            2..=4 => self.run_with::<false, 5, 50>(),
            _ => self.run_with::<false, { MAX_DEGREE + 1 }, MAX_NODES>(),
        }
    }
}

impl<V: Lanes, const SLOPES: bool> Sum<'_, V, SLOPES> {
    /// With room for so many coefficients and nodes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run_with<const STRAIGHT: bool, const COUNT: usize, const NODES: usize>(self) -> [V; 6] {
        let Self { table, gamma, xi2 } = self;
        if !V::GENERAL && table.exponent != 0 {
            // What is beyond the range of a vector counts: for single numbers.
            return [gamma * V::splat(V::Scalar::NAN); 6];
        }
        let degree = table.degree as i32;
        let deviation = Deviation::new(xi2, [if SLOPES { -2 } else { 0 }, 2 * degree]);
        let none = Pair::exact(V::splat(V::Scalar::ZERO));
        let nowhere = V::splat(V::Scalar::ONE).lt(V::splat(V::Scalar::ZERO));
        let mut whole = Share::nothing();
        let mut flux = Flux::none();
        // The piece of γ around γ.
        let mut own = [none; COUNT];
        let own = &mut own[..table.count()];
        let [level, offset] = expand(table, gamma, own);
        // From γ to its left end.
        let mut inner: Panel<V> = Panel::from_gamma(None, nowhere.not());
        let mut coefficients = [none; COUNT];
        let coefficients = &mut coefficients[..table.count()];
        let mut nodes = Nodes::<V, NODES>::new();
        let mut left: Option<End<V>> = None;
        for piece in 0..=table.knots.len() {
            let right = table.knots.get(piece);
            let mut right = match right {
                Some(&knot) => Some(End::new(gamma, knot, &deviation)),
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
                (Some(_), Some(_)) => Some(table.widths[piece - 1]),
                _ => None,
            };
            if STRAIGHT {
                let takes_tails = match (&left, &right, width) {
                    (Some(left), Some(right), Some(width)) => {
                        straight::takes_tails([left, right], width, here, &deviation)
                    }
                    _ => true,
                };
                if takes_tails {
                    for end in [&mut left, &mut right].into_iter().flatten() {
                        end.with_tails();
                    }
                }
            }
            let mut panel: Option<Panel<V>> = None;
            if here.any() {
                coefficients.copy_from_slice(own);
                let leftmost = Panel::from_gamma(left.as_ref(), nowhere.not());
                inner = Panel::select(here, leftmost, inner);
                panel = Some(Panel::from_gamma(right.as_ref(), nowhere));
            }
            if let (Some(end), true) = (&left, beyond.any()) {
                let one = Panel::beyond(end, right.as_ref(), width, nowhere);
                take(
                    &mut panel,
                    beyond,
                    one,
                    coefficients,
                    table.right_of(piece - 1),
                    [level, offset],
                );
            }
            if let (Some(end), true) = (&right, before.any()) {
                let one = Panel::beyond(end, left.as_ref(), width, nowhere.not());
                take(&mut panel, before, one, coefficients, table.left_of(piece), [level, offset]);
            }
            if let Some(panel) = panel.filter(Panel::is_left) {
                let share = share::<V, SLOPES, NODES>(&panel, coefficients, &deviation, &mut nodes);
                whole = whole.join::<SLOPES>(share);
            }
            if let (true, Some(right)) = (SLOPES, &right) {
                flux.add(right, table.jumps(piece), &deviation);
            }
            left = right;
        }
        let share = share::<V, SLOPES, NODES>(&inner, own, &deviation, &mut nodes);
        whole = whole.join::<SLOPES>(share);
        whole.mean = (level + offset) + whole.mean;
        results::<V, SLOPES>(table, &whole, &flux, &deviation)
    }
}

/// A panel in some lanes, with the coefficients of its piece around its near end, less two levels.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take<V: Lanes>(
    panel: &mut Option<Panel<V>>,
    mask: V::Mask,
    one: Panel<V>,
    coefficients: &mut [Pair<V>],
    around: &[[f64; 2]],
    levels: [Pair<V>; 2],
) {
    let others = if mask.all() { None } else { *panel };
    *panel = Some(match others {
        Some(other) => Panel::select(mask, one, other),
        None => one,
    });
    for j in 0..coefficients.len() {
        let mut value = pair(around[j]);
        if j == 0 {
            value = less(above(around[0], levels[0]), levels[1]);
        }
        if others.is_some() {
            value = Pair::select(mask, value, coefficients[j]);
        }
        coefficients[j] = value;
    }
}

/// a − b with a low word that is small against the high one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn less<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let [high, low] = (a - b).words();
    Pair::normal(high, low)
}

/// A constant of the table less another one, each in two words whatever is compensated: both may be huge beside what
/// the function does.
#[cfg_attr(not(debug_assertions), inline(always))]
fn above<V: Lanes>(constant: [f64; 2], level: Pair<V>) -> Pair<V> {
    let [high, low] = number::pair(constant);
    if V::Accuracy::COMPENSATED {
        return less(Pair::new(high, low), level);
    }
    let [level, rest] = level.words();
    Pair::exact((high - level) + (low - rest))
}

/// The share of a panel: of a straight piece if there is no room for nodes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn share<V: Lanes, const SLOPES: bool, const NODES: usize>(
    panel: &Panel<V>,
    coefficients: &mut [Pair<V>],
    deviation: &Deviation<V>,
    nodes: &mut Nodes<V, NODES>,
) -> Share<V> {
    struct Curved<'a, V: Lanes, const SLOPES: bool, const NODES: usize> {
        panel: &'a Panel<V>,
        coefficients: &'a mut [Pair<V>],
        deviation: &'a Deviation<V>,
        nodes: &'a mut Nodes<V, NODES>,
    }
    impl<V: Lanes, const SLOPES: bool, const NODES: usize> Work for Curved<'_, V, SLOPES, NODES> {
        type Output = Share<V>;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run(self) -> Share<V> {
            let Self { panel, coefficients, deviation, nodes } = self;
            curved::share::<V, SLOPES, NODES>(panel, coefficients, deviation, nodes)
        }
    }
    if NODES == 0 {
        straight::share::<V, SLOPES>(panel, [coefficients[0], coefficients[1]], deviation)
    } else {
        V::outlined(Curved::<V, SLOPES, NODES> { panel, coefficients, deviation, nodes })
    }
}

/// The piece of γ around γ less its value there. The value comes in two parts, what it is at the nearest place around
/// which the table has the piece, and the rest: so nothing is lost where γ is near the place.
#[cfg_attr(not(debug_assertions), inline(always))]
fn expand<V: Lanes>(table: &Table<'_>, gamma: V, coefficients: &mut [Pair<V>]) -> [Pair<V>; 2] {
    let zero = V::splat(V::Scalar::ZERO);
    let everywhere = zero.le(zero);
    let mut nearest = Nearest {
        distance: V::splat(V::Scalar::INFINITY),
        from: Pair::exact(zero),
        rest: zero,
        coefficients,
    };
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
                nearest.offer(here, left, table.right_of(piece - 1));
            }
            if let Some(right) = right {
                nearest.offer(here, right, table.left_of(piece));
            }
            for center in table.centers {
                if center.piece == piece {
                    nearest.offer(here, displacement(gamma, center.at), center.coefficients);
                }
            }
        }
        left = right;
    }
    let Nearest { from, rest, coefficients, .. } = nearest;
    let [high, _] = coefficients[0].words();
    let level = Pair::new(high, rest);
    coefficients[0] = Pair::exact(zero);
    // Horner's scheme again and again: what is left after step k is the coefficient k.
    let last = coefficients.len() - 1;
    for k in 0..last {
        for j in (k..last).rev() {
            let [high, low] = (coefficients[j] + coefficients[j + 1] * from).words();
            coefficients[j] = Pair::normal(high, low);
        }
    }
    let offset = coefficients[0];
    coefficients[0] = Pair::exact(zero);
    [level, offset]
}

/// The nearest place so far, and the coefficients around it.
struct Nearest<'a, V> {
    distance: V,
    from: Pair<V>,
    /// The second word of the constant coefficient.
    rest: V,
    coefficients: &'a mut [Pair<V>],
}

impl<V: Lanes> Nearest<'_, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn offer(&mut self, mask: V::Mask, displacement: Pair<V>, around: &[[f64; 2]]) {
        let distance = displacement.round().abs();
        let nearer = mask.and(distance.lt(self.distance));
        if !nearer.any() {
            return;
        }
        self.distance = V::select(nearer, distance, self.distance);
        self.from = Pair::select(nearer, -displacement, self.from);
        let [_, rest] = number::pair::<V>(around[0]);
        self.rest = V::select(nearer, rest, self.rest);
        for (c, &value) in self.coefficients.iter_mut().zip(around) {
            *c = Pair::select(nearer, pair(value), *c);
        }
    }
}

/// What jumps of g and of its slope contribute to the derivatives of the mean, and the magnitudes.
struct Flux<V> {
    sums: [V; 2],
    sizes: [V; 2],
}

impl<V: Lanes> Flux<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn none() -> Self {
        let none = [V::splat(V::Scalar::ZERO); 2];
        Self { sums: none, sizes: none }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(&mut self, end: &End<V>, [jump, bend]: [f64; 2], deviation: &Deviation<V>) {
        if jump == 0.0 && bend == 0.0 {
            return;
        }
        let density = end.edge.h * deviation.inverse;
        let jump = number::<V>(jump) * density;
        let bend = number::<V>(bend) * density;
        let moved = jump * (end.edge.score() * deviation.inverse);
        self.sums = [self.sums[0] + jump, self.sums[1] + (bend + moved)];
        self.sizes = [self.sizes[0] + jump.abs(), self.sizes[1] + (bend.abs() + moved.abs())];
    }
}

/// The results from the share of the whole line.
///
/// The derivatives of the mean are E\[(g − m) He_k\]/ξᵏ, with an error that is small beside √Var g/ξᵏ, or E\[g⁽ᵏ⁾\], with
/// one that is small beside E|g⁽ᵏ⁾|: whichever is less.
#[cfg_attr(not(debug_assertions), inline(always))]
fn results<V: Lanes, const SLOPES: bool>(
    table: &Table<'_>,
    whole: &Share<V>,
    flux: &Flux<V>,
    deviation: &Deviation<V>,
) -> [V; 6] {
    let exponent = table.exponent;
    let mean = raise(whole.mean.round(), exponent);
    let squares = whole.squares.round();
    let variance_exponent = 2 * exponent - V::Accuracy::DENSITY_EXPONENT;
    let variance = raise(squares, variance_exponent);
    let zero = V::splat(V::Scalar::ZERO);
    if !SLOPES {
        return [mean, variance, zero, zero, zero, zero];
    }
    let slopes = &whole.slopes;
    let unit = density_unit::<V>();
    let deviate = (squares * unit).sqrt();
    let inverse = deviation.inverse_pair();
    let half = V::splat(V::Scalar::HALF);
    let weights = [inverse.round(), half * (inverse * inverse).round()];
    let lengths = [deviation.xi, deviation.xi * deviation.xi];
    // A polynomial and its derivatives in plain numbers: its terms may cancel by so much.
    let cancels = V::splat(V::Scalar::power_of_two(table.degree as i32 - 1));
    let mut results = [mean, variance, zero, zero, zero, zero];
    for k in 0..2 {
        let size = (slopes.size[k] + flux.sizes[k]) * unit;
        let by_hermite = slopes.first[k] * weights[k];
        let smooth = slopes.smooth[k] + flux.sums[k];
        let smooth = if k == 1 { half * smooth } else { smooth };
        let is_smooth = (cancels * size * lengths[k]).lt(deviate);
        let slope = V::select(is_smooth, smooth, by_hermite);
        results[2 + k] = raise(slope, exponent - V::Accuracy::DENSITY_EXPONENT);
        results[4 + k] = raise(slopes.second[k] * weights[k], variance_exponent);
    }
    results
}

/// value · 2ᵉ
#[cfg_attr(not(debug_assertions), inline(always))]
fn raise<V: Lanes>(value: V, exponent: i32) -> V {
    if exponent == 0 {
        return value;
    }
    let mut left = exponent;
    let mut value = value;
    while left != 0 {
        let step = left.clamp(-V::Scalar::MOST_EXPONENT, V::Scalar::MOST_EXPONENT);
        value = value * V::splat(V::Scalar::power_of_two(step));
        left -= step;
    }
    value
}
