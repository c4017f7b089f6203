#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the tables of docs/performance.md from the raw files and goals.json in docs/measurements.

usage: scripts/performance_page.py              rewrite the tables between the markers
       scripts/performance_page.py --check      fail where the page is not what this would write
       scripts/performance_page.py --pack FILE  white space of raw files: one benchmark on a line, values as they are
"""

import functools
import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "performance.md"
MEASUREMENTS = DOCS / "measurements"
ZEN, ZEN_1, ZEN_5, H100, H200 = "epyc-zen4-2-cores", "epyc-zen1-2-cores", "epyc-zen5-2-cores", "h100", "h200"
BLOCKS = f"{H200}/blocks_16"
BLOCKS_H100 = f"{H100}/blocks_16"
HYPRE = f"{ZEN}/peers_hypre_1"
HYPRE_SCALARS = f"{ZEN_5}/peers_hypre_1"
# Commits of runs whose executables did not write theirs into the file.
COMMITS = {
    BLOCKS_H100: "1e69cb4",
    f"{H100}/devices_krylov_32": "5c8518c",
    f"{H100}/exchange_32": "ba412fd",
    f"{H100}/exchange_64": "db6f089",
    f"{H200}/block_tridiagonal_16": "dfa4140",
    f"{H200}/peers_cusparse_tridiagonal_16": "dfa4140",
    f"{H200}/peers_kokkos_kernels_16": "dfa4140",
    f"{H200}/sip_16": "27c5b3c",
    f"{H200}/sip_iteration_16": "f4182af",
}
VERSIONS = {
    "petsc_version": "PETSc",
    "hypre_version": "hypre",
    "cusparse_version": "cuSPARSE",
    "kokkos_kernels_version": "Kokkos Kernels",
}
TIMES = ("best_ms", "us/step", "us/plane")  # fields of which less is better


class Raw:
    """One raw file: `context`, and `rows` by name without what Google Benchmark appends."""

    def __init__(self, stem):
        # Files from before a path was renamed call Path::slab "pencil".
        raw_text = (MEASUREMENTS / f"{stem}.json").read_text(encoding="utf-8").replace("pencil", "slab")
        data = json.loads(raw_text)
        self.stem, self.context = stem, data["context"]
        rows = [row for row in data["benchmarks"] if not row.get("error_occurred")]
        self.rows = {row["name"].split("/iterations:")[0]: row for row in rows}
        for name, row in self.rows.items():
            # Not all benchmarks write what a hyperplane of each of the two sweeps takes.
            if match := re.fullmatch(r"solve/.*/(\d+)x(\d+)x(\d+)", name):
                row.setdefault("us/plane", 1e3 * row["best_ms"] / (2 * (sum(map(int, match.groups())) - 2)))

    def best(self, pattern, field):
        """{groups of the pattern: best value} of all rows whose whole name matches."""
        found = {}
        for name, row in self.rows.items():
            if (match := re.fullmatch(pattern, name)) and field in row:
                found.setdefault(match.groups(), []).append(row[field])
        return {key: (min if field in TIMES else max)(values) for key, values in found.items()}

    def one(self, pattern, field):
        return next(iter(self.best(pattern, field).values()), None)


@functools.cache
def raw(stem):
    return Raw(stem)


def is_measured(stem):
    return (MEASUREMENTS / f"{stem}.json").exists()


def text(value, digits, scale=1):
    return "-" if value is None else f"{scale * value:.{digits}f}"


def times(slow, fast, digits=1):
    """How often as fast."""
    return "-" if slow is None or fast is None else f"{slow / fast:.{digits}f}"


def table(header, rows, left=1):
    """Markdown; the first `left` columns are text, the others numbers."""
    for row in rows:
        if set(row[left:]) and set(map(str, row[left:])) <= {"-", "- (-)"}:
            sys.exit(f"performance_page.py: error: the raw files have no figure for the row {row}")
    rule = ["---" if i < left else "--:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [header, rule, *rows])


def us(file, pattern):
    return text(file.one(pattern, "best_ms"), 0, 1000)


def us_of_copy(file, pattern):
    return f"{us(file, pattern)} ({text(file.one(pattern, 'of_copy'), 2)})"


def ms_of_triad(file, pattern):
    return f"{text(file.one(pattern, 'best_ms'), 1)} ({text(file.one(pattern, 'of_triad'), 2)})"


NOT_MEASURED = "Not measured yet."

# Tables --------------------------------------------------------------------------------------------------------------


def files():
    groups = {}
    for path in sorted(MEASUREMENTS.glob("*/*.json")):
        stem = f"{path.parent.name}/{path.stem}"
        context = raw(stem).context
        commit = context.get("git_commit", COMMITS.get(stem, "unknown"))[:7]
        key = (path.parent.name, context["date"][:10], commit, f"{context['compiler']}, Kokkos {context['kokkos_version']}")
        more = [f"{label} {context[name]}" for name, label in VERSIONS.items() if name in context]
        groups.setdefault(key, []).append(path.stem + (f" ({more[0]})" if more else ""))
    rows = [[key[0], ", ".join(stems), *key[1:]] for key, stems in groups.items()]
    return table(["folder", "files", "day", "commit", "built with"], rows, left=5)


def machines():
    rows = []
    for stem in (f"{ZEN}/machine_1", f"{ZEN}/machine_2", f"{H200}/machine_16"):
        file = raw(stem)
        c = file.context
        level_3 = max(cache["size"] for cache in c["caches"]) // 2**20
        what = f"{c['cpu_model']}, {c['num_cpus']} cores, {c['instruction_set']}, L3 {level_3} MiB"
        speeds = [text(file.one(f"machine/{name}", "GB/s"), 0) for name in ("copy", "triad", "read")]
        rows.append([what, c["threads"], *speeds])
        if "device" in c:
            what = f"{c['device']}, {c['multiprocessors']} multiprocessors, CUDA {int(c['cuda_runtime']) // 1000}"
            rows.append([what, "-", *[text(file.one(f"machine/device_{name}", "GB/s"), 0) for name in ("copy", "triad", "read")]])
    return table(["machine", "threads", "copy, GB/s", "triad", "read"], rows)


def goal_values(goal):
    """{case: value}; with several files the last one that has a case counts."""
    values = {}
    for stem in goal["files"]:
        own = raw(stem).best(goal["rows"], goal["field"])
        if "over" in goal:
            other = raw(goal.get("over_file", stem)).best(goal["over"], goal["field"])
            less = goal["field"] in TIMES
            own = {k: other[k] / v if less else v / other[k] for k, v in own.items() if k in other}
        values |= own
    if not values:
        sys.exit(f"performance_page.py: error: no row for the goal: {goal['goal']} ({goal['rows']})")
    return values


def goals():
    rows = []
    for goal in json.loads((MEASUREMENTS / "goals.json").read_text(encoding="utf-8")):
        most = "at_most" in goal
        bound = goal["at_most" if most else "at_least"]
        value = f"{'at most' if most else 'at least'} {bound}"
        if not any(map(is_measured, goal["files"])):
            rows.append([goal["machine"], goal["goal"], value, "-", "not measured yet"])
            continue
        values = goal_values(goal)
        # As the page shows it: what is rounded to the bound has reached it.
        missed = {k: v for k, v in values.items() if (round(v, 2) > bound if most else round(v, 2) < bound)}
        low, high = text(min(values.values()), 2), text(max(values.values()), 2)
        reached = "no" if missed else "yes"
        if missed and len(values) > 1:
            worst = sorted(missed.items(), key=lambda item: item[1], reverse=most)[:2]
            named = ", ".join(" ".join(filter(None, case)) + f" {value:.2f}" for case, value in worst)
            reached = f"{len(values) - len(missed)} of {len(values)}; worst: {named}"
        measured = low if low == high else f"{low} to {high}"
        rows.append([goal["machine"], goal["goal"], value, measured, reached])
    return table(["on", "goal", "value", "measured", "reached"], rows, left=5)


def sweeps_host():
    file = raw(f"{ZEN}/block_ilu0_2")
    cases = [(n, grid) for n in (5, 6) for grid in ("64x64x64", "96x96x96")]
    kinds = [(kernel, "slab", storage) for kernel in ("solve", "factor") for storage in ("double", "float")]
    kinds += [("correction", "slab", "double"), ("solve", "portable", "double"), ("factor", "portable", "double")]
    rows = []
    for kernel, path, storage in kinds:
        cells = [ms_of_triad(file, f"{kernel}/OpenMP/{path}/{storage}/n={n}/{grid}") for n, grid in cases]
        rows.append([kernel, f"`{path}`", storage, *cells])
    return table(["ms (of triad)", "path", "storage", *(f"n = {n}, {grid[:2]}^3" for n, grid in cases)], rows, left=3)


def petsc():
    file = raw(f"{ZEN}/peers_petsc_1")
    cases = [(n, grid) for n in (5, 6) for grid in ("64x64x64", "96x96x96")]
    rows = []
    for kernel in ("solve", "factor"):
        for storage in ("double", "float"):
            found = [file.rows[f"{kernel}/PETSc/{storage}/n={n}/{grid}"] for n, grid in cases]
            cells = [f"{row['best_ms']:.0f} / {row['hyperplane_best_ms']:.0f} = {row['speedup']:.2f}" for row in found]
            rows.append([kernel, storage, *cells])
    return table(["ms, PETSc / Hyperplane", "storage", *(f"n = {n}, {grid[:2]}^3" for n, grid in cases)], rows, left=2)


MESH = "48x48x48"


def csr():
    """BILU(k) of block CSR on a mesh: what orders and levels of fill do."""
    rows = []
    for machine, stem, fills in (("Zen 5", f"{ZEN_5}/csr_2", (0,)), ("Zen 4", f"{ZEN}/csr_2", (0, 1, 2))):
        file = raw(stem)
        for fill in fills:
            for order in ("natural", "rcm", "colours", "lines"):
                case = f"OpenMP/iluk={fill}/{order}/double/n=5/{MESH}"
                solve = file.rows[f"solve/{case}"]
                cells = [f"{solve['fill']:.2f}", int(solve["iterations"]), int(solve["levels"])]
                cells += [ms_of_triad(file, f"solve/{case}"), text(file.one(f"factor/{case}", "best_ms"), 0)]
                rows.append([machine, fill, f"`{order}`", *cells])
    header = ["on", "k", "order", "blocks over those of A", "iterations", "levels", "solve, ms (of triad)", "factor, ms"]
    return table(header, rows, left=3)


def csr_petsc():
    file = raw(f"{ZEN_5}/peers_petsc_mesh_1")
    rows = []
    for kernel, storage in (("solve", "double"), ("solve", "float"), ("factor", "double"), ("factor", "float"), ("apply", "double")):
        found = [file.rows.get(f"{kernel}/PETSc/mesh/ilu{fill}/{storage}/n=5/{MESH}") for fill in (0, 1)]
        cells = [f"{row['best_ms']:.0f} / {row['hyperplane_best_ms']:.0f} = {row['speedup']:.2f}" if row else "-" for row in found]
        rows.append([kernel, storage, *cells])
    return table(["ms, PETSc / Hyperplane", "storage", "ILU(0)", "ILU(1)"], rows, left=2)


def csr_hypre():
    """ILU of block CSR beside hypre's at the same fill, on a mesh."""
    rows = []
    for n, machine, stem in ((5, "Zen 4", HYPRE), (1, "Zen 5", HYPRE_SCALARS)):
        if not is_measured(stem):
            return NOT_MEASURED
        file = raw(stem)
        for which in ("iluk=0", "iluk=1", "ilut=0.1,20", "ilut=0.03,20", "ilut=0.01,20"):
            found = [file.rows[f"{kernel}/hypre/{which}/double/n={n}/{MESH}"] for kernel in ("setup", "solve")]
            cells = [f"{found[0]['fill']:.2f} / {found[0]['hyperplane_fill']:.2f}"]
            cells.append(f"{found[0]['iterations']:.0f} / {found[0]['hyperplane_iterations']:.0f}")
            cells += [f"{row['best_ms']:.1f} / {row['hyperplane_best_ms']:.1f} = {row['speedup']:.2f}" for row in found]
            rows.append([machine, n, which, *cells])
    header = ["hypre / Hyperplane: on", "n", "preconditioner", "entries over those of A", "iterations", "set-up, ms", "solve, ms"]
    return table(header, rows, left=3)


