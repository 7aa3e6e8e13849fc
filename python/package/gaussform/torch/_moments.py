"""Mean and variance of an activation as functions of tensors, with every way of differentiation.

Two rules for derivatives stand side by side, since PyTorch has no one that works everywhere: `register_autograd` is what
`torch.compile` and `torch.export` see, and fails under `torch.func`; an `autograd.Function` with `jvp` and `vmap` is what
eager code and `torch.func` use, and Dynamo takes no such Function.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from .._function import NONE, Function, as_function, joined
from .._native import ParameterError
from . import _cuda  # registers the operators on CUDA tensors
from . import _operators as operators

_HALVES = (torch.float16, torch.bfloat16)
_FLOATS = (torch.float64, torch.float32, *_HALVES)


def _saved(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    *tensors, ctx.g = inputs
    ctx.save_for_backward(*tensors)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    # What has no tangent is None in `jvp`, and not zero.
    ctx.set_materialize_grads(False)
    _saved(ctx, inputs, output)
    ctx.save_for_forward(*inputs[:-1])


def _vmap(apply: Callable[[], Callable[..., Any]], tensors: int) -> staticmethod[..., Any]:
    """The rule of an operator that works element by element: batched axes go to the front, and all else broadcasts."""

    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        if in_dims[tensors] is not None:
            raise NotImplementedError("vmap over values of the parameters; call the operator for each of them")
        moved = [x.movedim(d, 0) if d is not None else x.unsqueeze(0) for x, d in zip(args[:tensors], in_dims)]
        results = apply()(*torch.broadcast_tensors(*moved), *args[tensors:])
        return results, (0,) * len(results)

    return staticmethod(rule)


def _backward(ctx: Any, d_mean: Tensor | None, d_variance: Tensor | None) -> tuple[Any, ...]:
    gamma, xi2, parameters = ctx.saved_tensors
    d_mean, d_variance = _zeros(gamma, d_mean, d_variance)
    d_gamma, d_xi2 = _pull(gamma, xi2, d_mean, d_variance, parameters, ctx.g)
    d_parameters = None
    if ctx.needs_input_grad[2]:
        # Of second order only where derivatives in the parameters are asked for twice.
        d_parameters = _pull_parameters(gamma, xi2, d_mean, d_variance, parameters, ctx.g)
    return d_gamma, d_xi2, d_parameters, None


def _zeros(like: Tensor, *tensors: Tensor | None) -> list[Tensor]:
    """Zeros in the place of what is missing."""
    return [torch.zeros_like(like) if tensor is None else tensor for tensor in tensors]


def _twice(ctx: Any, a: Tensor | None, b: Tensor | None) -> tuple[Any, ...]:
    """From cotangents (a, b) of (d_gamma, d_xi2) = Jᵀ (d_mean, d_variance): the Hessian's product, and J (a, b)."""
    gamma, xi2, d_mean, d_variance, parameters = ctx.saved_tensors
    a, b = _zeros(gamma, a, b)
    if ctx.needs_input_grad[4]:
        _no_second(ctx)
    _, _, m_g, m_x, v_g, v_x = _derivatives(gamma, xi2, parameters, "moments_grad", ctx.g)
    m_gg, m_gx, m_xx, v_gg, v_gx, v_xx = _derivatives(gamma, xi2, parameters, "moments_hessian", ctx.g)
    h_gg = d_mean * m_gg + d_variance * v_gg
    h_gx = d_mean * m_gx + d_variance * v_gx
    h_xx = d_mean * m_xx + d_variance * v_xx
    return a * h_gg + b * h_gx, a * h_gx + b * h_xx, a * m_g + b * m_x, a * v_g + b * v_x, None, None


