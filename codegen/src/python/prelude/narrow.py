def _narrow(p, z):
    """The bounded pieces that are narrow in units of xi, along the first axis."""
    left, right = z[:-1], z[1:]
    omega = right - left
    around = (left <= 0.0) & (right > 0.0)
    at_edge = (-left < _NARROW_DEPTH) | (right < _NARROW_DEPTH)
    thin = (omega < _NARROW_WIDTH) | at_edge & (omega < _NARROW_WIDTH_AT_EDGE)
    flat = omega * abs(left + right) < 2.0 * _NARROW_EXPONENT
    return (around & thin) | (~around & flat)
