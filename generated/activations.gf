# The activations that frameworks ship and papers name, as far as they are piecewise polynomials. A
# type for each, with its kernels, is generated at build time. Lines that begin with ## become its
# documentation; their first paragraph is the last column of `gaussform list`.

# Rectifiers.

## `torch.nn.Identity`, `jax.nn.identity`, Keras `linear`: the pre-activation itself.
identity(x) = x

## `torch.nn.ReLU`, `jax.nn.relu`, Keras `relu`, Burn `Relu`, Candle `Relu`; Nair and Hinton 2010.
relu(x) = max(0, x)

## `torch.nn.LeakyReLU` and `jax.nn.leaky_relu` (eps 0.01), Keras `leaky_relu` (0.2), Burn
## `LeakyRelu` (0.01), Candle `LeakyRelu`; Maas, Hannun and Ng 2013.
leaky_relu(x; eps in (0, 1)) = max(eps * x, x)

## `torch.nn.PReLU`, Keras `PReLU`, `flax.nnx.PReLU`, Burn `PRelu`, Candle `PReLU`; He et al. 2015.
##
## A slope of any sign, meant to be learned; it begins at 0.25 in PyTorch.
prelu(x; slope) = piecewise { x < 0: slope * x; else: x }

## `torch.nn.RReLU` (lower 1/8, upper 1/3) and Burn `RRelu` in evaluation; Xu et al. 2015.
##
## The slope is the mean of the uniform distribution that training draws it from.
rrelu(x; lower, upper, lower <= upper) = prelu(x, (lower + upper)/2)

## Keras `relu` with all of its arguments: `negative_slope`, `max_value` and `threshold`.
##
## Keras clips below 0 before the slope is added, so the threshold is not negative.
keras_relu(x; negative_slope, threshold >= 0, threshold < max_value) = piecewise {
    x <= threshold: negative_slope * (x - threshold);
    x < max_value: x;
    else: max_value
}

## `torch.nn.Threshold`, Keras `threshold` (`default_value` is `value`), Burn `Threshold`.
threshold(x; theta, value) = piecewise { x <= theta: value; else: x }

## Keras 2 `ThresholdedReLU`, Burn `ThresholdedRelu`, ONNX `ThresholdedRelu` (1 by default in all);
## Konda, Memisevic and Krueger 2015.
thresholded_relu(x; alpha) = threshold(x, alpha, 0)

## Keras `relu(max_value=ceiling)`, MATLAB `clippedReluLayer`; Hannun et al. 2014 with ceiling 20.
clipped_relu(x; ceiling > 0) = clamp(x, 0, ceiling)

## TensorFlow Lite `RELU_0_TO_1`, MATLAB `satlin`: a rectifier that saturates at 1.
relu1(x) = clamp(x, 0, 1)

## `torch.nn.ReLU6`, `jax.nn.relu6`, Keras `relu6`, Burn `Relu6`, Candle `Relu6`; Krizhevsky 2010.
relu6(x) = clamp(x, 0, 6)

## Candle `Relu2`: the squared rectifier of Primer, So et al. 2021; the closed forms are Eq. 28 of
## Jankowiak 2018.
relu2(x) = max(0, x)^2

## The cubed rectifier, as in the deep Ritz method of E and Yu 2018.
relu3(x) = max(0, x)^3

## The shifted rectifier that Clevert, Unterthiner and Hochreiter 2016 compare ELU with.
shifted_relu(x) = max(-1, x)

## The S-shaped rectifier of Jin et al. 2016: four parameters, all meant to be learned.
srelu(x; t_left, a_left, t_right, a_right, t_left < t_right) = piecewise {
    x <= t_left: t_left + a_left * (x - t_left);
    x < t_right: x;
    else: t_right + a_right * (x - t_right)
}

## `jax.nn.sparse_plus`, Keras `sparse_plus`: a softplus that is exactly 0 up to -1 and x from 1 on.
sparse_plus(x) = piecewise { x <= -1: 0; x < 1: (x + 1)^2/4; else: x }

