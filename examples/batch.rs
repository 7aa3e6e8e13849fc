//! A batch with gradients: which inputs have the expected outputs that are asked for?
//!
//! A saturating amplifier has noise on its input. Where it is noisy, its expected output is flatter
//! than the amplifier itself, so the input must be larger. Newton's method finds a hundred thousand
//! inputs at once, each with its own noise, from the derivatives that come with the moments.
//!
//!     cargo run --release --example batch

use std::io::{self, Write};

use gaussform::activations::HardTanh;
use gaussform::{Activation, MomentsGradMut};

const SIZE: usize = 100_000;

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let spread = |i: usize, low: f64, high: f64| low + (high - low) * i as f64 / (SIZE - 1) as f64;
    // Noise from next to none to twice the range of the amplifier; outputs in no order.
    let xi2: Vec<f64> = (0..SIZE).map(|i| spread(i, 0.01, 2.0).powi(2)).collect();
    let wanted: Vec<f64> = (0..SIZE).map(|i| spread(i * 7919 % SIZE, -0.95, 0.95)).collect();

    let mut gamma = vec![0.0; SIZE];
    let mut buffers: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; SIZE]);
    writeln!(out, "{SIZE} inputs γ with E[hard_tanh(u)] as wanted, u ~ N(γ, ξ²)\n")?;
    writeln!(out, "round   largest error of an output")?;
    for round in 0..9 {
        HardTanh.moments_grad_into(
            &gamma,
            &xi2,
            MomentsGradMut::new(buffers.each_mut().map(Vec::as_mut_slice)),
        );
        let [mean, _, slope, ..] = &buffers;
        let error = mean.iter().zip(&wanted).map(|(m, w)| (m - w).abs()).fold(0.0, f64::max);
        // What is left in the end is rounding, which is not the same with other vectors.
        if error < 1e-14 {
            writeln!(out, "{round:5}   below 1e-14")?;
        } else {
            writeln!(out, "{round:5}   {error:.1e}")?;
        }
        for i in 0..SIZE {
            // The mean rises, ever less beyond 0 on either side: a step from 0 on never goes too far.
            gamma[i] -= (mean[i] - wanted[i]) / slope[i];
        }
    }

    // Reverse mode: how the sum of all standard deviations, and of all means, moves with each input.
    let variance = &buffers[1];
    let d_mean = vec![1.0; SIZE];
    let d_variance: Vec<f64> = variance.iter().map(|v| 0.5 / v.sqrt()).collect();
    let (mut d_gamma, mut d_xi2) = (vec![0.0; SIZE], vec![0.0; SIZE]);
    HardTanh.vjp_into(&gamma, &xi2, &d_mean, &d_variance, &mut d_gamma, &mut d_xi2);

    writeln!(out, "\n    γ        ξ    mean      sd   ∂(mean + sd)/∂γ   ∂(mean + sd)/∂ξ²")?;
    for i in (0..SIZE).step_by(SIZE / 8) {
        let (g, xi, mean, sd) = (gamma[i], xi2[i].sqrt(), buffers[0][i], variance[i].sqrt());
        let (a, b) = (d_gamma[i], d_xi2[i]);
        writeln!(out, "{g:7.4}   {xi:.3}   {mean:7.4}   {sd:.4}   {a:15.6}   {b:16.6}")?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    report(&mut io::stdout())
}
