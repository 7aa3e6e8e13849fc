"""The estimators: scikit-learn's own checks, quantiles and intervals, files, frames."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("gaussform.sklearn", reason="built without networks", exc_type=ImportError)

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from gaussform.sklearn import GaussformClassifier, GaussformRegressor


@parametrize_with_checks(
    [
        GaussformRegressor(max_iter=100, hidden_layer_sizes=(20,), random_state=0),
        GaussformClassifier(max_iter=60, hidden_layer_sizes=(20,), random_state=0),
    ]
)
def test_scikit_learns_own_checks(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-2, 2, size=(300, 2))
    return x, np.abs(x[:, 0]) + 0.2 * x[:, 1] + 0.1 * rng.normal(size=300)


def test_predictions_come_with_honest_errors(rows: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = rows
    model = GaussformRegressor(max_iter=300, random_state=0).fit(x[:200], y[:200])
    mean, std = model.predict(x[200:], return_std=True)
    assert np.sqrt(np.mean((mean - y[200:]) ** 2)) < 0.2
    assert 0.8 < np.mean(np.abs(mean - y[200:]) < 2 * std) <= 1
    far = model.predict(np.full((1, 2), 40.0), return_std=True)[1]
    assert far[0] > 3 * std.mean()
    parts = model.predict_parts(x[200:])
    np.testing.assert_allclose(parts.weights + parts.noise, std**2)
    quantiles = model.predict_quantiles(x[200:], [0.1, 0.5, 0.9])
    assert quantiles.shape == (100, 3) and (np.diff(quantiles) > 0).all()
    np.testing.assert_allclose(quantiles[:, 1], mean, atol=1e-9)
    interval = model.predict_interval(x[200:], 0.8)
    np.testing.assert_allclose(interval, quantiles[:, [0, 2]])
    with pytest.raises(ValueError, match="calibration_fraction"):
        model.predict_interval(x, calibrated=True)


def test_calibrated_intervals_hold_what_they_promise(rng: np.random.Generator) -> None:
    x = rng.normal(size=(600, 1))
    y = x[:, 0] + 0.3 * rng.standard_t(2, size=600)
    model = GaussformRegressor(max_iter=100, calibration_fraction=0.4, random_state=0).fit(x[:400], y[:400])
    lower, upper = model.predict_interval(x[400:], 0.8).T
    assert 0.7 < np.mean((lower < y[400:]) & (y[400:] < upper)) < 0.9


def test_several_targets(rows: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = rows
    both = np.column_stack([y, -3 * y])
    model = GaussformRegressor(max_iter=100, random_state=0).fit(x, both)
    mean, std = model.predict(x, return_std=True)
    assert mean.shape == std.shape == (300, 2)
    assert model.predict_interval(x).shape == (300, 2, 2)


def test_classes(rows: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = rows
    names = np.where(y > 1, "high", np.where(y > 0.5, "middle", "low"))
    model = GaussformClassifier(max_iter=150, random_state=0).fit(x[:200], names[:200])
    proba = model.predict_proba(x[200:])
    np.testing.assert_allclose(proba.sum(1), 1)
    assert model.score(x[200:], names[200:]) > 0.7
    assert (model.predict_information(x[200:]) >= 0).all()


def test_any_declared_activation_and_every_method(rows: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = rows
    for options in (
        {"activation": "max(0, x)^2 - x/5"},
        {"activation": "prelu"},
        {"method": "cf"},
        {"method": "dvi"},
        {"method": "vbp"},
        {"method": "varout"},
    ):
        model = GaussformRegressor(8, max_iter=5, random_state=0, **options).fit(x, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(x), model.predict(x))
    with pytest.raises(ValueError, match="no method"):
        GaussformRegressor(method="best").fit(x, y)
    with pytest.raises(ValueError, match="unknown name"):
        GaussformRegressor(activation="gelu").fit(x, y)
    for wrong in ({"max_iter": 0}, {"batch_size": -1}, {"hidden_layer_sizes": (5, 0)}):
        with pytest.raises(ValueError, match="whole numbers from 1 on"):
            GaussformRegressor(**wrong).fit(x, y)
    with pytest.raises(ValueError, match="predicts numbers"):
        GaussformClassifier(method="cf").fit(x, y > 1)


def test_files(rows: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    x, y = rows
    model = GaussformRegressor(max_iter=20, activation="x*clamp(x, 0, 1)", calibration_fraction=0.2, random_state=0).fit(x, y)
    model.save(tmp_path / "model.safetensors")
    again = GaussformRegressor.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    np.testing.assert_array_equal(again.predict_interval(x), model.predict_interval(x))
    assert again.get_params() == model.get_params()
    kinds = GaussformClassifier(max_iter=20, random_state=0).fit(x, y > 1)
    kinds.save(tmp_path / "kinds.safetensors")
    assert (GaussformClassifier.load(tmp_path / "kinds.safetensors").predict(x) == kinds.predict(x)).all()


def test_searches_pipelines_and_frames(rows: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = rows
    pipe = make_pipeline(StandardScaler(), GaussformRegressor(max_iter=40, random_state=0))
    assert np.mean(cross_val_score(pipe, x, y, cv=3)) > 0.3
    search = GridSearchCV(GaussformRegressor(max_iter=20, random_state=0), {"hidden_layer_sizes": [(5,), (10, 10)]}, cv=2, n_jobs=2)
    assert search.fit(x, y).best_params_
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x, columns=["a", "b"])
    model = clone(pipe[-1]).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b"]
    np.testing.assert_array_equal(model.predict(frame), clone(model).fit(x, y).predict(x))
    polars = pytest.importorskip("polars")
    np.testing.assert_array_equal(model.predict(polars.from_pandas(frame)), model.predict(frame))
