def _strip(p, piece, narrow, edges, width, deviation):
    """Gauss-Legendre nodes on a bounded piece, counted from its nearer edge.

    The piece seen from there, and the nodes, their mass and the basis at them along the first axis.
    """
    span = p.span_on(narrow[piece], *_ends(edges, piece), width, deviation)
    _, zeta, omega, _ = span
    table = _table(p, p.rule, zeta)
    x, weight, basis = table[0], table[1], table[2:]
    return p, span, x, p.node_mass(zeta, omega, weight, x), basis


def _integrals(strip):
    """The integrals of x**j * (1 - x)**(N - 1 - j) for j < N, with x from 0 to 1 over the piece."""
    _, (h, _, _, from_left), _, mass, basis = strip
    sums = [h * xp.sum(mass * row, 0) for row in basis]
    return [xp.where(from_left, a, b) for a, b in zip(sums, reversed(sums))]


def _products(strip, a, b, less, count):
    """The integrals of A * B, and of A * (B - less) * He_k((u - gamma) / xi) for 0 < k < count.

    A and B are polynomials on the piece, by their coefficients in the basis; they are multiplied
    at the nodes, where nothing cancels.
    """
    p, (h, zeta, omega, from_left), x, mass, basis = strip
    a, b = [
        sum(xp.where(from_left, c, d) * row for c, d, row in zip(side, reversed(side), basis))
        for side in (a, b)
    ]
    products = p.node_products_1 if count == 1 else p.node_products_3
    sums = products(zeta, omega, x, mass, a, b, less, [0.0, 0.0, 0.0])[:count]
    # z was counted in the direction of the piece.
    scales = [h, xp.where(from_left, h, -h), h]
    return [scale * xp.sum(terms, 0) for scale, terms in zip(scales, sums)]