# Clipped ramps.

## `torch.nn.Hardtanh`, `jax.nn.hard_tanh`, Keras `hard_tanh`, Burn `HardTanh`, MATLAB `satlins`;
## Collobert 2004.
hard_tanh(x) = clamp(x, -1, 1)

## `torch.nn.Hardtanh(min_val, max_val)`, `torch.clamp`, `jax.numpy.clip`, Burn `HardTanh`.
clip(x; min_val < max_val) = clamp(x, min_val, max_val)

## The hard sigmoid of Jankowiak 2018, Eq. 23: the identity, cut off at both ends.
symmetric_clip(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2

## `torch.nn.Hardsigmoid`, `jax.nn.hard_sigmoid`, Keras 3 `hard_sigmoid`, Candle `HardSigmoid`.
hard_sigmoid(x) = clamp(x + 3, 0, 6)/6

## Keras 2 `hard_sigmoid`, the defaults of Burn `HardSigmoid` and ONNX `HardSigmoid`, Theano
## `hard_sigmoid`.
hard_sigmoid_keras2(x) = clamp(x/5 + 1/2, 0, 1)

## Burn `HardSigmoid`, ONNX `HardSigmoid` (alpha 0.2, beta 0.5).
hard_sigmoid_affine(x; alpha > 0, beta) = clamp(alpha * x + beta, 0, 1)

## `jax.nn.sparse_sigmoid`, Keras `sparse_sigmoid`, the hard sigmoid of Courbariaux, Bengio and David
## 2015: the derivative of `sparse_plus`.
sparse_sigmoid(x) = clamp(x + 1, 0, 2)/2

## `torch.nn.Hardswish`, `jax.nn.hard_swish` and `hard_silu`, Keras `hard_silu`, Burn `HardSwish`,
## Candle `HardSwish`; Howard et al. 2019.
hard_swish(x) = x * hard_sigmoid(x)

## SQNL, a square law instead of a tanh; Wuraola and Patel 2018.
sqnl(x) = clamp(x, -2, 2) - clamp(x, -2, 2) * |clamp(x, -2, 2)|/4

# Shrinkage.

## `torch.nn.Hardshrink`, Keras `hard_shrink`, Burn `HardShrink` (lambda 0.5 in all); Donoho and
## Johnstone 1994.
hard_shrink(x; lambda > 0) = piecewise { x < -lambda: x; x <= lambda: 0; else: x }

## `torch.nn.Softshrink`, Keras `soft_shrink`, Burn `SoftShrink` (lambda 0.5 in all); Donoho and
## Johnstone 1994.
soft_shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)

## ONNX `Shrink` (lambda 0.5, bias 0), Burn `Shrink` (0.5 both).
shrink(x; lambda > 0, bias) = piecewise { x < -lambda: x + bias; x <= lambda: 0; else: x - bias }

# Steps.

## `torch.heaviside` and `jax.numpy.heaviside` with the value 0 at 0; MATLAB `hardlim` has 1 there.
##
## Its mean is the probability of a positive pre-activation.
heaviside(x) = step(x)

## `torch.sign`, `jax.numpy.sign`; the binarised networks of Hubara et al. 2016, which take 1 at 0.
sign_of(x) = sign(x)

## The ternary quantiser of Li, Zhang and Liu 2016, there for weights: -1, 0 or 1.
ternary(x; delta > 0) = piecewise { x < -delta: -1; x <= delta: 0; else: 1 }

# Others.

## `torch.abs`: the payoff of a straddle, and the integrand of Eq. 18 of Jankowiak 2018.
abs(x) = |x|

## `torch.square`, `jax.numpy.square`: CryptoNets, Gilad-Bachrach et al. 2016.
square(x) = x^2

## The linear B-spline on -1, 0, 1, MATLAB `tribas`.
hat(x) = piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 1 - x; else: 0 }

## The tent of Rozsa and Boult 2019: a bounded rectifier against adversarial inputs.
tent(x; delta > 0) = max(0, delta - |x|)
