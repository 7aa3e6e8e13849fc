def _rule(half, count):
    """A symmetric rule on [0, 1] from half of its nodes, (x, 1 - x, weight).

    Rows of x, of the weights, and of x**j * (1 - x)**(count - 1 - j) for j < count, at all nodes.
    """
    sides = [side for near, far, w in half for side in ((near, far, w), (far, near, w))]
    basis = [[x**j * rest ** (count - 1 - j) for x, rest, _ in sides] for j in range(count)]
    return [[x for x, _, _ in sides], [w for _, _, w in sides], *basis]