class _Moments(torch.autograd.Function):
    @staticmethod
    def forward(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> Any:
        return torch.ops.gaussform.moments(gamma, xi2, parameters, g)

    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)  # pyright: ignore[reportAssignmentType]

    @staticmethod
    def jvp(ctx: Any, t: Tensor | None, s: Tensor | None, p: Tensor | None, _: None) -> Any:
        gamma, xi2, parameters = ctx.saved_tensors
        if p is not None and p.numel():
            raise NotImplementedError("forward mode in parameters of the activation; reverse mode has it")
        one, zero = torch.ones_like(gamma), torch.zeros_like(gamma)
        rows = [_pull(gamma, xi2, *unit, parameters, ctx.g) for unit in ((one, zero), (zero, one))]
        return tuple(_sum(a, t, b, s, zero) for a, b in rows)

    vmap = _vmap(lambda: _Moments.apply, 2)


class _Pullback(torch.autograd.Function):
    @staticmethod
    def forward(gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str) -> Any:
        return torch.ops.gaussform.moments_vjp(gamma, xi2, d_mean, d_variance, parameters, g)

    setup_context = staticmethod(_setup)
    backward = staticmethod(_twice)  # pyright: ignore[reportAssignmentType]

    @staticmethod
    def jvp(ctx: Any, t: Any, s: Any, u: Any, w: Any, p: Any, _: None) -> Any:
        """Jᵀ (u, w) and the Hessian's product with (t, s), which is symmetric."""
        if p is not None and p.numel():
            _no_second(ctx)
        gamma, xi2, _, _, parameters = ctx.saved_tensors
        t, s, u, w = _zeros(gamma, t, s, u, w)
        bent = _twice(ctx, t, s)
        pulled = _pull(gamma, xi2, u, w, parameters, ctx.g)
        return bent[0] + pulled[0], bent[1] + pulled[1]

    vmap = _vmap(lambda: _Pullback.apply, 4)


def _no_second(ctx: Any, *_: Any) -> Any:
    raise NotImplementedError("second derivatives of the moments in parameters of the activation")


class _ParameterPullback(torch.autograd.Function):
    @staticmethod
    def forward(gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str) -> Any:
        return torch.ops.gaussform.parameters_vjp(gamma, xi2, d_mean, d_variance, parameters, g)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    backward = staticmethod(_no_second)  # pyright: ignore[reportAssignmentType]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """The operator sums over its elements, so that each index of the batched axis is a call of its own."""
        rows = [[x if d is None else x.select(d, i) for x, d in zip(args, in_dims)] for i in range(info.batch_size)]
        return torch.stack([_ParameterPullback.apply(*torch.broadcast_tensors(*row[:4]), *row[4:]) for row in rows]), 0


class _Last(torch.autograd.Function):
    """Derivatives for those of second order, which have none themselves."""

    @staticmethod
    def forward(gamma: Tensor, xi2: Tensor, parameters: Tensor, quantity: str, g: str) -> Any:
        return tuple(getattr(torch.ops.gaussform, quantity)(gamma, xi2, parameters, g))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        _no_third(ctx)

    @staticmethod
    def jvp(ctx: Any, *_: Any) -> Any:
        _no_third(ctx)

    vmap = _vmap(lambda: _Last.apply, 2)


def _derivatives(gamma: Tensor, xi2: Tensor, parameters: Tensor, quantity: str, g: str) -> Any:
    if torch.compiler.is_compiling():
        return getattr(torch.ops.gaussform, quantity)(gamma, xi2, parameters, g)
    return _Last.apply(gamma, xi2, parameters, quantity, g)


def _no_third(ctx: Any, *_: Any) -> Any:
    raise NotImplementedError("third derivatives of the moments")


def _sum(a: Tensor, t: Tensor | None, b: Tensor, s: Tensor | None, zero: Tensor) -> Tensor:
    terms = [x * y for x, y in ((a, t), (b, s)) if y is not None]
    return sum(terms[1:], terms[0]) if terms else zero


def _pull(*args: Any) -> Any:
    return torch.ops.gaussform.moments_vjp(*args) if torch.compiler.is_compiling() else _Pullback.apply(*args)


