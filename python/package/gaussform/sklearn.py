"""Bayesian neural networks as estimators of scikit-learn: predictions with honest uncertainty.

    >>> model = gaussform.sklearn.GaussformRegressor(random_state=0).fit(X, y)
    >>> mean, std = model.predict(X, return_std=True)

The networks are those of the command `gaussform-bnn`, with its options and defaults: moments go through every layer in closed form, so
that neither training nor prediction draws samples (but for the methods "varout" and "bbb"). `X` is an array of numbers, or a frame of
pandas or Polars whose columns are read as the command reads those of a file: numbers, dates, words, with missing cells. Files of models
are the command's. Estimators are cloned, pickled, searched and put into pipelines as any other.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, validate_data

from . import _native
from ._arrays import contiguous
from ._function import Function, close_names

Floats = NDArray[np.float64]
#: Names with numbers (NaN where they are missing), or texts (None where they are missing).
Columns = list[tuple[str, Union[Floats, list[Union[str, None]]]]]

#: The note of a file that has what scikit-learn needs besides the model.
_NOTE = "sklearn"


class Parts(NamedTuple):
    """Where the variance of a prediction comes from, each of the shape of the mean.

    `weights` is the doubt about the weights, which more data would take away; `noise` is what the inputs do not explain.
    """

    weights: Floats
    noise: Floats


_PARAMETERS = """
    Parameters
    ----------
    hidden_layer_sizes : sizes of the hidden layers, or of the one.
    activation : a name of the library, "prelu" (its slope is learned), or any function or text of `gaussform.derive` without parameters.
    method : {methods}
    max_iter : how often training goes through the rows; {epochs}
    batch_size : how many rows make a batch; 1024, if not given.
    learning_rate : Adam's step size at the start; what suits the method, if not given.
    prior_precision : the precision of a Normal prior on every weight. If not given, the weights from each input have a variance of their
        own, which is learned (relevance), for nnvi, and {prior} for the others.
    initial_sd : the standard deviation that every weight begins with; 0.1, if not given.
    n_members : how many models are trained from different seeds; their predictions are mixed.
    validation_fraction : the share of the rows that decides when to stop; all epochs are done, if not given.
    calibration_fraction : the share of the rows that is held out to calibrate predictions; none, if not given.{more}
    options : further options of `gaussform-bnn train` by their names, such as {{"fill": "mean", "words": ["zip"]}}.
    random_state : seed of first weights, batches, samples and held-out rows; a whole number is the command's `--seed`.
    verbose : whether progress is shown on standard error.
