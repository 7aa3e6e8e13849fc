"""Polars expressions, and predictions over partitioned files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gaussform as gf

pl = pytest.importorskip("polars")


def test_expressions_of_polars(rng: np.random.Generator) -> None:
    gf.polars  # adds the namespace
    frame = pl.DataFrame({"gamma": rng.normal(size=100), "xi2": rng.uniform(0.1, 2, size=100)})
    got = frame.select(pl.col("gamma").gaussform.moments("xi2", "hard_swish").alias("m")).unnest("m")
    wanted = gf.library.hard_swish.moments(frame["gamma"].to_numpy(), frame["xi2"].to_numpy())
    np.testing.assert_array_equal(got["mean"].to_numpy(), wanted.mean)
    np.testing.assert_array_equal(got["variance"].to_numpy(), wanted.variance)
    lazy = frame.lazy().with_columns(pl.col("gamma").gaussform.moments_grad(1.0, "prelu", slope=0.1).alias("g"))
    assert lazy.collect()["g"].struct.field("dmean_dgamma").len() == 100
    holes = pl.DataFrame({"gamma": [0.0, None, 1.0], "xi2": [1.0, 1.0, None]})
    means = holes.select(pl.col("gamma").gaussform.moments("xi2", "relu").struct.field("mean"))["mean"]
    assert means.null_count() == 2 and means[0] is not None


def test_predictions_over_partitioned_files(rng: np.random.Generator, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    linear_model = pytest.importorskip("sklearn.linear_model")
    import pyarrow as pa

    x = rng.normal(size=(5000, 2))
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "part": np.arange(5000) % 3})
    pq.write_to_dataset(table, tmp_path / "in", partition_cols=["part"])
    model = linear_model.BayesianRidge().fit(x[:200], x[:200, 0])
    count = gf.arrow.predict(model, tmp_path / "in", tmp_path / "out", ["a", "b"], batch_size=512, partitioning=["part"])
    assert count == 5000
    got = pq.read_table(tmp_path / "out").sort_by("a")
    mean, sd = model.predict(np.column_stack([got["a"], got["b"]]), return_std=True)
    np.testing.assert_allclose(got["prediction"], mean, rtol=1e-6)
    np.testing.assert_allclose(got["sd"], sd, rtol=1e-6)
    with pytest.raises(KeyError, match="no column 'c'"):
        gf.arrow.predict(model, tmp_path / "in", tmp_path / "other", ["a", "c"])
    kinds = linear_model.LogisticRegression().fit(x[:200], x[:200, 0] > 0)
    (batch,) = gf.arrow.batches(kinds, [pa.record_batch({"a": x[:3, 0], "b": x[:3, 1]})], ["a", "b"])
    assert batch.schema.names == ["a", "b", "prediction", "probability_False", "probability_True"]


def test_predictions_of_tables_with_words(rng: np.random.Generator, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("sklearn")
    word = rng.choice(["red", "green"], size=600)
    size = rng.normal(size=600)
    frame = pl.DataFrame({"word": word, "size": size, "y": np.where(word == "red", 3.0, 0.0) + size})
    frame = frame.with_columns(size=pl.when(pl.int_range(600) % 9 > 0).then("size"))
    (tmp_path / "in").mkdir()
    frame.write_parquet(tmp_path / "in" / "rows.parquet")
    inputs = frame.select("word", "size")
    model = gf.sklearn.GaussformRegressor(10, random_state=0, max_iter=100).fit(inputs, frame["y"])
    assert gf.arrow.predict(model, tmp_path / "in", tmp_path / "out", ["word", "size"], batch_size=100) == 600
    got = pl.from_arrow(pq.read_table(tmp_path / "out"))
    mean, sd = model.predict(inputs, return_std=True)
    np.testing.assert_allclose(got["prediction"], mean, rtol=1e-6)
    np.testing.assert_allclose(got["sd"], sd, rtol=1e-6)


def test_predictions_of_any_estimator(rng: np.random.Generator, tmp_path: Path) -> None:
    """What is added is what the estimator can say, and its labels are those of its `predict`."""
    pytest.importorskip("sklearn")
    import pyarrow as pa
    from sklearn import linear_model, model_selection, pipeline, preprocessing, svm

    x = rng.normal(size=(200, 2))
    y = x @ [1.0, -2.0] + 0.1 * rng.normal(size=200)
    rows = [pa.record_batch({"a": x[:0, 0], "b": x[:0, 1]}), pa.record_batch({"a": x[:9, 0], "b": x[:9, 1]})]

    def added(estimator: object, **settings: object) -> dict[str, list[object]]:
        empty, batch = gf.arrow.batches(estimator, rows, ["a", "b"], **settings)
        assert empty.schema == batch.schema and (empty.num_rows, batch.num_rows) == (0, 9)
        return {name: batch.column(name).to_pylist() for name in batch.schema.names[2:]}

    line = linear_model.LinearRegression().fit(x, y)
    np.testing.assert_array_equal(added(line)["prediction"], line.predict(x[:9]))
    assert list(added(line)) == ["prediction"]
    for ridge in (
        pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.BayesianRidge()),
        model_selection.GridSearchCV(linear_model.BayesianRidge(), {"max_iter": [10, 20]}),
    ):
        ridge.fit(x, y)
        assert list(added(ridge)) == ["prediction", "sd"]
        np.testing.assert_allclose(added(ridge)["prediction"], ridge.predict(x[:9]))
    assert list(added(pipeline.make_pipeline(linear_model.LinearRegression()).fit(x, y))) == ["prediction"]
    words = np.where(y > 0, "up", "down")
    machine = svm.LinearSVC().fit(x, words)
    assert added(machine) == {"prediction": machine.predict(x[:9]).tolist()}

    class Cautious(linear_model.LogisticRegression):
        """A classifier that says "up" where that is likely, and not only likelier."""

        def predict(self, X: object) -> object:
            return np.where(self.predict_proba(X)[:, 1] > 0.99, "up", "down")

    cautious = Cautious().fit(x, words)
    assert added(cautious)["prediction"] == cautious.predict(x[:9]).tolist()

    class Plain:
        def predict(self, X: object) -> object:
            assert type(X).__name__ == "RecordBatch"
            return X.column("a").to_pylist()

    assert added(Plain(), convert=lambda batch: batch)["prediction"] == x[:9, 0].tolist()
    with pytest.raises(ValueError, match="several targets"):
        added(linear_model.LinearRegression().fit(x, np.stack([y, y], 1)))
    with pytest.raises(TypeError, match="no predict"):
        added(preprocessing.StandardScaler().fit(x))
    with pytest.raises(TypeError, match="'a' is of the type string"):
        list(gf.arrow.batches(line, [pa.record_batch({"a": ["x"], "b": [1.0]})], ["a", "b"]))
    with pytest.raises(ValueError, match="column 'prediction'"):
        list(gf.arrow.batches(line, [pa.record_batch({"a": [0.0], "prediction": [1.0]})], ["a", "prediction"]))
    nothing = list(gf.arrow.batches(line, rows[:1], ["a", "b"]))
    assert nothing[0].schema.names == ["a", "b", "prediction"] and nothing[0].num_rows == 0
