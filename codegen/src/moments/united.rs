//! All pieces that γ may lie on at once: for functions of degree 1 with one knot, and for continuous ones with
//! two.
//!
//! The sums around each piece have the same form, and differ in coefficients only. So coefficients are selected by
//! the piece that γ lies on, instead of results, and the sums over tails stand there once. With Q₀ = g(γ) and r =
//! q(t) − Q₀ at a knot t,
//!
//! - where no piece is narrow, T = g − q beyond a knot jumps by the difference d of its two sides, and
//!   T (T + 2(q − Q₀)) = (g − Q₀)² − (q − Q₀)² by d (e + e′) with the distances e, e′ of the sides from Q₀;
//! - where the bounded one is, there are tails beyond its ends only, of T, and T is integrated over it. With γ
//!   on it, q is the constant Q₀.

use gaussform_symbolic::exact::{integer, ratio};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::parts::{Parts, half_of_second};
use super::variance::Squares;
use super::{Fluxes, Lowering, accumulate, order};
use crate::builder::{Builder, constant, input, zero};
use crate::ir::{Condition, Input, Operand, Product};
use crate::quantity::{Moment, Quantity};
use crate::tail::{Beyond, derivatives, products};
use crate::xi_term::XiTerm;

/// The bounded piece, if there are three.
const MIDDLE: usize = 1;

/// A straight line near a knot: its value there and its slope.
type Line = [Operand; 2];

