//! Names of the language as names of C.

use crate::source::has_word;

/// Why an activation cannot be called so in C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is not one of C, or one that C keeps for itself.
    #[error("`{0}` is no name of a function in C: those start with a letter, and `_` after it")]
    Reserved(String),
    /// The name would meet those of the header.
    #[error("`{0}` starts as the header's own names do: `gaussform`, `gsf`")]
    Own(String),
}

/// A parameter as an argument of the functions of an activation: with a prefix where the name means something else.
pub(super) fn parameter(name: &str, activation: &str) -> String {
    // The functions call each other: `relu_moments_into` calls `relu_moments`.
    let is_function = name.strip_prefix(activation).is_some_and(|rest| rest.starts_with('_'));
    let taken = is_function
        || has_word(KEYWORDS, name)
        || has_word(OTHERS, name)
        || name.starts_with('_')
        // With its prefix, another parameter would have this name.
        || name.starts_with("p_")
        || name.starts_with("gsf")
        || name.starts_with("gaussform")
        // Names in capitals may be macros.
        || name.starts_with(|c: char| c.is_ascii_uppercase());
    if taken { format!("p_{name}") } else { name.to_owned() }
}

/// Names that the functions of the interface have for their own arguments and variables.
const OTHERS: &str = "\
    x p n i m v gamma xi2 out mean variance dmean_dgamma dmean_dxi2 dvariance_dgamma \
    dvariance_dxi2 d_mean d_variance d_gamma d_xi2 stream threads size_t";

/// The keywords of C and C++, and names that platforms define as macros.
const KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await \
    co_return co_yield compl complex concept const const_cast consteval constexpr constinit \
    continue decltype default delete do double dynamic_cast else enum errno explicit export \
    extern false float for friend goto if inline int linux long mutable namespace new noexcept \
    not not_eq nullptr operator or or_eq private protected public register reinterpret_cast \
    requires restrict return short signed sizeof static static_assert static_cast struct switch \
    template this thread_local throw true try typedef typeid typename typeof typeof_unqual union \
    unix unsigned using virtual void volatile wchar_t while xor xor_eq near far small interface \
    signgam fabs sqrt fma";
