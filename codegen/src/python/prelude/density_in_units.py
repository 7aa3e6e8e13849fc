def NAME(y, low):
    """phi(sqrt(y + low)) in its unit."""
    root = xp.exp(-0.25 * y) * (ROOT - ROOT * (0.25 * low))
    return root * root
