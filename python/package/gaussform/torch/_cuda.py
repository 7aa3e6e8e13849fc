"""The operators on CUDA tensors, by the kernels that `Function.emit("cuda")` prints.

A kernel is compiled by NVRTC when it is first called, alone (the text of the others is left out), for the architecture of the device, and kept on disk by the
content of what was compiled: in `$GAUSSFORM_CACHE`, or `gaussform` under `$XDG_CACHE_HOME` or `~/.cache`. NVRTC and the driver are reached through
`cuda.bindings`, which PyTorch's own wheels for CUDA bring. Where that is missing, the emitted module of PyTorch computes, compiled by `torch.compile` where
there is Triton; it is several times as slow, and its compilation takes half a minute.

What has no emitted kernel, second derivatives and derivatives in parameters, is computed on the processor.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import re
import struct
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .._function import MomentsGrad
from . import _operators as operators

_THREADS = 128
#: One kernel of an emitted header.
_KERNEL = re.compile(r"GSF_KERNEL void (\w+)\(.*?\n}\n", re.DOTALL)


def source(text: str, quantity: str, dtype: torch.dtype) -> tuple[str, str]:
    """The name of a kernel, and a header that has it as its only one."""
    function = operators.function(text)
    suffix = "" if dtype == torch.float64 else "_f32"
    name = f"{function.name}_{quantity}_kernel{suffix}"
    header = function.emit("cuda")
    if name not in _KERNEL.findall(header):
        raise RuntimeError(f"the emitted header of {function.name!r} has no kernel {name!r}")
    return name, _KERNEL.sub(lambda match: match[0] if match[1] == name else "", header)


def _cache() -> Path:
    given = os.environ.get("GAUSSFORM_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gaussform"


def _checked(result: tuple[Any, ...], what: str) -> Any:
    code, *values = result
    if int(code) != 0:
        raise RuntimeError(f"{what}: {code.name}")
    return values[0] if len(values) == 1 else values


def compiled(code: str, architecture: str) -> bytes:
    """The machine code of a header, from the cache or by NVRTC."""
    from cuda.bindings import nvrtc  # pyright: ignore[reportAttributeAccessIssue]

    options = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false", b"-default-device", b"--std=c++17"]
    version = _checked(nvrtc.nvrtcVersion(), "the version of NVRTC")
    content = b"\0".join([code.encode(), *options, repr(version).encode()])
    path = _cache() / f"{hashlib.sha256(content).hexdigest()}.cubin"
    try:
        return path.read_bytes()
    except OSError:
        pass
    program = _checked(nvrtc.nvrtcCreateProgram(code.encode(), b"gaussform.cu", 0, None, None), "NVRTC")
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if int(status) != 0:
            log = bytearray(_checked(nvrtc.nvrtcGetProgramLogSize(program), "NVRTC"))
            nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(f"NVRTC does not compile the kernel: {log.decode(errors='replace')[:2000]}")
        binary = bytearray(_checked(nvrtc.nvrtcGetCUBINSize(program), "NVRTC"))
        _checked((*nvrtc.nvrtcGetCUBIN(program, binary), None), "NVRTC")
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    _keep(path, bytes(binary))
    return bytes(binary)


def _keep(path: Path, contents: bytes) -> None:
    """Writes a file whole or not at all; a cache that cannot be written is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
        os.replace(part, path)
    except OSError:
        pass


@functools.lru_cache(maxsize=1024)
def _loaded(text: str, quantity: str, dtype: torch.dtype, device: int) -> Any:
    """The kernel on a device; its module stays loaded."""
    from cuda.bindings import driver  # pyright: ignore[reportAttributeAccessIssue]

    major, minor = torch.cuda.get_device_capability(device)
    name, code = source(text, quantity, dtype)
    binary = compiled(code, f"sm_{major}{minor}")
    module = _checked(driver.cuModuleLoadData(binary), "the driver of CUDA")
    return _checked(driver.cuModuleGetFunction(module, name.encode()), "the driver of CUDA")


@functools.lru_cache(maxsize=1)
def _has_bindings() -> bool:
    try:
        from cuda.bindings import driver, nvrtc  # noqa: F401  # pyright: ignore[reportAttributeAccessIssue]
    except ImportError:
        return False
    return True


def _arguments(size: int, arrays: list[int], values: list[float]) -> ctypes.Array[ctypes.c_uint64]:
    """The arguments of a kernel, eight bytes each, and then the places of each."""
    words = [size, *arrays]
    if values:
        words += struct.unpack(f"{len(values)}Q", struct.pack(f"{len(values)}d", *values))
    count = len(words)
    memory = (ctypes.c_uint64 * (2 * count))(*words)
    start = ctypes.addressof(memory)
    memory[count:] = list(range(start, start + 8 * count, 8))
    return memory


