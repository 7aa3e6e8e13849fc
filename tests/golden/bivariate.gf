# The functions of bivariate.csv.
relu(x) = max(0, x)
heaviside(x) = piecewise { x > 0: 1; else: 0 }
hard_tanh(x) = clamp(x, -1, 1)
relu2(x) = max(0, x)^2
leaky_relu(x) = piecewise { x > 0: x; else: x/100 }
abs(x) = |x|
abs_shift(x) = |x - 1/2|
hat(x) = max(0, 1 - |x|)
hard_swish(x) = x*clamp(x + 3, 0, 6)/6
absx2m2(x) = |x^2 - 2|
identity(x) = x
soft_shrink(x) = x - clamp(x, -1/2, 1/2)
xabsx(x) = x*|x|
