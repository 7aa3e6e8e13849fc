//! A type with parameters is made by `new`, which checks them: beside the type, and elsewhere.

mod elsewhere {
    #[gaussform::activation(a < b)]
    pub fn between(x: f64, a: f64, b: f64) -> f64 {
        x.clamp(a, b)
    }
}

#[gaussform::activation(slope in (0, 1))]
fn leaky(x: f64, slope: f64) -> f64 {
    x.max(slope * x)
}

fn main() {
    let wrong = elsewhere::Between { a: 5.0, b: 1.0 };
    println!("{} {}", wrong.a, elsewhere::between(0.0, 0.0, 1.0));
    let wrong = Leaky { slope: 2.0 };
    println!("{wrong:?} {}", leaky(0.0, 0.5));
}
