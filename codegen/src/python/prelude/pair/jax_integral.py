def _column(numbers, like):
    """Numbers along the first axis."""
    return jnp.asarray(numbers, like.dtype).reshape(-1, *[1] * like.ndim)


def _integral(p, path, square, product):
    """The sums over the nodes. A rule is a loop, of no turns where no element needs it."""
    shape = jnp.broadcast_shapes(square.shape, path[3].shape)
    sums = (jnp.zeros(shape, square.dtype),) * _SUMS
    for least, most, rows in p.rules:
        here = (least <= path[3]) & (path[3] < most)
        table = jnp.asarray(rows, square.dtype)

        def add(i, sums):
            x, rest, weight = table[i]
            weight = jnp.where(here, weight, 0.0)
            terms = p.node(*path, x, rest, weight, square, product)
            return tuple(total + term for total, term in zip(sums, terms))

        sums = jax.lax.fori_loop(0, jnp.where(jnp.any(here), len(rows), 0), add, sums)
    return sums
