"""The native module: what Python cannot do itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

class DeclarationError(ValueError):
    """A text is no declaration, or its function is not in the class.

    Its text shows the place as the command `gaussform` does.
    """

    message: str
    help: str | None
    line: int
    column: int
    declaration: str

class DerivationError(ValueError):
    """There is no derivation, kernel or code of what was asked for."""

    help: str | None

class ParameterError(ValueError):
    """Values of parameters are missing, unknown, or not as declared."""

class Function:
    def __new__(cls, text: str) -> Function: ...
    @property
    def name(self) -> str: ...
    @property
    def declaration(self) -> str: ...
    @property
    def docs(self) -> str: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def domains(self) -> list[tuple[float, float, bool, bool]]: ...
    @property
    def conditions(self) -> list[str]: ...
    @property
    def witness(self) -> list[float]: ...
    @property
    def relations(self) -> list[list[tuple[float, list[int]]]]: ...
    @property
    def degree(self) -> int: ...
    @property
    def is_nonnegative(self) -> bool: ...
    def knots(self, values: list[float]) -> list[float]: ...
    def is_compiled(self, values: list[float]) -> bool: ...
    def same(self, other: Function) -> bool: ...
    def compute(
        self,
        quantity: str,
        values: list[float],
        inputs: list[NDArray[Any]],
        outputs: list[NDArray[Any]],
    ) -> None: ...
    def hessian(
        self,
        values: list[float],
        inputs: list[NDArray[Any]],
        outputs: list[NDArray[Any]],
    ) -> None: ...
    def condition(self, condition: str) -> Function: ...
    def given(
        self,
        values: list[float],
        condition: Function,
        inputs: list[NDArray[Any]],
        outputs: list[NDArray[Any]],
    ) -> None: ...
    def formula(self, quantity: int | str) -> str: ...
    def latex(self, quantity: int | str) -> str: ...
    def mathml(self, quantity: int | str) -> str: ...
    def definition(self, format: str) -> str: ...
    def derivation(self, quantity: int | str) -> str: ...
    def certificate(self, quantity: int | str) -> tuple[int, int, list[str]]: ...
    def emit(self, target: str) -> str: ...
    def page(self) -> str: ...
    def json(self) -> str: ...
    def pairs(
        self,
        values: list[float],
        other: Function,
        other_values: list[float],
        inputs: list[NDArray[Any]],
        outputs: list[NDArray[Any]],
    ) -> None: ...
    def mixed(
        self,
        values: list[float],
        other: Function,
        other_values: list[float],
        inputs: list[NDArray[Any]],
        outputs: list[NDArray[Any]],
    ) -> None: ...
    def layer(
        self,
        values: list[float],
        gamma: NDArray[np.float64],
        cov: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None: ...
    def infinite(
        self,
        values: list[float],
        depth: int,
        variances: list[float],
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        nngp: NDArray[np.float64],
        ntk: NDArray[np.float64],
    ) -> None: ...

class TableModel:
    @staticmethod
    def fit(
        columns: list[tuple[str, Any]],
        targets: list[str],
        activation: str,
        arguments: list[str],
        progress: Callable[[int, int, float], None] | None,
    ) -> tuple[TableModel, list[str], int]: ...
    def calibrated(self, columns: list[tuple[str, Any]]) -> TableModel: ...
    @property
    def is_calibrated(self) -> bool: ...
    @property
    def classes(self) -> list[str] | None: ...
    @property
    def targets(self) -> list[str]: ...
    def numbers(
        self, columns: list[tuple[str, Any]], quantiles: list[float]
    ) -> tuple[
        NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], list[NDArray[np.float64]], list[str]
    ]: ...
    def probabilities(
        self, columns: list[tuple[str, Any]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]: ...
    def intervals(self, columns: list[tuple[str, Any]], probability: float) -> tuple[list[NDArray[np.float64]], list[str]]: ...
    def sets(self, columns: list[tuple[str, Any]], probability: float) -> tuple[list[list[int]], list[str]]: ...
    def to_bytes(self, notes: dict[str, str]) -> bytes: ...
    def save(self, path: str, notes: dict[str, str]) -> None: ...
    @staticmethod
    def from_bytes(name: str, bytes: bytes) -> tuple[TableModel, dict[str, str]]: ...

def means_missing(text: str) -> bool: ...
def xla_handler() -> Any: ...
def library() -> list[str]: ...
def declarations(text: str) -> list[Function]: ...
def set_num_threads(count: int) -> None:
    """How many threads large arrays are shared by, at most one for each core: 0, the default, is one for each, or RAYON_NUM_THREADS."""

def get_num_threads() -> int:
    """How many threads large arrays are shared by."""
