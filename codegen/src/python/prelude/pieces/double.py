def _double(word):
    """Words of double precision as they are."""
    return tuple(word)
