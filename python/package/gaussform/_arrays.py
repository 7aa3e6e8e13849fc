"""Arguments as arrays that kernels take: one floating type, one shape; and arrays that results go to.

The rules are those of NumPy's universal functions: arguments broadcast, Python's numbers take the type of the arrays beside
them, and whole numbers count as float64. Masks and units would be lost, so they are refused. The native module reads memory as
slices of numbers, so that each number must lie at an address that its type allows: other inputs are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
#: A number where all inputs are numbers, an array otherwise.
Result = Any
#: Arrays that results go to, None for one that is made.
Out = Union[Sequence[Union[Array, None]], None]

_F64 = np.dtype(np.float64)
_F32 = np.dtype(np.float32)
_F16 = np.dtype(np.float16)
_PLAIN = (np.ndarray, np.memmap)


def plain(name: str, value: ArrayLike) -> Array:
    """The argument as an array, or an exception that says what would be lost."""
    kind = type(value)
    if kind in _PLAIN or isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, and its mask would be lost; {name}.filled(numpy.nan) gives NaN for what is masked"
        )
    origin = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"{name} is a {origin}, and what that adds to an array would be lost; numpy.asarray({name}) leaves it out"
        )
    if origin.startswith("torch."):
        raise TypeError(f"{name} is a tensor of PyTorch; gaussform.torch.moments takes and gives these")
    if getattr(kind, "__array_ufunc__", None) is not None:
        raise TypeError(
            f"{name} is a {origin}, and its index, units or labels would be lost; pass its numbers alone, as {name}.to_numpy() or "
            f"numpy.asarray({name})"
        )
    if kind is int:
        # Of any size that float64 holds.
        try:
            return np.asarray(float(value))  # type: ignore[arg-type]
        except OverflowError:
            raise OverflowError(f"{name} is larger than any float64, whose largest is about 1.8e308") from None
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} is no array of real numbers, but of {array.dtype}")
    return array


def real(name: str, value: ArrayLike) -> Array:
    """The argument as an array of real numbers that float64 holds, or an exception."""
    array = plain(name, value)
    if array.dtype.kind not in "fiub" or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise TypeError(f"{name} has the type {array.dtype}; kernels take float64 and float32")
    return array


def _precision(arrays: Sequence[Array], values: Sequence[Any]) -> np.dtype[Any]:
    """float32 or float64: what NumPy would compute in."""
    strong = [a.dtype for a, v in zip(arrays, values) if not isinstance(v, (int, float)) or isinstance(v, np.generic)]
    strong = [_F64 if dtype.kind in "iub" else dtype.newbyteorder("=") for dtype in strong]
    if not strong:
        return _F64
    dtype = np.result_type(*strong)
    return _F32 if dtype == _F16 else dtype


def _shapes(names: Sequence[str], arrays: Sequence[Array]) -> str:
    return ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays))


def _is_in_steps(array: Array) -> bool:
    """Whether elements lie whole elements apart; fields of packed records do not."""
    return all(stride % array.itemsize == 0 for stride in array.strides)


def _readable(array: Array) -> Array:
    """The array, or a copy where its elements lie between the places of their type, as those at an odd offset in a file do."""
    return array if array.flags.aligned and _is_in_steps(array) else array.copy()


def contiguous(array: Array) -> NDArray[np.float64]:
    """The numbers as float64, in the order of rows, in memory that the native module reads."""
    return np.require(array, np.float64, ("C", "A"))


def inputs(names: Sequence[str], values: Sequence[ArrayLike]) -> list[Array]:
    """Arrays of one floating type and one shape, without a copy where there is a choice."""
    first = values[0]
    if type(first) is np.ndarray and (first.dtype is _F64 or first.dtype is _F32):
        same = all(type(v) is np.ndarray and v.dtype is first.dtype and v.shape == first.shape for v in values)
        if same:
            return [_readable(v) for v in values]  # type: ignore[arg-type]
    arrays = [real(name, value) for name, value in zip(names, values)]
    dtype = _precision(arrays, values)
    arrays = [_readable(np.asarray(array, dtype)) for array in arrays]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        raise ValueError(f"the shapes do not broadcast: {_shapes(names, arrays)}") from None


def outputs(out: Out, names: Sequence[str], like: Array) -> list[Array]:
    """Arrays for results: the given ones where they fit, new ones elsewhere."""
    if out is None:
        return [np.empty(like.shape, like.dtype) for _ in names]
    if isinstance(out, np.ndarray) and len(names) == 1:
        out = (out,)
    if not isinstance(out, (tuple, list)) or len(out) != len(names):
        raise TypeError(f"out has an array (or None) for each of {', '.join(names)}")
    arrays: list[Array] = []
    for name, array in zip(names, out):
        if array is None:
            arrays.append(np.empty(like.shape, like.dtype))
            continue
        if type(array) not in _PLAIN:
            raise TypeError(f"out for {name} is a {type(array).__qualname__}; an array is wanted")
        if array.dtype != like.dtype or not array.dtype.isnative:
            raise TypeError(f"out for {name} has the type {array.dtype}; {like.dtype} is wanted")
        if array.shape != like.shape:
            raise ValueError(f"out for {name} has the shape {array.shape}; {like.shape} is wanted")
        if not _is_in_steps(array):
            raise ValueError(f"out for {name} is a field of packed records, whose elements lie no whole elements apart")
        if not array.flags.aligned:
            raise ValueError(f"out for {name} is not aligned: its memory begins at no multiple of {array.itemsize} bytes; an array that NumPy made does")
        if not array.flags.writeable:
            raise ValueError(f"out for {name} is read-only")
        if any(np.may_share_memory(array, other) for other in arrays):
            raise ValueError(f"out for {name} shares memory with another output")
        arrays.append(array)
    return arrays


def elementwise(
    names: Sequence[str],
    values: Sequence[ArrayLike],
    results: Sequence[str],
    out: Out,
    compute: Callable[[list[Array], list[Array]], None],
) -> list[Result]:
    """Results of a kernel: numbers for numbers, arrays for arrays."""
    arrays = inputs(names, values)
    targets = outputs(out, results, arrays[0])
    if out is not None:
        # A kernel reads an element of one input after it has written that of an output.
        arrays = [a.copy() if any(np.may_share_memory(a, t) for t in targets) else a for a in arrays]
    if out is None and arrays[0].ndim > 1 and all(a.flags.f_contiguous for a in arrays):
        # As they lie in memory; the results lie so too.
        compute([a.T for a in arrays], [t.reshape(t.shape[::-1]) for t in targets])
        targets = [t.reshape(t.shape[::-1]).T for t in targets]
    else:
        compute(arrays, targets)
    return targets if arrays[0].ndim or out is not None else [t[()] for t in targets]
