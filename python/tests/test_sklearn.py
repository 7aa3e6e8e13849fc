"""Estimators: the rules of scikit-learn, honest uncertainty, tables as the command reads them, files, interrupts."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import gaussform as gf
from gaussform.sklearn import GaussformClassifier, GaussformRegressor

#: Weights count in the bound alone: scales of inputs and targets are those of the rows.
WEIGHTS = "scales of inputs and targets do not depend on weights"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}


@pytest.mark.parametrize("kind", [GaussformRegressor, GaussformClassifier])
def test_the_rules_of_scikit_learn(kind: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(kind(max_iter=150, random_state=0), expected_failed_checks=EXPECTED, on_skip=None)


def wavy(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A sine with noise that grows with |x|."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=count)
    return x[:, None], np.sin(2 * x) + (0.05 + 0.2 * np.abs(x)) * rng.normal(size=count)


def test_a_regressor_knows_its_noise() -> None:
    x, y = wavy(1000, 0)
    model = GaussformRegressor(random_state=0, max_iter=400).fit(x, y)
    assert model.score(x, y) > 0.7
    mean, std = model.predict(x, return_std=True)
    assert mean.shape == std.shape == (1000,)
    # Noise by input is the default.
    near, far = std[np.abs(x[:, 0]) < 0.3].mean(), std[np.abs(x[:, 0]) > 1.7].mean()
    assert 0.05 < near < 0.25 and 0.3 < far < 0.6
    weights, noise = model.predict_parts(x)
    np.testing.assert_allclose(weights + noise, std**2, rtol=1e-12)
    fresh_x, fresh_y = wavy(2000, 1)
    low, high = model.predict_interval(fresh_x, 0.8, calibrated=False).T
    # Two standard errors of the share, and the doubt of a fit to 1000 rows.
    assert abs(((low <= fresh_y) & (fresh_y <= high)).mean() - 0.8) < 0.05
    quantiles = model.predict_quantiles(fresh_x, (0.1, 0.5, 0.9))
    assert quantiles.shape == (2000, 3)
    np.testing.assert_allclose(quantiles[:, 0], low, rtol=1e-6)
    np.testing.assert_allclose(quantiles[:, 2], high, rtol=1e-6)


def test_calibrated_intervals_hold_what_they_promise() -> None:
    x, y = wavy(600, 2)
    # Student's noise of 2 degrees of freedom: no Normal has such tails.
    y = y + 0.3 * np.random.default_rng(3).standard_t(2, size=600)
    model = GaussformRegressor(random_state=0, max_iter=200, calibration_fraction=0.5).fit(x[:400], y[:400])
    low, high = model.predict_interval(x[400:], 0.8).T
    inside = ((low <= y[400:]) & (y[400:] <= high)).mean()
    # 200 rows for the promise, and 200 that count: 0.8 ± 3 · (0.16 (1/200 + 1/200))^½.
    assert abs(inside - 0.8) < 0.12
    with pytest.raises(ValueError, match="hold out at least"):
        model.predict_interval(x, 0.999)
    with pytest.raises(ValueError, match="calibration_fraction"):
        GaussformRegressor(random_state=0, max_iter=5).fit(x, y).predict_interval(x, calibrated=True)
    for share in (0.0001, 0.9999):
        with pytest.raises(ValueError, match="some must calibrate"):
            GaussformRegressor(max_iter=5, calibration_fraction=share).fit(x, y)


def test_several_targets() -> None:
    x, y = wavy(300, 0)
    both = np.column_stack([y, -2 * y])
    model = GaussformRegressor(random_state=0, max_iter=400).fit(x, both)
    mean, std = model.predict(x, return_std=True)
    assert mean.shape == std.shape == (300, 2) and model.score(x, both) > 0.5
    assert model.predict_quantiles(x[:5]).shape == (5, 2, 3)
    assert model.predict_interval(x[:5], 0.5).shape == (5, 2, 2)
    column = GaussformRegressor(random_state=0, max_iter=100).fit(x, y[:, None])
    assert column.predict(x).shape == (300, 1)


def test_a_classifier_gives_probabilities() -> None:
    x, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    x, other_x, names, other = train_test_split(x, names, random_state=0, stratify=names)
    model = GaussformClassifier(random_state=0).fit(x, names)
    proba = model.predict_proba(other_x)
    assert proba.shape == (38, 3) and model.score(other_x, other) > 0.9
    np.testing.assert_allclose(proba.sum(1), 1, atol=1e-6)
    assert list(model.classes_) == ["setosa", "versicolor", "virginica"]
    information = model.predict_information(other_x)
    assert information.shape == (38,) and (information >= 0).all() and (information <= np.log(3)).all()
    held = GaussformClassifier(random_state=0, max_iter=100, calibration_fraction=0.3).fit(x, names)
    inside = held.predict_set(other_x, 0.9)
    assert inside.shape == (38, 3) and inside.any(1).all()
    with pytest.raises(ValueError, match="calibration_fraction"):
        model.predict_set(other_x)


@pytest.mark.parametrize("labels", [["-", "+"], [10, 9], [True, False], [2.0, -1.0], ["NA", "nan"], [" a", "b"]])
def test_labels_of_any_kind(labels: list[Any]) -> None:
    x = np.linspace(-1, 1, 60)[:, None]
    y = np.array(labels)[(x[:, 0] > 0).astype(int)]
    model = GaussformClassifier(random_state=0, max_iter=100).fit(x, y)
    assert model.score(x, y) > 0.9 and model.classes_.dtype == y.dtype
    np.testing.assert_array_equal(model.classes_, np.unique(y))


def test_seeds_decide() -> None:
    x, y = wavy(100, 0)
    fit = lambda seed: GaussformRegressor(random_state=seed, max_iter=20).fit(x, y).predict(x)  # noqa: E731
    np.testing.assert_array_equal(fit(3), fit(3))
    np.testing.assert_array_equal(fit(np.random.RandomState(3)), fit(np.random.RandomState(3)))
    assert (fit(3) != fit(4)).any()


def test_weights_count_rows() -> None:
    x, y = wavy(200, 0)
    odd = np.arange(200) % 2
    without = GaussformRegressor(random_state=0, max_iter=50).fit(x[odd == 1], y[odd == 1])
    weighted = GaussformRegressor(random_state=0, max_iter=50).fit(x, y, sample_weight=odd)
    np.testing.assert_array_equal(weighted.predict(x), without.predict(x))
    # Two levels in one place: the heavier pulls the mean.
    level, target = np.zeros((200, 1)), np.repeat([0.0, 1.0], 100)
    level[:, 0] = np.tile([0.0, 1.0], 100)
    model = GaussformRegressor(random_state=0, max_iter=300).fit(level, target, sample_weight=1 + 8 * target)
    assert abs(model.predict(level).mean() - 0.9) < 0.05
    with pytest.raises(ValueError, match="[Nn]egative"):
        GaussformRegressor(max_iter=5).fit(x, y, sample_weight=-np.ones(200))
    with pytest.raises(ValueError, match="[Zz]ero|is 0"):
        GaussformRegressor(max_iter=5).fit(x, y, sample_weight=np.zeros(200))


@pytest.mark.parametrize("method", ["cf", "nnvi", "dvi", "vbp", "varout", "bbb", "pbp", "vrelunet"])
def test_methods(method: str) -> None:
    x, y = wavy(200, 0)
    mean, std = GaussformRegressor(20, method=method, max_iter=10, random_state=0).fit(x, y).predict(x, return_std=True)
    assert np.isfinite(mean).all() and (std > 0).all()


def test_what_is_wrong_is_named() -> None:
    x, y = wavy(50, 0)
    for options, words in (
        ({"method": "magic"}, "nnvi"),
        ({"hidden_layer_sizes": (5, 0)}, "hidden_layer_sizes"),
        ({"max_iter": 0}, "max_iter"),
        ({"max_iter": 2.5}, "max_iter"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"learning_rate": "adaptive"}, "learning_rate is 'adaptive'"),
        ({"validation_fraction": 1.0}, "validation_fraction is 1.0"),
        ({"hidden_layer_sizes": ()}, "hidden_layer_sizes is ()"),
        ({"hidden_layer_sizes": None}, "hidden_layer_sizes is None"),
        ({"hidden_layer_sizes": True}, "hidden_layer_sizes has True"),
        ({"hidden_layer_sizes": iter([3])}, "hidden_layer_sizes is"),
        ({"learning_rate": 10**400}, "learning_rate is 1000"),
        ({"calibration_fraction": "a"}, "calibration_fraction is 'a'"),
        ({"calibration_fraction": float("nan")}, "calibration_fraction is nan"),
        ({"activation": "tanh"}, "activation is 'tanh'.*'hard_tanh'"),
        ({"options": {"hidden": "7"}}, "options names 'hidden'"),
        ({"noise": "loud"}, "by-input"),
        ({"activation": "max(0, y)"}, "unknown name"),
        ({"activation": "leaky_relu"}, "parameter"),
        ({"method": "cf", "hidden_layer_sizes": (5, 5)}, "one hidden layer"),
        ({"options": {"fill": "magic"}}, "fill"),
        ({"options": {"resume": True}}, "leave it out"),
        ({"options": {"csv": "a.csv"}}, "csv"),
    ):
        with pytest.raises(ValueError, match=words):
            GaussformRegressor(**{"max_iter": 5, **options}).fit(x, y)
    with pytest.raises(ValueError, match="predicts numbers"):
        GaussformClassifier(method="dvi", max_iter=5).fit(x, y > 0)
    for options, words in (({"activation": None}, "activation is None"), ({"options": ["fill"]}, "options is"), ({"options": {1: 2}}, "options is")):
        with pytest.raises(TypeError, match=words):
            GaussformRegressor(max_iter=5, **options).fit(x, y)
    model = GaussformRegressor(max_iter=5, random_state=True).fit(x, y)
    for quantiles in (0.5, []):
        with pytest.raises(ValueError, match="quantiles is"):
            model.predict_quantiles(x, quantiles)


def test_options_are_named_as_estimators_take_them() -> None:
    """Messages of the command have its options, which are parameters here, or items of `options`."""
    pd = pytest.importorskip("pandas")
    x, y = wavy(50, 0)
    frame = pd.DataFrame({"x": x[:, 0], "n": np.where(np.arange(50) == 7, "old", "1.5"), "id": np.arange(50).astype(str)})
    cases: list[tuple[dict[str, Any], Any, Any, str]] = [
        ({"method": "magic"}, x, y, "invalid value 'magic' for 'method'"),
        ({"target_transform": "log"}, x, y - 10, "choose target_transform asinh"),
        ({"options": {"fil": "mean"}}, x, y, """argument 'options={"fil": …}' found"""),
        ({"options": {"unknown_words": "error"}}, frame, y, """say by options={"missing": …} that"""),
        ({}, x, np.ones(50), "^X, column 2, `y`: every row has the same value, 1"),
    ]
    for given, inputs, targets, words in cases:
        with pytest.raises(ValueError, match=words) as raised:
            GaussformRegressor(max_iter=2, **given).fit(inputs, targets)
        assert "--" not in str(raised.value)
    with pytest.warns(UserWarning, match="""`id` is left out: its numbers name the rows; options={"numbers": …} takes it in"""):
        GaussformRegressor(max_iter=2).fit(frame[["x", "id"]], y)
    with pytest.warns(UserWarning, match="`n`: `old` in line 8 is no number and counts as missing"):
        GaussformRegressor(max_iter=2).fit(frame[["x", "n"]], y + frame.index)


def test_tables_of_arrow_are_no_frames() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "w"]})
    for wrong in (table, table.to_batches()[0], table.select(["a"])):
        with pytest.raises(TypeError, match="of Arrow; a frame is wanted"):
            GaussformRegressor(max_iter=2).fit(wrong, [1.0, 2.0, 4.0])


@pytest.mark.parametrize("wrong", [None, "0.9", 90, 0.0, float("nan")])
def test_a_coverage_is_a_share(wrong: Any) -> None:
    x, y = wavy(50, 0)
    model = GaussformRegressor(max_iter=2).fit(x, y)
    with pytest.raises(ValueError, match="coverage is"):
        model.predict_interval(x, wrong)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a", None], "label of row 1 is missing"),
        ([True, None], "label of row 1 is missing"),
        ([0.5, float("nan")], "NaN"),
        (np.array(["2020", "NaT"], "M8[D]"), "missing labels"),
        (["1", 1], "str in row 0, int in row 1"),
    ],
)
@pytest.mark.parametrize("as_frame", [False, True])
def test_labels_that_say_nothing_are_named(labels: Any, words: str, as_frame: bool) -> None:
    pd = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(60, 2))
    kind = None if isinstance(labels, np.ndarray) or isinstance(labels[0], float) else object
    y = np.array(labels, kind)[np.arange(60) % 2]
    with pytest.raises(ValueError, match=words), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        GaussformClassifier(max_iter=5).fit(pd.DataFrame(x) if as_frame else x, y)
    with pytest.raises(ValueError, match="[Nn]egative"):
        GaussformClassifier(max_iter=5).fit(x, np.arange(60) % 2, sample_weight=-np.ones(60))


def test_any_function_is_an_activation(tmp_path: Path) -> None:
    x, y = wavy(200, 0)
    bump = gf.derive("bump(x) = max(0, 1 - x^2)")
    model = GaussformRegressor(20, activation=bump, random_state=0, max_iter=100).fit(x, y)
    assert pickle.loads(pickle.dumps(model)).predict(x).tolist() == model.predict(x).tolist()
    model.save(tmp_path / "bump.safetensors")
    assert GaussformRegressor.load(tmp_path / "bump.safetensors").predict(x).tolist() == model.predict(x).tolist()
    # A text that equals one of the library is that one.
    fit = lambda g: GaussformRegressor(20, activation=g, random_state=0, max_iter=20).fit(x, y).predict(x)  # noqa: E731
    np.testing.assert_array_equal(fit("max(0, x)"), fit("relu"))


def test_pickles_clones_and_files(tmp_path: Path) -> None:
    x, y = load_iris(return_X_y=True)
    path = tmp_path / "iris.safetensors"
    model = GaussformClassifier((8, 4), random_state=0, max_iter=50, calibration_fraction=0.3).fit(x, y)
    model.save(path)
    for again in (pickle.loads(pickle.dumps(model)), GaussformClassifier.load(path)):
        np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))
        np.testing.assert_array_equal(again.predict_set(x), model.predict_set(x))
        assert again.get_params() == {**model.get_params(), "hidden_layer_sizes": again.hidden_layer_sizes}
        assert again.classes_.dtype == y.dtype and again.n_features_in_ == 4
    assert not hasattr(clone(model), "model_")
    with pytest.raises(ValueError, match="GaussformClassifier"):
        GaussformRegressor.load(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="iris.safetensors"):
        GaussformClassifier.load(path)
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "model")


@pytest.mark.parametrize(
    "given",
    [
        {"hidden_layer_sizes": np.array([3, 2])},
        {"hidden_layer_sizes": range(2, 4)},
        {"hidden_layer_sizes": np.int64(3), "learning_rate": np.float32(0.01), "verbose": np.False_},
        {"options": {"ignore": {"x0"}}},
        {"options": {"ignore": np.array(["x0"])}},
        {"options": {"ignore": ("x0",), "batch": np.int32(16)}},
    ],
)
def test_every_parameter_that_is_taken_is_written(given: dict[str, Any], tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(60, 2))
    model = GaussformRegressor(**{"hidden_layer_sizes": (3, 2), "random_state": np.int64(0), "max_iter": 5, **given}).fit(x, x[:, 1])
    model.save(tmp_path / "model")
    again = GaussformRegressor.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    # What was written trains the same model.
    np.testing.assert_array_equal(clone(again).fit(x, x[:, 1]).predict(x), model.predict(x))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2021-05-06"], "M8[D]"),
        np.array(["2020-01-01T00:00:00.000000001", "2020-01-01T00:00:00.000000002"], "M8[ns]"),
        np.array([3, 40], "m8[h]"),
        np.array([1, 2**64 - 1], np.uint64),
        np.array([1.0, 2.0**24], np.float32),
        np.array([-3, 4], np.int16),
        np.array([False, True]),
        np.array(["a", "b"], object),
    ],
    ids=lambda labels: labels.dtype.str,
)
def test_labels_of_any_type_are_written(labels: np.ndarray, tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 60)[:, None]
    y = labels[(x[:, 0] > 0).astype(int)]
    model = GaussformClassifier(5, random_state=0, max_iter=20).fit(x, y)
    model.save(tmp_path / "model")
    again = GaussformClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    assert again.classes_.tolist() == labels.tolist() and (labels.dtype == object or again.classes_.dtype == labels.dtype)


def test_pipelines_and_searches() -> None:
    x, y = load_diabetes(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), GaussformRegressor(10, random_state=0, max_iter=60))
    assert cross_val_score(pipeline, x, y, cv=3, n_jobs=2).mean() > 0.3
    search = GridSearchCV(GaussformRegressor(random_state=0, max_iter=30), {"hidden_layer_sizes": [(5,), (5, 5)]}, cv=2, n_jobs=2)
    search.fit(x, y)
    assert search.best_params_["hidden_layer_sizes"] in ((5,), (5, 5)) and search.predict(x).shape == y.shape


def table(count: int, seed: int) -> dict[str, list[Any]]:
    """Words, missing numbers, dates and a constant; the target depends on the words and the numbers."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue"], size=count)
    size = rng.normal(size=count)
    target = np.select([colour == "red", colour == "green"], [2.0, -2.0], 0.0) + size + 0.1 * rng.normal(size=count)
    return {
        "colour": [None if i % 11 == 5 else str(c) for i, c in enumerate(colour)],
        "size": [None if i % 7 == 3 else float(s) for i, s in enumerate(size)],
        "old": [bool(i % 3) for i in range(count)],
        "day": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(count)],
        "same": ["x"] * count,
        "target": target.tolist(),
    }


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_read_as_files_are(library: str, tmp_path: Path) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame(table(300, 0))
    x, y = (frame.drop(columns="target"), frame["target"]) if library == "pandas" else (frame.drop("target"), frame["target"])
    model = GaussformRegressor(20, random_state=0, max_iter=200).fit(x, y)
    # A tenth of the variance is in cells that are missing.
    assert model.score(x, y) > 0.85 and list(model.feature_names_in_) == list(x.columns)
    fresh = frames.DataFrame(table(50, 1))
    mean, std = model.predict(fresh[list(x.columns)], return_std=True)
    # What is missing is less certain.
    missing = np.arange(50) % 11 == 5
    assert std[missing].mean() > 2 * std[~missing].mean()
    with pytest.warns(UserWarning, match="`colour`: 1 word is new"):
        one = frames.DataFrame({**{name: values[:1] for name, values in table(1, 1).items()}, "colour": ["pink"]})
        model.predict(one[list(x.columns)])
    model.save(tmp_path / "model")
    again = GaussformRegressor.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(x[[*list(x.columns)[::-1]]])


