"""Checks that are the same for every library."""

import golden
import numpy as np
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


# Functions that are others wherever a Normal may be, and these.
FAR = [
    ("clamp(x, -C, C)", "x"),
    ("min(x, C)", "x"),
    ("clamp(x, 0, C)^2", "max(0, x)^2"),
    ("C*max(0, x - 100) + max(0, x) - 2*max(0, x + 1)", "max(0, x) - 2*max(0, x + 1)"),
]


def far(modules, target, precision, evaluate):
    """Large numbers that have no part in a result leave it as it is: knots far away, a slope behind one."""
    epsilon = float(np.finfo(f"f{int(precision[1:]) // 8}").eps)
    points = [0.5, -1.0, 0.0], [1.0, 0.25, 2.0]
    for size in {"f64": ["10^20", "10^140"], "f32": ["10^12", "10^25"]}[precision]:
        for far_away, near in FAR:
            texts = far_away.replace("C", size), near
            got, wanted = [np.array(evaluate(modules.get(text, target), *points), np.float64) for text in texts]
            assert np.allclose(got, wanted, rtol=64 * epsilon, atol=64 * epsilon), (target, precision, texts)
