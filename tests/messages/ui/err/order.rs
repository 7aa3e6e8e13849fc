#[gaussform::activation(0 < low, high < 10)]
fn clip(x: f64, low: f64, high: f64) -> f64 {
    x.max(low).min(high)
}

fn main() {}
