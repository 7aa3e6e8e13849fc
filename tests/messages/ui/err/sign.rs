use gaussform::Activation;

#[gaussform::activation(eps)]
fn leaky_relu(x: f64, eps: f64) -> f64 {
    x.max(eps * x)
}

fn main() {
    let g = LeakyRelu::new(0.1).expect("in the domain");
    println!("{:?} {}", g.moments(0.0, 1.0), LeakyRelu::new(0.1).is_ok());
}
