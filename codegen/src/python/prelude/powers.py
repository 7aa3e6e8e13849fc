def _powers(p, piece, narrow, edges, width, deviation):
    """The integrals of powers over a bounded straight piece."""
    return p, p.powers_on(narrow[piece], *_ends(edges, piece), width, deviation)


def _integrals(integrals):
    """The integrals of 1 and tau over the piece, tau from -1 to 1 over it."""
    p, powers = integrals
    return p.powers_basis(powers)


def _products(integrals, a, b, less, count):
    """The integrals of A * B, and of A * (B - less) * He_k((u - gamma) / xi) for 0 < k < count.

    A and B are straight lines on the piece, by their coefficients.
    """
    p, powers = integrals
    a, b = [[*line, 0.0][:2] for line in (a, b)]
    products = p.powers_products_1 if count == 1 else p.powers_products_3
    return products(powers, a, b, less)[:count]
