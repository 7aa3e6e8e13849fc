# Comments begin with one sign; two make the documentation of the type that follows.

## The linear B-spline.
hat(x) = max(0, 1 - |x|)

## The proximal map of lambda |x|; what is shrunk to 0 stays there.
soft_threshold(x; lambda > 0) = max(x - lambda, 0) + min(x + lambda, 0)

## What `soft_threshold` takes away: the projection on the interval from -lambda to lambda.
projection(x; lambda > 0) = x - soft_threshold(x, lambda)
