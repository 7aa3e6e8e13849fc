//! The parts of an activation's type beside moments: the text of its declaration, its parameters, their checks.

use std::fmt::Debug;

use gaussform::Activation;
use gaussform_codegen::Kernel;

#[gaussform::activation]
fn smooth(x: f64) -> f64 {
    const HALF: f64 = 0.5;
    match x {
        ..0.0 => 0.0,
        0.0..=1.0 => HALF * x * x,
        _ => x - HALF,
    }
}

#[gaussform::activation]
fn step(x: f64) -> f64 {
    if x < 0.1 { -1.0 } else { x.signum() + f64::from(x > 2.0) }
}

#[gaussform::activation(slope in (0, 1))]
fn leaky(x: f64, slope: f64) -> f64 {
    x.max(slope * x)
}

#[gaussform::activation(a < b)]
fn between(x: f64, a: f64, b: f64) -> f64 {
    x.clamp(a, b)
}

// Names that methods have as well, and a keyword.
#[gaussform::activation(value > 0)]
fn taken(x: f64, value: f64, r#type: f64, new: f64) -> f64 {
    r#type * x.clamp(-value, value) + new
}

#[gaussform::activations]
mod family {
    const SHARE: f64 = 0.25;

    #[activation]
    pub(crate) fn bent(x: f64) -> f64 {
        ramp(x, SHARE) - ramp(x - 1.0, SHARE)
    }

    #[activation(c in (0, 1))]
    pub(crate) fn ramp(x: f64, c: f64) -> f64 {
        x.max(c * x)
    }
}

/// A function read back from its text has the values of the function in Rust, and the bits of the type's moments.
fn same(
    text: &str,
    activation: &(impl Activation<f64> + Debug),
    parameters: &[f64],
    function: impl Fn(f64) -> f64,
) {
    let read = gaussform_symbolic::Activation::parse(text)
        .unwrap_or_else(|error| panic!("{activation:?}: {error}"));
    assert_eq!(read.declaration(), text, "not in normal form");
    let kernel = Kernel::new(&read).expect("a kernel");
    for x in (-256..=256).map(|i| f64::from(i) / 64.0) {
        let (read, written) = (kernel.evaluate(parameters, x), function(x));
        assert!((read - written).abs() <= 1e-14, "{text} at {x}: {read}, {written}");
        for xi2 in [0.0, 0.01, 2.0] {
            let read = kernel.moments_grad(parameters, x, xi2).to_array().map(f64::to_bits);
            let compiled = activation.moments_grad(x, xi2).to_array().map(f64::to_bits);
            assert_eq!(read, compiled, "{text} at {x}, {xi2}");
        }
    }
}

#[test]
fn a_type_carries_its_declaration() {
    same(Smooth::DECLARATION, &Smooth, &[], smooth);
    same(Step::DECLARATION, &Step, &[], step);
    let g = Leaky::new(0.125).expect("in the domain");
    same(Leaky::DECLARATION, &g, &[0.125], |x| leaky(x, 0.125));
    let g = Between::new(-0.75, 1.5).expect("in order");
    same(Between::DECLARATION, &g, &[-0.75, 1.5], |x| between(x, -0.75, 1.5));
    let g = Taken::new(1.5, 2.0, -3.0).expect("in the domain");
    same(Taken::DECLARATION, &g, &[1.5, 2.0, -3.0], |x| taken(x, 1.5, 2.0, -3.0));
    same(family::Bent::DECLARATION, &family::Bent, &[], family::bent);
    let g = family::Ramp::new(0.5).expect("in the domain");
    same(family::Ramp::DECLARATION, &g, &[0.5], |x| family::ramp(x, 0.5));
}

#[test]
fn parameters_are_read_and_shown() {
    let g = Between::new(-0.75, 1.5).expect("in order");
    assert_eq!([g.a(), g.b()], [-0.75, 1.5]);
    assert_eq!(format!("{g:?}"), "Between { a: -0.75, b: 1.5 }");
    assert_eq!(g, Between::new(-0.75, 1.5).expect("in order"));
    // `value` is the function itself.
    let g = Taken::new(1.5, 2.0, -3.0).expect("in the domain");
    assert_eq!([g.value_(), g.r#type(), g.new_()], [1.5, 2.0, -3.0]);
    assert_eq!(g.value(0.5), taken(0.5, 1.5, 2.0, -3.0));
}

#[test]
fn what_was_not_declared_is_refused() {
    assert!(Between::new(5.0, 1.0).is_err() && Between::new(1.0, 1.0).is_err());
    assert!(Between::new(0.0, f64::NAN).is_err() && Between::new(f64::INFINITY, 0.0).is_err());
    assert!(Leaky::new(0.0).is_err() && Leaky::new(1.0).is_err());
    // Where no relation is to be computed, in constants too.
    const SLOPE: Result<Leaky, gaussform::DomainError> = Leaky::new(0.5);
    assert!(SLOPE.is_ok_and(|g| g.slope() == 0.5));
}
