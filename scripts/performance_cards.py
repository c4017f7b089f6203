#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of docs/performance.md: fractions of the limit against the size, from the raw files in docs/measurements.

usage: scripts/performance_cards.py            draw those of docs/cards/*.svg whose values have changed, or that are missing
       scripts/performance_cards.py --check    fail where there are such, or docs/performance.md does not show one

scripts/card_values.py says what is drawn. A picture has its values as text, too, a line for each curve. These are compared: the
same picture has other bytes with another version of Matplotlib. To have all drawn again, as with another style, remove them.
"""

import pathlib
import re
import sys
from xml.etree import ElementTree

from card_values import CARDS
from performance_page import DOCS, PAGE

SCRIPT = pathlib.Path(sys.argv[0]).name  # this one, or the one that uses it
FOLDER = DOCS / "cards"
OTHERS = {"scaling"}  # that scripts/scaling_page.py draws
# Colours of Okabe and Ito, which people tell apart who do not see all colours; dash and marker say it again.
BLUE, RED, GREEN, PURPLE, YELLOW, SKY, GREY, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#000000"
STYLES = {
    "double": (BLUE, "o", "-"),
    "float": (RED, "s", "-"),
    "half": (YELLOW, "^", "-"),
    "bfloat16": (SKY, "v", "-"),
    "quarter": (GREEN, "P", "-"),
    "factors in float": (PURPLE, "D", "--"),
    "factors in half": (SKY, "v", "--"),
    "k = 0": (BLUE, "o", "-"),
    "k = 1": (RED, "s", "-"),
    "k = 2": (YELLOW, "^", "-"),
    "n = 3": (BLUE, "o", "-"),
    "n = 5": (RED, "s", "-"),
    "n = 10": (YELLOW, "^", "-"),
    "n = 15": (SKY, "v", "-"),
    "BILU(0)": (BLUE, "o", "-"),
    "DILU": (RED, "s", "-"),
    "LU-SGS": (YELLOW, "^", "-"),
    "swept rule": (BLUE, "o", "-"),
    "classic": (GREY, "v", "--"),
    "together": (BLUE, "o", "-"),
    "one after the other": (GREY, "v", "--"),
    "portable path": (GREY, "v", "--"),
    "BlockIlu0 on the grid": (GREY, "v", "--"),
    "PETSc": (BLACK, "D", ":"),
    "hypre": (PURPLE, "^", ":"),
    "cuSPARSE": (PURPLE, "D", ":"),
    "Kokkos Kernels": (YELLOW, "^", ":"),
    "cudaMemcpyAsync": (YELLOW, "^", ":"),
    "cuBLAS": (PURPLE, "D", ":"),
}


def fail(message):
    sys.exit(f"{SCRIPT}: error: {message}")


def values_text(card):
    """All that a picture shows but how it looks."""
    lines = [f"{card.title}; {card.across}"]
    for row in card.rows:
        for column, (limit, _) in card.columns.items():
            where = f"{row} | {column} | of {limit}"
            for label, values in card.panel(row, column).items():
                lines.append(f"{where} | {label} | " + ", ".join(f"{case}: {value:.3f}" for case, value in values.items()))
    return "\n".join(lines)


def picture_of(name):
    return FOLDER / f"{name}.svg"


def drawn_text(name):
    """Nothing where there is no picture, or one that is broken, say by a merge."""
    try:
        return ElementTree.parse(picture_of(name)).findtext(".//{http://purl.org/dc/elements/1.1/}description")
    except (OSError, ElementTree.ParseError):
        return None


def changed():
    """Cards whose pictures have other values."""
    return {name: card for name, card in CARDS.items() if drawn_text(name) != values_text(card)}


# Drawing -------------------------------------------------------------------------------------------------------------


def draw_lines(axes, panel, top):
    above = 0
    for label, values in panel.items():
        colour, marker, dash = STYLES[label]
        axes.plot(values.keys(), values.values(), color=colour, marker=marker, linestyle=dash, markersize=4, label=label)
        for size, value in values.items():
            if value > top:
                above += 1
                place = {"xytext": (-5, -9 * above), "textcoords": "offset points", "ha": "right"}
                axes.annotate(f"{value:.2f}", (size, top), color=colour, fontsize=7, **place)


def draw_bars(axes, panel):
    cases = list(dict.fromkeys(case for values in panel.values() for case in values))
    width = 0.8 / len(panel)
    for number, (label, values) in enumerate(panel.items()):
        at = [cases.index(case) + width * (number - 0.5 * (len(panel) - 1)) for case in values]
        bars = axes.bar(at, values.values(), 0.92 * width, color=STYLES[label][0], label=label)
        texts = [f"{value:.2f}" for value in values.values()]
        axes.bar_label(bars, texts, fontsize=6, padding=1.5, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    axes.set_xticks(range(len(cases)), cases)
    axes.set_xlim(-0.6, len(cases) - 0.4)


def draw_panel(axes, panel, top):
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.grid(axis="y", alpha=0.3)
    axes.set_ylim(0, top)
    step = 0.25 if top < 2 else 2
    axes.set_yticks([step * number for number in range(int(top / step) + 1)])
    if not panel:
        axes.text(0.5, 0.45, "not measured", transform=axes.transAxes, ha="center", color=GREY)
    elif isinstance(next(iter(next(iter(panel.values())))), str):
        draw_bars(axes, panel)
    else:
        draw_lines(axes, panel, top)


def size_axis(axes, sizes):
    """Ticks are cubes, whose edges double."""
    least, most = min(sizes) / 3, 3 * max(sizes)
    axes.set_xscale("log")
    axes.set_xlim(least, most)
    edges = [2**exponent for exponent in range(3, 10) if least <= 8**exponent <= most]
    axes.set_xticks([edge**3 for edge in edges], [f"{edge}³" for edge in edges])
    axes.minorticks_off()


def draw_card(card, plt):
    panels = {(row, column): card.panel(row, column) for row in card.rows for column in card.columns}
    sizes = [size for panel in panels.values() for values in panel.values() for size in values if isinstance(size, int)]
    width, height = 0.85 + 2.15 * len(card.columns), 1.5 + 1.25 * len(card.rows)
    shape = (len(card.rows), len(card.columns))
    figure, grid = plt.subplots(*shape, figsize=(width, height), sharex="col", sharey="row", squeeze=False)
    # Matplotlib's own layouts differ in last bits from run to run.
    figure.subplots_adjust(0.65 / width, 0.75 / height, 1 - 0.1 / width, 1 - 0.65 / height, wspace=0.07, hspace=0.14)
    for axes_of_row, row in zip(grid, card.rows):
        largest = max((value for column in card.columns for values in panels[row, column].values() for value in values.values()), default=0)
        for axes, column in zip(axes_of_row, card.columns):
            draw_panel(axes, panels[row, column], min(card.most, max(1.1, 1.15 * largest)))
            if sizes:
                size_axis(axes, sizes)
        axes_of_row[0].set_ylabel(row)
    for top, bottom, (column, (limit, _)) in zip(grid[0], grid[-1], card.columns.items()):
        top.set_title(f"{column}\nfraction of {limit}")
        bottom.set_xlabel(card.across)
    figure.suptitle(card.title, y=1 - 0.08 / height, va="top", fontsize=10)
    labelled = {label: handle for axes in grid.flat for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(labelled.values(), labelled.keys(), loc="lower center", ncol=len(labelled), frameon=False)
    return figure


def pyplot():
    """Matplotlib's, for pictures that are the same from run to run."""
    try:
        import matplotlib
    except ImportError:
        fail("drawing needs Matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # Names of elements do not change from run to run, and text stays text.
    plt.rcParams.update({"svg.hashsalt": "hyperplane", "svg.fonttype": "none"})
    plt.rcParams.update({"font.sans-serif": ["DejaVu Sans"], "font.size": 8, "axes.titlesize": 8})
    return plt


def save(figure, name, title, text):
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(picture_of(name), metadata={"Title": title, "Description": text, "Date": None, "Creator": None})
    print(f"{SCRIPT}: drew {picture_of(name)}")


def draw(cards):
    plt = pyplot()
    for name, card in cards.items():
        figure = draw_card(card, plt)
        save(figure, name, card.title, values_text(card))
        plt.close(figure)


# Checking ------------------------------------------------------------------------------------------------------------


def check():
    shown = re.findall(r"!\[[^\]]+\]\(cards/([^)]*)\.svg\)", PAGE.read_text(encoding="utf-8"))
    if sorted(shown) != sorted(CARDS):
        fail(f"{PAGE} shows the pictures {', '.join(sorted(shown))}, there are {', '.join(sorted(CARDS))}")
    if more := {path.name for path in FOLDER.glob("*")} - {f"{name}.svg" for name in {*CARDS, *OTHERS}}:
        fail(f"{FOLDER} has {', '.join(sorted(more))}, which this does not draw")
    for name in changed():
        fail(f"{picture_of(name)} is not what the raw files say; run scripts/performance_cards.py")
    print(f"performance_cards.py: {len(CARDS)} pictures show what the raw files say")


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    if arguments:
        check()
    elif cards := changed():
        draw(cards)


if __name__ == "__main__":
    main(sys.argv[1:])