def test_frames_of_both_libraries_are_the_same_table() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = table(200, 0)
    y = rows.pop("target")
    pandas, polars = pd.DataFrame(rows), pl.DataFrame(rows)
    fit = lambda x: GaussformRegressor(10, random_state=0, max_iter=30).fit(x, y)  # noqa: E731
    one, other = fit(pandas), fit(polars)
    np.testing.assert_array_equal(one.predict(pandas), other.predict(polars))
    # Dates as such, and their texts.
    dated = pandas.assign(day=pd.to_datetime(pandas["day"]))
    np.testing.assert_array_equal(fit(dated).predict(dated), one.predict(pandas))
    names = pd.Series(np.where(np.array(y) > 0, "up", "down"), name="colour")
    both = [GaussformClassifier(10, random_state=0, max_iter=30).fit(x, names) for x in (pandas, polars)]
    np.testing.assert_array_equal(both[0].predict_proba(polars), both[1].predict_proba(pandas))


def test_categories_are_words_though_they_are_numbers() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    levels, noise = rng.integers(3, size=200), rng.normal(size=200)
    y = np.array([2.0, -2.0, 0.0])[levels] + 0.1 * noise
    fit = lambda x: GaussformRegressor(10, random_state=0, max_iter=30).fit(x, y).predict(x)  # noqa: E731
    # Digits sort as these words do.
    words = fit(pd.DataFrame({"noise": noise, "level": np.array(["a", "b", "c"])[levels]}))
    texts = levels.astype(str)
    for column in (pd.Categorical(levels), pd.Categorical(levels.astype(float)), pd.Categorical(texts)):
        np.testing.assert_array_equal(fit(pd.DataFrame({"noise": noise, "level": column})), words)
    for kind in (pl.Categorical, pl.Enum(["0", "1", "2"])):
        np.testing.assert_array_equal(fit(pl.DataFrame({"noise": noise, "level": pl.Series(texts, dtype=kind)})), words)
    assert (fit(pd.DataFrame({"noise": noise, "level": levels})) != words).any()
    # What the options say counts first, and a model takes numbers for its words.
    frame = pd.DataFrame({"noise": noise, "level": pd.Categorical(levels.astype(float))})
    numbers = GaussformRegressor(10, random_state=0, max_iter=30, options={"numbers": ["level"]}).fit(frame, y)
    np.testing.assert_array_equal(numbers.predict(frame), fit(pd.DataFrame({"noise": noise, "level": levels})))
    model = GaussformRegressor(10, random_state=0, max_iter=30).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame.astype({"level": float})), words)


