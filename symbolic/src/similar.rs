//! The name that someone may have meant.

/// The most similar of the `candidates`, if any could have been meant: letters may be missing,
/// too many, swapped, wrong or of the other case.
///
/// ```
/// use gaussform_symbolic::similar;
///
/// assert_eq!(similar("ReLU", ["relu", "relu6", "hat"]), Some("relu"));
/// assert_eq!(similar("hrad_tanh", ["hard_tanh", "hat"]), Some("hard_tanh"));
/// assert_eq!(similar("y", ["x"]), None);
/// ```
#[must_use]
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = name.to_lowercase();
    let measured = candidates.into_iter().map(|candidate| {
        let distance = strsim::osa_distance(&folded, &candidate.to_lowercase());
        (distance, candidate)
    });
    let close = measured.filter(|(distance, candidate)| *distance <= candidate.chars().count() / 2);
    close.min().map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn the_closest_is_meant() {
        let names = ["relu", "relu2", "relu6", "hard_tanh", "x", "alpha"];
        for (name, expected) in [
            ("ReLU6", Some("relu6")),
            ("alhpa", Some("alpha")),
            ("X", Some("x")),
            ("y", None),
            ("softplus", None),
            ("", None),
        ] {
            assert_eq!(similar(name, names), expected, "{name}");
        }
    }
}
