"""What cannot be emitted is refused with the reason, and nothing is printed."""


def check(modules):
    refused = {
        "g(x; lambda) = max(lambda, x)": "keyword of Python",
        "g(x; max) = |x - max|": "builtin of Python",
        "g(x; d_mean) = |x - d_mean|": "name of the module",
        "max(0, x)^65": "degree of a piece is limited to 64",
    }
    for expression, reason in refused.items():
        for target in ["numpy", "jax", "pytorch"]:
            done = modules.run(expression, "--target", target)
            assert done.returncode == 2 and not done.stdout, (expression, done.stderr)
            assert reason in done.stderr, (expression, done.stderr)