impl Lowering<'_> {
    /// Whether the pieces that γ may lie on are computed at once: where each needs the same care. On a narrow
    /// piece, if g is continuous and does not turn back, T has both signs around γ, so that E\[T\]² ≤ ½ E\[T²\];
    /// beyond jumps to both of its sides it may have one, and the difference would cancel.
    pub(super) fn can_unite(&self) -> bool {
        let function = &self.activation().function;
        if self.contributions.degree() != 1 || !self.parameters().is_empty() {
            return false;
        }
        match function.knots().len() {
            1 => true,
            2 => function.is_continuous(),
            _ => false,
        }
    }

    /// The results.
    pub(super) fn united(&self, b: &mut Builder, fluxes: &Fluxes) -> Vec<Operand> {
        let pieces = self.activation().function.pieces();
        let value = self.by_piece(b, |b, i| self.contributions.at_gamma(b, i, &pieces[i]));
        let sums = match pieces {
            [_, _] => self.wide_sums(b, fluxes),
            _ => b.branch(Condition::Narrow(MIDDLE), 2, |b, arm| match arm {
                0 => self.narrow_sums(b, fluxes),
                _ => self.wide_sums(b, fluxes),
            }),
        };
        // Sums have what is left of the moments in their places.
        let place = |moment| self.place(Quantity::Moment(moment)).expect("always computed");
        let [mean, variance] = [Moment::Mean, Moment::Variance].map(place);
        let (mut results, rise) = (sums.clone(), &sums[mean]);
        let less = b.multiply(rise.clone(), rise.clone());
        results[mean] = b.add(value, rise.clone());
        results[variance] = b.subtract(sums[variance].clone(), less);
        results
    }

    /// The quantities, but E\[T\] for the mean, and for the variance the sum of it and the square of E\[T\].
    fn wide_sums(&self, b: &mut Builder, fluxes: &Fluxes) -> Vec<Operand> {
        let function = &self.activation().function;
        let count = self.orders();
        let mut slopes: Vec<XiTerm> = fluxes.own.iter().take(count).cloned().collect();
        let [mut f, mut from_slopes] = [vec![XiTerm::zero(); count], vec![XiTerm::zero(); count]];
        for (knot, sides) in function.pieces().windows(2).enumerate() {
            let [left, right] = sides else { unreachable!("windows of two") };
            let jump = self.line(b, knot, &(right - left)).to_vec();
            let middle = (left + right).scale(&ratio(1, 2));
            // Half the sum of both sides, less Q₀.
            let level = self.by_piece(b, |b, i| {
                let rise = self.rise(b, knot, i);
                let [from_q, _] = self.line(b, knot, &(&middle - &function.pieces()[i]));
                b.add(from_q, rise)
            });
            let [_, slope] = self.line(b, knot, &middle);
            let parts = derivatives(b, knot, Beyond::Away, &jump, count);
            accumulate(b, &mut slopes, parts);
            // The same power of ξ at both knots is multiplied in once.
            let parts = products(b, knot, Beyond::Away, &[jump.clone(), vec![level]], count);
            accumulate(b, &mut f, parts);
            let parts = products(b, knot, Beyond::Away, &[jump, vec![zero(), slope]], count);
            accumulate(b, &mut from_slopes, parts);
        }
        accumulate(b, &mut f, from_slopes);
        // The factors were half of e + e′.
        let f: Vec<XiTerm> = f.into_iter().map(|half| half.scale(b, &integer(2))).collect();
        let slope = self.all(|i| self.slope(b, i));
        // Straight pieces have no curvature.
        self.sums(b, &slope, &slopes, &slopes, &f, fluxes.own.get(2))
    }

    fn narrow_sums(&self, b: &mut Builder, fluxes: &Fluxes) -> Vec<Operand> {
        let count = self.orders();
        let ends = [(0, 0, Beyond::Left), (1, 2, Beyond::Right)];
        let beyond = ends.map(|(knot, piece, _)| self.factors(b, knot, piece));
        let [t, level] = self.middle_factors(b);
        let mut slopes: Vec<XiTerm> = fluxes.own.iter().take(count).cloned().collect();
        for ((knot, _, beyond), [t, _]) in ends.iter().zip(&beyond) {
            let parts = derivatives(b, *knot, *beyond, t, count);
            accumulate(b, &mut slopes, parts);
        }
        let slope = self.by_piece(b, |b, i| {
            let pieces = self.activation().function.pieces();
            // With γ on it, q is a constant.
            let own = if i == MIDDLE { Polynomial::zero() } else { pieces[i].clone() };
            let slope = (&pieces[MIDDLE] - &own).derivative(&Symbol::Variable);
            self.contributions.coefficient(b, &slope)
        });
        // Times 1, the product is T itself.
        let number = Product { first: t.clone(), second: vec![constant(1)], less: zero() };
        let integral = b.integrate(MIDDLE, number, 1).remove(0);
        let probability = b.multiply(slope, input(Input::Integral(MIDDLE, 0)));
        // Straight pieces have no second derivative, so there are two terms at the most.
        for (sum, term) in slopes.iter_mut().zip([integral, probability]) {
            *sum = sum.clone().plus(b, XiTerm::dense(term, 0));
        }
        // What E\[T\] is multiplied with in the derivatives of the variance goes into the products.
        let rise = slopes[0].clone().finish(b);
        let rise = b.seen(rise);
        let less = b.scale(rise, &integer(2));
        let product = Product { first: t, second: level, less: less.clone() };
        let sums = b.integrate(MIDDLE, product, count).into_iter().enumerate();
        let mut f: Vec<XiTerm> = sums.map(|(k, sum)| XiTerm::dense(sum, -order(k))).collect();
        for ((knot, _, beyond), [t, level]) in ends.iter().zip(beyond) {
            // Order 0 takes the whole second factor. Beyond it, that is less twice the rise.
            let mut parts = products(b, *knot, *beyond, &[t.to_vec(), level.to_vec()], 1);
            let [value, slope] = level;
            let level = vec![b.subtract(value, less.clone()), slope];
            let rest = products(b, *knot, *beyond, &[t.to_vec(), level], count);
            parts.extend(rest.into_iter().skip(1));
            accumulate(b, &mut f, parts);
        }
        let slope = self.all(|i| if i == MIDDLE { zero() } else { self.slope(b, i) });
        let curvature = (count > 1).then(|| self.narrow_curvature(b));
        self.sums(b, &slope, &slopes, &vec![XiTerm::zero(); count], &f, curvature.as_ref())
    }

    /// ∂²E\[g\]/∂γ²: the bends of g at both knots times their densities, which nearly cancel where g is the same on
    /// both sides of the piece. So it is the sum of the bends times one of the densities, and one bend
    /// times the difference of the densities, which is the integral of z over the piece.
    fn narrow_curvature(&self, b: &mut Builder) -> XiTerm {
        let function = &self.activation().function;
        let [left, middle, right] = function.pieces() else { unreachable!("three pieces") };
        let slope = |b: &mut Builder, p: &Polynomial| {
            self.contributions.coefficient(b, &p.derivative(&Symbol::Variable))
        };
        let [first, both] = [middle - left, right - left].map(|p| slope(b, &p));
        let width = &function.knots()[1].polynomial() - &function.knots()[0].polynomial();
        let width = self.contributions.coefficient(b, &width);
        let [start, end] = [0, 1].map(|knot| input(Input::SignedDistance(knot)));
        let places = b.add(start, end);
        let length = b.multiply(width, input(Input::InverseXi));
        let [constant, linear] = [0, 1].map(|j| input(Input::Integral(MIDDLE, j)));
        let constant = b.multiply(places, constant);
        let linear = b.multiply(length, linear);
        let twice = b.add(constant, linear);
        let half = b.scale(first, &ratio(1, 2));
        let difference = b.multiply(half, twice);
        let rest = b.multiply(both, input(Input::Density(1)));
        let bends = b.add(difference, rest);
        XiTerm::dense(bends, -1)
    }

    /// The sums from the slopes of q on the pieces, E\[T⁽ᵏ⁾\], what is left of E\[T He_k(z)\]/ξᵏ, and
    /// E\[f He_k(z)\]/ξᵏ; and the second derivative of E\[g\].
    fn sums(
        &self,
        b: &mut Builder,
        slope: &[Operand],
        slopes: &[XiTerm],
        t: &[XiTerm],
        f: &[XiTerm],
        curvature: Option<&XiTerm>,
    ) -> Vec<Operand> {
        let rise = slopes[0].clone().finish(b);
        // Selected as a product, which mostly is ξ² or 0.
        let variance = self.by_piece(b, |b, i| {
            let square = b.multiply(slope[i].clone(), slope[i].clone());
            b.multiply(square, input(Input::Xi2))
        });
        let square = f[0].clone().plus(b, XiTerm::new(variance, 0)).finish(b);
        let slope = self.by_piece(b, |_, i| slope[i].clone());
        // Q₀ is read by none of the sums.
        let q = [zero(), slope].map(|q| XiTerm::new(q, 0)).to_vec();
        let g = Parts { q, rise: rise.clone() };
        let level = XiTerm::new(rise.clone(), 0);
        let squares = Squares { g: &g, level: &level, t, f };
        self.results(b, |b, moment, k| match (moment, k) {
            (Moment::Mean, 0) => rise.clone(),
            (Moment::Mean, 2) => {
                let curvature = curvature.cloned().unwrap_or_else(XiTerm::zero);
                half_of_second(b, curvature, 2).finish(b)
            }
            (Moment::Mean, _) => g.mean(b, slopes, k),
            (_, 0) => square.clone(),
            _ => squares.variance(b, k),
        })
    }

    /// T = p − q and T + 2(q − Q₀) on an unbounded piece, at its knot.
    fn factors(&self, b: &mut Builder, knot: usize, piece: usize) -> [Line; 2] {
        let pieces = self.activation().function.pieces();
        let lines = self.all(|i| {
            let rise = self.rise(b, knot, i);
            let mut t = self.line(b, knot, &(&pieces[piece] - &pieces[i]));
            if i == MIDDLE {
                // q is constant.
                t = [b.add(t[0].clone(), rise), self.slope(b, piece)];
                return [t.clone(), t];
            }
            let [_, slope] = self.line(b, knot, &(&pieces[piece] + &pieces[i]));
            let twice = b.scale(rise, &integer(2));
            let value = b.add(t[0].clone(), twice);
            [t, [value, slope]]
        });
        [0, 1].map(|factor| [0, 1].map(|j| self.by_piece(b, |_, i| lines[i][factor][j].clone())))
    }

    /// The factors of both integrands on the bounded piece, by the value at its middle and half its rise.
    fn middle_factors(&self, b: &mut Builder) -> [Vec<Operand>; 2] {
        let pieces = self.activation().function.pieces();
        let lines = self.all(|i| {
            let slope = self.slope(b, i);
            let [left, right] = [0, 1].map(|knot| input(Input::Displacement(knot)));
            // Twice the distance of the middle from γ.
            let distance = b.add(left, right);
            let twice = b.multiply(slope, distance);
            let line = |b: &mut Builder, polynomial: &Polynomial| -> Line {
                let line = self.contributions.line(b, MIDDLE, polynomial, None);
                line.try_into().expect("two coefficients")
            };
            if i == MIDDLE {
                // q is constant.
                let [_, rise] = line(b, &pieces[MIDDLE]);
                let t = [b.scale(twice, &ratio(1, 2)), rise];
                return [t.clone(), t];
            }
            let t = line(b, &(&pieces[MIDDLE] - &pieces[i]));
            let [_, rise] = line(b, &(&pieces[MIDDLE] + &pieces[i]));
            let level = [b.add(t[0].clone(), twice), rise];
            [t, level]
        });
        let factor = |b: &mut Builder, factor: usize| {
            [0, 1].map(|j| self.by_piece(b, |_, i| lines[i][factor][j].clone())).to_vec()
        };
        [0, 1].map(|i| factor(b, i))
    }

    /// A straight line at a knot.
    fn line(&self, b: &mut Builder, knot: usize, polynomial: &Polynomial) -> Line {
        let mut line = self.contributions.taylor(b, knot, polynomial);
        line.resize(2, zero());
        let [value, slope] = line.try_into().expect("two coefficients");
        [value, slope]
    }

    /// q(t) − Q₀ at a knot, for q the polynomial of a piece.
    fn rise(&self, b: &mut Builder, knot: usize, piece: usize) -> Operand {
        let distance = input(Input::Displacement(knot));
        let slope = self.slope(b, piece);
        b.multiply(slope, distance)
    }

    fn slope(&self, b: &mut Builder, piece: usize) -> Operand {
        let slope = self.activation().function.pieces()[piece].derivative(&Symbol::Variable);
        self.contributions.coefficient(b, &slope)
    }

    /// A value for each piece.
    fn all<T>(&self, of: impl FnMut(usize) -> T) -> Vec<T> {
        (0..self.activation().function.pieces().len()).map(of).collect()
    }

    /// The value of the piece that γ lies on.
    fn by_piece(
        &self,
        b: &mut Builder,
        mut of: impl FnMut(&mut Builder, usize) -> Operand,
    ) -> Operand {
        let mut values = self.all(|i| of(b, i));
        let last = values.pop().expect("one piece at least");
        // From the right: each knot chooses between the piece to its left and what was chosen
        // beyond it.
        let sides = values.into_iter().enumerate().rev();
        sides.fold(last, |right, (knot, left)| b.side(knot, left, right))
    }
}
