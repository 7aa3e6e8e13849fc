"""The examples run; each has its own assertions."""

from __future__ import annotations

import importlib
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
#: What an example needs besides NumPy.
NEEDS = {"error_bars.py": "gaussform.torch"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path: Path) -> None:
    if path.name in NEEDS:
        try:
            importlib.import_module(NEEDS[path.name])
        except ImportError as error:
            pytest.skip(str(error))
    runpy.run_path(str(path), run_name="__main__")
