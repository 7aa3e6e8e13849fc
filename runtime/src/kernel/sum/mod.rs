//! Mean, variance and their derivatives of a piecewise polynomial g of degree 1 to 3, as a sum of truncated moments.
//!
//! For u ~ N(γ, ξ²), knots t₁ < … < t_K and a level c, with s_k = |t_k − γ|/ξ, σ_k = ±1 the side of γ on which the
//! knot lies and J_n the repeated integrals of the tail ([`knot`]), let τ_n = (σξ)ⁿ J_n(s). Each piece contributes in one of
//! two ways:
//!
//! - A *wide* piece by tails at its ends. With a = a₀ + Σ a_j (u − t)ʲ, E\[a − c; beyond t\] = (a₀ − c) τ₀ + M and
//!   E\[(a − c)²; beyond t\] = (a₀ − c)((a₀ − c) τ₀ + 2M) + N, where M = Σ j! a_j τ_j and N is the same sum for the
//!   square of a − a₀. A knot adds σ times these for the polynomial a on its right, less those for b on its left, each where
//!   its piece is wide; where both are, those of d = a − b and of (a − c)² − (b − c)² = d (a + b − 2c) (`knot`).
//! - A *narrow* piece, over which the exponent of the density changes by less than a limit, by its middle: the same sums with
//!   a₀ its value there and the integrals of τᵏ over the piece in place of τ_n (`series`).
//!
//! The piece of γ contributes, if it is wide, the moments of its polynomial over the whole line besides, which are sums of
//! positive terms (`base`). The level c is the value of that polynomial at γ. It is carried as the value at the nearest
//! place of the table in two words and the rest, and levels of knots are taken from it word by word, so that large constants
//! cancel exactly. Each side of γ counts from a level of its own first (`level`).
//!
//! Derivatives are the same sums with other integrals: ∂τ_n/∂γ = τ_{n−1} and ∂τ_n/∂ξ² = ½ τ_{n−2}, where
//! τ₋₁ = σφ(s)/ξ and τ₋₂ = sφ(s)/ξ². For a piece the integrals are multiplied by the Hermite polynomials of the distance
//! from γ.
//!
//! Two words are carried in four places only: the distance t − γ, the exponent (t − γ)²/ξ², and the stored levels and
//! places. Error: `docs/numerics.md`.

#![allow(
    clippy::manual_map,
    clippy::needless_range_loop,
    reason = "what iterators and closures do with lanes would be compiled without the machine's instructions"
)]

mod base;
mod builder;
mod cut;
mod element;
mod knot;
mod level;
mod rows;
mod series;
mod words;

use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::density_unit;
use crate::kernel::number::number;
use crate::lanes::double::two_sum;
use crate::lanes::{Lanes, Mask, Named, State, Step, Work};
use crate::precision::Precision;
use base::Base;
pub use builder::{knot, piece, place};
pub use cut::{cut, division};
use element::Element;
use knot::Beside;
use level::{Level, Levels};
pub use rows::{Cut, Jump, Knot, Map, Piece, Place, Rows, Side, Span};
use series::Inner;

/// The most knots of a table whose loops are unrolled.
pub const MAX_UNROLLED: usize = 5;
/// The highest degree of a piece.
pub const MAX_DEGREE: usize = 3;

/// How many integrals there are at most: by how much they are shifted, from 0 on.
const SHIFTS_MOST: usize = 5;
/// The sums over knots and narrow pieces in the unit of densities: at 2q of g − c, at 2q + 1 of (g − c)², where q counts
/// how far the integrals are shifted. A shift is a derivative in γ; two are twice a derivative in ξ².
type Sums<V> = [V; 2 * SHIFTS_MOST];

/// Mean and variance of a function that is 2ᵉ times that of the rows. The power is joined with the unit of densities, so
/// that a variance that is a normal number neither overflows nor underflows before.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn moments<V: Lanes, const K: usize, const D: usize, const KNOWN: bool>(
    rows: &Rows<'_>,
    gamma: V,
    xi2: V,
    exponent: i32,
) -> [V; 2] {
    let element = Element::new(gamma, xi2);
    let Total { base, sums } = Total::of::<K, D, 1, KNOWN>(rows, &element);
    let central = Central::new::<D>(&base, &sums, &element, exponent);
    [times_power(central.mean, exponent), central.variance]
}

