#[gaussform::activation]
fn generic<T>(x: T) -> T {
    x
}

fn main() {
    println!("{}", generic(1.0));
}
