# %% [markdown]
# # Derive a function, and inspect it
#
# `derive` takes an expression in x, or a declaration with parameters. In a notebook the last line of a cell shows the function by its formulas.

# %%
import numpy as np

import gaussform as gf

f = gf.derive("leaky(x; eps in (0, 1)) = max(eps*x, x)")
f

# %% [markdown]
# Mean and variance of f(u) for u ~ N(gamma, xi2). Arguments broadcast: here five means and one variance.

# %%
gamma = np.linspace(-2, 2, 5)
mean, variance = f.moments(gamma, 2.0, eps=0.1)
for row in zip(gamma, mean, variance):
    print("gamma {:5.1f}   mean {:.6f}   variance {:.6f}".format(*row))

# %% [markdown]
# Samples agree within their standard errors.

# %%
samples = f(gamma + np.sqrt(2.0) * np.random.default_rng(0).normal(size=(200_000, 5)), eps=0.1)
errors = (samples.mean(0) - mean) / (samples.std(0) / np.sqrt(len(samples)))
print("deviations of the samples' means, in standard errors:", errors.round(1))
assert np.abs(errors).max() < 5

# %% [markdown]
# Formulas are exact, and every step of a derivation can be checked again.

# %%
print(f.formula("mean"))
print(f.latex("mean"))
print(f.certify(2))

# %% [markdown]
# Derivatives in gamma, xi2 and the declared parameter.

# %%
gradient = f.parameter_grad(0.5, 2.0, eps=0.1)["eps"]
step = 1e-6
difference = (f.moments(0.5, 2.0, eps=0.1 + step).mean - f.moments(0.5, 2.0, eps=0.1 - step).mean) / (2 * step)
print("dE/deps", gradient.dmean, "by differences", difference)
assert abs(gradient.dmean - difference) < 1e-8

# %% [markdown]
# Far in the tail moments underflow, and their logarithms do not.

# %%
print(gf.library.relu.moments(-50.0, 1.0))
print(gf.library.relu.log_moments(-50.0, 1.0))
