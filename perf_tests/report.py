#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes table.md and roofline.png from the JSON files of one run of run_all: report.py FOLDER"""

import json
import pathlib
import sys

# Kernels in the order of the tables.
KERNELS = ("solve", "factor", "correction", "apply", "residual")
GOALS_OF_TRIAD = {"solve": 0.80, "factor": 0.50}
GOALS_OF_PETSC = {"solve": 2.0, "factor": 4.0}
GOAL_FLOAT = 1.7
# On a device: fraction of copy for (kernel, n, grid), microseconds a plane of a solve for n, and over cuSPARSE.
DEVICE_GOALS_OF_COPY = {
    ("solve", 5, "128x128x128"): 0.80,
    ("solve", 6, "128x128x128"): 0.80,
    ("factor", 5, "128x128x128"): 0.60,
    ("factor", 6, "128x128x128"): 0.60,
    ("solve", 6, "55x55x55"): 0.45,
}
DEVICE_GOALS_PLANE = {1: 0.35, 6: 0.45}
DEVICE_GOAL_GRIDS = ("15x15x15", "19x19x19", "24x24x24", "29x29x29")
DEVICE_GOAL_FLOAT = 1.6
DEVICE_GOAL_OF_CUSPARSE = 3.0
# Several grid blocks on a device, n = 6: fraction of copy for (kernel, grid blocks).
BLOCKS_GOALS_OF_COPY = {
    ("solve", "64_of_15x15x15"): 0.60,
    ("solve", "27_of_29x29x29"): 0.70,
    ("solve", "8_of_55x55x55"): 0.78,
    ("solve", "40_mixed"): 0.65,
    ("factor", "64_of_15x15x15"): 0.45,
    ("factor", "27_of_29x29x29"): 0.52,
    ("factor", "8_of_55x55x55"): 0.60,
}
GOAL_GRIDS = ("64x64x64", "96x96x96")
GOAL_BLOCKS = (5, 6)


