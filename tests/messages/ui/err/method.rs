struct Layer;

impl Layer {
    #[gaussform::activation]
    fn relu(&self, x: f64) -> f64 {
        x.max(0.0)
    }
}

fn main() {
    println!("{}", Layer.relu(1.0));
}
