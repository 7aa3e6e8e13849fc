//! The truth: moments and their derivatives by truncated moments of the Normal density, in many
//! bits.
//!
//! With z = (u − γ)/ξ, the line is cut at the knots and at z = 0. Each segment is seen from its
//! end next to 0, where the density is largest: its integrals are differences of tails there and
//! at the far end or, if it is short, a series. The variance is that of h = g − c with c a value
//! of g on the piece that holds most of the mass, so that it does not cancel. The derivatives of the
//! mean are those of the polynomials and of the jumps, term by term, so that they are right relative
//! to E|g′| and E|g″|, how small these may be; those of the variance are expectations with Hermite
//! polynomials, right relative to the variance.

use crate::function::{Function, cleaned};
use crate::polynomial::{Polynomial, derivative, powers, product, square, taylor, value};
use crate::real::{Real, TABLE, exponent, float, integer, one, to_f64, to_pair, zero};
use crate::scales;
use crate::segment::{Edge, End, Jump, Segment};
use crate::tails::Tails;

/// Segments that are shorter are integrated by a series.
const SHORT: f64 = 0.0625;

/// The seven results, in the order of `MomentsGrad::to_array`, and what their errors are measured
/// against.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Mean, second moment, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ, ∂variance/∂ξ².
    pub values: [Real; 7],
    /// E|g|, E|g′|, ½ E|g″|, with jumps, to three digits; the variance over ξ and ξ².
    pub scales: [f64; 5],
}

impl Truth {
    /// The values as sums of two doubles.
    #[must_use]
    pub fn pairs(&self) -> [[f64; 2]; 7] {
        std::array::from_fn(|i| to_pair(&self.values[i]))
    }
}

/// Computes truth; keeps what many points share.
#[derive(Debug)]
pub struct Oracle {
    tails: Tails,
}

impl Default for Oracle {
    fn default() -> Self {
        Self::new(256)
    }
}

impl Oracle {
    /// With so many bits; 256 suffice, see the tests.
    #[must_use]
    pub fn new(bits: u64) -> Self {
        Self { tails: Tails::new(bits) }
    }

    /// The moments of g(u), u ~ N(γ, ξ²), for ξ² > 0, or ξ² = 0 and γ not on a knot.
    #[must_use]
    pub fn truth(&self, g: &Function, gamma: f64, xi2: f64) -> Truth {
        let place = Place::new(g, gamma, xi2, self.tails.bits());
        if xi2 == 0.0 { place.at_zero_variance() } else { place.truth(&self.tails) }
    }
}

/// γ and ξ among the knots.
struct Place<'a> {
    g: &'a Function,
    bits: u64,
    gamma: Real,
    xi: Real,
    xi2: Real,
    /// The powers of ξ.
    powers: Vec<Real>,
    /// The piece that γ lies on.
    home: usize,
    /// The Taylor coefficients of that piece at γ, to many bits.
    local: Polynomial,
}

impl<'a> Place<'a> {
    fn new(g: &'a Function, gamma: f64, xi2: f64, bits: u64) -> Self {
        let gamma = float(gamma, bits);
        let xi2 = float(xi2, bits);
        let home = g.knots.iter().filter(|knot| **knot <= gamma).count();
        let local = taylor(&g.pieces[home], &gamma.with_precision(TABLE));
        let xi = xi2.sqrt();
        let powers = powers(&xi, g.degree());
        Self { g, bits, xi, gamma, xi2, powers, home, local }
    }

    fn at_zero_variance(&self) -> Truth {
        let at = |k: usize| {
            self.local.get(k).map_or_else(|| zero(self.bits), |c| c.with_precision(self.bits))
        };
        let [mean, slope, half] = [0, 1, 2].map(at);
        let [a, b, c] = [&mean, &slope, &half].map(|x| to_f64(x).abs());
        let scales = [a, b, c, 0.0, 0.0];
        let zero = zero(self.bits);
        let [second, by_xi2] = [&mean * &mean, &slope * &slope];
        let values = [mean, second, zero.clone(), slope, half, zero, by_xi2];
        Truth { values, scales }
    }

