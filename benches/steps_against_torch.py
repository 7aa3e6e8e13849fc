"""Times a training step of Bayesian networks beside PyTorch, on one core or on a card, in one session.

    pip install torch
    python benches/steps_against_torch.py [--features x86-v4] [uci mlp lenet]
    python benches/steps_against_torch.py --card --batch 4096 --features wgpu [uci mlp lenet]

The work is that of `bnn/benches/steps.rs`: forward, backward and Adam on a batch of 128 or another size, for the networks `uci` 8-50-1,
`mlp` 784-400-400-10 and `lenet`, by the methods `plain`, `sampled`, `exact` and `linearised`. In PyTorch they are
written as its users write them: a mean path and a variance path of the library's products and convolutions, in f32.

On a card both systems take BLOCKS blocks of BLOCK steps. The time of a step is the least wall time of a block by its
steps, from its start until the card is done.

A measurement is a process of its own, which takes the least processor time of 41 steps. The processes of both systems
take turns; the table has the least of ROUNDS of each. Memory is what a process has at most, less what it had before the network was made.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

ROUNDS, STEPS, WARM_UP, TOTAL = 3, 41, 5, 60_000
BLOCK, BLOCKS = 20, 5
NETWORKS = ("uci", "mlp", "lenet")
METHODS = ("plain", "sampled", "exact", "linearised")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def memory(line: str) -> float:
    """`VmRSS`, what this process has, or `VmHWM`, what it had at most, in KiB; 0 where the system does not tell."""
    try:
        status = pathlib.Path("/proc/self/status").read_text()
    except OSError:
        return 0.0
    return float(next((x.split()[1] for x in status.splitlines() if x.startswith(line + ":")), 0.0))


def torch_step(network: str, method: str, rows: int, on_card: bool) -> tuple[float, float]:
    """The least time of a step in ms, and its memory in KiB."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    torch.set_default_device("cuda" if on_card else "cpu")
    torch.manual_seed(0)
    # Shapes of weights, with the stride of a convolution.
    shapes: list[tuple[tuple[int, ...], int]] = {
        "uci": [((50, 8), 0), ((1, 50), 0)],
        "mlp": [((400, 784), 0), ((400, 400), 0), ((10, 400), 0)],
        "lenet": [((20, 1, 5, 5), 2), ((50, 20, 5, 5), 2), ((500, 800), 0), ((10, 500), 0)],
    }[network]
    # What PyTorch loads for its first step belongs to no network.
    unused = torch.zeros(1, requires_grad=True)
    functional.linear(unused, torch.zeros(1, 1)).sum().backward()
    torch.optim.Adam([unused]).step()
    before = memory("VmRSS")

    def normal(shape: tuple[int, ...], spread: float) -> tuple[Any, Any]:
        mean = (spread * torch.randn(shape)).requires_grad_()
        return mean, torch.full(shape, math.log(0.011), requires_grad=method != "plain")

    layers = [
        (normal(shape, math.sqrt(2 / math.prod(shape[1:]))), normal(shape[:1], 0.0), stride)
        for shape, stride in shapes
    ]
    parameters = [p for weight, bias, _ in layers for p in (*weight, *bias) if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=1e-3)

    def product(x: Any, w: Any, b: Any, stride: int) -> Any:
        return functional.conv2d(x, w, b, stride=stride) if stride else functional.linear(x, w, b)

    def activation(mean: Any, variance: Any) -> tuple[Any, Any]:
        if variance is None:
            return mean.relu(), None
        if method == "linearised":
            gate = (mean > 0).to(mean.dtype)
            return mean * gate, variance * gate
        sd = variance.clamp_min(1e-12).sqrt()
        z = mean / sd
        cdf = 0.5 * (1 + torch.erf(z * math.sqrt(0.5)))
        density = torch.exp(-0.5 * z * z) * (1 / math.sqrt(2 * math.pi))
        first = mean * cdf + sd * density
        second = (mean * mean + variance) * cdf + mean * sd * density
        return first, (second - first * first).clamp_min(0)

    def loss(x: Any, y: Any) -> Any:
        mean, variance, divergence = x, None, 0.0
        for k, ((m, log_sd), (bias, bias_log_sd), stride) in enumerate(layers):
            if not stride:
                mean = mean.flatten(1)
                variance = None if variance is None else variance.flatten(1)
            out = product(mean, m, bias, stride)
            if method != "plain":
                s2, bias_s2 = (2 * log_sd).exp(), (2 * bias_log_sd).exp()
                spread = product(mean * mean, s2, bias_s2, stride)
                if variance is not None:
                    spread = spread + product(variance, m * m + s2, None, stride)
                for mu, var, log in ((m, s2, log_sd), (bias, bias_s2, bias_log_sd)):
                    divergence = divergence + (50 * (mu * mu + var) - log).sum()
                if method == "sampled":
                    out, spread = out + spread.clamp_min(1e-16).sqrt() * torch.randn_like(out), None
                variance = spread
            mean = out
            if k + 1 < len(layers):
                mean, variance = activation(mean, variance)
        if network == "uci":
            fit = 0.5 * ((y - mean) ** 2 + (0 if variance is None else variance)).sum()
        else:
            fit = functional.cross_entropy(mean, y, reduction="sum")
            if variance is not None:
                p = mean.softmax(1)
                fit = fit + 0.5 * (variance * (p - p * p)).sum()
        return fit / rows + divergence / TOTAL

    x = torch.randn((rows, 1, 28, 28) if network == "lenet" else (rows, shapes[0][0][1]))
    y = torch.randn(rows, 1) if network == "uci" else torch.randint(10, (rows,))

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss(x, y).backward()
        optimizer.step()

    for _ in range(2 * BLOCK if on_card else WARM_UP):
        step()
    least = math.inf
    for _ in range(BLOCKS if on_card else STEPS):
        if on_card:
            torch.cuda.synchronize()
            wall = time.perf_counter()
            for _ in range(BLOCK):
                step()
            torch.cuda.synchronize()
            least = min(least, 1e3 * (time.perf_counter() - wall) / BLOCK)
        else:
            clock = time.process_time()
            step()
            least = min(least, 1e3 * (time.process_time() - clock))
    return least, memory("VmHWM") - before


