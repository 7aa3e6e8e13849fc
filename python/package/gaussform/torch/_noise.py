"""Noise of a network's weights: a variance for each, and a check that every noisy weight is used, and once."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn


class NoRule(NotImplementedError):
    """A layer of the network has no rule for means and covariances."""


class WeightNoise:
    """Variances of a network's parameters.

    A rule takes its weights as independent of everything else. So a noisy weight that two layers share is refused, and so is one that no rule takes.
    """

    def __init__(self, net: nn.Module, given: float | Mapping[str, Tensor]) -> None:
        named = dict(net.named_parameters(remove_duplicate=False))
        self._names = {id(parameter): name for name, parameter in net.named_parameters()}
        self._variances: dict[int, Tensor] = {}
        self._used: set[int] = set()
        if isinstance(given, Tensor) and given.numel() == 1:
            given = given.item()
        if isinstance(given, Mapping):
            for name, variance in given.items():
                self._set(name, named, variance)
        elif not isinstance(given, numbers.Real):
            raise TypeError(
                f"weight_variance is of the type {type(given).__qualname__}; a number, or a mapping from names of parameters to tensors is wanted"
            )
        elif not (given >= 0 and math.isfinite(given)):
            raise ValueError(f"weight_variance is {given}; a number that is not negative is wanted")
        elif given > 0:
            self._variances = {id(parameter): given * parameter.detach() ** 2 for parameter in named.values()}
        self._variances = {key: variance for key, variance in self._variances.items() if bool((variance != 0).any())}

    def _set(self, name: str, named: Mapping[str, nn.Parameter], variance: Tensor) -> None:
        if name not in named:
            close = difflib.get_close_matches(name, named, 1) or sorted(named)[:1]
            advice = f"; is {close[0]!r} meant?" if close else ""
            raise ValueError(f"weight_variance names {name!r}, which is no parameter of the network{advice}")
        parameter = named[name].detach()
        try:
            variance = torch.as_tensor(variance, dtype=parameter.dtype, device=parameter.device)
        except (TypeError, ValueError):
            raise TypeError(f"weight_variance[{name!r}] is of the type {type(variance).__qualname__}; a tensor is wanted") from None
        try:
            value = variance.expand(parameter.shape)
        except RuntimeError:
            raise ValueError(
                f"weight_variance[{name!r}] has the shape {tuple(variance.shape)}; {tuple(parameter.shape)} is wanted"
            ) from None
        if not bool((value >= 0).all()):
            raise ValueError(f"weight_variance[{name!r}] is negative or not a number somewhere")
        self._variances[id(named[name])] = value

    def take(self, parameter: Tensor | None) -> Tensor | None:
        """Variances of a parameter, for the one rule that accounts for them."""
        variance = self._variances.get(id(parameter))
        if variance is not None:
            if id(parameter) in self._used:
                raise NoRule(f"{self._names[id(parameter)]} has noise and is used more than once; give weight_variance as a mapping without it")
            self._used.add(id(parameter))
        return variance

    def check(self, where: str, parameters: Iterable[Tensor], has_rule: bool = True) -> None:
        """Refuses noise of the parameters of a layer that its rule did not take, or of all that has no rule."""
        for parameter in parameters:
            if id(parameter) in self._variances and not (has_rule and id(parameter) in self._used):
                name = self._names[id(parameter)]
                raise NoRule(f"{where}: no rule for noise of {name}; give weight_variance as a mapping without it")
