const SLOPE: f64 = 0.1;

#[gaussform::activation]
fn misspelled(x: f64, slope: f64) -> f64 {
    let steep = 2.0 * slop;
    let _ = SLOPE;
    steep * x
}

fn main() {
    println!("{SLOPE}");
}
