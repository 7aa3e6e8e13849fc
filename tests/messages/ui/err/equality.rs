#[gaussform::activation]
fn spike(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x }
}

fn main() {}
