"""Modules of two correlated pre-activations, held against 40-digit truth.

The bounds are those that the docstring of a module states: in units of D, a bound of the covariance by the slopes and jumps of both
functions. Single precision, whose numbers are not those of the table, is held against `gaussform eval --joint`, and so are random
functions: GAUSSFORM_PAIRS=30 draws so many pairs of them, with and without jumps.
"""

import csv
import math
import os
import random
import struct
import subprocess

from modules import ROOT

#: The straight functions of the table: the text, the sum of the slopes, the sum of the jumps.
FUNCTIONS = {
    "relu": ("max(0, x)", 1.0, 0.0),
    "heaviside": ("step(x)", 0.0, 1.0),
    "hard_tanh": ("clamp(x, -1, 1)", 1.0, 0.0),
    "abs": ("|x|", 2.0, 0.0),
    "abs_shift": ("|x - 1/2|", 2.0, 0.0),
    "hat": ("max(0, 1 - |x|)", 2.0, 0.0),
    "identity": ("x", 1.0, 0.0),
}
INPUTS = ["m1", "v1", "m2", "v2", "c"]
TRUTH = ["cov", "dcov_dm1", "dcov_dv1", "dcov_dm2", "dcov_dv2", "dcov_dc"]
FIELDS = [
    "covariance",
    "dcovariance_dgamma",
    "dcovariance_dxi2",
    "dcovariance_dgamma_h",
    "dcovariance_dxi2_h",
    "dcovariance_dcov",
]
#: What is promised: of the covariance, of derivatives, and of derivatives next to a correlation of 1.
BOUNDS = {"f64": (1e-14, 1e-13, 1e-10), "f32": (1e-6, 1e-6, 1e-5)}


