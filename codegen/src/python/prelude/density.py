def NAME(y):
    """phi(sqrt(y))"""
    return xp.exp(-0.5 * y) * 0.3989422804014327
