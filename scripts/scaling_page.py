#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the tables of docs/scaling.md: a model of BILU(0) solves over devices, fitted to docs/measurements.

usage: scripts/scaling_page.py            rewrite the tables between the markers
       scripts/scaling_page.py --check    fail where the page is not what this would write, or the model is more than 15 %
                                          away from what was measured
"""

import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "scaling.md"
MEASURED = DOCS / "measurements" / "h100" / "devices_64.json"
UNKNOWNS = 5
# Of a solve, for each point: seven blocks, right-hand side, solution, and what the forward sweep leaves, twice.
BYTES = 8 * (7 * UNKNOWNS**2 + 4 * UNKNOWNS)
MOST_WRONG = 0.15
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


def table(header, rows):
    rule = ["---"] + ["--:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [header, rule, *rows])


def ms(seconds):
    return f"{1e3 * seconds:.2f}"


def parameters(model, _):
    return table(
        ["what", "value"],
        [
            ["ways into and out of both sweeps", f"{1e6 * model.start:.0f} us"],
            ["bandwidth of the sweeps", f"{1e-12 / model.per_byte:.2f} TB/s"],
            ["way of the wave through a layer", f"{1e6 * model.layer:.2f} us"],
            ["way from device to device, without layers", f"{1e6 * model.hop:.0f} us"],
        ],
    )


def per_device(kind, box, devices):
    return (*box[:2], box[2] // devices) if kind == "strong" else box


def comparison(model, times):
    rows = []
    for (kind, box, devices), t in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
        predicted = model.time(*per_device(kind, box, devices), devices)
        error = predicted / t - 1
        if abs(error) > MOST_WRONG:
            sys.exit(f"scaling_page.py: error: the model is {100 * error:.0f} % away from {kind} {box} on {devices} devices")
        name = "x".join(map(str, box))
        what = {"one": name, "weak": f"{name} on each", "strong": f"{name} in all"}[kind]
        rows.append([what, devices, ms(t), ms(predicted), f"{100 * error:+.0f} %"])
    return table(["box", "devices", "measured, ms", "model", "error"], rows)


def outlook(model, _):
    rows = []
    for devices in (1, 2, 4, 8, 16, 64, 256, 1024):
        cells = [devices]
        for edge in (128, 256):
            alone, over_devices = model.alone(edge, edge, edge), model.time(edge, edge, edge, devices)
            cells += [ms(over_devices), f"{alone / over_devices:.2f}"]
        layers = 256 // devices
        if layers > 0:
            cells.append(f"{model.alone(256, 256, 256) / model.time(256, 256, layers, devices):.1f}")
        else:
            cells.append("-")
        rows.append(cells)
    header = ["devices", "128^3 on each, ms", "efficiency", "256^3 on each, ms", "efficiency", "256^3 in all: times one device"]
    return table(header, rows)


def winners(model, _):
    """Up to how many devices `natural` takes less time than another coupling, for as much convergence."""
    rows = []
    for edge in (64, 128, 256):
        cells = [f"{edge}^3"]
        for least, most, slower in COUPLINGS.values():
            alone = model.alone(edge, edge, edge)
            counts = [1 + max(0.0, (growth * slower - 1) * alone / (2 * model.way(edge))) for growth in (least, most)]
            cells.append(" to ".join(f"{int(count)}" for count in counts))
        rows.append(cells)
    return table(["points on each device", "`natural` wins over `coloured` up to", "over `none` up to"], rows)


TABLES = {"parameters": parameters, "comparison": comparison, "outlook": outlook, "winners": winners}


def rewritten(page):
    times = measured()
    model = Model(times)
    for name, make in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end -->"
        head, found, tail = page.partition(begin)
        if not found or end not in tail:
            sys.exit(f"scaling_page.py: error: {PAGE} lacks the markers of the table {name}")
        page = head + begin + make(model, times) + end + tail.split(end, 1)[1]
    return page


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    old = PAGE.read_text(encoding="utf-8")
    new = rewritten(old)
    if not arguments:
        PAGE.write_text(new, encoding="utf-8")
    elif new != old:
        sys.exit(f"scaling_page.py: error: {PAGE} is not what the raw file gives: run scripts/scaling_page.py")
    else:
        print("scaling_page.py: docs/scaling.md is that of its raw file")


if __name__ == "__main__":
    main(sys.argv[1:])
