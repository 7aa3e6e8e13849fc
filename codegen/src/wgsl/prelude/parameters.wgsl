// The derivatives of the moments in each parameter.
fn @name@_parameter_grad(gamma: f32, xi2: f32@parameters@) -> array<gaussform_parameter_grad, @count@> {
    let v = gsf_@name@_parameters(gamma, xi2@arguments@);
    return array<gaussform_parameter_grad, @count@>(@entries@);
}

