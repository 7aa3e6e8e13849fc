//! Reads functions and points, prints moments through the sum over pieces. For hunting.
use gaussform_codegen::Kernel;
use gaussform_runtime::{Activation, Float, MomentsGrad, MomentsGradMut};
use gaussform_symbolic::Activation as A;
use std::io::{BufRead, stdin};
fn batch<T: Float>(k: &impl Activation<T>, g: &[T], v: &[T]) -> Vec<Vec<f64>> {
    let mut r = vec![vec![T::ZERO; g.len()]; 6];
    let s: Vec<&mut [T]> = r.iter_mut().map(|x| &mut x[..]).collect();
    let s: [&mut [T]; 6] = s.try_into().ok().unwrap();
    k.moments_grad_into(g, v, MomentsGradMut::new(s));
    r.into_iter().map(|r| r.into_iter().map(|x| x.to_f64()).collect()).collect()
}
fn main() {
    let mut kernel = None;
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        if let Some(text) = line.strip_prefix("fn ") {
            let a = A::parse(text).unwrap();
            kernel = Some(Kernel::with_table(&a).unwrap().numbers().unwrap().clone());
            continue;
        }
        let mut w = line.split(' ');
        let mode = w.next().unwrap().to_string();
        let n: Vec<f64> = w.map(|x| x.parse().unwrap()).collect();
        let (g, v): (Vec<f64>, Vec<f64>) = (
            n.iter().copied().step_by(2).collect(),
            n.iter().copied().skip(1).step_by(2).collect(),
        );
        kernel.as_ref().unwrap().with(|table| {
            let rows: Vec<Vec<f64>> = match &*mode {
                "single" => g
                    .iter()
                    .zip(&v)
                    .map(|(&g, &v)| {
                        let m: MomentsGrad<f64> = table.moments_grad(g, v);
                        m.to_array().to_vec()
                    })
                    .collect(),
                "f64" => {
                    let r = batch(table, &g, &v);
                    (0..g.len())
                        .map(|i| {
                            let mut x: Vec<f64> = r.iter().map(|r| r[i]).collect();
                            x.insert(1, x[1] + x[0] * x[0]);
                            x
                        })
                        .collect()
                }
                _ => {
                    let g: Vec<f32> = g.iter().map(|&x| x as f32).collect();
                    let v: Vec<f32> = v.iter().map(|&x| x as f32).collect();
                    let r = batch(table, &g, &v);
                    (0..g.len())
                        .map(|i| {
                            let mut x: Vec<f64> = r.iter().map(|r| r[i]).collect();
                            x.insert(1, x[1] + x[0] * x[0]);
                            x
                        })
                        .collect()
                }
            };
            for r in rows {
                println!("{}", r.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(" "));
            }
        });
    }
}
