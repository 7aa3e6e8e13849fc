"""The library of activations by name: `gaussform.library.hard_swish`.

`dir(gaussform.library)` lists the names; each is a `gaussform.Function` whose `docs` say where the activation comes from.
"""

from __future__ import annotations

from . import _native
from ._function import Function, close_names, derive


def __getattr__(name: str) -> Function:
    if name in _native.library():
        return derive(name)
    close = close_names(name, _native.library())
    advice = f"; close are {', '.join(close)}" if close else ""
    raise AttributeError(f"the library has no activation {name!r}{advice}; dir(gaussform.library) lists the names")


def __dir__() -> list[str]:
    return _native.library()