def test_a_column_that_names_its_rows_is_left_out_with_a_warning() -> None:
    pd = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(60, 1))
    frame = pd.DataFrame(x, columns=["x"]).assign(who=[f"row {i}" for i in range(60)])
    fit = lambda x: GaussformRegressor(5, random_state=0, max_iter=30).fit(x, frame["x"])  # noqa: E731
    with pytest.warns(UserWarning, match="column `who` is left out: few rows share a word"):
        model = fit(frame)
    np.testing.assert_array_equal(model.predict(frame), fit(frame[["x"]]).predict(frame[["x"]]))


def test_numbers_of_a_frame_are_those_of_an_array() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    # The first column counts the rows, which the command takes for their names.
    x = np.column_stack([np.arange(60.0), rng.normal(size=60), rng.integers(2, size=60)])
    y = x[:, 0] / 20 + x[:, 1]
    fit = lambda x: GaussformRegressor(5, random_state=0, max_iter=30).fit(x, y).predict(x)  # noqa: E731
    names = ["row", " b ", "c"]
    for frame in (pd.DataFrame(x, columns=names), pl.DataFrame(x, schema=names), pd.DataFrame(x)):
        np.testing.assert_array_equal(fit(frame), fit(x))
    hidden = GaussformRegressor(5, random_state=0, max_iter=30, options={"ignore": {"row"}}).fit(pd.DataFrame(x, columns=names), y)
    np.testing.assert_array_equal(hidden.predict(pd.DataFrame(x, columns=names)), fit(x[:, 1:]))


