def _ends(edges, piece):
    """The knots at the ends of a bounded piece."""
    return [tuple(part[i] for part in edges) for i in (piece, piece + 1)]
