//! Tables of WGSL on a device: random functions with up to 64 knots, beside quadrature of their values in double
//! precision.
//!
//! Where Vulkan names no device, the tests say NOT RUN; `GAUSSFORM_VULKAN=required` makes that a failure.
//! `GAUSSFORM_HUNT=500` takes so many functions.

#![allow(clippy::print_stdout, reason = "one wants to know the errors on a device")]

use std::io::{self, Write as _};

use gaussform_codegen::wgsl;
use gaussform_emit_wgsl::truth::{Function, Polynomial};
use gaussform_emit_wgsl::{Device, is_promised};
use gaussform_symbolic::Activation;

/// The names of the results.
const NAMES: [&str; 7] = ["mean", "second", "variance", "dm/dγ", "dm/dξ²", "dV/dγ", "dV/dξ²"];

/// Knuth's generator; the upper bits are the random ones.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// Numerator and denominator.
    fn ratio(&mut self, most: u64) -> [i64; 2] {
        [self.below(2 * most + 1) as i64 - most as i64, self.below(9) as i64 + 1]
    }
}

fn number([above, below]: [i64; 2]) -> f64 {
    above as f64 / below as f64
}

fn written([above, below]: [i64; 2]) -> String {
    format!("({above}/{below})")
}

/// Limits of a random function: number of knots, degree, distances and flat pieces.
struct Kind {
    knots: usize,
    degree: u64,
    /// How far the knots lie from each other on the average.
    spread: i64,
    /// Whether pieces are straight or constant in places.
    is_flat: bool,
}

/// A function and its declaration. Pieces are polynomials in a distance of about 1 on them, so that their values are
/// moderate; those without an end have a low degree.
fn function(draw: &mut Draw, kind: &Kind) -> (Function, String) {
    let mut places: Vec<[i64; 2]> = Vec::new();
    let mut last = -(kind.knots as i64) * kind.spread * 60;
    for _ in 0..kind.knots {
        last += 1 + draw.below(240 * kind.spread as u64) as i64;
        places.push([last, 120]);
    }
    let knots: Vec<f64> = places.iter().map(|place| number(*place)).collect();
    let (mut pieces, mut text) = (Vec::new(), "piecewise { ".to_owned());
    for piece in 0..=kind.knots {
        let ends = [piece.checked_sub(1).map(|i| places[i][0]), places.get(piece).map(|p| p[0])];
        let (at, width, most) = match ends {
            [Some(left), Some(right)] => ([left + right, 240], [right - left, 120], kind.degree),
            [Some(end), None] | [None, Some(end)] => ([end, 120], [1, 1], kind.degree.min(3)),
            [None, None] => ([0, 1], [1, 1], kind.degree.min(5)),
        };
        let degree = if kind.is_flat && draw.below(2) == 0 { 0 } else { draw.below(most + 1) };
        let coefficients: Vec<[i64; 2]> = (0..=degree).map(|_| draw.ratio(20)).collect();
        let distance = format!("(x - {})*{}/{}", written(at), width[1], width[0]);
        let terms: Vec<String> = (0..)
            .zip(&coefficients)
            .map(|(power, c)| match power {
                0 => written(*c),
                1 => format!("{}*{distance}", written(*c)),
                _ => format!("{}*({distance})^{power}", written(*c)),
            })
            .collect();
        let polynomial = terms.join(" + ");
        text += &match places.get(piece) {
            Some(place) => format!("x < {}: {polynomial}; ", written(*place)),
            None => format!("else: {polynomial} }}"),
        };
        pieces.push(Polynomial {
            at: number(at),
            width: number(width),
            coefficients: coefficients.into_iter().map(number).collect(),
        });
    }
    (Function { knots, pieces }, text)
}

/// γ on and around knots at every scale of ξ, where the module says that it is right.
fn points(draw: &mut Draw, knots: &[f64], module: &str) -> Vec<[f32; 2]> {
    let mut points = Vec::new();
    for _ in 0..400 {
        let knot =
            if knots.is_empty() { 0.0 } else { knots[draw.below(knots.len() as u64) as usize] };
        let xi2 = f32::powf(2.0, draw.below(4000) as f32 / 100.0 - 20.0);
        let z = match draw.below(4) {
            0 => 0.0,
            1 => draw.below(2000) as f32 / 1000.0 - 1.0,
            2 => draw.below(2000) as f32 / 200.0 - 5.0,
            _ => draw.below(2000) as f32 / 80.0 - 12.5,
        };
        let gamma = knot as f32 + z * xi2.sqrt();
        if is_promised(module, [gamma, xi2]) {
            points.push([gamma, xi2]);
        }
    }
    points
}