def csr_on_mesh(stem, mesh):
    """BILU(0) of block CSR on a GPU, on a mesh."""
    if not is_measured(stem):
        return NOT_MEASURED
    file = raw(stem)
    rows = []
    for order in ("natural", "rcm", "colours"):
        case = f"Cuda/iluk=0/{order}/double/n=5/{mesh}"
        solve = file.rows.get(f"solve/{case}")
        if solve is None:
            continue
        cells = [us_of_copy(file, f"{kernel}/{case}") for kernel in ("solve", "factor", "apply")]
        rows.append([f"`{order}`", int(solve["iterations"]), int(solve["levels"]), *cells])
    return table(["order", "iterations", "levels", "solve, us (of copy)", "factor", "product"], rows)


def csr_cuda():
    return csr_on_mesh(f"{H200}/csr_16", "100x100x100")


def csr_transposed_cuda():
    """Solves with M and M^T of block CSR on a GPU, on a mesh, by preconditioners that take rows in the same orders."""
    stem = f"{H200}/csr_16"
    if not is_measured(stem):
        return NOT_MEASURED
    file = raw(stem)
    rows = []
    for label, key in (("BILU(0)", "iluk=0"), ("DILU", "dilu"), ("LU-SGS", "lu-sgs")):
        for order in ("natural", "colours"):
            case = f"Cuda/{key}/{order}/double/n=5/100x100x100"
            solve = file.rows[f"solve/{case}"]
            cells = [us_of_copy(file, f"solve/{case}"), us(file, f"solve_transposed/{case}"), us(file, f"factor/{case}")]
            rows.append([label, f"`{order}`", int(solve["iterations"]), int(solve["levels"]), *cells])
    return table(["", "order", "iterations", "levels", "solve, us (of copy)", "with M^T", "factor"], rows, left=2)


