#[gaussform::activation]
fn capped(x: f64) -> f64 {
    let positive = if x < 0.0 { return 0.0 } else { x };
    positive.min(6.0)
}

fn main() {}
