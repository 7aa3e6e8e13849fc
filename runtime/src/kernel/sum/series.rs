//! Integrals over a narrow piece, by series.
//!
//! With τ from −1 to 1 over the piece, z₀ its middle and a half its width, both in units of ξ, and y = z₀a, the density there
//! is φ(z₀) e^(−a²/2) · e^(−yτ − a²(τ² − 1)/2). Where e^(−yτ) is expanded in powers of y, the integrals of τᵏ against the second
//! factor, halved, are
//!
//! ```text
//! J_k = (−1)ᵏ Σ_i k!/(i! (k−2i)! 2ⁱ) y^{k−2i} F_{k−i},     F_j = Σ_m (y²/2)ᵐ/m! M_{m+j},
//! ```
//!
//! with M_n the integral of τ²ⁿ e^(−a²(τ² − 1)/2) from 0 to 1, divided by (2n − 1)!!. Integration by parts gives
//! M_n = 1/(2n + 1)!! + a² M_{n+1}, which is used from the highest n down. All terms are positive, and on a narrow piece
//! |y| and a² are at most half the limit of the exponent. A term takes one fused multiplication.
//!
//! Error: a few units in the last place of each J_k. The terms that the series leave out are less than half a unit.

use super::element::{Distance, Element};
use super::knot::{Beyond, dot};
use super::level::{Levels, Truncated};
use super::rows::{Piece, Span};
use super::{MAX_DEGREE, SHIFTS_MOST, Sums};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::number::number;
use crate::lanes::{Lanes, Mask, Work};

/// J_0 … J_10: the square of a polynomial times the highest Hermite polynomial.
const COUNT: usize = 2 * MAX_DEGREE + SHIFTS_MOST;
/// No index of M_n is as large.
const LONGEST: usize = 32;

/// 1/(2n + 1)!! for each n.
const INVERSE_FACTORIALS: [f64; LONGEST] = {
    let mut inverse = [1.0; LONGEST];
    let mut n = 1;
    while n < LONGEST {
        inverse[n] = inverse[n - 1] / (2 * n + 1) as f64;
        n += 1;
    }
    inverse
};

/// k!/(i! (k−2i)! 2ⁱ), the number of ways to pair 2i of k things.
const fn pairings(k: usize, i: usize) -> f64 {
    let (mut product, mut n) = (1.0, 0);
    while n < i {
        product *= ((k - 2 * n) * (k - 2 * n - 1)) as f64 / (2 * (n + 1)) as f64;
        n += 1;
    }
    product
}

/// The lengths of the series for J_0 … J_highest, on a piece over which the exponent changes by less than a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// The highest m in each F_j.
    pub(super) last: [usize; COUNT],
    /// The n of the highest M_n, for which 1/(2n + 1)!! is taken.
    pub(super) start: usize,
}

impl Lengths {
    /// Lengths for which the remainder is less than `least` relative to the J_k that it belongs to.
    const fn new(limit: f64, least: f64, highest: usize) -> Self {
        // Of |y| and of a².
        let bound = 0.5 * limit;
        let mut lengths = Self { last: [0; COUNT], start: 0 };
        let mut j = 0;
        while j <= highest {
            // By how much F_j comes into the J_k, beside which it counts.
            let (mut weight, mut k) = (0.0, j);
            // F_j is the term i = k − j of J_k, of which J_k has those with 2i ≤ k.
            while k <= highest && k <= 2 * j {
                let (mut share, mut power) = (pairings(k, k - j), 2 * j - k);
                // J_k of an odd k has a factor y.
                let size = if k % 2 == 0 { k + 1 } else { k + 2 };
                power -= k % 2;
                while power > 0 {
                    share *= bound;
                    power -= 1;
                }
                share *= size as f64;
                weight = if share > weight { share } else { weight };
                k += 1;
            }
            if j == 0 {
                weight = 1.0;
            }
            let (mut m, mut power) = (0, weight);
            loop {
                power *= bound * bound / (2 * (m + 1)) as f64;
                if power * INVERSE_FACTORIALS[m + 1 + j] < least {
                    break;
                }
                m += 1;
            }
            lengths.last[j] = m;
            if lengths.start < m + j {
                lengths.start = m + j;
            }
            j += 1;
        }
        // What is left out of M_n comes into M_0 with its power of a², and into the others alike.
        let (mut n, mut power) = (0, 1.0);
        while n <= lengths.start {
            power *= bound;
            n += 1;
        }
        while power * INVERSE_FACTORIALS[lengths.start + 1] > least * INVERSE_FACTORIALS[highest] {
            power *= bound;
            lengths.start += 1;
        }
        lengths
    }
}

