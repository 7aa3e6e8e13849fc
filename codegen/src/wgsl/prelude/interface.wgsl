// E[g(u)], E[g(u)^2] and Var g(u).
fn @name@_moments(gamma: f32, xi2: f32@parameters@) -> gaussform_moments {
    let v = gsf_@name@_moments(gamma, xi2@arguments@);
    return gaussform_moments(v[0], v[1] + v[0] * v[0], v[1]);
}

// The moments and their derivatives in gamma and xi2.
fn @name@_moments_grad(gamma: f32, xi2: f32@parameters@) -> gaussform_moments_grad {
    let v = gsf_@name@_gradients(gamma, xi2@arguments@);
    return gaussform_moments_grad(v[0], v[1] + v[0] * v[0], v[1], v[2], v[3], v[4], v[5]);
}

