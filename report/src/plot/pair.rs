//! The figures of two correlated pre-activations: the covariance of their activations, and its error.

use std::ops::Range;

use gaussform_codegen::{Dynamic, DynamicError};
use gaussform_picture::{Axis, Ink, Panel, Picture, Position, SIZE, Sign};
use gaussform_runtime::pair::{self, Inputs, PairMoments};

use super::figures::{ERRORS, along, exponent, named, room, short, worst};
use super::subject::{PlotError, Subject};
use crate::evaluate::{Law, PairFormulas, PairTruth};

/// The correlations of the covariance.
const CORRELATIONS: Range<f64> = -1.0..1.0;
/// Steps of the correlations of errors on either side of 0, and to a power of ten; and where there are so many
/// pairs of knots that the truth takes long.
const STEPS: [i32; 2] = [40, 3];
const FEWER_STEPS: [i32; 2] = [10, 1];
const MANY_KNOTS: usize = 16;
/// The exponent of the smallest correlation.
const SMALLEST: i32 = -15;

/// Two activations without parameters, and the means and standard deviations of their pre-activations.
pub struct Pair<'a> {
    subjects: [&'a Subject; 2],
    kernels: [Dynamic; 2],
    gamma: [f64; 2],
    xi: [f64; 2],
}

impl<'a> Pair<'a> {
    /// Activations g and h, with the means γ and γ′ and the standard deviations ξ and ξ′, whose squares are
    /// positive.
    ///
    /// # Errors
    ///
    /// If there is no kernel.
    pub fn new(
        subjects: [&'a Subject; 2],
        gamma: [f64; 2],
        xi: [f64; 2],
    ) -> Result<Self, PlotError> {
        let kernel = |subject: &Subject| match Dynamic::new(&subject.activation, &[]) {
            Ok(kernel) => Ok(kernel),
            Err(DynamicError::Kernel(error)) => Err(PlotError::Kernel(error)),
            Err(other) => unreachable!("{other}, of an activation that has a kernel"),
        };
        let [g, h] = subjects;
        Ok(Self { subjects, kernels: [kernel(g)?, kernel(h)?], gamma, xi })
    }

    /// The figures for usual standard deviations, and for means that are `place` of them from the middle of the
    /// knots.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn around(subjects: [&'a Subject; 2], place: f64) -> Result<Self, PlotError> {
        let xi = subjects.map(Subject::deviation);
        let mean = |i: usize| subjects[i].middle() + place * xi[i];
        Self::new(subjects, [0, 1].map(mean), xi)
    }

    /// The law with this correlation.
    fn law(&self, correlation: f64) -> Law {
        let [xi, xi_h] = self.xi;
        let covariance = correlation * xi * xi_h;
        Law { mean: self.gamma, variance: [xi * xi, xi_h * xi_h], covariance }
    }

    fn moments(&self, law: &Law) -> PairMoments {
        let ([gamma, gamma_h], [xi2, xi2_h]) = (law.mean, law.variance);
        let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov: law.covariance };
        pair::moments(&self.kernels[0], &self.kernels[1], at)
    }

    /// The means and standard deviations.
    fn written(&self) -> String {
        let [gamma, gamma_h] = self.gamma.map(short);
        let [xi, xi_h] = self.xi.map(short);
        format!("γ = {gamma}, ξ = {xi}, γ′ = {gamma_h}, ξ′ = {xi_h}")
    }
}

/// The functions g and h, around their knots.
#[must_use]
pub fn functions(pair: &Pair<'_>) -> [Picture; 2] {
    let [g, h] = pair.subjects;
    // Every bare expression is called g.
    let label = if h.label == "g" { "h" } else { &h.label };
    [named(g, &g.label, ["u", "g(u)"], &g.around()), named(h, label, ["w", "h(w)"], &h.around())]
}

