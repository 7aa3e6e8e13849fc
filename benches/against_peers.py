"""Times the batched kernels beside other systems on the same work, on one core, in one session.

    pip install numpy scipy numba jax torch
    python benches/against_peers.py

The work: mean and variance of six activations for arrays of (gamma, xi^2), and the derivatives of the
sum of both. The others compute the textbook formulas with exp and erf: eager PyTorch, torch.compile
and JAX with their reverse mode, Numba with derivatives by hand, NumPy with SciPy's erf and without
derivatives. For ReLU and clamp(x, -1, 1) the formulas are simplified by hand. For hard swish, hard
shrink, a tent and a cubic approximation of tanh they are sums of truncated moments, which follow from
each other by the recurrence of integration by parts. gaussform's `moments_grad_into` gives all four partial derivatives.
Reverse mode, in which the cotangents are known after the results only, is the third and fourth task:
`moments_into`, then `vjp_into`, which keeps no arrays; and `moments_grad_into`, then sums of products
with the derivatives that it left.

Every system waits in a process of its own with its code compiled, and measures in turn, round
after round, all pinned to one core, with the same allocator settings. A measurement is the median
of the processor times of many runs; the table has the median over the rounds. A system that is
not installed is left out and said to be. With --without-avx512 no system uses AVX-512.
"""

import argparse
import importlib
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SIZES = (1 << 20, 1 << 14)
ACTIVATIONS = ("relu", "hard_tanh", "hard_swish", "hard_shrink", "hat", "tanh_cubic")
PRECISIONS = ("float64", "float32")
# The names of the kernels' benchmark.
FORWARD, GRADIENT, VJP, MEMORY, KEPT = "fwd", "fwd+grad", "vjp", "memory", "kept"

# As the kernels' benchmark repeats.
WARM_UP, RUNS, FEWEST, SHORTEST, LONGEST = 3, 61, 9, 0.25, 1.0

# One thread. Memory that is freed stays with the process, and large arrays get large pages:
# PyTorch and JAX allocate their results in each call, NumPy asks for large pages by itself.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 33),
    "MALLOC_TOP_PAD_": str(1 << 28),
}

# How each system is told to do without AVX-512. What torch.compile has compiled for AVX-512 it would use again: it
# gets a cache of its own.
WITHOUT_AVX512 = {
    "GAUSSFORM_WITHOUT_AVX512": "1",
    "ATEN_CPU_CAPABILITY": "avx2",
    "XLA_FLAGS": f"{ENVIRONMENT['XLA_FLAGS']} --xla_cpu_max_isa=AVX2",
    "NUMBA_CPU_NAME": "haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL",
}

Run = Callable[[], object]
Pair = tuple[Any, Any]


# The textbook formulas, for any library with sqrt, exp and erf on arrays.


def relu(lib: Any, gamma: Any, xi2: Any) -> Pair:
    xi = lib.sqrt(xi2)
    erf = lib.erf(gamma / (math.sqrt(2) * xi))
    bell = math.sqrt(2 / math.pi) * xi * lib.exp(-0.5 * gamma * gamma / xi2)
    square = gamma * gamma + xi2
    mean = 0.5 * (gamma + gamma * erf + bell)
    return mean, 0.5 * (square + square * erf + gamma * bell) - mean * mean


def hard_tanh(lib: Any, gamma: Any, xi2: Any) -> Pair:
    xi = lib.sqrt(xi2)
    over, under = gamma + 1, gamma - 1
    scale, rate = 1 / (math.sqrt(2) * xi), -0.5 / xi2
    erf_over, erf_under = lib.erf(over * scale), lib.erf(under * scale)
    bell = math.sqrt(2 / math.pi) * xi
    exp_over, exp_under = lib.exp(over * over * rate), lib.exp(under * under * rate)
    mean = 0.5 * (over * erf_over - under * erf_under + bell * (exp_over - exp_under))
    inside = (gamma * gamma + xi2 - 1) * (erf_over - erf_under)
    second = 1 + 0.5 * (inside + bell * (under * exp_over - over * exp_under))
    return mean, second - mean * mean


@dataclass(frozen=True)
class Piecewise:
    """Polynomials c0 + c1 u + ... between knots, from the left; one more than knots."""

    knots: tuple[float, ...]
    pieces: tuple[tuple[float, ...], ...]

    def squares(self) -> "Piecewise":
        def square(c: tuple[float, ...]) -> tuple[float, ...]:
            out = [0.0] * max(2 * len(c) - 1, 0)
            for i, a in enumerate(c):
                for j, b in enumerate(c):
                    out[i + j] += a * b
            return tuple(out)

        return Piecewise(self.knots, tuple(map(square, self.pieces)))


