class _Derivatives(torch.autograd.Function):
    """The derivatives of the moments, which have none themselves."""

    generate_vmap_rule = True

    @staticmethod
    def forward(gamma, xi2, ARGUMENTS):
        return _call(_gradients_kernel, gamma, xi2, ARGUMENTS)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, *cotangents):
        raise NotImplementedError("second derivatives of the moments are not available")


#: if parameters
class _ParameterDerivatives(_Derivatives):
    """The derivatives of the moments in the parameters, which have no derivatives of their own."""

    @staticmethod
    def forward(gamma, xi2, ARGUMENTS):
        return _call(_parameters_kernel, gamma, xi2, ARGUMENTS)


#: end
def _slopes(inputs, in_parameters):
    """For each input the derivatives of mean and variance: 0 where one is infinite.

    That is at xi2 = 0 on a knot. The moments are even in xi, so 0 is their derivative there too,
    and what xi2 is computed from gets 0 from the chain rule, not inf * 0.
    """
    _, _, *slopes = _Derivatives.apply(*inputs)
    pairs = [(slopes[0], slopes[2]), (slopes[1], slopes[3])]
    #: if parameters
    if in_parameters:
        rows = _ParameterDerivatives.apply(*inputs)
        pairs += [(rows[3 * i], rows[3 * i + 2]) for i in range(len(PARAMETERS))]
    #: end
    return [tuple(torch.where(torch.isinf(d), 0.0, d) for d in pair) for pair in pairs]


class _Moments(torch.autograd.Function):
    """Mean and variance; the inputs are kept for the derivatives, nothing else."""

    generate_vmap_rule = True

    @staticmethod
    def forward(gamma, xi2, ARGUMENTS):
        return _call(_moments_kernel, gamma, xi2, ARGUMENTS)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, d_mean, d_variance):
        inputs = ctx.saved_tensors
        pairs = _slopes(inputs, any(ctx.needs_input_grad[2:]))
        pulled = [d_mean * a + d_variance * b for a, b in pairs]
        pulled = [d.sum_to_size(t.shape) for d, t in zip(pulled, inputs)]
        return *pulled, *[None] * (len(inputs) - len(pulled))


class _MomentsInBothModes(_Moments):
    """With the forward mode, which torch.compile does not trace."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx, *tangents):
        pairs = _slopes(ctx.saved_tensors, any(t is not None for t in tangents[2:]))
        terms = [(a * t, b * t) for t, (a, b) in zip(tangents, pairs) if t is not None]
        return tuple(sum(column[1:], column[0]) for column in zip(*terms))


def _moments(*inputs):
    function = _Moments if torch.compiler.is_compiling() else _MomentsInBothModes
    return function.apply(*inputs)


#: if parameters
def _check(condition, holds, *values):
    """A number outside of the declared domain is an error; tensors are not looked into."""
    if all(isinstance(value, (int, float)) for value in values):
        if not (all(map(math.isfinite, values)) and holds(*values)):
            raise ValueError(f"{condition} does not hold for {list(values)}")


CHECKS


#: end
def value(x: Tensor, SIGNATURE) -> Tensor:
    """g(x); PyTorch differentiates it as it stands."""
    CHECK
    dtype, tensors = _prepared(x, ARGUMENTS)
    return _call(_value_kernel, *tensors)[0].to(dtype)


def moments(gamma: Tensor, xi2: Tensor, SIGNATURE) -> tuple[Tensor, Tensor]:
    """Mean and variance of g(u) for u ~ N(gamma, xi2); differentiable once, in both modes.

    A derivative that is infinite, as at xi2 = 0 on a knot, is 0 there: `moments_grad` has it.
    """
    CHECK
    dtype, tensors = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance = _moments(*tensors)
    return mean.to(dtype), variance.to(dtype)


def second_moment(gamma: Tensor, xi2: Tensor, SIGNATURE) -> Tensor:
    """E[g(u)**2] for u ~ N(gamma, xi2); differentiable once, in both modes."""
    CHECK
    dtype, tensors = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance = _moments(*tensors)
    return (variance + mean * mean).to(dtype)


def moments_grad(gamma: Tensor, xi2: Tensor, SIGNATURE) -> MomentsGrad:
    """Mean, second moment and variance with their derivatives in gamma and xi2."""
    CHECK
    dtype, tensors = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance, *slopes = _Derivatives.apply(*tensors)
    results = (mean, variance + mean * mean, variance, *slopes)
    return MomentsGrad(*(result.to(dtype) for result in results))


#: if parameters
def parameter_grad(gamma: Tensor, xi2: Tensor, SIGNATURE) -> dict[str, ParameterGrad]:
    """The derivatives of the moments in each parameter, by its name."""
    CHECK
    dtype, tensors = _prepared(gamma, xi2, ARGUMENTS)
    rows = [row.to(dtype) for row in _ParameterDerivatives.apply(*tensors)]
    return {name: ParameterGrad(*rows[3 * i : 3 * i + 3]) for i, name in enumerate(PARAMETERS)}


#: end
