# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/performance_cards.py draws: fractions of the bandwidth of copy or triad, from the raw files in docs/measurements."""

import functools
import math
import sys
import typing

from performance_page import H100, H200, MESH, ZEN, is_measured, raw

STORAGES = ("double", "float")
ORDERS = "(natural|rcm|colours)"


class Card(typing.NamedTuple):
    """A picture: a row for each routine or block size, a column for each machine and what is measured beside one another on it."""

    title: str
    across: str  # what the axis across is
    rows: dict  # {heading: arguments of the columns' functions}
    # {heading: (limit, function of the limit and a row's arguments)}. The function returns {label: {points: fraction}}, which
    # are lines, or {label: {case: fraction}}, which are bars.
    columns: dict

    def panel(self, row, column):
        """What the column's function returns, without labels that have nothing, points by their number."""
        limit, values = self.columns[column]
        found = {label: of_label for label, of_label in values(limit, *self.rows[row]).items() if of_label}
        in_order = functools.partial(sorted, key=lambda item: item[0] if isinstance(item[0], int) else 0)
        return {label: dict(in_order(of_label.items())) for label, of_label in found.items()}


def points(grid):
    """Of a grid, of one grid block (64_of_15x15x15), or of lines."""
    return math.prod(int(extent) for extent in grid.rsplit("_")[-1].split("x"))


def best(stem, pattern, field, key=points):
    """{key of the first group of the pattern: best value}; nothing where the file is not there yet."""
    found = raw(stem).best(pattern, field) if is_measured(stem) else {}
    values = {key(groups[0]): value for groups, value in found.items()}
    if len(values) != len(found):
        sys.exit(f"performance_cards.py: error: {stem} has several values at one place of a picture: {', '.join(case for case, *_ in found)}")
    return values


def by_storage(stem, pattern, limit, key=points):
    """STORAGE stands in the pattern for what is stored."""
    return {storage: best(stem, pattern.replace("STORAGE", storage), f"of_{limit}", key) for storage in STORAGES}


def by_name(stem, pattern, limit, names, key=points):
    """NAME stands in the pattern for each name of {label: name}."""
    return {label: best(stem, pattern.replace("NAME", name), f"of_{limit}", key) for label, name in names.items()}


def of_peer(stem, pattern, field, model, model_pattern, limit, key=points):
    """Of a file that has times alone, whose bytes are those of the same system in `model`."""
    times, speeds = (best(stem, pattern, name, str) for name in (field, f"{limit}_GB/s"))
    work = best(model, model_pattern, "bytes/point", str)
    return {key(case): 1e-6 * work[case] * points(case) / times[case] / speeds[case] for case in times if case in work}


def beside_petsc(stem, pattern, model, model_pattern, limit, key=points):
    """PETSc's bytes are those of double."""
    values = {}
    for label, storage, field in (*((name, name, "hyperplane_best_ms") for name in STORAGES), ("PETSc", "double", "best_ms")):
        of_storage = (text.replace("STORAGE", storage) for text in (pattern, model_pattern))
        values[label] = of_peer(stem, next(of_storage), field, model, next(of_storage), limit, key)
    return values


# Functions of columns ------------------------------------------------------------------------------------------------


def stencil(stem, path, limit, kernel, n):
    return by_storage(stem, f"{kernel}/{path}/STORAGE/n={n}/(.*)", limit)


def stencil_short(stem, short, path, limit, kernel, n):
    """Factors of 16 bits were measured on fewer grids, into a file of their own."""
    names = {storage: storage for storage in ("half", "bfloat16")}
    return stencil(stem, path, limit, kernel, n) | by_name(short, f"{kernel}/{path}/NAME/n={n}/(.*)", limit, names)


def stencil_petsc(limit, kernel, n):
    pattern, model = (f"{kernel}/{path}/STORAGE/n={n}/(.*)" for path in ("PETSc", "OpenMP/slab"))
    return beside_petsc(f"{ZEN}/peers_petsc_1", pattern, f"{ZEN}/block_ilu0_2", model, limit)


