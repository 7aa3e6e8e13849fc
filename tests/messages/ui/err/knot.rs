#[gaussform::activation(area > 0)]
fn parabola(x: f64, area: f64) -> f64 {
    (x * x - area).max(0.0)
}

fn main() {}
