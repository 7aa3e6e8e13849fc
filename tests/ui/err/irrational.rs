#[gaussform::activation]
fn parabola(x: f64) -> f64 {
    let y = x.powi(2) - 2.0;
    if y > 0.0 && x > 0.0 { y } else { 0.0 }
}

fn main() {}
