//! A single pre-activation gives the same bits on every machine: hashes of results, committed.
//!
//! `cargo test -p gaussform-user-tests --test bits` compares, for any target (CONTRIBUTING.md, "Other
//! machines"). After a change of the kernels the failure prints the new table.

mod committed;

use committed::{Hash, SplitMix};
use gf::Activation;
use gf::activations::{
    Clip, HardShrink, HardSwish, HardTanh, Heaviside, LeakyRelu, Relu, Relu3, Sqnl, Srelu, Tent,
};

/// Irrational knots.
#[gf::activation]
fn bowl(x: f64) -> f64 {
    (x * x - 2.0).abs()
}

/// Tails of high order.
#[gf::activation]
fn steep(x: f64) -> f64 {
    x.max(-0.5).powi(6)
}

/// Hashes of the results of each activation at the points below.
const COMMITTED: &str = "\
9ce33dd29b66b301 relu
a2a397aa724cdc30 leaky_relu
7a3e64cbb41c1c4e relu3
11507946ff764176 srelu
3c82f6414c4324a4 hard_tanh
74b358c976293c30 clip
8b40e75e79951aba hard_swish
66d1f9da0751c019 hard_shrink
bd269b82a93e4c3c heaviside
baada0b4f892da77 sqnl
e773568b306e133a tent
13dfb39e11c23b28 bowl
f5d3a4a481508646 steep
";

/// Points for each activation.
const POINTS: usize = 2000;

/// A positive number with its binary logarithm from `low` to `high` + 1.
fn positive(random: &mut SplitMix, low: i64, high: i64) -> f64 {
    let e = random.between(low, high);
    random.of_size(e)
}

fn signed(random: &mut SplitMix, low: i64, high: i64) -> f64 {
    let sign = random.below(2) << 63;
    f64::from_bits(positive(random, low, high).to_bits() | sign)
}

/// γ and ξ²: γ mostly some ξ from a knot, and ξ² of any size, zero among them.
fn point(random: &mut SplitMix) -> [f64; 2] {
    const KNOTS: [f64; 10] = [-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0];
    let knot = KNOTS[usize::try_from(random.below(10)).expect("an index")];
    match random.below(8) {
        0 => [signed(random, -1022, 1023), positive(random, -1022, 1023)],
        1 => [signed(random, -4, 4), 0.0],
        2 => [knot, 0.0],
        3 => [knot, positive(random, -80, 20)],
        _ => {
            // ξ between 2ᵉ and 2ᵉ⁺¹.
            let e = random.below(50).cast_signed() - 40;
            [knot + signed(random, e - 4, e + 5), positive(random, 2 * e, 2 * e + 1)]
        }
    }
}

/// Adds the results at a point.
fn add_point<T: gf::Float, A: Activation<T>>(hash: &mut Hash, activation: &A, gamma: T, xi2: T) {
    hash.numbers([activation.value(gamma)]);
    let m = activation.moments(gamma, xi2);
    hash.numbers([m.mean, m.second, m.variance]);
    hash.numbers(activation.moments_grad(gamma, xi2).to_array());
    let mut gradients = vec![gf::ParameterGrad::default(); A::PARAMETERS.len()];
    activation.parameter_grad(gamma, xi2, &mut gradients);
    for g in gradients {
        hash.numbers([g.dmean, g.dsecond, g.dvariance]);
    }
}

/// A line of the table.
fn line<A: Activation<f64> + Activation<f32>>(table: &mut String, name: &str, activation: &A) {
    let mut random = SplitMix::new();
    let mut hash = Hash::new();
    for _ in 0..POINTS {
        let [gamma, xi2] = point(&mut random);
        add_point::<f64, A>(&mut hash, activation, gamma, xi2);
        add_point::<f32, A>(
            &mut hash,
            activation,
            gf::Float::from_f64(gamma),
            gf::Float::from_f64(xi2),
        );
    }
    table.push_str(&hash.line(name));
}

#[test]
fn single_results_have_the_committed_bits() {
    let mut table = String::new();
    let t = &mut table;
    line(t, "relu", &Relu);
    line(t, "leaky_relu", &LeakyRelu::new(0.01).expect("in the domain"));
    line(t, "relu3", &Relu3);
    line(t, "srelu", &Srelu::new(-1.0, 0.2, 0.75, -0.5).expect("in the domain"));
    line(t, "hard_tanh", &HardTanh);
    line(t, "clip", &Clip::new(-0.3, 0.7).expect("in the domain"));
    line(t, "hard_swish", &HardSwish);
    line(t, "hard_shrink", &HardShrink::new(0.5).expect("in the domain"));
    line(t, "heaviside", &Heaviside);
    line(t, "sqnl", &Sqnl);
    line(t, "tent", &Tent::new(1.5).expect("in the domain"));
    line(t, "bowl", &Bowl);
    line(t, "steep", &Steep);
    assert!(table == COMMITTED, "the bits of single results have changed:\n{table}");
}