def load(folder, stem):
    """The benchmarks of all files stem_THREADS.json, each with its name taken apart."""
    rows = []
    for path in sorted(folder.glob(f"{stem}_[0-9]*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for row in data["benchmarks"]:
            row["threads"] = int(data["context"]["threads"])
            row["parts"] = row["name"].split("/iterations:")[0].split("/")
            row["commit"] = data["context"].get("git_commit", "unknown")
            rows.append(row)
    return rows


def context(folder):
    for path in [*sorted(folder.glob("machine_[0-9]*.json")), *sorted(folder.glob("*.json"))]:
        result = json.loads(path.read_text(encoding="utf-8"))["context"]
        for peers in folder.glob("peers_*.json"):
            more = json.loads(peers.read_text(encoding="utf-8"))["context"]
            result |= {k: v for k, v in more.items() if k.startswith(("petsc", "hypre", "cusparse"))}
        return result
    sys.exit(f"report: error: no JSON files in {folder}")


def solver_rows(folder):
    """kernel/space/path/storage/n=N/IxJxK"""
    rows = load(folder, "block_ilu0")
    for row in rows:
        row["kernel"], row["space"], row["path"], row["storage"], block, row["grid"] = row["parts"]
        row["n"] = int(block.removeprefix("n="))
    return rows


def peer_rows(folder):
    """kernel/PETSc/storage/n=N/IxJxK"""
    rows = load(folder, "peers_petsc")
    for row in rows:
        row["kernel"], _, row["storage"], block, row["grid"] = row["parts"]
        row["n"] = int(block.removeprefix("n="))
    return rows


def cusparse_rows(folder):
    """kernel/library/scalar/n=N/IxJxK, without those that failed"""
    rows = [row for row in load(folder, "peers_cusparse") if not row.get("error_occurred")]
    for row in rows:
        row["kernel"], row["library"], row["scalar"], block, row["grid"] = row["parts"]
        row["n"] = int(block.removeprefix("n="))
    return rows


def markdown(header, rows):
    """A Markdown table; columns after the first text ones are right-aligned numbers."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(3, *(len(row[i]) for row in [header, *rows])) for i in range(len(header))]
    numeric = [all(row[i][:1].isdigit() or row[i] == "-" for row in rows) for i in range(len(header))]
    rule = ["-" * (w - 1) + (":" if right else "-") for w, right in zip(widths, numeric)]

    def line(cells):
        padded = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(cells, widths, numeric)]
        return "| " + " | ".join(padded) + " |"

    return "\n".join([line(header), line(rule), *map(line, rows)])


def machine_section(folder):
    rows = {(row["parts"][1], row["threads"]): row for row in load(folder, "machine")}
    threads = sorted({t for _, t in rows})
    table = [
        [t]
        + [f"{rows[(name, t)]['GB/s']:.1f}" for name in ("copy", "triad", "read")]
        + [f"{rows[('multiply_add', t)]['GFLOP/s']:.0f}"]
        for t in threads
        if ("triad", t) in rows
    ]
    header = ["threads", "copy GB/s", "triad GB/s", "read GB/s", "multiply-add GFLOP/s"]
    text = markdown(header, table) if table else "not measured"
    device = {name: row["GB/s"] for (name, t), row in rows.items() if t == max(threads) and name.startswith("device_")}
    if device:
        text += "\n\nDevice, GB/s: " + ", ".join(f"{k.removeprefix('device_').replace('_', ' ')} {v:.0f}" for k, v in device.items())
    return text


def solver_section(rows):
    order = {kernel: i for i, kernel in enumerate(KERNELS)}
    rows = sorted(
        rows,
        key=lambda r: (order[r["kernel"]], r["space"], r["path"], r["storage"], r["n"], len(r["grid"]), r["grid"], r["threads"]),
    )
    header = ["kernel", "space", "path", "storage", "n", "grid", "threads", "best ms", "median ms", "ns/point"]
    header += ["GB/s", "triad GB/s", "of triad", "(median)", "of copy", "GFLOP/s"]
    table = [
        [r["kernel"], r["space"], r["path"], r["storage"], r["n"], r["grid"], r["threads"]]
        + [f"{r['best_ms']:.3f}", f"{r['median_ms']:.3f}", f"{r['ns/point']:.1f}", f"{r['GB/s']:.1f}"]
        + [f"{r['triad_GB/s']:.1f}", f"{r['of_triad']:.2f}", f"{r['of_triad_median']:.2f}"]
        + [f"{r['of_copy']:.2f}", f"{r['GFLOP/s']:.1f}"]
        for r in rows
    ]
    return markdown(header, table)


def verdict(value, goal):
    return "yes" if value >= goal else "no"


def goal_section(rows, peers):
    best_path = {}
    for r in rows:
        key = (r["kernel"], r["storage"], r["n"], r["grid"], r["threads"])
        if key not in best_path or r["best_ms"] < best_path[key]["best_ms"]:
            best_path[key] = r
    threads = max((r["threads"] for r in rows), default=1)
    table = []
    for kernel, goal in GOALS_OF_TRIAD.items():
        for n in GOAL_BLOCKS:
            for grid in GOAL_GRIDS:
                r = best_path.get((kernel, "double", n, grid, threads))
                if not r:
                    continue
                what = f"{kernel}, fraction of triad"
                table.append([what, n, grid, threads, f"{goal:.2f}", f"{r['of_triad']:.2f}", verdict(r["of_triad"], goal)])
    for n in GOAL_BLOCKS:
        for grid in GOAL_GRIDS:
            pair = [best_path.get(("solve", storage, n, grid, threads)) for storage in ("double", "float")]
            if not all(pair):
                continue
            ratio = pair[0]["best_ms"] / pair[1]["best_ms"]
            table.append(["solve, float over double", n, grid, threads, GOAL_FLOAT, f"{ratio:.2f}", verdict(ratio, GOAL_FLOAT)])
    for kernel, goal in GOALS_OF_PETSC.items():
        for r in peers:
            if r["kernel"] == kernel and r["storage"] == "double" and r["n"] in GOAL_BLOCKS and r["grid"] in GOAL_GRIDS:
                table.append(
                    [f"{kernel}, times PETSc's", r["n"], r["grid"], 1, goal, f"{r['speedup']:.2f}", verdict(r["speedup"], goal)]
                )
    return markdown(["goal", "n", "grid", "threads", "at least", "measured", "reached"], table) if table else "no goal sizes measured"


def peer_section(peers):
    header = ["kernel", "Hyperplane storage", "n", "grid", "PETSc ms", "Hyperplane ms", "times as fast", "(median)", "triad GB/s"]
    order = {kernel: i for i, kernel in enumerate(KERNELS)}
    peers = sorted(peers, key=lambda r: (order[r["kernel"]], r["storage"], r["n"], len(r["grid"]), r["grid"]))
    table = [
        [r["kernel"], r["storage"], r["n"], r["grid"], f"{r['best_ms']:.3f}", f"{r['hyperplane_best_ms']:.3f}"]
        + [f"{r['speedup']:.2f}", f"{r['speedup_median']:.2f}", f"{r['triad_GB/s']:.1f}"]
        for r in peers
    ]
    return markdown(header, table) if table else "PETSc was not found."


def cusparse_section(rows):
    """For each system the fastest of every routine of cuSPARSE (over policies and orders in a block), and each path."""
    fastest = {}
    for r in rows:
        routine = r["library"].split("_")[0] if not r["library"].startswith("Hyperplane") else r["library"]
        key = (r["kernel"], r["scalar"], r["n"], r["grid"], routine)
        if key not in fastest or r["best_ms"] < fastest[key]["best_ms"]:
            fastest[key] = r
    order = {kernel: i for i, kernel in enumerate(KERNELS)}
    found = sorted(fastest.values(), key=lambda r: (order[r["kernel"]], r["scalar"], r["n"], len(r["grid"]), r["grid"]))
    header = ["kernel", "scalar", "n", "grid", "library", "best ms", "median ms", "us/plane", "ns/point", "of copy"]
    header += ["analysis ms", "over cuSPARSE's fastest", "over the host's threads"]
    optional = (("of_copy", ".3f"), ("analysis_ms", ".2f"), ("speedup", ".2f"), ("over_host", ".2f"))
    table = [
        [r["kernel"], r["scalar"], r["n"], r["grid"], r["library"].replace("_", " ")]
        + [f"{r['best_ms']:.3f}", f"{r['median_ms']:.3f}", f"{r['us/plane']:.2f}", f"{r['ns/point']:.2f}"]
        + [f"{r[name]:{digits}}" if name in r else "-" for name, digits in optional]
        for r in found
    ]
    return markdown(header, table)


def device_goal_section(rows):
    """The fastest path of BlockIlu0 in double against the goals; `at most` where less is better."""
    best = {}
    for r in rows:
        device_path = r["library"].startswith("Hyperplane_") and r["library"] != "Hyperplane_host"
        if r["scalar"] != "double" or not device_path:
            continue
        key = (r["kernel"], r["n"], r["grid"], r["library"].endswith("float_storage"))
        if key not in best or r["best_ms"] < best[key]["best_ms"]:
            best[key] = r
    table = []

    def add(what, r, goal, value, reached):
        table.append([what, r["n"], r["grid"], r["library"].removeprefix("Hyperplane_").replace("_", " "), goal, f"{value:.2f}"])
        table[-1].append("yes" if reached else "no")

    for (kernel, n, grid), goal in DEVICE_GOALS_OF_COPY.items():
        if r := best.get((kernel, n, grid, False)):
            add(f"{kernel}, fraction of copy", r, f"at least {goal:.2f}", r["of_copy"], r["of_copy"] >= goal)
    for n, goal in DEVICE_GOALS_PLANE.items():
        for grid in DEVICE_GOAL_GRIDS:
            if r := best.get(("solve", n, grid, False)):
                add("solve, us a plane", r, f"at most {goal:.2f}", r["us/plane"], r["us/plane"] <= goal)
    for n in GOAL_BLOCKS:
        double, single = (best.get(("solve", n, "128x128x128", storage)) for storage in (False, True))
        if double and single:
            ratio = double["best_ms"] / single["best_ms"]
            add("solve, float storage over double", single, f"at least {DEVICE_GOAL_FLOAT}", ratio, ratio >= DEVICE_GOAL_FLOAT)
    for (kernel, _, _, single), r in best.items():
        if not single and "speedup" in r:
            value = r["speedup"]
            goal = DEVICE_GOAL_OF_CUSPARSE
            add(f"{kernel}, times cuSPARSE's fastest", r, f"at least {goal:.0f}", value, value >= goal)
    return markdown(["goal", "n", "grid", "path", "goal value", "measured", "reached"], table)


def latency_section(rows):
    table = [["/".join(r["parts"][1:]), f"{r['best_us']:.3f}", f"{r['median_us']:.3f}"] for r in rows]
    return markdown(["one step", "best us", "median us"], table)


def device_sections(folder):
    """What only a machine with a CUDA device measures."""
    text = ""
    if rows := cusparse_rows(folder):
        text += f"\n## Goals on the device\n\n{device_goal_section(rows)}\n"
        text += f"\n## cuSPARSE on the device\n\n{cusparse_section(rows)}\n"
    if rows := load(folder, "cuda_latency"):
        text += f"\n## One dependency step on the device\n\n{latency_section(rows)}\n"
    return text


def commits(rows):
    return "Commit " + ", ".join(sorted({row["commit"] for row in rows})) + "."


def line_rows(folder):
    """kernel/space/path/storage/n=N/IxJxK, and after it load=BITS, parts=N or nothing"""
    rows = load(folder, "block_tridiagonal")
    for row in rows:
        row["kernel"], row["space"], row["path"], row["storage"], block, row["grid"], *more = row["parts"]
        row["n"] = int(block.removeprefix("n="))
        row["option"], row["value"] = more[0].split("=") if more else ("", "-")
    return rows


def line_section(rows):
    header = ["kernel", "space", "path", "storage", "n", "grid", "threads", "load bits", "best ms", "median ms"]
    header += ["ns/point", "GB/s", "of copy", "of triad", "GFLOP/s"]
    table = [
        [r["kernel"].removeprefix("line_"), r["space"], r["path"], r["storage"], r["n"], r["grid"], r["threads"], r["value"]]
        + [f"{r['best_ms']:.3f}", f"{r['median_ms']:.3f}", f"{r['ns/point']:.3f}", f"{r['GB/s']:.1f}"]
        + [f"{r['of_copy']:.2f}", f"{r['of_triad']:.2f}", f"{r['GFLOP/s']:.1f}"]
        for r in sorted(rows, key=lambda r: (r["kernel"], r["space"], r["storage"], r["n"], r["path"], r["value"], r["threads"]))
    ]
    return markdown(header, table)


def few_lines_section(rows):
    """Best times of few lines, a column for each number of parts."""
    systems = {}
    for r in rows:
        key = (r["kernel"].removeprefix("line_"), r["space"], r["n"], r["grid"], r["threads"])
        systems.setdefault(key, {})[r["value"]] = r["best_ms"]
    parts = sorted({r["value"] for r in rows}, key=lambda value: (not value.isdigit(), int(value) if value.isdigit() else 0))
    header = ["kernel", "space", "n", "grid", "threads", *(f"{value} parts: ms" for value in parts)]
    table = [[*key, *(f"{times[p]:.3f}" if p in times else "-" for p in parts)] for key, times in sorted(systems.items())]
    return markdown(header, table)


def line_implicit_section(rows):
    """kernel/space/direction/storage/n=N/IxJxK"""
    table = [
        [*r["parts"][:4], r["parts"][4].removeprefix("n="), r["parts"][5], r["threads"], f"{r['best_ms']:.3f}"]
        + [f"{r['median_ms']:.3f}", f"{r['ns/point']:.3f}", f"{r['GB/s']:.1f}", f"{r['of_copy']:.2f}", f"{r['GFLOP/s']:.1f}"]
        for r in rows
    ]
    header = ["kernel", "space", "lines along", "storage", "n", "grid", "threads", "best ms", "median ms", "ns/point", "GB/s"]
    return markdown([*header, "of copy", "GFLOP/s"], table)


def gtsv2_section(rows):
    """kernel/library/space/storage/n=1/IxJxK"""
    table = [
        [r["parts"][0].removeprefix("line_").replace("_", " "), r["parts"][1], r["parts"][5], f"{r['best_ms']:.3f}"]
        + [f"{r['median_ms']:.3f}", f"{r['ns/point']:.3f}", f"{r['GB/s']:.1f}", f"{r['of_copy']:.2f}"]
        for r in rows
    ]
    return markdown(["kernel", "library", "grid", "best ms", "median ms", "ns/point", "GB/s", "of copy"], table)


def line_sections(folder):
    text = ""
    rows = line_rows(folder)
    if many := [row for row in rows if row["option"] != "parts"]:
        text += f"\n## Block tridiagonal lines\n\n{commits(many)}\n\n{line_section(many)}\n"
    if few := [row for row in rows if row["option"] == "parts"]:
        text += f"\n## Few lines, whole and in parts\n\n{commits(few)}\n\n{few_lines_section(few)}\n"
    if rows := load(folder, "peers_cusparse_tridiagonal"):
        text += f"\n## Lines of n = 1 beside cuSPARSE's gtsv2StridedBatch\n\n{commits(rows)}\n\n{gtsv2_section(rows)}\n"
    if rows := load(folder, "line_implicit"):
        text += f"\n## Line-implicit iteration\n\n{commits(rows)}\n\n{line_implicit_section(rows)}\n"
    return text


def blocks_rows(folder):
    """kernel/space/way/double/n=N/CASE, and after it the parts of a box that is cut"""
    rows = load(folder, "blocks")
    for row in rows:
        row["kernel"], row["space"], row["way"], _, block, row["case"], *parts = row["parts"]
        row["n"] = int(block.removeprefix("n="))
        row["cut"] = parts[0] if parts else "-"
    return rows


def blocks_goal_section(rows):
    found = {(r["kernel"], r["case"]): r for r in rows if r["space"] == "Cuda" and r["n"] == 6 and r["way"] == "none"}
    table = [
        [kernel, case.replace("_", " "), f"{goal:.2f}", f"{r['of_copy']:.2f}", verdict(r["of_copy"], goal)]
        for (kernel, case), goal in BLOCKS_GOALS_OF_COPY.items()
        if (r := found.get((kernel, case)))
    ]
    return markdown(["fraction of copy, n = 6", "grid blocks", "at least", "measured", "reached"], table)


def blocks_section(rows):
    """Beside each row how often as fast it is as grid blocks one after the other, or as the box that is not cut."""
    peers = {
        (r["kernel"], r["space"], r["n"], r["case"], r["threads"]): r["best_ms"]
        for r in rows
        if r["way"] in ("one_by_one", "whole")
    }
    header = ["kernel", "space", "coupling", "n", "grid blocks", "parts", "threads", "best ms", "median ms", "ns/point", "GB/s"]
    table = []
    for r in rows:
        peer = peers.get((r["kernel"], r["space"], r["n"], r["case"], r["threads"]))
        table.append([r["kernel"], r["space"], r["way"].replace("_", " "), r["n"], r["case"].replace("_", " "), r["cut"], r["threads"]])
        table[-1] += [f"{r['best_ms']:.3f}", f"{r['median_ms']:.3f}", f"{r['ns/point']:.2f}", f"{r['GB/s']:.1f}"]
        table[-1] += [f"{r['of_copy']:.2f}", f"{r['of_triad']:.2f}", f"{peer / r['best_ms']:.2f}" if peer else "-"]
    return markdown([*header, "of copy", "of triad", "over one by one, or whole"], table)


def blocks_sections(folder):
    text = ""
    if rows := blocks_rows(folder):
        if any(row["space"] == "Cuda" for row in rows):
            text += f"\n## Goals of several grid blocks\n\n{blocks_goal_section(rows)}\n"
        text += f"\n## Several grid blocks\n\n{commits(rows)}\n\n{blocks_section(rows)}\n"
    return text


def map_section(folder):
    rows = load(folder, "hyperplane_map")
    table = [[r["parts"][2].replace("_", " "), r["parts"][3], r["threads"], f"{r['best_ms']:.3f}", f"{r['ns/point']:.2f}"] for r in rows]
    return markdown(["map", "grid", "threads", "best ms", "ns/point"], table) if table else "not measured"


def roofline(folder, rows, path):
    """Arithmetic intensity by the models against GFLOP/s, under the roof that the machine showed in the same run."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    threads = max(row["threads"] for row in rows)
    machine = {row["parts"][1]: row for row in load(folder, "machine") if row["threads"] == threads}
    points = [r for r in rows if r["threads"] == threads and r["kernel"] in ("solve", "factor", "apply")]
    points = [r for r in points if r["path"] == "slab"] or points
    largest = max((r["grid"] for r in points), key=lambda g: int(g.split("x")[0]))
    preferred = "64x64x64" if any(r["grid"] == "64x64x64" for r in points) else largest
    points = [r for r in points if r["grid"] == preferred]

    figure, axes = plt.subplots(figsize=(8, 5.5), constrained_layout=True)
    intensity = [10 ** (-1.7 + 0.01 * i) for i in range(251)]
    peak = machine["multiply_add"]["GFLOP/s"]
    for name, style in (("triad", "-"), ("copy", "--"), ("read", ":")):
        bandwidth = machine[name]["GB/s"]
        roof = [min(bandwidth * x, peak) for x in intensity]
        axes.plot(intensity, roof, style, color="0.35", label=f"{name} {bandwidth:.1f} GB/s, {peak:.0f} GFLOP/s")
    markers = {"solve": "o", "factor": "s", "apply": "^"}
    colors = {"double": "tab:blue", "float": "tab:orange"}
    labelled = set()
    for r in points:
        label = f"{r['kernel']}, {r['storage']}"
        axes.plot(
            r["flop/byte"],
            r["GFLOP/s"],
            markers[r["kernel"]],
            color=colors[r["storage"]],
            label=None if label in labelled else label,
        )
        labelled.add(label)
        axes.annotate(f"n={r['n']}", (r["flop/byte"], r["GFLOP/s"]), textcoords="offset points", xytext=(5, -9), fontsize=7)
    axes.set(xscale="log", yscale="log", xlabel="flop / byte (model)", ylabel="GFLOP/s")
    axes.set_title(f"BILU(0), {preferred}, {threads} thread(s), {points[0]['path']} path")
    axes.grid(True, which="both", color="0.9")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write(folder):
    folder = pathlib.Path(folder)
    about = context(folder)
    rows = solver_rows(folder)
    host_rows = [row for row in rows if row["space"] != "Cuda"]
    peers = peer_rows(folder)
    caches = ", ".join(
        f"L{c['level']} {c['type'].lower()} {c['size'] // 1024} KiB" for c in about.get("caches", [])
    )
    petsc = f"PETSc {about['petsc_version']} ({about['petsc_build']})" if "petsc_version" in about else "no PETSc"
    device = f"{about['device']}, cuSPARSE {about.get('cusparse_version', 'not measured')}; " if "device" in about else ""
    text = f"""# Benchmarks of {about['date'][:10]}

{about['cpu_model']}, {about['num_cpus']} cores ({caches or 'caches unknown'}), {about['instruction_set']}; \
{about['compiler']}, Kokkos {about['kokkos_version']} ({about['execution_space']}), {petsc}; \
{device}commit {about.get('git_commit', 'unknown')}; transparent huge pages: {about['transparent_huge_pages']}.

Bytes and operations by the models of `perf_tests/support/cost_model.hpp`; best of all repetitions; "of triad" is best over best
with triad run next to every repetition, "(median)" the median of the ratios of neighbours in time.

## Goals

{goal_section(host_rows, peers)}

## Machine

{machine_section(folder)}

## BILU(0)

{solver_section(rows)}

## PETSc: BAIJ, ILU(0), natural ordering; one process against one thread

{peer_section(peers)}

## Map (p, q) -> (i, j, k)

{map_section(folder)}
{device_sections(folder)}{blocks_sections(folder)}{line_sections(folder)}"""
    (folder / "table.md").write_text(text, encoding="utf-8")
    print(text)
    try:
        roofline(folder, host_rows, folder / "roofline.png")
        print(f"report: wrote {folder / 'table.md'} and {folder / 'roofline.png'}")
    except ImportError:
        print(f"report: wrote {folder / 'table.md'}; no picture: matplotlib is not installed (Debian: python3-matplotlib)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1])
