"""What cannot be emitted is refused with the reason, and nothing is printed."""


def check(modules):
    refused = {
        "g(x; _a) = |x - _a|": "begins with an underscore",
        "max(0, x)^65": "degree of a piece is limited to 64",
    }
    for expression, reason in refused.items():
        for target in ["numpy", "jax", "pytorch"]:
            done = modules.run(expression, "--target", target)
            assert done.returncode == 2 and not done.stdout, (expression, done.stderr)
            assert reason in done.stderr, (expression, done.stderr)
    pairs = {
        ("max(0, x)", "x^2"): "a piece is curved",
        ("leaky(x; a in (0, 1)) = max(a*x, x)", "|x|"): "there are parameters",
    }
    for (g, h), reason in pairs.items():
        done = modules.run(g, "--joint", h, "--target", "numpy")
        assert done.returncode == 2 and not done.stdout, (g, h, done.stderr)
        assert reason in done.stderr, (g, h, done.stderr)
