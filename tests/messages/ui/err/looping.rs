#[gaussform::activation]
fn looping(x: f64) -> f64 {
    let y = x;
    for _ in 0..3 {
        println!("{y}");
    }
    y
}

fn main() {}