def built(features: str) -> str:
    """The benchmark's program."""
    command = ["cargo", "bench", "-p", "gaussform-bnn", "--bench", "steps", "--no-run", "--message-format=json"]
    command += ["--features", features] if features else []
    out = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = [json.loads(line) for line in out.splitlines()]
    return next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "steps")


def measured(command: list[str]) -> tuple[float, float]:
    environment = {**os.environ, **ONE_THREAD}
    out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    step, kib = out.split()
    return float(step), float(kib)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", default=NETWORKS, metavar="NETWORK", help="uci, mlp or lenet")
    parser.add_argument("--features", default="", help="features of gaussform-bnn")
    parser.add_argument("--program", help="the benchmark's program, if it is built already")
    parser.add_argument("--batch", type=int, default=128, help="rows of a batch; 128 if not given")
    parser.add_argument("--card", action="store_true", help="on the first card; with `--features vulkan` or `wgpu`")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of measurements; {ROUNDS} if not given")
    parser.add_argument("--one", nargs=2, metavar=("NETWORK", "METHOD"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(*torch_step(*arguments.one, arguments.batch, arguments.card))
        return
    program = arguments.program or built(arguments.features)
    place = ["--batch", str(arguments.batch), *(["--card"] if arguments.card else [])]
    systems = {"gaussform": [program, *place, "one"], "PyTorch": [sys.executable, __file__, *place, "--one"]}
    print("| network | method | gaussform, ms | PyTorch, ms | ratio | by plain | PyTorch | memory by plain | PyTorch |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for network in arguments.networks:
        least = {(s, m): (math.inf, math.inf) for s in systems for m in METHODS}
        for _ in range(arguments.rounds):
            for method in METHODS:
                for system, command in systems.items():
                    new = measured([*command, network, method])
                    least[system, method] = tuple(map(min, least[system, method], new))
        for method in METHODS:
            (ours, our_memory), (theirs, their_memory) = (least[s, method] for s in systems)
            plain = [least[s, "plain"] for s in systems]
            ratios = [ours / theirs, ours / plain[0][0], theirs / plain[1][0], our_memory / plain[0][1], their_memory / plain[1][1]]
            numbers = [f"{ours:.2f}", f"{theirs:.2f}", *(f"{ratio:.2f}" for ratio in ratios)]
            print(f"| `{network}` | {method} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