/// The lengths for an accuracy, for degree D and integrals that are shifted up to SHIFTS times.
struct Of<A, const D: usize, const SHIFTS: usize>(A);

impl<A: Accuracy, const D: usize, const SHIFTS: usize> Of<A, D, SHIFTS> {
    const LIMIT: f64 = A::NARROW[if D == 1 { 0 } else { 1 }];
    const LENGTHS: Lengths = Lengths::new(Self::LIMIT, A::SERIES_END, 2 * D + SHIFTS - 1);
}

/// A bounded piece seen from γ.
///
/// The piece is wide or narrow. If its row has two parts, the nearer part may be narrow and the other one wide.
pub(super) struct Inner<V: Lanes> {
    row: Piece<Option<V>>,
    /// Half the width in units of ξ.
    pub(super) half: V,
    /// The lanes in which the piece is wide, or one part of it.
    pub(super) is_wide: V::Mask,
    /// The lanes in which the piece is wide at its left end, and at its right end.
    pub(super) wide: [V::Mask; 2],
    /// The lanes in which the piece is narrow, or its nearer part.
    pub(super) narrow: V::Mask,
    /// The lanes in which γ is on the piece.
    pub(super) is_around: V::Mask,
    /// Where it is to the right of γ.
    is_right: V::Mask,
    /// Where its parts meet, if it has two.
    seam: Option<Seam<V>>,
}

/// Where the parts of a piece meet, seen from γ.
#[derive(Clone, Copy)]
struct Seam<V: Lanes> {
    distance: Distance<V>,
    /// Where it is to the right of γ.
    is_right: V::Mask,
    /// Half the width of the nearer part in units of ξ.
    half: V,
    /// Where only that is narrow.
    mixed: V::Mask,
}