def csr_stencil_cuda():
    """Products with seven-point systems as block CSR, and with their transposes."""
    stem = f"{H200}/csr_16"
    if not is_measured(stem):
        return NOT_MEASURED
    file = raw(stem)
    rows = []
    for name in file.rows:
        if match := re.fullmatch(r"apply/(Cuda/stencil/double/n=(\d+)/(\d+)x.*)", name):
            case, n, edge = match.groups()
            plain, transposed = f"apply/{case}", f"apply_transposed/{case}"
            ratio = times(file.one(plain, "best_ms"), file.one(transposed, "best_ms"), 2)
            rows.append([n, f"{edge}^3", us_of_copy(file, plain), us_of_copy(file, transposed), ratio])
    return table(["n", "grid", "A x, us (of copy)", "A^T x", "speed of A^T x over that of A x"], rows, left=2)


def csr_wing():
    return csr_on_mesh(f"{H200}/csr_wing_16", "wing")


def csr_cusparse():
    """Block CSR beside grids and cuSPARSE, the same seven-point systems."""
    file = raw(f"{H200}/peers_cusparse_csr_16")
    rows = []
    for kernel, peers in (("solve", "(?:bsrsv2|SpSV).*"), ("factor", "bsrilu02.*")):
        for n in (1, 3, 5, 6):
            for grid in ("55x55x55", "128x128x128"):
                case = f"double/n={n}/{grid}"
                own = f"{kernel}/Hyperplane_csr_tickets/{case}"
                if file.one(own, "best_ms") is None:
                    continue
                cells = [us_of_copy(file, own)]
                cells += [us(file, f"{kernel}/{library}/{case}") for library in ("Hyperplane_slab", peers)]
                cells.append(times(file.one(f"{kernel}/{peers}/{case}", "best_ms"), file.one(own, "best_ms")))
                rows.append([kernel, n, grid.split("x")[0] + "^3", *cells])
    header = ["us", "n", "grid", "`tickets` (of copy)", "`BlockIlu0`, `slab`", "cuSPARSE", "cuSPARSE over `tickets`"]
    return table(header, rows)


