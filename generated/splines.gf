# Smooth piecewise polynomials: B-splines and smooth steps. The feature `splines` compiles them.

## The quadratic B-spline on -3/2, -1/2, 1/2, 3/2; de Boor 1978.
quadratic_bspline(x) = piecewise {
    |x| < 1/2: 3/4 - x^2;
    |x| < 3/2: (3/2 - |x|)^2/2;
    else: 0
}

## The cubic B-spline on -2, -1, 0, 1, 2; de Boor 1978. The basis of Kolmogorov-Arnold networks, Liu
## et al. 2024.
cubic_bspline(x) = piecewise {
    |x| < 1: 2/3 - x^2 + |x|^3/2;
    |x| < 2: (2 - |x|)^3/6;
    else: 0
}

## GLSL `smoothstep(0, 1, x)`: the cubic that rises from 0 to 1 with flat ends.
##
## With 1/2 + x/gamma inserted for x it is the smooth step of Hazimeh et al. 2020.
smoothstep(x) = clamp(x, 0, 1)^2 * (3 - 2*clamp(x, 0, 1))

## The quintic smooth step of Perlin 2002, whose ends have no curvature either.
smootherstep(x) = clamp(x, 0, 1)^3 * (10 - 15*clamp(x, 0, 1) + 6*clamp(x, 0, 1)^2)
