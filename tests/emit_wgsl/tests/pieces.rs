//! scratch
use gaussform_codegen::{Kernel, wgsl};
use gaussform_emit_wgsl::Device;
use gaussform_symbolic::Activation;
#[test]
fn scratch() {
    let device = Device::find().expect("a device");
    for text in std::env::var("TEXTS").unwrap().split('|') {
    let activation = Activation::parse(text).expect("valid");
    let kernel = wgsl::kernel(&activation).expect("a kernel");
    let module = wgsl::text(std::slice::from_ref(&kernel)).expect("a name of WGSL");
    std::fs::write("/tmp/module.wgsl", &module).unwrap();
    let double = Kernel::new(&activation).unwrap();
    println!("{text}\ntable {} lines {}", kernel.table().is_some(), module.lines().count());
    println!("{}", module.lines().find(|l| l.starts_with("// Right")).unwrap());
    let mut points = Vec::new();
    for exponent in -10..10 {
        let xi2 = f32::powi(3.0, exponent);
        for knot in [0.0, -3.0, 3.0, 0.208_333_33, 0.3125, 1.5, 0.1] {
            for z in [0.0, 0.013, -0.7, 1.9, -3.3, 6.1, -11.0] {
                points.push([knot + z * xi2.sqrt(), xi2]);
            }
        }
    }
    let t = std::time::Instant::now();
    let got = device.moments_grad(&module, "g_moments_grad(p.x, p.y)", &points);
    println!("{:?}", t.elapsed());
    let mut largest = [(0.0_f64, [0.0_f32; 2], 0.0, 0.0); 7];
    for (got, point) in got.iter().zip(&points) {
        let [gamma, xi2] = point.map(f64::from);
        let truth = double.moments_grad(&[], gamma, xi2).to_array();
        let [_, second, variance, ..] = truth;
        let var = variance.max(f64::from(f32::MIN_POSITIVE));
        let (deviation, xi) = (var.sqrt(), xi2.sqrt());
        let scales = [second.sqrt(), second, variance, deviation/xi, deviation/xi2, var/xi, var/xi2];
        for i in 0..7 {
            let scale = scales[i].max(truth[i].abs());
            let unit = f64::from(f32::EPSILON) * scale.max(f64::from(f32::MIN_POSITIVE) / 1e-7);
            let mut error = (f64::from(got[i]) - truth[i]).abs() / unit;
            if truth[i].abs() > f64::from(f32::MAX) && got[i].is_infinite() { error = 0.0; }
            if error.is_nan() { error = f64::INFINITY }
            if error > largest[i].0 { largest[i] = (error, *point, got[i] as f64, truth[i]); }
        }
    }
    for l in largest { println!("{:8.2} at {:?}: {} {}", l.0, l.1, l.2, l.3); }
    }
}
