#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Picture of a line: every column of a CSV file over its first. For what swept_burgers and `hyperplane swept` write.

usage: plot.py FILE.csv [PICTURE.png]
"""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        sys.exit(__doc__)
    table = Path(arguments[0])
    picture = Path(arguments[1]) if len(arguments) == 2 else table.with_suffix(".png")
    try:
        with table.open() as file:
            names, *rows = list(csv.reader(file))
        columns = [[float(value) for value in column] for column in zip(*rows)]
        figure, axes = plt.subplots(len(columns) - 1, 1, sharex=True, squeeze=False, figsize=(8, 2.2 * len(columns)),
                                    constrained_layout=True)
        for axis, name, column in zip(axes[:, 0], names[1:], columns[1:]):
            axis.plot(columns[0], column)
            axis.set_ylabel(name)
            axis.grid(alpha=0.3)
        axes[-1, 0].set_xlabel(names[0])
        figure.savefig(picture, dpi=150)
    except (OSError, ValueError) as error:
        sys.exit(f"plot.py: error: {error}")
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(sys.argv[1:])
