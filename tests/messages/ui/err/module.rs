// A mistake that many activations share is one error.
#[gaussform::activations]
mod shared {
    #[gaussform::activation]
    pub fn first(x: f64) -> f64 {
        smooth(x) + twice(x)
    }

    #[gaussform::activation]
    pub fn second(x: f64) -> f64 {
        first(x) - smooth(WIDTH * x)
    }

    fn smooth(x: f64) -> f64 {
        x.exp()
    }

    fn twice(x: f64) -> f64 {
        2 * x
    }

    const WIDTH: f64 = f64::EPSILON;

    // Used by no activation, and no concern of theirs.
    pub fn plain(x: f64) -> f64 {
        (x.sin() + x.cos()).max(WIDTH)
    }
}

#[gaussform::activations]
mod circles {
    #[gaussform::activation]
    pub fn fixed_point(x: f64) -> f64 {
        other(x) / 2.0
    }

    fn other(x: f64) -> f64 {
        if x > 1.0 { fixed_point(x) } else { x }
    }

    #[gaussform::activation]
    pub fn bent(x: f64, slope: f64) -> f64 {
        ramp(x, slope) + ramp(x)
    }

    #[gaussform::activation]
    pub fn steep(x: f64, slope: f64) -> f64 {
        ramp(x, slope)
    }

    #[gaussform::activation(slope > 0)]
    pub fn ramp(x: f64, slope: f64) -> f64 {
        x.max(-slope * x)
    }

    #[gaussform::activation]
    pub fn outside(x: f64) -> f64 {
        super::helper(x)
    }

    #[cfg(unix)]
    const SCALE: f64 = 1.0;
    #[cfg(not(unix))]
    const SCALE: f64 = 2.0;

    #[gaussform::activation]
    pub fn scaled(x: f64) -> f64 {
        SCALE * x
    }
}

fn helper(x: f64) -> f64 {
    x
}

fn main() {
    use gaussform::Activation;
    println!("{} {}", shared::First.value(1.0), shared::Second.value(shared::second(1.0)));
    println!("{}", shared::plain(helper(1.0)));
    println!("{:?} {:?} {:?}", circles::FixedPoint, circles::Outside, circles::Scaled);
    println!("{}", circles::Steep::new(1.0).expect("in the domain").value(circles::Ramp::new(1.0).expect("in the domain").slope()));
    println!("{:?}", circles::Bent::new(1.0).expect("in the domain"));
}
