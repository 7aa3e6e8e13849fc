"""Derivations, certificates, code and pages."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gaussform as gf

SWISH = gf.library.hard_swish


def test_formulas() -> None:
    assert gf.library.relu.formula(1) == "E[g(u)] = 1/2 γ + 1/2 γ erf(γ/(√2 ξ)) + 1/2 √(2/π) ξ exp(−γ²/(2 ξ²))"
    assert gf.library.relu.formula("mean") == gf.library.relu.formula(1)
    assert gf.library.relu.formula(2).startswith("E[g(u)²] = ")
    assert gf.library.relu.formula("variance").startswith("Var g(u) = ")
    assert "\\operatorname{erf}" in gf.library.relu.latex(1)
    assert gf.library.relu.mathml(3).startswith("<math")
    assert "heat" not in SWISH.derivation(1) and len(SWISH.derivation(2).splitlines()) > 5


def test_certificates() -> None:
    certificate = gf.derive("max(0, x)").certify(2)
    assert certificate.steps > 3 and certificate.heat_terms > 0
    assert certificate.limits == ("0", "γ²")


def test_what_is_no_quantity_is_an_error_with_advice() -> None:
    with pytest.raises(gf.DerivationError, match="no quantity") as raised:
        SWISH.formula("median")
    assert "variance" in (raised.value.help or "")
    with pytest.raises(gf.DerivationError, match="limited"):
        SWISH.formula(1000)


@pytest.mark.parametrize("target", ["rust", "rust-crate", "c", "cuda", "wgsl", "numpy", "jax", "pytorch"])
def test_code(target: str) -> None:
    assert "hard_swish" in SWISH.emit(target).lower().replace("hardswish", "hard_swish")


def test_the_emitted_module_agrees_with_the_kernels() -> None:
    module: dict[str, object] = {}
    exec(SWISH.emit("numpy"), module)
    gamma = np.linspace(-5, 5, 41)
    ours, theirs = SWISH.moments(gamma, 0.7), module["moments"](gamma, 0.7)  # type: ignore[operator]
    np.testing.assert_allclose(ours.mean, theirs[0], rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(ours.variance, theirs[1], rtol=1e-13)


def test_an_unknown_target_is_an_error() -> None:
    with pytest.raises(gf.DerivationError, match="the targets are rust"):
        SWISH.emit("fortran")


def test_pages_and_notebooks() -> None:
    page = SWISH.page()
    assert page.startswith("<!DOCTYPE html>") and "hard_swish" in page
    assert json.loads(SWISH.json())["format"] == "gaussform/inspect"
    leaky = gf.library.leaky_relu
    assert "<math" in leaky._repr_html_() and "eps in (0, 1)" in leaky._repr_html_()
    for shown in (leaky._repr_latex_(), gf.derive("x")._repr_latex_()):
        definition, mean, variance = (part.strip() for part in shown.removeprefix("$$").removesuffix("$$").split("$$\n$$"))
        assert definition.startswith("g(u) = ") and "$" not in definition + mean + variance
        # What MathJax and LaTeX refuse within a display.
        assert not any(word in shown for word in ("align*", "\\[", "\\]"))
        for equation in (mean, variance):
            assert equation.startswith("\\begin{aligned}") and equation.endswith("\\end{aligned}")


def test_what_a_function_says_of_itself() -> None:
    f = gf.derive("tent(x; delta > 0) = max(0, delta - |x|)")
    assert (f.name, f.parameters, f.conditions, f.degree) == ("tent", ("delta",), ("delta > 0",), 1)
    assert f.knots(delta=0.5) == (-0.5, 0.0, 0.5)
    assert f.is_nonnegative and not gf.derive("x").is_nonnegative
    assert "torch.nn.Hardswish" in SWISH.docs
    assert gf.derive("|x^2 - 2|").knots() == (-(2**0.5), 2**0.5)


def test_files_of_declarations(tmp_path: object) -> None:
    path = tmp_path / "mine.gf"  # type: ignore[operator]
    path.write_text("twice(x) = 2*relu(x)\nfour(x; a > 0) = a*twice(twice(x))\n")
    functions = gf.read(path)
    assert list(functions) == ["twice", "four"]
    assert functions["four"].moments(0.0, 1.0, a=1.0).mean == 4 * gf.library.relu.moments(0.0, 1.0).mean
    path.write_text("one(x) = x\n\ntwo(x) = y\n")
    with pytest.raises(gf.DeclarationError) as raised:
        gf.read(path)
    assert (raised.value.line, raised.value.column) == (3, 10)
