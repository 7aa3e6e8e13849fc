"""Functions of the class, and their moments on arrays."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _native as core
from ._arrays import Array, Out, Result, elementwise
from ._native import ParameterError

#: No values of parameters.
NONE: Mapping[str, float] = {}

#: Keywords of functions that take values of parameters.
_TAKEN = ("out", "parameters", "depth", "weight_variance", "bias_variance")

#: The order of a moment, or "mean", "second", "variance".
Quantity = Union[int, str]


class Moments(NamedTuple):
    """E[g(u)] and Var g(u)."""

    mean: Result
    variance: Result


class MomentsGrad(NamedTuple):
    """E[g(u)] and Var g(u) with their derivatives in gamma and xi2."""

    mean: Result
    variance: Result
    dmean_dgamma: Result
    dmean_dxi2: Result
    dvariance_dgamma: Result
    dvariance_dxi2: Result


class MomentsHessian(NamedTuple):
    """The second derivatives of E[g(u)] and Var g(u) in gamma and xi2."""

    d2mean_dgamma2: Result
    d2mean_dgamma_dxi2: Result
    d2mean_dxi22: Result
    d2variance_dgamma2: Result
    d2variance_dgamma_dxi2: Result
    d2variance_dxi22: Result


class ConditionalMoments(NamedTuple):
    """P(u in A), E[g(u) | u in A], Var[g(u) | u in A], their logarithms, and the derivatives in gamma and xi2."""

    probability: Result
    mean: Result
    variance: Result
    log_probability: Result
    log_mean: Result
    log_variance: Result
    dlog_probability_dgamma: Result
    dlog_probability_dxi2: Result
    dmean_dgamma: Result
    dmean_dxi2: Result
    dvariance_dgamma: Result
    dvariance_dxi2: Result


class LogMoments(NamedTuple):
    """ln E[g(u)] and ln Var g(u)."""

    log_mean: Result
    log_variance: Result


class LogMomentsGrad(NamedTuple):
    """ln E[g(u)] and ln Var g(u) with their derivatives in gamma and xi2."""

    log_mean: Result
    log_variance: Result
    dlog_mean_dgamma: Result
    dlog_mean_dxi2: Result
    dlog_variance_dgamma: Result
    dlog_variance_dxi2: Result


class ParameterGrad(NamedTuple):
    """Derivatives of E[g(u)], E[g(u)²] and Var g(u) in one parameter."""

    dmean: Result
    dsecond: Result
    dvariance: Result


class Certificate(NamedTuple):
    """The result of checking a derivation.

    `steps` is how many steps were applied again, `heat_terms` how many terms of ∂M/∂ξ² = ½ ∂²M/∂γ² were compared, and
    `limits` are the limits for ξ² → 0 between the knots from left to right: the powers of the pieces, as they must be.
    """

    steps: int
    heat_terms: int
    limits: tuple[str, ...]


class Function:
    """A piecewise polynomial g with the moments of g(u) for u ~ N(gamma, xi2).

    `derive` makes one from a text. `gamma` is the mean of the pre-activation and `xi2` its variance, not its standard
    deviation. Arrays broadcast; float32 stays float32 and is right to its last digits, all else is computed in float64. xi2 = 0 gives the
    limits, and xi2 < 0 or NaN gives NaN. Values of declared parameters are given by name, and those
    whose names are taken as `parameters={"out": 0.1}`.

    The moments are those of Jankowiak, "Closed Form Variational Objectives For Bayesian Neural Networks with a Single
    Hidden Layer", Eq. 9, with gamma and xi2 of Eq. 12.
    """

    __slots__ = ("__weakref__", "_names", "_native", "_text")

    _native: core.Function
    #: What `derive` makes it of again.
    _text: str
    _names: tuple[str, ...]

    def __init__(self, text: str, _native: core.Function | None = None) -> None:
        self._native = core.Function(text) if _native is None else _native
        self._text = text
        self._names = self._native.parameters

    # What it is.

    @property
    def name(self) -> str:
        """The name of the declaration; `g` for a bare expression."""
        return self._native.name

    @property
    def declaration(self) -> str:
        """The declaration on one line, in normal form; `derive` reads it."""
        return self._native.declaration

    @property
    def docs(self) -> str:
        """The documentation of the declaration: for the library, where the activation comes from."""
        return self._native.docs

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the declared parameters, in their order."""
        return self._names

    @property
    def conditions(self) -> tuple[str, ...]:
        """The declared domains and relations of the parameters."""
        return tuple(self._native.conditions)

    @property
    def degree(self) -> int:
        """The highest degree of a piece."""
        return self._native.degree

    @property
    def is_nonnegative(self) -> bool:
        """Whether g(x) ≥ 0 is proved for every x and all declared values of the parameters."""
        return self._native.is_nonnegative

    def knots(self, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> tuple[float, ...]:
        """The places where one piece ends and the next begins, ascending."""
        return tuple(self._native.knots(self._values(values, parameters)))

    def is_compiled(self, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> bool:
        """Whether the kernels are those of a compiled type of the library, which some functions are faster with."""
        return self._native.is_compiled(self._values(values, parameters))

    def __repr__(self) -> str:
        return f"gaussform.derive({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return self.declaration == other.declaration if isinstance(other, Function) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.declaration)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return derive, (self._text,)

    def _values(self, given: Mapping[str, float], more: Mapping[str, float] = NONE) -> list[float]:
        """The values of the parameters in their order, from keyword arguments and from the mapping beside them."""
        names = self._names
        if more:
            given = joined(given, more)
        if not names and not given:
            return []
        unknown = [name for name in given if name not in names]
        if unknown:
            declared = ", ".join(self.conditions) or "none"
            raise ParameterError(f"`{self.name}` has no parameter `{unknown[0]}`; declared: {declared}")
        missing = [name for name in names if name not in given]
        if missing:
            declared = ", ".join(self.conditions)
            advice = f'; parameters={{"{missing[0]}": …}} gives it, since the keyword means something else' if missing[0] in _TAKEN else ""
            raise ParameterError(f"`{self.name}` needs a value of `{missing[0]}`; declared: {declared}{advice}")
        return [_number(name, given[name]) for name in names]

    # Numbers.

    def __call__(self, x: ArrayLike, /, *, out: Array | tuple[Array | None] | None = None, parameters: Mapping[str, float] = NONE, **values: float) -> Result:
        """g(x), element by element: an array of the shape of `x`.

        >>> derive("max(0, x)")(-1.0)
        np.float64(0.0)
        """
        arrays = out if out is None or isinstance(out, tuple) else (out,)
        return self._compute("value", ("x",), (x,), ("value",), arrays, self._values(values, parameters))[0]

    def moments(self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float) -> Moments:
        """E[g(u)] and Var g(u), of the shape that `gamma` and `xi2` broadcast to.

        `out` is two arrays (or None) that the results go to.

        >>> mean, variance = derive("max(0, x)").moments(0.0, 1.0)
        >>> round(float(mean), 15), round(float(variance), 15)
        (0.398942280401433, 0.340845056908105)
        """
        return Moments(*self._compute("moments", _LAW, (gamma, xi2), Moments._fields, out, self._values(values, parameters)))

    def moments_grad(self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float) -> MomentsGrad:
        """E[g(u)], Var g(u) and their derivatives in gamma and xi2: six results of the broadcast shape."""
        return MomentsGrad(*self._compute("moments_grad", _LAW, (gamma, xi2), MomentsGrad._fields, out, self._values(values, parameters)))

    def hessian(
        self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float
    ) -> MomentsHessian:
        """The second derivatives of mean and variance in gamma and xi2: six results of the broadcast shape."""
        numbers = self._values(values, parameters)

        def compute(inputs: list[Array], outputs: list[Array]) -> None:
            self._native.hessian(numbers, inputs, outputs)

        return MomentsHessian(*elementwise(_LAW, (gamma, xi2), MomentsHessian._fields, out, compute))

    def given(self, condition: str) -> Conditional:
        """This function of a pre-activation that is known to satisfy a condition, such as "x > 0" or "-1 < x and x < 1".

        >>> derive("x").given("x > 0").moments(0.0, 1.0).mean.round(12)
        np.float64(0.797884560803)
        """
        return Conditional(self, condition)

    def log_moments(self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float) -> LogMoments:
        """ln E[g(u)] and ln Var g(u), numbers also where the moments themselves underflow.

        The logarithm of the mean is for functions that are nowhere negative at these values of the parameters. It is NaN for all others,
        also where E[g(u)] is positive. The variance has a logarithm for every function.
        """
        return LogMoments(*self._compute("log_moments", _LAW, (gamma, xi2), LogMoments._fields, out, self._values(values, parameters)))

    def log_moments_grad(
        self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float
    ) -> LogMomentsGrad:
        """ln E[g(u)], ln Var g(u) and their derivatives in gamma and xi2: six results of the broadcast shape."""
        fields = LogMomentsGrad._fields
        return LogMomentsGrad(*self._compute("log_moments_grad", _LAW, (gamma, xi2), fields, out, self._values(values, parameters)))

    def parameter_grad(self, gamma: ArrayLike, xi2: ArrayLike, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> dict[str, ParameterGrad]:
        """Derivatives of E[g(u)], E[g(u)²] and Var g(u) in each declared parameter, by its name."""
        names = self._names
        fields = [f"{field}_d{name}" for name in names for field in ("dmean", "dsecond", "dvariance")]
        if not fields:
            return {}
        results = self._compute("parameter_grad", _LAW, (gamma, xi2), fields, None, self._values(values, parameters))
        return {name: ParameterGrad(*results[3 * i : 3 * i + 3]) for i, name in enumerate(names)}

    def vjp(
        self,
        gamma: ArrayLike,
        xi2: ArrayLike,
        d_mean: ArrayLike,
        d_variance: ArrayLike,
        /,
        *,
        parameters: Mapping[str, float] = NONE,
        **values: float,
    ) -> tuple[Result, Result]:
        """The cotangents of gamma and xi2 from those of mean and variance, what reverse-mode differentiation needs.

        Each has the shape of its input: what was broadcast is summed.
        """
        names = (*_LAW, "d_mean", "d_variance")
        tensors = (gamma, xi2, d_mean, d_variance)
        d_gamma, d_xi2 = self._compute("vjp", names, tensors, ("d_gamma", "d_xi2"), None, self._values(values, parameters))
        return _summed(d_gamma, np.shape(gamma)), _summed(d_xi2, np.shape(xi2))

    def _compute(
        self,
        quantity: str,
        names: tuple[str, ...],
        values: tuple[ArrayLike, ...],
        results: Any,
        out: Out,
        numbers: list[float],
    ) -> list[Result]:
        def compute(inputs: list[Array], outputs: list[Array]) -> None:
            self._native.compute(quantity, numbers, inputs, outputs)

        return elementwise(names, values, results, out, compute)

    # Derivations.

    def formula(self, quantity: Quantity = 1) -> str:
        """The equation of a moment (by its order, or "mean", "second", "variance") as text."""
        return self._native.formula(quantity)

    def latex(self, quantity: Quantity = 1) -> str:
        """The equation of a moment in LaTeX, as an `align*` environment, which stands by itself in a document."""
        return self._native.latex(quantity)

    def mathml(self, quantity: Quantity = 1) -> str:
        """The equation of a moment in MathML, which browsers set."""
        return self._native.mathml(quantity)

    def derivation(self, quantity: Quantity = 1) -> str:
        """The derivation of a moment, step by step, as text."""
        return self._native.derivation(quantity)

    def certify(self, quantity: Quantity = 2) -> Certificate:
        """Applies every step of a derivation again and checks its certificates; an exception if anything fails."""
        steps, terms, limits = self._native.certificate(quantity)
        return Certificate(steps, terms, tuple(limits))

    def emit(self, target: str) -> str:
        """Code for another project: "rust", "rust-crate", "c", "cuda", "wgsl", "numpy", "jax" or "pytorch"."""
        return self._native.emit(target)

    def page(self) -> str:
        """All that is known of the function as one file of HTML, with pictures; it needs no network."""
        return self._native.page()

    def json(self) -> str:
        """Mean, second moment and variance with their derivations as JSON; `docs/inspect.schema.json` describes it."""
        return self._native.json()

    def _repr_latex_(self) -> str:
        native = self._native
        shown = (native.definition("latex"), native.latex("mean"), native.latex("variance"))
        return "\n".join(f"$${_inside(equation)}$$" for equation in shown)

    def _repr_html_(self) -> str:
        native = self._native
        declared = ", ".join(native.conditions)
        head = f"<p><b>{native.name}</b>{', ' if declared else ''}{_escaped(declared)}</p>"
        formulas = [native.definition("mathml"), native.mathml("mean"), native.mathml("variance")]
        return f'<div style="overflow-x:auto">{head}{"".join(f"<p>{formula}</p>" for formula in formulas)}</div>'


class Conditional:
    """A function g of a pre-activation u ~ N(gamma, xi2) that is known to lie in a set A. `Function.given` makes one.

    All is right far from A too, where P(u in A) underflows. As xi2 goes to 0, the law becomes that of the point of A nearest to gamma.
    """

    __slots__ = ("_condition", "condition", "function")

    #: g.
    function: Function
    #: What is known of u, with x in its place.
    condition: str

    def __init__(self, function: Function, condition: str) -> None:
        if not isinstance(condition, str):
            raise TypeError(f'{condition!r} is no text; a condition on x is wanted, such as "x > 0"')
        self.function = function
        self.condition = condition
        self._condition = function._native.condition(condition)

    def __repr__(self) -> str:
        return f"{self.function!r}.given({self.condition!r})"

    def __reduce__(self) -> tuple[Any, tuple[Function, str]]:
        return Conditional, (self.function, self.condition)

    def moments(
        self, gamma: ArrayLike, xi2: ArrayLike, /, *, out: Out = None, parameters: Mapping[str, float] = NONE, **values: float
    ) -> ConditionalMoments:
        """P(u in A) and the moments of g(u) given that u lies in A: twelve results of the shape that `gamma` and `xi2` broadcast to.

        `gamma` and `xi2` are those of u before anything is known. Where A has probability 0 and no interval, all is NaN.
        """
        native, numbers = self.function._native, self.function._values(values, parameters)

        def compute(inputs: list[Array], outputs: list[Array]) -> None:
            native.given(numbers, self._condition, inputs, outputs)

        return ConditionalMoments(*elementwise(_LAW, (gamma, xi2), ConditionalMoments._fields, out, compute))


_LAW = ("gamma", "xi2")


def derive(text: str) -> Function:
    """The function of a text: a name of the library, an expression in x, or a declaration.

    >>> derive("hat(x) = max(0, 1 - |x|)").knots()
    (-1.0, 0.0, 1.0)

    The language is that of the command `gaussform` and of the crate's macros: `max(0, x)`, `|x|`, `clamp(x, -1, 1)`,
    `piecewise { x < 0: 0; else: x^2 }`, parameters as in `leaky(x; eps in (0, 1)) = max(eps*x, x)`. Declarations may call the
    library.

    Raises `DeclarationError`, which shows the place, if the text is not in the language or the function not in the class.
    """
    if not isinstance(text, str):
        raise TypeError(f'{text!r} is no text; a name of the library, an expression in x or a declaration is wanted, such as "max(0, x)"')
    return _derived(str(text))


@functools.lru_cache(maxsize=1024)
def _derived(text: str) -> Function:
    return Function(text)


def read(source: str | os.PathLike[str]) -> dict[str, Function]:
    """The functions of a file of declarations (`*.gf`), by their names; each may call those before it.

    Raises `DeclarationError` for the first that is wrong.
    """
    with open(source, encoding="utf-8-sig") as file:
        functions = [Function(native.declaration, native) for native in core.declarations(file.read())]
    return {function.name: function for function in functions}


def as_function(function: Function | str) -> Function:
    """A function, or that of a text."""
    return function if isinstance(function, Function) else derive(function)


def joined(given: Mapping[str, Any], more: Mapping[str, Any], name: str = "parameters") -> dict[str, Any]:
    """Values of parameters from keyword arguments and from a mapping, the argument `name`."""
    if not isinstance(more, Mapping):
        raise TypeError(f"{name} is a mapping from names to values, not {type(more).__qualname__}")
    twice = [name for name in more if name in given]
    if twice:
        raise ParameterError(f"the value of `{twice[0]}` is given twice")
    return {**given, **more}


def close_names(name: str, known: Sequence[str]) -> list[str]:
    """The names that hold this one, whatever its case and underscores, or else those spelled alike."""
    letters = _letters(name)
    return [other for other in known if letters and letters in _letters(other)] or difflib.get_close_matches(name, known)


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _number(name: str, value: Any) -> float:
    # Python makes numbers of texts, and NumPy of complex numbers.
    is_real = not isinstance(value, (str, bytes)) and getattr(getattr(value, "dtype", None), "kind", "f") not in "cSUMm"
    try:
        if is_real:
            return float(value)
    except OverflowError:
        raise ParameterError(f"the value of `{name}` is larger than any float64") from None
    except (TypeError, ValueError):
        pass
    raise ParameterError(f"the value of `{name}` is one real number, not {type(value).__qualname__}")


def _summed(array: Result, shape: tuple[int, ...]) -> Result:
    """The array in the shape of an input that was broadcast: sums along the axes that it lacks or has one element of."""
    array = np.asarray(array)
    added = tuple(range(array.ndim - len(shape)))
    stretched = tuple(
        len(added) + i for i, n in enumerate(shape) if n == 1 and array.shape[len(added) + i] != 1
    )
    total = array.sum(axis=added + stretched, keepdims=True) if added or stretched else array
    return total.reshape(shape)[()]


def _inside(equation: str) -> str:
    """A displayed equation of LaTeX as what may stand between `$$` and `$$`: without delimiters, and lines are aligned within it."""
    text = equation.strip().removeprefix("\\[").removesuffix("\\]").strip()
    return text.replace("{align*}", "{aligned}")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
