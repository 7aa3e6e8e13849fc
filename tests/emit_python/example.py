"""The script of `examples/emit` for a target: it runs, beside the module that its docstring emits."""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from modules import ROOT

SCRIPTS = {"numpy": "noise.py", "jax": "layers.py", "pytorch": "training.py"}


def check(modules, target):
    script = ROOT / "examples" / "emit" / SCRIPTS[target]
    lines = script.read_text().splitlines()
    emit = next(shlex.split(line) for line in lines if line.startswith("gaussform emit "))
    with tempfile.TemporaryDirectory(prefix="gaussform-example-") as folder:
        out = emit.index("--out") + 1
        emit[out] = str(pathlib.Path(folder) / pathlib.Path(emit[out]).name)
        done = modules.run(*emit[2:])
        assert done.returncode == 0, done.stderr
        copy = shutil.copy(script, folder)
        done = subprocess.run([sys.executable, copy], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, done.stderr
