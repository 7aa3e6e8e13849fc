def _numbers(words):
    """The rules in words of a precision, column by column."""
    rules = []
    for nodes, weights, most in _RULES:
        columns = [list(column) for column in zip(*(words(node) for node in nodes))]
        rules.append((columns, weights, most))
    return SimpleNamespace(rules=rules)
