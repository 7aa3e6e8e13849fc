"""The examples in the documentation of the package."""

from __future__ import annotations

import doctest

import gaussform._function
import gaussform._pairs


def test_examples_print_what_they_show() -> None:
    for module in (gaussform._function, gaussform._pairs):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed
