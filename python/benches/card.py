"""Moments of CUDA tensors by PyTorch's operator, beside a copy of as many arrays.

    python python/benches/card.py

Prints picoseconds an element, the least of 20 runs over 2²⁴ elements of single precision with gamma from N(0, 2²) and log xi2 uniform on (−2, 2): mean and
variance (two arrays in, two out), and their backward pass (four in, two out). The time of a first call, which compiles a kernel, and of a call on one element follow.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable

import torch

import gaussform as gf

COUNT = 1 << 24
RUNS = 20
HARD_SHRINK = "piecewise { x < -1/2: x; x <= 1/2: 0; else: x }"
FUNCTIONS = {"relu": "relu", "hard tanh": "hard_tanh", "hard shrink": HARD_SHRINK, "hard swish": "hard_swish", "`tanh_cubic`": "tanh_cubic"}


def least(run: Callable[[], object]) -> float:
    """The least time of a run on the card, in picoseconds an element."""
    for _ in range(3):
        run()
    times = []
    for _ in range(RUNS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return 1e9 * min(times) / COUNT


def copy(arrays: int) -> float:
    """A kernel that reads half of so many arrays and writes the others."""
    block = torch.empty(arrays // 2 * COUNT, device="cuda")
    into = torch.empty_like(block)
    return least(lambda: into.copy_(block))


def overhead(run: Callable[[], object]) -> float:
    """The time of a call in µs, that of the card apart."""
    for _ in range(100):
        run()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(2000):
        run()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - start) / 2000


def main() -> None:
    os.environ["GAUSSFORM_CACHE"] = tempfile.mkdtemp()
    torch.manual_seed(0)
    gamma = 2 * torch.randn(COUNT, device="cuda")
    xi2 = torch.exp(4 * torch.rand(COUNT, device="cuda") - 2)
    cotangent = torch.randn(COUNT, device="cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    one = copy(4)
    print(f"A copy of two arrays into two takes {one:.1f} ps.\n")
    print("| function | moments, ps | by copy | backward, ps | by copy | first call, ms |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    none = torch.empty(0, dtype=torch.float64)
    for name, text in FUNCTIONS.items():
        start = time.perf_counter()
        gf.torch.moments(gamma[:1], xi2[:1], text)
        torch.cuda.synchronize()
        compiled = 1e3 * (time.perf_counter() - start)
        forward = least(lambda: gf.torch.moments(gamma, xi2, text))
        backward = least(lambda: torch.ops.gaussform.moments_vjp(gamma, xi2, cotangent, cotangent, none, text))
        print(f"| {name} | {forward:.1f} | {forward / one:.2f} | {backward:.1f} | {backward / (1.5 * one):.2f} | {compiled:.0f} |")
    few = gamma[:1], xi2[:1]
    print(f"\none call: {overhead(lambda: gf.torch.moments(*few, 'relu')):.1f} µs; of torch.relu: {overhead(lambda: torch.relu(few[0])):.1f} µs")


if __name__ == "__main__":
    main()
