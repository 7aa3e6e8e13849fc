/// E\[g(u) h(w)\], Cov(g(u), h(w)) and the derivatives of the covariance,
/// for g = [`Relu`] of u ~ N(γ, ξ²) and h = [`Soft`] of w ~ N(γ′, ξ′²), jointly Normal with covariance σ.
///
/// ```text
/// g(u) = ⎧ 0   u < 0
///        ⎩ u   u > 0
///
/// h(w) = ⎧ −1    w < −a
///        ⎨ w/a   −a < w < a
///        ⎩ 1     w > a
///
/// Δ = ξ² ξ′² − σ²
/// Q(γ − s, γ′ − t) = E[sgn(u − s) sgn(w − t)],
/// Q(a, b) = 4 Φ₂(a/ξ, b/ξ′; σ/(ξ ξ′)) − 2 Φ(a/ξ) − 2 Φ(b/ξ′) + 1
/// Φ and Φ₂ are the distribution functions of the Normal distribution in one and two dimensions.
///
/// E[g(u) h(w)] = 1/(4 a) (γ γ′ + a γ + σ) erf((γ′ + a)/(√2 ξ′))
///              − 1/(4 a) (γ γ′ − a γ + σ) erf((γ′ − a)/(√2 ξ′))
///              + 1/(4 a) √(2/π) γ ξ′ exp(−(γ′ + a)²/(2 ξ′²))
///              − 1/(4 a) √(2/π) γ ξ′ exp(−(γ′ − a)²/(2 ξ′²))
///              + 1/(4 a) (γ γ′ + a γ + σ) Q(γ, γ′ + a)
///              − 1/(4 a) (γ γ′ − a γ + σ) Q(γ, γ′ − a)
///              + 1/(4 a) √(2/π) ξ (γ′ + a) exp(−γ²/(2 ξ²)) erf((ξ² (γ′ + a) − σ γ)/(√2 ξ √Δ))
///              − 1/(4 a) √(2/π) ξ (γ′ − a) exp(−γ²/(2 ξ²)) erf((ξ² (γ′ − a) − σ γ)/(√2 ξ √Δ))
///              + 1/(4 a) √(2/π) γ ξ′ exp(−(γ′ + a)²/(2 ξ′²)) erf((ξ′² γ − σ (γ′ + a))/(√2 ξ′ √Δ))
///              − 1/(4 a) √(2/π) γ ξ′ exp(−(γ′ − a)²/(2 ξ′²)) erf((ξ′² γ − σ (γ′ − a))/(√2 ξ′ √Δ))
///              + 1/(2 π a) √Δ exp(−(ξ′² γ² − 2 σ γ (γ′ + a) + ξ² (γ′ + a)²)/(2 Δ))
///              − 1/(2 π a) √Δ exp(−(ξ′² γ² − 2 σ γ (γ′ − a) + ξ² (γ′ − a)²)/(2 Δ))
///
/// Cov(g(u), h(w)) = E[g(u) h(w)] − E[g(u)] E[h(w)]
/// ```
///
/// The formulas cancel; the numbers are computed without that.
///
/// # Errors
///
/// If the numbers are no law: one is not finite, a variance is negative, or σ² exceeds the product of the
/// variances by more than rounding.
#[allow(dead_code)]
pub fn pair_moments(
    g: &Relu,
    h: &Soft,
    at: ::gaussform::runtime::pair::Inputs,
) -> ::core::result::Result<
    ::gaussform::runtime::pair::PairMoments,
    ::gaussform::runtime::pair::InvalidLaw,
> {
    ::gaussform::runtime::pair::try_moments(g, h, at)
}
