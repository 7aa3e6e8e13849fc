def _prepared(*arguments):
    """The arguments as tensors of one precision, the first two of one shape."""
    tensors = [a for a in arguments if isinstance(a, Tensor)]
    ranked = [t for t in tensors if t.ndim > 0] or tensors
    dtype = torch.get_default_dtype()
    if any(t.is_floating_point() for t in ranked):
        dtype = functools.reduce(torch.promote_types, [t.dtype for t in ranked])
    work = dtype if dtype in (torch.float32, torch.float64) else torch.float32
    device = ranked[0].device if ranked else None
    tensors = [
        a.to(dtype=work, device=device if a.ndim == 0 else a.device)
        if isinstance(a, Tensor)
        else torch.as_tensor(a, dtype=work, device=device)
        for a in arguments
    ]
    shape = torch.broadcast_shapes(*(t.shape for t in tensors))
    return dtype, [*(t.expand(shape) for t in tensors[:2]), *tensors[2:]]


def _call(kernel, *inputs):
    """A kernel in the precision of its inputs."""
    p = _F64 if inputs[0].dtype == torch.float64 else _F32
    return kernel(p, *map(_input, inputs))
