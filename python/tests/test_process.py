"""What other code of the process does: forks, threads, floating-point flags, the interpreter's lock."""

from __future__ import annotations

import ctypes
import mmap
import multiprocessing
import os
import platform
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gaussform as gf

MANY = 200_000


def _work(seed: int) -> float:
    gamma = np.random.default_rng(seed).normal(size=MANY)
    return float(gf.library.hard_swish.moments(gamma, 1.0).mean.sum())


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_threads_work_in_a_process_that_was_forked() -> None:
    wanted = [_work(seed) for seed in range(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_work, range(3)).get(timeout=60) == wanted


def _control() -> tuple[object, object]:
    """Functions that read and write MXCSR, as four bytes of machine code each."""
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes([0x0F, 0xAE, 0x1F, 0xC3]) + bytes([0x0F, 0xAE, 0x17, 0xC3]))
    start = ctypes.addressof(ctypes.c_char.from_buffer(code))
    kind = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint32))
    _control.keep = code  # type: ignore[attr-defined]
    return kind(start), kind(start + 4)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="flags of x86-64")
@pytest.mark.parametrize("count", [100, MANY])
def test_subnormal_numbers_stay_where_the_thread_flushes_them(count: int) -> None:
    read, write = _control()
    gamma = np.linspace(-38.6, -37.0, count)
    wanted = gf.library.relu.moments(gamma, 1.0)
    tiny = np.finfo(np.float64).tiny
    assert ((wanted.mean > 0) & (wanted.mean < tiny)).any()
    flags, before = ctypes.c_uint32(), ctypes.c_uint32()
    read(ctypes.byref(before))
    # Flush to zero, and subnormal numbers are zero.
    write(ctypes.byref(ctypes.c_uint32(before.value | 0x8040)))
    try:
        got = gf.library.relu.moments(gamma, 1.0)
        read(ctypes.byref(flags))
    finally:
        write(ctypes.byref(before))
    assert flags.value & 0x8040 == 0x8040
    assert_array_equal(got.mean, wanted.mean)
    assert_array_equal(got.variance, wanted.variance)


def test_the_lock_of_the_interpreter_is_released() -> None:
    gamma = np.random.default_rng(0).normal(size=2_000_000)
    turns, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            turns[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = turns[0]
        gf.derive("|x|*max(0, x - 1/7)").moments_grad(gamma, 1.0)
        assert turns[0] > before + 10
    finally:
        stop.set()
        thread.join()


def test_the_number_of_threads_is_set() -> None:
    before = _work(0)
    try:
        gf.set_num_threads(1)
        assert gf.get_num_threads() == 1 and _work(0) == before
        gf.set_num_threads(2)
        most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        assert most is not None
        assert gf.get_num_threads() == min(2, most) and _work(0) == before
        for many in (10**6, 10**30):
            gf.set_num_threads(many)
            assert gf.get_num_threads() <= most and _work(0) == before
        with pytest.raises(ValueError, match="count is -1; a number of threads is wanted, or 0"):
            gf.set_num_threads(-1)
        with pytest.raises(TypeError):
            gf.set_num_threads(1.5)  # type: ignore[arg-type]
    finally:
        gf.set_num_threads(0)


def test_importing_needs_numpy_alone() -> None:
    code = (
        "import sys, gaussform\n"
        "wrong = {'torch', 'jax', 'sklearn', 'polars', 'pandas', 'scipy', 'pyarrow'} & set(sys.modules)\n"
        "assert not wrong, wrong"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
