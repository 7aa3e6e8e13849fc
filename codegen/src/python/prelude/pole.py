def _pole(like, coefficient, otherwise):
    """The limit of coefficient / xi: infinite, or what is left where the coefficient is 0."""
    coefficient = xp.zeros_like(like) + coefficient
    below = xp.where(coefficient < 0.0, -math.inf, xp.zeros_like(like) + otherwise)
    return xp.where(coefficient > 0.0, math.inf, below)
