//! How the time of a sum over pieces grows with the number of knots, in ns per element: sums of hinges, straight and
//! curved, as activations that are declared while the program runs.

mod inputs;

use std::time::Instant;

use gaussform_codegen::Dynamic;
use gaussform_runtime::{Activation, Float, MomentsGradMut};
use gaussform_symbolic::Activation as Declared;

use inputs::{ELEMENTS, inputs};

const RUNS: usize = 15;

/// A sum of so many hinges, to a power.
fn hinges(count: usize, power: usize) -> Dynamic {
    let terms = (0..count).map(|i| {
        let slope = [1, -2, 3, -1, 2][i % 5];
        format!("({slope})*max(0, x - ({i})/4 + ({count})/8)^{power}")
    });
    let text = terms.collect::<Vec<_>>().join(" + ");
    let declared = Declared::parse(&format!("hinges(x) = {text}")).expect("a declaration");
    Dynamic::new(&declared, &[]).expect("a kernel")
}

/// Of mean and variance, and of these with derivatives: the least of some runs.
fn time<T: Float>(activation: &Dynamic) -> [f64; 2]
where
    Dynamic: Activation<T>,
{
    let [gamma, xi2] = inputs::<T>();
    let mut results = vec![vec![T::ZERO; ELEMENTS]; 6];
    let mut least = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        let [mean, variance, ..] = &mut results[..] else { unreachable!("six") };
        let start = Instant::now();
        activation.moments_into(&gamma, &xi2, mean, variance);
        least[0] = least[0].min(start.elapsed().as_secs_f64());
        let slices: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        let slices = slices.try_into().unwrap_or_else(|_| unreachable!("six"));
        let start = Instant::now();
        activation.moments_grad_into(&gamma, &xi2, MomentsGradMut::new(slices));
        least[1] = least[1].min(start.elapsed().as_secs_f64());
    }
    least.map(|seconds| seconds / ELEMENTS as f64 * 1e9)
}

#[allow(clippy::print_stdout, reason = "its output is what it is for")]
fn main() {
    println!("| knots | degree | f64 | and derivatives | f32 | and derivatives |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for power in [1, 2, 4] {
        for count in [1, 2, 4, 8, 16, 32, 64] {
            let activation = hinges(count, power);
            let ([a, b], [c, d]) = (time::<f64>(&activation), time::<f32>(&activation));
            println!("| {count} | {power} | {a:.1} | {b:.1} | {c:.1} | {d:.1} |");
        }
    }
}
