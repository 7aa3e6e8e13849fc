# Activations of every kind that kernels have to be right for, compiled for the suite only. What
# the suite believes of them stands in `src/registry.rs`, written by hand.

relu(x) = max(0, x)

leaky_relu(x) = max(x/100, x)

hard_tanh(x) = clamp(x, -1, 1)

hard_swish(x) = x*clamp(x + 3, 0, 6)/6

relu6(x) = clamp(x, 0, 6)

soft_shrink_half(x) = x - clamp(x, -1/2, 1/2)

hard_shrink(x) = piecewise { x < -1/2: x; x <= 1/2: 0; else: x }

hat(x) = max(0, 1 - |x|)

abs(x) = |x|

x_abs_x(x) = x*|x|

sign_of(x) = sign(x)

step_seventh(x) = step(x - 1/7)

relu2(x) = max(0, x)^2

relu3(x) = max(0, x)^3

abs_square(x) = |x^2 - 2|

abs_cubic(x) = |x^3 - x - 1|

clamp_cubed(x) = clamp(x, -1/3, 2/3)^3

smoothstep(x) = clamp(x, 0, 1)^2*(3 - 2*clamp(x, 0, 1))

bspline(x) = piecewise {
    |x| < 1: 2/3 - x^2 + |x|^3/2;
    |x| < 2: (2 - |x|)^3/6;
    else: 0
}

bent(x) = ||x| - 1| + x/4

gap(x) = piecewise { |x| < 1/100: x; else: 1 }

pyramid(x) = piecewise { |x| < 1: 2; |x| < 2: 1; else: 0 }

arch(x) = piecewise { |x| < 1: 33/10 + x^2; else: 0 }

staircase(x) = step(x + 2)/2 + step(x + 1) + 2*step(x) + step(x - 1)/4 - step(x - 3)

close_knots(x) = |x| - |x - 1/100| + |x - 1/50| - |x - 1| + |x - 101/100| - |x - 51/50|

quartic_sign(x) = x^4*sign(x - 1/2)

smootherstep(x) = clamp(x, 0, 1)^3*(10 - 15*clamp(x, 0, 1) + 6*clamp(x, 0, 1)^2)

leaky_kinks(x) = x + clamp(x, -1/2, 1/2)/1000

offset(x) = 1000 + sign(x) + x^2

soft_shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)

clamp_between(x; a < b) = clamp(x, a, b)

smooth_ramp(x; a < b) = clamp((x - a)/(b - a), 0, 1)^2*(3 - 2*clamp((x - a)/(b - a), 0, 1))

hard_sigmoid(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)

prelu(x; slope) = piecewise { x < 0: slope*x; else: x }

pulse(x; height, base) = piecewise { |x| < 1: height*(x + 3); else: base }

third_step(x; a, b) = step(x - (a + b)/3)

slanted(x; a > 0, b) = max(0, a*x - b)

band(x; a > 0, b > 0) = clamp(a*x, -b, b)

square_beyond(x; a > 0, b > 0) = max(0, x - 1/(a + b))^2