/// Mean, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ² of a function that is 2ᵉ times that of the rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn gradients<V: Lanes, const K: usize, const D: usize, const KNOWN: bool>(
    rows: &Rows<'_>,
    gamma: V,
    xi2: V,
    exponent: i32,
) -> [V; 6] {
    let element = Element::new(gamma, xi2);
    let Total { base, sums } = Total::of::<K, D, 3, KNOWN>(rows, &element);
    let central = Central::new::<D>(&base, &sums, &element, exponent);
    let unit = density_unit::<V>();
    let units = [unit, unit * V::splat(V::Scalar::HALF)];
    // Around c = E[g], which is E[q] + tails.
    let smooth = base.slopes::<D>(-central.tails, &element);
    let twice = central.apart + central.apart;
    let mut slopes = [V::splat(V::Scalar::ZERO); 4];
    for k in 0..2 {
        let [mean, square] = [sums[2 * k + 2] * units[k], sums[2 * k + 3] * units[k]];
        slopes[k] = times_power(base.hermite[k + 1] + mean, exponent);
        slopes[k + 2] = if exponent == 0 {
            // E[(g − m)²] is least at m = E[g], so that its derivative at a fixed m is that of the variance.
            smooth[k] + twice.neg_mul_add(mean, square)
        } else {
            let sums = [sums[2 * k + 3], twice, sums[2 * k + 2]];
            // The sum is not halved yet where it is in ξ²: the exponent below does that.
            let halved = if k == 0 { smooth[k] } else { smooth[k] + smooth[k] };
            let exponent = 2 * exponent - k as i32;
            raised_sum(sums, halved, V::Accuracy::DENSITY_EXPONENT, exponent)
        };
    }
    let [mean_gamma, mean_xi2, variance_gamma, variance_xi2] = slopes;
    let mean = times_power(central.mean, exponent);
    [mean, central.variance, mean_gamma, mean_xi2, variance_gamma, variance_xi2]
}

/// Mean and variance, their four first derivatives as [`gradients`] has them, and the second derivatives
/// ∂²/∂γ², ∂²/∂γ∂ξ² and ∂²/∂(ξ²)² of the mean, then of the variance.
///
/// With F_n = ∂ⁿE\[(g − c)²\]/∂γⁿ at c = E\[g\], ∂²Var/∂γ² = F₂ − 2(∂mean/∂γ)², and the others alike, a derivative in ξ² being half
/// of two in γ. The squares of what the polynomial at γ contributes to both are left out on both sides.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn hessians<V: Lanes, const K: usize, const D: usize, const KNOWN: bool>(
    rows: &Rows<'_>,
    gamma: V,
    xi2: V,
) -> [V; 12] {
    let element = Element::new(gamma, xi2);
    let Total { base, sums } = Total::of::<K, D, 5, KNOWN>(rows, &element);
    let central = Central::new::<D>(&base, &sums, &element, 0);
    let unit = density_unit::<V>();
    let [half, quarter] = [0.5, 0.25].map(|x| V::splat(V::Scalar::from_f64(x)));
    let twice = central.apart + central.apart;
    let smooth = base.slopes::<D>(-central.tails, &element);
    let curved = base.curvatures::<D>(-central.tails, &element);
    // Derivatives in γ of the tails of g, and of (g − mean)².
    let mut tails = [unit; 5];
    let mut squares = [unit; 5];
    for n in 1..5 {
        let mean = sums[2 * n];
        tails[n] = mean * unit;
        squares[n] = twice.neg_mul_add(mean, sums[2 * n + 1]) * unit;
    }
    let [_, first, second, third] = base.hermite;
    let [by_gamma, by_xi2] = [tails[1], tails[2] * half];
    let [double, six] = [second + second, V::splat(V::Scalar::from_f64(6.0)) * third];
    let crossed = by_gamma.mul_add(by_xi2, first.mul_add(by_xi2, by_gamma * second));
    let variance = [
        (curved[0] + squares[2]) - (by_gamma + by_gamma) * (first + first + by_gamma),
        (curved[1] + squares[3] * half) - (crossed + crossed),
        (curved[2] + squares[4] * quarter) - (by_xi2 + by_xi2) * (double + by_xi2),
    ];
    [
        central.mean,
        central.variance,
        first + by_gamma,
        second + by_xi2,
        smooth[0] + squares[1],
        smooth[1] + squares[2] * half,
        double + tails[2],
        half * (six + tails[3]),
        tails[4] * quarter,
        variance[0],
        variance[1],
        variance[2],
    ]
}

