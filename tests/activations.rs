//! Every activation of the library against a definition written by hand: its values, and its moments
//! by numerical integration of that definition.

use gaussform::Activation;
use gaussform::activations::{
    Abs, Clip, ClippedRelu, CubicBspline, DECLARATIONS, GeluCubic, GeluQuadratic, HardShrink,
    HardSigmoid, HardSigmoidAffine, HardSigmoidKeras2, HardSwish, HardTanh, Hat, Heaviside,
    Identity, KerasRelu, LeakyRelu, Prelu, QuadraticBspline, Relu, Relu1, Relu2, Relu3, Relu6,
    Rrelu, ShiftedRelu, Shrink, SigmoidCubic, SigmoidQuadratic, SignOf, Smootherstep, Smoothstep,
    SoftShrink, SoftplusCubic, SoftplusQuadratic, SparsePlus, SparseSigmoid, Sqnl, Square, Srelu,
    SymmetricClip, TanhCubic, TanhQuadratic, Tent, Ternary, Threshold, ThresholdedRelu,
};
use gaussform_symbolic::Library;

/// Values and moments of an activation, its type forgotten.
trait Compiled {
    fn value(&self, x: f64) -> [f64; 2];
    fn moments(&self, gamma: f64, xi2: f64) -> [f64; 3];
}

impl<A: Activation<f64> + Activation<f32>> Compiled for A {
    #[allow(clippy::cast_possible_truncation, reason = "the value in single precision is wanted")]
    fn value(&self, x: f64) -> [f64; 2] {
        [Activation::<f64>::value(self, x), f64::from(Activation::<f32>::value(self, x as f32))]
    }

    fn moments(&self, gamma: f64, xi2: f64) -> [f64; 3] {
        let m = Activation::<f64>::moments(self, gamma, xi2);
        [m.mean, m.second, m.variance]
    }
}

/// A function by hand.
type Function = fn(f64) -> f64;