def _pull_parameters(*args: Any) -> Any:
    if torch.compiler.is_compiling():
        return torch.ops.gaussform.parameters_vjp(*args)
    return _ParameterPullback.apply(*args)


operators.moments.register_autograd(_backward, setup_context=_saved)
operators.moments_vjp.register_autograd(_twice, setup_context=_saved)
operators.moments_grad.register_autograd(_no_third)
operators.moments_hessian.register_autograd(_no_third)
operators.parameters_vjp.register_autograd(_no_second, setup_context=_saved)


@torch.compiler.assume_constant_result
def _declared(f: Function | str) -> tuple[str, tuple[str, ...]]:
    """The text that names a function, and the names of its parameters."""
    function = as_function(f)
    return function._text, function._names


#: What is being transformed by `torch.func`, innermost first; not part of PyTorch's interface, so that it may not be there.
_transforms = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", None)


def _is_plain(*tensors: Tensor) -> bool:
    """Whether nothing is differentiated or transformed: then the operator alone is called, in half of the time."""
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return False
    level = getattr(torch.autograd.forward_ad, "_current_level", 0)
    return _transforms is not None and _transforms() is None and bool(level < 0)


#: The number of modes that see all that the dispatcher gets (tracers, counters), and the kinds of dispatch that a tensor asks for. Neither
#: is part of PyTorch's interface.
_modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
_kinds = getattr(torch._C, "_dispatch_keys", None)


@functools.lru_cache(maxsize=1)
def _kinds_of_card() -> int:
    """The dispatch keys of a tensor of a card that has memory of its own and is no subclass, no view of negated numbers, and nothing else."""
    with torch.inference_mode(False):
        return int(_kinds(torch.empty(0, device="cuda")).raw_repr())  # type: ignore[misc]


def _is_launched(gamma: Tensor, xi2: Tensor) -> bool:
    """Whether the kernel of a card is launched at once, where the dispatcher would add nothing but half of the time."""
    if not gamma.is_cuda or _modes is None or _kinds is None or _modes() or torch._C._get_tracing_state() is not None:
        return False
    of_card = _kinds_of_card()
    return bool(_kinds(gamma).raw_repr() == of_card and _kinds(xi2).raw_repr() == of_card)


_NO_PARAMETERS = torch.empty(0, dtype=torch.float64)


def _stacked(text: str, names: tuple[str, ...], parameters: dict[str, Any]) -> Tensor:
    """The values of the parameters in their order."""
    if not names and not parameters:
        return _NO_PARAMETERS
    unknown = [name for name in parameters if name not in names]
    if unknown:
        raise ParameterError(f"`{text}` has no parameter `{unknown[0]}`")
    missing = [name for name in names if name not in parameters]
    if missing:
        raise ParameterError(f"`{text}` needs a value of `{missing[0]}`")
    return torch.stack([_one(name, parameters[name]) for name in names])


def _one(name: str, value: Any) -> Tensor:
    """The value of a parameter as a tensor without axes."""
    try:
        tensor = value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        tensor = None
    if tensor is None or tensor.is_complex() or tensor.numel() != 1:
        kind = type(value).__qualname__ if tensor is None else f"a tensor of {tensor.dtype} and the shape {tuple(tensor.shape)}"
        raise ParameterError(f"the value of `{name}` is one real number, not {kind}")
    return tensor.to("cpu", torch.float64).reshape(())


