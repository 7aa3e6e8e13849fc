//! The facts that the generator states of a kernel. The runtime decides from them how slices are computed.

/// The form of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Formulas over lanes.
    Formulas(Facts),
    /// The sum over the pieces of a table.
    Table {
        /// Facts of a function whose numbers are constants and whose slices are computed by code of its own, without what
        /// is multiplied by 0. All else is the same for every table, and compiled with this crate.
        unrolled: Option<Facts>,
    },
}

/// Facts of a function and its formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The number of knots of the function.
    pub knots: usize,
    /// The highest degree of a piece.
    pub degree: u32,
    /// Whether knots and coefficients are numbers below 2¹²: where powers of the input are far from overflow,
    /// everything is.
    pub is_moderate: bool,
}