    fn truth(&self, tails: &Tails) -> Truth {
        let bits = self.bits;
        let edge =
            |knot: &Real| Edge::new(tails, &(knot - &self.gamma).with_precision(bits) / &self.xi);
        let edges: Vec<Edge> = self.g.knots.iter().map(edge).collect();
        let centre = Edge::new(tails, zero(bits));
        let anchor = Anchor::new(self, &edges);
        let segments = self.segments(&centre, &edges, &anchor);
        let jumps = self.jumps(&edges);
        let mut total = Sums::new(bits);
        for segment in &segments {
            total.add(tails, segment);
        }
        for jump in &jumps {
            total.jump(jump);
        }
        let Sums { h, dh, ddh, zh, zzh, hh, zhh, zzhh } = total;
        let c = anchor.value.with_precision(bits);
        let [half, two] = [float(0.5, bits), float(2.0, bits)];
        let mean = &c + &h;
        let variance = &hh - &(&h * &h);
        let second = &variance + &(&mean * &mean);
        let by_gamma = &zhh - &(&two * &(&h * &zh));
        let by_xi2 = &(&zzhh * &half) - &(&h * &zzh);
        let [over_xi, over_xi2] = [&variance / &self.xi, &variance / &self.xi2];
        let [g, dg, ddg] = scales::scales(&segments, &jumps, to_f64(&self.xi), to_f64(&self.xi2));
        let scales = [g, dg, ddg, to_f64(&over_xi), to_f64(&over_xi2)];
        let values = [
            mean,
            second,
            variance,
            &dh / &self.xi,
            &(&ddh * &half) / &self.xi2,
            &by_gamma / &self.xi,
            &by_xi2 / &self.xi2,
        ];
        Truth { values, scales }
    }

    /// A polynomial in u as one in units of ξ, odd powers turned for the left.
    fn in_units(&self, p: &[Real], left: bool) -> Polynomial {
        let terms = p.iter().zip(&self.powers).enumerate().map(|(k, (c, power))| {
            let term = &c.with_precision(self.bits) * power;
            if left && k % 2 == 1 { -term } else { term }
        });
        terms.collect()
    }

    fn segments<'e>(
        &self,
        centre: &'e Edge,
        edges: &'e [Edge],
        anchor: &Anchor<'_>,
    ) -> Vec<Segment<'e>> {
        let mut out = Vec::new();
        for left in [false, true] {
            let (mut near, mut piece) = (None, self.home);
            loop {
                let far = if left { piece.checked_sub(1) } else { Some(piece) };
                let far = far.filter(|i| *i < edges.len() && !edges[*i].is_far());
                let segment = self.segment(centre, edges, anchor, left, piece, [near, far]);
                if segment.far.as_ref().is_none_or(|(_, width)| !width.is_zero()) {
                    out.push(segment);
                }
                if far.is_none() {
                    break;
                }
                near = far;
                piece = if left { piece - 1 } else { piece + 1 };
            }
        }
        out
    }

    /// The part of a piece on one side of γ, from knot to knot. Without a near knot it begins at γ.
    fn segment<'e>(
        &self,
        centre: &'e Edge,
        edges: &'e [Edge],
        anchor: &Anchor<'_>,
        left: bool,
        piece: usize,
        [near, far]: [Option<usize>; 2],
    ) -> Segment<'e> {
        let at = |knot: Option<usize>| {
            let (mut p, offset) = match knot {
                None => (self.local.clone(), anchor.at_gamma(self)),
                Some(i) => {
                    let side = usize::from(piece > i);
                    (self.g.sides[i][side].clone(), anchor.at_knot(self, i, side))
                }
            };
            let g = self.in_units(&p, left);
            p[0] = offset;
            let edge = knot.map_or(centre, |i| &edges[i]);
            (g, End { edge, h: self.in_units(&p, left) })
        };
        let (g, end) = at(near);
        let far = far.map(|i| {
            let knots = &self.g.knots;
            let width = near.map_or_else(
                || edges[i].distance.clone(),
                // Not a difference of distances: far out it would be lost.
                |near| &(&knots[i] - &knots[near]).abs().with_precision(self.bits) / &self.xi,
            );
            (at(Some(i)).1, width)
        });
        Segment { left, near: end, far, g }
    }

    fn jumps<'e>(&self, edges: &'e [Edge]) -> Vec<Jump<'e>> {
        let near = edges.iter().enumerate().filter(|(_, edge)| !edge.is_far());
        let jump = |(i, edge): (usize, &'e Edge)| {
            let two = |p: &[Real]| {
                let p = self.in_units(&p[..p.len().min(2)], false);
                [0, 1].map(|k| p.get(k).cloned().unwrap_or_else(|| zero(self.bits)))
            };
            Jump { edge, by: two(&self.g.jumps[i]) }
        };
        near.map(jump).collect()
    }
}