PIECEWISE = {
    "hard_swish": Piecewise((-3.0, 3.0), ((), (0.0, 1 / 2, 1 / 6), (0.0, 1.0))),
    "hard_shrink": Piecewise((-0.5, 0.5), ((0.0, 1.0), (), (0.0, 1.0))),
    "hat": Piecewise((-1.0, 0.0, 1.0), ((), (1.0, 1.0), (1.0, -1.0), ())),
    "tanh_cubic": Piecewise(
        (-3.0, -1.0, 1.0, 3.0),
        ((-1.0,), (-0.19, 0.81, 0.27, 0.03), (0.0, 0.96, 0.0, -0.2), (0.19, 0.81, -0.27, 0.03), (1.0,)),
    ),
}


def expectations(lib: Any, gamma: Any, xi2: Any, g: Piecewise, moments: int) -> list[Any]:
    """E[g (u - gamma)^j] and E[g^2 (u - gamma)^j] for j below `moments`, in this order.

    T_k = E[u^k; a < u < b] = gamma T_(k-1) + (k - 1) xi^2 T_(k-2) + xi^2 (a^(k-1) d(a) - b^(k-1) d(b)), where d is
    the density of u.
    """
    xi = lib.sqrt(xi2)
    scale, rate, bell = math.sqrt(0.5) / xi, -0.5 / xi2, math.sqrt(0.5 / math.pi) * xi
    distances = [t - gamma for t in g.knots]
    below = [0.5 * lib.erf(d * scale) for d in distances]
    bells = [bell * lib.exp(d * d * rate) for d in distances]
    sums: list[Any] = [0.0] * (2 * moments)
    last = len(g.knots)
    for i, (c, s) in enumerate(zip(g.pieces, g.squares().pieces, strict=True)):
        if not c:
            continue
        left, right = (i - 1 if i > 0 else None), (i if i < last else None)
        t = [(0.5 if right is None else below[right]) - (-0.5 if left is None else below[left])]
        for k in range(1, len(s) + moments - 1):
            value = gamma * t[k - 1]
            if k > 1:
                value = value + (k - 1) * xi2 * t[k - 2]
            if left is not None:
                value = value + g.knots[left] ** (k - 1) * bells[left]
            if right is not None:
                value = value - g.knots[right] ** (k - 1) * bells[right]
            t.append(value)
        for j in range(moments):
            for part, coefficients in ((0, c), (moments, s)):
                raw = [sum((a * t[k + m] for k, a in enumerate(coefficients) if a), 0.0) for m in range(j + 1)]
                sums[part + j] = sums[part + j] + around(gamma, raw)
    return sums


def around(gamma: Any, raw: list[Any]) -> Any:
    """E[h (u - gamma)^j] from E[h u^m], m up to j = 0, 1 or 2."""
    if len(raw) == 1:
        return raw[0]
    if len(raw) == 2:
        return raw[1] - gamma * raw[0]
    return raw[2] - 2 * gamma * raw[1] + gamma * gamma * raw[0]


def textbook(g: Piecewise) -> Callable[[Any, Any, Any], Pair]:
    def moments(lib: Any, gamma: Any, xi2: Any) -> Pair:
        mean, second = expectations(lib, gamma, xi2, g, 1)
        return mean, second - mean * mean

    return moments


TEXTBOOK = {"relu": relu, "hard_tanh": hard_tanh} | {name: textbook(g) for name, g in PIECEWISE.items()}


class Text:
    """An expression of Numba's, written down in `lines` as it is computed."""

    def __init__(self, lines: list[str], text: str) -> None:
        self.lines, self.text = lines, text

    def new(self, text: str) -> "Text":
        self.lines.append(f"v{len(self.lines)} = {text}")
        return Text(self.lines, f"v{len(self.lines) - 1}")

    def __add__(self, other: Any) -> "Text":
        return self if other == 0.0 else self.new(f"{self.text} + {text_of(other)}")

    def __sub__(self, other: Any) -> "Text":
        return self.new(f"{self.text} - {text_of(other)}")

    def __mul__(self, other: Any) -> "Text":
        return self if other == 1.0 else self.new(f"{self.text} * {text_of(other)}")

    def __truediv__(self, other: Any) -> "Text":
        return self.new(f"{self.text} / {text_of(other)}")

    def __rsub__(self, other: Any) -> "Text":
        return self.new(f"{text_of(other)} - {self.text}")

    def __rtruediv__(self, other: Any) -> "Text":
        return self.new(f"{text_of(other)} / {self.text}")

    __radd__, __rmul__ = __add__, __mul__


