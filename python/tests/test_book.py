"""The chapter of the book on Python: its blocks are run, and print what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

CHAPTER = Path(__file__).parents[2] / "docs" / "book" / "python.md"
#: Blocks that need more than NumPy.
NEEDS = {"TORCH": "gaussform.torch", "JAX": "gaussform.jax", "SKLEARN": "gaussform.sklearn"}
FLAGS = {name: doctest.register_optionflag(name) for name in NEEDS}


def _is_there(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def test_the_blocks_print_what_they_show() -> None:
    if not CHAPTER.exists():
        pytest.skip("the package was installed without the book")
    blocks = [part.split("```")[0] for part in CHAPTER.read_text(encoding="utf-8").split("```python\n")[1:]]
    assert len(blocks) >= 5
    missing = [FLAGS[name] for name, module in NEEDS.items() if not _is_there(module)]
    variables: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for i, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, variables, f"block {i}", str(CHAPTER), 0)
        test.examples = [e for e in test.examples if not any(flag in e.options for flag in missing)]
        test.globs = variables
        runner.run(test, clear_globs=False)
    assert runner.failures == 0
