//! From the regimes of an activation to the IR of its moments.
//!
//! Let q be the polynomial of the piece that γ lies on, Q_k = E\[q⁽ᵏ⁾\], T = g − q on the other pieces,
//! m = E\[g\] = Q₀ + E\[T\], and R, U the derivatives of q and g in a parameter θ. Then
//!
//! - ∂E\[g\]/∂γ and 2 ∂E\[g\]/∂ξ² are Q_k + E\[T⁽ᵏ⁾\] and what the jumps of g⁽ʲ⁾, j < k, add, for k = 1, 2;
//! - Var g = Σ_{k≥1} ξ²ᵏ Q_k²/k! − E\[T\]² + E\[T (T + 2(q − Q₀))\], where the last is a difference of
//!   squares, (g − Q₀)² − (q − Q₀)²;
//! - with the derivatives of the sum over k and f = T (T + 2(q − Q₀)), whose derivative with Q₀ held fixed is
//!   E\[f z\]/ξ, ∂Var/∂γ = … + E\[f z\]/ξ − 2 E\[T\] (Q₁ + E\[T z\]/ξ) and ∂Var/∂ξ² = … + ½ E\[f (z² − 1)\]/ξ²
//!   − E\[T\] (Q₂ + E\[T (z² − 1)\]/ξ²): the brackets, derivatives of the mean, are small where g turns back, and
//!   Q₁ and Q₂ alone are not. On narrow pieces E\[T\] goes into the product, T (T + 2(q − m));
//! - ½ ∂Var/∂θ = Σ_{k≥1} ξ²ᵏ Q_k R_k/k! − E\[T\] R₀ + E\[T R + (g − m)(U − R)\], besides the motion of
//!   knots, which is in `boundary`.
//!
//! So that a constant in g cancels before anything is computed, q − m is taken near each knot as
//! (q(u) − q(t)) + (q(t) − Q₀) − E\[T\], or without the last for q − Q₀, with q(t) − Q₀ = Σ_{k≥1} ξᵏ Q_k He_k(z)/k!.
//!
//! Around the pieces of a clamp and its like all this is computed at once: `united`.
//!
//! Where γ lies on a narrow piece, q is a constant instead, and the variance is E\[(g − m)²\], piece by
//! piece: a sum of positive terms, whatever the pieces are.

mod around;
mod at_gamma;
pub(crate) mod parts;
mod united;

use gaussform_symbolic::exact::{integer, ratio};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Difference, Regime};

use self::around::Around;
use self::parts::{Parts, inverse_factorial, order};
use crate::boundary::{Jump, jumps};
use crate::builder::{Builder, input, zero};
use crate::cancellation::needs_pairs;
use crate::ir::{Block, Case, Condition, Input, Operand, Stmt};
use crate::scaled::Scaled;
use crate::tail::{Contributions, Factor, Integrand, Less};

/// What a function of the kernel returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// mean, variance
    Moments,
    /// and the derivatives in γ and ξ²
    Gradient,
    /// the derivatives of mean, second and variance in each parameter
    Parameters,
}

/// Lowers one function of the kernel; `is_precise` if sums of tails can cancel.
pub(crate) fn lower(activation: &Activation, role: Role, is_precise: bool) -> Block {
    let mut block = block(activation, role, is_precise);
    let pieces = activation.function.pieces().len();
    if (0..pieces).any(|base| needs_pairs(activation, Case::Wide(base))) {
        block.set_pairs(true);
        for statement in &mut block.statements {
            if let Stmt::Branch { condition: Condition::Case(cases), arms, .. } = statement {
                for (case, arm) in cases.iter().zip(arms) {
                    arm.set_pairs(needs_pairs(activation, *case));
                }
            }
        }
    }
    block
}

