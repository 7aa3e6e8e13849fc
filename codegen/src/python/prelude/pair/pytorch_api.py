class _Derivatives(torch.autograd.Function):
    """The covariance with its derivatives, which have none themselves."""

    @staticmethod
    def forward(gamma, xi2, gamma_h, xi2_h, cov):
        return _call(_pair_kernel, gamma, xi2, gamma_h, xi2_h, cov)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, *cotangents):
        raise NotImplementedError("second derivatives of the moments are not available")

    @staticmethod
    def vmap(info, in_dims, *inputs):
        return _Derivatives.apply(*_batched(info, in_dims, inputs)), (0,) * 6


def _batched(info, in_dims, inputs):
    """Inputs with the batch along the first axis, which is one more of all that broadcast."""
    pairs = zip(inputs, in_dims)
    return [
        x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in pairs
    ]


def _slopes(inputs):
    """The derivatives of the covariance in the inputs: 0 where one is infinite."""
    return [torch.where(torch.isinf(d), 0.0, d) for d in _Derivatives.apply(*inputs)[1:]]


class _Covariance(torch.autograd.Function):
    """The covariance; the inputs are kept for the derivatives, nothing else."""

    @staticmethod
    def forward(gamma, xi2, gamma_h, xi2_h, cov):
        return _call(_pair_kernel, gamma, xi2, gamma_h, xi2_h, cov)[0]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, d_covariance):
        return tuple(d_covariance * slope for slope in _slopes(ctx.saved_tensors))

    @staticmethod
    def vmap(info, in_dims, *inputs):
        return _Covariance.apply(*_batched(info, in_dims, inputs)), 0


class _CovarianceInBothModes(_Covariance):
    """With the forward mode, which torch.compile does not trace."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx, *tangents):
        pairs = zip(tangents, _slopes(ctx.saved_tensors))
        terms = [slope * tangent for tangent, slope in pairs if tangent is not None]
        return sum(terms[1:], terms[0])

    @staticmethod
    def vmap(info, in_dims, *inputs):
        return _CovarianceInBothModes.apply(*_batched(info, in_dims, inputs)), 0


def pair_moments(gamma: Tensor, xi2: Tensor, gamma_h: Tensor, xi2_h: Tensor, cov: Tensor) -> Tensor:
    """The covariance of g(u) and h(w); differentiable once, in both modes."""
    dtype, tensors = _prepared(gamma, xi2, gamma_h, xi2_h, cov)
    function = _Covariance if torch.compiler.is_compiling() else _CovarianceInBothModes
    return function.apply(*torch.broadcast_tensors(*tensors)).to(dtype)


def pair_moments_grad(gamma: Tensor, xi2: Tensor, gamma_h: Tensor, xi2_h: Tensor, cov: Tensor) -> PairMomentsGrad:
    """The covariance of g(u) and h(w) with its derivatives in the five arguments."""
    dtype, tensors = _prepared(gamma, xi2, gamma_h, xi2_h, cov)
    results = _Derivatives.apply(*torch.broadcast_tensors(*tensors))
    return PairMomentsGrad(*(result.to(dtype) for result in results))
