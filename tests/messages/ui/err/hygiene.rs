// The compiler knows two `x` here, and the macro only their text.
macro_rules! shifted {
    ($x:ident, $value:expr) => {
        #[gaussform::activation]
        fn shifted($x: f64) -> f64 {
            let x = 1.0 - $x;
            x * $value
        }
    };
}

shifted!(x, x.abs());

fn main() {}
