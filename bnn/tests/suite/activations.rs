//! Two activations whose moments are written out by hand, independent of any generated kernel.

use std::f64::consts::{PI, SQRT_2};

use gaussform_runtime::kernel::pieces::{Center, Limits, Table};
use gaussform_runtime::kernel::sum::Rows;
use gaussform_runtime::pair::Piecewise;
use gaussform_runtime::{Activation, Float, Moments, MomentsGrad, ParameterGrad};

/// g(x) = x: mean γ, variance ξ².
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity;

/// g(x) = max(0, x), by Eq. 18 to 20 in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relu;

impl<T: Float> Activation<T> for Identity {
    const PARAMETERS: &'static [&'static str] = &[];

    fn value(&self, x: T) -> T {
        x
    }

    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        Moments { mean: gamma, second: gamma * gamma + xi2, variance: xi2 }
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        MomentsGrad {
            mean: gamma,
            second: gamma * gamma + xi2,
            variance: xi2,
            dmean_dgamma: T::ONE,
            dvariance_dxi2: T::ONE,
            ..MomentsGrad::default()
        }
    }

    fn parameter_grad(&self, _: T, _: T, _: &mut [ParameterGrad<T>]) {}
}

impl<T: Float> Activation<T> for Relu {
    const PARAMETERS: &'static [&'static str] = &[];

    fn value(&self, x: T) -> T {
        if x > T::ZERO { x } else { T::ZERO }
    }

    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        self.moments_grad(gamma, xi2).moments()
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let (g, v) = (gamma.to_f64(), xi2.to_f64());
        let xi = v.sqrt();
        let erf = libm::erf(g / (SQRT_2 * xi));
        let bell = (2.0 / PI).sqrt() * (-0.5 * g * g / v).exp();
        let mean = 0.5 * (g + xi * bell + g * erf);
        let second = 0.5 * (v + g * g + g * xi * bell + (v + g * g) * erf);
        let (dmean_dgamma, dmean_dxi2) = (0.5 * (1.0 + erf), 0.25 * bell / xi);
        let dsecond_dxi2 = 0.5 * (1.0 + erf);
        MomentsGrad {
            mean: T::from_f64(mean),
            second: T::from_f64(second),
            variance: T::from_f64(second - mean * mean),
            dmean_dgamma: T::from_f64(dmean_dgamma),
            dmean_dxi2: T::from_f64(dmean_dxi2),
            dvariance_dgamma: T::from_f64(2.0 * mean * (1.0 - dmean_dgamma)),
            dvariance_dxi2: T::from_f64(dsecond_dxi2 - 2.0 * mean * dmean_dxi2),
        }
    }

    fn parameter_grad(&self, _: T, _: T, _: &mut [ParameterGrad<T>]) {}
}

impl Piecewise for Identity {
    fn with_pieces<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        work(&Table {
            degree: 1,
            exponent: 0,
            knots: &[],
            widths: &[],
            sides: &[],
            centers: &[Center { piece: 0, at: [0.0; 3], coefficients: &[[0.0; 2], [1.0, 0.0]] }],
            values: &[],
            limits: Limits::Given(&[]),
            rows: Rows::default(),
        })
    }
}

impl Piecewise for Relu {
    fn with_pieces<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        work(&Table {
            degree: 1,
            exponent: 0,
            knots: &[[0.0; 3]],
            widths: &[],
            sides: &[[0.0; 2], [0.0; 2], [0.0; 2], [1.0, 0.0]],
            centers: &[],
            values: &[0.0],
            limits: Limits::Given(&[[0.0; 6]]),
            rows: Rows::default(),
        })
    }
}
