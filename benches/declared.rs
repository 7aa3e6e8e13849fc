//! Costs of a slice in ns per element, for an activation that is declared while the program runs and for the compiled
//! type of the same function. The two are timed in turn, and each number is the least of its runs.

mod inputs;

use std::time::Instant;

use gaussform::activations::{DECLARATIONS, HardSwish, HardTanh, LeakyRelu, Relu, SoftShrink};
use gaussform_codegen::Dynamic;
use gaussform_runtime::{Activation, Float, MomentsGradMut};
use gaussform_symbolic::{Activation as Declared, Library};

use inputs::{ELEMENTS, inputs};

const RUNS: usize = 60;

/// Mean and variance, then these with derivatives, once each.
fn run<T: Float>(activation: &impl Activation<T>, [gamma, xi2]: &[Vec<T>; 2]) -> [f64; 2] {
    let mut results = vec![vec![T::ZERO; ELEMENTS]; 6];
    let [mean, variance, ..] = &mut results[..] else { unreachable!("six") };
    let start = Instant::now();
    activation.moments_into(gamma, xi2, mean, variance);
    let first = start.elapsed().as_secs_f64();
    let slices: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let slices = slices.try_into().unwrap_or_else(|_| unreachable!("six"));
    let start = Instant::now();
    activation.moments_grad_into(gamma, xi2, MomentsGradMut::new(slices));
    [first, start.elapsed().as_secs_f64()]
}

#[allow(clippy::print_stdout, reason = "its output is what it is for")]
fn compare<T: Float, A: Activation<T>>(name: &str, compiled: &A, parameters: &[f64])
where
    Dynamic: Activation<T>,
{
    // One of them, if it is named.
    if std::env::args().skip(1).any(|wanted| !wanted.starts_with('-') && wanted != name) {
        return;
    }
    let all = Declared::parse_file(DECLARATIONS, &Library::new()).expect("declarations");
    let declared = all.into_iter().find(|declared| declared.name == name).expect("declared");
    let declared = Dynamic::new(&declared, parameters).expect("a kernel");
    let inputs = inputs::<T>();
    let mut least = [[f64::INFINITY; 2]; 2];
    for _ in 0..RUNS {
        let times = [run(compiled, &inputs), run(&declared, &inputs)];
        for (least, time) in least.as_flattened_mut().iter_mut().zip(times.as_flattened()) {
            *least = least.min(*time / ELEMENTS as f64 * 1e9);
        }
    }
    let [compiled, declared] = least;
    for (what, i) in [("moments", 0), ("with derivatives", 1)] {
        println!(
            "{name:<12} {:<4} {what:<17} compiled {:7.2}  declared {:7.2}  ratio {:5.2}",
            std::any::type_name::<T>(),
            compiled[i],
            declared[i],
            declared[i] / compiled[i]
        );
    }
}

fn main() {
    macro_rules! all {
        ($($name:literal, $activation:expr, $parameters:expr;)*) => {
            $(compare::<f64, _>($name, &$activation, &$parameters);
            compare::<f32, _>($name, &$activation, &$parameters);)*
        };
    }
    all! {
        "relu", Relu, [];
        "leaky_relu", LeakyRelu::new(0.01).expect("in its domain"), [0.01];
        "hard_tanh", HardTanh, [];
        "soft_shrink", SoftShrink::new(0.5).expect("in its domain"), [0.5];
        "hard_swish", HardSwish, [];
    }
}
