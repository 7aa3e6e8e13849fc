"""Predictions for tables that do not fit into memory: record batches of Arrow, and datasets of Parquet files.

`batches` is a function from batches to batches, what `mapInArrow` of Spark takes; `predict` runs it over a dataset.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs


def batches(
    estimator: Any,
    source: Iterable[pa.RecordBatch] | pa.Table | pa.RecordBatch,
    columns: Sequence[str],
    *,
    convert: Callable[[pa.RecordBatch], Any] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Each batch with the columns that an estimator adds: `prediction`, then `sd` or a probability for each class where it has these.

    The estimator is anything with `predict`, fitted by whatever package. `sd` is there if its `predict` takes `return_std`, and probabilities if
    it has `predict_proba` and `classes_`; a pipeline or a search has what its last or best estimator has.

    `source` gives record batches: a list, a reader, a scanner's `to_batches()`, or a table.

    `columns` are the inputs in the order that the estimator was fitted with. One that was fitted with a frame gets frames of Polars, with words
    and missing cells; any other gets arrays of numbers. `convert` makes something else of a batch of these columns, such as
    `lambda batch: batch.to_pandas()` for an estimator that wants frames of pandas.
    """
    if not hasattr(estimator, "predict"):
        raise TypeError(f"{type(estimator).__qualname__} has no predict; a fitted estimator is wanted")
    if isinstance(columns, str):
        raise TypeError(f"columns is {columns!r}; a list of names is wanted, such as [{columns!r}]")
    best = getattr(estimator, "best_estimator_", estimator)
    waiting: list[pa.RecordBatch] = []
    kinds: dict[str, pa.DataType] | None = None
    for batch in _batched(source):
        missing = [name for name in columns if name not in batch.schema.names]
        if missing:
            raise KeyError(f"there is no column {missing[0]!r}; there are {', '.join(batch.schema.names)}")
        if batch.num_rows:
            added = _predicted(best, _inputs(estimator, batch.select(list(columns)), convert))
            arrays = {name: pa.array(values) for name, values in added.items()}
            if kinds is None:
                kinds = {name: array.type for name, array in arrays.items()}
                yield from (_with(empty, {name: pa.array([], kind) for name, kind in kinds.items()}) for empty in waiting)
            yield _with(batch, arrays)
        elif kinds is None:
            # What is added is known when some row was predicted.
            waiting.append(batch)
        else:
            yield _with(batch, {name: pa.array([], kind) for name, kind in kinds.items()})
    if kinds is None and waiting:
        row = _some_row(waiting[0].select(list(columns)).schema)
        arrays = {name: pa.array(values)[:0] for name, values in _predicted(best, _inputs(estimator, row, convert)).items()}
        yield from (_with(empty, arrays) for empty in waiting)


def _batched(source: Any) -> Iterator[pa.RecordBatch]:
    """Record batches. What has columns goes through these if it is iterated, so that it is asked for batches."""
    whole = [source] if isinstance(source, pa.RecordBatch) else source.to_batches() if hasattr(source, "to_batches") else source
    for batch in whole:
        if not isinstance(batch, pa.RecordBatch):
            raise TypeError(f"source gives {type(batch).__qualname__}; record batches of Arrow are wanted, or a table")
        yield batch


def _with(batch: pa.RecordBatch, added: Mapping[str, pa.Array]) -> pa.RecordBatch:
    taken = [name for name in added if name in batch.schema.names]
    if taken:
        raise ValueError(f"the table has a column {taken[0]!r}, which predictions are called; give it another name")
    return pa.RecordBatch.from_arrays([*batch.columns, *added.values()], names=[*batch.schema.names, *added])


def _some_row(schema: pa.Schema) -> pa.RecordBatch:
    """A row for a table that has none: zeros, and nothing where there are no numbers."""
    arrays = []
    for field in schema:
        is_number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        arrays.append(pa.array([0 if is_number else None], field.type))
    return pa.RecordBatch.from_arrays(arrays, names=schema.names)


def _inputs(estimator: Any, batch: pa.RecordBatch, convert: Callable[[pa.RecordBatch], Any] | None) -> Any:
    if convert is not None:
        return convert(batch)
    if hasattr(estimator, "feature_names_in_"):
        return pl.DataFrame(pl.from_arrow(batch))
    numbers = []
    for name, column in zip(batch.schema.names, batch.columns):
        try:
            numbers.append(np.asarray(column.to_numpy(zero_copy_only=False), np.float64))
        except (TypeError, ValueError):
            raise TypeError(
                f"the column {name!r} is of the type {column.type}, and the estimator knows no names of columns, as one that was fitted with an array of numbers, "
                "or with nothing; fit it with a frame, or give `convert`"
            ) from None
    return np.column_stack(numbers)


