//! Every derivation replays and proves itself; a text that has none gets an error.

#![no_main]

use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::moment::Point;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Derivation, Error, Library, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // With every case, so that what is undecided is derived too.
    let Ok(cases) = Activation::cases(text, &Library::new()) else { return };
    for case in cases.iter().take(3) {
        let activation = &case.activation;
        assert!(!render::text::definitions(&[("g", &activation.function)]).is_empty());
        // The derivation of the variance contains the mean and the second moment.
        check(activation.variance(), activation);
        check(activation.moment(3), activation);
        check(activation.covariance(activation), activation);
    }
});

fn check(derivation: Result<Derivation, Error>, activation: &Activation) {
    let Ok(derivation) = derivation else { return };
    derivation.replay().expect("every step follows");
    derivation.certificates().expect("every moment proves itself");
    assert!(!render::text::equation(&derivation).is_empty());
    assert!(!render::latex::equation(&derivation).is_empty());
    let parameters = activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
    for symbol in [Symbol::Gamma].into_iter().chain(parameters) {
        // They may be refused: for their size, or because there is no limit.
        drop(derivation.clone().differentiate(&symbol));
        for point in [Point::Infinity, Point::NegativeInfinity, Point::Above(Rational::default())] {
            if let Ok(limit) = derivation.clone().limit(&symbol, &point) {
                assert!(!render::text::equation(&limit).is_empty());
            }
        }
    }
}
