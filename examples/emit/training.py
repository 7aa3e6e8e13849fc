"""A network with Gaussian weights, trained on exact moments instead of samples.

gaussform emit 'relu(x) = max(0, x)' --target pytorch --out examples/emit/relu.py
"""

import relu
import torch
from torch import nn


class Layer(nn.Module):
    """Independent Normal weights: the moments of the pre-activations from those of the inputs."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.mean = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
        self.log_variance = nn.Parameter(torch.full((inputs, outputs), -6.0))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, mean, variance):
        spread = self.log_variance.exp()
        gamma = mean @ self.mean + self.bias
        xi2 = variance @ (self.mean.square() + spread) + mean.square() @ spread
        return gamma, xi2


class Network(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.first, self.second = Layer(1, hidden), Layer(hidden, 1)
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def forward(self, x):
        mean, variance = relu.moments(*self.first(x, torch.zeros_like(x)))
        mean, variance = self.second(mean, variance)
        return mean, variance + self.log_noise.exp()


torch.manual_seed(0)
x = torch.linspace(-2, 2, 200).unsqueeze(1)
y = (x - 0.5).abs() + 0.1 * torch.randn_like(x)
network = Network()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for step in range(301):
    mean, variance = network(x)
    loss = nn.functional.gaussian_nll_loss(mean, y, variance)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        error = (mean - y).square().mean().sqrt()
        print(f"step {step}: loss {loss:.3f}, root mean square error {error:.3f}")
deviation = network(x)[1][100].detach().sqrt().item()
print(f"noise of the data 0.100, deviation predicted at x = 0: {deviation:.3f}")
