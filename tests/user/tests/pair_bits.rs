//! A single pair of pre-activations gives the same bits on every machine: hashes of results, committed.
//!
//! `cargo test -p gaussform-user-tests --test pair_bits` compares, for any target, as `bits` does for one pre-activation. After a change of the
//! kernels the failure prints the new table.

mod committed;

use committed::{Hash, SplitMix};
use gf::activations::{
    Clip, HardShrink, HardSwish, HardTanh, Heaviside, LeakyRelu, Relu, Relu3, Srelu, Tent, Ternary,
};
use gf::pair::{Inputs, Piecewise, moments};

/// A knot that is no number, and no jump.
#[gf::activation]
fn hinge(x: f64) -> f64 {
    (x - 1.0 / 3.0).max(0.0)
}

/// Irrational knots between curved pieces.
#[gf::activation]
fn bowl(x: f64) -> f64 {
    (x * x - 2.0).abs()
}

/// Hashes of the results of each pair of activations at the points below.
const COMMITTED: &str = "\
04c3dff70c3a2bad relu relu
fe92ea66c8c04d57 relu leaky_relu
f80bee490abbdd45 hinge hinge
ed8729d03df3edb9 hinge srelu
c56f608d027f7f1c heaviside heaviside
ce73931f0d8dd7fc heaviside relu
8683d2cc86e7217e hard_tanh hard_tanh
023de6fb87f0cad2 hard_tanh clip
e648c8e01d953fbf hard_shrink ternary
62d40a6aeb326b28 tent tent
279dcf32487f26fe tent heaviside
57c78d730c7b46ad hard_swish relu
0fbd5b99bd6eda37 relu3 tent
3b567590ea990791 bowl hard_swish
";

/// Points for each pair of activations.
const POINTS: usize = 500;

fn sign(random: &mut SplitMix) -> f64 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

/// γ, ξ² and ξ: γ mostly some ξ from a knot, and now and then a variance of 0.
fn unit(random: &mut SplitMix) -> [f64; 3] {
    const KNOTS: [f64; 8] = [-3.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 3.0];
    let knot = KNOTS[usize::try_from(random.below(8)).expect("an index")];
    let e = match random.below(16) {
        0 => return [knot, 0.0, 0.0],
        1..4 => random.between(-40, 40),
        _ => random.between(-3, 3),
    };
    let xi = random.of_size(e);
    let far = random.between(-4, 2);
    [knot + sign(random) * random.of_size(far) * xi, xi * xi, xi]
}

/// |ρ| of any distance from 0 and from 1, these and a little more among them.
fn correlation(random: &mut SplitMix) -> f64 {
    let size = match random.below(8) {
        0 => [0.0, 1.0, 1.0 + f64::EPSILON, 1.5][usize::try_from(random.below(4)).expect("four")],
        1 | 2 => {
            let e = random.between(-40, -5);
            1.0 - random.of_size(e)
        }
        3 => {
            let e = random.between(-60, -5);
            random.of_size(e)
        }
        _ => random.of_size(0) - 1.0,
    };
    sign(random) * size
}

fn law(random: &mut SplitMix) -> Inputs {
    let [[gamma, xi2, xi], [gamma_h, xi2_h, xi_h]] = [unit(random), unit(random)];
    Inputs { gamma, xi2, gamma_h, xi2_h, cov: correlation(random) * (xi * xi_h) }
}

/// Adds a line to the table.
fn line<G: Piecewise, H: Piecewise>(table: &mut String, name: &str, g: &G, h: &H) {
    let mut random = SplitMix::new();
    let mut hash = Hash::new();
    for _ in 0..POINTS {
        hash.numbers(moments(g, h, law(&mut random)).to_array());
    }
    table.push_str(&hash.line(name));
}

#[test]
fn single_pairs_have_the_committed_bits() {
    let leaky = LeakyRelu::new(0.01).expect("in the domain");
    let srelu = Srelu::new(-1.0, 0.2, 0.75, -0.5).expect("in the domain");
    let clip = Clip::new(-0.3, 0.7).expect("in the domain");
    let shrink = HardShrink::new(0.5).expect("in the domain");
    let ternary = Ternary::new(1.5).expect("in the domain");
    let tent = Tent::new(1.5).expect("in the domain");
    let mut table = String::new();
    let t = &mut table;
    line(t, "relu relu", &Relu, &Relu);
    line(t, "relu leaky_relu", &Relu, &leaky);
    line(t, "hinge hinge", &Hinge, &Hinge);
    line(t, "hinge srelu", &Hinge, &srelu);
    line(t, "heaviside heaviside", &Heaviside, &Heaviside);
    line(t, "heaviside relu", &Heaviside, &Relu);
    line(t, "hard_tanh hard_tanh", &HardTanh, &HardTanh);
    line(t, "hard_tanh clip", &HardTanh, &clip);
    line(t, "hard_shrink ternary", &shrink, &ternary);
    line(t, "tent tent", &tent, &tent);
    line(t, "tent heaviside", &tent, &Heaviside);
    line(t, "hard_swish relu", &HardSwish, &Relu);
    line(t, "relu3 tent", &Relu3, &tent);
    line(t, "bowl hard_swish", &Bowl, &HardSwish);
    assert!(table == COMMITTED, "the bits of single pairs have changed:\n{table}");
}
