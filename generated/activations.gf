# The standard activations. A type for each, with its kernels, is generated at build time.

# max(0, x): Nair and Hinton 2010; torch.nn.ReLU.
relu(x) = max(0, x)

# torch.nn.LeakyReLU, whose slope is 0.01 by default.
leaky_relu(x; eps in (0, 1)) = max(eps * x, x)

# torch.nn.PReLU: a slope of any sign, meant to be learned.
prelu(x; slope) = piecewise { x < 0: slope * x; else: x }

# torch.nn.Hardtanh; the paper's hard sigmoid (Eq. 23) with alpha = 1.
hard_tanh(x) = clamp(x, -1, 1)

# torch.nn.Hardsigmoid.
hard_sigmoid(x) = clamp(x + 3, 0, 6) / 6

# The paper's Eq. 28.
relu2(x) = max(0, x)^2

# torch.nn.ReLU6.
relu6(x) = clamp(x, 0, 6)

# The payoff of a straddle, and the integrand of the paper's Eq. 18.
abs(x) = |x|

# The step: 0 up to 0, then 1. Its mean is the probability of a positive pre-activation.
heaviside(x) = step(x)

# The linear B-spline.
hat(x) = piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 1 - x; else: 0 }