def csr_kokkos_kernels():
    """BILU(k) of block CSR beside spiluk and sptrsv."""
    rows = []
    for stem, space, label in ((f"{H100}/peers_kokkos_kernels_csr_16", "Cuda", "H100"), (f"{H200}/peers_kokkos_kernels_csr_16", "Cuda", "H200"), (f"{ZEN}/peers_kokkos_kernels_csr_1", "Serial", "Zen 4, 1 thread")):
        if not is_measured(stem):
            continue
        for kernel in ("solve", "factor"):
            for kind, n, fill in (*(("stencil", n, fill) for n in (1, 3, 5, 6) for fill in (0, 1)), ("mesh", 5, 0), ("mesh", 5, 1)):
                cells = []
                for order in ("natural", "rcm", "colours"):
                    case = f"{space}/{kind}/k={fill}/{order}/n={n}/.*"
                    peer, own = (raw(stem).one(f"{kernel}/{library}/{case}", "best_ms") for library in ("KokkosKernels_.*", "Hyperplane"))
                    cells.append("-" if own is None else f"{text(own, 0, 1000)}; {times(peer, own)}")
                if set(cells) != {"-"}:
                    rows.append([label, kernel, kind, n, fill, *cells])
    if not rows:
        return NOT_MEASURED
    return table(["us; times Kokkos Kernels'", "", "system", "n", "k", "`natural`", "`rcm`", "`colours`"], rows, left=3)


