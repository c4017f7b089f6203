#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the tables of docs/scaling.md, a model of BILU(0) solves over devices, and draws its picture, docs/cards/scaling.svg.

usage: scripts/scaling_page.py            rewrite the tables between the markers; draw the picture where its values have changed
       scripts/scaling_page.py --check    fail where page or picture are not what this would write, or the model is more than
                                          15 % away from what was measured
"""

import re
import sys

import scaling_picture
from scaling_model import COUPLINGS, DOCS, Model, measured, per_device

PAGE = DOCS / "scaling.md"
MOST_WRONG = 0.15


def fail(message):
    sys.exit(f"scaling_page.py: error: {message}")


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


def comparison(model, times):
    rows = []
    for (kind, box, devices), t in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
        predicted = model.time(*per_device(kind, box, devices), devices)
        error = predicted / t - 1
        if abs(error) > MOST_WRONG:
            fail(f"the model is {100 * error:.0f} % away from {kind} {box} on {devices} devices")
        name = "x".join(map(str, box))
        what = {"one": name, "weak": f"{name} on each", "strong": f"{name} in all"}[kind]
        rows.append([what, devices, ms(t), ms(predicted), f"{100 * error:+.0f} %", "no" if kind == "strong" else "yes"])
    return table(["box", "devices", "measured, ms", "model, ms", "error", "in the fit"], rows)


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


def rewritten(page, model, times):
    for name, make in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end -->"
        head, found, tail = page.partition(begin)
        if not found or end not in tail:
            fail(f"{PAGE} lacks the markers of the table {name}")
        page = head + begin + make(model, times) + end + tail.split(end, 1)[1]
    if not re.search(rf"!\[[^\]]+\]\(cards/{scaling_picture.NAME}\.svg\)", page):
        fail(f"{PAGE} does not show cards/{scaling_picture.NAME}.svg")
    return page


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    times = measured()
    model = Model(times)
    old = PAGE.read_text(encoding="utf-8")
    new = rewritten(old, model, times)
    is_drawn = scaling_picture.is_drawn(model, times)
    if not arguments:
        PAGE.write_text(new, encoding="utf-8")
        if not is_drawn:
            scaling_picture.draw(model, times)
    elif new != old:
        fail(f"{PAGE} is not what the raw file gives: run scripts/scaling_page.py")
    elif not is_drawn:
        fail(f"{scaling_picture.NAME}.svg is not what the raw file gives: run scripts/scaling_page.py")
    else:
        print("scaling_page.py: docs/scaling.md and its picture are those of the raw file")


if __name__ == "__main__":
    main(sys.argv[1:])
