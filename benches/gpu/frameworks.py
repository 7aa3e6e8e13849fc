"""Measures emitted modules on JAX or PyTorch, under their compilers; bench.py starts it.

    python frameworks.py jax|pytorch '{"folder": "OUT", "only": ["relu"], "elements": 16777216}'
"""

import importlib.util
import json
import math
import pathlib
import sys
import time

import bench
import numpy as np


def load(folder, name, library):
    spec = importlib.util.spec_from_file_location(f"{name}_{library}", folder / f"{name}_{library}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(module, name):
    """The parameters of an activation by their names."""
    return dict(zip(getattr(module, "PARAMETERS", ()), bench.CASES[name][0]))


class Jax:
    """jax.jit."""

    def __init__(self):
        import jax
        import jax.numpy as jnp

        self.jax, self.array = jax, jnp.asarray
        self.about = f"JAX {jax.__version__} on {jax.devices()[0].device_kind}"
        self.textbook = {}

    def compile(self, function, arrays):
        """The compiled function, and bytes an element beside arguments and results."""
        compiled = self.jax.jit(function).lower(*arrays).compile()
        memory = compiled.memory_analysis()
        return compiled, getattr(memory, "temp_size_in_bytes", math.nan) / arrays[0].size

    def seconds(self, function, arrays, repeats=10):
        """Of runs that follow each other, so that starting them hides behind them."""
        least = math.inf
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(repeats):
                result = function(*arrays)
            self.jax.block_until_ready(result)
            least = min(least, (time.perf_counter() - start) / repeats)
        return least


class PyTorch:
    """torch.compile."""

    def __init__(self):
        import torch

        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        name = torch.cuda.get_device_name() if self.device == "cuda" else "a processor"
        self.about = f"PyTorch {torch.__version__} on {name}"
        self.textbook = {"relu": self.relu, "hard_tanh": self.hard_tanh}

    def array(self, values):
        return self.torch.tensor(values, device=self.device)

    def compile(self, function, arrays):
        torch = self.torch
        torch.compiler.reset()
        compiled = torch.compile(function, fullgraph=True)
        compiled(*arrays)
        if self.device == "cpu":
            return compiled, math.nan
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        result = compiled(*arrays)
        torch.cuda.synchronize()
        results = sum(value.nbytes for value in result)
        return compiled, (torch.cuda.max_memory_allocated() - before - results) / arrays[0].numel()

    def seconds(self, function, arrays, repeats=10):
        if self.device == "cpu":
            start = time.perf_counter()
            function(*arrays)
            return time.perf_counter() - start
        torch = self.torch
        least = math.inf
        for _ in range(repeats):
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            function(*arrays)
            last.record()
            torch.cuda.synchronize()
            least = min(least, first.elapsed_time(last) * 1e-3)
        return least

    def relu(self, gamma, xi2):
        xi = self.torch.sqrt(xi2)
        z = gamma / xi
        upper = 0.5 * self.torch.erfc(-z * math.sqrt(0.5))
        density = math.sqrt(0.5 / math.pi) * self.torch.exp(-0.5 * z * z)
        mean = gamma * upper + xi * density
        return mean, (gamma * gamma + xi2) * upper + gamma * xi * density - mean * mean

    def hard_tanh(self, gamma, xi2):
        torch = self.torch
        xi = torch.sqrt(xi2)
        a, b = (-1.0 - gamma) / xi, (1.0 - gamma) / xi
        qa, qb = (0.5 * torch.erfc(z * math.sqrt(0.5)) for z in (a, b))
        fa, fb = (math.sqrt(0.5 / math.pi) * torch.exp(-0.5 * z * z) for z in (a, b))
        mean = qa - 1.0 + qb + gamma * (qa - qb) + xi * (fa - fb)
        second = 1.0 - qa + qb + (gamma * gamma + xi2) * (qa - qb) + xi * ((gamma - 1.0) * fa - (gamma + 1.0) * fb)
        return mean, second - mean * mean


def main():
    library, options = sys.argv[1], json.loads(sys.argv[2])
    folder, count = pathlib.Path(options["folder"]), options["elements"]
    try:
        tool = {"jax": Jax, "pytorch": PyTorch}[library]()
    except ImportError as missing:
        print(f"{library}: not measured, {missing}")
        return
    arrays = [tool.array(values) for values in bench.inputs(count)]
    per = lambda seconds: seconds * 1e12 / count
    print(f"{tool.about}, f32, {count} elements: picoseconds an element, bytes an element beside results, seconds to compile\n")
    print("| | moments | bytes | compile | + derivatives | bytes | compile | textbook | largest errors, ulp |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for name in options["only"]:
        module = load(folder, name, library)
        parameters = named(module, name)
        cells = []
        for function, results in (("moments", 2), ("moments_grad", 7)):
            work = getattr(module, function)
            start = time.perf_counter()
            compiled, size = tool.compile(lambda a, b: work(a, b, **parameters), arrays)
            spent = time.perf_counter() - start
            cells.append(f"{per(tool.seconds(compiled, arrays)):.2f} | {size:.1f} | {spent:.1f}")
        book = "–"
        if name in tool.textbook:
            compiled, _ = tool.compile(tool.textbook[name], arrays)
            book = f"{per(tool.seconds(compiled, arrays)):.2f}"
        rows = bench.truth(folder, name)
        errors = "–"
        if rows:
            points = [tool.array(np.array([row[key] for row in rows], np.float32)) for key in ("gamma", "xi2")]
            compiled, _ = tool.compile(lambda a, b: module.moments_grad(a, b, **parameters), points)
            columns = [np.asarray(column.cpu() if library == "pytorch" else column) for column in compiled(*points)]
            del columns[1]  # the second moment
            errors = ", ".join(f"{value:.2g}" for value in bench.worst(rows, columns))
        print(f"| {name} | {' | '.join(cells)} | {book} | {errors} |", flush=True)


main()
