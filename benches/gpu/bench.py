"""Measures emitted kernels on a card: time beside a copy and the textbook forms, registers, errors beside truth.

    python bench.py FOLDER [--only NAME ...] [--elements N] [--without cuda|jax|pytorch ...]
    python bench.py FOLDER --compile-only [--architecture sm_90]

FOLDER is what emit.sh wrote. The first form needs a card, the second none: it only compiles. JAX and PyTorch are
measured where they can be imported, each in a process of its own.
"""

import argparse
import csv
import ctypes
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

from device import CompileError, Compiler, Device

#: The activations with the values of their parameters, and whether there is a textbook form.
CASES = {
    "relu": ([], True),
    "leaky_relu": ([0.01], False),
    "hard_tanh": ([], True),
    "soft_shrink": ([], True),
    "hard_swish": ([], True),
    "hard_shrink": ([], True),
    "hat": ([], True),
    "relu2": ([], False),
    "absx2m2": ([], False),
    "tanh_cubic": ([], False),
    "hinges": ([], False),
}
QUANTITIES = ["mean", "variance", "dmean_dgamma", "dmean_dxi2", "dvariance_dgamma", "dvariance_dxi2"]
#: Unit in the last place of 1, the smallest normal number and the largest number of single precision.
EPSILON, TINY, HUGE = 2.0**-23, 2.0**-126, (2.0 - 2.0**-23) * 2.0**127


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--elements", type=int, default=1 << 24)
    parser.add_argument("--without", nargs="+", choices=["cuda", "jax", "pytorch"], default=[])
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--architecture", default="sm_90")
    return parser.parse_args()


def inputs(count):
    """gamma ~ N(0, 4), and xi2 from e^-2 to e^2, its logarithm uniform."""
    rng = np.random.default_rng(7)
    gamma = rng.normal(0.0, 2.0, count).astype(np.float32)
    return gamma, np.exp(rng.uniform(-2.0, 2.0, count)).astype(np.float32)


def truth(folder, name):
    """gamma, xi2, the six quantities and their scales of the rows for an activation."""
    rows = []
    for path in ("golden.csv", "truth.csv"):
        with (folder / path).open(newline="") as file:
            for row in csv.DictReader(file):
                if row["activation"] == name:
                    number = {key: float(text) for key, text in row.items() if key != "activation"}
                    rows.append(number)
    return rows


def scale(row, quantity):
    """The scale of an error: the value, or how large the quantity is in general."""
    xi2, variance = row["xi2"], row["variance"]
    other = {
        "mean": row["scale_mean"],
        "variance": 0.0,
        "dmean_dgamma": row["scale_dgamma"],
        "dmean_dxi2": row["scale_dxi2"],
        "dvariance_dgamma": variance / math.sqrt(xi2) if xi2 else 0.0,
        "dvariance_dxi2": variance / xi2 if xi2 else 0.0,
    }
    return max(abs(row[quantity]), other[quantity])


def error(got, row, quantity):
    """In units in the last place of single precision."""
    want, size = row[quantity], scale(row, quantity)
    if abs(want) > HUGE:
        return 0.0 if got == math.copysign(math.inf, want) else math.inf
    if abs(want) <= TINY and abs(got) <= TINY:
        return 0.0
    distance = abs(got - want) / (EPSILON * max(size, TINY))
    return math.inf if math.isnan(distance) else distance


def worst(rows, columns):
    """The largest error of each quantity over the rows."""
    return [max(error(float(v), row, q) for row, v in zip(rows, column)) for q, column in zip(QUANTITIES, columns)]


