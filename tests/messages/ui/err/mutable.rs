#[gaussform::activation]
fn mutable(x: f64) -> f64 {
    let mut y = x;
    y += 1.0;
    y
}

fn main() {}
