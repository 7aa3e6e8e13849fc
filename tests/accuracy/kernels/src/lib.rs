//! The compiled kernels that the accuracy suite is about, by name.
//!
//! They are a package of their own because they take minutes to build, and seldom change when the
//! suite does.

mod erased;

#[allow(missing_docs, unreachable_pub)]
mod activations {
    gaussform::include_activations!("activations");
}

use std::collections::BTreeMap;

use activations as a;
use gaussform::Activation;

pub use erased::Kernels;

/// The text of the declarations that the kernels are compiled from.
pub const DECLARATIONS: &str = include_str!("../activations.gf");

/// The kernels of an activation in both precisions.
pub struct Pair {
    /// Single precision.
    pub single: Box<dyn Kernels<f32>>,
    /// Double precision.
    pub double: Box<dyn Kernels<f64>>,
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pair").finish_non_exhaustive()
    }
}

fn pair<A>(kernels: A) -> Pair
where
    A: Activation<f32> + Activation<f64> + Clone + 'static,
{
    Pair { single: Box::new(kernels.clone()), double: Box::new(kernels) }
}

/// All kernels, those with parameters once for each choice of values, which stand behind the name.
#[must_use]
pub fn all() -> BTreeMap<String, Pair> {
    let plain = [
        ("abs", pair(a::Abs)),
        ("abs_cubic", pair(a::AbsCubic)),
        ("abs_square", pair(a::AbsSquare)),
        ("arch", pair(a::Arch)),
        ("bent", pair(a::Bent)),
        ("bspline", pair(a::Bspline)),
        ("clamp_cubed", pair(a::ClampCubed)),
        ("close_knots", pair(a::CloseKnots)),
        ("gap", pair(a::Gap)),
        ("hard_shrink", pair(a::HardShrink)),
        ("hard_swish", pair(a::HardSwish)),
        ("hard_tanh", pair(a::HardTanh)),
        ("hat", pair(a::Hat)),
        ("leaky_kinks", pair(a::LeakyKinks)),
        ("leaky_relu", pair(a::LeakyRelu)),
        ("offset", pair(a::Offset)),
        ("pyramid", pair(a::Pyramid)),
        ("quartic_sign", pair(a::QuarticSign)),
        ("relu", pair(a::Relu)),
        ("relu2", pair(a::Relu2)),
        ("relu3", pair(a::Relu3)),
        ("relu6", pair(a::Relu6)),
        ("sign_of", pair(a::SignOf)),
        ("smootherstep", pair(a::Smootherstep)),
        ("smoothstep", pair(a::Smoothstep)),
        ("soft_shrink_half", pair(a::SoftShrinkHalf)),
        ("staircase", pair(a::Staircase)),
        ("step_seventh", pair(a::StepSeventh)),
        ("x_abs_x", pair(a::XAbsX)),
    ];
    let mut all: BTreeMap<String, Pair> =
        plain.into_iter().map(|(name, pair)| (name.to_owned(), pair)).collect();
    let mut add = |name: String, pair: Pair| all.insert(name, pair);
    for lambda in [0.3, 1e-9, 30.0] {
        add(
            format!("soft_shrink({lambda})"),
            pair(a::SoftShrink::new(lambda).expect("in the domain")),
        );
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-9], [100.0, 101.0]] {
        add(
            format!("clamp_between({a}, {b})"),
            pair(a::ClampBetween::new(a, b).expect("in the domain")),
        );
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-4], [100.0, 101.0]] {
        add(
            format!("smooth_ramp({a}, {b})"),
            pair(a::SmoothRamp::new(a, b).expect("in the domain")),
        );
    }
    for alpha in [0.3, 1e3] {
        add(
            format!("hard_sigmoid({alpha})"),
            pair(a::HardSigmoid::new(alpha).expect("in the domain")),
        );
    }
    for slope in [-0.25, 0.999] {
        add(format!("prelu({slope})"), pair(a::Prelu::new(slope).expect("in the domain")));
    }
    for [height, base] in [[3.3, 0.0], [0.7, 5.1]] {
        add(
            format!("pulse({height}, {base})"),
            pair(a::Pulse::new(height, base).expect("in the domain")),
        );
    }
    for [a, b] in [[0.3, 0.4], [-7.0, 1e-3]] {
        add(format!("third_step({a}, {b})"), pair(a::ThirdStep::new(a, b).expect("in the domain")));
    }
    for [a, b] in [[0.7, 0.3], [300.0, -7.1]] {
        add(format!("slanted({a}, {b})"), pair(a::Slanted::new(a, b).expect("in the domain")));
    }
    for [a, b] in [[0.7, 1.0], [1e-3, 0.3]] {
        add(format!("band({a}, {b})"), pair(a::Band::new(a, b).expect("in the domain")));
    }
    for [a, b] in [[0.1, 0.2], [5.0, 1e-9]] {
        add(
            format!("square_beyond({a}, {b})"),
            pair(a::SquareBeyond::new(a, b).expect("in the domain")),
        );
    }
    all
}
