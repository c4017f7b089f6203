#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Picture of a flow in its middle plane, from the files that implicit_flow writes.

usage: plot.py OUTPUT_FOLDER [PICTURE.png]

Shows the pressure (over the free stream's), with the shock of the theory where there is one, near an airfoil where it
is one; or the velocity in the boundary layer of a plate beside the theory's; and how the residual fell.
"""

import csv
import math
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

GAMMA = 1.4


def read_vts(path):
    """Extents (cells along i, j, k) and arrays of a .vts file with raw appended data, indexed [k, j, i]."""
    data = path.read_bytes()
    start = data.index(b"_", data.index(b"<AppendedData")) + 1
    header = data[:start].decode()
    ni, nj, nk = (int(end) for end in re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)"', header).groups())
    arrays = {}
    for name, components, offset in re.findall(r'Name="(\w+)" NumberOfComponents="(\d)"[^>]*offset="(\d+)"', header):
        at = start + int(offset)
        size = int(np.frombuffer(data, np.uint64, 1, at)[0])
        values = np.frombuffer(data, np.float64, size // 8, at + 8)
        plus = 1 if name == "points" else 0
        shape = (nk + plus, nj + plus, ni + plus) + ((3,) if components == "3" else ())
        arrays[name] = values.reshape(shape)
    return (ni, nj, nk), arrays


def read_columns(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else {})}


def read_middle_planes(folder):
    """x, y of vertices and pressure of cells in the middle plane of each grid block."""
    files = [folder / "flow.vts"] if (folder / "flow.vts").exists() else sorted(folder.glob("flow_*.vts"))
    planes = []
    for file in files:
        (_, _, nk), arrays = read_vts(file)
        k = nk // 2
        planes.append((arrays["points"][k, :, :, 0], arrays["points"][k, :, :, 1], arrays["pressure"][k] * GAMMA))
    if not planes:
        raise FileNotFoundError(f"{folder}: there is no flow.vts")
    return planes


def draw_pressure(figure, axes, folder):
    planes = read_middle_planes(folder)
    low, high = min(p[2].min() for p in planes), max(p[2].max() for p in planes)
    for x, y, ratio in planes:
        image = axes.pcolormesh(x, y, ratio, cmap="viridis", shading="flat", rasterized=True, vmin=low, vmax=high)
    figure.colorbar(image, ax=axes, shrink=0.9, label="pressure / free-stream pressure")
    x, y = (np.concatenate([p[d].ravel() for p in planes]) for d in range(2))
    axes.set(xlabel="x", ylabel="y", aspect="equal", xlim=(x.min(), x.max()), ylim=(y.min(), y.max()))

    comparison = folder / "comparison.csv"
    table = read_columns(comparison) if comparison.exists() else {}
    title = []
    for quantity, computed, theory in zip(*(table.get(c, []) for c in ("quantity", "computed", "theory"))):
        if quantity in ("lift coefficient", "drag coefficient"):
            title.append(f"{quantity}: {float(computed):.4f} (published {float(theory):.4f})")
            axes.set(xlim=(-0.5, 1.5), ylim=(-0.6, 1.0))
            continue
        title.append(f"{quantity}: {float(computed):.3f} (theory {float(theory):.3f})")
        if quantity.startswith("shock angle"):
            slope = math.tan(math.radians(float(theory)))
            end = min(x.max(), y.max() / slope)
            axes.plot([0, end], [0, slope * end], "w--", linewidth=1.2, label="shock, theory")
            axes.legend(loc="upper left", facecolor="0.3", labelcolor="w")
    axes.set_title("\n".join(title), fontsize=9)


def draw_profile(axes, folder):
    """The velocity in the boundary layer beside Blasius' solution, where the flow is that of a plate."""
    profile = {key: np.array(values, float) for key, values in read_columns(folder / "profile.csv").items()}
    axes.plot(profile["theory"], profile["eta"], label="Blasius")
    axes.plot(profile["computed"], profile["eta"], "o", markersize=4, fillstyle="none", label="computed")
    axes.set(xlabel="u / U", ylabel="eta", ylim=(0, 9))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left")
    table = read_columns(folder / "comparison.csv")
    for quantity, computed, theory in zip(*(table.get(c, []) for c in ("quantity", "computed", "theory"))):
        if quantity.startswith("skin friction"):
            axes.set_title(f"{quantity}: {float(computed):.4f} (theory {float(theory):.4f})", fontsize=9)


def draw_history(axes, folder):
    history = read_columns(folder / "history.csv")
    if not history:
        axes.set_axis_off()
        return
    steps = np.array(history["step"], int)
    axes.semilogy(steps, np.array(history["residual"], float), label="residual / first residual")
    axes.semilogy(steps, 1 / np.array(history["cfl"], float), ":", label="1 / CFL number")
    axes.set(xlabel="implicit step", title="convergence")
    axes.grid(alpha=0.3)
    axes.legend()


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        sys.exit(__doc__)
    folder = Path(arguments[0])
    picture = Path(arguments[1]) if len(arguments) == 2 else folder / "pressure.png"
    try:
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(12, 4.8), width_ratios=[1.5, 1], constrained_layout=True)
        if (folder / "profile.csv").exists():
            draw_profile(left, folder)
        else:
            draw_pressure(figure, left, folder)
        draw_history(right, folder)
        figure.savefig(picture, dpi=150)
    except OSError as error:
        sys.exit(f"plot.py: error: {error}")
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(sys.argv[1:])
