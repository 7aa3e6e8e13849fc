def _strip(p, piece, narrow, z, h, width, inverse):
    """Gauss-Legendre nodes on a bounded piece, counted from its nearer edge.

    Their mass, their place in units of xi from gamma, and the basis at them, all along the first
    axis; phi at the edge, which the mass is less, in units of p.unit; whether it is the left one.
    phi(z) is phi(edge) * exp(-delta * (zeta + delta / 2)) with delta the distance from the edge.
    Without mass where the piece is not narrow.
    """
    narrow, left, right = narrow[piece], z[piece], z[piece + 1]
    from_left = left + right >= 0.0
    zeta = xp.where(narrow, xp.where(from_left, left, -right), 0.0)
    omega = xp.where(narrow, width * inverse, 0.0)
    edge = xp.where(narrow, xp.where(from_left, h[piece], h[piece + 1]), 0.0)
    table = _table(p, p.rule, zeta)
    x, weight, basis = table[0], table[1], table[2:]
    delta = omega * x
    mass = omega * weight * xp.exp(-(delta * (zeta + 0.5 * delta)))
    return mass, zeta + delta, basis, edge, from_left


def _integrals(strip):
    """The integrals of x**j * (1 - x)**(N - 1 - j) for j < N, with x from 0 to 1 over the piece."""
    mass, _, basis, edge, from_left = strip
    sums = [edge * xp.sum(mass * row, 0) for row in basis]
    return [xp.where(from_left, a, b) for a, b in zip(sums, reversed(sums))]


def _products(strip, a, b, less, count):
    """The integrals of A * B, and of A * (B - less) * He_k((u - gamma) / xi) for 0 < k < count.

    A and B are polynomials on the piece, by their coefficients in the basis; they are multiplied
    at the nodes, where nothing cancels.
    """
    mass, z, basis, edge, from_left = strip
    a, b = [
        sum(xp.where(from_left, c, d) * row for c, d, row in zip(side, reversed(side), basis))
        for side in (a, b)
    ]
    weighted = mass * a
    sums = [edge * xp.sum(weighted * b, 0)]
    previous, hermite = weighted * (b - less), z * (weighted * (b - less))
    for k in range(1, count):
        # z was counted in the direction of the piece.
        outer = edge if k % 2 == 0 else xp.where(from_left, edge, -edge)
        sums.append(outer * xp.sum(hermite, 0))
        previous, hermite = hermite, z * hermite - k * previous
    return sums
