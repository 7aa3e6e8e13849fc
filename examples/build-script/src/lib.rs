//! Activations that a build script has compiled from `activations.gf`.

gaussform::include_activations!("activations");

#[cfg(test)]
mod tests {
    use gaussform::Activation;

    use super::{Hat, Projection, SoftThreshold};

    #[test]
    fn moments_are_there() {
        let hat = Hat.moments(0.0_f64, 0.25);
        assert!(hat.mean > 0.5 && hat.variance > 0.0);

        let soft = SoftThreshold::new(0.5).expect("a positive threshold");
        assert!(soft.moments(0.0_f64, 1.0).mean.abs() < 1e-15);

        // The two parts of x.
        let projection = Projection::new(0.5).expect("a positive threshold");
        let sum = soft.moments(0.3_f64, 1.0).mean + projection.moments(0.3, 1.0).mean;
        assert!((sum - 0.3).abs() < 1e-15);
    }
}
