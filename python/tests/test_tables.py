"""Polars expressions, and predictions over partitioned files."""

from __future__ import annotations

import warnings
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


def test_moments_keep_the_names_of_their_columns() -> None:
    gf.polars
    frame = pl.DataFrame({"mu": [0.0, 1.0], "nu": [2.0, None], "gamma": ["kept", "too"], "xi2": [1.0, 2.0], "day": [0, 1]})
    got = frame.with_columns(pl.col("mu").gaussform.moments(1.0, "relu"))
    assert got.columns == frame.columns and got["gamma"].to_list() == ["kept", "too"]
    assert got["mu"].struct.field("mean").to_list() == gf.library.relu.moments([0.0, 1.0], 1.0).mean.tolist()
    for both in (frame.select(pl.col("mu", "nu").gaussform.moments("xi2", "relu")), frame.lazy().select(pl.col("mu", "nu").gaussform.moments("xi2", "relu")).collect()):
        assert both.columns == ["mu", "nu"] and both["nu"].struct.field("mean").null_count() == 1
        assert both["nu"].struct.field("variance")[0] == gf.library.relu.moments(2.0, 1.0).variance
    assert frame.select((pl.col("mu") + 1).alias("next").gaussform.moments_grad(pl.col("xi2"), "relu")).columns == ["next"]
    assert frame.select(pl.lit(0.5).gaussform.moments("xi2", "relu")).height == 2
    assert frame.head(0).select(pl.col("mu").gaussform.moments("xi2", "relu")).height == 0
    assert frame.select(pl.col("day").gaussform.moments(1, "relu").struct.field("mean"))["mean"].dtype == pl.Float64
    for column in (pl.col("gamma"), pl.col("day").cast(pl.Date), pl.col("day").cast(pl.String)):
        with pytest.raises(Exception, match="numbers are wanted"):
            frame.select(column.gaussform.moments("xi2", "relu"))
        with pytest.raises(Exception, match="xi2 is the column '(gamma|day)'"):
            frame.select(pl.col("mu").gaussform.moments(column, "relu"))


def test_variances_that_are_no_column_are_refused() -> None:
    gf.polars
    for wrong in (None, [1.0], np.ones(2), pl.Series([1.0, 2.0])):
        with pytest.raises(TypeError, match="the name of a column, an expression or a number is wanted"):
            pl.col("mu").gaussform.moments(wrong, "relu")
    frame = pl.DataFrame({"mu": [0.0, 1.0]})
    both = [frame.select(pl.col("mu").gaussform.moments(one, "relu")) for one in (1, 1.0, True, np.float32(1), pl.lit(pl.Series([1.0, 1.0])))]
    assert all(other.equals(both[0]) for other in both)


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
    for settings, error, words in (
        ({"columns": ["a", "c"]}, KeyError, "no column 'c'"),
        ({"columns": ["a", "b"], "partitioning": ["Part"]}, KeyError, "partitioning names 'Part'"),
        ({"columns": "ab"}, TypeError, "columns is 'ab'"),
        ({"columns": ["a", "b"], "partitioning": "part"}, TypeError, "partitioning is 'part'"),
    ):
        with pytest.raises(error, match=words):
            gf.arrow.predict(model, tmp_path / "in", tmp_path / "other", **settings)
    kinds = linear_model.LogisticRegression().fit(x[:200], x[:200, 0] > 0)
    (batch,) = gf.arrow.batches(kinds, [pa.record_batch({"a": x[:3, 0], "b": x[:3, 1]})], ["a", "b"])
    assert batch.schema.names == ["a", "b", "prediction", "probability_False", "probability_True"]