def sweeps_cuda():
    file = raw(f"{H200}/peers_cusparse_16")
    others = ["slab_float_storage", "cuda_graph", "thread_recycling", "portable"]
    libraries = [f"Hyperplane_{name}" for name in others] + ["(?:bsr|SpSV).*", "Hyperplane_host"]
    rows = []
    for kernel in ("solve", "factor"):
        for n in (1, 5, 6):
            for grid in ("15x15x15", "128x128x128"):
                own = f"{kernel}/Hyperplane_slab/double/n={n}/{grid}"
                cells = [us_of_copy(file, own), text(file.one(own, "us/plane"), 2)]
                cells += [us(file, f"{kernel}/{library}/double/n={n}/{grid}") for library in libraries]
                rows.append([kernel, n, grid.split("x")[0] + "^3", *cells])
    header = ["us", "n", "grid", "`slab` (of copy)", "per plane", "float storage", "`cuda_graph`", "`thread_recycling`", "`portable`"]
    return table([*header, "cuSPARSE", "16 host threads"], rows)


def sip():
    file, ten = raw(f"{H200}/sip_16"), raw(f"{H200}/sip_iteration_16")
    rows = []
    for grid in ("15x15x15", "64x64x64", "128x128x128", "256x256x256", "1024x64x64", "512x128x128"):
        cells = [us(file, f"sip_forward/Cuda/{path}/{grid}") for path in ("portable", "self_scheduled", "cuda_graph", "slab")]
        cells.append(us(file, f"sip_wrong_without_synchronisation_forward/Cuda/{grid}"))
        cells += [us_of_copy(file, f"sip_solve/Cuda/slab/{grid}"), us(file, f"sip_iteration/Cuda/slab/{grid}")]
        cells.append(text(ten.one(f"sip_ten_iterations/Cuda/alternating/{grid}", "best_ms"), 0, 100))
        rows.append([grid, *cells])
    header = ["us", "forward: `portable`", "`self_scheduled`", "`cuda_graph`", "`slab`", "bound", "solve (of copy)", "iteration"]
    return table([*header, "of ten in a launch"], rows)


def primitives():
    kernels = [f"{name}/WHERE" for name in ("sum", "norm_inf", "dot", "copy", "axpy", "apply_constant")]
    kernels += ["dots_4_of_3_arrays", "update_dot", "pack/box", "unpack/box", "pack/transposed", "copy/runtime"]
    devices = ((f"{H200}/primitives_cuda", "Cuda", "of_copy"), (f"{ZEN}/primitives_2", "OpenMP", "of_triad"))
    devices += ((f"{H200}/primitives_2", "OpenMP", "of_triad"),)
    cases = (("double", "256x256x256", "whole"), ("double", "256x256x256", "inside"))
    cases += (("float", "256x256x256", "whole"), ("double", "128x128x128", "whole"))
    rows = []
    for kernel in kernels:
        cells = []
        for stem, space, of in devices:
            for scalar, grid, where in cases:
                # What has no box inside stands in the other columns alone.
                found = where == "whole" or "WHERE" in kernel
                name = f"{kernel.replace('WHERE', where)}/{space}/{scalar}/{grid}"
                cells.append(text(raw(stem).one(name, of) if found else None, 2))
        rows.append([f"`{kernel.removesuffix('/WHERE')}`", *cells])
    header = [cell for name in ("H200", "Zen 4", "Xeon") for cell in (f"{name}: 256^3", "inside", "float", "128^3")]
    return table(["", *header], rows)


def blocks_of(stem, kernel, space, n, case, way, peer):
    """Time, fraction of copy, and how many times as fast as `peer`, a way and a case."""
    file = raw(stem)
    name, other = (f"{kernel}/{space}/{run}/double/n={n}/{of}" for run, of in ((way, case), peer))
    if (best := file.one(name, "best_ms")) is None:
        return "-"
    return f"{us_of_copy(file, name)}; {times(file.one(other, 'best_ms'), best, 2)}"


