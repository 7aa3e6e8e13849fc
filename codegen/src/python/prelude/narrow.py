def _narrow(p, z):
    """The bounded pieces that are narrow in units of xi, along the first axis."""
    left, right = z[:-1], z[1:]
    omega = right - left
    around = (left <= 0.0) & (right > 0.0)
    flat = omega * abs(left + right) < 2.0 * _NARROW_EXPONENT
    return (around & (omega < _NARROW_WIDTH)) | (~around & flat)


def _integrals(p, z, h, widths, inverse, orders):
    """Gauss-Legendre integrals over the bounded pieces against the density of u.

    For each k < orders those of He_k((u - gamma) / xi) * x**j * (1 - x)**(N - 1 - j), with x from 0
    to 1 over the piece: pieces along the first axis, j < N along the last. phi(z) is
    phi(edge) * exp(-delta * (zeta + delta / 2)) with delta the distance from the nearer edge.
    """
    from_left = z[:-1] + z[1:] >= 0.0
    h = xp.where(from_left, h[:-1], h[1:])
    zeta = xp.where(from_left, z[:-1], -z[1:])[..., None]
    omega = xp.stack([width * inverse for width in widths])[..., None]
    delta = omega * _table(p, p.nodes, z)
    basis = _table(p, p.basis, z)
    hermite = omega * xp.exp(-(delta * (zeta + 0.5 * delta)))
    previous = xp.zeros_like(hermite)
    rows = []
    for k in range(orders):
        row = _matmul(hermite, basis)
        # Counted from the nearer edge; z and x run the other way from the right one.
        row = xp.where(from_left[..., None], row, xp.flip(row, (-1,)))
        outer = h if k % 2 == 0 else xp.where(from_left, h, -h)
        rows.append(h[..., None] * (outer[..., None] * row))
        previous, hermite = hermite, (zeta + delta) * hermite - k * previous
    return rows