/// A number times 2ᵉ, by factors that are numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn times_power<V: Lanes>(mut value: V, mut exponent: i32) -> V {
    while exponent != 0 {
        let step = exponent.clamp(-MOST_STEP, MOST_STEP);
        [value] = V::named::<Times, 2, 1>([value, V::splat(V::Scalar::power_of_two(step))]);
        exponent -= step;
    }
    value
}

/// a · b, which a compiler that reads a record must not join with another product: it might overflow.
struct Times;

impl Named<2, 1> for Times {
    const NAME: &'static str = "times";

    #[inline(always)]
    fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 1] {
        [a * b]
    }
}

/// (a − b c + `smooth`) 2ᵉ, with a and c in a unit of 2⁻ᵘ: in that unit where the sum is small, since it may be no normal
/// number before it is raised.
#[cfg_attr(not(debug_assertions), inline(always))]
fn raised_sum<V: Lanes>([a, b, c]: [V; 3], smooth: V, unit: i32, exponent: i32) -> V {
    let [one, more, less] = [0, unit, -unit].map(|e| V::splat(V::Scalar::power_of_two(e)));
    let tails = a.mul_sub(less, (c * less) * b);
    let whole = times_power(tails + smooth, exponent);
    let small = b.neg_mul_add(c, a) + smooth * more;
    let is_small = tails.abs().lt(one).and(smooth.abs().lt(one));
    V::select(is_small, times_power(small, exponent - unit), whole)
}

/// The exponent of the largest factor: a number of every precision.
const MOST_STEP: i32 = 100;

/// Mean and variance, and the differences of the mean that derivatives of the variance need.
struct Central<V> {
    mean: V,
    /// The variance of 2ᵉ times the function; all else is of the function.
    variance: V,
    /// The mean less the level.
    apart: V,
    /// The mean less the mean of the polynomial at γ.
    tails: V,
}

impl<V: Lanes> Central<V> {
    /// Var g = E\[(g − c)²\] − (E\[g\] − c)², of which the square of the polynomial's H₀ is left out on both sides.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new<const D: usize>(
        base: &Base<V>,
        sums: &Sums<V>,
        element: &Element<V>,
        exponent: i32,
    ) -> Self {
        let unit = density_unit::<V>();
        let tails = sums[0] * unit;
        let [own, ..] = base.hermite;
        let apart = own + tails;
        let Level { high, low, rise } = base.level;
        let variance = if exponent == 0 {
            // (own + tails)² − own²: the square of H₀ is in neither term, so that it does not cancel.
            let rest = sums[1].mul_sub(unit, tails * (own + apart));
            rest + base.variance::<D>(element)
        } else {
            let (sums, smooth) = ([sums[1], own + apart, sums[0]], base.variance::<D>(element));
            raised_sum(sums, smooth, V::Accuracy::DENSITY_EXPONENT, 2 * exponent)
        };
        Self {
            // The first word last: a large level is added to everything else together.
            mean: high + (low + (rise + apart)),
            variance: variance.max(V::splat(V::Scalar::ZERO)),
            apart,
            tails,
        }
    }
}

/// Takes a step for each number below a count. For a constant number K of knots the loop is unrolled.
#[cfg_attr(not(debug_assertions), inline(always))]
fn for_each<V: Lanes, S: Step<V, N, M>, const K: usize, const N: usize, const M: usize>(
    count: usize,
    step: S,
    mut state: State<V, N, M>,
) -> State<V, N, M> {
    macro_rules! unrolled {
        ($($n:literal)*) => {
            $(if $n < count {
                (state, _) = step.take($n, state);
            })*
        };
    }
    if K == 0 {
        return V::repeat(0..count, step, state);
    }
    unrolled!(0 1 2 3 4);
    state
}

