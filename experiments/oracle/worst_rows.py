"""The share of the worst test rows in the score of a split.

    python experiments/oracle/worst_rows.py OUT/concrete

It needs nothing but Python. For each predictions-K.csv that `gaussform-experiments uci` wrote there it prints the mean test
log likelihood, the same without the three worst rows, and these rows: number, target, predictive mean and standard
deviation.
"""

import csv
import math
import pathlib
import sys

WORST = 3


def scored(path):
    """The rows of a file with their log likelihoods, the worst first."""
    with path.open() as file:
        rows = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    for row in rows:
        square = (row["y"] - row["mean"]) ** 2
        row["score"] = -0.5 * (math.log(2 * math.pi * row["variance"]) + square / row["variance"])
    return sorted(rows, key=lambda row: row["score"])


def mean(rows):
    return sum(row["score"] for row in rows) / len(rows)


for path in sorted(pathlib.Path(sys.argv[1]).glob("predictions-*.csv")):
    rows = scored(path)
    print(f"{path.name}: {len(rows)} rows {mean(rows):.3f}, without {WORST} of them {mean(rows[WORST:]):.3f}")
    for row in rows[:WORST]:
        print(f"    row {row['row']:.0f}: {row['y']:.1f}, predicted {row['mean']:.1f} ± {row['variance'] ** 0.5:.1f}")
