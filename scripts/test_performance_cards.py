#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests scripts/performance_cards.py in a copy of what it reads, with other raw files. Where Matplotlib is missing nothing is
drawn, and what needs a drawing is not tested. Called by scripts/test.sh."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ("performance_cards.py", "card_columns.py", "card_values.py", "performance_page.py", "scaling_page.py", "scaling_model.py", "scaling_picture.py")
ILU0, PETSC = (f"epyc-zen4-2-cores/{name}.json" for name in ("block_ilu0_2", "peers_petsc_1"))
CUSPARSE, CSR, BLOCKS = "h200/peers_cusparse_16.json", "h100/csr_16.json", "h100/blocks_16.json"


class Copy:
    """Of the scripts that draw, and of docs/; `script` is what is run."""

    def __init__(self, folder, script="performance_cards.py"):
        self.folder, self.script = pathlib.Path(folder), script
        (self.folder / "scripts").mkdir()
        for name in SCRIPTS:
            shutil.copy(REPOSITORY / "scripts" / name, self.folder / "scripts")
        shutil.copytree(REPOSITORY / "docs", self.folder / "docs")
        self.page, self.cards = self.folder / "docs/performance.md", self.folder / "docs/cards"

    def run(self, *arguments):
        command = [sys.executable, self.folder / "scripts" / self.script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def expect(self, message, *arguments):
        """That it works, where there is no message, or else fails with one that has it."""
        result = self.run(*arguments)
        if (result.returncode != 0) != bool(message) or message not in result.stderr:
            fail(f"{' '.join(arguments)}: status {result.returncode}, expected an error with '{message}': {result.stderr}")

    def raw(self, name):
        return self.folder / "docs/measurements" / name

    def pictures(self):
        return {path.name: path.read_bytes() for path in self.cards.iterdir()}

    def rows(self, name):
        return json.loads(self.raw(name).read_text(encoding="utf-8"))["benchmarks"]

    def expect_value(self, card, curve, point, value):
        text = (self.cards / f"{card}.svg").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line.startswith(curve) or f">{curve}" in line]
        if len(lines) != 1 or f"{point}: {value:.3f}" not in lines[0]:
            fail(f"{card}: '{curve}' has no {point}: {value:.3f}: {lines}")


def fail(message):
    sys.exit(f"test_performance_cards.py: error: {message}")


def test_values(copy):
    """Of the committed pictures, beside what the rows say by hand."""
    grid, points = "64x64x64", 64**3

    def find(name, beginning, end=f"/double/n=5/{grid}/"):
        return [row for row in copy.rows(name) if row["name"].startswith(beginning) and end in row["name"] and "error_occurred" not in row]

    (own,) = find(ILU0, "solve/OpenMP/slab")
    copy.expect_value("block-ilu0-solve", "n = 5 | Zen 4, 2 threads | of triad | double |", points, own["of_triad"])
    (petsc,) = find(PETSC, "solve/PETSc")
    bytes_moved = points * 8 * (7 * 5**2 + 4 * 5)
    for label, field in (("PETSc", "best_ms"), ("double", "hyperplane_best_ms")):
        value = bytes_moved / (1e-3 * petsc[field]) / (1e9 * petsc["triad_GB/s"])
        copy.expect_value("block-ilu0-solve", f"n = 5 | Zen 4, 1 thread | of triad | {label} |", points, value)
    peers = [row for name in ("bsr", "SpSV") for row in find(CUSPARSE, f"solve/{name}", "/double/n=5/128x128x128/")]
    copy.expect_value("block-ilu0-solve", "n = 5 | H200 | of copy | cuSPARSE |", 128**3, max(row["of_copy"] for row in peers))


def test_check(copy):
    copy.expect("", "--check")
    copy.expect("usage", "--chekc")
    old, picture = copy.cards / "old.svg", copy.cards / "sip.svg"
    shutil.copy(picture, old)
    copy.expect("old.svg, which this does not draw", "--check")
    picture.unlink()
    old.rename(copy.folder / "sip.svg")
    copy.expect("sip.svg is not what the raw files say", "--check")
    (copy.folder / "sip.svg").rename(picture)
    drawn = picture.read_text(encoding="utf-8")
    picture.write_text(drawn.replace("<defs>", "<<<<<<< HEAD\n<defs>"), encoding="utf-8")
    copy.expect("sip.svg is not what the raw files say", "--check")
    picture.write_text(drawn, encoding="utf-8")
    page = copy.page.read_text(encoding="utf-8")
    copy.page.write_text(page.replace("(cards/sip.svg)", "(cards/lines.svg)"), encoding="utf-8")
    copy.expect("performance.md shows the pictures", "--check")
    copy.page.write_text(page, encoding="utf-8")
    copy.expect("", "--check")


def test_another_value(copy):
    """A row that is measured again is noticed, and then drawn; so is a file that is not there. Whether anything is drawn."""
    data = json.loads(copy.raw(ILU0).read_text(encoding="utf-8"))
    (row,) = [row for row in data["benchmarks"] if row["name"].startswith("factor/OpenMP/slab/float/n=6/96x96x96")]
    row["of_triad"] = 0.123
    copy.raw(ILU0).write_text(json.dumps(data), encoding="utf-8")
    copy.expect("block-ilu0-factor.svg is not what the raw files say", "--check")
    copy.raw(CSR).unlink()
    before = copy.pictures()
    if "needs Matplotlib" in copy.run().stderr:
        copy.expect("is not what the raw files say", "--check")
        return False
    copy.expect("", "--check")
    copy.expect_value("block-ilu0-factor", "n = 6 | Zen 4, 2 threads | of triad | float |", 96**3, 0.123)
    after = copy.pictures()
    if b"not measured" not in after["block-csr-mesh.svg"]:
        fail("block-csr-mesh.svg does not say that a file is missing")
    drawn = {name for name, picture in after.items() if picture != before[name]}
    if drawn != {"block-csr-mesh.svg", "block-ilu0-factor.svg"}:
        fail(f"drawn again: {drawn}")
    for name in drawn:
        (copy.cards / name).unlink()
    copy.expect("")
    if copy.pictures() != after:
        fail("two drawings of the same values differ")
    return True


def test_two_at_one_place(copy):
    """Nothing is drawn over, as of 64 and 27 grid blocks of one size."""
    text = copy.raw(BLOCKS).read_text(encoding="utf-8")
    copy.raw(BLOCKS).write_text(text.replace("27_of_29x29x29", "27_of_15x15x15"), encoding="utf-8")
    copy.expect("blocks_16 has several values at one place of a picture: 64_of_15x15x15", "--check")
    copy.raw(BLOCKS).write_text(text, encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        test_values(copy)
        test_check(copy)
        test_two_at_one_place(copy)
        drawn = test_another_value(copy)
    print("test_performance_cards.py: pictures are checked" + (" and drawn" if drawn else "; not drawn: no Matplotlib"))


if __name__ == "__main__":
    main()
