#[gaussform::activation]
fn nothing(x: f64) {
    x * 2.0
}

fn main() {
    println!("{:?}", Nothing);
}
