#[gaussform::activation]
fn steep(x: f64, slope: f64) -> f64 {
    slope * x.powi(40)
}

fn main() {}
