#[gaussform::activation]
fn active(x: f64) -> f64 {
    x.max(0.0).signum()
}

fn main() {
    println!("{}", active(1.0));
}
