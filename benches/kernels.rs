//! How long the batched kernels take: `cargo bench -p gaussform-bench --bench kernels`.
//!
//! ```text
//! kernels [FILTER] [--exact] [--elements N]
//! ```
//!
//! One line for each activation, task and precision whose `activation task precision`, say
//! `hard_tanh fwd float32`, contains FILTER, or is FILTER with `--exact`. The tasks are `fwd`
//! (`moments_into`), `fwd+grad` (`moments_grad_into`) and `vjp` (`vjp_into`), all on one core,
//! for N elements, by default once for more than the second cache holds and once for less.
//! With `--features library` all of the library is timed, which takes some minutes to build.
//! The lines of `memory` read and write as many arrays as the task and hardly compute: no
//! kernel for the task can be much faster than they are.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
#[allow(clippy::wildcard_imports, reason = "some or all of the library")]
use gaussform::activations::*;
use gaussform::{Activation, Float, MomentsGradMut};

/// tanh to 0.01: three cubic pieces, continuous with their slopes, between constants.
#[gaussform::activation]
fn tanh_cubic(x: f64) -> f64 {
    if x < -3.0 {
        -1.0
    } else if x < -1.0 {
        0.03 * x.powi(3) + 0.27 * x.powi(2) + 0.81 * x - 0.19
    } else if x < 1.0 {
        0.96 * x - 0.2 * x.powi(3)
    } else if x < 3.0 {
        0.03 * x.powi(3) - 0.27 * x.powi(2) + 0.81 * x + 0.19
    } else {
        1.0
    }
}

/// The numbers of elements if the arguments name none.
const ELEMENTS: [usize; 2] = [1 << 20, 1 << 14];

/// Runs before any that count.
const WARM_UP: usize = 3;
/// Runs that count: at least this many, and for at least `SHORTEST`. After `LONGEST`, `FEWEST` runs are enough.
const RUNS: usize = 61;
const FEWEST: usize = 9;
const SHORTEST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(1);

/// The memory alone and the activations in one precision; those that compare with other systems, or are of
/// another kind, and with the feature all of the library.
macro_rules! every_activation {
    ($options:expr, $n:expr, $T:ident, $precision:literal) => {{
        let mut case = Case::<$T>::new($options, $n, $precision);
        case.memory();
        case.activation("relu", &Relu);
        case.activation("hard_tanh", &HardTanh);
        case.activation("leaky_relu", &LeakyRelu::new(0.01).expect("in the domain"));
        case.activation("prelu", &Prelu::new(0.25).expect("in the domain"));
        case.activation("hard_sigmoid", &HardSigmoid);
        case.activation("relu2", &Relu2);
        case.activation("relu6", &Relu6);
        case.activation("abs", &Abs);
        case.activation("heaviside", &Heaviside);
        case.activation("hat", &Hat);
        case.activation("hard_swish", &HardSwish);
        case.activation("hard_shrink", &HardShrink::new(0.5).expect("in the domain"));
        case.activation("tanh_cubic", &TanhCubic);
        #[cfg(feature = "library")]
        {
            case.activation("identity", &Identity);
            case.activation("rrelu", &Rrelu::new(0.125, 1.0 / 3.0).expect("in the domain"));
            let keras = KerasRelu::new(0.1, 0.5, 6.0).expect("in the domain");
            case.activation("keras_relu", &keras);
            case.activation("threshold", &Threshold::new(0.1, 20.0).expect("in the domain"));
            case.activation("thresholded_relu", &ThresholdedRelu::new(1.0).expect("in the domain"));
            case.activation("clipped_relu", &ClippedRelu::new(6.0).expect("in the domain"));
            case.activation("relu1", &Relu1);
            case.activation("relu3", &Relu3);
            case.activation("shifted_relu", &ShiftedRelu);
            let s = Srelu::new(-1.0, 0.2, 1.0, 0.4).expect("in the domain");
            case.activation("srelu", &s);
            case.activation("sparse_plus", &SparsePlus);
            case.activation("clip", &Clip::new(-1.0, 2.0).expect("in the domain"));
            case.activation("symmetric_clip", &SymmetricClip::new(1.5).expect("in the domain"));
            case.activation("hard_sigmoid_keras2", &HardSigmoidKeras2);
            let affine = HardSigmoidAffine::new(0.2, 0.5).expect("in the domain");
            case.activation("hard_sigmoid_affine", &affine);
            case.activation("sparse_sigmoid", &SparseSigmoid);
            case.activation("sqnl", &Sqnl);
            case.activation("soft_shrink", &SoftShrink::new(0.5).expect("in the domain"));
            case.activation("shrink", &Shrink::new(1.5, 0.5).expect("in the domain"));
            case.activation("sign_of", &SignOf);
            case.activation("ternary", &Ternary::new(0.5).expect("in the domain"));
            case.activation("square", &Square);
            case.activation("tent", &Tent::new(1.0).expect("in the domain"));
        }
    }};
}

