"""The 40-digit truth of tests/golden, and errors in units in the last place.

The scales are those of tests/golden.rs: the value itself for second moment and variance; for mean
and derivatives, which cross zero, also E|g|, E|g'|, E|g''|/2 and the variance over xi or xi**2.
"""

import csv
import math

from modules import ROOT

NAMES = [
    "mean",
    "second",
    "variance",
    "dmean_dgamma",
    "dmean_dxi2",
    "dvariance_dgamma",
    "dvariance_dxi2",
]
#: Unit in the last place of 1, smallest normal number, largest number.
UNITS = {
    "f64": (2.0**-52, 2.0**-1022, (2.0 - 2.0**-52) * 2.0**1023),
    "f32": (2.0**-23, 2.0**-126, (2.0 - 2.0**-23) * 2.0**127),
}


def rows(precision):
    """(activation, gamma, xi2, truth, scales) of each row."""
    with open(ROOT / "tests" / "golden" / f"moments_{precision}.csv", newline="") as file:
        for row in csv.DictReader(file):
            gamma, xi2 = float(row["gamma"]), float(row["xi2"])
            truth = [float(row[name]) for name in NAMES]
            variance = truth[2]
            xi = math.sqrt(xi2)
            scales = [
                float(row["scale_mean"]),
                0.0,
                0.0,
                float(row["scale_dgamma"]),
                float(row["scale_dxi2"]),
                variance / xi if xi2 > 0 else 0.0,
                variance / xi2 if xi2 > 0 else 0.0,
            ]
            yield row["activation"], gamma, xi2, truth, scales


def error(got, truth, scale, precision):
    """In units in the last place; what is no normal number may be 0."""
    epsilon, tiny, huge = UNITS[precision]
    if abs(truth) > huge:
        return 0.0 if got == math.copysign(math.inf, truth) else math.inf
    if abs(truth) <= tiny and abs(got) <= tiny:
        return 0.0
    distance = abs(got - truth) / (epsilon * max(scale, abs(truth), tiny))
    return math.inf if math.isnan(distance) else distance
