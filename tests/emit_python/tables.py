"""Modules that sum over a table of pieces, held against `gaussform eval`.

The functions are random, with up to 64 knots, and one is of degree 64. Errors are in units in the
last place of the value itself or of the scale of its terms, which the variance gives.
"""

import csv
import math
import random
import struct
import subprocess

import golden


#: Of the highest degree.
HIGH = "piecewise { x < 0: (x/4)^64; else: 1 - (x/4)^63 }"


def functions(count, seed=1):
    """Expressions with points at which to compare."""
    draw = random.Random(seed)
    yield HIGH, [point(draw, [0], 64) for _ in range(20)]
    shapes = [(64, 1), (20, 3), (5, 7), (2, 24)]
    for i in range(count):
        knots, degree = shapes[i % len(shapes)]
        places = sorted(draw.sample(range(-40, 41), knots))
        pieces = [polynomial(draw, degree) for _ in range(knots + 1)]
        cases = [f"x < {place}/8: {piece};" for place, piece in zip(places, pieces)]
        text = f"piecewise {{ {' '.join(cases)} else: {pieces[-1]} }}"
        yield text, [point(draw, places, degree) for _ in range(20)]


def polynomial(draw, degree):
    terms = [f"{draw.randint(-9, 9)}/{2**j}*x^{j}" for j in range(degree + 1)]
    return " + ".join(terms).replace("+ -", "- ")


def point(draw, places, degree):
    xi = 10 ** draw.uniform(-3, 1.5 / (1 + degree / 20))
    near = draw.choice(places) / 8
    # Numbers of single precision, so that every module is given the same.
    gamma = near + draw.choice([0, 0.125, 1, 2]) * xi
    return list(struct.unpack("2f", struct.pack("2f", gamma, xi * xi)))


def truth(modules, text, points):
    """What the scalar kernel says."""
    rows = "\n".join(["gamma,xi2", *(f"{gamma!r},{xi2!r}" for gamma, xi2 in points)])
    command = [modules.command, "eval", text, "--csv", "-"]
    done = subprocess.run(command, input=rows, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for row in csv.DictReader(done.stdout.splitlines()):
        values = [float(row[name]) for name in golden.NAMES]
        xi2, second, variance = float(row["xi2"]), values[1], values[2]
        xi, deviation = math.sqrt(xi2), math.sqrt(variance)
        slopes = [deviation / xi, deviation / xi2, variance / xi, variance / xi2]
        yield values, [math.sqrt(second), 0.0, 0.0, *slopes]


def tolerance(precision, smallest):
    """The bound on errors in ulp: random functions are curved, and in double precision curved kernels promise 128."""
    return 128 if precision == "f64" else smallest


def check(modules, target, precision, evaluate, tolerance, report, count=10):
    """Holds `evaluate(module, gamma, xi2)` against the scalar kernel; gammas and xi2s are lists."""
    worst = (0.0, "")
    for text, points in functions(count):
        module = modules.get(text, target)
        columns = evaluate(module, *map(list, zip(*points)))
        for i, (values, scales) in enumerate(truth(modules, text, points)):
            if precision == "f32" and max(map(abs, values)) > 1e18:
                # In the unit of densities that is beyond single precision.
                continue
            for name, column, value, scale in zip(golden.NAMES, columns, values, scales):
                error = golden.error(float(column[i]), value, scale, precision)
                place = f"{name} of {text[:80]} at {points[i]}: {float(column[i])!r}, not {value!r}"
                worst = max(worst, (error, place))
    if report:
        print(f"{target} {precision} tables            {worst[0]:8.2f} ulp  {worst[1]}")
    assert worst[0] <= tolerance, f"{target} {precision}: {worst[0]} ulp, {worst[1]}"
