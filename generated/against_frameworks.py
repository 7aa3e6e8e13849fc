"""Compares the library with the functions of the frameworks that it names.

    pip install numpy torch jax
    cargo build --release -p gaussform-cli
    python generated/against_frameworks.py target/release/gaussform

With a variance of 0 the mean is the value of the function, so `gaussform eval` gives the values of each
activation on a grid that meets no knot. Frameworks that are not installed are left out; the last
line says how many comparisons there were. Keras, Burn and Candle are not called: what they define is
in `tests/activations.rs`.
"""

import subprocess
import sys

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None
try:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
except ImportError:
    jax = None

GRID = (np.arange(-4000, 4000) + 0.37) / 400


def pytorch():
    """Activation, parameters, and the function of PyTorch."""
    return [
        ("identity", {}, torch.nn.Identity()),
        ("relu", {}, F.relu),
        ("leaky_relu", {"eps": 0.01}, torch.nn.LeakyReLU()),
        ("prelu", {"slope": 0.25}, lambda x: F.prelu(x, torch.tensor(0.25, dtype=x.dtype))),
        ("rrelu", {"lower": 0.125, "upper": 0.375}, lambda x: F.rrelu(x, 0.125, 0.375)),
        ("threshold", {"theta": 0.1, "value": 20}, torch.nn.Threshold(0.1, 20)),
        ("relu6", {}, F.relu6),
        ("relu2", {}, lambda x: F.relu(x).square()),
        ("hard_tanh", {}, F.hardtanh),
        ("clip", {"min_val": -0.5, "max_val": 2}, torch.nn.Hardtanh(-0.5, 2.0)),
        ("hard_sigmoid", {}, F.hardsigmoid),
        ("hard_swish", {}, F.hardswish),
        ("hard_shrink", {"lambda": 0.5}, F.hardshrink),
        ("soft_shrink", {"lambda": 0.5}, F.softshrink),
        ("heaviside", {}, lambda x: torch.heaviside(x, torch.zeros((), dtype=x.dtype))),
        ("sign_of", {}, torch.sign),
        ("abs", {}, torch.abs),
        ("square", {}, torch.square),
    ]


def jaxes():
    """Activation, parameters, and the function of JAX."""
    return [
        ("identity", {}, jax.nn.identity),
        ("relu", {}, jax.nn.relu),
        ("leaky_relu", {"eps": 0.01}, jax.nn.leaky_relu),
        ("relu6", {}, jax.nn.relu6),
        ("sparse_plus", {}, jax.nn.sparse_plus),
        ("sparse_sigmoid", {}, jax.nn.sparse_sigmoid),
        ("hard_tanh", {}, jax.nn.hard_tanh),
        ("clip", {"min_val": -0.5, "max_val": 2}, lambda x: jnp.clip(x, -0.5, 2)),
        ("hard_sigmoid", {}, jax.nn.hard_sigmoid),
        ("hard_swish", {}, jax.nn.hard_swish),
        ("hard_swish", {}, jax.nn.hard_silu),
        ("heaviside", {}, lambda x: jnp.heaviside(x, 0)),
        ("sign_of", {}, jnp.sign),
        ("square", {}, jnp.square),
    ]


def values(program, name, parameters):
    """The activation on the grid."""
    rows = "\n".join(f"{x!r},0" for x in GRID.tolist())
    options = [text for item in parameters.items() for text in ("--param", "{}={}".format(*item))]
    command = [program, "eval", name, "--csv", "-", *options]
    run = subprocess.run(command, input="gamma,xi2\n" + rows, text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    header, *lines = run.stdout.splitlines()
    column = header.split(",").index("mean")
    return np.array([float(line.split(",")[column]) for line in lines])


def main(program):
    comparisons = []
    if torch is not None:
        of = lambda f: f(torch.from_numpy(GRID)).numpy()
        comparisons += [("PyTorch", name, p, of(f)) for name, p, f in pytorch()]
    if jax is not None:
        comparisons += [("JAX", name, p, np.asarray(f(jnp.asarray(GRID)))) for name, p, f in jaxes()]
    worst = 0.0
    for framework, name, parameters, expected in comparisons:
        error = np.abs(values(program, name, parameters) - expected).max()
        worst = max(worst, error)
        print(f"{framework:8} {name:16} {error:.1e}")
        if not error <= 1e-14:
            sys.exit(f"{name} is not what {framework} computes")
    print(f"{len(comparisons)} comparisons at {GRID.size} places, largest difference {worst:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["gaussform"])