def blocks():
    """Grid blocks that meet no other: all together, and how often as fast as one after the other."""
    if not (is_measured(BLOCKS) and is_measured(BLOCKS_H100)):
        return NOT_MEASURED
    cases = ("64_of_15x15x15", "27_of_29x29x29", "8_of_55x55x55", "1_of_55x55x55", "40_mixed")
    rows = []
    # The H200 was not there any more when scalars came to be launched together.
    for stem, space, label, sizes in (
        (BLOCKS_H100, "Cuda", "H100", (1, 5, 6)),
        (BLOCKS, "Cuda", "H200", (5, 6)),
        (BLOCKS, "OpenMP", "16 threads of the Xeon", (1, 5, 6)),
    ):
        for kernel in ("solve", "factor"):
            for n in sizes:
                cells = [blocks_of(stem, kernel, space, n, case, "none", ("one_by_one", case)) for case in cases]
                rows.append([label, kernel, n, *cells])
    header = ["us (of copy); times one by one", "", "n", *(case.split("x")[0].replace("_", " ") + "^3" for case in cases[:-1])]
    return table([*header, "40 mixed"], rows, left=2)


def cuts():
    """A box, whole and cut, with each coupling."""
    if not is_measured(BLOCKS):
        return NOT_MEASURED
    rows = []
    for space, label, boxes in (
        ("Cuda", "H200", (("128x128x128", ("2x2x2", "4x4x4")), ("600x400x4", ("8x8x1",)))),
        ("OpenMP", "16 threads of the Xeon", (("64x64x64", ("2x2x2", "4x4x4")), ("300x200x4", ("8x8x1",)))),
    ):
        for box, parts in boxes:
            for kernel in ("solve", "factor", "apply"):
                whole = f"{kernel}/{space}/whole/double/n=5/{box}"
                for part in parts:
                    cells = [
                        blocks_of(BLOCKS, kernel, space, 5, f"{box}/{part}", way, ("whole", box)) for way in ("natural", "coloured", "none")
                    ]
                    rows.append([label, kernel, box, part, us_of_copy(raw(BLOCKS), whole), *cells])
    header = ["us (of copy); times the whole", "", "box", "parts", "whole", "natural", "coloured", "none"]
    return table(header, rows, left=4)


def ranks():
    """A box in parts, by one process with two threads and by two with one each."""
    one, two = (f"{ZEN_1}/ranks_{run}" for run in ("1x2", "2x1"))
    if not is_measured(one) or not is_measured(two):
        return NOT_MEASURED
    one, two = raw(one), raw(two)
    rows = []
    for kernel in ("solve", "factor", "apply"):
        whole = one.one(f"{kernel}/OpenMP/none/double/n=5/64x64x64", "best_ms")
        for coupling in ("none",) if kernel == "apply" else ("natural", "coloured", "none"):
            for parts in ("1x1x2", "2x2x2"):
                case = f"{kernel}/OpenMP/{coupling}/double/n=5/64x64x64/{parts}"
                threads, over_ranks = (file.one(case, "best_ms") for file in (one, two))
                cells = [ms_of_triad(one, case), ms_of_triad(two, case), times(threads, over_ranks, 2), times(whole, over_ranks, 2)]
                rows.append([kernel, "" if kernel == "apply" else coupling, parts, *cells])
    header = ["ms (of triad)", "coupling", "parts", "1 rank, 2 threads", "2 ranks, 1 thread each", "ranks over threads"]
    return table([*header, "over one part, 2 threads"], rows, left=3)


def devices():
    """BILU(0) of boxes on one device, and on two and four that are coupled, or know nothing of one another."""
    file = raw(f"{H100}/devices_64")
    rows = []
    for kernel in ("solve", "factor"):
        for grid in ("128x128x32", "128x128x64", "128x128x128", "256x256x64", "256x256x128", "256x256x256"):

            def best(coupling, case, count, kernel=kernel, grid=grid):
                return file.one(f"{kernel}/Cuda/{coupling}/double/n=5/{case}_{grid}/devices={count}", "best_ms")

            cells = [us_of_copy(file, f"{kernel}/Cuda/none/double/n=5/one_{grid}/devices=1")]
            for count in (2, 4):
                for coupling, case in (("natural", "weak"), ("none", "weak"), ("natural", "strong")):
                    over_devices = best(coupling, case, count)
                    shown = over_devices is not None
                    cells.append(f"{text(over_devices, 0, 1000)}; {times(best('none', 'one', 1), over_devices, 2)}" if shown else "-")
            rows.append([kernel, grid, *cells])
    header = ["us (of copy); one over several", "box", "one device"]
    for count in ("two", "four"):
        header += [f"{count}: `natural`, the box on each", "`none`, the same", "`natural`, the box in all"]
    return table(header, rows, left=2)


