#[gaussform::activation]
fn generic<T, U: Default>(x: T) -> T {
    let _ = U::default();
    x
}

fn main() {
    println!("{}", generic::<f64, f64>(1.0));
}
