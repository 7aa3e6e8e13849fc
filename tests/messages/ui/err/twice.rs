// Each of these the compiler would refuse too; there is one error all the same.
#[gaussform::activation]
fn lost(x: f64) -> f64 {
    x.abs();
}

#[gaussform::activation]
fn only_a_loop(x: f64) -> f64 {
    while x > 0.0 {}
}

#[gaussform::activation]
fn heaviside(x: f64) -> f64 {
    x * (x > 0.0)
}

#[gaussform::activation]
fn truthy(x: f64) -> f64 {
    if x { x } else { x.powi(2.0) }
}

fn main() {}
