"""Error bars of one trained network, beside what other packages give for it.

    python -m pip install torch-adf laplace-torch torch-uncertainty
    python python/benches/error_bars.py

A network is trained once. Three doubts go through it, one after the other: noise of the inputs, noise of the weights, and dropout. The
standard deviation of each output is divided by that of 100 000 samples, and the range over 100 rows is printed, with the
milliseconds for all rows on one thread. Packages that are not installed are left out. The weights have the variances of a
diagonal Laplace approximation, where `laplace` is there, so that both get the same posterior.

Then windows of a max pool are set beside samples by themselves: the range of the error of the mean, in standard deviations, and that of the ratio of
standard deviations. Inputs have noise of standard deviation 1, which is independent or correlated by 0.8 to the power of the distance.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

import gaussform as gf

ROWS, SAMPLES, CHUNK = 100, 100_000, 4_000
NOISE = 0.3


def trained(activation: Callable[[], nn.Module], dropout: float = 0.0) -> nn.Sequential:
    """A network with two hidden layers, trained on 400 rows of two inputs."""
    torch.manual_seed(0)
    x = torch.rand(400, 2) * 4 - 2
    y = x[:, :1].abs() + x[:, :1] * x[:, 1:]
    body: list[nn.Module] = []
    for inputs in (2, 32):
        body += [nn.Linear(inputs, 32), activation(), *([nn.Dropout(dropout)] if dropout else [])]
    net = nn.Sequential(*body, nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(400):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    return net.eval()


def rows() -> Tensor:
    """The rows that are asked for."""
    return torch.rand(ROWS, 2, generator=torch.Generator().manual_seed(1)) * 4 - 2


def sampled(draw: Callable[[int], Tensor]) -> Tensor:
    """The standard deviation of each row's output over many draws of (draws, rows, 1), in double precision."""
    total = square = torch.zeros(ROWS, 1, dtype=torch.float64)
    for _ in range(SAMPLES // CHUNK):
        y = draw(CHUNK).double()
        total, square = total + y.sum(0), square + (y * y).sum(0)
    mean = total / SAMPLES
    return (square / SAMPLES - mean**2).sqrt()


def show(name: str, truth: Tensor, run: Callable[[], Tensor]) -> None:
    """Prints the range of a method's standard deviations over those of samples, and its time."""
    try:
        with torch.no_grad():
            sd = run()
            times = []
            for _ in range(5):
                start = time.perf_counter()
                run()
                times.append(time.perf_counter() - start)
    except ImportError as error:
        print(f"  {name:58} not installed: {error.name}")
        return
    ratio = (sd.reshape(truth.shape).double() / truth).flatten()
    low, middle, high = ratio.min(), ratio.median(), ratio.max()
    print(f"  {name:58} {low:.3f} to {high:.3f}, median {middle:.3f}   {1e3 * min(times):8.2f} ms")


def of_inputs(net: nn.Sequential, is_relu: bool) -> None:
    """Noise of the inputs."""
    x = rows()
    with torch.no_grad():
        draw = lambda n: net((x + NOISE * torch.randn(n, ROWS, 2)).flatten(0, 1)).reshape(n, ROWS, 1)  # noqa: E731
        truth = sampled(draw)

    def adf(mode: str) -> Tensor:
        from torchadf.nn import functional as adf

        mean, spread = x, torch.full_like(x, NOISE**2)
        if mode == "full":
            spread = torch.diag_embed(spread)
        for layer in net:
            if isinstance(layer, nn.Linear):
                mean, spread = adf.linear(mean, spread, layer.weight, layer.bias, mode)
            else:
                mean, spread = adf.relu(mean, spread, mode)
        return spread.reshape(ROWS, 1).sqrt()

    full = lambda: gf.torch.propagate(net, x, NOISE**2)[1].reshape(ROWS, 1).sqrt()  # noqa: E731
    diagonal = lambda: gf.torch.propagate(net, x, NOISE**2, covariance="diagonal")[1].sqrt()  # noqa: E731
    show("gf.torch.propagate", truth, full)
    show('gf.torch.propagate(…, covariance="diagonal")', truth, diagonal)
    if is_relu:
        show("torch-adf", truth, lambda: adf("diag"))
        show('torch-adf, mode="full"', truth, lambda: adf("full"))


def of_weights(net: nn.Sequential) -> None:
    """Noise of the weights, with the posterior of a diagonal Laplace approximation where there is one."""
    x = rows()
    parameters = dict(net.named_parameters())
    variances = {name: torch.full_like(p, 1e-3) for name, p in parameters.items()}
    fitted = None
    try:
        from laplace import Laplace

        torch.manual_seed(2)
        data = torch.rand(400, 2) * 4 - 2
        target = data[:, :1].abs() + data[:, :1] * data[:, 1:]
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, target), batch_size=100)
        fitted = Laplace(net, "regression", subset_of_weights="all", hessian_structure="diag", sigma_noise=0.3, prior_precision=10.0)
        fitted.fit(loader)
        flat, start = fitted.posterior_variance, 0
        for name, p in parameters.items():
            variances[name] = flat[start : start + p.numel()].reshape(p.shape)
            start += p.numel()
    except ImportError:
        pass
    deviations = {name: v.sqrt() for name, v in variances.items()}

    def once(drawn: dict[str, Tensor]) -> Tensor:
        return torch.func.functional_call(net, drawn, (x,))

    def draw(n: int) -> Tensor:
        drawn = {k: parameters[k] + deviations[k] * torch.randn(n, *deviations[k].shape) for k in parameters}
        return torch.func.vmap(once)(drawn)

    with torch.no_grad():
        truth = sampled(draw)
    show("gf.torch.propagate(…, weight_variance=…)", truth, lambda: gf.torch.propagate(net, x, 0.0, weight_variance=variances)[1].reshape(ROWS, 1).sqrt())
    if fitted is not None:
        with torch.enable_grad():
            show("laplace-torch (the network linearised in its weights)", truth, lambda: fitted(x)[1].reshape(ROWS, 1).sqrt())


