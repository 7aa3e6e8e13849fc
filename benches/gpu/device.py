"""CUDA by its driver and its compilers, through ctypes alone: no package is needed beside NumPy.

`Compiler` makes a cubin with NVRTC or nvcc, `Device` loads it and times kernels with events.
"""

import ctypes
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time

import numpy as np


def _folders():
    """Where compilers lie: the packages of NVIDIA on PyPI, and toolkits."""
    packages = sysconfig.get_paths()["purelib"]
    toolkits = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    return [*sorted(glob.glob(f"{packages}/nvidia/*")), *filter(None, toolkits)]


def _tool(name):
    """The path of a program, or nothing."""
    found = [f"{folder}/bin/{name}" for folder in _folders() if os.access(f"{folder}/bin/{name}", os.X_OK)]
    return shutil.which(name) or (found[0] if found else None)


def _nvrtc():
    """The library NVRTC, or nothing."""
    for folder in _folders():
        for path in sorted(glob.glob(f"{folder}/lib*/libnvrtc.so.*"), reverse=True):
            if "builtins" not in path and "alt" not in path:
                return ctypes.CDLL(path)
    try:
        return ctypes.CDLL("libnvrtc.so")
    except OSError:
        return None


class CompileError(Exception):
    """A compiler refused the code; the text is its message."""


class Compiler:
    """Compiles CUDA C++ for an architecture, as `sm_90`."""

    def __init__(self, architecture):
        self.architecture = architecture
        self.nvrtc, self.nvcc, self.ptxas = _nvrtc(), _tool("nvcc"), _tool("ptxas")

    def by_nvrtc(self, source, name):
        """A cubin and the seconds that it took."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        library = self.nvrtc
        start = time.process_time()
        library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
        options = [f"--gpu-architecture={self.architecture}", "--std=c++17"]
        arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = library.nvrtcCompileProgram(program, len(options), arguments)
        seconds = time.process_time() - start
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        if status:
            raise CompileError(f"NVRTC on {name}: {log.value.decode()[:2000]}")
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        library.nvrtcGetCUBIN(program, cubin)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return cubin.raw, seconds

    def by_nvcc(self, source, name):
        """A cubin, the seconds that it took, and {kernel: (registers, bytes of stack, of spills)}."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{name}.cu"
            path.write_text(source)
            cubin = path.with_suffix(".cubin")
            options = ["-std=c++17", "-O3", "-cubin", f"-arch={self.architecture}", "-Xptxas", "-v"]
            before = os.times()
            done = subprocess.run([self.nvcc, *options, path, "-o", cubin], capture_output=True, text=True)
            after = os.times()
            if done.returncode:
                raise CompileError(f"nvcc on {name}: {done.stderr[:2000]}")
            seconds = after.children_user - before.children_user
            return cubin.read_bytes(), seconds, resources(done.stderr)


def resources(log):
    """{kernel: (registers, bytes of stack, bytes of spills)} from what ptxas says."""
    pattern = r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill.*?Used (\d+) registers"
    found = re.findall(pattern, log, flags=re.S)
    return {name: (int(registers), int(stack), int(spills)) for name, stack, spills, registers in found}


class Device:
    """The first card."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self._ask("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._ask("cuDeviceGet", ctypes.byref(device), 0)
        self._ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._ask("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self._ask("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()
        number = ctypes.c_int()
        parts = []
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            self._ask("cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
            parts.append(number.value)
        self.architecture = f"sm_{parts[0]}{parts[1]}"

    def _ask(self, function, *arguments):
        status = getattr(self.driver, function)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{function}: {(text.value or b'?').decode()}")

    def array(self, values):
        """Memory of the device with what an array has."""
        values = np.ascontiguousarray(values)
        pointer = ctypes.c_void_p()
        self._ask("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(values.nbytes, 16)))
        self._ask("cuMemcpyHtoD_v2", pointer, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes))
        return pointer

    def read(self, pointer, count, dtype):
        """An array with what the device has."""
        values = np.empty(count, dtype)
        self._ask("cuMemcpyDtoH_v2", values.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_size_t(values.nbytes))
        return values

    def free(self, pointer):
        self._ask("cuMemFree_v2", pointer)

    def module(self, cubin):
        module = ctypes.c_void_p()
        self._ask("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def kernel(self, module, name):
        function = ctypes.c_void_p()
        self._ask("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def resources(self, kernel):
        """Registers, and bytes of memory of a thread: stack and spills."""
        values = []
        for attribute in (4, 3):  # CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
            number = ctypes.c_int()
            self._ask("cuFuncGetAttribute", ctypes.byref(number), attribute, kernel)
            values.append(number.value)
        return values

    def launch(self, kernel, count, arguments, threads=128):
        """Starts a kernel with a thread for each element; `arguments` follow the count."""
        values = [ctypes.c_size_t(count), *arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        blocks = (count + threads - 1) // threads
        self._ask("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, None, pointers, None)

    def finish(self):
        self._ask("cuCtxSynchronize")

    def seconds(self, work, repeats=20):
        """The least time of some runs, by events."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self._ask("cuEventCreate", ctypes.byref(event), 0)
        least, milliseconds = float("inf"), ctypes.c_float()
        for _ in range(repeats):
            self._ask("cuEventRecord", events[0], None)
            work()
            self._ask("cuEventRecord", events[1], None)
            self._ask("cuEventSynchronize", events[1])
            elapsed = "cuEventElapsedTime_v2" if hasattr(self.driver, "cuEventElapsedTime_v2") else "cuEventElapsedTime"
            self._ask(elapsed, ctypes.byref(milliseconds), *events)
            least = min(least, milliseconds.value * 1e-3)
        return least