def test_names_of_folders_are_words(rng: np.random.Generator, tmp_path: Path) -> None:
    """Words of digits stay what they are, and a number is read out of its word by what was trained on numbers."""
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("sklearn")
    import pyarrow as pa

    frame = pl.DataFrame({"size": rng.normal(size=300), "zip": ["01234", "11234", "x"] * 100, "month": [1, 2] * 150, "part": [3] * 300})
    target = frame["size"] + frame["zip"].replace_strict({"01234": 5.0, "11234": 0.0, "x": -5.0}) + frame["month"]
    inputs = frame.drop("part").cast({"month": pl.Float64})
    model = gf.sklearn.GaussformRegressor(10, random_state=0, max_iter=100).fit(inputs, target)
    # The folder that all is in has a name of the same form, and is no part of the table.
    source = tmp_path / "run=3" / "in"
    pq.write_to_dataset(frame.to_arrow(), source, partition_cols=["zip", "month", "part"])
    settings = {"columns": inputs.columns, "partitioning": ["zip", "month"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gf.arrow.predict(model, source, tmp_path / "out", **settings) == 300
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["zip=01234", "zip=11234", "zip=x"]
    schema = pa.schema([("zip", pa.string()), ("month", pa.int64()), ("part", pa.string())])
    got = pl.from_arrow(pq.read_table(tmp_path / "out", partitioning=pa.dataset.partitioning(schema, flavor="hive")))
    assert set(got.columns) == {"size", "part", "prediction", "sd", "zip", "month"} and set(got["part"]) == {"3"}
    wanted = model.predict(got.select(inputs.columns).cast({"month": pl.Float64}))
    np.testing.assert_allclose(got["prediction"], wanted, rtol=1e-6)
    # Files that no folder divides may give predictions that are.
    (tmp_path / "flat").mkdir()
    frame.drop("part").write_parquet(tmp_path / "flat" / "rows.parquet")
    assert gf.arrow.predict(model, tmp_path / "flat", tmp_path / "by zip", inputs.columns, partitioning=["zip"]) == 300
    assert len(list((tmp_path / "by zip").iterdir())) == 3
    # A schema says other types.
    numbers = {**settings, "partitioning": pa.schema([("month", pa.int64())])}
    gf.arrow.predict(model, source, tmp_path / "months", **numbers)
    file = next((tmp_path / "months").glob("month=1/*.parquet"))
    assert pq.read_schema(file).names == ["size", "part", "zip", "prediction", "sd"]


def test_a_table_without_rows_is_one_of_predictions_too(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    linear_model = pytest.importorskip("sklearn.linear_model")
    import pyarrow as pa

    model = linear_model.BayesianRidge().fit(np.eye(2), [0.0, 1.0])
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"a": pa.array([], pa.float64()), "b": pa.array([], pa.float64())}), tmp_path / "in" / "0.parquet")
    assert gf.arrow.predict(model, tmp_path / "in", tmp_path / "out", ["a", "b"]) == 0
    got = pq.read_table(tmp_path / "out")
    assert got.num_rows == 0 and got.schema.names == ["a", "b", "prediction", "sd"]
    with pytest.raises(ValueError, match="not empty"):
        gf.arrow.predict(model, tmp_path / "in", tmp_path / "out", ["a", "b"])


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
    for whole in (rows[1], pa.Table.from_batches(rows), pa.Table.from_batches(rows).to_reader()):
        found = pa.Table.from_batches(list(gf.arrow.batches(line, whole, ["a", "b"])))
        np.testing.assert_array_equal(found["prediction"], line.predict(x[:9]))
    for source in ("rows", [x], pa.Table.from_batches(rows).columns):
        with pytest.raises(TypeError, match="record batches of Arrow are wanted"):
            list(gf.arrow.batches(line, source, ["a", "b"]))
    (tmp_path / "none").mkdir()
    with pytest.raises(FileNotFoundError, match="none has no file of Parquet"):
        gf.arrow.predict(line, tmp_path / "none", tmp_path / "out", ["a", "b"])
    nothing = list(gf.arrow.batches(line, rows[:1], ["a", "b"]))
    assert nothing[0].schema.names == ["a", "b", "prediction"] and nothing[0].num_rows == 0
