# %% [markdown]
# # Error bars for a trained PyTorch network
#
# A network is trained as usual. Its inputs are then measured with noise. `propagate` gives mean and covariance of the outputs in one call,
# without samples.

# %%
import torch
from torch import nn

import gaussform as gf

torch.manual_seed(0)
x = torch.rand(400, 2) * 4 - 2
y = torch.stack([x[:, 0].abs() + x[:, 1], x[:, 0] * x[:, 1]], 1)
net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.Hardtanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), 0.01)
for _ in range(300):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(f"mean squared error of the trained network: {loss.item():.4f}")

# %% [markdown]
# The noise of the inputs has the standard deviation 0.2.

# %%
points = torch.tensor([[0.0, 0.0], [1.0, -0.5], [-1.5, 1.0]])
with torch.no_grad():
    mean, covariance = gf.torch.propagate(net, points, 0.2**2)
sd = covariance.diagonal(dim1=1, dim2=2).sqrt()
print("mean\n", mean, "\nstandard deviation\n", sd)

# %% [markdown]
# 100 000 samples of the noise agree. The network has two hidden layers, so that the second one's inputs are only nearly Normal.

# %%
with torch.no_grad():
    samples = net((points + 0.2 * torch.randn(100_000, 3, 2)).flatten(0, 1)).reshape(100_000, 3, 2)
ratio = sd / samples.std(0)
print("standard deviations beside those of samples\n", ratio)
assert (ratio - 1).abs().max() < 0.1

# %% [markdown]
# Noise of the weights and dropout go through in the same way.

# %%
regular = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1)).eval()
with torch.no_grad():
    mean, covariance = gf.torch.propagate(regular, points, 0.0, weight_variance=1e-4, dropout=True)
print("standard deviation by weights and dropout", covariance.flatten().sqrt())
