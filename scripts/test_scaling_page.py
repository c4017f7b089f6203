#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/scaling_page.py and the picture that it draws, in a copy of what it reads, with another raw file. Where Matplotlib
is missing nothing is drawn, and what needs a drawing is not tested. Called by scripts/test.sh."""

import json
import sys
import tempfile

from test_performance_cards import Copy

RAW = "h100/devices_64.json"
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
    # Iterations times the time of a solve, for any box.
    copy.expect_value("scaling", f"{WEAK} | 64^3 | coloured, hardest flow |", 1024, 1.24 * 1.09)
    copy.expect_value("scaling", f"{WEAK} | 64^3 | none, kindest flow |", 2, 1.16 * 0.95)
    page = (copy.folder / "docs/scaling.md").read_text(encoding="utf-8")
    drawn = (copy.cards / "scaling.svg").read_text(encoding="utf-8")
    # The same border, by a formula there and by looking at each number of devices here.
    if "| 256^3 | 4 to 10 |" not in page or f"{WEAK} | 256^3 | it depends on the flow | 4 to 10" not in drawn:
        fail("page and picture do not have 256^3 on each of up to 10 devices")


def test_check(copy):
    copy.expect("", "--check")
    copy.expect("usage", "--chekc")
    page, picture = copy.folder / "docs/scaling.md", copy.cards / "scaling.svg"
    drawn, written = picture.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")
    for broken in (None, "<<<<<<< HEAD\n" + drawn, drawn.replace("natural, measured | 1: 1.000", "natural, measured | 1: 1.001")):
        picture.unlink()
        if broken is not None:
            picture.write_text(broken, encoding="utf-8")
        copy.expect("scaling.svg is not what the raw file gives", "--check")
        picture.write_text(drawn, encoding="utf-8")
    page.write_text(written.replace("(cards/scaling.svg)", "(cards/sip.svg)"), encoding="utf-8")
    copy.expect("does not show cards/scaling.svg", "--check")
    page.write_text(written.replace("| 1024 |", "| 1025 |"), encoding="utf-8")
    copy.expect("is not what the raw file gives", "--check")
    page.write_text(written.replace("<!-- table: outlook -->", ""), encoding="utf-8")
    copy.expect("lacks the markers of the table outlook", "--check")
    page.write_text(written, encoding="utf-8")
    copy.expect("", "--check")


def test_another_value(copy):
    """A time that is measured again is noticed, and then drawn, the same each time. Whether anything is drawn."""
    data = json.loads(copy.raw(RAW).read_text(encoding="utf-8"))
    (row,) = [row for row in data["benchmarks"] if row["name"].startswith(f"{NATURAL}/weak_256x256x256/devices=4/")]
    old = row["best_ms"]
    row["best_ms"] = 2 * old
    copy.raw(RAW).write_text(json.dumps(data), encoding="utf-8")
    copy.expect("% away from", "--check")
    row["best_ms"] = 1.01 * old
    copy.raw(RAW).write_text(json.dumps(data), encoding="utf-8")
    copy.expect("is not what the raw file gives", "--check")
    if "needs Matplotlib" in copy.run().stderr:
        copy.expect("scaling.svg is not what the raw file gives", "--check")
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
