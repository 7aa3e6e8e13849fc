//! scratch
use gaussform_codegen::{Kernel, wgsl};
use gaussform_emit_wgsl::Device;
use gaussform_symbolic::Activation;
#[test]
fn scratch() {
    let device = Device::find().expect("a device");
    for text in std::env::var("TEXTS").unwrap().split('|') {
    let (text, params) = text.split_once('#').unwrap_or((text, ""));
    let params: Vec<f64> = params.split(',').filter(|p| !p.is_empty()).map(|p| p.parse().unwrap()).collect();
    let arguments: String = params.iter().map(|value| format!(", {value:?}")).collect();
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
    let got = device.moments_grad(&module, &format!("g_moments_grad(p.x, p.y{arguments})"), &points);
    println!("{:?}", t.elapsed());
    let mut largest = [(0.0_f64, [0.0_f32; 2], 0.0, 0.0); 7];
    for (got, point) in got.iter().zip(&points) {
        let [gamma, xi2] = point.map(f64::from);
        let truth = double.moments_grad(&params, gamma, xi2).to_array();
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
    for i in 0..params.len() {
        let module = format!("{module}\nfn seven(v: array<gaussform_parameter_grad, {0}>) -> gaussform_moments_grad {{ let w = v[{i}]; return gaussform_moments_grad(w.dmean, w.dsecond, w.dvariance, 0.0, 0.0, 0.0, 0.0); }}", params.len());
        let got = device.moments_grad(&module, &format!("seven(g_parameter_grad(p.x, p.y{arguments}))"), &points);
        let mut largest = [(0.0_f64, [0.0_f32; 2], 0.0, 0.0); 3];
        for (got, point) in got.iter().zip(&points) {
            let [gamma, xi2] = point.map(f64::from);
            let out = double.fixed(&params).parameter_grad(gamma, xi2);
            let t = [out[i].dmean, out[i].dsecond, out[i].dvariance];
            for k in 0..3 {
                let e = (f64::from(got[k]) - t[k]).abs() / t[k].abs().max(1e-30) / f64::from(f32::EPSILON);
                if !(e <= largest[k].0) { largest[k] = (e, *point, got[k] as f64, t[k]); }
            }
        }
        for l in largest { println!("  p{i} {:8.2} at {:?}: {} {}", l.0, l.1, l.2, l.3); }
    }
    }
}