/// All that is summed up, with the polynomial of the piece of γ.
struct Total<V> {
    base: Base<V>,
    sums: Sums<V>,
}

impl<V: Lanes> Total<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of<const K: usize, const D: usize, const SHIFTS: usize, const KNOWN: bool>(
        rows: &Rows<'_>,
        element: &Element<V>,
    ) -> Self {
        let count = if K == 0 { rows.knots.len() } else { K };
        let place = rows::pick::<V, KNOWN>(rows.places, element.gamma);
        let mut base = Base::new::<D>(&place, element);
        // One knot has no bounded piece: the piece of γ is wide, and both sides may count from its level.
        let mut levels = Levels::one(base.level);
        if count > 1 {
            (base, levels) = on_wide::<V, K, D, KNOWN>(rows, element, base);
        }
        let zero = V::splat(V::Scalar::ZERO);
        let walk = Walk::<V, K, D, SHIFTS, KNOWN> { rows, count, levels: &levels, element };
        let start = ([zero; 2 * SHIFTS_MOST], [zero.le(zero)]);
        let (sums, _) = for_each::<V, _, K, _, 1>(count, walk, start);
        Self { base, sums }
    }
}

/// The walk over the knots, each with the piece to its right. It carries the sums, and where the piece to the left is wide
/// at the knot.
struct Walk<'a, V: Lanes, const K: usize, const D: usize, const SHIFTS: usize, const KNOWN: bool> {
    rows: &'a Rows<'a>,
    count: usize,
    levels: &'a Levels<V>,
    element: &'a Element<V>,
}

impl<V: Lanes, const K: usize, const D: usize, const SHIFTS: usize, const KNOWN: bool>
    Step<V, { 2 * SHIFTS_MOST }, 1> for Walk<'_, V, K, D, SHIFTS, KNOWN>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(
        &self,
        k: usize,
        (mut sums, [before]): State<V, { 2 * SHIFTS_MOST }, 1>,
    ) -> (State<V, { 2 * SHIFTS_MOST }, 1>, bool) {
        let Self { rows, count, levels, element } = *self;
        let inner = if k + 1 < count { Some(inner::<V, D, KNOWN>(rows, k, element)) } else { None };
        // The outer pieces are wide in all lanes. A loop has a mask for them too: whether there is one would be asked for each
        // term of each knot.
        let in_loop = K == 0 && V::LOOPS;
        let zero = V::splat(V::Scalar::ZERO);
        let outer = if in_loop { Some(zero.le(zero)) } else { None };
        let left = if in_loop || k > 0 { Some(before) } else { None };
        let [right, next] = match &inner {
            Some(inner) => [Some(inner.wide[0]), Some(inner.wide[1])],
            None => [outer; 2],
        };
        let (knot, wide) = (rows.knots[k].in_lanes::<V, KNOWN>(), [left, right]);
        sums = Beside { knot, wide, levels, element, sums }.add::<D, SHIFTS>();
        if let Some(inner) = inner {
            sums = inner.add::<D, SHIFTS>(levels, element, sums);
        }
        // After the last knot no one asks.
        ((sums, [next.unwrap_or(before)]), true)
    }
}

/// The bounded piece of that number.
#[cfg_attr(not(debug_assertions), inline(always))]
fn inner<V: Lanes, const D: usize, const KNOWN: bool>(
    rows: &Rows<'_>,
    i: usize,
    element: &Element<V>,
) -> Inner<V> {
    let left = rows.knots[i].seen::<V, KNOWN>(element);
    let right = rows.knots[i + 1].seen::<V, KNOWN>(element);
    let mut row = rows.pieces[i].in_lanes::<V, KNOWN>();
    if D == 1 {
        // Straight pieces are never cut.
        row.cut = None;
    }
    Inner::new::<D>(row, [left, right], element)
}

