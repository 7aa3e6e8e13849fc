//! An activation is the function that was written: its value everywhere, and without variance also
//! the moments, which the derived formulas give.

use gaussform_user_tests::{family, forms, names};
use gf::Activation;

/// Points on both sides of every knot and on it.
fn points() -> impl Iterator<Item = f64> {
    (-640..=640_i32).map(|i| f64::from(i) / 128.0)
}

#[track_caller]
fn same(activation: &impl Activation<f64>, function: impl Fn(f64) -> f64) {
    for x in points() {
        let (value, m) = (function(x), activation.moments(x, 0.0));
        assert_eq!(activation.value(x), value, "the value at {x}");
        let sides = [function(x - 1e-12), function(x + 1e-12)];
        // On a jump the moments are the limits for a small variance, half of it on either side.
        let is_jump = (sides[1] - sides[0]).abs() > 1e-6;
        let expected = if is_jump {
            let half = (sides[1] - sides[0]) / 2.0;
            [f64::midpoint(sides[0], sides[1]), half * half]
        } else {
            [value, 0.0]
        };
        let tolerance = if is_jump { 1e-10 } else { 1e-14 };
        for (got, expected) in [m.mean, m.variance].into_iter().zip(expected) {
            let error = (got - expected).abs();
            assert!(error <= tolerance * expected.abs().max(1.0), "{got} for {expected} at {x}");
        }
    }
}

#[test]
fn forms_of_bodies() {
    same(&forms::HardSwish, forms::hard_swish);
    same(&forms::Hat, forms::hat);
    same(&forms::Ranges, forms::ranges);
    same(&forms::Guards, forms::guards);
    same(&forms::Window, forms::window);
    same(&forms::Named, forms::named);
    same(&forms::Sign, forms::sign);
    same(&forms::TwoSigns, forms::two_signs);
    same(&forms::Leaky::new(0.125).expect("in the domain"), |x| forms::leaky(x, 0.125));
}

#[test]
fn single_precision() {
    for x in points() {
        let x = x as f32;
        assert_eq!(Activation::<f32>::value(&forms::Single, x), forms::single(x));
        assert_eq!(forms::Single.moments(x, 0.0).mean, forms::single(x));
        assert_eq!(
            forms::Leaky::new(0.125).expect("in the domain").value(x),
            forms::leaky(x, 0.125)
        );
    }
}

#[test]
fn names_and_places() {
    let some = names::Some::new(0.5, 1.0, 3.0).expect("in its domain");
    same(&some, |x| names::some(x, 0.5, 1.0, 3.0));
    same(&names::None, names::none);
    same(&names::Option, names::option);
    same(&names::Kernel, names::kernel);
    same(&names::V, names::v);
    same(&names::HingeAtTwo, names::hinge_at_two);
    same(&names::RenamedAgain, names::renamed_again);
    assert!(names::outer::second(1.0, 0.0) == 1.0);
    assert!(names::local(-20.0) == -20.0);
}

#[test]
fn a_module() {
    same(&family::Soft, family::soft);
    same(&family::Ramp::new(0.25).expect("in the domain"), |x| family::ramp(x, 0.25));
    same(&family::Blend, family::blend);
    assert_eq!(family::Scale(2.0).to_string(), "2");
}

/// The sign of −0 is the function's.
#[test]
fn zero() {
    assert_eq!(forms::Sign.value(0.0), 1.0);
    assert_eq!(forms::Sign.value(-0.0), -1.0);
    assert_eq!(forms::TwoSigns.value(1.0), 1.0);
}
