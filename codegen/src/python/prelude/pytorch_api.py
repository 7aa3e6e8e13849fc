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
def _value(*inputs):
    return _call(_value_kernel, *inputs)


def _gradients(*inputs):
    return _Derivatives.apply(*inputs)


#: if parameters
def _parameters(*inputs):
    return _ParameterDerivatives.apply(*inputs)


#: end
def _slopes(inputs, in_parameters):
    """For each input the derivatives of mean and variance: 0 where one is infinite.

    That is at xi2 = 0 on a knot. The moments are even in xi, so 0 is their derivative there too,
    and what xi2 is computed from gets 0 from the chain rule, not inf * 0.
    """
    _, _, *slopes = _gradients(*inputs)
    pairs = [(slopes[0], slopes[2]), (slopes[1], slopes[3])]
    #: if parameters
    if in_parameters:
        rows = _parameters(*inputs)
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
