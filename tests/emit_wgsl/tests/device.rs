//! Modules of WGSL on a device: against 40-digit truth, and against the interpreter in double precision.
//!
//! Where Vulkan names no device, the tests say NOT RUN; `GAUSSFORM_VULKAN=required` makes that a failure. With
//! `-- --nocapture` they print the largest errors.

#![allow(clippy::print_stdout, reason = "one wants to know the errors on a device")]

use std::io::{self, Write as _};

use gaussform_codegen::{Kernel, wgsl};
use gaussform_emit_wgsl::{Device, is_promised};
use gaussform_symbolic::{Activation, Library};

/// The largest error that is let pass, in units in the last place of single precision: of straight functions, and of curved ones.
const MOST: [f64; 2] = [20.0, 64.0];

/// The names of the results.
const NAMES: [&str; 7] = ["mean", "second", "variance", "dm/dγ", "dm/dξ²", "dV/dγ", "dV/dξ²"];

fn device() -> Option<Device> {
    let device = Device::find();
    match &device {
        Some(device) => println!("on {}", device.name()),
        None => {
            assert!(std::env::var_os("GAUSSFORM_VULKAN").is_none(), "Vulkan names no device");
            let note = "NOT RUN: Vulkan names no device; Debian has one in mesa-vulkan-drivers";
            writeln!(io::stderr(), "{note}").expect("somewhere to say so");
        }
    }
    device
}

/// The module with that kernel.
fn module(kernel: &Kernel) -> String {
    wgsl::text(std::slice::from_ref(kernel)).expect("a name of WGSL")
}

/// The results at points, by the module with that activation.
fn run(
    device: &Device,
    activation: &Activation,
    module: &str,
    parameters: &[f64],
    points: &[[f32; 2]],
) -> Vec<[f32; 7]> {
    let arguments: String = parameters.iter().map(|value| format!(", {value:?}")).collect();
    let call = format!("{}_moments_grad(p.x, p.y{arguments})", activation.name);
    device.moments_grad(module, &call, points)
}

/// The errors in units of the last place of the truth, or of the size of what it is a sum of.
fn errors(got: [f32; 7], truth: [f64; 7], scales: [f64; 7]) -> [f64; 7] {
    std::array::from_fn(|i| {
        if truth[i].abs() > f64::from(f32::MAX) {
            let right = got[i].is_infinite() && f64::from(got[i].signum()) == truth[i].signum();
            return if right { 0.0 } else { f64::INFINITY };
        }
        // Below the smallest normal number the error is absolute: a device may have nothing there.
        let scale = scales[i].max(truth[i].abs());
        let unit = f64::from(f32::EPSILON) * scale.max(f64::from(f32::MIN_POSITIVE) / 1e-7);
        let error = (f64::from(got[i]) - truth[i]).abs() / unit;
        if error.is_nan() { f64::INFINITY } else { error }
    })
}

/// The largest error of each result, with its point.
#[derive(Default)]
struct Largest([(f64, [f32; 2]); 7]);

impl Largest {
    fn add(&mut self, errors: [f64; 7], point: [f32; 2]) {
        for (largest, error) in self.0.iter_mut().zip(errors) {
            if error > largest.0 {
                *largest = (error, point);
            }
        }
    }

    /// Prints a row, and says what is too large.
    fn report(&self, activation: &Activation) -> String {
        let name = &activation.name;
        let table = Kernel::with_table(activation).expect("a kernel");
        let most = MOST[usize::from(table.table().is_some_and(|table| table.degree > 1))];
        let row: Vec<String> = self.0.iter().map(|(error, _)| format!("{error:5.1}")).collect();
        println!("{name:14} {}", row.join(" "));
        let wrong = self.0.iter().zip(NAMES).filter(|((error, _), _)| *error > most);
        wrong.map(|((e, at), result)| format!("{name} {result}: {e:.1} ulp at {at:?}\n")).collect()
    }
}

#[test]
fn the_tables() {
    let Some(device) = device() else { return };
    let rows: Vec<(&str, Vec<f64>)> = include_str!("../../golden/moments_f32.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let (name, numbers) = line.split_once(',').expect("a name");
            (name, numbers.split(',').map(|n| n.parse().expect("a number")).collect())
        })
        .collect();
    let mut wrong = String::new();
    let mut checked = 0;
    let declarations = include_str!("../../golden/activations.gf");
    for activation in Activation::parse_file(declarations, &Library::new()).expect("declarations") {
        let name = &activation.name;
        let module = module(&wgsl::kernel(&activation).expect("a kernel"));
        let point = |n: &[f64]| [n[0] as f32, n[1] as f32];
        let rows: Vec<&Vec<f64>> = rows
            .iter()
            .filter(|(of, n)| of == name && is_promised(&module, point(n)))
            .map(|(_, n)| n)
            .collect();
        let points: Vec<[f32; 2]> = rows.iter().map(|n| point(n)).collect();
        let mut largest = Largest::default();
        let results = run(&device, &activation, &module, &[], &points);
        for ((n, got), point) in rows.iter().zip(results).zip(&points) {
            let (xi2, variance) = (n[1], n[4]);
            let by = |scale: f64| if xi2 > 0.0 { variance / scale } else { 0.0 };
            let scales = [n[9], n[3], variance, n[10], n[11], by(xi2.sqrt()), by(xi2)];
            largest.add(errors(got, std::array::from_fn(|i| n[2 + i]), scales), *point);
            checked += 1;
        }
        wrong += &largest.report(&activation);
    }
    println!("{checked} rows");
    assert!(checked > 300, "{checked} rows");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Parameters, knots that move and meet, sums that cancel, high degrees. The crate has formulas for them.