def test_times_of_frames_are_read_as_those_of_arrow_files() -> None:
    pd, pl, pa = pytest.importorskip("pandas"), pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    hours, noise = rng.integers(500, size=200), rng.normal(size=200)
    fit = lambda x: GaussformRegressor(5, random_state=0, max_iter=20).fit(x, hours % 24 + noise).predict(x)  # noqa: E731
    frame = lambda z: pd.DataFrame({"noise": noise, "z": z})  # noqa: E731
    # Durations are seconds.
    seconds = np.where(np.arange(200) % 9 == 0, np.nan, 3600.0 * hours)
    durations = pd.to_timedelta(seconds, unit="s")
    for column in (durations, durations.astype("timedelta64[ms]"), durations.astype(object), durations.astype(pd.ArrowDtype(pa.duration("us")))):
        np.testing.assert_array_equal(fit(frame(column)), fit(frame(seconds)))
    for unit in ("ms", "us", "ns"):
        column = pl.Series(durations.to_numpy().astype("m8[ns]")).cast(pl.Duration(unit))
        np.testing.assert_array_equal(fit(pl.DataFrame({"noise": noise, "z": column})), fit(frame(seconds)))
    # An instant is one of UTC, whatever the zone that it is shown in.
    times = pd.Timestamp("2020-10-20") + pd.to_timedelta(hours, unit="h")
    instants = times.tz_localize("UTC")
    for zone in ("UTC", "Asia/Kolkata", "America/New_York"):
        shown = instants.tz_convert(zone)
        polars = pl.DataFrame({"noise": noise, "z": pl.Series(times.to_numpy()).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)})
        for x in (frame(shown), frame(shown.astype(object)), frame(shown.astype(pd.ArrowDtype(pa.timestamp("us", zone)))), polars):
            np.testing.assert_array_equal(fit(x), fit(frame(times)))
    # A period is its start.
    quarters = pd.PeriodIndex(times, freq="Q")
    np.testing.assert_array_equal(fit(frame(quarters)), fit(frame(quarters.to_timestamp())))