fn main() {
    let options = Options::from_args(std::env::args().skip(1));
    let sizes = options.elements.map_or(ELEMENTS.to_vec(), |n| vec![n]);
    for n in sizes {
        print(&format!("{n} elements"));
        every_activation!(&options, n, f64, "float64");
        every_activation!(&options, n, f32, "float32");
    }
}

/// The choice of kernels and of the length of slices.
#[derive(Default)]
struct Options {
    filter: String,
    exact: bool,
    elements: Option<usize>,
}

impl Options {
    fn from_args(mut args: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                // Cargo adds it.
                "--bench" => {}
                "--exact" => options.exact = true,
                "--elements" => {
                    let count = args.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
                    options.elements = Some(count.expect("--elements takes a positive number"));
                }
                _ => options.filter = arg,
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        if self.exact { name == self.filter } else { name.contains(&self.filter) }
    }
}

/// The arrays of one precision and size: γ ~ N(0, 2²), ξ² log-uniform from e⁻² to e².
struct Case<'a, T> {
    options: &'a Options,
    precision: &'a str,
    gamma: Vec<T>,
    xi2: Vec<T>,
    out: [Vec<T>; 6],
}

impl<'a, T: Float> Case<'a, T> {
    fn new(options: &'a Options, n: usize, precision: &'a str) -> Self {
        let mut random = Random(0);
        let gamma = (0..n).map(|_| T::from_f64(2.0 * random.normal())).collect();
        let xi2 = (0..n).map(|_| T::from_f64((4.0 * random.uniform() - 2.0).exp())).collect();
        let out = std::array::from_fn(|_| vec![T::ONE; n]);
        Self { options, precision, gamma, xi2, out }
    }

    fn activation(&mut self, name: &str, activation: &impl Activation<T>) {
        self.time(name, "fwd", |gamma, xi2, [mean, variance, ..]| {
            activation.moments_into(gamma, xi2, mean, variance);
        });
        self.time(name, "fwd+grad", |gamma, xi2, out| {
            let out = MomentsGradMut::new(out);
            activation.moments_grad_into(gamma, xi2, out);
        });
        self.time(name, "vjp", |gamma, xi2, [d_gamma, d_xi2, d_mean, d_variance, ..]| {
            activation.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2);
        });
    }

    fn memory(&mut self) {
        self.time("memory", "fwd", |gamma, xi2, [a, b, ..]| add_and_subtract(gamma, xi2, a, b));
        self.time("memory", "fwd+grad", |gamma, xi2, [a, b, c, d, e, f]| {
            add_and_subtract_thrice(gamma, xi2, [a, b, c, d, e, f]);
        });
        self.time("memory", "vjp", |gamma, xi2, [a, b, c, d, ..]| {
            add_and_subtract_four(gamma, xi2, c, d, a, b);
        });
        self.time("kept", "vjp", |d_mean, d_variance, [a, b, c, d, d_gamma, d_xi2]| {
            sum_of_products([d_mean, d_variance], [a, b], d_gamma);
            sum_of_products([d_mean, d_variance], [c, d], d_xi2);
        });
    }

    /// Times `task` on the arrays, if it is wanted, and prints the line.
    fn time(&mut self, name: &str, task: &str, mut run: impl FnMut(&[T], &[T], [&mut [T]; 6])) {
        // Cotangents that an earlier task has not overwritten.
        self.out.iter_mut().for_each(|slice| slice.fill(T::ONE));
        let name = format!("{name} {task}");
        if !self.options.wants(&format!("{name} {}", self.precision)) {
            return;
        }
        let (times, runs) = measure(|| {
            let out = self.out.each_mut().map(Vec::as_mut_slice);
            run(black_box(&self.gamma), black_box(&self.xi2), black_box(out));
        });
        let [wall, cpu, best] = times.map(|seconds| seconds * 1e9 / self.gamma.len() as f64);
        print(&format!(
            "{:16} {name:22} {:8} wall-median {wall:8.2}  cpu-median {cpu:8.2}  \
             best {best:8.2} ns/elem  (n={runs})",
            "gaussform", self.precision
        ));
    }
}

