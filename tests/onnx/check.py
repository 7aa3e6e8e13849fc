"""Runs exported models in onnxruntime beside the command's own predictions.

    cargo build --release -p gaussform-bnn-cli
    python3 -m venv venv && venv/bin/pip install -r tests/onnx/requirements.txt
    venv/bin/python tests/onnx/check.py target/release/gaussform-bnn

For each method, activation, noise and transform a small model is trained on a table that is made here, exported, and asked
for rows within and far outside the table. Printed is the largest error of each output, relative to the prediction or, for
means, to its standard deviation. The exit code is 1 if one is above its bound.
"""

import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

ROWS = 150
COLUMNS = ["a", "b", "c"]

# Options of `train`, the target, and the largest error in f32.
CASES = [
    ("", "y", 2e-4),
    ("--hidden 8,6 --activation hard_tanh", "y", 2e-4),
    ("--activation relu6", "y", 2e-4),
    ("--activation sqnl", "y", 2e-4),
    ("--activation heaviside", "y", 2e-4),
    ("--activation prelu", "y", 2e-4),
    ("--method vbp", "y", 2e-4),
    ("--method dvi", "y", 1e-3),
    ("--method pbp --epochs 3", "y", 1e-8),
    ("--method vrelunet --epochs 20", "y", 1e-8),
    ("--noise student", "y", 2e-4),
    ("--members 2", "y", 2e-4),
    ("--target-transform log", "skewed", 1e-3),
    ("--target-transform asinh", "skewed", 1e-3),
    ("--target-transform quantile", "skewed", 2e-3),
    ("--likelihood poisson --numbers count", "count", 1e-3),
    ("--target-transform none", "y,skewed", 2e-4),
    ("", "line", 2e-4),
    ("--noise student --members 2", "line", 2e-4),
    ("--noise normal --target-transform log", "power", 2e-4),
    ("", "two", 2e-5),
    ("--prior 0.01", "two", 2e-5),
    ("--method vbp --hidden 8,6", "two", 2e-5),
    ("--class-form delta --members 2", "two", 2e-5),
    ("", "three", 2e-5),
    ("--prior 0.01", "three", 2e-5),
    ("--method vbp --members 2", "three", 2e-5),
]
TARGETS = ["y", "skewed", "count", "line", "power", "two", "three"]


def table(path, rng):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS + TARGETS)
        for _ in range(ROWS):
            a, b, c = 3 * rng.standard_normal(), 100 + rng.standard_normal(), rng.random()
            y = abs(a) + 0.3 * (b - 100) + 0.2 * rng.standard_normal()
            skewed = math.exp(0.8 * y)
            count = rng.poisson(math.exp(0.3 * abs(a)))
            # Nearly linear functions of the inputs.
            line = 2 * a + 0.5 * b - c + 0.02 * math.sin(40 * a)
            power = math.exp(0.2 * (line - 50))
            two = "yes" if a + rng.standard_normal() > 0 else "no"
            three = "low" if y < 1.5 else "middle" if y < 3 else "high"
            out.writerow([a, b, c, y, skewed, count, line, power, two, three])


def main():
    command = Path(sys.argv[1]).resolve()
    failed = False
    with tempfile.TemporaryDirectory() as folder:

        def run(*args):
            done = subprocess.run([command, *args], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{args}: {done.stderr}")

        rng = np.random.default_rng(1)
        table(Path(folder) / "train.csv", rng)
        # Rows to ask for: within the table, and up to its width away from it.
        points = np.column_stack(
            [rng.uniform(-15, 15, 200), 100 + rng.uniform(-6, 6, 200), rng.uniform(-0.4, 1.4, 200)]
        )
        with open(Path(folder) / "ask.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(COLUMNS)
            out.writerows(points.tolist())
        for options, target, bound in CASES:
            others = [name for name in TARGETS if name not in target.split(",")]
            ignore = [word for name in others for word in ("--ignore", name)]
            options = options.split()
            if "--epochs" not in options:
                options += ["--epochs", "60"]
            train = ["--csv", "train.csv", "--target", target, "--out", "m.st", "--tails", "none"]
            run("train", *train, *ignore, *options)
            run("export", "--model", "m.st", "--onnx", "m.onnx")
            run("predict", "--model", "m.st", "--csv", "ask.csv", "--out", "p.csv")
            with open(Path(folder) / "p.csv") as file:
                rows = list(csv.DictReader(file))
            session = onnxruntime.InferenceSession(Path(folder) / "m.onnx")
            found = session.run(None, {"inputs": points})
            names = [output.name for output in session.get_outputs()]
            found = dict(zip(names, found))
            errors = {}
            if "probabilities" in found:
                columns = [key for key in rows[0] if key.startswith("p(")]
                expected = np.array([[float(row[key]) for key in columns] for row in rows])
                errors["probabilities"] = np.abs(found["probabilities"] - expected).max()
            else:
                several = target.split(",") if "," in target else None
                for j, name in enumerate(several or [""]):
                    suffix = f"({name})" if several else ""
                    mean, sd = (
                        np.array([float(row[key + suffix]) for row in rows]) for key in ("mean", "sd")
                    )
                    errors["mean" + suffix] = (np.abs(found["mean"][:, j] - mean) / sd).max()
                    relative = np.abs(np.sqrt(found["variance"][:, j]) / sd - 1)
                    errors["sd" + suffix] = relative.max()
            worst = max(errors.values())
            # Not a number is a failure too.
            ok = bool(worst <= bound)
            failed |= not ok
            said = ", ".join(f"{name} {error:.1e}" for name, error in errors.items())
            print(f"{'ok  ' if ok else 'FAIL'} {target:10s} {' '.join(options):50s} {said}", flush=True)
    sys.exit(1 if failed else 0)


main()
