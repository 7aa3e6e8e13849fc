# %% [markdown]
# # From a table to calibrated predictions
#
# `GaussformRegressor` is an estimator of scikit-learn. Every prediction has a standard deviation, and intervals that keep what they promise.

# %%
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from gaussform.sklearn import GaussformRegressor

x, y = load_diabetes(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, random_state=0)

# %% [markdown]
# A fifth of the training rows is held out to calibrate.

# %%
model = GaussformRegressor(max_iter=300, calibration_fraction=0.2, random_state=0).fit(x_train, y_train)
mean, sd = model.predict(x_test, return_std=True)
print(f"root mean squared error {np.sqrt(np.mean((mean - y_test) ** 2)):.1f}, of the mean alone {y_test.std():.1f}")

# %% [markdown]
# Of 133 patients who were not seen, about 80 % lie within the intervals of 80 %.

# %%
lower, upper = model.predict_interval(x_test, coverage=0.8).T
inside = np.mean((lower <= y_test) & (y_test <= upper))
print(f"{inside:.0%} of {len(y_test)} rows are within the intervals of 80 %")
assert 0.68 < inside < 0.92

# %% [markdown]
# Which part of the doubt would more rows take away?

# %%
parts = model.predict_parts(x_test)
print(f"variance: {parts.weights.mean():.0f} by the weights, {parts.noise.mean():.0f} by noise")