def text_of(value: Any) -> str:
    return value.text if isinstance(value, Text) else f"number({float(value)!r})"


class TextLibrary:
    @staticmethod
    def sqrt(x: Text) -> Text:
        return x.new(f"sqrt({x.text})")

    @staticmethod
    def exp(x: Text) -> Text:
        return x.new(f"exp({x.text})")

    @staticmethod
    def erf(x: Text) -> Text:
        return x.new(f"erf({x.text})")


def numba_text(g: Piecewise, task: str) -> str:
    """A loop with straight-line text. dE[g]/dgamma = E[g (u - gamma)]/xi^2, 2 dE[g]/dxi^2 = (E[g (u - gamma)^2]/xi^2 -
    E[g])/xi^2."""
    lines: list[str] = []
    gamma, xi2 = Text(lines, "g"), Text(lines, "x")
    names = ["mean", "variance"] + (["d_gamma", "d_xi2"] if task == GRADIENT else [])
    e = expectations(TextLibrary, gamma, xi2, g, 1 if task == FORWARD else 3)
    if task == FORWARD:
        results = [e[0], e[1] - e[0] * e[0]]
    else:
        rate = 1 / xi2
        weight = 1 - 2 * e[0]
        d_gamma = (weight * e[1] + e[4]) * rate
        d_xi2 = (weight * (e[2] * rate - e[0]) + (e[5] * rate - e[3])) * rate * 0.5
        results = [e[0], e[3] - e[0] * e[0], d_gamma, d_xi2]
    stores = [f"{name}[i] = {value.text}" for name, value in zip(names, results, strict=True)]
    body = "\n        ".join(["g, x = gamma[i], xi2[i]", *lines, *stores])
    return f"def loop(gamma, xi2, {', '.join(names)}):\n    for i in range(gamma.size):\n        {body}\n"


class Library:
    """Functions on arrays under the names that the formulas use."""

    def __init__(self, module: Any, erf: Any) -> None:
        self.sqrt, self.exp, self.erf = module.sqrt, module.exp, erf


# The peers. Each is a function of the arrays, the activation and the task, and gives what to run,
# or None for a task that it does not have. A run gives mean, variance and, if asked for, the two
# derivatives of the sum of both.


def torch_run(gamma: Any, xi2: Any, activation: str, task: str, compiled: bool) -> Run:
    import torch

    torch.set_num_threads(1)
    formula = TEXTBOOK[activation]

    # The module itself: a compiled function checks in each call what else it refers to.
    def moments(gamma: Any, xi2: Any) -> Pair:
        return formula(torch, gamma, xi2)

    function: Callable[[Any, Any], Pair] = moments
    if compiled:
        torch._dynamo.config.recompile_limit = 64
        function = torch.compile(moments, fullgraph=True, dynamic=False)
    gamma, xi2 = torch.from_numpy(gamma), torch.from_numpy(xi2)
    if task == FORWARD:

        def forward() -> object:
            with torch.no_grad():
                return function(gamma, xi2)

        return forward
    gamma.requires_grad_()
    xi2.requires_grad_()

    def backward() -> object:
        gamma.grad = xi2.grad = None
        mean, variance = function(gamma, xi2)
        (mean + variance).sum().backward()
        return mean.detach(), variance.detach(), gamma.grad, xi2.grad

    return backward


def torch_eager(gamma: Any, xi2: Any, activation: str, task: str) -> Run:
    return torch_run(gamma, xi2, activation, task, compiled=False)


def torch_compile(gamma: Any, xi2: Any, activation: str, task: str) -> Run:
    return torch_run(gamma, xi2, activation, task, compiled=True)


def jax_jit(gamma: Any, xi2: Any, activation: str, task: str) -> Run:
    import jax
    import jax.numpy as jnp
    from jax.scipy.special import erf

    library = Library(jnp, erf)
    formula = TEXTBOOK[activation]
    gamma, xi2 = jnp.asarray(gamma), jnp.asarray(xi2)

    def moments(gamma: Any, xi2: Any) -> Pair:
        return formula(library, gamma, xi2)

    def gradient(gamma: Any, xi2: Any) -> tuple[Any, ...]:
        value, pull_back = jax.vjp(moments, gamma, xi2)
        ones = jnp.ones_like(gamma)
        return *value, *pull_back((ones, ones))

    function = jax.jit(moments if task == FORWARD else gradient)
    return lambda: jax.block_until_ready(function(gamma, xi2))


