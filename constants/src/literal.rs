//! Numbers as literals of Rust: the shortest digits that read back, in groups of three.

use crate::format::Format;

pub(crate) fn literal<T: Format>(value: T) -> String {
    let small = value.to_f64().abs() < 1e-4;
    let plain = if small { format!("{value:e}") } else { format!("{value:?}") };
    let (mantissa, exponent) = match plain.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
        None => (&*plain, String::new()),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let whole = groups(whole, whole.len() % 3);
    format!("{sign}{whole}.{}{exponent}", groups(fraction, 0))
}

/// The digits with underscores, the first group of this length if that is not 0.
fn groups(digits: &str, first: usize) -> String {
    let (head, tail) = digits.split_at(first);
    let tail = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let head = (!head.is_empty()).then(|| head.to_owned());
    head.into_iter().chain(tail).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn groups_of_three() {
        assert_eq!(literal(1.0_f64), "1.0");
        assert_eq!(literal(123.456_f64), "123.456");
        assert_eq!(literal(-1_234_567.062_5_f64), "-1_234_567.062_5");
        assert_eq!(literal(0.000_123_4_f32), "0.000_123_4");
        assert_eq!(literal(2e-5_f32), "2.0e-5");
        assert_eq!(literal(7.371_002_565_167_799e-13_f64), "7.371_002_565_167_799e-13");
    }
}