def test_cells_that_are_no_numbers_words_or_times_are_refused() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y = np.arange(60) % 7
    for cells in ([1j], [[1]], [(1,)], [{"a": 1}], [np.arange(2)], [b"\xff"], [1j, "a"]):
        column = pd.Series([cells[i % len(cells)] for i in range(60)])
        with pytest.raises(ValueError, match="the column 'z' of X has cells of a type that is not read"):
            GaussformRegressor(max_iter=5).fit(pd.DataFrame({"a": 1.0 * y, "z": column}), y)
    for column in (pl.Series([[1]] * 60), pl.Series([{"a": 1}] * 60), pl.Series([b"\xff"] * 60), pl.Series([1j] * 60, dtype=pl.Object)):
        with pytest.raises(ValueError, match="the column 'z' of X has cells of a type that is not read"):
            GaussformRegressor(max_iter=5).fit(pl.DataFrame({"a": 1.0 * y, "z": column}), y)
    x = np.random.default_rng(0).normal(size=(60, 2))
    for given, words in ((np.array([["a", 1.0]] * 60, object), "frame of pandas or Polars"), (x.astype(complex), "Complex")):
        with pytest.raises(ValueError, match=words):
            GaussformRegressor(max_iter=5).fit(given, y)
    for given, words in ((x.astype("M8[s]"), "times"), (pl.DataFrame(x).lazy(), "collect")):
        with pytest.raises(TypeError, match=words), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            GaussformRegressor(max_iter=5).fit(given, y)
    for target in (x[:, 0].astype("m8[s]"), pd.Series(y).astype("m8[s]"), pd.DataFrame({"y": y}).astype("m8[s]")):
        with pytest.raises(ValueError, match="y has times"):
            GaussformRegressor(max_iter=5).fit(x, target)
    with pytest.raises(ValueError, match="masked"):
        GaussformRegressor(max_iter=5).fit(x, np.ma.masked_equal(y, 3))