impl<V: Lanes> Inner<V> {
    /// The piece between two knots at these distances from γ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new<const D: usize>(
        row: Piece<Option<V>>,
        [left, right]: [Distance<V>; 2],
        element: &Element<V>,
    ) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        let half = row.whole.half.unwrap_or(zero) * element.inverse;
        let nearest = left.high.max(-right.high).max(zero);
        let apart = nearest * element.inverse;
        let limit = number::<V>(const { 0.5 * Of::<V::Accuracy, D, 1>::LIMIT });
        // From the near end to the far one the exponent changes by 2 half (half + apart).
        let mut is_wide = limit.le(half * (half + apart));
        if V::GENERAL {
            // 1/ξ is finite at ξ = 0, so that a subnormal width would be narrow.
            is_wide = is_wide.or(element.has_no_variance);
        }
        let is_right = zero.lt(left.high);
        let is_around = is_right.not().and(zero.lt(right.high));
        let (mut wide, mut narrow, mut seam) = ([is_wide; 2], is_wide.not(), None);
        if let Some(cut) = &row.cut {
            let distance = Distance::new(element.gamma, cut.at);
            let is_right = zero.lt(distance.high);
            let [left, right] = &cut.parts;
            let (left, right) = (left.half.unwrap_or(zero), right.half.unwrap_or(zero));
            let half = V::select(is_right, left, right) * element.inverse;
            let mut mixed = is_wide.and((half * (half + apart)).lt(limit));
            if V::GENERAL {
                mixed = mixed.and(element.has_no_variance.not());
            }
            wide = [
                is_wide.and(mixed.and(is_right).not()),
                is_wide.and(mixed.and(is_right.not()).not()),
            ];
            narrow = narrow.or(mixed);
            seam = Some(Seam { distance, is_right, half, mixed });
        }
        Self { row, half, is_wide, wide, narrow, is_around, is_right, seam }
    }

    /// A value of the piece: where it is narrow, that in its middle, and elsewhere the one at its near end, from the values at both
    /// ends.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn value(&self, [left, right]: [[V; 2]; 2]) -> [V; 2] {
        let mut value = left;
        for w in 0..2 {
            let near = V::select(self.is_right, left[w], right[w]);
            let middle = self.row.whole.value[w].unwrap_or(V::splat(V::Scalar::ZERO));
            value[w] = V::select(self.is_wide, near, middle);
        }
        value
    }

    /// The stretch that is narrow, with half its width in units of ξ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn span(&self) -> (Span<Option<V>>, V) {
        let (Some(Seam { mixed, is_right, half, .. }), Some(cut)) = (&self.seam, &self.row.cut)
        else {
            return (self.row.whole, self.half);
        };
        let nearer = Span::select(*is_right, cut.parts[0], cut.parts[1]);
        (Span::select(*mixed, nearer, self.row.whole), V::select(*mixed, *half, self.half))
    }

    /// The sums with those of the piece where it is narrow, and of the seam where the farther part is wide.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<const D: usize, const SHIFTS: usize>(
        self,
        levels: &Levels<V>,
        element: &Element<V>,
        mut sums: Sums<V>,
    ) -> Sums<V> {
        if let (Some(Seam { distance, mixed, .. }), Some(cut)) = (&self.seam, &self.row.cut) {
            let (side, distance, mask) = (&cut.side, *distance, *mixed);
            sums = Beyond { side, distance, mask, levels, element, sums }.add::<D, SHIFTS>();
        }
        struct Add<'a, V: Lanes, const D: usize, const SHIFTS: usize> {
            inner: Inner<V>,
            levels: &'a Levels<V>,
            element: &'a Element<V>,
            sums: Sums<V>,
        }
        impl<V: Lanes, const D: usize, const SHIFTS: usize> Work for Add<'_, V, D, SHIFTS> {
            type Output = Sums<V>;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn run(self) -> Sums<V> {
                let Self { inner, levels, element, mut sums } = self;
                inner.added::<D, SHIFTS>(levels, element, &mut sums);
                sums
            }
        }
        V::if_any(self.narrow, Add::<V, D, SHIFTS> { inner: self, levels, element, sums }, sums)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn added<const D: usize, const SHIFTS: usize>(
        &self,
        levels: &Levels<V>,
        element: &Element<V>,
        sums: &mut Sums<V>,
    ) {
        let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
        let (span, half) = self.span();
        let [middle, middle_low] = span.middle;
        let distance = Distance::new(element.gamma, [middle, middle_low, None]);
        // Where the piece is wide, or nothing is left of the density, anything finite.
        let limit = const { Of::<V::Accuracy, D, SHIFTS>::LIMIT };
        let half = half.min(number(root_of(0.5 * limit)));
        let far = number::<V>(1e6);
        let z = (distance.high * element.inverse).min(far).max(-far);
        // Half the limit on a narrow piece, and some room for rounding.
        let most = number::<V>(0.525 * limit);
        let y = (z * half).min(most).max(-most);
        let square = half * half;
        let integrals = integrals::<V, D, SHIFTS>(y, square);
        let density = element.density(&distance, Some(square));
        let mut scale = V::select(self.narrow, density * (half + half), zero);
        let from = levels.on(self.is_right);
        let value = from.below(span.value);
        let Span { mean, square: squares, .. } = &span;
        // Of the Hermite polynomials of z + aτ, in powers of aτ.
        let mut hermite = [one; SHIFTS_MOST];
        hermite[1] = z;
        for q in 2..SHIFTS {
            let less = number::<V>((q - 1) as f64) * hermite[q - 2];
            hermite[q] = z.mul_sub(hermite[q - 1], less);
        }
        for q in 0..SHIFTS {
            let mut truncated: Option<Truncated<V>> = None;
            let mut power = one;
            for t in 0..=q {
                let part = Truncated {
                    mass: integrals[t],
                    mean: dot(mean, D, &integrals, 1 + t),
                    square: dot(squares, 2 * D - 1, &integrals, 2 + t),
                };
                let factor = if t == 0 {
                    (q > 0).then_some(hermite[q])
                } else {
                    power = if t == 1 { half } else { power * half };
                    let binomial = binomial(q, t);
                    let factor =
                        if binomial == 1.0 { power } else { number::<V>(binomial) * power };
                    Some(if t == q { factor } else { factor * hermite[q - t] })
                };
                truncated = Some(part.plus(factor, truncated));
            }
            if let Some(truncated) = truncated {
                truncated.add(&from, value, scale, sums, q);
            }
            // A shift is a derivative in γ: He_q/ξ^q.
            scale = scale * element.inverse;
        }
    }
}

