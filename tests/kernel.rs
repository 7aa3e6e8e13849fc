//! Kernels of wide networks against the arc-cosine formulas, and against networks of finite width.

use std::f64::consts::PI;

use gaussform::activations::{HardTanh, Heaviside, Relu};
use gaussform::kernel::{Layer, Values};

const X: [f64; 3] = [0.8, -1.1, 0.4];
const Y: [f64; 3] = [0.3, 0.9, 1.4];

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Cho and Saul, "Kernel Methods for Deep Learning", Eqs. 4 and 6, halved: E[g g′] for orders 0 and 1, and E[g′ g′] for order 1.
fn arc_cosine(variances: [f64; 2], covariance: f64) -> [f64; 3] {
    let size = (variances[0] * variances[1]).sqrt();
    let angle = (covariance / size).clamp(-1.0, 1.0).acos();
    let step = (PI - angle) / (2.0 * PI);
    [step, size * (angle.sin() + (PI - angle) * angle.cos()) / (2.0 * PI), step]
}

#[test]
fn depth_is_the_recursion_of_arc_cosine_kernels() {
    let layer = Layer { weight: 2.0, bias: 0.0, mean: 0.0 };
    for (x, y) in [(X, Y), (X, X), (X, [-0.8, 1.1, -0.4]), (X, [0.8, -1.1, 0.401])] {
        let d = x.len() as f64;
        let mut variances = [dot(&x, &x), dot(&y, &y)].map(|product| 2.0 * product / d);
        let mut nngp = 2.0 * dot(&x, &y) / d;
        let mut ntk = nngp;
        let mut found = Values::first(&x, &y, layer);
        for depth in 0..12 {
            let step = found.then(&Heaviside, layer);
            let [zero, one, slopes] = arc_cosine(variances, nngp);
            let close = |found: f64, wanted: f64| (found - wanted).abs() < 1e-7;
            assert!(
                close(step.nngp, 2.0 * zero),
                "{} after {depth}, not {}",
                step.nngp,
                2.0 * zero
            );
            // The kernel of order 1 keeps variances, with 2 as the variance of weights.
            nngp = 2.0 * one;
            ntk = nngp + 2.0 * slopes * ntk;
            variances = variances.map(|variance| 2.0 * arc_cosine([variance; 2], variance)[1]);
            found = found.then(&Relu, layer);
            assert!(close(found.nngp, nngp), "{} after {depth}, not {nngp}", found.nngp);
            // arccos has half of the digits near 1, and Θ grows with depth.
            assert!(
                (found.ntk / ntk - 1.0).abs() < 1e-6 || close(found.ntk, ntk),
                "{} after {depth}, not {ntk}",
                found.ntk
            );
        }
    }
}

#[test]
fn equal_inputs_stay_equal() {
    let layer = Layer { weight: 1.7, bias: 0.1, mean: -0.3 };
    let mut same = Values::first(&X, &X, layer);
    for _ in 0..50 {
        same = same.then(&HardTanh, layer);
        assert!(same.nngp == same.variances[0] && same.nngp == same.variances[1]);
        assert!(same.ntk.is_finite());
    }
}

/// Normal numbers from a seed: SplitMix64, then Box and Muller.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * PI * self.uniform()).cos()
    }
}

const WIDTH: usize = 400;

/// The kernels K and Θ at X and Y of one network with two hidden layers of clamp(u, −1, 1), with its weights drawn.
fn finite(layers: [Layer; 3], normal: &mut Normal) -> [f64; 2] {
    let points = [X, Y];
    let inputs = points.map(|x| x.to_vec());
    // Pre-activations of a layer at both points, and its standard Normal weights, row by row.
    let mut layer = |below: &[Vec<f64>; 2], layer: Layer| {
        let n = below[0].len();
        let scale = (layer.weight / n as f64).sqrt();
        let mut outputs = [Vec::new(), Vec::new()];
        let mut weights = Vec::new();
        for _ in 0..WIDTH {
            let row: Vec<f64> = (0..n).map(|_| normal.next()).collect();
            let bias = layer.mean + layer.bias.sqrt() * normal.next();
            for (output, below) in outputs.iter_mut().zip(below) {
                output.push(bias + scale * dot(&row, below));
            }
            weights.push(row);
        }
        (outputs, weights)
    };
    let activated = |u: &[Vec<f64>; 2]| {
        u.each_ref().map(|u| u.iter().map(|u| u.clamp(-1.0, 1.0)).collect::<Vec<f64>>())
    };
    let slope = |u: f64| if u.abs() < 1.0 { 1.0 } else { 0.0 };
    let (first, _) = layer(&inputs, layers[0]);
    let g_first = activated(&first);
    let (second, weights) = layer(&g_first, layers[1]);
    let g_second = activated(&second);
    let top: Vec<f64> = (0..WIDTH).map(|_| normal.next()).collect();
    // The kernel of a layer given what is below it: its own part of Θ per unit.
    let own = |below: &[Vec<f64>; 2], layer: Layer| {
        layer.bias + layer.weight * dot(&below[0], &below[1]) / below[0].len() as f64
    };
    let n = WIDTH as f64;
    let above = [0, 1].map(|p| {
        let scale = (layers[2].weight / n).sqrt();
        top.iter().zip(&second[p]).map(|(v, u)| scale * v * slope(*u)).collect::<Vec<f64>>()
    });
    let below = [0, 1].map(|p| {
        let scale = (layers[1].weight / n).sqrt();
        let mut delta = vec![0.0; WIDTH];
        for (row, above) in weights.iter().zip(&above[p]) {
            for (delta, w) in delta.iter_mut().zip(row) {
                *delta += scale * w * above;
            }
        }
        delta.iter().zip(&first[p]).map(|(delta, u)| delta * slope(*u)).collect::<Vec<f64>>()
    });
    let nngp = own(&g_second, layers[2]);
    let ntk = nngp
        + dot(&above[0], &above[1]) * own(&g_first, layers[1])
        + dot(&below[0], &below[1]) * own(&inputs, layers[0]);
    [nngp, ntk]
}

#[test]
fn finite_networks_tend_to_it() {
    let layer = |weight: f64, bias: f64, mean: f64| Layer { weight, bias, mean };
    let layers = [layer(1.5, 0.2, 0.4), layer(2.0, 0.1, -0.6), layer(1.2, 0.3, 0.0)];
    let wide =
        Values::first(&X, &Y, layers[0]).then(&HardTanh, layers[1]).then(&HardTanh, layers[2]);
    let mut normal = Normal(31);
    const NETWORKS: usize = 40;
    let draws: Vec<[f64; 2]> = (0..NETWORKS).map(|_| finite(layers, &mut normal)).collect();
    for (i, wanted) in [wide.nngp, wide.ntk].into_iter().enumerate() {
        let count = NETWORKS as f64;
        let mean = draws.iter().map(|draw| draw[i]).sum::<f64>() / count;
        let spread = draws.iter().map(|draw| (draw[i] - mean).powi(2)).sum::<f64>() / (count - 1.0);
        // The bias of a finite width is of order 1/n.
        let tolerance = 4.0 * (spread / count).sqrt() + wanted.abs() / WIDTH as f64;
        assert!((mean - wanted).abs() < tolerance, "{mean} ± {tolerance}, not {wanted}");
        assert!(tolerance < 0.05 * wanted.abs(), "{tolerance} for {wanted}");
    }
}