def _predicted(estimator: Any, rows: Any) -> dict[str, Any]:
    """The columns that are added, by their names."""
    proba = estimator.predict_proba(rows) if hasattr(estimator, "predict_proba") and hasattr(estimator, "classes_") else None
    if isinstance(proba, np.ndarray):
        probabilities = {f"probability_{name}": proba[:, i] for i, name in enumerate(estimator.classes_)}
        # Other estimators may decide otherwise than by the largest probability, and these need no second pass.
        labels = estimator.classes_[proba.argmax(axis=1)] if _is_own(estimator) else estimator.predict(rows)
        return {"prediction": _one("predict", labels), **probabilities}
    if _has_deviations(estimator):
        mean, sd = estimator.predict(rows, return_std=True)
        return {"prediction": _one("predict", mean), "sd": _one("predict", sd)}
    return {"prediction": _one("predict", estimator.predict(rows))}


def _is_own(estimator: Any) -> bool:
    own = sys.modules.get(f"{__package__}.sklearn")
    return own is not None and isinstance(estimator, own.GaussformClassifier)


def _one(name: str, values: Any) -> Any:
    """One number or label for each row."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} of the estimator gives the shape {array.shape}, as one for several targets does; fit one for each of them")
    return array


def _has_deviations(estimator: Any) -> bool:
    """Whether `predict` takes `return_std` and gives a pair then."""
    if hasattr(estimator, "steps"):
        return _has_deviations(estimator.steps[-1][1])
    try:
        names = inspect.signature(estimator.predict).parameters
    except (TypeError, ValueError):
        return False
    return "return_std" in names


def predict(
    estimator: Any,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    columns: Sequence[str],
    *,
    batch_size: int = 65_536,
    partitioning: Sequence[str] | pa.Schema = (),
    convert: Callable[[pa.RecordBatch], Any] | None = None,
) -> int:
    """Predicts a folder of Parquet files into another, batch by batch: memory holds some batches, whatever the size of the table.

    Estimators, `columns` and `convert` are those of `batches`. `partitioning` names the columns by which both folders are divided (`part=3/…`). Their
    values are words, since a folder does not say more: `zip=01234` keeps its first digit, and an estimator of this package reads numbers out of
    words where it was trained on numbers. A schema says other types, such as `pyarrow.schema([("part", pyarrow.int64())])`.

    Returns the number of rows. A table without rows gives a file without rows.
    """
    if isinstance(partitioning, str):
        raise TypeError(f"partitioning is {partitioning!r}; a list of names is wanted, such as [{partitioning!r}]")
    kinds = dict(zip(partitioning.names, partitioning.types)) if isinstance(partitioning, pa.Schema) else {}
    divided = list(kinds or partitioning)
    data = _opened(os.fspath(source), kinds, divided)
    if not data.files:
        raise FileNotFoundError(f"{os.fspath(source)} has no file of Parquet")
    unknown = [name for name in divided if name not in data.schema.names]
    if unknown:
        raise KeyError(f"partitioning names {unknown[0]!r}, which neither folders nor files have; there are {', '.join(data.schema.names)}")
    empty = pa.RecordBatch.from_pylist([], schema=data.schema)
    rows = itertools.chain([empty], data.to_batches(batch_size=batch_size))
    predicted = batches(estimator, rows, columns, convert=convert)
    first = next(predicted)
    count = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal count
        for batch in itertools.chain([first], predicted):
            count += batch.num_rows
            yield batch.cast(first.schema)

    ds.write_dataset(
        counted(),
        os.fspath(target),
        schema=first.schema,
        format="parquet",
        partitioning=divided or None,
        partitioning_flavor="hive" if divided else None,
        existing_data_behavior="error",
    )
    if count == 0:
        # Batches without rows are not written, and with them the names and types of columns would be lost.
        system, folder = _located(os.fspath(target))
        if system.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
            raise ValueError(f"the folder {os.fspath(target)} is not empty; predictions go to a new one")
        system.create_dir(folder)
        pq.write_table(first.schema.empty_table(), f"{folder}/part-0.parquet", filesystem=system)
    return count


def _located(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or of a URI, and the path there."""
    system, place = fs.FileSystem.from_uri(path) if "://" in path else (fs.LocalFileSystem(), path)
    return system, place


def _opened(source: str, kinds: Mapping[str, pa.DataType], divided: Sequence[str]) -> ds.Dataset:
    """The files of a folder; where it is divided, with the columns that the names of its folders have, as words where no type is said."""
    data = ds.dataset(source, format="parquet")
    if not divided:
        return data
    _, base = _located(source)
    folders = {part for file in data.files for part in Path(os.path.relpath(file, base)).parts[:-1] if "=" in part}
    names = sorted({urllib.parse.unquote(part.partition("=")[0]) for part in folders})
    own = {field.name: field.type for field in data.schema}
    schema = pa.schema([(name, kinds.get(name, own.get(name, pa.string()))) for name in names])
    return ds.dataset(source, format="parquet", partitioning=ds.partitioning(schema, flavor="hive"))
