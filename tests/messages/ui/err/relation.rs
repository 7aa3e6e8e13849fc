#[gaussform::activation(low < top)]
fn stranger(x: f64, low: f64, high: f64) -> f64 {
    x.clamp(low, high)
}

#[gaussform::activation(low < x)]
fn variable(x: f64, low: f64) -> f64 {
    x + low
}

#[gaussform::activation(0 < low > high)]
fn directions(x: f64, low: f64, high: f64) -> f64 {
    x * low * high
}

#[gaussform::activation(low * low < high.powi(2))]
fn method(x: f64, low: f64, high: f64) -> f64 {
    x * low * high
}

#[gaussform::activation(low < high, high < low)]
fn nothing_left(x: f64, low: f64, high: f64) -> f64 {
    x * low * high
}

#[gaussform::activation(low < 1 / high, high > 0)]
fn quotient(x: f64, low: f64, high: f64) -> f64 {
    x * low * high
}

fn main() {}