class Cuda:
    """The kernels of the emitted headers."""

    def __init__(self, args):
        self.args = args
        self.device = None if args.compile_only else Device()
        self.compiler = Compiler(args.architecture if args.compile_only else self.device.architecture)

    def source(self, name):
        header = (self.args.folder / f"{name}.cuh").read_text()
        return f"#define GSF_KERNEL extern \"C\" __global__\n{header}"

    def compile(self, source, name):
        """A cubin by one of the compilers, NVRTC first; {compiler: seconds}; what ptxas says."""
        cubin, seconds, used = None, {}, {}
        if self.compiler.nvrtc:
            cubin, seconds["nvrtc"] = self.compiler.by_nvrtc(source, name)
        if self.compiler.nvcc and self.compiler.ptxas:
            other, seconds["nvcc"], used = self.compiler.by_nvcc(source, name)
            cubin = cubin or other
        if cubin is None:
            raise CompileError("there is neither NVRTC nor nvcc: pip install nvidia-cuda-nvrtc")
        return cubin, seconds, used

    def compile_all(self):
        for name in self.args.only:
            _, seconds, used = self.compile(self.source(name), name)
            times = ", ".join(f"{compiler} {s:.1f} s" for compiler, s in seconds.items())
            print(f"\n{name}: {times}")
            for kernel, (registers, stack, spills) in used.items():
                print(f"  {kernel:40} {registers:4} registers, stack {stack}, spills {spills} bytes")

    def time(self, module, name, extra, arrays):
        kernel = self.device.kernel(module, name)
        work = lambda: self.device.launch(kernel, self.args.elements, [*arrays, *extra])
        return self.device.seconds(work) * 1e12 / self.args.elements, self.device.resources(kernel)

    def measure(self):
        device, count = self.device, self.args.elements
        gamma, xi2 = inputs(count)
        arrays = [device.array(values) for values in (gamma, xi2, *[gamma] * 6)]
        textbook = (self.args.folder / "textbook.cu").read_text()
        beside = device.module(self.compile(textbook, "textbook")[0])
        copies = [self.time(beside, f"copy_{k}", [], arrays[: 2 + k])[0] for k in (2, 6)]
        print(f"CUDA headers in f32 on {device.name}, {count} elements, picoseconds an element")
        print(f"copy of 2 and 2 arrays {copies[0]:.2f}, of 2 and 6 {copies[1]:.2f}\n")
        print("| | moments | by copy | textbook | + derivatives | by copy | registers | local bytes | compile, s |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |")
        modules = {}
        for name in self.args.only:
            parameters, has_textbook = CASES[name]
            extra = [ctypes.c_double(value) for value in parameters]
            try:
                cubin, seconds, _ = self.compile(self.source(name), name)
            except CompileError as trouble:
                print(f"| {name} | {str(trouble).splitlines()[0]} |")
                print(trouble, file=sys.stderr)
                continue
            modules[name] = module = device.module(cubin)
            moments, used = self.time(module, f"{name}_moments_kernel_f32", extra, arrays[:4])
            both, used_by_both = self.time(module, f"{name}_moments_grad_kernel_f32", extra, arrays)
            book = "–"
            if has_textbook:
                book = f"{self.time(beside, f'textbook_{name}', [], arrays[:4])[0]:.2f}"
            registers, local = (f"{a} / {b}" for a, b in zip(used, used_by_both))
            times = " / ".join(f"{compiler} {s:.1f}" for compiler, s in seconds.items())
            print(
                f"| {name} | {moments:.2f} | {moments / copies[0]:.2f} | {book} | {both:.2f} |"
                f" {both / copies[1]:.2f} | {registers} | {local} | {times} |",
                flush=True,
            )
        for pointer in arrays:
            device.free(pointer)
        self.errors(modules)

    def errors(self, modules):
        device = self.device
        print("\nLargest errors in units in the last place of f32, beside 40 digits\n")
        print("| | rows |", " | ".join(QUANTITIES), "|")
        print("| --- | ---: |", " | ".join(["---:"] * 6), "|")
        for name, module in modules.items():
            rows = truth(self.args.folder, name)
            if not rows:
                continue
            extra = [ctypes.c_double(value) for value in CASES[name][0]]
            points = [np.array([row[key] for row in rows], np.float32) for key in ("gamma", "xi2")]
            arrays = [device.array(values) for values in (*points, *[points[0]] * 6)]
            kernel = device.kernel(module, f"{name}_moments_grad_kernel_f32")
            device.launch(kernel, len(rows), [*arrays, *extra])
            device.finish()
            columns = [device.read(pointer, len(rows), np.float32) for pointer in arrays[2:]]
            largest = " | ".join(f"{value:.2g}" for value in worst(rows, columns))
            print(f"| {name} | {len(rows)} | {largest} |", flush=True)


def frameworks(args):
    """JAX and PyTorch, each in its own process: what one of them allocates, the other needs."""
    for library in ("jax", "pytorch"):
        if library not in args.without:
            script = pathlib.Path(__file__).with_name("frameworks.py")
            options = json.dumps({"folder": str(args.folder), "only": args.only, "elements": args.elements})
            print(flush=True)
            done = subprocess.run([sys.executable, script, library, options], check=False)
            if done.returncode:
                print(f"{library}: ended with {done.returncode}")


def main():
    args = arguments()
    if args.compile_only:
        Cuda(args).compile_all()
        return
    if "cuda" not in args.without:
        Cuda(args).measure()
    frameworks(args)


if __name__ == "__main__":
    main()
