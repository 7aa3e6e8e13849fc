"""Checks that are the same for every library."""

import golden
from modules import GOLDEN


def worst(modules, target, precision, evaluate, tolerance, report, names=GOLDEN):
    """Holds `evaluate(module, gamma, xi2)` against the golden table; gammas and xi2s are lists."""
    table = {}
    for name, gamma, xi2, truth, scales in golden.rows(precision):
        table.setdefault(name, []).append((gamma, xi2, truth, scales))
    largest = dict.fromkeys(golden.NAMES, (0.0, ""))
    for name in names:
        module = modules.get(GOLDEN[name], target, name)
        rows = table[name]
        columns = evaluate(module, [row[0] for row in rows], [row[1] for row in rows])
        for quantity, column, i in zip(golden.NAMES, columns, range(7)):
            for (gamma, xi2, truth, scales), got in zip(rows, column):
                error = golden.error(float(got), truth[i], scales[i], precision)
                place = f"{name} at gamma = {gamma!r}, xi2 = {xi2!r}: {float(got)!r}"
                largest[quantity] = max(largest[quantity], (error, place))
                if quantity == "variance":
                    assert got >= 0, place
    if report:
        for quantity, (error, place) in largest.items():
            print(f"{target} {precision} {quantity:17} {error:8.2f} ulp  {place}")
    for quantity, (error, place) in largest.items():
        assert error <= tolerance, f"{target} {precision} {quantity}: {error} ulp, {place}"


def difference(f, x, step=1e-6):
    """A central difference."""
    return (f(x + step) - f(x - step)) / (2 * step)
