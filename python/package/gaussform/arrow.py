"""Predictions for tables that do not fit into memory: record batches of Arrow, and datasets of Parquet files.

`batches` is a function from batches to batches, what `mapInArrow` of Spark takes; `predict` runs it over a dataset.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds


def batches(estimator: Any, source: Iterable[pa.RecordBatch], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Each batch with the columns that an estimator adds: `prediction` and `sd` for numbers, `prediction` and a probability for each class.

    `columns` are the inputs in the order that the estimator was fitted with. One that was fitted with a frame gets frames of Polars, with words
    and missing cells; any other gets arrays of numbers.
    """
    for batch in source:
        missing = [name for name in columns if name not in batch.schema.names]
        if missing:
            raise KeyError(f"there is no column {missing[0]!r}; there are {', '.join(batch.schema.names)}")
        if hasattr(estimator, "feature_names_in_"):
            x: Any = pl.DataFrame(pl.from_arrow(batch.select(list(columns))))
        else:
            numbers = np.column_stack([batch.column(name).to_numpy(zero_copy_only=False) for name in columns])
            x = np.asarray(numbers, np.float64)
        added = _predicted(estimator, x)
        arrays = [*batch.columns, *(pa.array(values) for values in added.values())]
        yield pa.RecordBatch.from_arrays(arrays, names=[*batch.schema.names, *added])


def _predicted(estimator: Any, x: Any) -> dict[str, Any]:
    """The columns that are added, by their names; a batch may have no rows."""
    if len(x):
        rows = x
    else:
        rows = x.clear(1).fill_null(0) if isinstance(x, pl.DataFrame) else np.zeros((1, x.shape[1]))
    if hasattr(estimator, "predict_proba"):
        proba = estimator.predict_proba(rows)
        added = {"prediction": estimator.classes_[proba.argmax(axis=1)]}
        added.update({f"probability_{name}": proba[:, i] for i, name in enumerate(estimator.classes_)})
    else:
        mean, sd = estimator.predict(rows, return_std=True)
        if mean.ndim > 1:
            raise ValueError("the estimator has several targets; predict one by one")
        added = {"prediction": mean, "sd": sd}
    return {name: values[: len(x)] for name, values in added.items()}


def predict(
    estimator: Any,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    columns: Sequence[str],
    *,
    batch_size: int = 65_536,
    partitioning: Sequence[str] = (),
) -> int:
    """Predicts a folder of Parquet files into another, batch by batch: memory holds some batches, whatever the size of the table.

    `partitioning` names the columns by which both folders are divided (`part=3/…`). Returns the number of rows.
    """
    hive = ds.partitioning(flavor="hive") if partitioning else None
    data = ds.dataset(os.fspath(source), format="parquet", partitioning=hive)
    empty = pa.RecordBatch.from_pylist([], schema=data.schema)
    schema = next(batches(estimator, [empty], columns)).schema
    count = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in batches(estimator, data.to_batches(batch_size=batch_size), columns):
            count += batch.num_rows
            yield batch.cast(schema)

    ds.write_dataset(
        counted(),
        os.fspath(target),
        schema=schema,
        format="parquet",
        partitioning=list(partitioning) or None,
        partitioning_flavor="hive" if partitioning else None,
        existing_data_behavior="error",
    )
    return count
