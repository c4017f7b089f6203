#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Picture of the flow over a step, from the files that backward_facing_step writes.

usage: plot.py OUTPUT_FOLDER [PICTURE.png]

Shows streamlines (lines of equal stream function) over the velocity along the channel, with the lengths that are
published where there are some, and how the imbalances fell.
"""

import csv
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def read_vti(path):
    """Corners x and y of the cells, and arrays of a .vti file with raw appended data, indexed [j, i]."""
    data = path.read_bytes()
    start = data.index(b"_", data.index(b"<AppendedData")) + 1
    header = data[:start].decode()
    ni, nj = (int(end) for end in re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 0"', header).groups())
    origin = [float(value) for value in re.search(r'Origin="([^"]*)"', header)[1].split()]
    spacing = [float(value) for value in re.search(r'Spacing="([^"]*)"', header)[1].split()]
    arrays = {}
    for name, components, offset in re.findall(r'Name="(\w+)" NumberOfComponents="(\d)"[^>]*offset="(\d+)"', header):
        at = start + int(offset)
        size = int(np.frombuffer(data, np.uint64, 1, at)[0])
        values = np.frombuffer(data, np.float64, size // 8, at + 8)
        plus = 1 if name == "stream_function" else 0
        arrays[name] = values.reshape((nj + plus, ni + plus) + ((3,) if components == "3" else ()))
    return origin[0] + spacing[0] * np.arange(ni + 1), origin[1] + spacing[1] * np.arange(nj + 1), arrays


def read_columns(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else {})}


def draw_flow(figure, axes, folder):
    x, y, arrays = read_vti(folder / "flow.vti")
    psi = arrays["stream_function"]
    image = axes.pcolormesh(x, y, arrays["velocity"][:, :, 0], cmap="viridis", shading="flat", rasterized=True)
    figure.colorbar(image, ax=axes, label="u / mean of the inflow")
    rate = psi[-1, -1]
    inside = np.linspace(0, rate, 12)[1:-1]
    axes.contour(x, y, psi, levels=inside, colors="w", linewidths=0.7)
    # The flow in bubbles is slow: lines of their own, the outermost close to where they begin.
    shares = np.array([0.01, 0.2, 0.4, 0.6, 0.8])
    for levels in (np.sort(psi.min() * shares), rate + (psi.max() - rate) * shares):
        if np.ptp(levels) > 1e-5 * rate:
            axes.contour(x, y, psi, levels=levels, colors="C1", linewidths=0.7, linestyles="solid")
    if x[0] < 0:
        axes.add_patch(plt.Rectangle((x[0], 0), -x[0], 1, color="0.6"))
    axes.set(xlabel="x / height of the step", ylabel="y", title=draw_lengths(axes, folder, y))


def draw_lengths(axes, folder, y):
    table = read_columns(folder / "comparison.csv")
    title = []
    for quantity, source, computed, published in zip(
            *(table.get(c, []) for c in ("quantity", "source", "computed", "published"))):
        upper = quantity.endswith("upper wall")
        axes.plot(float(published), y[-1] if upper else y[0], "^" if not upper else "v", color="C3", clip_on=False)
        title.append(f"{quantity}: {float(computed):.3f} ({source}, marked: {float(published):.3f})")
    return "\n".join(title)


def draw_history(axes, folder):
    history = read_columns(folder / "history.csv")
    iterations = np.array(history["iteration"], int)
    for name in ("u", "v", "mass"):
        values = np.array(history[name], float)
        axes.semilogy(iterations[values > 0], values[values > 0], label=name)
    axes.set(xlabel="SIMPLE iteration", title="imbalance")
    axes.grid(alpha=0.3)
    axes.legend()


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        sys.exit(__doc__)
    folder = Path(arguments[0])
    picture = Path(arguments[1]) if len(arguments) == 2 else folder / "streamlines.png"
    try:
        figure, (left, right) = plt.subplots(1, 2, figsize=(13, 3.6), width_ratios=[3, 1], constrained_layout=True)
        draw_flow(figure, left, folder)
        draw_history(right, folder)
        figure.savefig(picture, dpi=100)
    except OSError as error:
        sys.exit(f"plot.py: error: {error}")
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(sys.argv[1:])
