#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the table "which preconditioner for which matrix" of docs/unstructured.md, of systems that the examples make.

usage: examples/preconditioner_table.py BUILD [FOLDER]

BUILD is the folder of a build that has the examples implicit_flow and backward_facing_step and the command line, with the
block sizes 1 and 5. Systems stay in FOLDER, which is a temporary one by itself. Numbers are iterations
of FGMRES(30) until the residual has fallen by 1e-8; a minus is a system that is not solved after MOST iterations, or whose
factorization failed.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

MOST = 500
ORDERS = ("natural", "rcm", "colours", "lines")
PRECONDITIONERS = {
    "BILU(0)": ["bilu0"],
    "BILU(1)": ["iluk", "--fill", "1"],
    "ILUT": ["ilut"],
    "DILU": ["dilu"],
    "LU-SGS": ["ssor"],
}
FLOW = "examples/implicit_flow/implicit_flow"
STEP = "examples/backward_facing_step/backward_facing_step"
FLOWS = {
    "wedge": ["--case", "wedge", "--cells", "60x40x1", "--steps", "30"],
    "airfoil": ["--case", "airfoil", "--cells", "48x48x1", "--steps", "40"],
    "plate": ["--case", "plate", "--mach", "0.5", "--reynolds", "1e6", "--wall-cell", "0.01", "--cells", "48x48x1",
              "--steps", "40"],
}
CHANNEL = ["--cells", "150x40", "--length", "15", "--inlet", "2", "--iterations", "50"]


def made(program, options, folder):
    """Runs an example, which need not become steady."""
    outcome = subprocess.run([program, *options, "--output", folder], capture_output=True, text=True, check=False)
    if outcome.returncode not in (0, 2):
        sys.exit(f"preconditioner_table.py: error: {program} failed: {outcome.stderr or outcome.stdout}")


def shuffle(source, folder, size):
    """The system of a folder with points that have numbers at random."""
    folder.mkdir(exist_ok=True)
    header, extents, *entries = (source / "A.mtx").read_text(encoding="utf-8").splitlines()
    points = int(extents.split()[0]) // size
    number = list(range(points))
    random.Random(1).shuffle(number)

    def row(text):
        point, unknown = divmod(int(text) - 1, size)
        return number[point] * size + unknown

    lines = [header, extents]
    for entry in entries:
        r, c, value = entry.split()
        lines.append(f"{row(r) + 1} {row(c) + 1} {value}")
    (folder / "A.mtx").write_text("\n".join(lines) + "\n", encoding="utf-8")
    header, extents, *values = (source / "b.mtx").read_text(encoding="utf-8").splitlines()
    shuffled = list(values)
    for place, value in enumerate(values, 1):
        shuffled[row(str(place))] = value
    (folder / "b.mtx").write_text("\n".join([header, extents, *shuffled]) + "\n", encoding="utf-8")


def iterations(build, matrix, rhs, size, options):
    """As text."""
    outcome = subprocess.run(
        [build / "tools/hyperplane", "solve", matrix, "--rhs", rhs, "--block-size", str(size), "--method", "fgmres",
         "--tolerance", "1e-8", "--max-iterations", str(MOST), "--preconditioner", *options],
        capture_output=True, text=True, check=False)
    found = re.match(r"converged after (\d+) iterations", outcome.stdout)
    if not found and outcome.returncode != 2:
        print(f"{matrix}, {' '.join(options)}: {outcome.stderr.strip()}", file=sys.stderr)
    return found[1] if found else "-"


def systems(build, folder):
    """(name, matrix, right-hand side, block size) of each."""
    for name, options in FLOWS.items():
        made(build / FLOW, [*options, "--write-system"], folder / name)
        yield name, folder / name / "A.mtx", folder / name / "b.mtx", 5
    shuffle(folder / "plate", folder / "shuffled", 5)
    yield "plate, numbers at random", folder / "shuffled/A.mtx", folder / "shuffled/b.mtx", 5
    made(build / STEP, [*CHANNEL, "--write-systems"], folder / "channel")
    for name, letter in (("channel, momentum", "u"), ("channel, pressure", "p")):
        yield name, folder / f"channel/A_{letter}.mtx", folder / f"channel/b_{letter}.mtx", 1


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print("| system | order |", " | ".join(PRECONDITIONERS), "| block Jacobi |")
        print("|" + "---|" * (len(PRECONDITIONERS) + 3))
        for name, matrix, rhs, size in systems(build, folder):
            jacobi = iterations(build, matrix, rhs, size, ["jacobi"])
            for order in ORDERS:
                row = [iterations(build, matrix, rhs, size, [*options, "--order", order])
                       for options in PRECONDITIONERS.values()]
                print(f"| {name} | `{order}` |", " | ".join([*row, jacobi]), "|", flush=True)
                name = jacobi = ""


if __name__ == "__main__":
    main()