/// A name, the compiled activation, and what it is by hand.
type Row = (&'static str, Box<dyn Compiled>, Function);

fn row(name: &'static str, compiled: Box<dyn Compiled>, definition: Function) -> Row {
    (name, compiled, definition)
}

/// The library in its order.
fn library() -> Vec<Row> {
    let keras = KerasRelu::new(0.1, 0.5, 2.0).expect("in the domain");
    let srelu = Srelu::new(-1.0, 0.2, 0.75, -0.5).expect("in the domain");
    vec![
        row("identity", Box::new(Identity), |x| x),
        row("relu", Box::new(Relu), |x| if x > 0.0 { x } else { 0.0 }),
        row("leaky_relu", Box::new(LeakyRelu::new(0.01).expect("in the domain")), |x| {
            if x < 0.0 { 0.01 * x } else { x }
        }),
        row("prelu", Box::new(Prelu::new(-0.25).expect("in the domain")), |x| {
            if x < 0.0 { -0.25 * x } else { x }
        }),
        row("rrelu", Box::new(Rrelu::new(0.125, 0.375).expect("in the domain")), |x| {
            if x < 0.0 { 0.25 * x } else { x }
        }),
        row("keras_relu", Box::new(keras), |x| {
            if x >= 2.0 {
                2.0
            } else if x > 0.5 {
                x
            } else {
                0.1 * (x - 0.5)
            }
        }),
        row("threshold", Box::new(Threshold::new(0.1, 20.0).expect("in the domain")), |x| {
            if x > 0.1 { x } else { 20.0 }
        }),
        row("thresholded_relu", Box::new(ThresholdedRelu::new(1.0).expect("in the domain")), |x| {
            if x > 1.0 { x } else { 0.0 }
        }),
        row("clipped_relu", Box::new(ClippedRelu::new(4.0).expect("in the domain")), |x| {
            x.clamp(0.0, 4.0)
        }),
        row("relu1", Box::new(Relu1), |x| x.clamp(0.0, 1.0)),
        row("relu6", Box::new(Relu6), |x| x.clamp(0.0, 6.0)),
        row("relu2", Box::new(Relu2), |x| if x > 0.0 { x * x } else { 0.0 }),
        row("relu3", Box::new(Relu3), |x| if x > 0.0 { x * x * x } else { 0.0 }),
        row("shifted_relu", Box::new(ShiftedRelu), |x| x.max(-1.0)),
        row("srelu", Box::new(srelu), |x| {
            if x <= -1.0 {
                -1.0 + 0.2 * (x + 1.0)
            } else if x < 0.75 {
                x
            } else {
                0.75 - 0.5 * (x - 0.75)
            }
        }),
        row("sparse_plus", Box::new(SparsePlus), |x| {
            if x <= -1.0 {
                0.0
            } else if x >= 1.0 {
                x
            } else {
                0.25 * (x + 1.0).powi(2)
            }
        }),
        row("hard_tanh", Box::new(HardTanh), |x| x.clamp(-1.0, 1.0)),
        row("clip", Box::new(Clip::new(-0.5, 2.0).expect("in the domain")), |x| x.clamp(-0.5, 2.0)),
        row("symmetric_clip", Box::new(SymmetricClip::new(1.5).expect("in the domain")), |x| {
            x.clamp(-1.5, 1.5)
        }),
        row("hard_sigmoid", Box::new(HardSigmoid), |x| ((x + 3.0) / 6.0).clamp(0.0, 1.0)),
        row("hard_sigmoid_keras2", Box::new(HardSigmoidKeras2), |x| {
            (0.2 * x + 0.5).clamp(0.0, 1.0)
        }),
        row(
            "hard_sigmoid_affine",
            Box::new(HardSigmoidAffine::new(0.25, 0.75).expect("in the domain")),
            |x| (0.25 * x + 0.75).clamp(0.0, 1.0),
        ),
        row("sparse_sigmoid", Box::new(SparseSigmoid), |x| 0.5 * (x + 1.0).clamp(0.0, 2.0)),
        row("hard_swish", Box::new(HardSwish), |x| x * ((x + 3.0) / 6.0).clamp(0.0, 1.0)),
        row("sqnl", Box::new(Sqnl), |x| {
            if x.abs() >= 2.0 { x.signum() } else { x - 0.25 * x * x.abs() }
        }),
        row("hard_shrink", Box::new(HardShrink::new(0.5).expect("in the domain")), |x| {
            if x.abs() > 0.5 { x } else { 0.0 }
        }),
        row("soft_shrink", Box::new(SoftShrink::new(0.5).expect("in the domain")), |x| {
            (x.abs() - 0.5).max(0.0) * x.signum()
        }),
        row("shrink", Box::new(Shrink::new(1.0, 0.25).expect("in the domain")), |x| {
            if x.abs() > 1.0 { x - 0.25 * x.signum() } else { 0.0 }
        }),
        row("heaviside", Box::new(Heaviside), |x| if x > 0.0 { 1.0 } else { 0.0 }),
        row("sign_of", Box::new(SignOf), |x| if x == 0.0 { 0.0 } else { x.signum() }),
        row("ternary", Box::new(Ternary::new(0.75).expect("in the domain")), |x| {
            if x.abs() > 0.75 { x.signum() } else { 0.0 }
        }),
        row("abs", Box::new(Abs), f64::abs),
        row("square", Box::new(Square), |x| x * x),
        row("hat", Box::new(Hat), |x| (1.0 - x.abs()).max(0.0)),
        row("tent", Box::new(Tent::new(1.25).expect("in the domain")), |x| {
            (1.25 - x.abs()).max(0.0)
        }),
        row("quadratic_bspline", Box::new(QuadraticBspline), |x| b_spline(2, x + 1.5)),
        row("cubic_bspline", Box::new(CubicBspline), |x| b_spline(3, x + 2.0)),
        row("smoothstep", Box::new(Smoothstep), |x| {
            let t = x.clamp(0.0, 1.0);
            3.0 * t * t - 2.0 * t * t * t
        }),
        row("smootherstep", Box::new(Smootherstep), |x| {
            let t = x.clamp(0.0, 1.0);
            6.0 * t.powi(5) - 15.0 * t.powi(4) + 10.0 * t.powi(3)
        }),
        row("sigmoid_quadratic", Box::new(SigmoidQuadratic), sigmoid_quadratic),
        row("sigmoid_cubic", Box::new(SigmoidCubic), sigmoid_cubic),
        row("tanh_quadratic", Box::new(TanhQuadratic), |x| 2.0 * sigmoid_quadratic(2.0 * x) - 1.0),
        row("tanh_cubic", Box::new(TanhCubic), |x| 2.0 * sigmoid_cubic(2.0 * x) - 1.0),
        row("softplus_quadratic", Box::new(SoftplusQuadratic), |x| {
            x.max(0.0) + 0.091 * up_to(2.0, x).powi(2) + 0.0136 * up_to(5.0, x).powi(2)
        }),
        row("softplus_cubic", Box::new(SoftplusCubic), |x| {
            x.max(0.0)
                + 0.305 * (up_to(3.0, x) / 3.0).powi(3)
                + 0.39 * (up_to(6.0, x) / 6.0).powi(3)
        }),
        row("gelu_quadratic", Box::new(GeluQuadratic), |x| {
            let sides = (up_to(0.875, x) / 0.875).powi(2) - (up_to(3.5, x) / 3.5).powi(2);
            x.max(0.0) + 7.0 / 24.0 * sides
        }),
        row("gelu_cubic", Box::new(GeluCubic), |x| {
            let sides = (up_to(1.65, x) / 1.65).powi(3) - (up_to(3.6, x) / 3.6).powi(3);
            x.max(0.0) + 33.0 / 65.0 * sides
        }),
    ]
}

/// The distance of x to the ends of [−t, t], 0 outside.
fn up_to(t: f64, x: f64) -> f64 {
    (t - x.abs()).max(0.0)
}

/// The cardinal B-spline of a degree on 0, 1, 2, … by the recurrence of Cox and de Boor.
fn b_spline(degree: u8, x: f64) -> f64 {
    if degree == 0 {
        return if (0.0..1.0).contains(&x) { 1.0 } else { 0.0 };
    }
    let n = f64::from(degree);
    (x * b_spline(degree - 1, x) + (n + 1.0 - x) * b_spline(degree - 1, x - 1.0)) / n
}

fn sigmoid_quadratic(x: f64) -> f64 {
    let rest = 5.0 / 144.0 * up_to(3.0, x).powi(2) + up_to(6.0, x).powi(2) / 192.0;
    if x < 0.0 { rest } else { 1.0 - rest }
}

fn sigmoid_cubic(x: f64) -> f64 {
    if x.abs() < 2.0 {
        return 0.5 + 0.24 * x - 0.0125 * x * x * x;
    }
    let rest = 0.001_875 * up_to(6.0, x).powi(3);
    if x < 0.0 { rest } else { 1.0 - rest }
}

#[test]
fn the_table_above_is_the_whole_library() {
    let declared = gaussform_symbolic::Activation::parse_file(DECLARATIONS, &Library::new());
    let declared = declared.expect("the declarations are valid");
    let names: Vec<&str> = declared.iter().map(|activation| activation.name.as_str()).collect();
    assert_eq!(library().iter().map(|row| row.0).collect::<Vec<_>>(), names);
    for activation in &declared {
        assert!(!activation.docs.is_empty(), "`{}` has no documentation", activation.name);
    }
}

/// The texts that types carry.
macro_rules! declarations {
    ($($Type:ident)*) => { [$($Type::DECLARATION),*] };
}

#[test]
fn types_carry_what_they_were_declared_as() {
    let declared = gaussform_symbolic::Activation::parse_file(DECLARATIONS, &Library::new());
    let declared = declared.expect("the declarations are valid");
    let carried = declarations![
        Identity Relu LeakyRelu Prelu Rrelu KerasRelu Threshold ThresholdedRelu ClippedRelu Relu1
        Relu6 Relu2 Relu3 ShiftedRelu Srelu SparsePlus HardTanh Clip SymmetricClip HardSigmoid
        HardSigmoidKeras2 HardSigmoidAffine SparseSigmoid HardSwish Sqnl HardShrink SoftShrink
        Shrink Heaviside SignOf Ternary Abs Square Hat Tent QuadraticBspline CubicBspline
        Smoothstep Smootherstep SigmoidQuadratic SigmoidCubic TanhQuadratic TanhCubic
        SoftplusQuadratic SoftplusCubic GeluQuadratic GeluCubic
    ];
    assert_eq!(carried.len(), declared.len());
    for (text, mut declared) in carried.into_iter().zip(declared) {
        let read = gaussform_symbolic::Activation::parse(text);
        // Documentation is no part of the text.
        declared.docs.clear();
        assert_eq!(read.unwrap_or_else(|error| panic!("{text}: {error}")), declared, "{text}");
    }
}

#[test]
fn values_are_those_of_the_definitions() {
    for (name, compiled, definition) in library() {
        // Multiples of 1/64 are numbers of both precisions; the knots are among them, but for two.
        for x in (-640..=640).map(|i| f64::from(i) / 64.0) {
            let expected = definition(x);
            let [double, single] = compiled.value(x);
            let scale = expected.abs().max(1.0);
            assert!(
                (double - expected).abs() <= 4e-15 * scale,
                "{name}({x}): {double}, {expected}"
            );
            assert!((single - expected).abs() <= 2e-6 * scale, "{name}({x}): {single}, {expected}");
        }
    }
}

/// ∫ f from a to b by Simpson's rule, halved where it has not settled.
fn integral(f: &impl Fn(f64) -> f64, [a, b]: [f64; 2]) -> f64 {
    fn refine(
        f: &impl Fn(f64) -> f64,
        [a, b]: [f64; 2],
        [left, middle, right]: [f64; 3],
        depth: u32,
    ) -> f64 {
        let center = 0.5 * (a + b);
        let (before, after) = (f(0.5 * (a + center)), f(0.5 * (center + b)));
        let whole = (b - a) / 6.0 * (left + 4.0 * middle + right);
        let halves = (b - a) / 12.0 * (left + 4.0 * (before + after) + 2.0 * middle + right);
        let difference = halves - whole;
        if depth == 0 || difference.abs() < 1e-14 {
            return halves + difference / 15.0;
        }
        refine(f, [a, center], [left, before, middle], depth - 1)
            + refine(f, [center, b], [middle, after, right], depth - 1)
    }
    refine(f, [a, b], [f(a), f(0.5 * (a + b)), f(b)], 44)
}

#[test]
fn moments_are_integrals_of_the_definitions() {
    let points = [(-3.1, 0.5), (-0.7, 1.3), (0.0, 1.0), (0.4, 0.04), (2.2, 9.0), (5.5, 2.0)];
    for (name, compiled, definition) in library() {
        for (gamma, xi2) in points {
            let xi = f64::sqrt(xi2);
            // Over z = (u − γ)/ξ, in parts, so that nothing narrow is missed.
            let expectation = |g: &dyn Fn(f64) -> f64| -> f64 {
                let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                let f = |z: f64| g(gamma + xi * z) * density(z);
                let part = |i: i32| integral(&f, [0.5 * f64::from(i), 0.5 * f64::from(i + 1)]);
                (-22..22).map(part).sum()
            };
            let mean = expectation(&definition);
            let second = expectation(&|u| definition(u).powi(2));
            let variance = expectation(&|u| (definition(u) - mean).powi(2));
            let found = compiled.moments(gamma, xi2);
            for (found, expected) in found.into_iter().zip([mean, second, variance]) {
                let error = (found - expected).abs() / second.max(1.0);
                assert!(error < 1e-11, "{name} at {gamma}, {xi2}: {found}, {expected}");
            }
        }
    }
}

/// The largest distance of an approximation to the function that it stands for.
fn largest_error(name: &str, real: Function) -> f64 {
    let table = library();
    let (_, compiled, _) = table.iter().find(|row| row.0 == name).expect("in the table");
    let places = (-120_000..=120_000).map(|i| f64::from(i) / 8192.0);
    places.map(|x| (compiled.value(x)[0] - real(x)).abs()).fold(0.0, f64::max)
}

#[test]
fn approximations_are_as_good_as_they_say() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let gelu = |x: f64| 0.5 * x * libm::erfc(-x / std::f64::consts::SQRT_2);
    let real: [(&str, Function); 4] =
        [("sigmoid", sigmoid), ("tanh", f64::tanh), ("softplus", softplus), ("gelu", gelu)];
    let declared = gaussform_symbolic::Activation::parse_file(DECLARATIONS, &Library::new());
    for (name, real) in real {
        for degree in ["quadratic", "cubic"] {
            let name = format!("{name}_{degree}");
            let declared = declared.as_ref().expect("the declarations are valid");
            let activation = declared.iter().find(|a| a.name == name).expect("declared");
            // `… to 0.0035, …`
            let stated = activation.docs[0].split_once(" to ").expect("an error").1;
            let stated: f64 = stated.split(',').next().expect("it").parse().expect("a number");
            let found = largest_error(&name, real);
            // Rounded up to four decimals, and no more than that.
            assert!(found <= stated && stated < found + 1e-4, "{name}: {found}, said {stated}");
        }
    }
}
