//! Slices of a float as those of the type that it is, for code that differs by type.

/// Slices of one type: `IN` inputs and `OUT` outputs.
#[allow(unreachable_pub, reason = "named by methods of the trait below")]
pub type TypedSlices<'a, T, const IN: usize, const OUT: usize> =
    ([&'a [T]; IN], [&'a mut [T]; OUT]);

/// A type that is `f32` or `f64`, and says which of the two.
#[allow(unreachable_pub, reason = "seals the public trait `Float`")]
pub trait Typed: Sized {
    /// Whether this is `f64`. Code that differs by type asks it as a constant, so that nothing is compiled for the other
    /// type.
    const IS_DOUBLE: bool;
    /// The slices as those of `f64`, if this is `f64`.
    fn doubles<const IN: usize, const OUT: usize>(
        slices: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f64, IN, OUT>>;
    /// The slices as those of `f32`, if this is `f32`.
    fn singles<const IN: usize, const OUT: usize>(
        slices: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f32, IN, OUT>>;
}

impl Typed for f32 {
    const IS_DOUBLE: bool = false;

    #[inline]
    fn doubles<const IN: usize, const OUT: usize>(
        _: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f64, IN, OUT>> {
        None
    }
    #[inline]
    fn singles<const IN: usize, const OUT: usize>(
        slices: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f32, IN, OUT>> {
        Some(slices)
    }
}

impl Typed for f64 {
    const IS_DOUBLE: bool = true;

    #[inline]
    fn doubles<const IN: usize, const OUT: usize>(
        slices: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f64, IN, OUT>> {
        Some(slices)
    }
    #[inline]
    fn singles<const IN: usize, const OUT: usize>(
        _: TypedSlices<'_, Self, IN, OUT>,
    ) -> Option<TypedSlices<'_, f32, IN, OUT>> {
        None
    }
}
