def _rounded(x):
    """x; keeps a compiler from fusing what must be rounded by itself."""
    if torch.compiler.is_compiling():
        return torch.clamp(x, max=torch.finfo(x.dtype).max)
    return x


def _input(x):
    """x; keeps a compiler from fusing it with what it is computed from."""
    if torch.compiler.is_compiling():
        return torch.where(x > torch.finfo(x.dtype).max, math.inf, x)
    return x


def _raise(x, n):
    """x * 2**n, 0 where that is no normal number."""
    is_double = x.dtype == torch.float64
    bits, bias, shift = (torch.int64, 1023, 52) if is_double else (torch.int32, 127, 23)
    exponent = torch.clamp(n, -bias, bias).to(bits) + bias
    return x * (exponent << shift).view(x.dtype)


def _larger(a, b):
    """The larger one of two, of which one may be a number."""
    if isinstance(b, Tensor):
        return torch.maximum(a, b) if isinstance(a, Tensor) else torch.clamp(b, min=a)
    return torch.clamp(a, min=b)


def _smaller(a, b):
    """The smaller one of two, of which one may be a number."""
    if isinstance(b, Tensor):
        return torch.minimum(a, b) if isinstance(a, Tensor) else torch.clamp(b, max=a)
    return torch.clamp(a, max=b)


def _table(p, rows, like):
    """Rows of numbers along the first axis; the others broadcast with those of a tensor."""
    table = torch.tensor(rows, dtype=p.dtype, device=like.device)
    return table.reshape(*table.shape, *[1] * like.ndim)
