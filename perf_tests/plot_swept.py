#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures and table of bench_swept: time of a step, and how often as fast as classic, against the number of points.

usage: plot_swept.py FOLDER   (reads FOLDER/swept*.json, writes FOLDER/swept_*.png and FOLDER/swept.md)

Of variants that were measured with tiles of several sizes (tiles_512, ...) the best size counts.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

EQUATIONS = {"heat": "heat equation", "ks": "Kuramoto-Sivashinsky", "euler": "Euler (Sod)"}
ORDER = ["classic", "cuda_graph", "overlapped", "shared", "registers", "resident", "tiles"]
SWEPT = ("shared", "registers", "resident", "tiles")


def load(path):
    """{equation: {variant: {points: row}}} and the context."""
    data = json.loads(path.read_text(encoding="utf-8"))
    result = {}
    for row in data["benchmarks"]:
        if row.get("error_occurred"):
            continue
        equation, _, variant, points = row["name"].split("/")[:4]
        points = int(points.removeprefix("N="))
        family = variant.split("_")[0] if variant.split("_")[-1].isdigit() else variant
        variants = result.setdefault(equation, {})
        for name in (family, "best") if family in SWEPT else (family,):
            of_name = variants.setdefault(name, {})
            if points not in of_name or row["us/step"] < of_name[points]["us/step"]:
                of_name[points] = row
    return result, data["context"]


def draw(variants, title, picture):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    for name in [name for name in ORDER if name in variants]:
        points = sorted(variants[name])
        left.loglog(points, [variants[name][n]["us/step"] for n in points], "o-", markersize=3, base=10, label=name)
        classic = variants["classic"]
        common = [n for n in points if n in classic]
        right.semilogx(common, [classic[n]["us/step"] / variants[name][n]["us/step"] for n in common], "o-",
                       markersize=3, label=name)
    left.set(xlabel="points", ylabel="us a step", title=title)
    right.set(xlabel="points", ylabel="times as fast as classic")
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
    left.legend(fontsize=8)
    figure.savefig(picture, dpi=130)
    plt.close(figure)


def table(variants):
    names = [name for name in ORDER if name in variants]
    lines = ["| points | " + " | ".join(f"{name}, us" for name in names) + " | best over classic | which | with transfers |"]
    lines.append("| --: |" + " --: |" * (len(names) + 1) + " --- | --: |")
    for n in sorted(variants["classic"]):
        classic, best = variants["classic"][n], variants["best"][n]
        cells = [f"{variants[name][n]['us/step']:.3f}" if n in variants[name] else "-" for name in names]
        with_transfers = classic["us/step_with_transfers"] / best["us/step_with_transfers"]
        cells += [f"{classic['us/step'] / best['us/step']:.1f}", best["name"].split("/")[2], f"{with_transfers:.1f}"]
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    folder = Path(arguments[0])
    text = []
    for path in sorted(folder.glob("swept*.json")):
        equations, context = load(path)
        where = f"{context.get('device', context['cpu_model'])}, {context['execution_space']}"
        if "device" not in context:
            where += f", {context['threads']} threads"
        for equation, variants in equations.items():
            title = f"{EQUATIONS[equation]}, double, {where}"
            draw(variants, title, folder / f"{path.stem}_{equation}.png")
            text.append(f"## {title}\n\n{table(variants)}\n")
    if not text:
        sys.exit(f"plot_swept.py: error: no swept*.json in {folder}")
    (folder / "swept.md").write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main(sys.argv[1:])
