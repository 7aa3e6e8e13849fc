//! Time per element of the sum over pieces.
use gaussform_codegen::Kernel;
use gaussform_runtime::{Activation, Float, MomentsGradMut};
use gaussform_symbolic::Activation as A;
use std::time::Instant;
fn time<T: Float>(k: &impl Activation<T>, n: usize) -> [f64; 2] {
    let mut s = 1u64;
    let mut u = || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((s >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let g: Vec<T> = (0..n)
        .map(|_| T::from_f64(2.0 * (-2.0 * u().ln()).sqrt() * (6.283185307179586 * u()).cos()))
        .collect();
    let v: Vec<T> = (0..n).map(|_| T::from_f64((4.0 * u() - 2.0).exp())).collect();
    let mut r = vec![vec![T::ZERO; n]; 6];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..15 {
        let t = Instant::now();
        let [a, b, ..] = &mut r[..] else { unreachable!() };
        k.moments_into(&g, &v, a, b);
        best[0] = best[0].min(t.elapsed().as_secs_f64());
        let s: Vec<&mut [T]> = r.iter_mut().map(|x| &mut x[..]).collect();
        let s: [&mut [T]; 6] = s.try_into().ok().unwrap();
        let t = Instant::now();
        k.moments_grad_into(&g, &v, MomentsGradMut::new(s));
        best[1] = best[1].min(t.elapsed().as_secs_f64());
    }
    best.map(|t| t / n as f64 * 1e9)
}
fn main() {
    let hinges = |k: i32| {
        format!(
            "h(x) = {}",
            (0..k)
                .map(|i| format!(
                    "max(0, x - ({i})/4 + ({k})/8) * ({})",
                    [1, -2, 3, -1, 2][i as usize % 5]
                ))
                .collect::<Vec<_>>()
                .join(" + ")
        )
    };
    let mut functions: Vec<(String, String)> =
        [1, 2, 4, 8, 16, 32, 64].iter().map(|&k| (format!("hinges {k}"), hinges(k))).collect();
    for (n, t) in [
        ("hat", "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 1 - x; else: 0 }"),
        ("hard_tanh", "clamp(x,-1,1)"),
        ("relu2", "max(0,x)^2"),
        ("hard_swish", "x*clamp(x+3,0,6)/6"),
        ("sqnl", "clamp(x, -2, 2) - clamp(x, -2, 2) * |clamp(x, -2, 2)|/4"),
        (
            "cubic_bspline",
            "piecewise { |x| < 1: 2/3 - x^2 + |x|^3/2; |x| < 2: (2 - |x|)^3/6; else: 0 }",
        ),
        ("gelu_quadratic", "max(0, x) + 7/24*(max(0, 1 - 8/7*|x|)^2 - max(0, 1 - 2/7*|x|)^2)"),
        ("gelu_cubic", "max(0, x) + 33/65*(max(0, 1 - 20/33*|x|)^3 - max(0, 1 - 5/18*|x|)^3)"),
        ("deg8", "max(0, x)^8 - max(0, x-1)^8"),
    ] {
        functions.push((n.to_string(), format!("g(x) = {t}")));
    }
    let only = std::env::args().nth(1);
    for (name, text) in functions {
        if only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
            continue;
        }
        let k = Kernel::with_table(&A::parse(&text).unwrap()).unwrap().numbers().unwrap().clone();
        k.with(|t| {
            let [a, b] = time::<f64>(t, 4096);
            let [c, d] = time::<f32>(t, 4096);
            println!("{name:16} f64 {a:7.1} {b:7.1}   f32 {c:7.1} {d:7.1}");
        });
    }
}