def _tensors(gamma: Any, xi2: Any) -> tuple[Tensor, Tensor]:
    """The arguments as tensors of the type that they have together; a number takes that of the tensor beside it."""
    for name, value in (("gamma", gamma), ("xi2", xi2)):
        if not isinstance(value, (Tensor, int, float)):
            raise TypeError(f"{name} is of the type {type(value).__qualname__}; a tensor of PyTorch or a number is wanted")
    if not isinstance(gamma, Tensor) and not isinstance(xi2, Tensor):
        return torch.full((), float(gamma)), torch.full((), float(xi2))
    kind = _common(gamma, xi2)
    if kind not in _FLOATS:
        raise TypeError(f"gamma and xi2 have the type {kind}; floating numbers are wanted")
    if not isinstance(gamma, Tensor):
        return torch.full((), gamma, dtype=kind, device=xi2.device), xi2.to(kind)
    if not isinstance(xi2, Tensor):
        return gamma.to(kind), torch.full((), xi2, dtype=kind, device=gamma.device)
    return gamma.to(kind), xi2.to(kind)


def _common(*values: Tensor | float) -> torch.dtype:
    """The type of an operation on two values, as `torch.result_type` gives it, which Dynamo cannot trace.

    A number gives way to a tensor, and a tensor without axes to one with axes, unless only the one that gives way is floating.
    """
    known = [_precedence(value) for value in values]
    (low_rank, low), (high_rank, high) = sorted(known, key=lambda pair: pair[0])
    if high_rank > low_rank and high.is_floating_point and not low.is_complex:
        return high
    return torch.promote_types(low, high)


def _precedence(value: Tensor | float) -> tuple[int, torch.dtype]:
    if isinstance(value, Tensor):
        return 1 + min(value.dim(), 1), value.dtype
    if isinstance(value, bool):
        return 0, torch.bool
    return 0, torch.int64 if isinstance(value, int) else torch.get_default_dtype()


def _on_one_device(gamma: Tensor, xi2: Tensor) -> tuple[Tensor, Tensor]:
    """The tensors, of which one that is a single number of the processor goes to the other's device, as in PyTorch's own operations."""
    if gamma.device == xi2.device:
        return gamma, xi2
    if gamma.dim() == 0 and gamma.device.type == "cpu":
        return gamma.to(xi2.device), xi2
    if xi2.dim() == 0 and xi2.device.type == "cpu":
        return gamma, xi2.to(gamma.device)
    return gamma, xi2


def moments(
    gamma: Tensor | float, xi2: Tensor | float, f: Function | str, /, *, parameters: Mapping[str, float | Tensor] = NONE, **values: float | Tensor
) -> tuple[Tensor, Tensor]:
    """Mean and variance of f(u) for u ~ N(gamma, xi2), element by element; the arguments broadcast, and have one type as in PyTorch's own operations.

    Tensors of float64 and float32 keep their type; those of float16 and bfloat16 are computed in float32 and rounded once. `f` is a
    function or its text. Values of its parameters are numbers, or tensors of one element that may require gradients, given by name or
    as `parameters={"learned": 0.1}`.

    Differentiable twice in gamma and xi2, once in the parameters, in both modes; `torch.func`, `torch.compile(fullgraph=True)` and
    `torch.export` take it.
    """
    if parameters:
        values = joined(values, parameters)
    text, names = _declared(f)
    if isinstance(gamma, Tensor) and isinstance(xi2, Tensor) and gamma.dtype == xi2.dtype and gamma.dtype in _FLOATS:
        a, b = gamma, xi2
    else:
        a, b = _tensors(gamma, xi2)
    dtype = a.dtype
    if dtype in _HALVES:
        mean, variance = moments(a.float(), b.float(), f, parameters=values)
        return mean.to(dtype), variance.to(dtype)
    if a.shape != b.shape:
        a, b = torch.broadcast_tensors(*_on_one_device(a, b))
    numbers = _stacked(text, names, values)
    if torch.compiler.is_compiling():
        mean, variance = torch.ops.gaussform.moments(a, b, numbers, text)
    elif _is_plain(a, b, numbers):
        compute = _cuda.moments if _is_launched(a, b) else torch.ops.gaussform.moments
        mean, variance = compute(a, b, numbers, text)
    else:
        mean, variance = _Moments.apply(a, b, numbers, text)
    return mean, variance