/// The constant that is subtracted from g: its value at a point of the piece that holds most of the mass.
struct Anchor<'a> {
    value: Real,
    /// γ itself, or the side of a knot.
    side: Option<&'a Polynomial>,
}

impl<'a> Anchor<'a> {
    fn new(place: &Place<'a>, s: &[Edge]) -> Self {
        let above = |i: usize| 0.5 * libm::erfc(to_f64(&s[i].s) / std::f64::consts::SQRT_2);
        let mass = |piece: usize| {
            let from = piece.checked_sub(1).map_or(1.0, above);
            let to = if piece < s.len() { above(piece) } else { 0.0 };
            from - to
        };
        let heaviest =
            (0..=s.len()).max_by(|a, b| mass(*a).total_cmp(&mass(*b))).unwrap_or(place.home);
        let sides = &place.g.sides;
        let side = match heaviest.cmp(&place.home) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(&sides[heaviest - 1][1]),
            std::cmp::Ordering::Less => Some(&sides[heaviest][0]),
        };
        let value = side.map_or_else(|| place.local[0].clone(), |side| side[0].clone());
        Self { value, side }
    }

    /// h(γ).
    fn at_gamma(&self, place: &Place<'_>) -> Real {
        if self.side.is_none() { zero(TABLE) } else { &place.local[0] - &self.value }
    }

    /// h on one side of a knot.
    fn at_knot(&self, place: &Place<'_>, knot: usize, side: usize) -> Real {
        let sides = &place.g.sides;
        let value = &sides[knot][side][0];
        if self.side.is_some() {
            return cleaned(value - &self.value);
        }
        // By way of the nearer end of the piece of γ, from which γ may be a distance that is lost
        // in the values.
        let home = place.home;
        let (end, inner) = if knot >= home { (home, 0) } else { (home - 1, 1) };
        let across = cleaned(value - &sides[end][inner][0]);
        let distance = &place.g.knots[end] - &place.gamma.with_precision(TABLE);
        let rise = &value_without_constant(&place.local, &distance) * &distance;
        &across + &rise
    }
}

/// (p(x) − p(0))/x.
fn value_without_constant(p: &[Real], x: &Real) -> Real {
    value(&p[1..], x)
}

/// The integrals of h, h′, h″, z h, (z² − 1) h, h², z h², (z² − 1) h² with the density, derivatives
/// in z.
struct Sums {
    h: Real,
    dh: Real,
    ddh: Real,
    zh: Real,
    zzh: Real,
    hh: Real,
    zhh: Real,
    zzhh: Real,
}

impl Sums {
    fn new(bits: u64) -> Self {
        let [h, dh, ddh, zh, zzh, hh, zhh, zzhh] = std::array::from_fn(|_| zero(bits));
        Self { h, dh, ddh, zh, zzh, hh, zhh, zzhh }
    }