/// The polynomial at γ, and the levels; where the piece of γ is narrow, no polynomial, and one level that is about the mean.
#[cfg_attr(not(debug_assertions), inline(always))]
fn on_wide<V: Lanes, const K: usize, const D: usize, const KNOWN: bool>(
    rows: &Rows<'_>,
    element: &Element<V>,
    base: Base<V>,
) -> (Base<V>, Levels<V>) {
    let zero = V::splat(V::Scalar::ZERO);
    let count = if K == 0 { rows.knots.len() } else { K };
    let around = Around::<V, D, KNOWN> { rows, count, element };
    let nowhere = zero.lt(zero);
    let [first, first_low] = words::pair_in_lanes::<V>(rows.knots[0].sides[0].value);
    let start = ([zero, zero, first, first_low], [nowhere; 2]);
    let ([left, left_low, right, right_low], [narrow, partly]) =
        for_each::<V, _, K, 4, 2>(count, around, start);
    let Base { level: Level { high, low, rise }, mut hermite } = base;
    let own = [high, low, rise];
    let work = RoughMean::<V, K, D, KNOWN> { rows, count, element, own, narrow };
    let [high, low, rise] = V::if_any(narrow, work, own);
    // Where there is no polynomial both sides count from the level itself, in two words.
    let low = V::select(partly, low + rise, low);
    let rise = V::select(partly, zero, rise);
    let mut ends = [[left, left_low], [right, right_low]];
    for end in &mut ends {
        *end = [V::select(partly, high, end[0]), V::select(partly, low, end[1])];
    }
    for k in 0..=D {
        hermite[k] = V::select(partly, zero, hermite[k]);
    }
    let level = Level { high, low, rise };
    (Base { level, hermite }, Levels::new(level, ends))
}

/// The search for the piece of γ: its values at both ends, the left one and the right one in two words each; where it is narrow;
/// where it is narrow or has a narrow part around γ.
struct Around<'a, V: Lanes, const D: usize, const KNOWN: bool> {
    rows: &'a Rows<'a>,
    count: usize,
    element: &'a Element<V>,
}

impl<V: Lanes, const D: usize, const KNOWN: bool> Step<V, 4, 2> for Around<'_, V, D, KNOWN> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(
        &self,
        i: usize,
        (mut ends, [mut narrow, mut partly]): State<V, 4, 2>,
    ) -> (State<V, 4, 2>, bool) {
        let Self { rows, count, element } = *self;
        let zero = V::splat(V::Scalar::ZERO);
        let is_right = zero.lt(rows.knots[i].seen::<V, KNOWN>(element).high);
        let beyond = words::pair_in_lanes::<V>(rows.knots[i].sides[1].value);
        for w in 0..2 {
            ends[w] = V::select(is_right, ends[w], beyond[w]);
        }
        if i + 1 < count {
            let inner = inner::<V, D, KNOWN>(rows, i, element);
            let before = words::pair_in_lanes::<V>(rows.knots[i + 1].sides[0].value);
            for w in 0..2 {
                ends[2 + w] = V::select(inner.is_around, before[w], ends[2 + w]);
            }
            narrow = narrow.or(inner.is_around.and(inner.is_wide.not()));
            partly = partly.or(inner.is_around.and(inner.narrow));
        }
        ((ends, [narrow, partly]), true)
    }
}

/// 1/√5.
const INVERSE_REACH: f64 = 0.447_213_595_499_957_9;
/// 2/√5: the width of a piece in t by half its width in units of ξ.
const WIDTH: f64 = 0.894_427_190_999_915_9;

