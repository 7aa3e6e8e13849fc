#[gaussform::activations]
mod unmarked {
    pub fn relu(x: f64) -> f64 {
        x.max(0.0)
    }
}

#[gaussform::activations(slope > 0)]
mod declared {
    #[gaussform::activation]
    pub fn ramp(x: f64, slope: f64) -> f64 {
        x * slope
    }
}

#[gaussform::activations]
fn single(x: f64) -> f64 {
    x
}

#[gaussform::activation]
mod singular {}

fn main() {
    println!("{} {} {}", unmarked::relu(1.0), declared::ramp(1.0, 2.0), single(1.0));
}
