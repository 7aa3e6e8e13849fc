"""Moments as expressions of Polars: `pl.col("gamma").gaussform.moments("xi2", "relu")`.

Importing this module adds the namespace `gaussform` to expressions. They work row by row, so that they stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union

import numpy as np
import polars as pl

from ._function import NONE, Function, as_function, joined

#: A column by its name, an expression, or a number.
Column = Union[str, float, "pl.Expr"]


@pl.api.register_expr_namespace("gaussform")
class Expressions:
    """Moments of the pre-activations whose means are a column."""

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
        variance = pl.col(xi2) if isinstance(xi2, str) else xi2 if isinstance(xi2, pl.Expr) else pl.lit(float(xi2))
        kind = pl.Struct(dict.fromkeys(names, pl.Float64))

        def batch(rows: pl.Series) -> pl.Series:
            gamma, spread = (rows.struct.field(name) for name in ("gamma", "xi2"))
            known = (gamma.is_not_null() & spread.is_not_null()).to_numpy()
            # A null is NaN here, and null again in the results.
            arrays = [np.asarray(column.to_numpy(), np.float64) for column in (gamma, spread)]
            results = compute(*arrays, parameters=parameters)
            columns = {name: pl.Series(name, result) for name, result in zip(names, results)}
            frame = pl.DataFrame(columns)
            if not known.all():
                mask = pl.Series(known)
                frame = frame.with_columns(pl.when(mask).then(pl.col(name)).alias(name) for name in names)
            return frame.to_struct("moments")

        rows = pl.struct(gamma=self._gamma.cast(pl.Float64), xi2=variance.cast(pl.Float64))
        return rows.map_batches(batch, return_dtype=kind, is_elementwise=True)
