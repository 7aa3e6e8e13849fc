"""Modules that the built `gaussform` emits, imported."""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: The functions of the golden tables.
GOLDEN = dict(
    line.split("(x) = ")
    for line in (ROOT / "tests/golden/activations.gf").read_text().splitlines()
    if not line.startswith("#")
)

#: Activations with parameters, with values inside and outside of their domains.
PARAMETRIC = {
    "leaky(x; eps in (0, 1)) = max(eps * x, x)": ({"eps": 0.125}, {"eps": 1.5}),
    "clip(x; a, b, a < b) = clamp(x, a, b)": ({"a": -0.3, "b": 1.1}, {"a": 1.0, "b": 1.0}),
    "shrink(x; width > 0, slope) = slope * (x - clamp(x, -width, width))": (
        {"width": 0.7, "slope": 1.3},
        {"width": -0.7, "slope": 1.3},
    ),
    "bump(x; width > 0, height) = height * max(0, width^2 - x^2)": (
        {"width": 1.3, "height": 0.6},
        {"width": 0.0, "height": 0.6},
    ),
    "bent(x; a in (0, 1)) = max(a*x, 0) - 2*max(x - a, 0) + a*max(x - 2, 0)^2": (
        {"a": 0.375},
        {"a": 1.5},
    ),
    "jump(x; a, b, a < b) = step(x - (a + b)/2) * (b - a)": (
        {"a": -0.5, "b": 0.75},
        {"a": 0.5, "b": 0.0},
    ),
}


def arguments():
    """What the command line says: the command to test, the targets, whether to report."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description="Checks the Python modules that gaussform emits.")
    parser.add_argument("--gaussform", default=target / "debug" / "gaussform", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=["numpy", "jax", "pytorch"])
    parser.add_argument("--report", action="store_true", help="print the largest errors")
    return parser.parse_args()


class Modules:
    """Emits and imports."""

    def __init__(self, command):
        self.command = command
        self.folder = tempfile.TemporaryDirectory(prefix="gaussform-emit-")
        self.known = {}

    def run(self, *args):
        return subprocess.run([self.command, "emit", *args], capture_output=True, text=True)

    def get(self, expression, target, name="g"):
        named = [] if "=" in expression else ["--name", name]
        return self.imported((expression, target), expression, *named)

    def pair(self, g, h, target):
        return self.imported((g, h, target), g, "--joint", h)

    def imported(self, key, *args):
        target = key[-1]
        if key not in self.known:
            path = pathlib.Path(self.folder.name) / f"module_{len(self.known)}_{target}.py"
            done = self.run(*args, "--target", target, "--out", str(path))
            assert done.returncode == 0, done.stderr
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self.known[key] = module
        return self.known[key]