/// About the mean, in lanes where the piece of γ is narrow. Many pieces may share the mass there, and the function may be huge on
/// any of them, so that no value of it need be within a few standard deviations of the mean.
///
/// The mass of a piece is that of the parabola ¾ (1 − t²) over it, with t = z/√5 from −1 to 1, which has the variance of z. Its
/// value is that in the middle of a narrow piece, and at the near end of a wide one. The parabola is 0.84 to 1.27 times the
/// density up to 2ξ, and 0 beyond √5 ξ. So the mean is missed by a quarter of a standard deviation for the density, and by
/// not much more than one for the values.
///
/// Values count by their differences from that of the left outer piece, and a narrow piece by its width: a function that is 0 outside
/// of narrow pieces has a level as small as its mean.
struct RoughMean<'a, V: Lanes, const K: usize, const D: usize, const KNOWN: bool> {
    rows: &'a Rows<'a>,
    count: usize,
    element: &'a Element<V>,
    /// The level at γ.
    own: [V; 3],
    narrow: V::Mask,
}

impl<V: Lanes, const K: usize, const D: usize, const KNOWN: bool> RoughMean<'_, V, K, D, KNOWN> {
    /// The value of the left outer piece.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn first(&self) -> [V; 2] {
        words::pair_in_lanes::<V>(self.rows.knots[0].sides[0].value)
    }

    /// A value less that of the left outer piece, word by word.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn apart(&self, [high, low]: [V; 2]) -> V {
        let first = self.first();
        (high - first[0]) + (low - first[1])
    }

    /// t at a knot, from −1 to 1.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn place(&self, knot: &Knot) -> V {
        let one = V::splat(V::Scalar::ONE);
        let distance = knot.seen::<V, KNOWN>(self.element).high;
        let place = distance * (self.element.inverse * number(INVERSE_REACH));
        place.min(one).max(-one)
    }
}

/// The mass to the left of a place, less a half.
#[cfg_attr(not(debug_assertions), inline(always))]
fn mass_below<V: Lanes>(place: V) -> V {
    place * (place * place).neg_mul_add(number(0.25), number(0.75))
}

impl<V: Lanes, const K: usize, const D: usize, const KNOWN: bool> Work
    for RoughMean<'_, V, K, D, KNOWN>
{
    type Output = [V; 3];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> [V; 3] {
        let zero = V::splat(V::Scalar::ZERO);
        let (own, narrow, first) = (self.own, self.narrow, self.first());
        let start = ([zero; 3], []);
        let ([sum, before, value], []) = for_each::<V, _, K, 3, 0>(self.count, self, start);
        // The mass of the right outer piece.
        let rest = V::splat(V::Scalar::HALF) - before;
        let [high, low] = two_sum(first[0], rest.mul_add(value, sum));
        let mut result = [high, first[1] + low, zero];
        for i in 0..own.len() {
            result[i] = V::select(narrow, result[i], own[i]);
        }
        result
    }
}

/// Adds the bounded piece to the right of a knot. It carries the sum, the mass to the left of the knot less a half, and the value to its
/// right, which is that of the right outer piece in the end.
impl<V: Lanes, const K: usize, const D: usize, const KNOWN: bool> Step<V, 3, 0>
    for RoughMean<'_, V, K, D, KNOWN>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, i: usize, (state, none): State<V, 3, 0>) -> (State<V, 3, 0>, bool) {
        let Self { rows, count, element, .. } = *self;
        let mut sum = state[0];
        let place = self.place(&rows.knots[i]);
        let before = mass_below(place);
        let mut value = words::pair_in_lanes::<V>(rows.knots[i].sides[1].value);
        if i + 1 < count {
            let inner = inner::<V, D, KNOWN>(rows, i, element);
            let right = words::pair_in_lanes::<V>(rows.knots[i + 1].sides[0].value);
            value = inner.value([value, right]);
            let next = self.place(&rows.knots[i + 1]);
            let wide = mass_below(next) - before;
            // Of a narrow piece by its width: the masses up to its ends may agree in all digits.
            let one = V::splat(V::Scalar::ONE);
            let middle = number::<V>(0.5) * (place + next);
            let width = inner.half * number(WIDTH);
            let square = middle.mul_add(middle, width * width * number(1.0 / 12.0));
            let narrow = number::<V>(0.75) * width * (one - square);
            let is_within = place.abs().lt(one).and(next.abs().lt(one));
            let mass = V::select(is_within.and(inner.is_wide.not()), narrow, wide);
            sum = mass.mul_add(self.apart(value), sum);
        }
        (([sum, before, self.apart(value)], none), true)
    }
}
