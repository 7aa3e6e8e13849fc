"""Mean and variance through two layers with Gaussian weights, and gradients through both.

gaussform emit 'leaky(x; eps in (0, 1)) = max(eps * x, x)' --target jax --out examples/emit/leaky.py
"""

import jax
import jax.numpy as jnp
import leaky


def dense(layer, mean, variance):
    """The moments of the pre-activations of independent inputs and weights."""
    weights, spread = layer["mean"], jnp.square(layer["deviation"])
    gamma = mean @ weights
    xi2 = variance @ (jnp.square(weights) + spread) + jnp.square(mean) @ spread
    return gamma, xi2


def network(parameters, inputs):
    mean, variance = inputs, jnp.zeros_like(inputs)
    for layer in parameters["layers"][:-1]:
        gamma, xi2 = dense(layer, mean, variance)
        eps = jax.nn.sigmoid(parameters["logit"])  # within the declared domain
        mean, variance = leaky.moments(gamma, xi2, eps=eps)
    return dense(parameters["layers"][-1], mean, variance)


@jax.jit
def loss(parameters, inputs, targets):
    mean, variance = network(parameters, inputs)
    # The expected squared error of a prediction.
    return jnp.mean(jnp.square(mean - targets) + variance)


keys = jax.random.split(jax.random.key(0), 4)
sizes = [(2, 32), (32, 32), (32, 1)]
parameters = {
    "logit": jnp.asarray(-2.0),
    "layers": [
        {"mean": jax.random.normal(key, size) / size[0] ** 0.5, "deviation": jnp.full(size, 0.05)}
        for key, size in zip(keys, sizes)
    ],
}
inputs = jax.random.normal(keys[3], (256, 2))
targets = jnp.sin(inputs[:, :1]) * inputs[:, 1:]

step = jax.jit(jax.value_and_grad(loss))
for i in range(301):
    value, slope = step(parameters, inputs, targets)
    parameters = jax.tree.map(lambda p, g: p - 0.1 * g, parameters, slope)
    if i % 100 == 0:
        print(f"step {i:3}: loss {value:.4f}, eps {jax.nn.sigmoid(parameters['logit']):.4f}")
