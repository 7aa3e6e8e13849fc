def _where(mask, new, old):
    return tuple(xp.where(mask, a, b) for a, b in zip(new, old))