/// Two arrays in, two out.
#[inline(never)]
fn add_and_subtract<T: Float>(gamma: &[T], xi2: &[T], a: &mut [T], b: &mut [T]) {
    let inputs = gamma.iter().zip(xi2);
    for ((a, b), (&gamma, &xi2)) in a.iter_mut().zip(b).zip(inputs) {
        *a = gamma + xi2;
        *b = gamma - xi2;
    }
}

/// Two arrays in, six out.
#[inline(never)]
fn add_and_subtract_thrice<T: Float>(gamma: &[T], xi2: &[T], out: [&mut [T]; 6]) {
    let n = gamma.len();
    let [a, b, c, d, e, f] = out.map(|slice| &mut slice[..n]);
    let xi2 = &xi2[..n];
    for i in 0..n {
        let (sum, difference) = (gamma[i] + xi2[i], gamma[i] - xi2[i]);
        (a[i], c[i], e[i]) = (sum, sum, sum);
        (b[i], d[i], f[i]) = (difference, difference, difference);
    }
}

/// Four arrays in, two out.
#[inline(never)]
fn add_and_subtract_four<T: Float>(
    gamma: &[T],
    xi2: &[T],
    c: &[T],
    d: &[T],
    a: &mut [T],
    b: &mut [T],
) {
    let inputs = gamma.iter().zip(xi2).zip(c.iter().zip(d));
    for ((a, b), ((&gamma, &xi2), (&c, &d))) in a.iter_mut().zip(b).zip(inputs) {
        *a = gamma + xi2 + c;
        *b = gamma - xi2 - d;
    }
}

/// Two pairs of arrays in, one array out.
#[inline(never)]
fn sum_of_products<T: Float>(cotangents: [&[T]; 2], derivatives: [&[T]; 2], out: &mut [T]) {
    let [a, b] = cotangents.map(|slice| slice.iter().copied());
    let [c, d] = derivatives.map(|slice| slice.iter().copied());
    for ((out, (a, b)), (c, d)) in out.iter_mut().zip(a.zip(b)).zip(c.zip(d)) {
        *out = a * c + b * d;
    }
}

/// The median wall time, the median time of the process's processor, and the least wall time of
/// a run, in seconds, and the number of runs. On a machine with other work to do, the processor
/// time is the steady one.
fn measure(mut run: impl FnMut()) -> ([f64; 3], usize) {
    (0..WARM_UP).for_each(|_| run());
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    let more = |runs: usize| match begin.elapsed() {
        elapsed if elapsed < SHORTEST => true,
        elapsed if elapsed < LONGEST => runs < RUNS,
        _ => runs < FEWEST,
    };
    while more(wall.len()) {
        let cpu_start = ProcessTime::now();
        let start = Instant::now();
        run();
        wall.push(start.elapsed().as_secs_f64());
        cpu.push(cpu_start.elapsed().as_secs_f64());
    }
    wall.sort_by(f64::total_cmp);
    cpu.sort_by(f64::total_cmp);
    let middle = wall.len() / 2;
    ([wall[middle], cpu[middle], wall[0]], wall.len())
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Standard Normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[allow(clippy::print_stdout, reason = "its output is what it is for")]
fn print(line: &str) {
    println!("{line}");
}
