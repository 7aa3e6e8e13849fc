def _edges(p, gamma, knots, deviation):
    """The knots seen from gamma, each along the first axis."""
    like = xp.zeros_like(gamma)
    words = [xp.stack([like + word for word in parts]) for parts in zip(*knots)]
    return p.edge_at(gamma, words, deviation)
