def _loop(count, body, state):
    """body(i, state) again and again."""
    for i in range(count):
        state = body(i, state)
    return state


def _choose(condition, yes, no):
    """One of two records; the condition is one truth value."""
    return yes if condition else no


def _any(mask):
    """Whether there is something to do: a transformed tensor does not say."""
    return True


def _raise(x, n):
    """x * 2**n, 0 where that is no normal number."""
    is_double = x.dtype == torch.float64
    bits, bias, shift = (torch.int64, 1023, 52) if is_double else (torch.int32, 127, 23)
    exponent = torch.clamp(n, -bias, bias).to(bits) + bias
    return x * (exponent << shift).view(x.dtype)
