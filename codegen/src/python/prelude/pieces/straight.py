def _share(p, panel, c, deviation, slopes):
    """What a straight panel contributes."""
    length = p.straight_length(panel, deviation)
    if slopes:
        tails, series = p.by_tails_slopes(panel, length), p.by_series_slopes(panel, length)
    else:
        tails, series = p.by_tails(panel, length), p.by_series(panel, length)
    zero = xp.zeros_like(panel[11])
    parts = _where(p.is_narrow_panel(panel, length), _full(zero, series), _full(zero, tails))
    share = p.straight_share_slopes if slopes else p.straight_share
    return share(panel, _at(c, 0), _at(c, 1), deviation, parts)
