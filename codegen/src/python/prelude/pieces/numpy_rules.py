def _by_rules(p, count, by_rule, panel, stretch, *lists):
    """Results by rules, each for the elements that take it."""
    left = p.pair_round(panel[3:5]) > p.least
    results = np.zeros((count, *left.shape))
    for rule in p.numbers.rules:
        here = left & (stretch[4] <= rule[2])
        left &= ~here
        if here.any():
            records = (panel, stretch, *lists)
            inputs = [tuple(part[..., here] for part in record) for record in records]
            for row, result in zip(results, by_rule(rule, *inputs)):
                row[here] = result
    return tuple(results)
