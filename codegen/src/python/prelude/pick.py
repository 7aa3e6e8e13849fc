def _pick(p, double, single):
    """The words of a constant for a precision."""
    return double if p is _F64 else single
