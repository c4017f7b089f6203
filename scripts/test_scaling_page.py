#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/scaling_page.py and the picture that it draws, in a copy of what it reads, with other raw files. Where Matplotlib
is missing nothing is drawn, and what needs a drawing is not tested. Called by scripts/test.sh."""

import json
import re
import sys
import tempfile

from test_performance_cards import Copy

RAW, CUTS = "h100/devices_64.json", "h100/blocks_16.json"
WEAK, STRONG = "box on each device: time over that of one", "box in all: times as fast as one"
NATURAL = "solve/Cuda/natural/double/n=5"


def fail(message):
    sys.exit(f"test_scaling_page.py: error: {message}")


def test_values(copy):
    """Of the committed picture, beside what the rows say by hand, and beside the page's tables."""
    times = {row["name"].split("/iterations")[0]: row["best_ms"] for row in copy.rows(RAW) if row["name"].startswith(NATURAL)}
    for edge in (128, 256):
        box = "x".join([str(edge)] * 3)
        one = times[f"{NATURAL}/one_{box}/devices=1"]
        for devices in (2, 4):
            weak, strong = (times[f"{NATURAL}/{kind}_{box}/devices={devices}"] for kind in ("weak", "strong"))
            copy.expect_value("scaling", f"{WEAK} | {edge}^3 | natural, measured |", devices, weak / one)
            copy.expect_value("scaling", f"{STRONG} | {edge}^3 | natural, measured |", devices, one / strong)
    page, blocks = ((copy.folder / "docs" / name).read_text(encoding="utf-8") for name in ("scaling.md", "blocks.md"))
    drawn = (copy.cards / "scaling.svg").read_text(encoding="utf-8")
    cuts = {row["name"].split("/iterations")[0]: row["best_ms"] for row in copy.rows(CUTS) if row["name"].startswith("solve/Cuda/")}
    boxes = ("128x128x128/2x2x2", "128x128x128/4x4x4", "600x400x4/8x8x1")
    more = [cuts[f"solve/Cuda/coloured/double/n=5/{box}"] - cuts[f"solve/Cuda/none/double/n=5/{box}"] for box in boxes]
    if f"ways into and out of the sweeps of its colours | {1e3 * sum(more) / 3:.0f} us |" not in page:
        fail("the page does not have the mean of what `coloured` takes more than `none`")
    # Iterations times the time of a solve, for any number of devices; of `none` the time is that of one device.
    counts = [list(map(int, row)) for row in re.findall(r"8 x 8 x 1 \| (\d+) \(.*?\) \| (\d+) \(.*?\) \| (\d+) ", blocks)]
    none = [none / natural for natural, _, none in counts]
    for devices in (2, 1024):
        copy.expect_value("scaling", f"{WEAK} | 64^3 | none, kindest flow |", devices, min(none))
        copy.expect_value("scaling", f"{WEAK} | 256^3 | none, hardest flow |", devices, max(none))
    # The same border, by a formula there and by looking at each number of devices here.
    (least, most), *_ = re.findall(r"\| 256\^3 \| (\d+) to (\d+) \|", page)
    if f"{WEAK} | 256^3 | it depends on the flow | {int(least) + 1} to {most}" not in drawn:
        fail(f"page and picture do not have 256^3 on each of up to {most} devices")


def test_check(copy):
    copy.expect("", "--check")
    copy.expect("usage", "--chekc")
    page, picture = copy.folder / "docs/scaling.md", copy.cards / "scaling.svg"
    drawn, written = picture.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")
    for broken in (None, "<<<<<<< HEAD\n" + drawn, drawn.replace("natural, measured | 1: 1.000", "natural, measured | 1: 1.001")):
        picture.unlink()
        if broken is not None:
            picture.write_text(broken, encoding="utf-8")
        copy.expect("scaling.svg is not what the raw files give", "--check")
        picture.write_text(drawn, encoding="utf-8")
    page.write_text(written.replace("(cards/scaling.svg)", "(cards/sip.svg)"), encoding="utf-8")
    copy.expect("does not show cards/scaling.svg", "--check")
    page.write_text(written.replace("| 1024 |", "| 1025 |"), encoding="utf-8")
    copy.expect("is not what the raw files give", "--check")
    page.write_text(written.replace("<!-- table: outlook -->", ""), encoding="utf-8")
    copy.expect("lacks the markers of the table outlook", "--check")
    page.write_text(written, encoding="utf-8")
    blocks = copy.folder / "docs/blocks.md"
    table = blocks.read_text(encoding="utf-8")
    blocks.write_text(table.replace("| 8 x 8 x 1 |", "| 4 x 4 x 1 |"), encoding="utf-8")
    copy.expect("has no two flows in 8 x 8 x 1 parts", "--check")
    blocks.write_text(table, encoding="utf-8")
    copy.expect("", "--check")


def write_times(copy, raw, name, factor):
    """The time of the row is so many times what it was."""
    data = json.loads(copy.raw(raw).read_text(encoding="utf-8"))
    (row,) = [row for row in data["benchmarks"] if row["name"].startswith(f"{name}/")]
    row["best_ms"] *= factor
    copy.raw(raw).write_text(json.dumps(data), encoding="utf-8")


def test_another_value(copy):
    """A time that is measured again is noticed, and then drawn, the same each time. Whether anything is drawn."""
    rows = {
        f"{NATURAL}/weak_256x256x256/devices=4": RAW,
        "solve/Cuda/none/double/n=5/weak_128x128x128/devices=4": RAW,
        "solve/Cuda/none/double/n=5/600x400x4/8x8x1": CUTS,
        "solve/Cuda/blocks_none/double/n=5/strong_128x128x128/2x2x4/devices=2": "h200/devices_blocks_16.json",
    }
    for name, raw in rows.items():
        written = copy.raw(raw).read_text(encoding="utf-8")
        write_times(copy, raw, name, 2)
        copy.expect("% away from", "--check")
        copy.raw(raw).write_text(written, encoding="utf-8")
        copy.expect("", "--check")
    write_times(copy, RAW, f"{NATURAL}/weak_256x256x256/devices=4", 1.01)
    copy.expect("is not what the raw files give", "--check")
    if "needs Matplotlib" in copy.run().stderr:
        copy.expect("scaling.svg is not what the raw files give", "--check")
        return False
    copy.expect("", "--check")
    after = copy.pictures()
    (copy.cards / "scaling.svg").unlink()
    copy.expect("")
    if copy.pictures() != after:
        fail("two drawings of the same values differ")
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder, "scaling_page.py")
        test_values(copy)
        test_check(copy)
        drawn = test_another_value(copy)
    print("test_scaling_page.py: the picture is checked" + (" and drawn" if drawn else "; not drawn: no Matplotlib"))


if __name__ == "__main__":
    main()