/// The binomial coefficient.
const fn binomial(n: usize, k: usize) -> f64 {
    let (mut product, mut i) = (1.0, 0);
    while i < k {
        product = product * (n - i) as f64 / (i + 1) as f64;
        i += 1;
    }
    product
}

/// √x to a few digits more than it matters.
const fn root_of(x: f64) -> f64 {
    let (mut root, mut i) = (1.0, 0);
    while i < 40 {
        root = 0.5 * (root + x / root);
        i += 1;
    }
    root
}

/// J_0 … from y and a².
#[cfg_attr(not(debug_assertions), inline(always))]
fn integrals<V: Lanes, const D: usize, const SHIFTS: usize>(y: V, square: V) -> [V; COUNT] {
    let Lengths { last, start } = const { Of::<V::Accuracy, D, SHIFTS>::LENGTHS };
    let count = 2 * D + SHIFTS;
    let zero = V::splat(V::Scalar::ZERO);
    let y_square = y * y;
    let mut ratios = [zero; LONGEST];
    for m in 0..last[0] {
        ratios[m] = y_square * number(0.5 / (m + 1) as f64);
    }
    // M_n from the highest n down, each with its terms of all F_j. The compiler keeps in registers what has constant indices: these.
    const { assert!(LONGEST == 32 && COUNT == 11) };
    let (mut moment, mut f) = (zero, [zero; COUNT]);
    macro_rules! term {
        ($n:literal: $($j:literal)*) => {
            $(if $j < count && $j < $n + 1 {
                if $n == last[$j] + $j {
                    f[$j] = moment;
                } else if $n < last[$j] + $j {
                    f[$j] = ratios[$n - $j].mul_add(f[$j], moment);
                }
            })*
        };
    }
    macro_rules! take {
        ($($n:literal)*) => {
            $(if $n < start + 1 {
                let least = number(INVERSE_FACTORIALS[$n]);
                moment = if $n == start { least } else { square.mul_add(moment, least) };
                term!($n: 0 1 2 3 4 5 6 7 8 9 10);
            })*
        };
    }
    take!(31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0);
    let mut integrals = [f[0]; COUNT];
    for k in 1..count {
        let mut sum = f[k];
        for i in 1..=k / 2 {
            let pairings = pairings(k, i);
            let term = if pairings == 1.0 { f[k - i] } else { number::<V>(pairings) * f[k - i] };
            sum = sum.mul_add(y_square, term);
        }
        integrals[k] = if k % 2 == 1 { -(y * sum) } else { sum };
    }
    integrals
}