def of_dropout(net: nn.Sequential) -> None:
    """Dropout that stays on."""
    x = rows()
    net.train()
    with torch.no_grad():
        truth = sampled(lambda n: net(x.expand(n, ROWS, 2).flatten(0, 1)).reshape(n, ROWS, 1))
    net.eval()
    show("gf.torch.propagate(…, dropout=True)", truth, lambda: gf.torch.propagate(net, x, 0.0, dropout=True)[1].reshape(ROWS, 1).sqrt())

    def samples(count: int) -> Tensor:
        from torch_uncertainty.methods import mc_dropout

        model = mc_dropout(net, num_estimators=count, task="regression", probabilistic=False).eval()
        return model(x).reshape(count, ROWS, 1).std(0)

    for count in (16, 1024):
        show(f"torch-uncertainty, mc_dropout, {count} passes", truth, lambda count=count: samples(count))


def of_windows(side: int, spread: float, correlation: float) -> None:
    """The maximum of a square window, whose means have this standard deviation."""
    count = side * side
    place = torch.stack(torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij"), -1).reshape(count, 2).double()
    cov = correlation ** torch.cdist(place, place) if correlation else torch.eye(count, dtype=torch.float64)
    generator = torch.Generator().manual_seed(3)
    means = spread * torch.randn(ROWS if spread else 1, 1, side, side, generator=generator, dtype=torch.float64)
    noise = torch.randn(SAMPLES, count, generator=generator, dtype=torch.float64) @ torch.linalg.cholesky(cov).T
    drawn = torch.stack([(mean.flatten() + noise).amax(1) for mean in means])
    mean, sd = drawn.mean(1), drawn.std(1)
    pool = nn.MaxPool2d(side)
    for covariance, given in (("full", cov.expand(len(means), count, count)), ("diagonal", torch.ones(()))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gf.torch.ClarkWarning)
            got = gf.torch.propagate(pool, means, given, covariance=covariance)
        error, ratio = (got.mean.flatten() - mean) / sd, got.covariance.flatten().sqrt() / sd
        print(
            f"  {side} x {side}, means of sd {spread:.0f}, correlation {correlation}, {covariance:8}  "
            f"mean {error.min():+.3f} to {error.max():+.3f}, ratio {ratio.min():.3f} to {ratio.max():.3f}"
        )


def main() -> None:
    torch.set_num_threads(1)
    for name, activation in (("ReLU", nn.ReLU), ("Hardtanh", nn.Hardtanh)):
        net = trained(activation)
        print(f"{name}: noise of the inputs, standard deviation {NOISE}")
        of_inputs(net, name == "ReLU")
        print(f"{name}: noise of the weights")
        of_weights(net)
        print(f"{name}: dropout of 0.1")
        of_dropout(trained(activation, 0.1))
    print("max pools: one window")
    for side in (2, 3):
        for spread in (0.0, 1.0):
            for correlation in (0.0, 0.8):
                of_windows(side, spread, correlation)


if __name__ == "__main__":
    main()
