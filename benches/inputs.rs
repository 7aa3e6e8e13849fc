//! Random inputs for the timing of kernels.

use gaussform_runtime::Float;

/// How many elements slices have.
pub(crate) const ELEMENTS: usize = 1 << 12;

/// γ ~ N(0, 2²) and ξ² from e⁻² to e².
pub(crate) fn inputs<T: Float>() -> [Vec<T>; 2] {
    let mut state = 1_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut gamma = Vec::with_capacity(ELEMENTS);
    let mut xi2 = Vec::with_capacity(ELEMENTS);
    for _ in 0..ELEMENTS {
        let radius = (-2.0 * uniform().ln()).sqrt();
        gamma.push(T::from_f64(2.0 * radius * (std::f64::consts::TAU * uniform()).cos()));
        xi2.push(T::from_f64((4.0 * uniform() - 2.0).exp()));
    }
    [gamma, xi2]
}