def test_missing_numbers_in_arrays() -> None:
    x, y = load_diabetes(return_X_y=True)
    holes = x.copy()
    holes[::5, 2] = np.nan
    model = GaussformRegressor(10, random_state=0, max_iter=60).fit(holes, y)
    assert model.score(holes, y) > 0.3
    masked = np.ma.masked_where(np.isnan(holes), x)
    np.testing.assert_array_equal(GaussformRegressor(10, random_state=0, max_iter=60).fit(masked, y).predict(masked), model.predict(holes))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.full((1, 10), np.inf))
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="infinity.*'a'"):
        GaussformRegressor().fit(pd.DataFrame({"a": [1.0, np.inf, 2.0]}), [1.0, 2.0, 3.0])


def test_what_is_missing_does_not_change_how_words_are_read() -> None:
    pd = pytest.importorskip("pandas")
    flags = np.arange(60) % 3 == 0
    frame = pd.DataFrame({"a": np.arange(60.0), "flag": flags})
    model = GaussformRegressor(5, random_state=0, max_iter=20).fit(frame, 2.0 * flags)
    holes = frame[:3].astype({"flag": object})
    holes.loc[1, "flag"] = None
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*new.*")
        got = model.predict(holes)
    np.testing.assert_allclose(got[[0, 2]], model.predict(frame[:3])[[0, 2]])


