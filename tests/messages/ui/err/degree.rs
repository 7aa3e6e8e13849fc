#[gaussform::activation]
fn steep(x: f64, slope: f64) -> f64 {
    slope * x.powi(65)
}

fn main() {}