def table():
    """The rows of each pair of straight functions: inputs and truth."""
    pairs = {}
    with open(ROOT / "tests" / "golden" / "bivariate.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["g"] in FUNCTIONS and row["h"] in FUNCTIONS:
                numbers = [[float(row[name]) for name in names] for names in (INPUTS, TRUTH)]
                pairs.setdefault((row["g"], row["h"]), []).append(numbers)
    return pairs


def evaluated(modules, texts, laws):
    """What the scalar kernel says of laws."""
    lines = ["gamma,xi2,gamma_h,xi2_h,cov", *(",".join(map(repr, law)) for law in laws)]
    command = [modules.command, "eval", texts[0], "--joint", texts[1], "--csv", "-"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for row in csv.DictReader(done.stdout.splitlines()):
        yield [float(row[name]) for name in FIELDS]


def rounded(modules, texts, rows):
    """The laws of a table in single precision, with what the scalar kernel says of them."""
    laws = [list(struct.unpack("5f", struct.pack("5f", *inputs))) for inputs, _ in rows]
    # Not beyond |rho| = 1 by rounding, nor so near that rounding is all there is.
    laws = [x for x in laws if x[4] ** 2 <= x[1] * x[3] * (1 - 1e-5) and min(x[1], x[3]) > 1e-15]
    return list(zip(laws, evaluated(modules, texts, laws)))


def piecewise(draw, jumps):
    """A random straight function as [`FUNCTIONS`] has them, and its knots."""
    knots = sorted(draw.sample(range(-12, 13), draw.randint(1, 3)))
    slopes = [draw.randint(-4, 4) / 2 for _ in knots] + [draw.choice([-1.0, 0.5, 2.0])]
    value, size, pieces = float(draw.randint(-3, 3)), 0.0, []
    for i, knot in enumerate(knots):
        place = knot / 4
        if i > 0:
            value += slopes[i] * (place - knots[i - 1] / 4)
        pieces.append(f"x < {knot}/4: {value} + {slopes[i]}*(x - {knot}/4);")
        jump = draw.choice([-2, -1, 0, 1, 2]) if jumps else 0
        value, size = value + jump, size + abs(jump)
    pieces.append(f"else: {value} + {slopes[-1]}*(x - {knots[-1]}/4)")
    text = f"piecewise {{ {' '.join(pieces)} }}".replace("+ -", "- ").replace("- -", "+ ")
    return (text, sum(map(abs, slopes)), size), [knot / 4 for knot in knots]


def law(draw, knots, knots_h):
    """Means near knots, and correlations up to 1 - 1e-12."""
    xi, xi_h = 2 ** draw.uniform(-8, 8), 2 ** draw.uniform(-8, 8)
    kind = draw.random()
    rho = draw.random() if kind < 0.4 else 1 - 10 ** draw.uniform(-12, -1)
    rho = draw.choice([-1, 1]) * (rho if kind < 0.8 else 10 ** draw.uniform(-6, 0))
    gamma = draw.choice(knots) + xi * draw.uniform(-12, 12) * draw.random()
    gamma_h = draw.choice(knots_h) + xi_h * draw.uniform(-12, 12) * draw.random()
    return [gamma, xi * xi, gamma_h, xi_h * xi_h, rho * xi * xi_h]


def samples(modules, precision):
    """Pairs of functions with laws and truth: those of the table, and random ones."""
    for names, rows in table().items():
        functions = [FUNCTIONS[name] for name in names]
        if precision == "f32":
            rows = rounded(modules, [function[0] for function in functions], rows)
        yield functions, rows
    draw = random.Random(1)
    count = int(os.environ.get("GAUSSFORM_PAIRS", "4")) if precision == "f64" else 0
    for i in range(count):
        both = [piecewise(draw, jumps=i % 2 == 1) for _ in range(2)]
        functions, (knots, knots_h) = zip(*both)
        laws = [law(draw, knots, knots_h) for _ in range(200)]
        truth = evaluated(modules, [function[0] for function in functions], laws)
        yield functions, list(zip(laws, truth))


def error(functions, inputs, quantity, got, truth, precision):
    """The error of a result, over what is promised."""
    if got == truth:
        return 0.0
    (_, slope, jump), (_, slope_h, jump_h) = functions
    _, v, _, w, c = inputs
    if v == 0.0 or w == 0.0:
        return math.inf if abs(got - truth) > 1e-14 * abs(truth) else 0.0
    xi, xi_h = math.sqrt(v), math.sqrt(w)
    unit = [1.0, xi, v, xi_h, w, xi * xi_h][quantity]
    size = (slope * xi + jump) * (slope_h * xi_h + jump_h) / unit
    rest = max(1.0 - (c / (xi * xi_h)) ** 2, 0.0)
    of_value, of_derivative, at_the_end = BOUNDS[precision]
    bound = of_value if quantity == 0 else of_derivative if rest > 2e-12 else at_the_end
    if quantity > 0 and (jump or jump_h):
        bound /= math.sqrt(max(rest, 1e-16))
    distance = abs(got - truth) / (bound * size)
    return math.inf if math.isnan(distance) else distance


def check(modules, target, precision, evaluate, report):
    """Holds `evaluate(module, columns)`, whose columns are lists, to the table."""
    worst = dict.fromkeys(FIELDS, (0.0, ""))
    for functions, rows in samples(modules, precision):
        module = modules.pair(functions[0][0], functions[1][0], target)
        results = evaluate(module, [list(column) for column in zip(*(row[0] for row in rows))])
        for at, (name, column) in enumerate(zip(FIELDS, results)):
            for (inputs, truth), got in zip(rows, column):
                size = error(functions, inputs, at, float(got), truth[at], precision)
                place = f"{name} of {[f[0] for f in functions]} at {inputs}: {float(got)!r}, not {truth[at]!r}"
                worst[name] = max(worst[name], (size, place))
    for name, (size, place) in worst.items():
        if report:
            print(f"{target} {precision} {name:20} {size:8.3f} of what is promised  {place}")
        assert size <= 1.0, f"{target} {precision}: {place}"

