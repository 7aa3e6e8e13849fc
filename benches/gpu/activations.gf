# What benches/gpu measures: straight and curved, continuous and with jumps, with few knots and with sixteen.
relu(x) = max(0, x)
leaky_relu(x; eps in (0, 1)) = max(eps * x, x)
hard_tanh(x) = clamp(x, -1, 1)
hard_swish(x) = x * clamp(x/6 + 1/2, 0, 1)
hard_shrink(x) = piecewise { x < -1/2: x; x <= 1/2: 0; else: x }
soft_shrink(x) = x - clamp(x, -1/2, 1/2)
hat(x) = max(0, 1 - |x|)
relu2(x) = max(0, x)^2
absx2m2(x) = |x^2 - 2|
tanh_cubic(x) = piecewise {
    x < -3: -1;
    x < -1: -19/100 + 81/100*x + 27/100*x^2 + 3/100*x^3;
    x < 1: 24/25*x - 1/5*x^3;
    x < 3: 19/100 + 81/100*x - 27/100*x^2 + 3/100*x^3;
    else: 1
}
hinges(x) = max(0, x + 7) - 2*max(0, x + 6) + 3*max(0, x + 5) - 4*max(0, x + 4) + 5*max(0, x + 3) - 6*max(0, x + 2)
    + 7*max(0, x + 1) - 8*max(0, x) + 9*max(0, x - 1) - 8*max(0, x - 2) + 7*max(0, x - 3) - 6*max(0, x - 4)
    + 5*max(0, x - 5) - 4*max(0, x - 6) + 3*max(0, x - 7) - 2*max(0, x - 8)
