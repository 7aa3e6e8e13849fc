"""The cost of declaring activations in a user's build.

    python benches/compile_cost.py

Makes a program, outside of the workspace, with 0, 1 and 20 declarations like ReLU under
`#[gaussform::activation]`, and compiles it again and again, its dependencies compiled before. The
program calls the three batched methods of every declaration in f64. Times are processor times,
medians of some runs; those of a declaration are differences. rustc itself says how long it expands
macros (`-Z time-passes`, so the script sets RUSTC_BOOTSTRAP). `size` from the binutils says how
much machine code there is.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = (0, 1, 20)

MANIFEST = """
[package]
name = "user"
version = "0.1.0"
edition = "2024"

[dependencies]
gaussform = {{ path = "{root}" }}

[workspace]
"""

DECLARATION = """
#[gaussform::activation]
pub fn hinge_{i}(x: f64) -> f64 {{
    (x - {i}.0).max(0.0)
}}
"""

CALL = """
    Hinge{i}.moments_into(&gamma, &xi2, &mut a, &mut b);
    Hinge{i}.vjp_into(&gamma, &xi2, &a, &b, &mut c, &mut d);
    Hinge{i}.moments_grad_into(&gamma, &xi2, MomentsGradMut {{
        mean: &mut a,
        variance: &mut b,
        dmean_dgamma: &mut c,
        dmean_dxi2: &mut d,
        dvariance_dgamma: &mut e,
        dvariance_dxi2: &mut f,
    }});
    black_box((&a, &b, &c, &d, &e, &f));
"""

PROGRAM = """#![allow(unused_imports, unused_mut)]
use gaussform::{{Activation, MomentsGradMut}};
use std::hint::black_box;
{declarations}
fn main() {{
    let (gamma, xi2) = black_box((vec![0.5_f64; 64], vec![2.0_f64; 64]));
    let mut out: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; 64]);
    let [mut a, mut b, mut c, mut d, mut e, mut f] = out;
{calls}}}
"""


def program(count: int) -> str:
    """The user's program with so many declarations."""
    numbers = range(1, count + 1)
    return PROGRAM.format(
        declarations="".join(DECLARATION.format(i=i) for i in numbers),
        calls="".join(CALL.format(i=i) for i in numbers),
    )


def cargo(folder: pathlib.Path, *arguments: str, bootstrap: bool = False) -> tuple[float, str]:
    """Runs Cargo; its processor time with that of its children, and its output."""
    environment = {key: os.environ[key] for key in os.environ if key != "CARGO_TARGET_DIR"}
    if bootstrap:
        environment["RUSTC_BOOTSTRAP"] = "1"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        ["cargo", *arguments], cwd=folder, env=environment, check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, result.stdout


def compile_time(folder: pathlib.Path, arguments: Sequence[str], runs: int) -> float:
    """The median over the runs, each with the program changed on disk."""
    times = []
    for _ in range(runs):
        (folder / "src/main.rs").touch()
        times.append(cargo(folder, *arguments)[0])
    return statistics.median(times)


def expansion_time(folder: pathlib.Path, runs: int) -> float:
    """The seconds that rustc reports for expanding the macros of the program: the median of all runs."""
    times = []
    for _ in range(runs):
        (folder / "src/main.rs").touch()
        arguments = ("rustc", "--profile", "dev", "--", "-Ztime-passes", "--emit=metadata")
        output = cargo(folder, *arguments, bootstrap=True)[1]
        found = re.search(r"time: +([0-9.]+).*\tmacro_expand_crate", output)
        if found is None:
            raise ValueError(f"rustc names no time for macro_expand_crate:\n{output}")
        times.append(float(found[1]))
    return statistics.median(times)


def text_size(file: pathlib.Path) -> int:
    """The bytes of machine code in a program."""
    output = subprocess.run(["size", "-A", file], check=True, text=True, stdout=subprocess.PIPE)
    found = re.search(r"^\.text +([0-9]+)", output.stdout, re.MULTILINE)
    if found is None:
        raise ValueError(f"no section `.text` in: {output.stdout}")
    return int(found[1])


def emitted_lines(expression: str) -> int:
    """The lines of Rust on the crate, which are those of the macro, for an expression."""
    command = ("run", "--quiet", "-p", "gaussform-cli", "--", "emit", "--target", "rust-crate")
    output = subprocess.run(
        ["cargo", *command, expression], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE
    )
    return len(output.stdout.splitlines())


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def measure(folder: pathlib.Path, runs: int) -> None:
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
    shutil.copy(ROOT / "Cargo.lock", folder)
    main_file = folder / "src/main.rs"
    main_file.write_text(program(1))
    for name, arguments in (("check", ("check",)), ("build --release", ("build", "--release"))):
        start = time.perf_counter()
        spent, _ = cargo(folder, *arguments)
        wall = time.perf_counter() - start
        print(f"First `cargo {name}`, with all dependencies: {spent:.0f} s ({wall:.0f} s to wait).")
    cargo(folder, "build")
    print()
    header = ["declarations", "expansion", "`cargo check`", "`cargo build`"]
    header += ["`cargo build --release`", "machine code"]
    print_row(header)
    print_row(["---"] * len(header))
    rows: dict[int, list[float]] = {}
    for count in COUNTS:
        main_file.write_text(program(count))
        commands = (("check",), ("build",), ("build", "--release"))
        times = [compile_time(folder, command, runs) for command in commands]
        size = text_size(folder / "target/release/user")
        rows[count] = [expansion_time(folder, runs), *times, size]
        print_row([str(count), *cells(rows[count])])
    first, last = rows[COUNTS[0]], rows[COUNTS[-1]]
    each = [(b - a) / (COUNTS[-1] - COUNTS[0]) for a, b in zip(first, last, strict=True)]
    print_row(["each of them", *cells(each)])
    print(f"\nGenerated for `max(0, x)`: {emitted_lines('max(0, x)')} lines of Rust.")


def cells(row: Sequence[float]) -> list[str]:
    *seconds, size = row
    return [*(f"{value:.3f} s" for value in seconds), f"{size / 1024:.1f} KiB"]


def main() -> None:
    parser = argparse.ArgumentParser(description="What a declaration adds to a build.")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(pathlib.Path(folder), arguments.runs)


if __name__ == "__main__":
    sys.exit(main())
