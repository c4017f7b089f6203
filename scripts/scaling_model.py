# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of docs/scaling.md: BILU(0) solves over devices, fitted to docs/measurements. scripts/scaling_page.py has what is said
of it, scripts/scaling_picture.py what is drawn."""

import json
import pathlib
import re
import sys
from math import prod

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
# Boxes that are cut between devices alone, by card.
MEASURED = {"H100": DOCS / "measurements" / "h100" / "devices_64.json", "H200": DOCS / "measurements" / "h200" / "devices_16.json"}
# Boxes in parts on one H100, and grid blocks on one and two H200.
CUTS = DOCS / "measurements" / "h100" / "blocks_16.json"
GRID_BLOCKS = DOCS / "measurements" / "h200" / "devices_blocks_16.json"
# What is said of more devices, and drawn, is of this card.
OUTLOOK = "H100"
UNKNOWNS = 5
# Of a solve, for each point: seven blocks, right-hand side, solution, and what the forward sweep leaves, twice.
BYTES = 8 * (7 * UNKNOWNS**2 + 4 * UNKNOWNS)
# Those that lose iterations to `natural`.
COUPLINGS = ("coloured", "none")


def solves(raw, pattern):
    """(groups of the pattern, seconds) of each row of a raw file that has it behind "solve/Cuda/"."""
    for row in json.loads(raw.read_text(encoding="utf-8"))["benchmarks"]:
        if match := re.match(f"solve/Cuda/{pattern}/iterations", row["name"]):
            yield match.groups(), 1e-3 * row["best_ms"]


def iterations():
    """{coupling: (linear iterations over those of `natural`, in the kindest flow and in the hardest)}, of whole flows in 8 x 8 x 1
    parts, from the table of docs/blocks.md."""
    count = r"\| (\d+) \(\d\.\d+\) "
    rows = re.findall(rf"\| 8 x 8 x 1 {3 * count}\|", (DOCS / "blocks.md").read_text(encoding="utf-8"))
    if len(rows) < 2:
        sys.exit("scaling_model.py: error: docs/blocks.md has no two flows in 8 x 8 x 1 parts")
    found = {}
    for column, coupling in enumerate(COUPLINGS, 1):
        over_natural = [int(row[column]) / int(row[0]) for row in rows]
        found[coupling] = min(over_natural), max(over_natural)
    return found


def extents(box):
    return tuple(map(int, box.split("x")))


def measured(coupling):
    """{card: {(kind, (I, J, K) of the row's name, devices): seconds}} of solves of a box that is cut between devices alone."""
    pattern = rf"{coupling}/double/n=5/(\w+?)_([\dx]+)/devices=(\d+)"
    return {
        card: {(kind, extents(box), int(devices)): t for (kind, box, devices), t in solves(raw, pattern)} for card, raw in MEASURED.items()
    }


def measured_parts():
    """{card: {(coupling, (I, J, K) of all devices together, parts, devices): seconds}} of `none` and `coloured` with several parts on
    each device."""
    parts = r"(none|coloured)/double/n=5/(?:\w+_)?(\d+x\d+x\d+)/(\d+x\d+x\d+)"
    cuts = {(coupling, extents(box), cut, 1): t for (coupling, box, cut), t in solves(CUTS, parts)}
    grid_blocks = {
        (coupling, extents(box), cut, int(devices)): t
        for (coupling, box, cut, devices), t in solves(GRID_BLOCKS, rf"blocks_{parts}/devices=(\d+)")
    }
    return {"H100": cuts, "H200": grid_blocks}


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


class Coupled:
    """Of `none` T = start + bytes / bandwidth, of `coloured` T = start + bytes / bandwidth + colours, for any number of devices:
    nobody waits for a wave that goes through all of them. `colours` is the mean of what was measured."""

    def __init__(self, start, per_byte, times):
        self.start, self.per_byte = start, per_byte
        more = [t - times["none", *where] for (coupling, *where), t in times.items() if coupling == "coloured"]
        self.colours = sum(more) / len(more)

    def time(self, points, coupling):
        """Of a solve where each device has so many points."""
        return self.start + points * BYTES * self.per_byte + (self.colours if coupling == "coloured" else 0.0)


def per_device(kind, box, devices):
    return (*box[:2], box[2] // devices) if kind == "strong" else box


class Fit:
    """What was measured, and the models that are fitted to it."""

    def __init__(self):
        self.iterations = iterations()
        self.natural_times, self.uncoupled_times, self.parts_times = measured("natural"), measured("none"), measured_parts()
        self.natural = {card: Model(times) for card, times in self.natural_times.items()}
        # Grid blocks, which have shorter ways into and out of sweeps than a box, have numbers of their own.
        grid_blocks = self.parts_times["H200"].items()
        uncoupled = [(prod(box) // devices * BYTES, t) for (coupling, box, _, devices), t in grid_blocks if coupling == "none"]
        numbers = {"H100": (self.natural["H100"].start, self.natural["H100"].per_byte), "H200": line(uncoupled)}
        self.coupled = {card: Coupled(*numbers[card], times) for card, times in self.parts_times.items()}

    def time(self, coupling, box, devices):
        """Of a solve on the card of the outlook where each device has this box; on one device nothing is cut."""
        if coupling == "natural":
            return self.natural[OUTLOOK].time(*box, devices)
        return self.coupled[OUTLOOK].time(prod(box), coupling if devices > 1 else "none")

    def for_convergence(self, coupling, flow, box, devices):
        """The same, times the iterations over those of `natural`: flow is 0 for the kindest one, 1 for the hardest."""
        more = 1 if coupling == "natural" or devices == 1 else self.iterations[coupling][flow]
        return more * self.time(coupling, box, devices)
