#[gaussform::activation]
struct Relu;

fn main() {
    let _ = Relu;
}
