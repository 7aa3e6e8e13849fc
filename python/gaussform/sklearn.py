"""Bayesian neural networks as estimators of scikit-learn: predictions with honest uncertainty, trained without sampling.

    >>> model = gaussform.sklearn.GaussformRegressor(random_state=0).fit(X, y)
    >>> mean, std = model.predict(X, return_std=True)

The networks are those of the command `gaussform-bnn`: moments go through every layer in closed form, so that neither training nor
prediction draws samples (but for the methods "varout" and "bbb"). Estimators are cloned, pickled, searched and put into pipelines as any
other.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _native

if not hasattr(_native, "Network"):
    raise ImportError(
        "this build of gaussform has no networks; install it with "
        "python -m pip install ./python --config-settings=build-args='--features networks'"
    )

Floats = NDArray[np.float64]

#: The note of a file that has what scikit-learn needs besides the network.
_NOTE = "sklearn"


class Parts(NamedTuple):
    """Where the variance of a prediction comes from, each of the shape of the mean.

    `weights` is the doubt about the weights, which more data would take away; `noise` is what the inputs do not explain.
    """

    weights: Floats
    noise: Floats


class _Options(NamedTuple):
    method: str
    hidden: list[int]
    activation: str
    epochs: int
    batch: int | None
    learning_rate: float | None
    prior: float | None
    initial_sd: float | None
    validation: float | None
    seed: int


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What both estimators have in common."""

    network_: _native.Network
    n_features_in_: int

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] | int = (50,),
        activation: str = "relu",
        *,
        method: str = "nnvi",
        max_iter: int = 1000,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        prior_precision: float | None = None,
        initial_sd: float | None = None,
        validation_fraction: float | None = None,
        calibration_fraction: float | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.method = method
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.prior_precision = prior_precision
        self.initial_sd = initial_sd
        self.validation_fraction = validation_fraction
        self.calibration_fraction = calibration_fraction
        self.random_state = random_state
        self.verbose = verbose

    def _trained(self, X: Floats, y: Any, take: Callable[[Any, NDArray[np.intp]], Any]) -> None:
        """Trains the network, less the rows that calibrate it; `take` gives some rows of the targets."""
        random = check_random_state(self.random_state)
        seed = int(random.randint(2**31 - 1))
        sizes = self.hidden_layer_sizes
        options = _Options(
            method=self.method,
            hidden=[_count("hidden_layer_sizes", size) for size in ([sizes] if isinstance(sizes, (int, np.integer)) else sizes)],
            activation=self.activation,
            epochs=_count("max_iter", self.max_iter),
            batch=None if self.batch_size is None else _count("batch_size", self.batch_size),
            learning_rate=self.learning_rate,
            prior=self.prior_precision,
            initial_sd=self.initial_sd,
            validation=self.validation_fraction,
            seed=seed,
        )
        held: NDArray[np.intp] = np.empty(0, np.intp)
        used = np.arange(len(X))
        if self.calibration_fraction is not None:
            count = round(self.calibration_fraction * len(X))
            if not 0 < count < len(X):
                raise ValueError(
                    f"calibration_fraction is {self.calibration_fraction}, which is {count} of {len(X)} rows; some must calibrate, and some train"
                )
            order = random.permutation(len(X))
            held, used = np.sort(order[:count]), np.sort(order[count:])
        progress = _shown if self.verbose else None
        network = _native.Network.fit(X[used], take(y, used), options, progress)
        if len(held):
            network = network.calibrated(X[held], take(y, held))
        self.network_ = network
        self.n_iter_ = self.max_iter

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        checked: Floats = np.ascontiguousarray(validate_data(self, X, reset=False, dtype=np.float64))
        return checked

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted estimator as a file of safetensors, in the format of the command `gaussform-bnn`."""
        check_is_fitted(self)
        note = {"params": self.get_params(), "n_features_in": self.n_features_in_, **self._note()}
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            note["feature_names_in"] = [str(name) for name in names]
        contents = self.network_.to_bytes({_NOTE: json.dumps(note, default=_plain)})
        whole = f"{os.fspath(path)}.part"
        with open(whole, "wb") as file:
            file.write(contents)
        os.replace(whole, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """The estimator of a file that `save` wrote."""
        with open(path, "rb") as file:
            contents = file.read()
        # The activation is known once the note is read, and the note by any.
        header = json.loads(contents[8 : 8 + int.from_bytes(contents[:8], "little")])
        note = _find_note(header)
        estimator = cls(**note["params"])
        estimator.network_ = _native.Network.from_bytes(contents, note["params"]["activation"])[0]
        estimator.n_features_in_ = note["n_features_in"]
        estimator.n_iter_ = estimator.max_iter
        if "feature_names_in" in note:
            estimator.feature_names_in_ = np.array(note["feature_names_in"], object)
        estimator._restore(note)
        return estimator

    def _note(self) -> dict[str, Any]:
        raise NotImplementedError

    def _restore(self, note: dict[str, Any]) -> None:
        raise NotImplementedError


class GaussformRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    """A Bayesian neural network that predicts numbers, each with its standard deviation.

    Parameters
    ----------
    hidden_layer_sizes : sizes of the hidden layers.
    activation : one of the library without parameters, `prelu` (its slope is learned), or any text that `gaussform.derive` takes.
    method : "nnvi" (moments are matched, Roth and Pernkopf), "cf" (exact for one hidden layer, Jankowiak), "dvi" (noise that depends on the
        input, Wu et al. 2019), "vbp" (Haußmann et al.), "varout" and "bbb" (these sample).
    max_iter : how often training goes through the rows.
    batch_size : how many rows make a batch; 1024, if not given.
    learning_rate : Adam's step size at the start; what suits the method, if not given.
    prior_precision : the precision of the Normal prior on every weight; 10, if not given.
    initial_sd : the standard deviation that every weight begins with; 0.1, if not given.
    validation_fraction : the share of the rows that decides when to stop; all epochs are done, if not given.
    calibration_fraction : the share of the rows that is held out to calibrate `predict_interval`; none, if not given.
    random_state : seed of first weights, batches, samples and held-out rows.
    verbose : whether progress is shown on standard error.

    Inputs and targets are standardised inside. `y` may have several columns.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussformRegressor:
        """Trains on rows of inputs (n, features) and targets (n,) or (n, targets)."""
        X, y = validate_data(self, X, y, y_numeric=True, multi_output=True, dtype=np.float64)
        targets = np.ascontiguousarray(y, np.float64)
        self._is_flat = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        self.n_outputs_ = targets.shape[1]
        self._trained(np.ascontiguousarray(X), targets, lambda y, rows: np.ascontiguousarray(y[rows]))
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predictive means (n,) or (n, targets); with `return_std`, also the standard deviations."""
        checked = self._checked(X)
        mean, below, last, noise = self.network_.predict(checked)
        if return_std:
            return self._shaped(mean), self._shaped(np.sqrt(below + last + noise))
        return self._shaped(mean)

    def predict_parts(self, X: ArrayLike) -> Parts:
        """Where the variance of each prediction comes from: the weights, or the noise."""
        checked = self._checked(X)
        _, below, last, noise = self.network_.predict(checked)
        return Parts(self._shaped(below + last), self._shaped(noise))

    def predict_quantiles(self, X: ArrayLike, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> Floats:
        """The numbers that a target is below with these probabilities: (n, quantiles), or (n, targets, quantiles)."""
        checked = self._checked(X)
        wanted = [float(q) for q in quantiles]
        if not all(0 < q < 1 for q in wanted):
            raise ValueError(f"quantiles are {wanted}; they lie between 0 and 1, both excluded")
        columns = self.network_.quantiles(checked, wanted)
        return np.stack([self._shaped(column) for column in columns], axis=-1)

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9, calibrated: bool | None = None) -> Floats:
        """Intervals that hold a target with probability `coverage`: (n, 2), or (n, targets, 2).

        With `calibrated`, the promise holds whatever the distribution is, if held-out and later rows are exchangeable (split-conformal
        prediction, Lei et al. 2018); that needs `calibration_fraction`. Without it, the intervals are those of the predictive Normal.
        By default they are calibrated where the network was.
        """
        checked = self._checked(X)
        if not 0 < coverage < 1:
            raise ValueError(f"coverage is {coverage}; it lies between 0 and 1, both excluded")
        if calibrated is None:
            calibrated = self.network_.is_calibrated
        if not calibrated:
            return self.predict_quantiles(X, [(1 - coverage) / 2, (1 + coverage) / 2])
        if not self.network_.is_calibrated:
            raise ValueError("no rows were held out to calibrate; give calibration_fraction, such as 0.2, and fit again")
        ends = self.network_.intervals(checked, float(coverage))
        return np.stack([self._shaped(end) for end in ends], axis=-1)

    def _shaped(self, values: Floats) -> Floats:
        return values[:, 0] if self._is_flat else values

    def _note(self) -> dict[str, Any]:
        return {"is_flat": self._is_flat, "n_outputs": self.n_outputs_}

    def _restore(self, note: dict[str, Any]) -> None:
        self._is_flat, self.n_outputs_ = note["is_flat"], note["n_outputs"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class GaussformClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """A Bayesian neural network that predicts the probabilities of classes.

    The parameters are those of `GaussformRegressor`, less the methods "cf" and "dvi"; the precision of the prior is 1, if it is not given.
    """

    classes_: NDArray[Any]

    def fit(self, X: ArrayLike, y: ArrayLike) -> GaussformClassifier:
        """Trains on rows of inputs (n, features) and labels (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"this classifier needs samples of at least 2 classes, but the data contains only one class: {self.classes_[0]!r}"
            )
        names = [str(name) for name in self.classes_]
        self._trained(np.ascontiguousarray(X), codes, lambda y, rows: (y[rows].tolist(), names))
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class: (n, classes), in the order of `classes_`."""
        checked = self._checked(X)
        return self.network_.probabilities(checked)[0]

    def predict_information(self, X: ArrayLike) -> Floats:
        """How much the weights do not know of each class, in nats: the mutual information of class and weights, (n,)."""
        checked = self._checked(X)
        return self.network_.probabilities(checked)[1]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class of each row."""
        check_is_fitted(self)
        best: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return best

    def _note(self) -> dict[str, Any]:
        return {"classes": self.classes_.tolist()}

    def _restore(self, note: dict[str, Any]) -> None:
        self.classes_ = np.array(note["classes"])


def _count(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} has {value!r}; whole numbers from 1 on are wanted")
    return int(value)


def _restored(contents: bytes, activation: str) -> _native.Network:
    """What pickling makes a network of again."""
    return _native.Network.from_bytes(contents, activation)[0]


def _shown(epoch: int, epochs: int, bound: float) -> None:
    if epoch == epochs or epoch % max(1, epochs // 100) == 0:
        end = "\n" if epoch == epochs else ""
        print(f"\repoch {epoch} of {epochs}, bound {bound:.1f}", end=end, file=sys.stderr, flush=True)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written to a file; give a number in its place")


def _find_note(header: dict[str, Any]) -> dict[str, Any]:
    """The note of `save` among the metadata of a file of safetensors."""
    for text in header.get("__metadata__", {}).values():
        try:
            description = json.loads(text)
        except ValueError:
            continue
        notes = description.get("notes", description) if isinstance(description, dict) else {}
        if _NOTE in notes:
            note: dict[str, Any] = json.loads(notes[_NOTE])
            return note
    raise ValueError("the file was not written by an estimator's `save`")
