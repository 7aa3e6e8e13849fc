"""Moments as expressions of Polars: `pl.col("gamma").gaussform.moments("xi2", "relu")`.

Importing this module adds the namespace `gaussform` to expressions. They work row by row, so that they stream.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ._function import NONE, Function, as_function, joined

#: A column by its name, an expression, or a number.
Column = Union[str, float, "pl.Expr"]

#: That rows do not depend on each other, where Polars can be told so of several columns; elsewhere expressions do not stream.
_BY_ROWS: dict[str, Any] = {"is_elementwise": True} if "is_elementwise" in inspect.signature(pl.map_batches).parameters else {}


@pl.api.register_expr_namespace("gaussform")
class Expressions:
    """Moments of the pre-activations whose means are a column, under its name; of several columns, those of each."""

    def __init__(self, gamma: pl.Expr) -> None:
        self._gamma = gamma

    def moments(self, xi2: Column, f: Function | str, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> pl.Expr:
        """A struct of `mean` and `variance`, float64; null where an input is null. `xi2` is the variances: a column, an expression or a number."""
        return self._fields(as_function(f).moments, ("mean", "variance"), xi2, joined(values, parameters))

    def moments_grad(self, xi2: Column, f: Function | str, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> pl.Expr:
        """A struct of mean, variance and their derivatives in gamma and xi2, float64; null where an input is null."""
        names = ("mean", "variance", "dmean_dgamma", "dmean_dxi2", "dvariance_dgamma", "dvariance_dxi2")
        return self._fields(as_function(f).moments_grad, names, xi2, joined(values, parameters))

    def _fields(
        self, compute: Callable[..., Any], names: tuple[str, ...], xi2: Column, parameters: dict[str, float]
    ) -> pl.Expr:
        variance = _expression(xi2)
        kind = pl.Struct(dict.fromkeys(names, pl.Float64))

        def batch(columns: Sequence[pl.Series]) -> pl.Series:
            known = columns[0].is_not_null().to_numpy() & columns[1].is_not_null().to_numpy()
            results = compute(*map(_numbers, ("gamma", "xi2"), columns), parameters=parameters)
            frame = pl.DataFrame({name: pl.Series(name, result) for name, result in zip(names, results)})
            if not known.all():
                mask = pl.Series(known)
                frame = frame.with_columns(pl.when(mask).then(pl.col(name)).alias(name) for name in names)
            return frame.to_struct("moments")

        return pl.map_batches([self._gamma, variance], batch, return_dtype=kind, **_BY_ROWS)


def _expression(xi2: Column) -> pl.Expr:
    """The variances as an expression."""
    if isinstance(xi2, pl.Expr):
        return xi2
    if isinstance(xi2, str):
        return pl.col(xi2)
    if isinstance(xi2, (int, float, np.integer, np.floating)):
        return pl.lit(float(xi2))
    raise TypeError(f"xi2 is of the type {type(xi2).__qualname__}; the name of a column, an expression or a number is wanted, and pl.lit(xi2) is one of a series")


def _numbers(name: str, column: pl.Series) -> NDArray[np.float64]:
    """A column as numbers, NaN for null. What is not one of numbers is refused: a cast would make numbers of dates and texts."""
    kind = column.dtype
    if not (kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
        raise TypeError(f"{name} is the column {column.name!r} of the type {kind}; numbers are wanted, such as those of a cast to pl.Float64")
    return np.asarray(column.cast(pl.Float64).to_numpy(), np.float64)
