"""The native module: what Python cannot do itself."""

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

def xla_handler() -> Any: ...
def library() -> list[str]: ...
def declarations(text: str) -> list[Function]: ...
def set_num_threads(count: int) -> None:
    """How many threads large arrays are shared by: 0, the default, is one for each core, or RAYON_NUM_THREADS."""

def get_num_threads() -> int:
    """How many threads large arrays are shared by."""
