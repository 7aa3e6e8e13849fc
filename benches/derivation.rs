//! How long deriving takes: `cargo bench -p gaussform-bench --bench derivation`.
//!
//! From text to the mean, the second moment, the variance and all their first derivatives, with
//! the trace, but without the certificate.

use std::sync::LazyLock;

use divan::{Bencher, black_box};
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Derivation, Library};

fn main() {
    divan::main();
}

/// The moments and their derivatives in γ, ξ² and the parameters. A derivation of the variance
/// contains those of the two moments, and its derivative contains theirs.
fn derive_all(activation: &Activation) -> Vec<Derivation> {
    let variance = activation.variance().expect("within limits");
    let parameters = activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
    let symbols = [Symbol::Gamma, Symbol::Xi2].into_iter().chain(parameters);
    let differentiate = |symbol| variance.clone().differentiate(&symbol).expect("within limits");
    symbols.map(differentiate).collect()
}

fn parse(text: &str) -> Activation {
    Activation::parse(text).expect("in the language")
}

/// The library of activations, by name.
static LIBRARY: LazyLock<Vec<Activation>> = LazyLock::new(|| {
    Activation::parse_file(gaussform_generated::DECLARATIONS, &Library::new())
        .expect("in the language")
});

#[divan::bench(args = LIBRARY.iter().map(|activation| &activation.name))]
fn library(bencher: Bencher<'_, '_>, name: &String) {
    let activation = LIBRARY.iter().find(|a| a.name == *name).expect("it is listed");
    bencher.bench(|| derive_all(black_box(activation)));
}

const TEXTS: [&str; 8] = [
    "max(0, x)",
    "|x^2 - 2|",
    "|x^3 - x - 1|",
    "max(x^4 - 3*x, x + 1)",
    "hard_sigmoid(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
    "clamp2(x; a < b) = clamp(x, a, b)",
    "soft_shrink(x; lambda > 0) = sign(x)*relu(|x| - lambda)",
    "|x^12 - 20*x^10 + 130*x^8 - 340*x^6 + 330*x^4 - 90*x^2 + x + 3|",
];

#[divan::bench(args = TEXTS)]
fn from_text(text: &str) -> Vec<Derivation> {
    derive_all(&parse(black_box(text)))
}

#[divan::bench]
fn fortieth_moment_of_relu() -> Derivation {
    parse(black_box("max(0, x)")).moment(40).expect("within limits")
}

#[divan::bench]
fn sum_of_24_hinges() -> Vec<Derivation> {
    let hinges: Vec<String> = (1..=24).map(|i| format!("{i}*relu(x - {}/7)", i * i)).collect();
    derive_all(&parse(black_box(&hinges.join(" + "))))
}

/// Cost of checking the certificates and replaying the trace.
#[divan::bench(args = TEXTS)]
fn proof(bencher: Bencher<'_, '_>, text: &str) {
    let variance = parse(text).variance().expect("within limits");
    bencher.bench(|| {
        black_box(&variance).replay().expect("every step follows");
        variance.certificates().expect("every moment proves itself")
    });
}