"""


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """The base of both estimators."""

    model_: _native.TableModel
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    hidden_layer_sizes: Sequence[int] | int
    activation: Function | str
    method: str
    max_iter: int | None
    batch_size: int | None
    learning_rate: float | None
    prior_precision: float | None
    initial_sd: float | None
    n_members: int
    validation_fraction: float | None
    calibration_fraction: float | None
    options: Mapping[str, Any] | None
    random_state: Any
    verbose: bool

    def _inputs(self, X: Any, reset: bool) -> Columns:
        """The columns of `X`, which has been validated: under its names, or under those of training."""
        names: list[str] | None = getattr(self, "_names", None)
        if _is_frame(X):
            columns = _columns(X)
            if reset or names is None or hasattr(self, "feature_names_in_"):
                return columns
            # Trained on an array: columns are taken in their order, as other estimators take them.
            return [(name, values) for name, (_, values) in zip(names, columns)]
        if reset:
            names = [f"x{i}" for i in range(X.shape[1])]
        if names is None:
            raise ValueError("the model was not trained by this class; give a frame with the columns of its table")
        return [(name, contiguous(X[:, i])) for i, name in enumerate(names)]

    def _asked(self, X: Any) -> Columns:
        """The columns of rows to predict."""
        check_is_fitted(self)
        if _is_frame(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            if _num_samples(X) == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        else:
            X = _of_numbers(lambda given: validate_data(self, given, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"), X)
        return self._inputs(X, reset=False)

    def _fit(self, X: Any, y: list[tuple[str, Any]], kind: str, sample_weight: Any, held: Callable[[Any, float], Any]) -> None:
        """Trains on `X`, which has been validated, and the columns `y`, which are read as `kind`.

        `held` takes the numbers of the rows and a share, and says which rows calibrate the model.
        """
        columns = self._inputs(X, reset=True)
        self._names = [name for name, _ in columns]
        arguments = self._arguments([name for name, values in columns if isinstance(values, np.ndarray)], _categories(X) if _is_frame(X) else [])
        taken = {name.strip() for name in self._names}
        targets: Columns = []
        for name, values in y:
            name = _fresh(name, taken)
            targets.append((name, values))
            arguments.append(f"--{kind}={name}")
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        arguments.append(f"--seed={int(seed)}")
        table = [*columns, *targets]
        rows = np.arange(_num_samples(X))
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            rows = rows[weights > 0]
            if not len(rows):
                raise ValueError("every sample weight is 0; some row must count")
            name = _fresh("sample_weight", taken)
            table.append((name, weights))
            arguments.append(f"--weight={name}")
        calibrating = np.empty(0, np.intp)
        share = _positive("calibration_fraction", self.calibration_fraction, below=1.0)
        if share is not None:
            calibrating = held(rows, share)
            rows = np.setdiff1d(rows, calibrating)
        model, notes, epochs = _native.TableModel.fit(
            _taken(table, rows),
            [name for name, _ in targets],
            _text(self.activation),
            arguments,
            _shown if self.verbose else None,
        )
        _warn(notes)
        if len(calibrating):
            model = model.calibrated(_taken([*columns, *targets], calibrating))
        self.model_ = model
        if epochs:
            self.n_iter_ = epochs

    def _arguments(self, numbers: Sequence[str], words: Sequence[str]) -> list[str]:
        """The options of the command, for columns of these names that are numbers or words whatever their values look like.

        What `options` says of a column counts first.
        """
        options = _options(self.options)
        named = {name for option in ("words", "numbers", "ignore") for name in _items(options.get(option, ()))}
        given = {
            "hidden": ",".join(str(size) for size in _sizes(self.hidden_layer_sizes)),
            "method": self.method,
            "epochs": None if self.max_iter is None else _count("max_iter", self.max_iter),
            "batch": None if self.batch_size is None else _count("batch_size", self.batch_size),
            "learning-rate": _positive("learning_rate", self.learning_rate),
            "prior": _positive("prior_precision", self.prior_precision),
            "initial-sd": _positive("initial_sd", self.initial_sd),
            "members": _count("n_members", self.n_members),
            "validation": _positive("validation_fraction", self.validation_fraction, below=1.0),
        }
        for name in options:
            if given.get(name) is not None:
                raise ValueError(f"options names {name!r}, which a parameter of the estimator says already")
        columns = {kind: [name for name in (n.strip() for n in names) if name and name not in named] for kind, names in (("numbers", numbers), ("words", words))}
        arguments: list[str] = []
        for name, value in [*given.items(), *columns.items(), *options.items()]:
            option = f"--{name}"
            if isinstance(value, Mapping):
                arguments += [f"{option}={key}={item}" for key, item in value.items()]
            elif value is True:
                arguments.append(option)
            elif value is not None and value is not False:
                arguments += [f"{option}={item}" for item in _items(value)]
        return arguments

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted estimator as a file of safetensors, which the command `gaussform-bnn` reads too."""
        check_is_fitted(self)
        random_state = self.random_state if isinstance(self.random_state, (int, np.integer)) else None
        params = {name: _plain(value) for name, value in self.get_params().items() if name not in ("activation", "random_state")}
        params |= {"random_state": None if random_state is None else int(random_state), "activation": _text(self.activation)}
        note = {"params": params, "names": getattr(self, "_names", None), **self._note()}
        names = getattr(self, "feature_names_in_", None)
        note["feature_names_in"] = None if names is None else [str(name) for name in names]
        self.model_.save(os.fspath(path), {_NOTE: json.dumps(note)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """The estimator of a file that `save` or `gaussform-bnn train` wrote; one of the command is asked with frames."""
        with open(path, "rb") as file:
            model, notes = _native.TableModel.from_bytes(os.fspath(path), file.read())
        if (model.classes is None) != issubclass(cls, GaussformRegressor):
            kind, other = ("numbers", "GaussformRegressor") if model.classes is None else ("classes", "GaussformClassifier")
            raise ValueError(f"{os.fspath(path)} predicts {kind}; {other}.load reads it")
        note: dict[str, Any] = json.loads(notes.get(_NOTE, "{}"))
        estimator = cls(**note.get("params", {}))
        estimator.model_ = model
        names, features = note.get("names"), note.get("feature_names_in")
        if names is not None:
            estimator._names = names
            estimator.n_features_in_ = len(names)
        if features is not None:
            estimator.feature_names_in_ = np.array(features, object)
        estimator._restore(note)
        return estimator

    def _note(self) -> dict[str, Any]:
        raise NotImplementedError

    def _restore(self, note: dict[str, Any]) -> None:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class GaussformRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    __doc__ = "A Bayesian neural network that predicts numbers, each with its distribution.\n" + _PARAMETERS.format(
        methods='"nnvi" (moments are matched, Roth and Pernkopf), "cf" (exact for one hidden layer, Jankowiak), "dvi" (covariances, Wu '
        'et al. 2019), "vbp" (Haußmann et al.), "varout" and "bbb" (these sample), "pbp" (row by row), "vrelunet". The samples of varout are those '
        'of places in a table: a prediction depends on the place of its row and on the number of rows.',
        epochs="1000, if not given, and fewer for tables of more than 10 batches.",
        prior="10",
        more='\n    noise : "normal", "by-input" or "student"; by input for nnvi and dvi and normal else, if not given.'
        '\n    target_transform : "auto", "log", "asinh", "quantile" or "none": what is learned of the targets.',
    )

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] | int = (50,),
        activation: Function | str = "relu",
        *,
        method: str = "nnvi",
        noise: str | None = None,
        target_transform: str = "auto",
        max_iter: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        prior_precision: float | None = None,
        initial_sd: float | None = None,
        n_members: int = 1,
        validation_fraction: float | None = None,
        calibration_fraction: float | None = None,
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.method = method
        self.noise = noise
        self.target_transform = target_transform
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.prior_precision = prior_precision
        self.initial_sd = initial_sd
        self.n_members = n_members
        self.validation_fraction = validation_fraction
        self.calibration_fraction = calibration_fraction
        self.options = options
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> GaussformRegressor:
        """Trains on rows of inputs (n, features) and targets (n,) or (n, targets).

        A row counts as often as its `sample_weight` (n,) says; rows of weight 0 are left out.
        """
        names = _names_of(y)
        _check_targets(y)
        if _is_frame(X):
            validate_data(self, X, y, skip_check_array=True)
            y = check_array(y, dtype="float64", ensure_2d=False, estimator=self, input_name="y")
            check_consistent_length(X, y)
        else:
            settings: dict[str, Any] = {"y_numeric": True, "multi_output": True, "dtype": np.float64, "ensure_all_finite": "allow-nan"}
            X, y = _of_numbers(lambda given: validate_data(self, given, y, ensure_min_samples=2, **settings), X)
        targets = np.asarray(y, np.float64)
        self._is_flat = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        self.n_outputs_ = targets.shape[1]
        if names is None or len(names) != self.n_outputs_:
            names = ["y"] if self.n_outputs_ == 1 else [f"y{i}" for i in range(self.n_outputs_)]
        random = check_random_state(self.random_state)

        def held(rows: NDArray[np.intp], share: float) -> NDArray[np.intp]:
            count = round(share * len(rows))
            if not 0 < count < len(rows):
                raise ValueError(
                    f"calibration_fraction is {share}, which is {count} of {len(rows)} rows; some must calibrate, and some train"
                )
            return np.sort(random.permutation(rows)[:count])

        columns = [(name, contiguous(targets[:, i])) for i, name in enumerate(names)]
        self._fit(X, columns, "numbers", sample_weight, held)
        return self

    def _arguments(self, numbers: Sequence[str], words: Sequence[str]) -> list[str]:
        arguments = super()._arguments(numbers, words)
        arguments.append(f"--target-transform={self.target_transform}")
        return arguments if self.noise is None else [*arguments, f"--noise={self.noise}"]

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predictive means (n,) or (n, targets); with `return_std`, also the standard deviations."""
        columns = self._asked(X)
        mean, weights, noise, _, notes = self.model_.numbers(columns, [])
        _warn(notes)
        if return_std:
            return self._shaped(mean), self._shaped(np.sqrt(weights + noise))
        return self._shaped(mean)

    def predict_parts(self, X: Any) -> Parts:
        """Where the variance of each prediction comes from: the weights, or the noise."""
        columns = self._asked(X)
        _, weights, noise, _, notes = self.model_.numbers(columns, [])
        _warn(notes)
        return Parts(self._shaped(weights), self._shaped(noise))

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> Floats:
        """The numbers that a target is below with these probabilities: (n, quantiles), or (n, targets, quantiles)."""
        wanted = np.asarray(quantiles, np.float64)
        if wanted.ndim != 1 or not wanted.size or not ((wanted > 0) & (wanted < 1)).all():
            raise ValueError(f"quantiles is {quantiles!r}; some numbers between 0 and 1 are wanted, both excluded, such as [0.05, 0.95]")
        columns = self._asked(X)
        *_, found, notes = self.model_.numbers(columns, wanted.tolist())
        _warn(notes)
        return np.stack([self._shaped(column) for column in found], axis=-1)

    def predict_interval(self, X: Any, coverage: float = 0.9, calibrated: bool | None = None) -> Floats:
        """Intervals that hold a target with probability `coverage`: (n, 2), or (n, targets, 2).

        With `calibrated`, the promise holds whatever the distribution is, if held-out and later rows are exchangeable (split-conformal
        prediction, Lei et al. 2018); that needs `calibration_fraction`. Without it, the intervals lie between quantiles of the prediction.
        By default they are calibrated where the model was.
        """
        coverage = _share("coverage", coverage)
        columns = self._asked(X)
        if calibrated is None:
            calibrated = self.model_.is_calibrated
        if not calibrated:
            return self.predict_quantiles(X, [(1 - coverage) / 2, (1 + coverage) / 2])
        _check_calibrated(self.model_)
        ends, notes = self.model_.intervals(columns, coverage)
        _warn(notes)
        return np.stack([self._shaped(end) for end in ends], axis=-1)

    def _shaped(self, values: Floats) -> Floats:
        return values[:, 0] if self._is_flat else values

    def _note(self) -> dict[str, Any]:
        return {"is_flat": self._is_flat}

    def _restore(self, note: dict[str, Any]) -> None:
        self.n_outputs_ = len(self.model_.targets)
        self._is_flat = note.get("is_flat", self.n_outputs_ == 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class GaussformClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    __doc__ = "A Bayesian neural network that predicts the probabilities of classes.\n" + _PARAMETERS.format(
        methods='"nnvi" (moments are matched, Roth and Pernkopf), "vbp" (Haußmann et al.), "varout" or "bbb" (these sample). The samples '
        'of varout are those of places in a table: a prediction depends on the place of its row and on the number of rows.',
        epochs="if not given, as often as makes 1000 steps, at least 100 times, and fewer for tables of more than 100 batches.",
        prior="1",
        more="",
    )

    classes_: NDArray[Any]

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] | int = (50,),
        activation: Function | str = "relu",
        *,
        method: str = "nnvi",
        max_iter: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        prior_precision: float | None = None,
        initial_sd: float | None = None,
        n_members: int = 1,
        validation_fraction: float | None = None,
        calibration_fraction: float | None = None,
        options: Mapping[str, Any] | None = None,
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
        self.n_members = n_members
        self.validation_fraction = validation_fraction
        self.calibration_fraction = calibration_fraction
        self.options = options
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> GaussformClassifier:
        """Trains on rows of inputs (n, features) and labels (n,).

        A row counts as often as its `sample_weight` (n,) says; rows of weight 0 are left out.
        """
        names = _names_of(y) or ["y"]
        _check_labels(y)
        if _is_frame(X):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(np.asarray(y), warn=True)
            check_consistent_length(X, y)
        else:
            settings: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
            X, y = _of_numbers(lambda given: validate_data(self, given, y, ensure_min_samples=2, **settings), X)
        check_classification_targets(y)
        counted = y
        if sample_weight is not None:
            counted = y[_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True) > 0]
            if not len(counted):
                raise ValueError("every sample weight is 0; some row must count")
        self.classes_ = np.unique(counted)
        if len(self.classes_) < 2:
            raise ValueError(
                f"this classifier needs samples of at least 2 classes, but the data contains only one class: {self.classes_[0]!r}"
            )
        texts = [_class_text(label) for label in self.classes_]
        codes = np.searchsorted(self.classes_, y).clip(0, len(texts) - 1)
        random = check_random_state(self.random_state)

        def held(rows: NDArray[np.intp], share: float) -> NDArray[np.intp]:
            """Of each class its share, so that all of them train."""
            each = [rows[codes[rows] == i] for i in range(len(texts))]
            some = [random.permutation(own)[: round(share * len(own))] for own in each]
            chosen = np.sort(np.concatenate(some))
            if not len(chosen) or any(len(a) == len(b) for a, b in zip(each, some)):
                raise ValueError(
                    f"calibration_fraction is {share}; some rows of each class must train, and some calibrate"
                )
            return chosen

        self._fit(X, [(names[0], [texts[code] for code in codes])], "words", sample_weight, held)
        self._order = _order(self.model_.classes or [], texts)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class: (n, classes), in the order of `classes_`."""
        columns = self._asked(X)
        probabilities, _, notes = self.model_.probabilities(columns)
        _warn(notes)
        return probabilities[:, self._order]

    def predict_information(self, X: Any) -> Floats:
        """How much the weights do not know of each class, in nats: the mutual information of class and weights, (n,)."""
        columns = self._asked(X)
        _, information, notes = self.model_.probabilities(columns)
        _warn(notes)
        return information

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Which classes belong to a set that holds the true one with probability `coverage`: (n, classes).

        The promise holds whatever the distribution is, if held-out and later rows are exchangeable (split-conformal prediction, Sadinle et
        al. 2019); that needs `calibration_fraction`.
        """
        coverage = _share("coverage", coverage)
        columns = self._asked(X)
        _check_calibrated(self.model_)
        sets, notes = self.model_.sets(columns, coverage)
        _warn(notes)
        inside = np.zeros((len(sets), len(self._order)), bool)
        for row, members in zip(inside, sets):
            row[members] = True
        return inside[:, self._order]

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        check_is_fitted(self)
        best: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return best

    def _note(self) -> dict[str, Any]:
        labels = self.classes_
        # Times as whole numbers of their unit.
        plain = labels.astype(np.int64) if labels.dtype.kind in "mM" else labels
        return {"classes": _plain(plain), "dtype": labels.dtype.str if labels.dtype.kind in "biufmM" else None}

    def _restore(self, note: dict[str, Any]) -> None:
        words = self.model_.classes or []
        self.classes_ = np.array(note.get("classes", words), note.get("dtype"))
        self._order = _order(words, [_class_text(label) for label in self.classes_])


def _is_frame(X: Any) -> bool:
    """Whether it is a frame of pandas or Polars."""
    if hasattr(X, "collect_schema") and hasattr(X, "collect") and not hasattr(X, "get_columns"):
        raise TypeError("X is a lazy frame; X.collect() is the frame that is wanted")
    if hasattr(X, "__dask_graph__"):
        raise TypeError("X is a collection of Dask; X.compute() is what is wanted, and X.map_partitions predicts part by part")
    if type(X).__module__.partition(".")[0] == "pyarrow":
        raise TypeError(f"X is a {type(X).__qualname__} of Arrow; a frame is wanted, such as X.to_pandas() or polars.from_arrow(X)")
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_columns"))


def _of_numbers(validate: Callable[[Any], Any], X: Any) -> Any:
    """The array of numbers that `validate` gives. Masked numbers are missing."""
    if isinstance(X, np.ma.MaskedArray):
        X = np.where(np.ma.getmaskarray(X), np.nan, np.asarray(X, np.float64))
    if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M"):
        raise TypeError("X is an array of times, which are no numbers; a frame of pandas or Polars may have columns of them")
    try:
        return validate(X)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        advice = 'give a frame of pandas or Polars, whose columns may have words; in a pipeline, set_output(transform="pandas") makes one'
        raise ValueError(f"X is an array and has words: {error}; {advice}") from None


def _columns(X: Any) -> Columns:
    """The columns of a frame: numbers as numbers, all else as texts."""
    if hasattr(X, "get_columns"):
        return [(str(column.name), _of_polars(column)) for column in X.get_columns()]
    return [(str(name), _of_pandas(str(name), X.iloc[:, i])) for i, name in enumerate(X.columns)]


def _categories(X: Any) -> list[str]:
    """The names of the columns of a frame whose type is that of categories, which are words though they may be numbers."""
    if hasattr(X, "get_columns"):
        return [str(column.name) for column in X.get_columns() if str(column.dtype.base_type()) in ("Categorical", "Enum")]
    return [str(name) for name, dtype in zip(X.columns, X.dtypes) if _is_categorical(dtype)]


def _is_categorical(dtype: Any) -> bool:
    """Whether a type of pandas is one of categories, by itself or as a dictionary of Arrow."""
    return dtype.name == "category" or str(dtype).startswith("dictionary<")


def _of_polars(column: Any) -> Any:
    import polars as pl

    kind = column.dtype
    if kind.is_numeric():
        return _finite(column.name, column.cast(pl.Float64).to_numpy())
    if isinstance(kind, pl.Duration):
        ticks = {"ns": 1e9, "us": 1e6, "ms": 1e3}[kind.time_unit]
        return _finite(column.name, column.cast(pl.Int64).cast(pl.Float64).to_numpy()) / ticks
    if kind.is_nested() or kind == pl.Object:
        raise _no_cells(column.name, kind)
    if isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        column = column.dt.convert_time_zone("UTC")
    try:
        return column.cast(pl.String).to_list()
    except pl.exceptions.PolarsError:
        raise _no_cells(column.name, kind) from None


def _of_pandas(name: str, column: Any) -> Any:
    import pandas as pd

    types = pd.api.types
    if types.is_complex_dtype(column.dtype):
        raise _no_cells(name, column.dtype)
    is_number = types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype)
    if is_number and not _is_categorical(column.dtype):
        return _finite(name, column.to_numpy(np.float64, na_value=np.nan))
    cells = list(zip(column.tolist(), pd.isna(column).tolist()))
    if any(not missing for _, missing in cells) and all(missing or isinstance(value, datetime.timedelta) for value, missing in cells):
        # Seconds, as the command reads durations of Arrow.
        return np.array([math.nan if missing else value.total_seconds() for value, missing in cells])
    return [None if missing else _word(name, value) for value, missing in cells]


def _word(name: str, value: Any) -> str:
    """The text of a value, as Polars, files and the command have it: an instant is that of UTC, and a period its start."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc)
    elif isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise _no_cells(name, "bytes that are no text") from None
    elif isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray, complex, np.complexfloating)):
        raise _no_cells(name, type(value).__name__)
    to_start = getattr(value, "to_timestamp", None)
    return str(value if to_start is None else to_start())


