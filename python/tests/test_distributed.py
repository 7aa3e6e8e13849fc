"""More machines than one: gradients of PyTorch's DistributedDataParallel, and partitions of Dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaussform as gf


def _loss(net: Any, rows: Any, targets: Any, count: int) -> Any:
    """The negative bound of a row: the mean over some rows, and the divergence shared by all `count` rows."""
    import torch

    mean, variance = net(rows)
    fit = gf.torch.elbo.normal(mean, variance, targets, torch.tensor(0.5)).mean()
    return gf.torch.nn.kl(net) / count - fit


def _net() -> Any:
    import torch

    torch.manual_seed(0)
    nn = gf.torch.nn
    return torch.nn.Sequential(nn.Linear(3, 8), nn.Activation("prelu", slope=0.2), nn.Linear(8, 1)).double()


def _rows() -> Any:
    import torch

    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    return torch.tensor(x), torch.tensor(np.abs(x[:, :1]) + x[:, 1:2])


def _process(rank: int, folder: str) -> None:
    """One of two processes, with every other row."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    net = torch.nn.parallel.DistributedDataParallel(_net())
    x, y = _rows()
    _loss(net, x[rank::2], y[rank::2], len(x)).backward()
    torch.save([p.grad for p in net.module.parameters()], f"{folder}/{rank}.pt")
    dist.destroy_process_group()


def test_gradients_of_two_processes_are_those_of_one(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    torch.multiprocessing.spawn(_process, (str(tmp_path),), nprocs=2)
    net = _net()
    x, y = _rows()
    _loss(net, x, y, len(x)).backward()
    for rank in range(2):
        for parameter, got in zip(net.parameters(), torch.load(tmp_path / f"{rank}.pt")):
            torch.testing.assert_close(got, parameter.grad, rtol=1e-12, atol=1e-14)


def test_partitions_of_dask_are_predicted_by_workers(rng: np.random.Generator) -> None:
    dataframe = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    pd = pytest.importorskip("pandas")
    word, size = rng.choice(["red", "green"], size=300), rng.normal(size=300)
    frame = pd.DataFrame({"word": word, "size": size})
    frame.loc[::7, "size"] = np.nan
    y = np.where(word == "red", 3.0, 0.0) + size
    model = gf.sklearn.GaussformRegressor(8, random_state=0, max_iter=50).fit(frame, y)

    def predicted(part: Any) -> Any:
        mean, sd = model.predict(part, return_std=True)
        return part.assign(prediction=mean, sd=sd)

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            table = dataframe.from_pandas(frame, npartitions=5)
            got = table.map_partitions(predicted, meta={**frame.dtypes, "prediction": float, "sd": float}).compute()
    mean, sd = model.predict(frame, return_std=True)
    np.testing.assert_array_equal(got["prediction"], mean)
    np.testing.assert_array_equal(got["sd"], sd)
