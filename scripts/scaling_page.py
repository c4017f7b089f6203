#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the tables of docs/scaling.md, models of BILU(0) solves over devices, and draws its picture, docs/cards/scaling.svg.

usage: scripts/scaling_page.py            rewrite the tables between the markers; draw the picture where its values have changed
       scripts/scaling_page.py --check    fail where page or picture are not what this would write, or the model is more than
                                          15 % away from what was measured
"""

import re
import sys
from math import prod

import scaling_picture
from scaling_model import COUPLINGS, DOCS, OUTLOOK, Fit, per_device

PAGE = DOCS / "scaling.md"
MOST_WRONG = 0.15


def fail(message):
    sys.exit(f"scaling_page.py: error: {message}")


def table(header, rows):
    rule = ["---"] + ["--:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [header, rule, *rows])


def ms(seconds):
    return f"{1e3 * seconds:.2f}"


def parameters(fit):
    natural = fit.natural.values()
    colours = {card: f"{1e6 * model.colours:.0f} us" for card, model in fit.coupled.items()}
    models = [*natural, fit.coupled["H200"]]
    return table(
        ["what", "H100", "H200", "grid blocks on H200"],
        [
            ["ways into and out of both sweeps", *(f"{1e6 * model.start:.0f} us" for model in models)],
            ["bandwidth of the sweeps", *(f"{1e-12 / model.per_byte:.2f} TB/s" for model in models)],
            ["`natural`: way of the wave through a layer", *(f"{1e6 * model.layer:.2f} us" for model in natural), "-"],
            ["`natural`: way from device to device, without layers", *(f"{1e6 * model.hop:.0f} us" for model in natural), "-"],
            ["`coloured`: ways into and out of the sweeps of its colours", colours["H100"], "-", colours["H200"]],
        ],
    )


def compared(t, predicted, where):
    """The last cells of a row: measured, model, error."""
    error = predicted / t - 1
    if abs(error) > MOST_WRONG:
        fail(f"the model is {100 * error:.0f} % away from {where}")
    return [ms(t), ms(predicted), f"{100 * error:+.0f} %"]


def name(box):
    return "x".join(map(str, box))


def comparison(fit):
    rows = []
    for card, times in fit.natural_times.items():
        for (kind, box, devices), t in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
            predicted = fit.natural[card].time(*per_device(kind, box, devices), devices)
            what = {"one": name(box), "weak": f"{name(box)} on each", "strong": f"{name(box)} in all"}[kind]
            cells = compared(t, predicted, f"{kind} {name(box)} on {devices} {card}")
            rows.append([what, card, devices, *cells, "no" if kind == "strong" else "yes"])
    return table(["box", "on", "devices", "measured, ms", "model, ms", "error", "in the fit"], rows)


def couplings(fit):
    """Parts of one on each device were measured with `none` alone."""
    rows = []
    for card, times in fit.uncoupled_times.items():
        for (_, box, devices), t in sorted(times.items(), key=lambda item: (item[0][1], item[0][2])):
            predicted = fit.natural[card].alone(*box)
            cells = compared(t, predicted, f"none, {name(box)} on {devices} {card}")
            rows.append([f"{name(box)} on each", "one", card, devices, "`none`", *cells])
    for card, times in fit.parts_times.items():
        for (coupling, box, parts, devices), t in sorted(times.items(), key=lambda item: (item[0][3], item[0])):
            predicted = fit.coupled[card].time(prod(box) // devices, coupling)
            cells = compared(t, predicted, f"{coupling}, {name(box)} in {parts} parts on {devices} {card}")
            rows.append([f"{name(box)} in all", parts, card, devices, f"`{coupling}`", *cells])
    return table(["box", "parts", "on", "devices", "coupling", "measured, ms", "model, ms", "error"], rows)


def outlook(fit):
    rows = []
    for devices in (1, 2, 4, 8, 16, 64, 256, 1024):
        cells = [devices]
        for edge in (128, 256):
            box = (edge,) * 3
            over_devices = fit.time("natural", box, devices)
            cells += [ms(over_devices), f"{fit.time('natural', box, 1) / over_devices:.2f}"]
        layers = 256 // devices
        if layers > 0:
            alone = fit.time("natural", (256, 256, 256), 1)
            cells.append(f"{alone / fit.time('natural', (256, 256, layers), devices):.1f}")
        else:
            cells.append("-")
        rows.append(cells)
    header = ["devices", "128^3 on each, ms", "efficiency", "256^3 on each, ms", "efficiency", "256^3 in all: times one device"]
    return table(header, rows)


def least_to_most(values):
    first, last = map(str, values)
    return first if first == last else f"{first} to {last}"


def iterations(fit):
    rows = [[f"`{coupling}`", *(f"{growth:.2f}" for growth in fit.iterations[coupling])] for coupling in COUPLINGS]
    return table(["linear iterations over those of `natural`", "kindest flow", "hardest flow"], rows)


def winners(fit):
    """Up to how many devices `natural` takes less time than another coupling, for as much convergence, and which of the others wins."""
    rows = []
    for edge in (64, 128, 256):
        cells, box = [f"{edge}^3"], (edge,) * 3
        alone = fit.time("natural", box, 1)
        for coupling in COUPLINGS:
            lost = [fit.for_convergence(coupling, flow, box, 2) - alone for flow in (0, 1)]
            cells.append(least_to_most(int(1 + max(0.0, time / (2 * fit.natural[OUTLOOK].way(edge)))) for time in lost))
        best = {min(COUPLINGS, key=lambda coupling: fit.for_convergence(coupling, flow, box, 2)) for flow in (0, 1)}
        cells.append(" or ".join(f"`{coupling}`" for coupling in COUPLINGS if coupling in best))
        rows.append(cells)
    return table(["points on each device", "`natural` wins over `coloured` up to", "over `none` up to", "beyond both"], rows)


def spans(fit):
    """Who wins by the number of devices, to 1024."""
    rows = []
    for kind, of_kind in scaling_picture.KINDS.items():
        for edge in scaling_picture.EDGES:
            found = scaling_picture.winners(fit, kind, edge)
            cells = [least_to_most(found[who]) if who in found else "-" for who in scaling_picture.BEHIND]
            rows.append([f"{edge}^3 {of_kind}", *cells])
    return table(["points", *scaling_picture.BEHIND], rows)


TABLES = {
    "parameters": parameters,
    "comparison": comparison,
    "couplings": couplings,
    "outlook": outlook,
    "iterations": iterations,
    "winners": winners,
    "spans": spans,
}


def rewritten(page, fit):
    for name, make in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end -->"
        head, found, tail = page.partition(begin)
        if not found or end not in tail:
            fail(f"{PAGE} lacks the markers of the table {name}")
        page = head + begin + make(fit) + end + tail.split(end, 1)[1]
    if not re.search(rf"!\[[^\]]+\]\(cards/{scaling_picture.NAME}\.svg\)", page):
        fail(f"{PAGE} does not show cards/{scaling_picture.NAME}.svg")
    return page


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    fit = Fit()
    old = PAGE.read_text(encoding="utf-8")
    new = rewritten(old, fit)
    is_drawn = scaling_picture.is_drawn(fit)
    if not arguments:
        PAGE.write_text(new, encoding="utf-8")
        if not is_drawn:
            scaling_picture.draw(fit)
    elif new != old:
        fail(f"{PAGE} is not what the raw files give: run scripts/scaling_page.py")
    elif not is_drawn:
        fail(f"{scaling_picture.NAME}.svg is not what the raw files give: run scripts/scaling_page.py")
    else:
        print("scaling_page.py: docs/scaling.md and its picture are those of the raw files")


if __name__ == "__main__":
    main(sys.argv[1:])
