def _table(p, rows, like):
    """Rows of numbers along the first axis; the others broadcast with those of a tensor."""
    table = torch.tensor(rows, dtype=p.dtype, device=like.device)
    return table.reshape(*table.shape, *[1] * like.ndim)