    fn add(&mut self, tails: &Tails, segment: &Segment<'_>) {
        let [h, dh, ddh, zh, zzh, hh, zhh, zzhh] = integrals(tails, segment);
        let turned = |x: Real| if segment.left { -x } else { x };
        self.h += h;
        self.dh += turned(dh);
        self.ddh += ddh;
        self.zh += turned(zh);
        self.zzh += zzh;
        self.hh += hh;
        self.zhh += turned(zhh);
        self.zzhh += zzhh;
    }

    /// E[f′] has [f] φ, and E[f″] has ([f′] + s [f]) φ.
    fn jump(&mut self, jump: &Jump<'_>) {
        let Jump { edge: Edge { s, density, .. }, by: [by, slope] } = jump;
        self.dh += by * density;
        self.ddh += &(slope + &(s * by)) * density;
    }
}

/// Of h, h′, h″, z h, (z² − 1) h, h², z h², (z² − 1) h², z away from γ.
fn integrals(tails: &Tails, segment: &Segment<'_>) -> [Real; 8] {
    let bits = tails.bits();
    let all = |end: &End<'_>| {
        let s = &end.edge.distance;
        let z = [s.clone(), one(bits)];
        let mut zz = square(&z);
        zz[0] -= one(bits);
        let hh = square(&end.h);
        let dh = derivative(&end.h);
        [
            end.h.clone(),
            dh.clone(),
            derivative(&dh),
            product(&end.h, &z),
            product(&end.h, &zz),
            hh.clone(),
            product(&hh, &z),
            product(&hh, &zz),
        ]
    };
    let dot = |p: &[Real], moments: &[Real]| {
        p.iter().zip(moments).fold(zero(bits), |sum, (a, b)| &sum + &(a * b))
    };
    let n = 2 * segment.near.h.len();
    let near = all(&segment.near);
    let start = segment.near.edge;
    let Some((end, width)) = &segment.far else {
        return near.map(|p| dot(&p, start.tails(tails, n)));
    };
    if to_f64(width) < SHORT {
        let moments = short(start, end.edge, width, n);
        return near.map(|p| dot(&p, &moments));
    }
    let far = all(end);
    std::array::from_fn(|i| {
        &dot(&near[i], start.tails(tails, n)) - &dot(&far[i], end.edge.tails(tails, n))
    })
}

/// ∫₀^δ wᵏ φ(s + w) dw for k up to n: a series for the two highest, backward recurrence with
/// positive terms for the others.
fn short(near: &Edge, far: &Edge, width: &Real, n: usize) -> Vec<Real> {
    let s = &near.distance;
    let bits = s.precision();
    let powers = powers(width, n + 1);
    // φ(s + w)/φ(s) = Σ eₘ wᵐ, with the powers of δ kept in the coefficients.
    let (mut before, mut e) = (zero(bits), near.density.clone());
    let mut sums = [zero(bits), zero(bits)];
    let [scaled, squared] = [s * width, width * width];
    let least = exponent(&e) - i64::try_from(bits).unwrap_or(i64::MAX) - 16;
    for m in 0.. {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = &*sum + &(&e / &integer(m + n + i, 64));
        }
        let next = -(&(&(&scaled * &e) + &(&squared * &before)) / &integer(m + 1, 64));
        before = std::mem::replace(&mut e, next);
        if exponent(&e).max(exponent(&before)) < least {
            break;
        }
    }
    let mut out = vec![zero(bits); n + 1];
    out[n - 1] = &sums[0] * &powers[n];
    out[n] = &sums[1] * &powers[n + 1];
    for k in (1..n).rev() {
        let edge = &powers[k] * &far.density;
        out[k - 1] = &(&(&out[k + 1] + &(s * &out[k])) + &edge) / &integer(k, 64);
    }
    out
}