/// The errors in units of the last place: of the value, or of what the promise measures beside.
fn errors(got: [f32; 7], truth: [f64; 7], xi2: f64) -> [f64; 7] {
    let [_, second, variance, ..] = truth;
    // A variance below the smallest normal number may be nothing on a device, and its derivatives with it.
    let variance = variance.max(f64::from(f32::MIN_POSITIVE));
    let (deviation, xi) = (variance.sqrt(), xi2.sqrt());
    let scales = [
        second.sqrt(),
        second,
        variance,
        deviation / xi,
        deviation / xi2,
        variance / xi,
        variance / xi2,
    ];
    std::array::from_fn(|i| {
        if truth[i].abs() > f64::from(f32::MAX) {
            let is_right = got[i].is_infinite() && f64::from(got[i].signum()) == truth[i].signum();
            return if is_right { 0.0 } else { f64::INFINITY };
        }
        let scale = scales[i].max(truth[i].abs()).max(f64::from(f32::MIN_POSITIVE) / 1e-7);
        let error = (f64::from(got[i]) - truth[i]).abs() / (f64::from(f32::EPSILON) * scale);
        if error.is_nan() { f64::INFINITY } else { error }
    })
}

fn device() -> Option<Device> {
    let device = Device::find();
    if device.is_none() {
        assert!(std::env::var_os("GAUSSFORM_VULKAN").is_none(), "Vulkan names no device");
        let note = "NOT RUN: Vulkan names no device; Debian has one in mesa-vulkan-drivers";
        writeln!(io::stderr(), "{note}").expect("somewhere to say so");
    }
    device
}