def _no_cells(name: str, kind: object) -> ValueError:
    return ValueError(
        f"the column {name!r} of X has cells of a type that is not read, {kind}; numbers, words, dates, times and durations are. Make columns of "
        "these of it, or leave it out"
    )


def _finite(name: Any, values: Any) -> Floats:
    numbers = contiguous(values)
    if np.isinf(numbers).any():
        raise ValueError(f"Input X contains infinity, in the column {name!r}; give NaN for what is missing")
    return numbers


def _taken(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    """Some rows of the columns."""
    numbers = rows.tolist()
    return [(name, v[rows] if isinstance(v, np.ndarray) else [v[i] for i in numbers]) for name, v in columns]


def _names_of(y: Any) -> list[str] | None:
    """The names of a series or a frame of targets, without the blanks around them, as the command reads names."""
    if _is_frame(y):
        return [str(name).strip() for name in y.columns]
    name = getattr(y, "name", None)
    return [name.strip()] if isinstance(name, str) and name.strip() else None


def _fresh(name: str, taken: set[str]) -> str:
    """The name, or one like it that no column has."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _class_text(label: Any) -> str:
    """The name of a class in files: its text, in quotes where the text would be lost."""
    text = str(label)
    return f"`{text}`" if text != text.strip() or _native.means_missing(text) else text


def _order(words: list[str], texts: list[str]) -> list[int]:
    """The number of each class in the model."""
    if sorted(words) != sorted(texts):
        raise ValueError(f"the classes {', '.join(texts)} cannot be told apart when they are written; give them other names")
    return [words.index(text) for text in texts]


def _text(activation: Any) -> str:
    """The text of an activation; an exception that says what would do if it is a name that the library lacks."""
    if isinstance(activation, Function):
        return activation.declaration
    if not isinstance(activation, str):
        raise TypeError(f'activation is {activation!r}; a name of the library, "prelu", or a function or text of gaussform.derive is wanted')
    known = [*_native.library(), "prelu"]
    if activation.isidentifier() and activation != "x" and activation not in known:
        close = close_names(activation, known)
        meant = f"close are {', '.join(map(repr, close))}" if close else "dir(gaussform.library) lists the names"
        raise ValueError(f"activation is {activation!r}, and the library has no such function; activations are piecewise polynomials, and {meant}")
    return activation


def _options(options: Any) -> dict[str, Any]:
    """Options of the command under the names that these have there."""
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise TypeError(f'options is {options!r}; a mapping from names of options to values is wanted, such as {{"fill": "mean"}}')
    return {name.replace("_", "-"): value for name, value in options.items()}


def _items(value: Any) -> list[Any]:
    """The values of an option: one, or those of a collection."""
    return list(value) if _is_sized(value) else [value]


def _sizes(given: Any) -> list[int]:
    sizes = given
    if isinstance(sizes, (int, np.integer)):
        sizes = [sizes]
    sizes = list(sizes) if _is_sized(sizes) else []
    if not sizes:
        raise ValueError(f"hidden_layer_sizes is {given!r}; a whole number or some are wanted, such as (50, 50)")
    return [_count("hidden_layer_sizes", size) for size in sizes]


def _share(name: str, value: Any) -> float:
    """A number between 0 and 1, both excluded."""
    if value is None:
        raise ValueError(f"{name} is None; a number above 0 and below 1 is wanted")
    number: float = _positive(name, value, below=1.0)
    return number


def _positive(name: str, value: Any, below: float = math.inf) -> Any:
    """A number above 0, or None."""
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else math.nan
    except OverflowError:
        number = math.inf
    if value is not None and not 0 < number < below:
        raise ValueError(f"{name} is {value!r}; a number above 0{f' and below {below:g}' if below < math.inf else ''} is wanted, or None")
    return None if value is None else number


def _count(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} has {value!r}; whole numbers from 1 on are wanted")
    return int(value)


def _check_targets(y: Any) -> None:
    """Refuses targets that would lose what they mean when they become numbers."""
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y has masked elements; leave their rows out")
    types: Any = getattr(y, "dtypes", ()) if _is_frame(y) else [getattr(y, "dtype", None)]
    kinds = {getattr(dtype, "kind", "") for dtype in types}
    if kinds & {"m", "M"}:
        raise ValueError("y has times, which are no numbers; choose a unit, as in y / numpy.timedelta64(1, 's') for durations")


def _check_labels(y: Any) -> None:
    """Refuses labels that are missing, or of types that have no order."""
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y has masked elements; leave their rows out")
    labels = np.asarray(y)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        raise ValueError("y has missing labels; leave their rows out")
    if labels.dtype.kind == "O" and labels.ndim:
        kinds: dict[type, int] = {}
        for i, label in enumerate(labels.ravel().tolist()):
            if label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and math.isnan(label)):
                raise ValueError(f"Input y contains NaN: the label of row {i} is missing; leave the row out")
            kinds.setdefault(str if isinstance(label, str) else type(label), i)
        if str in kinds and len(kinds) > 1:
            found = ", ".join(f"{kind.__name__} in row {i}" for kind, i in kinds.items())
            raise ValueError(f"y has labels of several types: {found}; one type is wanted, as in [str(label) for label in y]")


def _check_calibrated(model: _native.TableModel) -> None:
    if not model.is_calibrated:
        raise ValueError("no rows were held out to calibrate; give calibration_fraction, such as 0.2, and fit again")


def _warn(notes: list[str]) -> None:
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=3)


def _restored(contents: bytes) -> _native.TableModel:
    """The model of its pickled bytes."""
    return _native.TableModel.from_bytes("a pickled model", contents)[0]


def _shown(done: int, epochs: int, bound: float) -> None:
    if done == epochs or done % max(1, epochs // 100) == 0:
        end = "\n" if done == epochs else ""
        print(f"\repoch {done} of {epochs}, bound {bound:.1f}", end=end, file=sys.stderr, flush=True)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: collections are lists, and what is neither number nor word is its text, which the command is given too."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    return [_plain(item) for item in value] if _is_sized(value) else str(value)


def _is_sized(value: Any) -> bool:
    """Whether it is a collection that can be gone through more than once, and no text."""
    return np.iterable(value) and hasattr(value, "__len__") and not isinstance(value, (str, bytes))