def devices_krylov():
    """Products, and iterations of BiCGStab, of boxes on one device and on two."""
    file = raw(f"{H100}/devices_krylov_32")
    rows = []
    for kernel in ("apply", "bicgstab"):
        for grid in ("128x128x128", "256x256x256"):
            one, weak, strong = (
                f"{kernel}/Cuda/natural/double/n=5/{case}_{grid}/devices={count}"
                for case, count in (("one", 1), ("weak", 2), ("strong", 2))
            )
            cells = [us_of_copy(file, one)]
            for over_devices in (weak, strong):
                t = file.one(over_devices, "best_ms")
                cells.append(f"{text(t, 0, 1000)}; {times(file.one(one, 'best_ms'), t, 2)}")
            rows.append([kernel, grid, *cells])
    header = ["us (of copy); one over two", "box", "one device", "two: the box on each", "the box in all"]
    return table(header, rows, left=2)


def exchanges():
    files = [raw(f"{H100}/exchange_{cores}") for cores in (32, 64)]
    rows = []
    for transport in ("host", "gpu_aware", "peer"):
        for size in ("32x32", "128x128", "512x512"):
            one, row = (f"{kind}/Cuda/{transport}/double/n=5/{size}" for kind in ("exchange", "in_a_row"))
            cells = [(us(file, one), us(file, row), text(file.one(row, "GB/s"), 0)) for file in files]
            rows.append([f"`{transport}`", size, *cells[0], *cells[1]])
    header = ["us", "face, n = 5"]
    for ranks in ("two", "four"):
        header += [f"{ranks} ranks: from start to finish", "one behind the other", "GB/s, all ranks together"]
    return table(header, rows, left=2)


def lines():
    cuda, host = raw(f"{H200}/block_tridiagonal_16"), raw(f"{H200}/block_tridiagonal_2")
    rows = []
    for kernel, load in (("line_solve", 128), ("line_factor", 64)):
        for n, storage in ((3, "double"), (5, "double"), (5, "float"), (10, "double"), (15, "double")):
            case = f"{storage}/n={n}/.*"
            cells = [us_of_copy(cuda, f"{kernel}/Cuda/staged/{case}/load={load}"), us(cuda, f"{kernel}/Cuda/portable/{case}")]
            cells += [over_kokkos_kernels("peers_kokkos_kernels_16", kernel, f"Cuda/{case}")]
            cells += [ms_of_triad(host, f"{kernel}/OpenMP/[a-z]*/{case}")]
            cells += [over_kokkos_kernels("peers_kokkos_kernels_2", kernel, f"OpenMP/{case}")]
            rows.append([kernel.removeprefix("line_"), n, storage, *cells])
    header = ["", "n", "storage", "H200: us (of copy)", "`portable`", "over Kokkos Kernels", "2 threads of a Xeon: ms (of triad)"]
    return table([*header, "over Kokkos Kernels"], rows)


def over_kokkos_kernels(stem, kernel, case):
    slow, fast = (raw(f"{H200}/{stem}").one(f"{kernel}/{library}/{case}", "best_ms") for library in ("KokkosKernels.*", "Hyperplane"))
    return times(slow, fast)


def few_lines():
    rows = []
    for stem, space, where, points, counts in (
        (f"{H200}/block_tridiagonal_16", "Cuda", "H200", 512, (16, 128, 512)),
        (f"{ZEN}/block_tridiagonal_1", "OpenMP", "Zen 4, 1 thread", 4096, (1, 2, 4)),
    ):
        for kernel in ("solve", "factor"):
            for n in (5, 15):
                cells = []
                for count in counts:
                    name = f"line_{kernel}/{space}/automatic/double/n={n}/{count}x1x{points}/parts="
                    whole, chosen = (raw(stem).one(name + parts, "best_ms") for parts in ("1", "automatic"))
                    cells.append(f"{count}: {1000 * whole:.0f} / {1000 * chosen:.0f} = {whole / chosen:.1f}")
                rows.append([f"{where}, {points} points", kernel, n, *cells])
    return table(["us, whole / as chosen", "", "n", "lines", "lines", "lines"], rows, left=2)