class Moments(torch.nn.Module):
    """A layer that gives mean and variance of f(u) from those of its input.

    Parameters of `f` are learned: each is an `nn.Parameter` without bounds, and goes through a sigmoid or an exponential into the domain
    that is declared. Where relations are declared (`lower < upper`, `a*b < 1`), values beyond them are drawn back towards those that the declaration allows, no
    farther than to its limit, and gradients go through that. They start from the values that are given here, or else from one that satisfies the declaration. With
    `learned=False` they stay what they are.

    >>> layer = Moments("prelu", slope=0.25)
    >>> mean, variance = layer(gamma, xi2)
    """

    def __init__(
        self, f: Function | str, /, *, learned: bool = True, parameters: Mapping[str, float] = NONE, **values: float
    ) -> None:
        super().__init__()
        if not isinstance(learned, bool):
            raise TypeError(f'learned is {learned!r}; True or False is wanted, and parameters={{"learned": …}} for a parameter of that name')
        self.function = as_function(f)
        names = self.function._names
        start = dict(zip(names, self.function._native.witness))
        values = joined(values, parameters)
        unknown = [name for name in values if name not in names]
        if unknown:
            raise ParameterError(f"`{self.function.name}` has no parameter `{unknown[0]}`")
        start.update({name: float(value) for name, value in values.items()})
        self.function._native.knots([start[name] for name in names])  # refuses what is not declared
        domains = self.function._native.domains
        self._domains = dict(zip(names, domains))
        self._relations = self.function._native.relations
        for name in names:
            lower, upper, *_ = self._domains[name]
            free = torch.tensor(_freed(start[name], lower, upper), dtype=torch.float64)
            if learned:
                self.register_parameter(f"free_{name}", torch.nn.Parameter(free))
            else:
                self.register_buffer(f"free_{name}", free)

    def values(self) -> dict[str, Tensor]:
        """The values of the parameters by name, within their domains: in float64, as the operators read them, whatever the type of the layer."""
        free = [_bounded(getattr(self, f"free_{name}"), *ends) for name, ends in self._domains.items()]
        if self._relations:
            free = list(_related(torch.stack(free), self.function._native.witness, self._relations))
        return dict(zip(self._domains, free))

    def forward(self, gamma: Tensor | float, xi2: Tensor | float) -> tuple[Tensor, Tensor]:
        return moments(gamma, xi2, self.function, parameters=self.values())

    def extra_repr(self) -> str:
        return repr(self.function._text)


#: e to this is far from overflow.
_LARGEST = 700.0


def _bounded(free: Tensor, lower: float, upper: float, has_lower: bool, has_upper: bool) -> Tensor:
    """A number of the domain, of which an end may be open: what rounds to an open end becomes the number beside it."""
    free = free.double()
    if math.isinf(lower) and math.isinf(upper):
        return free
    if math.isinf(upper):
        value = lower + free.clamp(max=_LARGEST).exp()
    elif math.isinf(lower):
        value = upper - free.clamp(max=_LARGEST).exp()
    else:
        value = lower + (upper - lower) * torch.sigmoid(free)
    least = lower if has_lower else math.nextafter(lower, math.inf)
    most = upper if has_upper else math.nextafter(upper, -math.inf)
    return value.clamp(least, most)


#: A polynomial in the parameters: coefficients, and the exponent of each parameter.
_Terms = list[tuple[float, list[int]]]


