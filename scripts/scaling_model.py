# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of docs/scaling.md: BILU(0) solves over devices, fitted to docs/measurements. scripts/scaling_page.py has what is said
of it, scripts/scaling_picture.py what is drawn."""

import json
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
MEASURED = DOCS / "measurements" / "h100" / "devices_64.json"
UNKNOWNS = 5
# Of a solve, for each point: seven blocks, right-hand side, solution, and what the forward sweep leaves, twice.
BYTES = 8 * (7 * UNKNOWNS**2 + 4 * UNKNOWNS)
# Linear iterations over those of one grid block, and the time of a solve over that of the whole (docs/blocks.md).
COUPLINGS = {"coloured": (1.04, 1.24, 1.09), "none": (1.16, 1.58, 0.95)}


def measured():
    """{(kind, (I, J, K) of the row's name, devices): seconds} of solves in natural order."""
    found = {}
    for row in json.loads(MEASURED.read_text(encoding="utf-8"))["benchmarks"]:
        match = re.match(r"solve/Cuda/natural/double/n=5/(\w+?)_(\d+)x(\d+)x(\d+)/devices=(\d+)/", row["name"])
        if match:
            kind, *numbers = match.groups()
            i, j, k, devices = map(int, numbers)
            found[kind, (i, j, k), devices] = 1e-3 * row["best_ms"]
    return found


def line(points):
    """Least squares: (a, b) of y = a + b x, each difference taken relative to y."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / sum(
        w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points)
    )
    return mean_y - slope * mean_x, slope


class Model:
    """T = start + bytes / bandwidth + 2 (devices - 1) (hop + layer K): sweeps of a device, and the way of the wave to it."""

    def __init__(self, times):
        alone = [(i * j * k * BYTES, t) for (kind, (i, j, k), devices), t in times.items() if kind == "one"]
        self.start, self.per_byte = line(alone)
        ways = []
        for (kind, box, devices), t in times.items():
            if kind == "weak":
                ways.append((box[2], (t - times["one", box, 1]) / (2 * (devices - 1))))
        # Differences of times that are nearly the same: those of the smallest boxes are the surest.
        count = len(ways)
        mean_k = sum(k for k, _ in ways) / count
        mean_t = sum(t for _, t in ways) / count
        self.layer = sum((k - mean_k) * (t - mean_t) for k, t in ways) / sum((k - mean_k) ** 2 for k, _ in ways)
        self.layer = max(self.layer, 0.0)
        self.hop = max(mean_t - self.layer * mean_k, 0.0)

    def alone(self, i, j, k):
        return self.start + i * j * k * BYTES * self.per_byte

    def way(self, k):
        """From a device to the next one, for a sweep, where each has k layers."""
        return self.hop + self.layer * k

    def time(self, i, j, k, devices):
        """Of a solve where each device has i x j x k points."""
        return self.alone(i, j, k) + 2 * (devices - 1) * self.way(k)


def per_device(kind, box, devices):
    return (*box[:2], box[2] // devices) if kind == "strong" else box
