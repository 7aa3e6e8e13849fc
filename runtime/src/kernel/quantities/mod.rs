//! The quantities that a kernel computes from γ and ξ²: moments, with or without derivatives.

pub(crate) mod log;
pub(crate) mod moments;

use crate::kernel::plan::Plan;
use crate::kernel::{Kernel, Lanes};
use crate::lanes::Work;

/// N results of a kernel.
pub(crate) trait Quantities<const N: usize> {
    /// The results for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
    fn compute<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> [V; N];
    /// The results for ξ² = 0 and γ on a knot; `None` elsewhere.
    fn at_zero_variance<K: Kernel>(kernel: &K, gamma: f64) -> Option<[f64; N]>;
}

/// Mean and variance.
pub(crate) struct MeanAndVariance;

impl Quantities<2> for MeanAndVariance {
    #[inline(always)]
    fn compute<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> [V; 2] {
        kernel.moments(gamma, xi2)
    }
    fn at_zero_variance<K: Kernel>(kernel: &K, gamma: f64) -> Option<[f64; 2]> {
        kernel.gradients_at_zero_variance(gamma).map(|[mean, variance, ..]| [mean, variance])
    }
}

/// Mean, variance and their derivatives.
pub(crate) struct WithDerivatives;

impl Quantities<6> for WithDerivatives {
    /// Compiled once for all that need it, unless the plan is that this would cost time.
    #[inline(always)]
    fn compute<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> [V; 6] {
        struct Differentiate<'a, K, V>(&'a K, V, V);
        impl<K: Kernel, V: Lanes> Work for Differentiate<'_, K, V> {
            type Output = [V; 6];
            #[inline(always)]
            fn run(self) -> [V; 6] {
                self.0.gradients(self.1, self.2)
            }
        }
        if const { Plan::of::<K>().are_derivatives_in_line } {
            kernel.gradients(gamma, xi2)
        } else {
            V::outlined_in::<K::Unit, _>(Differentiate(kernel, gamma, xi2))
        }
    }
    fn at_zero_variance<K: Kernel>(kernel: &K, gamma: f64) -> Option<[f64; 6]> {
        kernel.gradients_at_zero_variance(gamma)
    }
}
