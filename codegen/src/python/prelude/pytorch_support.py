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