def _stream(device: int) -> int:
    """The current stream of a device, as the driver names it."""
    stream: int = torch.cuda.current_stream(device).cuda_stream
    return stream


#: The name without an object around it, as Inductor and Triton get it; not part of PyTorch's interface, so that it may not be there.
_raw_stream: Callable[[int], int] = getattr(torch._C, "_cuda_getCurrentRawStream", _stream)


@functools.lru_cache(maxsize=1)
def _driver() -> Callable[..., Any]:
    """The driver's launch of a kernel."""
    from cuda.bindings import driver  # pyright: ignore[reportAttributeAccessIssue]

    launch: Callable[..., Any] = driver.cuLaunchKernel
    return launch


def _launch(quantity: str, g: str, parameters: Tensor, inputs: tuple[Tensor, ...], count: int) -> list[Tensor]:
    first = inputs[0]
    index = first.get_device()
    for tensor in inputs:
        if tensor.get_device() != index:
            raise RuntimeError(f"tensors lie on different devices: {', '.join(str(tensor.device) for tensor in inputs)}")
    if index != torch.cuda.current_device():
        with torch.cuda.device(index):
            return _launch(quantity, g, parameters, inputs, count)
    outputs = [torch.empty_like(first, memory_format=torch.contiguous_format) for _ in range(count)]
    size = first.numel()
    if size == 0:
        return outputs
    kernel = _loaded(g, quantity, first.dtype, index)
    values = parameters.tolist() if parameters.numel() else []
    # Copies live until the kernel is on its stream, which orders what takes their memory after it.
    contiguous = [tensor.contiguous() for tensor in inputs]
    arguments = _arguments(size, [tensor.data_ptr() for tensor in (*contiguous, *outputs)], values)
    places = ctypes.addressof(arguments) + ctypes.sizeof(arguments) // 2
    grid = (size + _THREADS - 1) // _THREADS
    (status,) = _driver()(kernel, grid, 1, 1, _THREADS, 1, 1, 0, _raw_stream(index), places, 0)
    if int(status) != 0:
        raise RuntimeError(f"the launch of a kernel: {status.name}")
    return outputs


@functools.lru_cache(maxsize=256)
def _emitted(text: str, quantity: str) -> Callable[..., Any]:
    """A function of the emitted module of PyTorch."""
    function = operators.function(text)
    code = function.emit("pytorch")
    module = types.ModuleType(f"_gaussform_{hashlib.sha256(code.encode()).hexdigest()}")
    exec(compile(code, f"<{module.__name__}>", "exec"), module.__dict__)
    # Dynamo finds the globals of a function by the name of its module.
    sys.modules[module.__name__] = module
    emitted: Callable[..., Any] = getattr(module, quantity)
    return torch.compile(emitted, dynamic=True) if importlib.util.find_spec("triton") else emitted


def _by_module(quantity: str, g: str, parameters: Tensor, gamma: Tensor, xi2: Tensor) -> list[Tensor]:
    values = dict(zip(operators.function(g)._names, parameters.tolist()))
    with torch.no_grad():
        results = _emitted(g, quantity)(gamma, xi2, **values)
    if quantity == "moments_grad":
        results = [getattr(results, name) for name in MomentsGrad._fields]
    return [part.contiguous() for part in results]


@operators.moments.register_kernel("cuda")
def moments(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> tuple[Tensor, Tensor]:
    """Mean and variance."""
    if _has_bindings():
        mean, variance = _launch("moments", g, parameters, (gamma, xi2), 2)
    else:
        mean, variance = _by_module("moments", g, parameters, gamma, xi2)
    return mean, variance


@operators.moments_grad.register_kernel("cuda")
def _gradients(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    if _has_bindings():
        return _launch("moments_grad", g, parameters, (gamma, xi2), 6)
    return _by_module("moments_grad", g, parameters, gamma, xi2)


@operators.moments_vjp.register_kernel("cuda")
def _(
    gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str
) -> tuple[Tensor, Tensor]:
    if _has_bindings():
        d_gamma, d_xi2 = _launch("vjp", g, parameters, (gamma, xi2, d_mean, d_variance), 2)
        return d_gamma, d_xi2
    _, _, m_g, m_x, v_g, v_x = _gradients(gamma, xi2, parameters, g)
    return d_mean * m_g + d_variance * v_g, d_mean * m_x + d_variance * v_x


@operators.parameters_vjp.register_kernel("cuda")
def _(gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str) -> Tensor:
    tensors = (tensor.cpu() for tensor in (gamma, xi2, d_mean, d_variance, parameters))
    result: Tensor = torch.ops.gaussform.parameters_vjp(*tensors, g)
    return result.to(parameters.device)


@operators.moments_hessian.register_kernel("cuda")
def _(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    parts = torch.ops.gaussform.moments_hessian(gamma.cpu(), xi2.cpu(), parameters.cpu(), g)
    return [part.to(gamma.device) for part in parts]
