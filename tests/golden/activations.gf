# The functions of moments_f64.csv and moments_f32.csv.
relu(x) = max(0, x)
leaky_relu(x) = piecewise { x > 0: x; else: x/100 }
hard_tanh(x) = clamp(x, -1, 1)
relu2(x) = max(0, x)^2
abs(x) = |x|
xabsx(x) = x*|x|
hat(x) = max(0, 1 - |x|)
heaviside(x) = step(x)
soft_shrink(x) = x - clamp(x, -1/2, 1/2)
absx2m2(x) = |x^2 - 2|
