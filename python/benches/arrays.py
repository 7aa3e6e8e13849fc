"""Moments of arrays: this package beside the Rust batch that it calls, and the textbook formula in NumPy and SciPy.

    python python/benches/arrays.py                 # builds and runs `cargo bench -p gaussform-bench --bench kernels` too
    python python/benches/arrays.py --without-rust

Prints ns an element of one thread's processor time: in each of five rounds the median of the runs, and the least of the rounds. Then the time
of one call on few elements (also of PyTorch's operator, where PyTorch is installed), the time that `import gaussform` adds to NumPy's import, and the size of the native module as a wheel packs it.
The arrays are those of the Rust benchmark: gamma from N(0, 2²), xi2 log-uniform from e⁻² to e².
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gaussform as gf

ROOT = Path(__file__).parents[2]
ELEMENTS = 1_000_000
ROUNDS = 5
#: Of the library, which have compiled kernels, and a declaration, which is computed by the numbers of its pieces.
LIBRARY = ("relu", "hard_tanh", "hard_swish")
DECLARED = "max(0, x) + max(0, x - 1/7)"
TASKS = {"fwd": "moments", "fwd+grad": "moments_grad"}


def textbook(gamma: np.ndarray, xi2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of a ReLU as papers print them: γΦ + ξφ and (γ² + ξ²)Φ + γξφ − mean², with Φ and φ at γ/ξ."""
    from scipy.special import ndtr

    xi = np.sqrt(xi2)
    below = ndtr(gamma / xi)
    density = np.exp(-gamma * gamma / (2 * xi2)) * (xi / np.sqrt(2 * np.pi))
    mean = gamma * below + density
    return mean, (gamma * gamma + xi2) * below + gamma * density - mean * mean


def median(run: Callable[[], object], seconds: float = 0.25) -> float:
    """The median processor time of a run of this thread."""
    run()
    times: list[float] = []
    while sum(times) < seconds or len(times) < 5:
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return statistics.median(times)


def rust(name: str, task: str, precision: str) -> float:
    """ns an element of the Rust batch."""
    command = "cargo bench --quiet -p gaussform-bench --bench kernels --".split()
    arguments = [f"{name} {task} {precision}", "--exact", "--elements", str(ELEMENTS)]
    printed = subprocess.run([*command, *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = re.search(r"cpu-median\s+([\d.]+)", printed)
    if found is None:
        raise SystemExit(f"the benchmark printed no time:\n{printed}")
    return float(found[1])


def arrays(precision: str, with_rust: bool) -> None:
    rng = np.random.default_rng(0)
    gamma = (2 * rng.normal(size=ELEMENTS)).astype(precision)
    xi2 = np.exp(rng.uniform(-2, 2, size=ELEMENTS)).astype(precision)
    for name in (*LIBRARY, DECLARED):
        f = gf.derive(name)
        in_rust = with_rust and name in LIBRARY
        for task, method in TASKS.items():
            moments = getattr(f, method)
            out = [np.empty_like(gamma) for _ in moments(0.0, 1.0)]
            least = {"python": np.inf, "rust": np.inf, "textbook": np.inf}
            for _ in range(ROUNDS):
                if in_rust:
                    least["rust"] = min(least["rust"], rust(name, task, precision))
                python = median(lambda: moments(gamma, xi2, out=out))
                least["python"] = min(least["python"], 1e9 * python / ELEMENTS)
                if (name, task) == ("relu", "fwd"):
                    formula = median(lambda: textbook(gamma, xi2))
                    least["textbook"] = min(least["textbook"], 1e9 * formula / ELEMENTS)
            line = f"{name:27} {task:8} {precision:8} python {least['python']:7.2f}"
            if in_rust:
                line += f"  rust {least['rust']:7.2f}  ratio {least['python'] / least['rust']:5.2f}"
            if np.isfinite(least["textbook"]):
                line += f"  textbook {least['textbook']:7.2f}"
            print(line, flush=True)


def calls() -> None:
    for count in (1, 100, 10_000):
        gamma, xi2 = np.linspace(-3, 3, count), np.ones(count)
        ours = min(median(lambda: gf.library.relu.moments(gamma, xi2), 0.05) for _ in range(ROUNDS))
        formula = min(median(lambda: textbook(gamma, xi2), 0.05) for _ in range(ROUNDS))
        line = f"a call on {count:6} elements: {1e6 * ours:8.2f} µs, textbook {1e6 * formula:8.2f} µs"
        print(line + operator(gamma, xi2))


def operator(gamma: np.ndarray, xi2: np.ndarray) -> str:
    """The time of a call of PyTorch's operator, where PyTorch is installed."""
    try:
        import torch
    except ImportError:
        return ""
    torch.set_num_threads(1)
    tensors = torch.from_numpy(gamma), torch.from_numpy(xi2)
    with torch.no_grad():
        taken = min(median(lambda: gf.torch.moments(*tensors, "relu"), 0.05) for _ in range(ROUNDS))
    return f", PyTorch's operator {1e6 * taken:8.2f} µs"


def imports() -> None:
    code = (
        "import time; a = time.process_time(); import numpy; b = time.process_time(); import gaussform; c = time.process_time(); print(b - a, c - b)"
    )
    pairs = []
    for _ in range(2 * ROUNDS):
        printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        pairs.append([float(number) for number in printed.split()])
    ours, numpy = min(pair[1] for pair in pairs), min(pair[0] for pair in pairs)
    print(f"import: numpy {1e3 * numpy:.0f} ms, then gaussform {1e3 * ours:.0f} ms")


def size() -> None:
    path = Path(gf._native.__file__ or "")
    contents = path.read_bytes()
    print(f"native module: {len(contents) / 1e6:.1f} MB, compressed {len(zlib.compress(contents, 6)) / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-rust", action="store_true", help="leave the Rust benchmark out, which takes minutes to build")
    with_rust = not parser.parse_args().without_rust
    gf.set_num_threads(1)
    for precision in ("float64", "float32"):
        arrays(precision, with_rust)
    calls()
    imports()
    size()


if __name__ == "__main__":
    main()
