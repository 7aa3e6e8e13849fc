"""Checks the Python modules that `gaussform emit` prints, with the libraries that can be imported.

    python tests/emit_python/check.py [--gaussform PATH] [--only numpy|jax|pytorch] [--report]

Values are held against the golden tables in both precisions; shapes, precisions, NaN, limits,
derivatives in both modes and errors against what is documented. The examples run.
"""

import importlib
import sys

import errors
import example
from modules import Modules, arguments

#: The library that a target needs, and the checks of the target.
TARGETS = {
    "numpy": ("numpy", "check_numpy"),
    "jax": ("jax", "check_jax"),
    "pytorch": ("torch", "check_pytorch"),
}


def main():
    args = arguments()
    modules = Modules(args.gaussform)
    errors.check(modules)
    missing = []
    for target in args.only or TARGETS:
        library, checks = TARGETS[target]
        try:
            importlib.import_module(library)
        except ImportError:
            missing.append(library)
            continue
        importlib.import_module(checks).check(modules, report=args.report)
        example.check(modules, target)
        print(f"{target}: passed")
    if missing:
        print(f"not checked, since not installed: {', '.join(missing)}")
    if args.only and missing:
        sys.exit(1)


if __name__ == "__main__":
    main()