def stencil_cusparse(stem, limit, kernel, n):
    names = {"double": "Hyperplane_slab", "float": "Hyperplane_slab_float_storage", "cuSPARSE": "(?:bsr|SpSV).*"}
    return by_name(stem, f"{kernel}/NAME/double/n={n}/(.*)", limit, names)


def sip(stem, space, limit, routine):
    """Cubes alone: long boxes have other hyperplanes."""
    return by_name(stem, rf"sip_{routine}/{space}/NAME/((\d+)x\2x\2)", limit, {"double": "slab", "portable path": "portable"})


def lines(stem, peers, space, limit, kernel, n):
    """The best path; few lines in as many parts as the plan chooses."""
    values = by_storage(stem, f"line_{kernel}/{space}/[a-z]*/STORAGE/n={n}/([^/]*)(?:/load=.*|/parts=automatic)?", limit)
    return values | by_name(peers, f"line_{kernel}/NAME/{space}/double/n={n}/(.*)", limit, {"Kokkos Kernels": "KokkosKernels.*"})


def csr(stem, space, mesh, limit, kernel):
    values = by_storage(stem, f"{kernel}/{space}/iluk=0/{ORDERS}/STORAGE/n=5/{mesh}", limit, str)
    # Of float factors, too, the matrix of a product is double.
    return {"double": values["double"]} if kernel == "apply" else values


def csr_petsc_hypre(limit, kernel):
    """Of both the rows are in the order of reverse Cuthill-McKee. Beside hypre whole set-ups were measured, no factorizations."""
    pattern, model = (f"{kernel}/{path}/STORAGE/n=5/(.*)" for path in ("PETSc/mesh/ilu0", "OpenMP/iluk=0/rcm"))
    values = beside_petsc(f"{ZEN}/peers_petsc_mesh_1", pattern, f"{ZEN}/csr_2", model, limit, lambda mesh: "rcm")
    hypre, model = (f"{kernel}/{path}/double/n=5/(.*)" for path in ("hypre/iluk=0", "OpenMP/iluk=0/rcm"))
    values["hypre"] = of_peer(f"{ZEN}/peers_hypre_1", hypre, "best_ms", f"{ZEN}/csr_2", model, limit, lambda mesh: "rcm")
    return values


def csr_kokkos_kernels(stem, space, limit, kernel):
    names = {"double": "Hyperplane", "Kokkos Kernels": "KokkosKernels.*"}
    return by_name(stem, f"{kernel}/NAME/{space}/stencil/k=0/{ORDERS}/n=5/.*", limit, names, str)


def csr_cusparse(limit, kernel):
    names = {"double": "Hyperplane_csr_tickets", "cuSPARSE": "(?:bsr|SpSV).*", "BlockIlu0 on the grid": "Hyperplane_slab"}
    pattern = f"{kernel}/NAME/double/n=5/([0-9]+)x.*"
    return by_name(f"{H100}/peers_cusparse_csr_16", pattern, limit, names, lambda edge: f"natural, {edge}³")


def grid_blocks(stem, space, limit, kernel, n):
    """Several grid blocks of one size."""
    names = {"together": "none", "one after the other": "one_by_one"}
    return by_name(stem, f"{kernel}/{space}/NAME/double/n={n}/((?!1_)[0-9]+_of_.*)", limit, names)


def primitives(stem, space, limit, kernel, peers):
    return by_storage(stem, f"{kernel}/{space}/STORAGE/(.*)", limit) | by_name(stem, f"NAME/{space}/double/(.*)", limit, peers)


# Cards ---------------------------------------------------------------------------------------------------------------


def column(limit, function, *arguments):
    return limit, functools.partial(function, *arguments)


def of_block_sizes(kernel):
    return {f"n = {n}": (kernel, n) for n in (1, 5, 6)}


def solve_and_factor(*sizes):
    return {f"{name}, n = {n}": (kernel, n) for name, kernel in (("solve", "solve"), ("factorization", "factor")) for n in sizes}


