"""Networks that several tests use."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn


class Of(nn.Module):
    """A module of a function of tensors."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)
