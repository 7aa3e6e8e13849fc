//! Parameters, their domains, visibility, and a facade under another name.

#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use gaussform::Activation;

#[gaussform::activation(eps in (0, 1))]
pub(crate) fn leaky_relu(x: f64, eps: f64) -> f64 {
    if x > 0.0 { x } else { eps * x }
}

/// A module of its own.
mod inner {
    #[gaussform::activation(0 < alpha <= 1, beta in [-1, inf], crate = super::renamed)]
    pub(super) fn wedge(x: f64, alpha: f64, beta: f64, delta: f64) -> f64 {
        alpha * x.max(0.0) + beta * (-x).max(0.0) + delta
    }
}

/// The facade.
mod renamed {
    pub(crate) use gaussform::runtime;
}

use inner::{Wedge, wedge};

fn main() {
    let g = LeakyRelu::new(0.01).expect("in the domain");
    assert!((g.value(-1.0) - leaky_relu(-1.0, 0.01)).abs() < 1e-15);
    assert!(LeakyRelu::new(0.5).is_ok() && LeakyRelu::new(1.0).is_err());
    assert_eq!(<LeakyRelu as Activation<f64>>::PARAMETERS, ["eps"]);

    let g = Wedge::new(0.5, 0.25, 3.0).expect("in the domain");
    assert!((g.moments(-2.0, 0.0).mean - wedge(-2.0, 0.5, 0.25, 3.0)).abs() < 1e-12);
    assert!(Wedge::new(1.0, -1.0, 0.0).is_ok() && Wedge::new(0.0, 0.0, 0.0).is_err());
}