ON_ZEN = {
    "Zen 4, 2 threads": column("triad", stencil_short, f"{ZEN}/block_ilu0_2", f"{ZEN}/block_ilu0_storage_2", "OpenMP/slab"),
    "Zen 4, 1 thread": column("triad", stencil_petsc),
}
BILU0 = ON_ZEN | {
    "H100": column("copy", stencil_cusparse, f"{H100}/peers_cusparse_csr_16"),
    "H200": column("copy", stencil_cusparse, f"{H200}/peers_cusparse_16"),
}
CARDS = {
    "block-ilu0-solve": Card("BlockIlu0, solve", "points of the grid", of_block_sizes("solve"), BILU0),
    "block-ilu0-factor": Card("BlockIlu0, factorization", "points of the grid", of_block_sizes("factor"), BILU0),
    "products": Card(
        "Product with a BlockStencil7",
        "points of the grid",
        of_block_sizes("apply"),
        ON_ZEN | {"H200": column("copy", stencil, f"{H200}/block_ilu0_16", "Cuda/automatic")},
    ),
    "block-csr-mesh": Card(
        "Block CSR on meshes, n = 5, BILU(0)",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",), "product": ("apply",)},
        {
            "Zen 4, 2 threads, 48³ points": column("triad", csr, f"{ZEN}/csr_2", "OpenMP", MESH),
            "Zen 4, 1 thread, 48³ points": column("triad", csr_petsc_hypre),
            "H100, 100³ points": column("copy", csr, f"{H100}/csr_16", "Cuda", "100x100x100"),
            "H200, wing, 990090 points": column("copy", csr, f"{H200}/csr_wing_16", "Cuda", "wing"),
        },
    ),
    "block-csr-stencil": Card(
        "Seven-point systems as block CSR, n = 5, BILU(0)",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",)},
        {
            "Zen 4, 1 thread, 48³ points": column("triad", csr_kokkos_kernels, f"{ZEN}/peers_kokkos_kernels_csr_1", "Serial"),
            "H200, 100³ points": column("copy", csr_kokkos_kernels, f"{H200}/peers_kokkos_kernels_csr_16", "Cuda"),
            "H100": column("copy", csr_cusparse),
        },
    ),
    "grid-blocks": Card(
        "MultiBlock of BlockIlu0",
        "points of a grid block",
        solve_and_factor(5, 6),
        {
            "Xeon, 16 threads": column("triad", grid_blocks, f"{H200}/blocks_16", "OpenMP"),
            "H100": column("copy", grid_blocks, f"{H100}/blocks_16", "Cuda"),
            "H200": column("copy", grid_blocks, f"{H200}/blocks_16", "Cuda"),
        },
    ),
    "sip": Card(
        "Sip",
        "points of the grid",
        {"solve": ("solve",), "coefficients": ("coefficients",), "iteration": ("iteration",)},
        {
            "Xeon, 2 threads": column("triad", sip, f"{H200}/sip_2", "OpenMP"),
            "H200": column("copy", sip, f"{H200}/sip_16", "Cuda"),
        },
    ),
    "primitives": Card(
        "Primitives",
        "points of the array",
        {
            "copy": ("copy/whole", {"cudaMemcpyAsync": "copy/runtime"}),
            "dot": ("dot/whole", {"cuBLAS": "dot/cublas"}),
            "axpy": ("axpy/whole", {}),
            "constant stencil": ("apply_constant/whole", {}),
            "transposed pack": ("pack/transposed", {}),
        },
        {
            "Zen 4, 2 threads": column("triad", primitives, f"{ZEN}/primitives_2", "OpenMP"),
            "Xeon, 2 threads": column("triad", primitives, f"{H200}/primitives_2", "OpenMP"),
            "H200": column("copy", primitives, f"{H200}/primitives_cuda", "Cuda"),
        },
    ),
    "lines": Card(
        "BlockTridiagonal",
        "points of all lines",
        solve_and_factor(5, 15),
        {
            "Zen 4, 1 thread": column("triad", lines, f"{ZEN}/block_tridiagonal_1", f"{ZEN}/peers_kokkos_kernels_1", "OpenMP"),
            "Xeon, 2 threads": column("triad", lines, f"{H200}/block_tridiagonal_2", f"{H200}/peers_kokkos_kernels_2", "OpenMP"),
            "H200": column("copy", lines, f"{H200}/block_tridiagonal_16", f"{H200}/peers_kokkos_kernels_16", "Cuda"),
        },
    ),
}
