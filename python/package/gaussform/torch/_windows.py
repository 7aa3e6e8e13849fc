"""Windows of pools along one axis, as tables of what each window holds.

A window over several axes is a window along one after the other, whatever the padding, the strides, the dilation and the ends that `ceil_mode` adds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: Pools that take the largest element, and how many axes they have.
MAXIMA: dict[type[nn.Module], int] = {
    nn.MaxPool1d: 1,
    nn.MaxPool2d: 2,
    nn.MaxPool3d: 3,
    nn.AdaptiveMaxPool1d: 1,
    nn.AdaptiveMaxPool2d: 2,
    nn.AdaptiveMaxPool3d: 3,
}

_ADAPTIVE = (nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d)


def tables(pool: Any, sizes: tuple[int, ...]) -> list[Tensor]:
    """For each axis a table (windows, elements) of places on the axis; −1 stands for padding, and fills up windows that hold less."""

    def setting(name: str, axis: int) -> Any:
        value = getattr(pool, name)
        if not isinstance(value, (tuple, list)):
            return value
        return value[axis if len(value) > 1 else 0]

    found = []
    for axis, count in enumerate(sizes):
        if isinstance(pool, _ADAPTIVE):
            wanted = setting("output_size", axis)
            found.append(_shares(count, count if wanted is None else wanted))
        else:
            settings = {name: setting(name, axis) for name in ("kernel_size", "stride", "padding", "dilation")}
            found.append(_steps(count, **settings, ceil_mode=pool.ceil_mode))
    return found


def repeated(layer: Any, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Windows of a convolution whose padding copies units, those that read a unit more than once: their numbers, and the places that they read (windows, elements)."""
    axes = len(sizes)
    places = torch.arange(float(math.prod(sizes)), dtype=torch.float64).reshape(1, 1, *sizes)
    places = F.pad(places, layer._reversed_padding_repeated_twice, layer.padding_mode)[0, 0]
    for axis, (size, stride, dilation) in enumerate(zip(layer.kernel_size, layer.stride, layer.dilation)):
        places = places.unfold(axis, dilation * (size - 1) + 1, stride)[..., ::dilation]
    reads = places.flatten(axes).flatten(0, axes - 1).long()
    numbers = (reads.sort(1).values.diff(dim=1) == 0).any(1).nonzero().squeeze(1)
    return numbers, reads[numbers]


def _steps(count: int, kernel_size: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> Tensor:
    """Windows that move by `stride`. PyTorch says how many there are, and refuses settings that it does not have."""
    windows = F.max_pool1d(torch.zeros(1, 1, count), kernel_size, stride, padding, dilation, ceil_mode).shape[-1]
    places = torch.arange(windows)[:, None] * stride - padding + torch.arange(kernel_size) * dilation
    return torch.where((places >= 0) & (places < count), places, -1)


def _shares(count: int, windows: int) -> Tensor:
    """Windows that share an axis, from ⌊i n/m⌋ to ⌈(i+1) n/m⌉."""
    i = torch.arange(windows)
    start, end = i * count // windows, -(-(i + 1) * count // windows)
    places = start[:, None] + torch.arange(int((end - start).max()))
    return torch.where(places < end[:, None], places, -1)


def whole(count: int) -> Tensor:
    """One window, which holds the axis."""
    return torch.arange(count)[None]


def largest_count(table: Tensor) -> int:
    """How many elements the fullest window holds."""
    return int((table >= 0).sum(1).max())


def levels(units: Sequence[int], windows: Mapping[int, Tensor], device: torch.device) -> tuple[list[tuple[Tensor, Tensor]], list[int]]:
    """Balanced trees along one axis of the units after the other, and the shape that they leave.

    A level has the numbers of the first and of the second units of its pairs, among the units of the level before. No window holds padding alone.
    """
    sizes, found = list(units), []
    for axis, table in windows.items():
        while True:
            is_last = table.shape[1] <= 2
            first, second, table = _pairs(table)
            if is_last:
                first, second = first[table[:, 0]], second[table[:, 0]]
            numbers = torch.arange(math.prod(sizes)).reshape(sizes)
            a, b = (numbers.index_select(axis, index).flatten().to(device) for index in (first, second))
            found.append((a, b))
            sizes[axis] = len(first)
            if is_last:
                break
    return found, sizes


def _pairs(table: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """One level of a balanced tree: the pairs of places whose maxima are taken, and the table of the next level, of half the elements.

    What has no partner is a pair with itself. A pair that several windows hold is there once.
    """
    if table.shape[1] % 2:
        table = torch.cat([table, table[:, -1:]], 1)
    first, second = table[:, 0::2], table[:, 1::2]
    first, second = torch.where(first < 0, second, first), torch.where(second < 0, first, second)
    both = torch.stack([first.flatten(), second.flatten()], 1)
    held = both[:, 0] >= 0
    known, places = torch.unique(both[held], dim=0, return_inverse=True)
    following = torch.full((len(both),), -1)
    following[held] = places
    return known[:, 0], known[:, 1], following.reshape(first.shape)
