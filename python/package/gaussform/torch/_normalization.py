"""Normalisation of groups of units, linearised around the mean of its input.

    y = (x − m)/s,   m the mean of a group, or 0 without centring,   s² the mean of (x − m)², and ε
    covariances      J C Jᵀ,   J v = (v − c mean(v) − y mean(y v))/s,   c = 1, or 0 without centring
    variances        Σⱼ Jᵢⱼ² vⱼ = (vᵢ (1 − 2 (c + yᵢ²)/n) + Σⱼ (c + yᵢ yⱼ)² vⱼ/n²)/s² of n independent units
"""

from __future__ import annotations

import torch
from torch import Tensor


class Normalized:
    """Groups of `size` units that follow each other, of which `mean` is (batch, …)."""

    def __init__(self, mean: Tensor, size: int, eps: float, is_centred: bool) -> None:
        self.shape, self.size, self.centring = mean.shape, size, 1.0 if is_centred else 0.0
        groups = self._groups(mean)
        groups = groups - self.centring * groups.mean(-1, keepdim=True)
        self.root = torch.sqrt((groups**2).mean(-1, keepdim=True) + eps)
        self.value = groups / self.root

    def _groups(self, units: Tensor) -> Tensor:
        """(batch, groups, size)."""
        return units.reshape(len(units), -1, self.size)

    def moved(self, vectors: Tensor) -> Tensor:
        """J v for (batch, rows, *units)."""
        v = vectors.reshape(*vectors.shape[:2], -1, self.size)
        y = self.value.unsqueeze(1)
        moved = (v - self.centring * v.mean(-1, keepdim=True) - y * (y * v).mean(-1, keepdim=True)) / self.root.unsqueeze(1)
        return moved.reshape(vectors.shape)

    def variances(self, variance: Tensor) -> Tensor:
        """Those of the outputs, from those of independent units (batch, …)."""
        v, y, c = self._groups(variance), self.value, self.centring
        sums = (c * v.sum(-1, keepdim=True), 2 * c * y * (y * v).sum(-1, keepdim=True), y**2 * (y**2 * v).sum(-1, keepdim=True))
        result = (v * (1 - 2 * (c + y**2) / self.size) + sum(sums) / self.size**2) / self.root**2
        return result.clamp(min=0).reshape(self.shape)
