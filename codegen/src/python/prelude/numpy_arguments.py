# Arrays are computed in blocks that stay in the cache.
_BLOCK = 4096


def _map(kernel, count, *arguments):
    """Calls a kernel in double precision, and gives its results in the precision asked for."""
    arguments = [a if isinstance(a, (int, float)) else np.asarray(a) for a in arguments]
    dtype = np.result_type(*arguments)
    if np.issubdtype(dtype, np.complexfloating):
        raise TypeError("the moments are those of a real pre-activation")
    if dtype not in (np.float16, np.float32):
        dtype = np.dtype(np.float64)
    arrays = [np.asarray(a, np.float64) for a in arguments]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    # A parameter that is one number stays one.
    whole = [i < 2 or a.ndim > 0 for i, a in enumerate(arrays)]
    flat = [np.broadcast_to(a, shape).ravel() if w else a for w, a in zip(whole, arrays)]
    results = np.empty((count, flat[0].size), dtype)
    with np.errstate(all="ignore"):
        for start in range(0, flat[0].size, _BLOCK):
            part = slice(start, start + _BLOCK)
            block = kernel(_F64, *(a if a.ndim == 0 else a[part] for a in flat))
            for row, result in zip(results, block):
                row[part] = result
    return tuple(row.reshape(shape)[()] for row in results)