/// The covariance against the correlation of the pre-activations, and the straight line that touches it at 0.
#[must_use]
pub fn covariance(pair: &Pair<'_>) -> Picture {
    let slope = pair.moments(&pair.law(0.0)).dcovariance_dcov;
    let at = |correlation| [correlation, pair.moments(&pair.law(correlation)).covariance];
    let curve: Vec<Position> = along(&CORRELATIONS).map(at).collect();
    let line =
        [-1.0, 1.0].map(|correlation| [correlation, slope * pair.law(correlation).covariance]);
    let y = room(curve.iter().chain(&line).map(|[_, y]| *y));
    let value = |correlation: f64| format!("{:.3}", at(correlation)[1]).replace('-', "−");
    let description = format!(
        "The covariance of g(u) and h(w) against the correlation of u and w, for {}: {} at ρ = −1, {} at ρ = 1. \
         Beside it σ E[g′] E[h′], which it is for small correlations.",
        pair.written(),
        value(-1.0),
        value(1.0)
    );
    let label = format!("ρ, for {}", pair.written());
    let axes = [Axis::plain(&label, CORRELATIONS), Axis::plain("Cov", y)];
    let mut panel = Panel::new(SIZE, "Cov(g(u), h(w))", description, axes);
    panel.curve(&line, Ink::Muted, 1.2, true);
    panel.curve(&curve, Ink::Main, 2.2, false);
    panel.legend(&[
        (Sign::Line, Ink::Main, "Cov(g(u), h(w))"),
        (Sign::Dashed, Ink::Muted, "σ E[g′] E[h′]"),
    ])
}

/// The errors of the kernel and of the closed form as it stands, against the correlation, and against its powers of
/// ten. They are relative to the covariance of the increasing functions that are as steep.
///
/// # Errors
///
/// If a derivation takes too much work.
pub fn covariance_errors(pair: &Pair<'_>) -> Result<[Picture; 2], PlotError> {
    let [g, h] = pair.subjects.map(|subject| &subject.activation);
    let distance = |i: usize| pair.subjects[i].farthest(pair.gamma[i], pair.xi[i]);
    let truth = PairTruth::new(g, h, [0, 1].map(distance)).map_err(Box::new)?;
    let formulas = PairFormulas::<f64>::new(g, h, 53).map_err(Box::new)?;
    let at = |x: f64, correlation: f64| {
        let law = pair.law(correlation);
        let found = [pair.moments(&law).covariance, formulas.covariance(&law)];
        (x, truth.errors(&law, &found))
    };
    // At both ends the formula divides by 0.
    let knots: usize = pair.subjects.iter().map(|subject| subject.knots().len()).product();
    let [steps, to_ten] = if knots > MANY_KNOTS { FEWER_STEPS } else { STEPS };
    let correlations =
        (1 - steps..steps).filter(|i| *i != 0).map(|i| f64::from(i) / f64::from(steps));
    let all = correlations.map(|correlation| at(correlation, correlation)).collect();
    let powers = (SMALLEST * to_ten..0).map(|i| f64::from(i) / f64::from(to_ten));
    let small = powers.map(|power| at(power, libm::pow(10.0, power))).collect();
    Ok([errors(pair, all, false), errors(pair, small, true)])
}

fn errors(pair: &Pair<'_>, points: Vec<(f64, Vec<f64>)>, small: bool) -> Picture {
    let curve = |of: usize| -> Vec<Position> {
        points.iter().map(|(x, errors)| [*x, exponent(errors[of])]).collect()
    };
    let (kernel, closed) = (curve(0), curve(1));
    let label = format!("ρ, for {}", pair.written());
    let (title, correlations) = match small {
        false => ("Error of the covariance", Axis::plain(&label, CORRELATIONS)),
        true => ("Error for small correlations", Axis::powers(&label, f64::from(SMALLEST)..0.0)),
    };
    let description = format!(
        "The error of the covariance of g(u) and h(w), relative to the covariance of increasing functions as \
         steep as g and h, against the correlation of u and w for {}: at most {} by the kernel, at most {} by the \
         closed form in double precision.",
        pair.written(),
        worst(&kernel),
        worst(&closed)
    );
    let axes = [correlations, Axis::powers("relative error", ERRORS)];
    let mut panel = Panel::new(SIZE, title, description, axes);
    panel.level(0.0, "no digit right", 0.5);
    panel.curve(&closed, Ink::Other, 1.8, false);
    panel.curve(&kernel, Ink::Main, 1.8, false);
    panel.legend(&[(Sign::Line, Ink::Main, "kernel"), (Sign::Line, Ink::Other, "closed form")])
}
