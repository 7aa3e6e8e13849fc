//! Second derivatives of mean and variance in γ and ξ².
//!
//! Up to degree 3 they are the sums of truncated moments that first derivatives are, of higher order
//! ([`sum`]); above, sums over nodes ([`conditional`](crate::conditional), where nothing is given). A
//! derivative in ξ² is half of two in γ for the mean, ∂mean/∂ξ² = ½ ∂²mean/∂γ², but not for the variance.
//!
//! Error of functions whose pieces are straight: 16 units in the last place of the scale of each result, 128 of others. The scale is
//! the result itself or, if that is more, √Var (for the mean) or Var (for the variance) divided by ξ², ξ³ and ξ⁴.

use crate::Float;
use crate::conditional::second_derivatives;
use crate::kernel::pieces::{Table, raise};
use crate::kernel::single::{is_valid, widen};
use crate::kernel::sum;
use crate::lanes::Lanes;
use crate::lanes::wide::Wide;
use crate::piecewise::Piecewise;
use crate::tabulated::needs_nodes;

/// The second derivatives of mean and variance of g(u) for u ~ N(γ, ξ²).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentsHessian<T> {
    /// ∂²E\[g\]/∂γ² = E\[g″(u)\].
    pub d2mean_dgamma2: T,
    /// ∂²E\[g\]/∂γ∂ξ².
    pub d2mean_dgamma_dxi2: T,
    /// ∂²E\[g\]/∂(ξ²)².
    pub d2mean_dxi22: T,
    /// ∂²Var g/∂γ².
    pub d2variance_dgamma2: T,
    /// ∂²Var g/∂γ∂ξ².
    pub d2variance_dgamma_dxi2: T,
    /// ∂²Var g/∂(ξ²)².
    pub d2variance_dxi22: T,
}

impl<T: Copy> MomentsHessian<T> {
    /// The names of the fields, in their order.
    pub const NAMES: [&'static str; 6] = [
        "d2mean_dgamma2",
        "d2mean_dgamma_dxi2",
        "d2mean_dxi22",
        "d2variance_dgamma2",
        "d2variance_dgamma_dxi2",
        "d2variance_dxi22",
    ];

    /// The numbers in the order of the fields.
    #[must_use]
    pub fn to_array(&self) -> [T; 6] {
        [
            self.d2mean_dgamma2,
            self.d2mean_dgamma_dxi2,
            self.d2mean_dxi22,
            self.d2variance_dgamma2,
            self.d2variance_dgamma_dxi2,
            self.d2variance_dxi22,
        ]
    }

    /// The results from numbers in the order of the fields.
    fn from_array(values: [T; 6]) -> Self {
        let [mean, mean_mixed, mean_xi2, variance, variance_mixed, variance_xi2] = values;
        Self {
            d2mean_dgamma2: mean,
            d2mean_dgamma_dxi2: mean_mixed,
            d2mean_dxi22: mean_xi2,
            d2variance_dgamma2: variance,
            d2variance_dgamma_dxi2: variance_mixed,
            d2variance_dxi22: variance_xi2,
        }
    }
}

/// The second derivatives for one pre-activation, computed in double precision; NaN where γ or ξ² is not finite or ξ² < 0, limits
/// for ξ² = 0 with γ on no knot.
#[must_use]
pub fn moments_hessian<T: Float>(g: &impl Piecewise, gamma: T, xi2: T) -> MomentsHessian<T> {
    g.with_pieces(|table| of_table(table, gamma, xi2))
}

fn of_table<T: Float>(table: &Table<'_>, gamma: T, xi2: T) -> MomentsHessian<T> {
    let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
    let values = if !is_valid(gamma, xi2) {
        [f64::NAN; 6]
    } else if table.degree > sum::MAX_DEGREE || table.knots.is_empty() || needs_nodes(table) {
        second_derivatives(table, gamma, xi2)
    } else {
        by_sums(table, gamma, xi2)
    };
    MomentsHessian::from_array(values.map(T::from_f64))
}

/// The second derivatives by truncated moments, with wide exponents where powers of the inputs may leave the range.
fn by_sums(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
    if (LEAST..MOST).contains(&xi2) && gamma.abs() < MOST {
        let values = sums(table, gamma, xi2);
        if values.iter().all(|value| value.is_finite()) {
            return values;
        }
    }
    let [gamma, xi2] = widen(gamma, xi2);
    sums(table, gamma, xi2).map(Wide::to_f64)
}

/// Fourth powers of 1/ξ and sixth powers of γ are numbers in the unit of densities.
const LEAST: f64 = 1e-40;
const MOST: f64 = 1e20;

fn sums<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    let all = match table.degree {
        1 => sum::hessians::<V, 0, 1, false>(&table.rows, gamma, xi2),
        2 => sum::hessians::<V, 0, 2, false>(&table.rows, gamma, xi2),
        _ => sum::hessians::<V, 0, 3, false>(&table.rows, gamma, xi2),
    };
    let [_, _, _, _, _, _, a, b, c, d, e, f] = all;
    let once = [a, b, c].map(|value| raise(value, table.exponent));
    let twice = [d, e, f].map(|value| raise(value, 2 * table.exponent));
    [once[0], once[1], once[2], twice[0], twice[1], twice[2]]
}