def numpy_scipy(gamma: Any, xi2: Any, activation: str, task: str) -> Run | None:
    import numpy as np
    from scipy.special import erf

    library = Library(np, erf)
    formula = TEXTBOOK[activation]
    return (lambda: formula(library, gamma, xi2)) if task == FORWARD else None


def numba_jit(gamma: Any, xi2: Any, activation: str, task: str) -> Run:
    """One loop, all temporaries in registers, derivatives by hand."""
    from math import erf, exp, sqrt

    import numba
    import numpy as np

    number = gamma.dtype.type
    one, half, root_half = number(1), number(0.5), number(math.sqrt(0.5))
    bell_scale = number(math.sqrt(2 / math.pi))
    jit = numba.njit(fastmath=True, error_model="numpy")

    @jit
    def relu(gamma, xi2, mean, variance):
        for i in range(gamma.size):
            g, v = gamma[i], xi2[i]
            xi = sqrt(v)
            bell = bell_scale * xi * exp(-half * g * g / v)
            twice = one + erf(g * root_half / xi)
            m = half * (g * twice + bell)
            mean[i] = m
            variance[i] = half * ((g * g + v) * twice + g * bell) - m * m

    @jit
    def relu_gradient(gamma, xi2, mean, variance, d_gamma, d_xi2):
        for i in range(gamma.size):
            g, v = gamma[i], xi2[i]
            xi = sqrt(v)
            bell = bell_scale * xi * exp(-half * g * g / v)
            probability = half * (one + erf(g * root_half / xi))
            m = g * probability + half * bell
            mean[i] = m
            variance[i] = (g * g + v) * probability + half * g * bell - m * m
            # E g' = P(u > 0), E g''/2 = bell/(4 v); of g^2: 2 E g, P(u > 0).
            curve = half * half * bell / v
            weight = one - (m + m)
            d_gamma[i] = weight * probability + (m + m)
            d_xi2[i] = weight * curve + probability

    @jit
    def hard_tanh(gamma, xi2, mean, variance):
        for i in range(gamma.size):
            g, v = gamma[i], xi2[i]
            xi = sqrt(v)
            over, under, scale, rate = g + one, g - one, root_half / xi, -half / v
            erf_over, erf_under = erf(over * scale), erf(under * scale)
            bell_over = bell_scale * xi * exp(over * over * rate)
            bell_under = bell_scale * xi * exp(under * under * rate)
            m = half * (over * erf_over - under * erf_under + bell_over - bell_under)
            inside = (v + g * g - one) * (erf_over - erf_under)
            mean[i] = m
            second = one + half * (inside + under * bell_over - over * bell_under)
            variance[i] = second - m * m

    @jit
    def hard_tanh_gradient(gamma, xi2, mean, variance, d_gamma, d_xi2):
        for i in range(gamma.size):
            g, v = gamma[i], xi2[i]
            xi = sqrt(v)
            over, under, scale, rate = g + one, g - one, root_half / xi, -half / v
            erf_over, erf_under = erf(over * scale), erf(under * scale)
            bell_over = bell_scale * xi * exp(over * over * rate)
            bell_under = bell_scale * xi * exp(under * under * rate)
            m = half * (over * erf_over - under * erf_under + bell_over - bell_under)
            between, bells = erf_over - erf_under, bell_over - bell_under
            inside = (v + g * g - one) * between
            mean[i] = m
            second = one + half * (inside + under * bell_over - over * bell_under)
            variance[i] = second - m * m
            weight = one - (m + m)
            d_gamma[i] = weight * half * between + g * between + bells
            squares = half * between - half * (bell_over + bell_under) / v
            d_xi2[i] = weight * half * half * bells / v + squares

    loops = {
        ("relu", FORWARD): relu,
        ("relu", GRADIENT): relu_gradient,
        ("hard_tanh", FORWARD): hard_tanh,
        ("hard_tanh", GRADIENT): hard_tanh_gradient,
    }
    if activation in PIECEWISE:
        names = {"number": number, "erf": erf, "exp": exp, "sqrt": sqrt}
        exec(numba_text(PIECEWISE[activation], task), names)
        function = jit(names["loop"])
    else:
        function = loops[activation, task]
    out = [np.empty_like(gamma) for _ in range(2 if task == FORWARD else 4)]

    def run() -> list[Any]:
        function(gamma, xi2, *out)
        return out

    return run


