//! The versions of generated code that run on this crate.

/// Whether code of this version of the generator runs on this crate: on the same version, or on a later one that Cargo
/// would take in its place.
#[must_use]
pub const fn goes_with(generator: [u64; 3]) -> bool {
    let runtime = [
        number(env!("CARGO_PKG_VERSION_MAJOR")),
        number(env!("CARGO_PKG_VERSION_MINOR")),
        number(env!("CARGO_PKG_VERSION_PATCH")),
    ];
    is_compatible(generator, runtime)
}

/// The first number that is not 0 is the same, and the rest is not less.
const fn is_compatible(generator: [u64; 3], runtime: [u64; 3]) -> bool {
    let mut i = 0;
    while i < 2 && generator[i] == 0 && runtime[i] == 0 {
        i += 1;
    }
    if generator[i] != runtime[i] {
        return false;
    }
    i += 1;
    while i < 3 {
        if generator[i] != runtime[i] {
            return generator[i] < runtime[i];
        }
        i += 1;
    }
    true
}

const fn number(text: &str) -> u64 {
    let digits = text.as_bytes();
    let (mut value, mut i) = (0, 0);
    while i < digits.len() {
        value = 10 * value + (digits[i] - b'0') as u64;
        i += 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_cargo_has_it() {
        for (generator, runtime) in [
            ([0, 1, 0], [0, 1, 0]),
            ([0, 1, 0], [0, 1, 7]),
            ([0, 1, 9], [0, 1, 10]),
            ([1, 2, 3], [1, 2, 3]),
            ([1, 2, 3], [1, 3, 0]),
            ([0, 0, 3], [0, 0, 3]),
        ] {
            assert!(is_compatible(generator, runtime), "{generator:?} on {runtime:?}");
        }
        for (generator, runtime) in [
            ([0, 1, 1], [0, 1, 0]),
            ([0, 1, 0], [0, 2, 0]),
            ([0, 2, 0], [0, 1, 9]),
            ([0, 1, 0], [1, 1, 0]),
            ([1, 2, 3], [1, 2, 2]),
            ([1, 3, 0], [1, 2, 9]),
            ([1, 2, 3], [2, 2, 3]),
            ([0, 0, 3], [0, 0, 4]),
        ] {
            assert!(!is_compatible(generator, runtime), "{generator:?} on {runtime:?}");
        }
        assert_eq!(number("120"), 120);
        assert!(!goes_with([u64::MAX, 0, 0]));
    }
}
