//! Formulas for people: one tree of mathematics, a printer for each format.

mod factored;
mod fold;
pub mod latex;
mod line;
mod math;
pub mod mathml;
mod shared;
pub mod source;
mod steps;
mod surd;
pub mod text;
mod tree;

pub use fold::lines as folded;
pub use math::Math;
pub use steps::{Line, definition, lines};

use crate::polynomial::Polynomial;

/// A polynomial on one short line, in the variable's own name, for error messages.
pub(crate) fn plain(polynomial: &Polynomial, variable: &str) -> String {
    const WIDTH: usize = 60;
    let text = line::math(&tree::polynomial(polynomial).with_variable(variable));
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{latex, text};
    use crate::Activation;

    #[test]
    fn a_negative_sum_keeps_its_signs() {
        let falling = Activation::parse("1 - x").expect("valid").moment(1).expect("a low order");
        assert_eq!(text::form(&falling.form()), "−γ + 1");
        assert_eq!(latex::form(&falling.form()), "- \\gamma + 1");
        let bent = Activation::parse("1 - x - |x|/2").expect("valid").moment(1).expect("low");
        assert_eq!(
            text::form(&bent.form()),
            "−γ + 1 − 1/2 γ erf(γ/(√2 ξ)) − 1/2 √(2/π) ξ exp(−γ²/(2 ξ²))"
        );
    }
}
