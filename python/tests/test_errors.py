"""Errors in declarations: the place, the advice, and the picture that the command prints."""

from __future__ import annotations

import pytest

import gaussform as gf


def test_an_error_shows_the_place() -> None:
    with pytest.raises(gf.DeclarationError) as raised:
        gf.derive("max(0, y)")
    error = raised.value
    assert isinstance(error, ValueError)
    assert error.message == "unknown name `y`"
    assert (error.line, error.column) == (1, 8)
    assert error.declaration == "max(0, y)"
    assert error.help
    shown = str(error)
    assert shown.startswith("unknown name `y`") and "declaration:1:8" in shown and "max(0, y)" in shown
    assert error.help in shown


def test_lines_and_columns_are_counted_in_characters() -> None:
    with pytest.raises(gf.DeclarationError) as raised:
        gf.derive("# größer als\nbad(x) =\n  |x| / x")
    assert raised.value.line == 3


@pytest.mark.parametrize(
    "text", ["", "max(0, x", "1/x", "sin(x)", "x^1000", "((((" * 50, "f(x; a) = |x - a|*|x + a|", "a\0b", "x" * 100_000]
)
def test_what_is_wrong_is_an_error_and_nothing_else(text: str) -> None:
    with pytest.raises(gf.DeclarationError) as raised:
        gf.derive(text)
    assert raised.value.line >= 1 and raised.value.column >= 1


def test_the_library_says_what_it_lacks() -> None:
    with pytest.raises(AttributeError, match="gelu"):
        gf.library.gelu
    for name, close in (("ReLU", "relu"), ("swish", "hard_swish"), ("LeakyRelu", "leaky_relu"), ("hard_swsh", "hard_swish")):
        with pytest.raises(AttributeError, match=rf"close are (\w+, )*{close}\b"):
            getattr(gf.library, name)
    with pytest.raises(AttributeError, match="nothing"):
        gf.nothing