fn block(activation: &Activation, role: Role, is_precise: bool) -> Block {
    let lowering = Lowering {
        contributions: Contributions::new(activation),
        is_precise,
        role,
        parameters: match role {
            Role::Parameters => {
                activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone())).collect()
            }
            _ => Vec::new(),
        },
    };
    let pieces = activation.function.pieces().len();
    Builder::default().block(|b| {
        let fluxes = lowering.fluxes(b);
        match pieces {
            _ if lowering.can_unite() => lowering.united(b, &fluxes),
            1 => lowering.wide(b, 0, &fluxes).results,
            2 => b.sides(|b, piece| lowering.wide(b, piece, &fluxes).results),
            _ => {
                let mut cases: Vec<Case> = (0..pieces).map(Case::Wide).collect();
                cases.extend((1..pieces - 1).map(Case::Narrow));
                let values = b.branch(Condition::Case(cases.clone()), cases.len(), |b, arm| {
                    match cases[arm] {
                        Case::Wide(piece) => lowering.wide(b, piece, &fluxes).flatten(),
                        Case::Narrow(piece) => lowering.narrow(b, piece, &fluxes),
                    }
                });
                lowering.integrate(b, &values)
            }
        }
    })
}

/// Lowers g itself: a branch on the place of x, which is the input γ here.
pub(crate) fn value(activation: &Activation) -> Block {
    let contributions = Contributions::new(activation);
    let function = &activation.function;
    Builder::default().block(|b| {
        let places = 2 * function.pieces().len() - 1;
        let at = |b: &mut Builder, place: usize| {
            let polynomials =
                if place.is_multiple_of(2) { function.pieces() } else { function.at_knots() };
            vec![contributions.at_gamma(b, place / 2, &polynomials[place / 2])]
        };
        if places == 1 { at(b, 0) } else { b.branch(Condition::Place, places, at) }
    })
}

struct Lowering<'a> {
    contributions: Contributions<'a>,
    /// Whether sums of tails can cancel.
    is_precise: bool,
    role: Role,
    /// In which the derivatives are taken.
    parameters: Vec<Symbol>,
}

/// What the jumps at the knots add to the derivatives of E\[g\] in γ, and to those of its derivative
/// in each parameter: the same around every base.
struct Fluxes {
    own: Vec<Scaled>,
    in_parameters: Vec<Vec<Scaled>>,
}

impl Lowering<'_> {
    fn activation(&self) -> &Activation {
        self.contributions.activation
    }

    /// How many derivatives of the mean in γ are needed, itself included; as many of the variance.
    fn orders(&self) -> usize {
        if self.role == Role::Gradient { 3 } else { 1 }
    }

    fn fluxes(&self, b: &mut Builder) -> Fluxes {
        let function = &self.activation().function;
        let of = |b: &mut Builder, pieces: &[Polynomial]| {
            let mut sums = vec![Scaled::zero(); self.orders()];
            for (knot, sides) in pieces.windows(2).enumerate() {
                let [left, right] = sides else { unreachable!("windows of two") };
                let flux = self.contributions.flux(b, knot, [left, right], self.orders());
                accumulate(b, &mut sums, flux);
            }
            sums
        };
        let in_parameter = |b: &mut Builder, symbol: &Symbol| {
            let pieces: Vec<Polynomial> =
                function.pieces().iter().map(|p| p.derivative(symbol)).collect();
            of(b, &pieces)
        };
        Fluxes {
            own: of(b, function.pieces()),
            in_parameters: self.parameters.iter().map(|symbol| in_parameter(b, symbol)).collect(),
        }
    }

    /// The derivatives in γ of an expectation, as sums over pieces and jumps.
    fn derivatives(
        &self,
        b: &mut Builder,
        pieces: &[(&Difference, Factor<'_>)],
        own: Option<usize>,
        fluxes: &[Scaled],
        count: usize,
    ) -> Vec<Scaled> {
        let mut sums: Vec<Scaled> = fluxes.iter().take(count).cloned().collect();
        for (place, factor) in pieces {
            let integrand = [Integrand::Derivatives { factor: factor.clone(), count }];
            let is_own = own == Some(place.piece);
            let mut parts = self.contributions.of(b, place, is_own, &integrand);
            accumulate(b, &mut sums, parts.remove(0));
        }
        sums
    }

    /// Sums over pieces of E\[f He_k(z)\]/ξᵏ for products f.
    fn products<'f>(
        &self,
        b: &mut Builder,
        differences: &[Difference],
        own: Option<usize>,
        count: usize,
        products: impl Fn(&Difference) -> Vec<[Factor<'f>; 2]>,
    ) -> Vec<Scaled> {
        let mut sums = vec![Scaled::zero(); count];
        for place in differences {
            for factors in products(place) {
                let product = [Integrand::Product { factors, count }];
                let is_own = own == Some(place.piece);
                let mut parts = self.contributions.of(b, place, is_own, &product);
                accumulate(b, &mut sums, parts.remove(0));
            }
        }
        sums
    }

    /// γ lies on a piece that is not narrow.
    fn wide(&self, b: &mut Builder, base: usize, fluxes: &Fluxes) -> Around {
        let regime = Regime::new(&self.activation().function, base);
        let (q, differences) = (regime.polynomial(), regime.differences());
        let degree = usize::try_from(q.degree(&Symbol::Variable)).unwrap_or(0);
        let of = |of: &dyn Fn(&Polynomial) -> Polynomial| -> Vec<(&Difference, Factor<'_>)> {
            differences.iter().map(|d| (d, Factor::whole(of(&d.polynomial)))).collect()
        };
        let t = of(&Polynomial::clone);
        let slopes = self.derivatives(b, &t, None, &fluxes.own, self.orders());
        let smooth = self.smooth(b, base, q, degree);
        let mean = slopes[0].clone().plus(b, smooth[0].clone()).finish(b);
        // In squares and, for derivatives, in products with other tails; far from all knots they would only
        // underflow. Where sums may cancel, powers of ξ wait until then, because ξ is rounded and ξ² is not.
        let (level, rise) = if self.is_precise {
            let level = slopes[0].clone().map(|value| b.seen(value));
            (level.clone(), level.finish(b))
        } else {
            let rise = slopes[0].clone().finish(b);
            let rise = if self.role == Role::Moments { rise } else { b.seen(rise) };
            (Scaled::new(rise.clone(), 0), rise)
        };
        let g = Parts { q: smooth, rise: rise.clone() };

        // Q₀ − q(t) at each knot.
        let knots = 0..self.activation().function.knots().len();
        let from_knots: Vec<Operand> = knots
            .map(|knot| {
                let to_knot = g.rise_to(b, knot);
                Scaled::zero().minus(b, to_knot).finish(b)
            })
            .collect();
        if self.role == Role::Parameters {
            // m − q(t) at each knot.
            let less: Vec<Operand> =
                from_knots.into_iter().map(|less| b.add(rise.clone(), less)).collect();
            let jumps = jumps(self.activation(), q);
            let mut results = Vec::new();
            for (symbol, fluxes) in self.parameters.iter().zip(&fluxes.in_parameters) {
                let r = q.derivative(symbol);
                let in_symbol = of(&|p| p.derivative(symbol));
                let u = self.derivatives(b, &in_symbol, None, fluxes, 1);
                let factors = |place: &Difference| {
                    let t = place.polynomial.clone();
                    let level = Factor { polynomial: &t + q, less: Less::AtKnots(q, &less) };
                    let u = Factor::whole(t.derivative(symbol));
                    vec![[Factor::whole(t), Factor::whole(r.clone())], [level, u]]
                };
                let cross = self.products(b, &differences, None, 1, factors);
                let r = self.smooth(b, base, &r, degree);
                let [flux, level] = self.moving(b, &g, &jumps, symbol);
                let dmean = u[0].clone().plus(b, r[0].clone()).plus(b, flux).finish(b);
                let back = Scaled::new(rise.clone(), 0).times(b, &r[0]);
                let half = Parts::covariance(b, &g.q, &r, 0);
                let half = cross[0].clone().minus(b, back).plus(b, level).plus(b, half);
                let dvariance = half.scale(b, &integer(2)).finish(b);
                results.extend(with_second(b, &mean, dmean, dvariance));
            }
            let products = self.bounded(b, &differences, Some(base), |place| {
                let symbols = self.parameters.iter();
                let factors = symbols.flat_map(|symbol| {
                    let t = place.polynomial.clone();
                    let (r, u) = (q.derivative(symbol), t.derivative(symbol));
                    let level = Factor { polynomial: &t + q, less: Less::AtKnots(q, &less) };
                    [[Factor::whole(t), Factor::whole(r)], [level, Factor::whole(u)]]
                });
                factors.map(|factors| (factors, zero())).collect()
            });
            return Around { results, products };
        }

        let two = integer(2);
        let double = q.scale(&two);
        let from_knots: Vec<Operand> =
            from_knots.into_iter().map(|less| b.scale(less, &two)).collect();
        let twice_rise = b.scale(rise.clone(), &two);
        let products = self.bounded(b, &differences, Some(base), |place| {
            vec![(difference_of_squares(place, &double, &from_knots), twice_rise.clone())]
        });
        let f = self.products(b, &differences, None, self.orders(), |place| {
            vec![difference_of_squares(place, &double, &from_knots)]
        });
        let square = level.times(b, &level);
        let own = Parts::covariance(b, &g.q, &g.q, 0);
        let variance = f[0].clone().minus(b, square).plus(b, own).finish(b);
        let mut results = vec![mean, variance];
        if self.role == Role::Gradient {
            let half = ratio(1, 2);
            let [_, first, second] = &slopes[..] else { unreachable!("three orders") };
            let slope = first.clone().plus(b, g.q(1));
            results.push(slope.finish(b));
            let curvature = second.clone().plus(b, g.q(2));
            results.push(curvature.scale(b, &half).finish(b));
            // E\[T He_k(z)\]/ξᵏ, without narrow pieces; where there are none, what stands there already.
            let is_bounded = |place: &Difference| place.far.is_some();
            let t = if differences.iter().any(is_bounded) {
                self.products(b, &differences, None, 3, |place| {
                    let t = place.polynomial.clone();
                    vec![[Factor::whole(t), Factor::whole(Polynomial::one())]]
                })
            } else {
                slopes
            };
            results.extend(self.variance_gradient(b, &g, &level, &t, &f));
        }
        Around { results, products }
    }

    /// ∂Var/∂γ and ∂Var/∂ξ² around a polynomial.
    fn variance_gradient(
        &self,
        b: &mut Builder,
        g: &Parts,
        level: &Scaled,
        t: &[Scaled],
        f: &[Scaled],
    ) -> [Operand; 2] {
        let (half, two) = (ratio(1, 2), integer(2));
        // Σ ξ²ᵏ Q_k Q_{k+1}/k! and Σ (k ξ²ᵏ⁻² Q_k² + ξ²ᵏ Q_k Q_{k+2})/k!
        let raised = |by: usize| -> Vec<Scaled> { (by..g.q.len()).map(|k| g.q(k)).collect() };
        let smooth_gamma = Parts::covariance(b, &g.q, &raised(1), 0).scale(b, &two);
        let weighted: Vec<Scaled> = (0..g.q.len())
            .map(|k| g.q(k).scale(b, &integer(i64::try_from(k).expect("a small degree"))))
            .collect();
        let own = Parts::covariance(b, &g.q, &weighted, 2);
        let next = Parts::covariance(b, &g.q, &raised(2), 0);
        let slope = t[1].clone().plus(b, g.q(1));
        let back = level.times(b, &slope).scale(b, &two);
        let in_gamma = f[1].clone().minus(b, back).plus(b, smooth_gamma);
        let curvature = t[2].clone().plus(b, g.q(2));
        let back = level.times(b, &curvature);
        let in_xi2 = f[2].clone().scale(b, &half).minus(b, back).plus(b, own).plus(b, next);
        [in_gamma.finish(b), in_xi2.finish(b)]
    }

    /// γ lies on a narrow piece: around a constant, the value at the nearer end if g is curved, so that
    /// E\[g\] less it is not much more than the deviation of g.
    fn narrow(&self, b: &mut Builder, base: usize, fluxes: &Fluxes) -> Vec<Operand> {
        let function = &self.activation().function;
        if self.contributions.degree() <= 1 {
            return self.nearest_level(b, base, &Regime::levels(function, base), fluxes);
        }
        let [left, right] =
            Regime::ends(function, base).map(|regime| self.around(b, base, &regime, fluxes));
        left.zip(right, |left, right| b.nearer([base - 1, base], left, right)).flatten()
    }

    /// Around the first of some levels whose piece is not narrow, or the last one.
    fn nearest_level(
        &self,
        b: &mut Builder,
        base: usize,
        levels: &[(Regime<'_>, usize)],
        fluxes: &Fluxes,
    ) -> Vec<Operand> {
        let [(level, piece), others @ ..] = levels else { unreachable!("one level at least") };
        if others.is_empty() {
            return self.around(b, base, level, fluxes).flatten();
        }
        b.branch(Condition::Narrow(*piece), 2, |b, arm| match arm {
            0 => self.nearest_level(b, base, others, fluxes),
            _ => self.around(b, base, level, fluxes).flatten(),
        })
    }

    /// Around a constant.
    fn around(&self, b: &mut Builder, base: usize, regime: &Regime<'_>, fluxes: &Fluxes) -> Around {
        let function = &self.activation().function;
        let (differences, own) = (regime.differences(), Some(base));
        let of = |of: &dyn Fn(&Polynomial) -> Polynomial| -> Vec<(&Difference, Factor<'_>)> {
            let whole = |d: &Difference| Factor::whole(of(&function.pieces()[d.piece]));
            differences.iter().map(|d| (d, whole(d))).collect()
        };
        let orders = self.orders();
        let slopes = self.derivatives(b, &of(&Polynomial::clone), own, &fluxes.own, orders);
        let mean = slopes[0].clone().finish(b);
        // Near an inflection the level is far from both g and its mean, and m less it has an error that
        // is not small against the deviation of g: it is taken from the value at γ on.
        let from_level = |place: &Difference| &function.pieces()[place.piece] - regime.polynomial();
        let mut less = Vec::new();
        if self.contributions.degree() > 1 {
            let own = &function.pieces()[base] - regime.polynomial();
            less.push(self.contributions.at_gamma(b, base, &own));
        }
        let deviations: Vec<(&Difference, Factor<'_>)> = differences
            .iter()
            .map(|d| (d, Factor { polynomial: from_level(d), less: Less::Numbers(less.clone()) }))
            .collect();
        let rest = self.derivatives(b, &deviations, own, &fluxes.own, 1);
        less.push(rest[0].clone().finish(b));
        let rise = less.iter().fold(zero(), |sum, less| b.add(sum, less.clone()));
        let centred = |place: &Difference| {
            let polynomial = place.polynomial.clone();
            Factor { polynomial, less: Less::Numbers(less.clone()) }
        };
        if self.role == Role::Parameters {
            let jumps = jumps(self.activation(), regime.polynomial());
            let g = Parts { q: Vec::new(), rise: rise.clone() };
            let mut results = Vec::new();
            for (symbol, fluxes) in self.parameters.iter().zip(&fluxes.in_parameters) {
                // What the constant does in the mean and in T cancels.
                let in_symbol = of(&|p| p.derivative(symbol));
                let u = self.derivatives(b, &in_symbol, own, fluxes, 1);
                let cross = self.products(b, &differences, own, 1, |place| {
                    let u = function.pieces()[place.piece].derivative(symbol);
                    vec![[centred(place), Factor::whole(u)]]
                });
                let [flux, level] = self.moving(b, &g, &jumps, symbol);
                let dmean = u[0].clone().plus(b, flux).finish(b);
                let dvariance = cross[0].clone().plus(b, level);
                let dvariance = dvariance.scale(b, &integer(2)).finish(b);
                results.extend(with_second(b, &mean, dmean, dvariance));
            }
            let products = self.bounded(b, &differences, None, |place| {
                let nothing = || Factor::whole(Polynomial::zero());
                let symbols = self.parameters.iter();
                let factors = symbols.flat_map(|symbol| {
                    let u = function.pieces()[place.piece].derivative(symbol);
                    [[nothing(), nothing()], [centred(place), Factor::whole(u)]]
                });
                factors.map(|factors| (factors, zero())).collect()
            });
            return Around { results, products };
        }
        let square = |place: &Difference| [centred(place), centred(place)];
        let f = self.products(b, &differences, own, orders, |place| vec![square(place)]);
        let products = self.bounded(b, &differences, None, |place| vec![(square(place), zero())]);
        let mut results = vec![mean, f[0].clone().finish(b)];
        if self.role == Role::Gradient {
            let half = ratio(1, 2);
            results.push(slopes[1].clone().finish(b));
            results.push(slopes[2].clone().scale(b, &half).finish(b));
            results.push(f[1].clone().finish(b));
            results.push(f[2].clone().scale(b, &half).finish(b));
        }
        Around { results, products }
    }

    /// Q₀, Q₁, … up to the degree.
    fn smooth(
        &self,
        b: &mut Builder,
        base: usize,
        polynomial: &Polynomial,
        degree: usize,
    ) -> Vec<Scaled> {
        let order = |k: usize| u32::try_from(k).expect("a small degree");
        let values = (0..=degree).map(|k| {
            let by_xi2: Vec<Operand> = Regime::smooth(polynomial, order(k))
                .iter()
                .map(|p| self.contributions.at_gamma(b, base, p))
                .collect();
            Scaled::new(b.horner(&by_xi2, &input(Input::Xi2)), 0)
        });
        values.collect()
    }

    /// What the motion of the knots adds to ∂E\[g\]/∂θ and ½ ∂Var/∂θ.
    fn moving(&self, b: &mut Builder, g: &Parts, jumps: &[Jump], theta: &Symbol) -> [Scaled; 2] {
        let mut sums = [Scaled::zero(), Scaled::zero()];
        for jump in jumps {
            let flux = jump.flux(b, &self.contributions, theta);
            if !flux.is_zero() {
                let level = jump.level(b, &self.contributions, g);
                let level = level.times(b, &flux);
                accumulate(b, &mut sums, vec![flux, level]);
            }
        }
        sums
    }
}

/// T and T + 2(q − Q₀), from 2 q and twice the numbers at the knots.
fn difference_of_squares<'f>(
    place: &Difference,
    double: &'f Polynomial,
    less: &'f [Operand],
) -> [Factor<'f>; 2] {
    let polynomial = &place.polynomial + double;
    let less = Less::AtKnots(double, less);
    [Factor::whole(place.polynomial.clone()), Factor { polynomial, less }]
}

/// The derivatives of mean, second moment and variance.
fn with_second(
    b: &mut Builder,
    mean: &Operand,
    dmean: Operand,
    dvariance: Operand,
) -> [Operand; 3] {
    let twice = b.scale(mean.clone(), &integer(2));
    let square = b.multiply(twice, dmean.clone());
    let dsecond = b.add(dvariance.clone(), square);
    [dmean, dsecond, dvariance]
}

fn accumulate(b: &mut Builder, sums: &mut [Scaled], parts: Vec<Scaled>) {
    for (sum, part) in sums.iter_mut().zip(parts) {
        *sum = std::mem::replace(sum, Scaled::zero()).plus(b, part);
    }
}
