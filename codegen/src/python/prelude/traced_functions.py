def _any(mask):
    """Whether there is something to do: what is traced does not say."""
    return True


def _by_rules(p, count, by_rule, panel, stretch, *lists):
    """Results by the largest rule, which serves every element."""
    return by_rule(p.numbers.rules[-1], panel, stretch, *lists)
