# Activations whose knots move with parameters or are irrational, compiled for the tests only.

hard_sigmoid(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)

clamp_between(x; a <= b) = clamp(x, a, b)

soft_shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)

step_at(x; a) = step(x - a)

threshold(x; theta, v) = piecewise { x < theta: v; else: x }

smooth_ramp(x; a < b) = clamp((x - a)/(b - a), 0, 1)^2*(3 - 2*clamp((x - a)/(b - a), 0, 1))

abs_x2_minus_2(x) = |x^2 - 2|

both(x; a > 2, c) = c*|x^2 - 2| + max(0, x/a - 1)

related(x; a, b, 2*a + 1 < b*b + 1/3) = max(a, x) + b

thirds(x) = step(x - 1/3) + 2*step(x - 2/3)

third_of(x; a, b) = step(x - (a + b)/3)

parallel(x; a > 0, b > 0) = max(0, (a + b)*x - a*b)
