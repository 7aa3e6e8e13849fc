#[gaussform::activation(eps: (0, 1), crate = gaussform)]
fn leaky_relu(x: f64, eps: f64) -> f64 {
    x + eps
}

fn main() {}
