//! Two classes by the Normal distribution function: p(y = 1) = Φ(f). Predictions are closed; E log Φ is a
//! Gauss–Hermite sum of twenty nodes.

use burn::module::Module;
use burn::tensor::Tensor;

use crate::layer::LinearOutput;

/// p(y = 1 | f) = Φ(f). For f ~ N(m, v) the prediction is Φ(m/√(1 + v)), exactly (Haußmann et al. 2.7).
#[derive(Module, Debug, Default)]
pub struct Probit;

/// Half of the nodes and weights of the Gauss–Hermite rule of 20 for a standard Normal.
const NODES: [(f64, f64); 10] = [
    (0.346_964_157_081_355_9, 0.260_793_063_449_554_9),
    (1.042_945_348_802_751_3, 0.161_739_333_984_000_1),
    (1.745_247_320_814_126_6, 0.061_506_372_063_976_96),
    (2.458_663_611_172_368, 0.013_997_837_447_101_02),
    (3.189_014_816_553_389_4, 0.001_830_103_131_080_491),
    (3.944_967_350_471_949, 0.000_128_826_279_961_929_2),
    (4.734_581_334_046_054, 4.402_121_090_230_858e-6),
    (5.578_738_805_893_202, 6.127_490_259_982_935e-8),
    (6.510_590_157_013_655, 2.482_062_362_315_167e-10),
    (7.619_048_541_679_758, 1.257_800_672_437_927e-13),
];

impl Probit {
    /// E log Φ(±f) of each row, of shape \[n, 1\], by quadrature with twenty nodes; `y` is a column
    /// of 0 and 1.
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
        let sign = y.mul_scalar(2.0).add_scalar(-1.0);
        let m = f.mean.clone() * sign;
        let Some(v) = f.variance() else { return log_cdf(m) };
        // The root of 0 has an infinite derivative.
        let sd = v.clamp_min(1e-30).sqrt();
        let mut total = m.zeros_like();
        for (node, weight) in NODES {
            for node in [node, -node] {
                let at = m.clone() + sd.clone().mul_scalar(node);
                total = total + log_cdf(at).mul_scalar(weight);
            }
        }
        total
    }
}

/// log Φ(x), element by element. Below −2.5, where Φ loses its digits, by the continued fraction of the Mills ratio.
fn log_cdf(x: Tensor<2>) -> Tensor<2> {
    const CUT: f64 = -2.5;
    let far = x.clone().lower_scalar(CUT);
    // Both branches are clamped to their sides: the graph has both, and 0 times an infinite
    // derivative of the unused one would be NaN.
    let near = x.clone().clamp_min(CUT).mul_scalar(-std::f64::consts::FRAC_1_SQRT_2);
    // Φ(x) = ½ erfc(−x/√2).
    let near = near.erf().neg().add_scalar(1.0).mul_scalar(0.5).log();
    let t = x.clamp_max(CUT).neg();
    let mut fraction = t.clone();
    for k in (1..=40).rev() {
        fraction = t.clone() + fraction.recip().mul_scalar(f64::from(k));
    }
    let log_root = 0.5 * std::f64::consts::TAU.ln();
    let tail = t.powi_scalar(2).mul_scalar(-0.5).add_scalar(-log_root) - fraction.log();
    near.mask_where(far, tail)
}