def test_blanks_around_names_do_not_make_two_columns_one() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60.0) % 7})
    plain = GaussformRegressor(5, random_state=0, max_iter=20).fit(frame, frame["b"].rename("a"))
    for name in (" a ", "a ", "\ta"):
        model = GaussformRegressor(5, random_state=0, max_iter=20).fit(frame, frame["b"].rename(name))
        np.testing.assert_array_equal(model.predict(frame), plain.predict(frame))
    GaussformRegressor(5, random_state=0, max_iter=5).fit(frame, frame["b"].rename("  "))


def test_a_model_of_an_array_takes_the_columns_of_a_frame_in_order() -> None:
    pd = pytest.importorskip("pandas")
    x, y = wavy(60, 0)
    model = GaussformRegressor(5, random_state=0, max_iter=20).fit(x, y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        got = model.predict(pd.DataFrame(x, columns=[f"c{i}" for i in range(x.shape[1])]))
    np.testing.assert_array_equal(got, model.predict(x))


def test_intervals_and_sets_say_what_predictions_say() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(90.0), "word": np.array(["red", "green", "blue"])[np.arange(90) % 3]})
    new = pd.DataFrame({"a": [1.0], "word": ["pink"]})
    settings = {"random_state": 0, "max_iter": 20, "calibration_fraction": 0.3}
    numbers = GaussformRegressor(5, **settings).fit(frame, frame["a"])
    classes = GaussformClassifier(5, **settings).fit(frame, np.arange(90) % 2)
    for ask in (numbers.predict_interval, classes.predict_set, classes.predict_information):
        with pytest.warns(UserWarning, match="1 word is new"):
            ask(new)


def test_an_interrupt_ends_training() -> None:
    x, y = wavy(500, 0)
    # A process that a script starts in the background ignores interrupts, and so does Python in it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            GaussformRegressor(max_iter=1_000_000).fit(x, y)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_progress_is_shown_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    x, y = wavy(50, 0)
    GaussformRegressor(5, max_iter=3).fit(x, y)
    assert capsys.readouterr().err == ""
    GaussformRegressor(5, max_iter=3, verbose=True).fit(x, y)
    assert "epoch 3 of 3, bound" in capsys.readouterr().err


def test_importing_leaves_scikit_learn_alone() -> None:
    code = "import sys, gaussform; assert 'sklearn' not in sys.modules; gaussform.sklearn.GaussformRegressor"
    subprocess.run([sys.executable, "-c", code], check=True)