@dataclass(frozen=True)
class Peer:
    modules: tuple[str, ...]
    prepare: Callable[[Any, Any, str, str], Run | None]


PEERS = {
    "torch.compile": Peer(("torch",), torch_compile),
    "torch eager": Peer(("torch",), torch_eager),
    "jax.jit": Peer(("jax",), jax_jit),
    "numba": Peer(("numba",), numba_jit),
    "numpy+scipy": Peer(("numpy", "scipy"), numpy_scipy),
}


# The process of a peer.


def cpu_median(run: Run) -> float:
    """The median time of the process's processor in seconds."""
    for _ in range(WARM_UP):
        run()
    times: list[float] = []
    begin = time.perf_counter()
    while True:
        elapsed = time.perf_counter() - begin
        least = FEWEST if elapsed >= LONGEST else RUNS
        if elapsed >= SHORTEST and len(times) >= least:
            return statistics.median(times)
        start = time.process_time()
        run()
        times.append(time.process_time() - start)


def serve(name: str, elements: int) -> None:
    """Says its versions, then answers a line `activation precision task` with a line of times."""
    import_names = ("numpy", *(m for m in PEERS[name].modules if m != "numpy"))
    try:
        modules = [importlib.import_module(module) for module in import_names]
    except ImportError as error:
        print(json.dumps({"missing": error.name}), flush=True)
        return
    print(json.dumps({m.__name__: m.__version__ for m in modules}), flush=True)
    np = modules[0]
    random = np.random.default_rng(0)
    gamma = random.normal(0, 2, elements)
    xi2 = np.exp(random.uniform(-2, 2, elements))
    runs: dict[str, Run | None] = {}
    for line in sys.stdin:
        case = line.strip()
        activation, precision, task = case.split()
        if case not in runs:
            arrays = gamma.astype(precision), xi2.astype(precision)
            runs[case] = PEERS[name].prepare(*arrays, activation, task)
        run = runs[case]
        answer: dict[str, Any] = {"seconds": None}
        if run is not None:
            sums = [float(np.asarray(part).sum(dtype="float64")) for part in run()]
            answer = {"seconds": cpu_median(run), "sums": sums}
        print(json.dumps(answer), flush=True)


# The process that asks.


