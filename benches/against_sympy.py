"""Times SymPy and gaussform on the same seven expectations, in one run.

    pip install sympy
    python benches/against_sympy.py

SymPy gets three ways to the answer, each in a process of its own with a time limit: its
statistics module, its integrals piece by piece, and these after the substitution u = γ + ξ t.
The quickest that gives a closed form counts. gaussform's time includes replaying the trace and
checking the certificate.
"""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import time

LIMIT = 60.0
# name, expression for gaussform, pieces for SymPy: polynomial in x, from, to
R2 = "sqrt(2)"
CASES = [
    ("E|u|", "|x|", [("-x", "-oo", "0"), ("x", "0", "oo")]),
    ("E relu", "max(0, x)", [("x", "0", "oo")]),
    ("E relu^2", "max(0, x)^2", [("x**2", "0", "oo")]),
    ("E hard sigmoid^2", "((|x + 1| - |x - 1|)/2)^2",
     [("1", "-oo", "-1"), ("x**2", "-1", "1"), ("1", "1", "oo")]),
    ("E relu^4", "max(0, x)^4", [("x**4", "0", "oo")]),
    ("E u^3|u|", "x^3*|x|", [("-x**4", "-oo", "0"), ("x**4", "0", "oo")]),
    ("E|u^2 - 2|", "|x^2 - 2|",
     [("x**2 - 2", "-oo", "-" + R2), ("2 - x**2", "-" + R2, R2), ("x**2 - 2", R2, "oo")]),
]


def derive(pieces, method, queue):
    import sympy as sp
    from sympy.stats import E, Normal

    x, t = sp.symbols("x t", real=True)
    gamma = sp.symbols("gamma", real=True)
    xi = sp.symbols("xi", positive=True)
    pieces = [tuple(sp.sympify(part, locals={"x": x}) for part in piece) for piece in pieces]
    start = time.perf_counter()
    if method == "statistics":
        u = Normal("u", gamma, xi)
        parts = [(p.subs(x, u), u < b) for p, _, b in pieces[:-1]]
        last = pieces[-1]
        if not parts:
            parts = [(sp.Integer(0), u < last[1])]
        result = E(sp.Piecewise(*parts, (last[0].subs(x, u), True)))
    elif method == "integrals":
        density = sp.exp(-((x - gamma) ** 2) / (2 * xi**2)) / (sp.sqrt(2 * sp.pi) * xi)
        result = sum(sp.integrate(p * density, (x, a, b)) for p, a, b in pieces)
    else:
        density = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)

        def bound(end):
            return end if end.is_infinite else (end - gamma) / xi

        result = sum(
            sp.integrate(sp.expand(p.subs(x, gamma + xi * t)) * density, (t, bound(a), bound(b)))
            for p, a, b in pieces
        )
    queue.put((time.perf_counter() - start, not result.has(sp.Integral)))


def sympy_time(pieces):
    best = None
    for method in ("statistics", "integrals", "substitution"):
        queue = multiprocessing.Queue()
        process = multiprocessing.Process(target=derive, args=(pieces, method, queue))
        process.start()
        try:
            seconds, closed = queue.get(timeout=LIMIT)
        except Exception:  # the time is up, or SymPy failed
            seconds, closed = None, False
        process.terminate()
        process.join()
        if closed and (best is None or seconds < best[0]):
            best = (seconds, method)
    return best


def main():
    root = pathlib.Path(__file__).parent.parent
    build = ["cargo", "build", "--release", "--quiet", "-p", "gaussform-bench"]
    subprocess.run(build, cwd=root, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    program = target / "release" / "derive-once"
    output = subprocess.run(
        [program, *(case[1] for case in CASES)], check=True, capture_output=True, text=True
    )
    ours = [float(line) for line in output.stdout.split()]
    print("| expectation | gaussform | SymPy | its quickest way | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for (name, _, pieces), seconds in zip(CASES, ours):
        best = sympy_time(pieces)
        theirs = "none in %.0f s" % LIMIT if best is None else "%.2f s" % best[0]
        method = "" if best is None else best[1]
        ratio = "" if best is None else "%.0f" % (best[0] / seconds)
        name = name.replace("|", "\\|")
        print(f"| {name} | {seconds * 1e3:.3f} ms | {theirs} | {method} | {ratio} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
