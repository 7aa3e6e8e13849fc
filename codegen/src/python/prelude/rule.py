def _nodes(rule):
    """The nodes of a symmetric rule on [0, 1], given by half of them: (x, 1 - x, weight)."""
    return [x for near, far, _ in rule for x in (near, far)]


def _basis(rule, count):
    """weight * x**j * (1 - x)**(count - 1 - j) for each node x and j < count."""
    sides = [side for near, far, w in rule for side in ((near, far, w), (far, near, w))]
    return [[w * x**j * rest ** (count - 1 - j) for j in range(count)] for x, rest, w in sides]
