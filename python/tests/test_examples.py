"""The notebooks run as they are shown, cell by cell; each has its own assertions."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))
#: What a notebook needs besides NumPy.
NEEDS = {"error_bars.ipynb": "gaussform.torch", "table_to_predictions.ipynb": "gaussform.sklearn"}


def _cells(path: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_is_a_notebook_for_each_door() -> None:
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(path: Path) -> None:
    if path.name in NEEDS:
        try:
            importlib.import_module(NEEDS[path.name])
        except ImportError as error:
            pytest.skip(str(error))
    variables: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(_cells(path), 1):
        code = compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec")
        exec(code, variables)  # noqa: S102


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_have_the_outputs_of_one_run(path: Path) -> None:
    cells = _cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output["output_type"] for cell in cells for output in cell["outputs"]]
    assert outputs and "error" not in outputs
