# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What check_headers.py and tidy.sh look at: public headers that need no CUDA toolkit, and how the library compiles."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"


def mpi_flags():
    """Where the headers of MPI are, for a compiler; None where there is no MPI."""
    try:
        found = subprocess.run(["pkg-config", "--cflags-only-I", "mpi-c"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return found.stdout.replace("-I", "-isystem ").split() if found.returncode == 0 else None


def host_headers(with_mpi):
    """As they are included."""
    names = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.hpp"))
    return [name for name in names if not re.search("/cuda/|_cuda", name) and (with_mpi or "/mpi/" not in name)]


def compile_commands(build):
    return json.loads((build / "compile_commands.json").read_text())


def library_entry(entries):
    """A file of the compiled library, as headers are compiled."""
    return next(entry for entry in entries if entry["file"].endswith("/src/context.cpp"))
