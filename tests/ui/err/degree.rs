#[gaussform::activation]
fn steep(x: f64) -> f64 {
    x.powi(40)
}

fn main() {}
