//! The loop over the pieces.

use super::curved::{self, Coefficients};
use super::panel::{End, Panel, displacement};
use super::share::Share;
use super::straight;
use super::table::{MAX_DEGREE, Table};
use crate::Float;
use crate::kernel::number::number;
use crate::kernel::{Deviation, Lanes, Mask, Pair, density_unit, pair};
use crate::lanes::Work;
use crate::precision::Precision;

/// Mean and variance, for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
#[inline(always)]
pub fn moments<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 2] {
    let [mean, variance, ..] = V::outlined(Sum::<V, false> { table, gamma, xi2 });
    [mean, variance]
}

/// Mean, variance and their derivatives in γ and ξ², likewise.
#[inline(always)]
pub fn gradients<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    V::outlined(Sum::<V, true> { table, gamma, xi2 })
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

    #[inline(always)]
    fn run(self) -> [V; 6] {
        if self.table.degree == 1 {
            self.run_with::<true>()
        } else {
            self.run_with::<false>()
        }
    }
}

impl<V: Lanes, const SLOPES: bool> Sum<'_, V, SLOPES> {
    #[inline(always)]
    fn run_with<const STRAIGHT: bool>(self) -> [V; 6] {
        let Self { table, gamma, xi2 } = self;
        let degree = table.degree as i32;
        let deviation = Deviation::new(xi2, [if SLOPES { -2 } else { 0 }, 2 * degree]);
        let none = Pair::exact(V::splat(V::Scalar::ZERO));
        let nowhere = V::splat(V::Scalar::ONE).lt(V::splat(V::Scalar::ZERO));
        let mut whole = Share::nothing();
        let mut flux = Flux::none();
        // The piece of γ around γ.
        let mut own: Coefficients<V> = [none; MAX_DEGREE + 1];
        let own = &mut own[..table.count()];
        let level = expand(table, gamma, own);
        // From γ to its left end.
        let mut inner: Panel<V> = Panel::from_gamma(None, nowhere.not());
        let mut left: Option<End<V>> = None;
        for piece in 0..=table.knots.len() {
            let right = table.knots.get(piece);
            let right = right.map(|&knot| End::new::<STRAIGHT>(gamma, knot, &deviation));
            let beyond = left.as_ref().map_or(nowhere, |left| left.is_right);
            let before = right.as_ref().map_or(nowhere, |right| right.is_right.not());
            let here = beyond.or(before).not();
            let width = match (&left, &right) {
                (Some(_), Some(_)) => Some(table.widths[piece - 1]),
                _ => None,
            };
            let mut coefficients: Coefficients<V> = [none; MAX_DEGREE + 1];
            let coefficients = &mut coefficients[..table.count()];
            let mut panel: Option<Panel<V>> = None;
            if here.any() {
                coefficients.copy_from_slice(own);
                let leftmost = Panel::from_gamma(left.as_ref(), nowhere.not());
                inner = Panel::select(here, leftmost, inner);
                panel = Some(Panel::from_gamma(right.as_ref(), nowhere));
            }
            if let Some(end) = left.as_ref().filter(|_| beyond.any()) {
                let one = Panel::beyond(end, right.as_ref(), width, nowhere);
                take(&mut panel, beyond, one, coefficients, table.right_of(piece - 1), level);
            }
            if let Some(end) = right.as_ref().filter(|_| before.any()) {
                let one = Panel::beyond(end, left.as_ref(), width, nowhere.not());
                take(&mut panel, before, one, coefficients, table.left_of(piece), level);
            }
            if let Some(panel) = panel.filter(Panel::is_left) {
                let share = share::<V, SLOPES, STRAIGHT>(&panel, coefficients, &deviation);
                whole = whole.join::<SLOPES>(share);
            }
            if let (true, Some(right)) = (SLOPES, &right) {
                flux.add(right, table.jumps(piece), &deviation);
            }
            left = right;
        }
        let share = share::<V, SLOPES, STRAIGHT>(&inner, own, &deviation);
        whole = whole.join::<SLOPES>(share);
        whole.mean = whole.mean + level;
        results::<V, SLOPES>(table, &whole, &flux, &deviation)
    }
}

/// A panel in some lanes, with the coefficients of its piece around its near end, less a level.
#[inline(always)]
fn take<V: Lanes>(
    panel: &mut Option<Panel<V>>,
    mask: V::Mask,
    one: Panel<V>,
    coefficients: &mut [Pair<V>],
    around: &[[f64; 2]],
    level: Pair<V>,
) {
    let others = panel.filter(|_| !mask.all());
    *panel = Some(match others {
        Some(other) => Panel::select(mask, one, other),
        None => one,
    });
    for (j, (c, &value)) in coefficients.iter_mut().zip(around).enumerate() {
        let value = if j == 0 { less(pair(value), level) } else { pair(value) };
        *c = if others.is_some() { Pair::select(mask, value, *c) } else { value };
    }
}

/// a − b with a low word that is small against the high one.
#[inline(always)]
fn less<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let [high, low] = (a - b).words();
    Pair::normal(high, low)
}

