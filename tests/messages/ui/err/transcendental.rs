// Uses of the type and of the function give no second error.
use gaussform::Activation;

#[gaussform::activation]
fn softplus(x: f64) -> f64 {
    (1.0 + x.exp()).ln()
}

fn main() {
    let m = Softplus.moments_grad(0.5, 2.0);
    println!("{} {}", m.mean + softplus(1.0), Softplus.value(0.5_f32));
}