def _related(values: Tensor, witness: list[float], relations: list[_Terms]) -> Tensor:
    """Values (n) that satisfy all relations: the given ones where they do, else the last on the way to them from `witness` that does.

    A relation is a polynomial, and holds where that is positive. The way is s ↦ witness + s·(values − witness). Its last s is bracketed between
    places side by side, and then between places within the bracket. Its derivative is that of an implicit function, −(∂p/∂values)/(∂p/∂s) for
    the polynomial p that is least there.
    """
    start = values.new_tensor(witness)
    way = values - start
    if all(sum(exponents) <= 1 and min(exponents) >= 0 for terms in relations for _, exponents in terms):
        # Lines along the way.
        share = ((1 - _MARGIN) / (1 - _shares(values, start, relations).clamp(max=_MARGIN))).amin()
        return _on_the_way(start, values, share)
    with torch.no_grad():
        share = _last(start, values, relations)
        steepness = _slope(_on_the_way(start, values, share), way, start, relations)
    least = _shares(_on_the_way(start, values, share), start, relations).amin()
    moved = (least - least.detach()) / steepness.clamp(max=-1e-12)
    share = share - torch.where(share < 1, moved, torch.zeros_like(moved))
    return _on_the_way(start, values, share)


def _on_the_way(start: Tensor, values: Tensor, share: Tensor) -> Tensor:
    """The place at a share of the way; the whole way ends at the values, without rounding."""
    return torch.where(share < 1, start + share * (values - start), values)


def _last(start: Tensor, values: Tensor, relations: list[_Terms]) -> Tensor:
    """The last s from 0 to 1 at which all relations hold."""
    low, width = torch.zeros_like(values[0]), torch.ones_like(values[0])
    places = torch.arange(_PLACES + 1, dtype=values.dtype, device=values.device)
    for _ in range(_ROUNDS):
        at = _on_the_way(start, values, (low + width * (places / _PLACES))[:, None])
        holds = _shares(at, start, relations).amin(0) >= _MARGIN
        last = torch.where(holds, places, torch.zeros_like(places)).amax()
        low, width = low + width * (last / _PLACES), width / _PLACES
    return low.clamp(max=1.0)


#: Places side by side, and how often a bracket is divided among as many: 64⁹ = 2⁵⁴.
_PLACES, _ROUNDS = 64, 9
#: What is left of a polynomial's value at the witness: strict relations stay strict after rounding.
_MARGIN = 1e-6


def _shares(at: Tensor, start: Tensor, relations: list[_Terms]) -> Tensor:
    """The polynomials at places (…, n), each divided by its value at the start: (relations, …)."""
    return torch.stack([_polynomial(terms, at) / _polynomial(terms, start) for terms in relations])


def _slope(at: Tensor, way: Tensor, start: Tensor, relations: list[_Terms]) -> Tensor:
    """The derivative along the way of the share that is least at a place."""
    slopes = []
    for terms in relations:
        partial = [way[i] * _polynomial(_derivative(terms, i), at) for i in range(len(way))]
        slopes.append(torch.stack(partial).sum() / _polynomial(terms, start))
    least = _shares(at, start, relations).argmin(0, keepdim=True)
    return torch.stack(slopes).gather(0, least).squeeze(0)


def _polynomial(terms: _Terms, at: Tensor) -> Tensor:
    """The value at places (…, n)."""
    total = torch.zeros_like(at[..., 0])
    for coefficient, exponents in terms:
        product = torch.full_like(total, coefficient)
        for i, k in enumerate(exponents):
            if k:
                product = product * at[..., i] ** k
        total = total + product
    return total


def _derivative(terms: _Terms, i: int) -> _Terms:
    """The derivative in the parameter of number i."""
    return [(c * k[i], [*k[:i], k[i] - 1, *k[i + 1 :]]) for c, k in terms if k[i]]


def _freed(value: float, lower: float, upper: float) -> float:
    """The number that `_bounded` makes the value of; an end of the domain is approached."""
    tiny = 1e-12
    if math.isinf(lower) and math.isinf(upper):
        return value
    if lower == upper:
        return 0.0
    if math.isinf(upper):
        return math.log(value - lower or tiny)
    if math.isinf(lower):
        return math.log(upper - value or tiny)
    below, above = (part / (upper - lower) or tiny for part in (value - lower, upper - value))
    return math.log(below) - math.log(above)