#[inline(always)]
fn share<V: Lanes, const SLOPES: bool, const STRAIGHT: bool>(
    panel: &Panel<V>,
    coefficients: &[Pair<V>],
    deviation: &Deviation<V>,
) -> Share<V> {
    if STRAIGHT {
        straight::share::<V, SLOPES>(panel, [coefficients[0], coefficients[1]], deviation)
    } else {
        struct Curved<'a, V: Lanes, const SLOPES: bool>(&'a Panel<V>, &'a [Pair<V>], &'a Deviation<V>);
        impl<V: Lanes, const SLOPES: bool> Work for Curved<'_, V, SLOPES> {
            type Output = Share<V>;
            #[inline(always)]
            fn run(self) -> Share<V> {
                curved::share::<V, SLOPES>(self.0, self.1, self.2)
            }
        }
        V::outlined(Curved::<V, SLOPES>(panel, coefficients, deviation))
    }
}

/// The piece of γ around γ less a level, and the level: what it is at the nearest place around which the table has it.
/// So nothing is lost where γ is near the place.
#[inline(always)]
fn expand<V: Lanes>(table: &Table<'_>, gamma: V, coefficients: &mut [Pair<V>]) -> Pair<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let mut from = Pair::exact(zero);
    let mut nearest = V::splat(V::Scalar::INFINITY);
    let mut offer = |mask: V::Mask, displacement: Pair<V>, around: &[[f64; 2]]| {
        let distance = displacement.round().abs();
        let nearer = mask.and(distance.lt(nearest));
        if !nearer.any() {
            return;
        }
        nearest = V::select(nearer, distance, nearest);
        from = Pair::select(nearer, -displacement, from);
        for (c, &value) in coefficients.iter_mut().zip(around) {
            *c = Pair::select(nearer, pair(value), *c);
        }
    };
    let is_right = |displacement: &Pair<V>| zero.lt(displacement.round());
    let everywhere = zero.le(zero);
    let mut left: Option<Pair<V>> = None;
    for piece in 0..=table.knots.len() {
        let right = table.knots.get(piece).map(|&knot| displacement(gamma, knot));
        let here = left.as_ref().map_or(everywhere, |left| is_right(left).not());
        let here = here.and(right.as_ref().map_or(everywhere, is_right));
        if here.any() {
            if let Some(left) = left {
                offer(here, left, table.right_of(piece - 1));
            }
            if let Some(right) = right {
                offer(here, right, table.left_of(piece));
            }
            for center in table.centers.iter().filter(|center| center.piece == piece) {
                offer(here, displacement(gamma, center.at), center.coefficients);
            }
        }
        left = right;
    }
    let level = coefficients[0];
    coefficients[0] = Pair::exact(zero);
    // Horner's scheme again and again: what is left after step k is the coefficient k.
    let last = coefficients.len() - 1;
    for k in 0..last {
        for j in (k..last).rev() {
            let [high, low] = (coefficients[j] + coefficients[j + 1] * from).words();
            coefficients[j] = Pair::normal(high, low);
        }
    }
    level
}

/// What jumps of g and of its slope contribute to the derivatives of the mean, and the magnitudes.
struct Flux<V> {
    sums: [V; 2],
    sizes: [V; 2],
}

impl<V: Lanes> Flux<V> {
    #[inline(always)]
    fn none() -> Self {
        let none = [V::splat(V::Scalar::ZERO); 2];
        Self { sums: none, sizes: none }
    }

    #[inline(always)]
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
#[inline(always)]
fn results<V: Lanes, const SLOPES: bool>(
    table: &Table<'_>,
    whole: &Share<V>,
    flux: &Flux<V>,
    deviation: &Deviation<V>,
) -> [V; 6] {
    let unit = density_unit::<V>();
    let mean = raise(whole.mean.round(), table.exponent);
    let squares = whole.squares.round() * unit;
    let variance = raise(raise(squares, table.exponent), table.exponent);
    let zero = V::splat(V::Scalar::ZERO);
    if !SLOPES {
        return [mean, variance, zero, zero, zero, zero];
    }
    let slopes = &whole.slopes;
    let deviate = squares.sqrt();
    let inverse = deviation.inverse_pair();
    let half = V::splat(V::Scalar::HALF);
    let weights = [inverse.round(), half * (inverse * inverse).round()];
    // A polynomial and its derivatives in plain numbers: its terms may cancel by so much.
    let cancels = number::<V>(f64::from(1u32 << (table.degree - 1)));
    let lengths = [deviation.xi, deviation.xi * deviation.xi];
    let derivative = |k: usize| {
        let size = (slopes.size[k] + flux.sizes[k]) * unit;
        let by_hermite = slopes.first[k] * unit * weights[k];
        let smooth = (slopes.smooth[k] + flux.sums[k]) * unit;
        let smooth = if k == 1 { half * smooth } else { smooth };
        let is_smooth = (cancels * size * lengths[k]).lt(deviate);
        raise(V::select(is_smooth, smooth, by_hermite), table.exponent)
    };
    let of_variance = |k: usize| {
        let value = slopes.second[k] * unit * weights[k];
        raise(raise(value, table.exponent), table.exponent)
    };
    [mean, variance, derivative(0), derivative(1), of_variance(0), of_variance(1)]
}

/// value · 2ᵉ
#[inline(always)]
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