#[test]
fn random_functions() {
    let Some(device) = device() else { return };
    let count = std::env::var("GAUSSFORM_HUNT").map_or(6, |n| n.parse().expect("a number"));
    let mut draw =
        Draw(std::env::var("GAUSSFORM_SEED").map_or(1, |n| n.parse().expect("a number")));
    let mut wrong = String::new();
    for i in 0..count {
        let kind = match i % 6 {
            0 => Kind { knots: 3, degree: 1, spread: 1, is_flat: false },
            1 => Kind { knots: 1, degree: 5, spread: 1, is_flat: false },
            2 => Kind { knots: 6, degree: 4, spread: 2, is_flat: true },
            3 => Kind { knots: 4, degree: 12, spread: 1, is_flat: false },
            4 => Kind { knots: 64, degree: 1, spread: 4, is_flat: true },
            _ => Kind { knots: 20, degree: 3, spread: 1, is_flat: true },
        };
        let (function, body) = function(&mut draw, &kind);
        print!("{:2} knots, degree {:2}: ", kind.knots, kind.degree);
        wrong += &compare(&device, &mut draw, &function, &body);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn high_degrees_and_large_coefficients() {
    let Some(device) = device() else { return };
    let mut draw = Draw(3);
    let power = |degree: usize, at: f64, width: f64| {
        let mut coefficients = vec![0.0; degree + 1];
        coefficients[degree] = 1.0;
        Polynomial { at, width, coefficients }
    };
    let constant = |value: f64| Polynomial { at: 0.0, width: 1.0, coefficients: vec![value] };
    let cube = |c: f64| Polynomial { at: 0.0, width: 1.0, coefficients: vec![0.0, 0.0, 0.0, c] };
    let mut wrong = String::new();
    for (text, knots, pieces) in [
        ("max(0, x)^64", vec![0.0], vec![constant(0.0), power(64, 0.0, 1.0)]),
        (
            "clamp(8*x, 0, 1)^30",
            vec![0.0, 0.125],
            vec![constant(0.0), power(30, 0.0, 0.125), constant(1.0)],
        ),
        (
            "clamp(x/32, -1, 1)^20",
            vec![-32.0, 32.0],
            vec![constant(1.0), power(20, 0.0, 32.0), constant(1.0)],
        ),
        ("10^15*max(0, x)^3", vec![0.0], vec![constant(0.0), cube(1e15)]),
        ("10^30*max(0, x)^3", vec![0.0], vec![constant(0.0), cube(1e30)]),
    ] {
        print!("{text:25}: ");
        wrong += &compare(&device, &mut draw, &Function { knots, pieces }, text);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Compares a module with the truth, and says what is too far from it.
fn compare(device: &Device, draw: &mut Draw, function: &Function, body: &str) -> String {
    let activation = Activation::parse(&format!("g(x) = {body}")).expect("valid");
    let kernel = wgsl::kernel(&activation).expect("a kernel");
    let module = wgsl::text(std::slice::from_ref(&kernel)).expect("a name of WGSL");
    let points = points(draw, &function.knots, &module);
    let got = device.moments_grad(&module, "g_moments_grad(p.x, p.y)", &points);
    let mut largest = [(0.0_f64, [0.0_f32; 2]); 7];
    for (got, point) in got.into_iter().zip(points) {
        let [gamma, xi2] = point.map(f64::from);
        let errors = errors(got, function.moments_grad(gamma, xi2), xi2);
        for (largest, error) in largest.iter_mut().zip(errors) {
            if error > largest.0 {
                *largest = (error, point);
            }
        }
    }
    let row: Vec<String> = largest.iter().map(|(error, _)| format!("{error:5.1}")).collect();
    println!("{}", row.join(" "));
    let results = largest.into_iter().zip(NAMES).enumerate();
    let wrong =
        results.filter(|(_, ((error, _), _))| *error > gaussform_codegen::ACCURACY_OF_SLOPE);
    wrong
        .map(|(_, ((e, at), name))| format!("{name}: {e:.1} units at {at:?} for {body}\n"))
        .collect()
}

/// A function whose knots move and at which it jumps, for values of its parameters.
fn moving([a, b]: [f64; 2]) -> Function {
    let line = |at: f64, coefficients: &[f64]| Polynomial {
        at,
        width: 1.0,
        coefficients: coefficients.to_vec(),
    };
    let cube = a * a * a;
    Function {
        knots: vec![-a, a, 2.0 * a],
        pieces: vec![
            line(0.0, &[-cube]),
            line(0.0, &[0.0, 0.0, 0.0, 1.0]),
            line(0.0, &[cube]),
            line(1.0, &[cube, b]),
        ],
    }
}

#[test]
fn derivatives_in_parameters() {
    let Some(device) = device() else { return };
    let text = "g(x; a > 0, b) = clamp(x, -a, a)^3 + b*step(x - 2*a)*(x - 1)";
    let kernel = wgsl::kernel(&Activation::parse(text).expect("valid")).expect("a kernel");
    let module = wgsl::text(std::slice::from_ref(&kernel)).expect("a name of WGSL");
    let values = [0.375, -1.5];
    let mut points = Vec::new();
    for xi2 in [0.01_f32, 0.25, 1.0, 30.0] {
        points.extend((-8..=8).map(|place| [0.25 * place as f32 * xi2.sqrt() + 0.375, xi2]));
    }
    for (parameter, name) in ["a", "b"].into_iter().enumerate() {
        let picked = format!(
            "fn picked(all: array<gaussform_parameter_grad, 2>) -> gaussform_moments_grad {{\n    let v = \
             all[{parameter}];\n    return gaussform_moments_grad(v.dmean, v.dsecond, v.dvariance, 0.0, 0.0, 0.0, \
             0.0);\n}}\n"
        );
        let call = "picked(g_parameter_grad(p.x, p.y, 0.375, -1.5))";
        let got = device.moments_grad(&format!("{module}\n{picked}"), call, &points);
        for (got, point) in got.into_iter().zip(&points) {
            let [gamma, xi2] = point.map(f64::from);
            let step = 1.0 / 8192.0;
            let at = |step: f64| {
                let mut moved = values;
                moved[parameter] += step;
                moving(moved).moments_grad(gamma, xi2)
            };
            let [before, behind] = [at(-step), at(step)];
            for k in 0..3 {
                let difference = (behind[k] - before[k]) / (2.0 * step);
                let error = (f64::from(got[k]) - difference).abs();
                let bound = 1e-5 * (1.0 + difference.abs());
                assert!(error < bound, "{name}: {} is not {difference} at {point:?}", got[k]);
            }
        }
    }
}

#[test]
fn at_zero_variance() {
    let Some(device) = device() else { return };
    let text = "g(x) = max(0, x)^3 - 2*max(0, x - 1) + step(x - 2)";
    let kernel = wgsl::kernel(&Activation::parse(text).expect("valid")).expect("a kernel");
    let module = wgsl::text(std::slice::from_ref(&kernel)).expect("a name of WGSL");
    let points = [[0.5, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, -1.0], [f32::NAN, 1.0]];
    let got = device.moments_grad(&module, "g_moments_grad(p.x, p.y)", &points);
    // Off the knots g, its square, 0, and the derivatives: g', g''/2, 0 and the square of g'.
    assert_eq!(got[0], [0.125, 0.015_625, 0.0, 0.75, 1.5, 0.0, 0.5625]);
    // The slopes at 1 are 3 and 1; ∂mean/∂ξ² is that of a bend.
    assert_eq!(got[1][..4], [1.0, 1.0, 0.0, 2.0]);
    assert_eq!(got[1][4], -f32::INFINITY);
    // Half of a jump from 6 to 7, and a quarter of its square.
    assert_eq!(got[2][..4], [6.5, 42.5, 0.25, f32::INFINITY]);
    assert!(got[3..].iter().flatten().all(|value| value.is_nan()), "{got:?}");
}
