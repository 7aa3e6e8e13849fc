#[gaussform::activation]
fn gated(x: f64) -> f64 {
    let open = x > 0.0;
    open * x
}

#[gaussform::activation]
fn listed(x: f64) -> f64 {
    if [0.0, 1.0].contains(&x) { 1.0 } else { x }
}

fn main() {}