class Worker:
    """A peer's process, which holds its compiled code and measures when asked."""

    def __init__(self, name: str, elements: int) -> None:
        command = [sys.executable, __file__, "--serve", name, "--elements", str(elements)]
        self.process = subprocess.Popen(
            command, env=os.environ | ENVIRONMENT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.versions = self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"missing": "its process, which ended"}

    def measure(self, case: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(case + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"seconds": None}
        return {"seconds": None} | self.answer()

    def close(self) -> None:
        self.process.communicate()


def build_kernels(root: pathlib.Path) -> str:
    """The path of the kernels' benchmark, built."""
    command = ["cargo", "bench", "--no-run", "-p", "gaussform-bench", "--bench", "kernels"]
    output = subprocess.run(
        [*command, "--message-format=json"], cwd=root, env=os.environ | ENVIRONMENT,
        check=True, text=True, stdout=subprocess.PIPE,
    )
    messages = map(json.loads, output.stdout.splitlines())
    found = (m for m in messages if m.get("executable") and m["target"]["name"] == "kernels")
    return next(found)["executable"]


def measure_ours(kernels: str, case: str, elements: int) -> float:
    """The processor time in ns per element that the kernels' benchmark prints."""
    activation, precision, task = case.split()
    name = f"{activation} {task} {precision}"
    output = subprocess.run(
        [kernels, "--exact", name, "--elements", str(elements)],
        env=os.environ | ENVIRONMENT, check=True, text=True, stdout=subprocess.PIPE,
    )
    found = re.search(r"cpu-median +([0-9.]+)", output.stdout)
    if found is None:
        raise ValueError(f"no time for `{name}` in: {output.stdout}")
    return float(found[1])


def same(a: list[float], b: list[float], elements: int, precision: str) -> bool:
    """Whether sums agree as far as the textbook formulas do: in single precision, those of curves lose most digits."""
    error = 1e-2 if precision == "float32" else 1e-7
    return all(abs(x - y) <= error * elements for x, y in zip(a, b, strict=True))


def compare(
    kernels: str, workers: dict[str, Worker], elements: int, rounds: int, activation: str,
    precision: str,
) -> Iterator[list[str]]:
    """The rows of one activation in one precision."""

    def ours(name: str, task: str) -> float:
        return measure_ours(kernels, f"{name} {precision} {task}", elements)

    def theirs(task: str) -> dict[str, float]:
        answers = {n: w.measure(f"{activation} {precision} {task}") for n, w in workers.items()}
        sums = {name: answer["sums"] for name, answer in answers.items() if "sums" in answer}
        for name, value in sums.items():
            if not same(value, next(iter(sums.values())), elements, precision):
                raise ValueError(f"{name} disagrees on {activation} {precision} {task}: {sums}")
        return {
            name: answer["seconds"] * 1e9 / elements
            for name, answer in answers.items() if answer["seconds"] is not None
        }

    samples: dict[str, list[float]] = {}
    for _ in range(rounds):
        # Sums of products hardly compute: they take what moving their bytes takes.
        kept = ours(KEPT, VJP)
        for key in (KEPT, f"{MEMORY} {KEPT}"):
            samples.setdefault(key, []).append(kept)
        for task in (FORWARD, GRADIENT, VJP):
            samples.setdefault(task, []).append(ours(activation, task))
            samples.setdefault(f"{MEMORY} {task}", []).append(ours(MEMORY, task))
            for name, value in ({} if task == VJP else theirs(task)).items():
                samples.setdefault(f"{name} {task}", []).append(value)
    times = {key: statistics.median(values) for key, values in samples.items()}
    tasks = (
        ("mean, variance", FORWARD, (FORWARD,)),
        ("and derivatives", GRADIENT, (GRADIENT,)),
        ("reverse, computed again", GRADIENT, (FORWARD, VJP)),
        ("reverse, kept", GRADIENT, (GRADIENT, KEPT)),
    )
    for title, their_task, our_tasks in tasks:
        our_time = sum(times[task] for task in our_tasks)
        memory = sum(times[f"{MEMORY} {task}"] for task in our_tasks)
        peer_times = [times.get(f"{name} {their_task}") for name in PEERS]
        known = [t for t in peer_times if t is not None]
        cells = ["" if t is None else f"{t:.2f}" for t in peer_times]
        ratio = f"{min(known) / our_time:.2f}" if known else ""
        yield [activation, precision, title, f"{our_time:.2f}", *cells, ratio, f"{memory:.2f}"]


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def processor() -> str:
    """The model of the processor, as Linux names it."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the kernels beside other systems.")
    parser.add_argument("--elements", type=int, help="one size instead of 2^20 and 2^14")
    parser.add_argument("--activations", nargs="+", choices=ACTIVATIONS, default=ACTIVATIONS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, help="the core to use; by default the last")
    parser.add_argument("--kernels", help="the built benchmark, if it is not to be built")
    parser.add_argument("--without-avx512", action="store_true", help="with AVX2 at most, for all")
    parser.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve, arguments.elements)
        return
    if arguments.without_avx512:
        # The folder goes when this function ends.
        cache = tempfile.TemporaryDirectory()
        ENVIRONMENT.update(WITHOUT_AVX512, TORCHINDUCTOR_CACHE_DIR=cache.name)
    kernels = arguments.kernels or build_kernels(pathlib.Path(__file__).parent.parent)
    core = max(os.sched_getaffinity(0)) if arguments.core is None else arguments.core
    os.sched_setaffinity(0, {core})
    widest = ", without AVX-512" if arguments.without_avx512 else ""
    print(f"Processor: {processor()}{widest}, core {core}. Python {platform.python_version()}.")
    sizes = (arguments.elements,) if arguments.elements else SIZES
    for elements in sizes:
        workers = {name: Worker(name, elements) for name in PEERS}
        print(f"\n{elements} elements, ns per element:\n")
        for name, worker in workers.items():
            versions = worker.versions
            text = ", ".join(f"{m} {version}" for m, version in versions.items())
            missing = versions.get("missing")
            print(f"- {name}: {f'not installed ({missing})' if missing else text}")
        print()
        header = ["activation", "precision", "task", "gaussform", *PEERS, "best/ours", "memory"]
        print_row(header)
        print_row(["---"] * len(header))
        for activation in arguments.activations:
            for precision in PRECISIONS:
                rows = compare(kernels, workers, elements, arguments.rounds, activation, precision)
                for row in rows:
                    print_row(row)
        for worker in workers.values():
            worker.close()


if __name__ == "__main__":
    sys.exit(main())
