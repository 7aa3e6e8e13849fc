// Each of these has one error, whatever the compiler would say of it.
#[gaussform::activation]
fn open(x: f64) -> f64 {
    match x {
        ..0.0 => 0.0,
        0.0.. => x,
    }
}

#[gaussform::activation]
fn point(x: f64) -> f64 {
    match x {
        0.0 => 1.0,
        _ => x,
    }
}

#[gaussform::activation]
fn pair(x: f64) -> f64 {
    match (x, 1.0) {
        (y, z) if y < z => y,
        _ => 1.0,
    }
}

#[gaussform::activation]
fn option(x: f64) -> f64 {
    match x {
        Some(y) => y,
        _ => 1.0,
    }
}

fn main() {
    println!("{:?} {:?} {:?} {:?}", Open, Point, Pair, Option);
}