def line_implicit():
    file = raw(f"{H200}/line_implicit_16")
    kinds = [(kernel, along) for kernel in ("factor", "iteration") for along in "ijk"]
    rows = [[n, *(us_of_copy(file, f"{kernel}/Cuda/{along}/double/n={n}/.*") for kernel, along in kinds)] for n in (3, 5, 10, 15)]
    return table(["us (of copy): n", *(f"{kernel}, along {along}" for kernel, along in kinds)], rows)


def swept():
    """Of several runs of the same points the newest counts, which has fewer variants."""
    runs = [raw(f"{H200}/{name}") for name in ("swept_few_ks", "swept_few", "swept_cuda")]
    host = raw(f"{ZEN}/swept_2")
    rows = []
    for equation, label in (("heat", "heat"), ("ks", "Kuramoto-Sivashinsky"), ("euler", "Euler")):
        for exponent in (11, 15, 19, 24):

            def step(file, variant, field="us/step"):
                return file.one(f"{equation}/{variant}/N={2**exponent}", field)

            run = next(run for run in runs if step(run, "Cuda/classic"))
            variants = ("classic", "cuda_graph", "overlapped.*", "automatic")
            classic, graph, overlapped, automatic = (step(run, f"Cuda/{variant}") for variant in variants)
            included = [step(run, f"Cuda/{variant}", "us_with_transfers") for variant in ("classic", "automatic")]
            on_host = [step(host, f"OpenMP/{variant}") for variant in ("classic", "tiles")]
            cells = [text(classic, 2), text(graph, 2), text(overlapped, 3), text(automatic, 3), times(classic, automatic)]
            cells += [times(overlapped, automatic, 2), times(*included), *(text(value, 1) for value in on_host), times(*on_host)]
            rows.append([label, f"2^{exponent}", *cells])
    header = ["us per step", "points", "classic", "`cuda_graph`", "overlapped", "automatic", "over classic", "over overlapped"]
    return table([*header, "with transfers", "Zen 4: classic", "`tiles`", "over classic"], rows)


TABLES = {
    "files": files,
    "machines": machines,
    "goals": goals,
    "sweeps-host": sweeps_host,
    "petsc": petsc,
    "csr": csr,
    "csr-petsc": csr_petsc,
    "csr-hypre": csr_hypre,
    "csr-cuda": csr_cuda,
    "csr-transposed-cuda": csr_transposed_cuda,
    "csr-stencil-cuda": csr_stencil_cuda,
    "csr-wing": csr_wing,
    "csr-cusparse": csr_cusparse,
    "csr-kokkos-kernels": csr_kokkos_kernels,
    "sweeps-cuda": sweeps_cuda,
    "blocks": blocks,
    "cuts": cuts,
    "ranks": ranks,
    "devices": devices,
    "devices-krylov": devices_krylov,
    "exchanges": exchanges,
    "sip": sip,
    "primitives": primitives,
    "lines": lines,
    "few-lines": few_lines,
    "line-implicit": line_implicit,
    "swept": swept,
}


def rewritten(page):
    for name, make in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end -->"
        head, found, tail = page.partition(begin)
        if not found or end not in tail:
            sys.exit(f"performance_page.py: error: {PAGE} lacks the markers of the table {name}")
        page = head + begin + make() + end + tail.split(end, 1)[1]
    return page


def pack(path):
    """White space, and the folder of the program: one benchmark on a line, so that a file has as many lines as benchmarks."""
    old = path.read_text(encoding="utf-8")
    expected = json.loads(old)
    program = expected["context"].get("executable")
    flat = " ".join(line.strip() for line in old.splitlines())
    if program:
        name = expected["context"]["executable"] = pathlib.PurePath(program).name
        flat = flat.replace(json.dumps(program), json.dumps(name), 1)
    new = re.sub(r' ?\{ ?"name":', '\n{"name":', flat) + "\n"
    if json.loads(new) != expected:
        sys.exit(f"performance_page.py: error: {path} would not be the same; left as it is")
    path.write_text(new, encoding="utf-8")


def main(arguments):
    if arguments[:1] == ["--pack"] and len(arguments) > 1:
        for name in arguments[1:]:
            pack(pathlib.Path(name))
        return
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    old = PAGE.read_text(encoding="utf-8")
    new = rewritten(old)
    if not arguments:
        PAGE.write_text(new, encoding="utf-8")
    elif new != old:
        sys.exit("performance_page.py: error: docs/performance.md is not what its raw files say; run scripts/performance_page.py")


if __name__ == "__main__":
    main(sys.argv[1:])