const OTHERS: [(&str, &[f64]); 8] = [
    ("leaky(x; eps in (0, 1)) = max(eps * x, x)", &[0.25]),
    ("soft(x; alpha > 0) = clamp(x/alpha, -1, 1)", &[0.3125]),
    ("ramp(x; a, b, a <= b) = max(x, a) - max(x, b)", &[0.3125, 1.5]),
    ("met(x; a, b, a <= b) = max(x, a) - 2*max(x, b)", &[1.5, 1.5]),
    ("between(x; a, b, a < b) = step(x - (a + b)/3)", &[0.125, 0.5]),
    ("hard_swish(x) = x*clamp(x + 3, 0, 6)/6", &[]),
    ("cubed(x) = max(0, x)^3", &[]),
    ("steep(x) = max(0, x)^5", &[]),
];

/// γ at and between knots, from far below to far above, at every scale.
fn points() -> Vec<[f32; 2]> {
    let mut points = Vec::new();
    for exponent in -20..20 {
        let xi2 = f32::powi(1.7, exponent);
        for knot in [0.0, -3.0, 3.0, 0.208_333_33, 0.3125, 1.5] {
            for z in [0.0, 0.013, -0.7, 1.9, -3.3, 6.1, -11.0] {
                points.push([knot + z * xi2.sqrt(), xi2]);
            }
        }
    }
    points
}

/// Compares with the crate in double precision where the module promises to be right; says what is too large.
fn beside_double(device: &Device, text: &str, parameters: &[f64], points: &[[f32; 2]]) -> String {
    let activation = Activation::parse(text).expect("valid");
    let kernel = Kernel::new(&activation).expect("a kernel");
    let module = module(&wgsl::kernel(&activation).expect("a kernel"));
    let promised = points.iter().copied().filter(|point| is_promised(&module, *point));
    let points: Vec<[f32; 2]> = promised.collect();
    let mut largest = Largest::default();
    let results = run(device, &activation, &module, parameters, &points);
    for (got, point) in results.iter().zip(&points) {
        let [gamma, xi2] = point.map(f64::from);
        let truth = kernel.moments_grad(parameters, gamma, xi2).to_array();
        // The size of what a mean and a derivative are sums of, by Cauchy and Schwarz.
        let [_, second, variance, ..] = truth;
        let (deviation, xi) = (variance.sqrt(), xi2.sqrt());
        let in_variance = [variance / xi, variance / xi2];
        let [in_gamma, in_xi2] = [deviation / xi, deviation / xi2];
        let scales =
            [second.sqrt(), second, variance, in_gamma, in_xi2, in_variance[0], in_variance[1]];
        largest.add(errors(*got, truth, scales), *point);
    }
    largest.report(&activation)
}

#[test]
fn parameters_and_high_degrees() {
    let Some(device) = device() else { return };
    let points = points();
    let wrong = OTHERS.map(|(text, parameters)| beside_double(&device, text, parameters, &points));
    assert!(wrong.concat().is_empty(), "{}", wrong.concat());
}

/// Random functions of the kinds that have formulas; `GAUSSFORM_HUNT=500` takes so many.
#[test]
fn random_functions() {
    let Some(device) = device() else { return };
    let count = std::env::var("GAUSSFORM_HUNT").map_or(15, |n| n.parse().expect("a number"));
    let points = points();
    let mut state = 1_u64;
    // Knuth's generator; the upper bits are the random ones.
    let mut draw = |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut wrong = String::new();
    for i in 0..count {
        let mut ratio = || format!("({}/{})", draw(41) as i64 - 20, draw(9) + 1);
        let [a, b, knot] = [ratio(), ratio(), ratio()];
        let (width, degree) = (draw(30) + 1, draw(7) + 1);
        let body = match i % 5 {
            0 if degree == 1 => format!("{a}*max(0, x - {knot}) + {b}"),
            0 => format!("{a}*max(0, x - {knot})^{degree} + {b}"),
            1 => format!("{a}*x + {b}*|x - {knot}|"),
            2 => format!("{a}*clamp(x, {knot}, {knot} + {width}/7) + {b}"),
            3 => format!("{a} + {b}*step(x - {knot})"),
            _ => format!("x*clamp(x + {degree}, 0, {width})/{degree}"),
        };
        println!("{body}");
        let text = format!("g{i}(x) = {body}");
        wrong += &beside_double(&device, &text, &[], &points);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_no_distribution_is_nan() {
    let Some(device) = device() else { return };
    let activation = Activation::parse("relu(x) = max(0, x)").expect("valid");
    let module = module(&wgsl::kernel(&activation).expect("a kernel"));
    let points = [[0.0, -1.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0], [0.0, f32::NAN]];
    for (got, point) in run(&device, &activation, &module, &[], &points).iter().zip(points) {
        assert!(got.iter().all(|value| value.is_nan()), "{got:?} at {point:?}");
    }
    // Zero variance on the knot: the derivative in ξ² of a mean that rises as ξ.
    let [at_knot] = run(&device, &activation, &module, &[], &[[0.0, 0.0]])[..] else {
        unreachable!("a point")
    };
    assert_eq!(at_knot[..4], [0.0, 0.0, 0.0, 0.5]);
    assert_eq!(at_knot[4], f32::INFINITY);
}
