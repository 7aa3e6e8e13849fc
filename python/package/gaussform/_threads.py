"""How many threads large arrays are shared by."""

from __future__ import annotations

import operator

from . import _native as core


def set_num_threads(count: int) -> None:
    """How many threads large arrays are shared by, at most one for each core: 0, the default, is one for each, or RAYON_NUM_THREADS."""
    number = operator.index(count)
    if number < 0:
        raise ValueError(f"count is {number}; a number of threads is wanted, or 0 for one on each core")
    # More than there are cores count as that many.
    core.set_num_threads(min(number, 2**31))

