//! The function that `gaussform emit --joint` writes, beside the types that the macro makes of the same activations.

use gaussform::activations::Relu;
use gaussform::pair::{self, Inputs, InvalidLaw};

/// A hard tanh with a slope.
#[gaussform::activation(a > 0)]
pub fn soft(x: f64, a: f64) -> f64 {
    (x / a).clamp(-1.0, 1.0)
}

// `cli/tests/cli/emit.rs` compares it with what is written.
include!("pair_emitted/function.rs");

const LAW: Inputs = Inputs { gamma: 0.5, xi2: 2.0, gamma_h: 0.1, xi2_h: 1.0, cov: -0.7 };

#[test]
fn it_has_the_numbers_of_the_crate() {
    let soft = Soft::new(0.5).expect("a > 0");
    assert_eq!(pair_moments(&Relu, &soft, LAW), Ok(pair::moments(&Relu, &soft, LAW)));
}

#[test]
fn it_refuses_what_is_no_law() {
    let wide = Inputs { cov: 2.0, ..LAW };
    let soft = Soft::new(0.5).expect("a > 0");
    assert_eq!(pair_moments(&Relu, &soft, wide), Err(InvalidLaw::Covariance));
}
