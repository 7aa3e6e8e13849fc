"""A layer of hard tanh units whose weights are noisy: exact moments beside a simulation.

gaussform emit 'hard_tanh(x) = clamp(x, -1, 1)' --target numpy --out examples/emit/hard_tanh.py
"""

import hard_tanh
import numpy as np

rng = np.random.default_rng(0)
inputs = rng.normal(size=(4, 16))
weights = rng.normal(size=(16, 3)) / 4
spread = 0.2  # standard deviation of each weight

# The pre-activation is Normal, with these moments for each input and unit.
gamma = inputs @ weights
xi2 = np.square(inputs) @ np.full(weights.shape, spread**2)
mean, variance = hard_tanh.moments(gamma, xi2)

draws = weights + spread * rng.normal(size=(100_000, 16, 3))
outputs = np.clip(np.einsum("bi,niu->nbu", inputs, draws), -1, 1)
print("largest difference of the means    ", f"{abs(mean - outputs.mean(0)).max():.1e}")
print("largest difference of the variances", f"{abs(variance - outputs.var(0)).max():.1e}")
