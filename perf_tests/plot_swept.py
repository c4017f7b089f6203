#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures and tables of bench_swept: time of a step, and how often as fast as classic, against the number of points.

usage: plot_swept.py FOLDER   (reads FOLDER/swept*.json, writes FOLDER/swept_*.png and FOLDER/swept.md)

Of variants that were measured with tiles of several sizes (tiles_512, tiles_4096_64 with 64 steps a launch, ...) the best
counts. Sizes that classic or all tiles are missing of, because a run was cut, are left out.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

EQUATIONS = {"heat": "heat equation", "ks": "Kuramoto-Sivashinsky", "euler": "Euler (Sod)"}
ORDER = ["classic", "cuda_graph", "overlapped", "shared", "hybrid", "registers", "resident", "tiles", "automatic"]
SWEPT = ("shared", "hybrid", "registers", "resident", "tiles", "automatic")


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
        points = [n for n in sorted(variants[name]) if n in sizes(variants)]
        left.loglog(points, [variants[name][n]["us/step"] for n in points], "o-", markersize=3, base=10, label=name)
        classic = variants["classic"]
        right.semilogx(points, [classic[n]["us/step"] / variants[name][n]["us/step"] for n in points], "o-",
                       markersize=3, label=name)
    left.set(xlabel="points", ylabel="us a step", title=title)
    right.set(xlabel="points", ylabel="times as fast as classic")
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
    left.legend(fontsize=8)
    figure.savefig(picture, dpi=130)
    plt.close(figure)


def sizes(variants):
    return sorted(set(variants["classic"]) & set(variants["tiles"]))


def times(variants):
    """us a step, the best swept variant beside classic, the captured graph and overlapped tiles, and what automatic takes."""
    names = [name for name in ORDER if name in variants]
    against = [name for name in ("classic", "cuda_graph", "overlapped") if name in variants]
    lines = ["| points | " + " | ".join(f"{name}, us" for name in names) + " | best | "
             + " | ".join(f"best over {name}" for name in against)
             + (" | automatic over best |" if "automatic" in names else " |")]
    ratios = len(against) + ("automatic" in names)
    lines.append("| --: |" + " --: |" * len(names) + " --- |" + " --: |" * ratios)
    for n in sizes(variants):
        best = variants["best"][n]
        cells = [f"{variants[name][n]['us/step']:.3f}" if n in variants[name] else "-" for name in names]
        cells.append(best["name"].split("/")[2])
        cells += [ratio(variants, name, n, best) for name in against]
        if "automatic" in names:
            cells.append(f"{best['us/step'] / variants['automatic'][n]['us/step']:.2f}")
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratio(variants, name, n, best):
    if n not in variants[name]:
        return "-"
    return f"{variants[name][n]['us/step'] / best['us/step']:.{2 if name == 'overlapped' else 1}f}"


def included(variants):
    """Set-up and transfers, apart and with the same number of steps of both variants."""
    count = int(next(iter(variants["classic"].values()))["steps_with_transfers"])
    lines = [f"| points | set-up classic, us | set-up best, us | transfers, us | {count} steps with transfers: classic, us "
             "| best, us | classic over best | with set-up too |", "| --: |" + " --: |" * 7]
    for n in sizes(variants):
        rows = (variants["classic"][n], variants["best"][n])
        outside = [row["us_with_transfers"] for row in rows]
        all_of_it = [row["us_with_transfers"] + row["setup_us"] for row in rows]
        cells = [f"{row['setup_us']:.0f}" for row in rows] + [f"{min(row['transfers_us'] for row in rows):.0f}"]
        cells += [f"{value:.0f}" for value in outside]
        cells += [f"{outside[0] / outside[1]:.1f}", f"{all_of_it[0] / all_of_it[1]:.1f}"]
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
            text.append(f"## {title}\n\n{times(variants)}\n\n{included(variants)}\n")
    if not text:
        sys.exit(f"plot_swept.py: error: no swept*.json in {folder}")
    (folder / "swept.md").write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main(sys.argv[1:])
