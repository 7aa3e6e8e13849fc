# Piecewise polynomials in place of activations that are none. The feature `approximations` compiles
# them. What is added to a rectifier or taken from a step is a sum of (1 - |x|/t)^n up to t and 0 from
# there on, so that values and slopes fit together by themselves. Places t and weights are the best
# short rationals of a grid, and `python generated/approximations.py` finds them. The errors are the
# largest over all x.

## The sigmoid to 0.0035, continuous with its slope.
sigmoid_quadratic(x) = 1/2 + sign(x) * (1/2
    - 5/16*max(0, 1 - |x|/3)^2
    - 3/16*max(0, 1 - |x|/6)^2)

## The sigmoid to 0.0050, continuous with its slope; without a knot at 0.
sigmoid_cubic(x) = piecewise {
    x < -6: 0;
    x < -2: 0.001875*(6 + x)^3;
    x < 2: 1/2 + 0.24*x - 0.0125*x^3;
    x < 6: 1 - 0.001875*(6 - x)^3;
    else: 1
}

## tanh to 0.0069, continuous with its slope: 2 `sigmoid_quadratic`(2 x) - 1.
tanh_quadratic(x) = 2*sigmoid_quadratic(2*x) - 1

## tanh to 0.0099, continuous with its slope: 2 `sigmoid_cubic`(2 x) - 1.
tanh_cubic(x) = 2*sigmoid_cubic(2*x) - 1

## The softplus to 0.0122, continuous with its slope.
softplus_quadratic(x) = max(0, x) + 0.364*max(0, 1 - |x|/2)^2 + 0.34*max(0, 1 - |x|/5)^2

## The softplus to 0.0051, continuous with its curvature.
softplus_cubic(x) = max(0, x) + 0.305*max(0, 1 - |x|/3)^3 + 0.39*max(0, 1 - |x|/6)^3

## GELU to 0.0124, continuous with its slope; 0 at 0 as GELU is.
gelu_quadratic(x) = max(0, x) + 7/24*(max(0, 1 - 8/7*|x|)^2 - max(0, 1 - 2/7*|x|)^2)

## GELU to 0.0021, continuous with its curvature; 0 at 0 as GELU is.
gelu_cubic(x) = max(0, x) + 33/65*(max(0, 1 - 20/33*|x|)^3 - max(0, 1 - 5/18*|x|)^3)
