def _double(word):
    """Words of double precision as they are."""
    return tuple(word)


def _single(word):
    """Words of double precision as words of single precision."""
    high, low, *rest = word
    top = ctypes.c_float(high).value
    rest = (high - top) + low
    if not math.isfinite(rest):
        return (top, 0.0, 0.0)[: len(word)]
    middle = ctypes.c_float(rest).value
    lowest = ctypes.c_float((rest - middle) + sum(word[2:])).value
    return (top, middle, lowest)[: len(word)]
