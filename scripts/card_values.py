# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/performance_cards.py draws: fractions of the bandwidth of copy or triad, from the raw files in docs/measurements."""

import functools
import typing

import card_columns
from performance_page import H100, H200, MESH, ZEN, ZEN_5


class Card(typing.NamedTuple):
    """A picture: a row for each routine or block size, a column for each machine and what is measured beside one another on it."""

    title: str
    across: str  # what the axis across is
    rows: dict  # {heading: arguments of the columns' functions}
    # {heading: (limit, function of the limit and a row's arguments)}. The function returns {label: {points: fraction}}, which
    # are lines, or {label: {case: fraction}}, which are bars.
    columns: dict
    most: float = 1.85  # the axis of fractions ends there; what is above has its value beside the end

    def panel(self, row, column):
        """What the column's function returns, without labels that have nothing, points by their number."""
        limit, values = self.columns[column]
        found = {label: of_label for label, of_label in values(limit, *self.rows[row]).items() if of_label}
        in_order = functools.partial(sorted, key=lambda item: item[0] if isinstance(item[0], int) else 0)
        return {label: dict(in_order(of_label.items())) for label, of_label in found.items()}


# Cards ---------------------------------------------------------------------------------------------------------------


def column(limit, function, *arguments):
    return limit, functools.partial(function, *arguments)


def of_block_sizes(kernel):
    return {f"n = {n}": (kernel, n) for n in (1, 5, 6)}


def solve_and_factor(*sizes):
    return {f"{name}, n = {n}": (kernel, n) for name, kernel in (("solve", "solve"), ("factorization", "factor")) for n in sizes}


ON_ZEN = {
    "Zen 4, 2 threads": column("triad", card_columns.stencil_short, f"{ZEN}/block_ilu0_2", "OpenMP/slab"),
    "Zen 4, 1 thread": column("triad", card_columns.stencil_petsc, ZEN),
}
BILU0 = {
    "Zen 5, 2 threads": column("triad", card_columns.stencil_short, f"{ZEN_5}/block_ilu0_2", "OpenMP/slab"),
    "Xeon, 2 threads": column("triad", card_columns.stencil_short, f"{H100}/block_ilu0_2", "OpenMP/slab"),
    "Xeon, 1 thread": column("triad", card_columns.stencil_petsc, H100),
    "H100": column("copy", card_columns.stencil_cusparse, f"{H100}/peers_cusparse_csr_16", (f"{H100}/cuda_paths_16",)),
    "H200": column("copy", card_columns.stencil_cusparse, f"{H200}/peers_cusparse_16", (f"{H200}/cuda_paths_storages_16", f"{H200}/cuda_paths_16")),
}
CARDS = {
    "block-ilu0-solve": Card(
        "BlockIlu0, solve",
        "points of the grid",
        of_block_sizes("solve"),
        ON_ZEN | {"Zen 5, 1 thread": column("triad", card_columns.stencil_petsc, ZEN_5)} | BILU0,
    ),
    "block-ilu0-factor": Card("BlockIlu0, factorization", "points of the grid", of_block_sizes("factor"), ON_ZEN | BILU0),
    "products": Card(
        "Product with a BlockStencil7",
        "points of the grid",
        of_block_sizes("apply"),
        ON_ZEN | {"H200": column("copy", card_columns.stencil, f"{H200}/block_ilu0_16", "Cuda/automatic")},
    ),
    "block-csr-mesh": Card(
        "Block CSR on meshes, n = 5, BILU(0)",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",), "product": ("apply",)},
        {
            "Zen 4, 2 threads, 48³ points": column("triad", card_columns.csr, f"{ZEN}/csr_2", "OpenMP", MESH),
            "Zen 4, 1 thread, 48³ points": column("triad", card_columns.csr_petsc_hypre, ZEN),
            "Zen 5, 1 thread, 48³ points": column("triad", card_columns.csr_petsc_hypre, ZEN_5),
            "H100, 100³ points": column("copy", card_columns.csr, f"{H100}/csr_16", "Cuda", "100x100x100"),
            "H200, wing, 990090 points": column("copy", card_columns.csr, f"{H200}/csr_wing_16", "Cuda", "wing"),
        },
    ),
    "block-csr-stencil": Card(
        "Seven-point systems as block CSR, n = 5, BILU(0)",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",)},
        {
            "Zen 4, 1 thread, 48³ points": column("triad", card_columns.csr_kokkos_kernels, f"{ZEN}/peers_kokkos_kernels_csr_1", "Serial"),
            "H200, 100³ points": column("copy", card_columns.csr_kokkos_kernels, f"{H200}/peers_kokkos_kernels_csr_16", "Cuda"),
            "H100": column("copy", card_columns.csr_cusparse, f"{H100}/peers_cusparse_csr_16"),
        },
    ),
    "block-csr-solvers": Card(
        "Block CSR on a mesh, 100³ points, n = 5",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",)},
        {"H100": column("copy", card_columns.csr_solvers, f"{H100}/csr_transposed_16", "Cuda", "100x100x100")},
    ),
    "block-csr-fill": Card(
        "ILU(k) of block CSR on a mesh, 48³ points, n = 5",
        "order of the rows",
        {"solve": ("solve",), "factorization": ("factor",)},
        {"Zen 4, 2 threads": column("triad", card_columns.csr_fill, f"{ZEN}/csr_2")},
    ),
    "block-csr-ilut": Card(
        "ILUT of block CSR on a mesh, 48³ points, n = 5",
        "drop tolerance of hypre",
        {"solve": ("solve",)},
        {"Zen 4, 1 thread": column("triad", card_columns.csr_ilut, ZEN)},
    ),
    "relaxations": Card(
        "SSOR and block Jacobi",
        "points of the grid",
        {f"{name}, n = {n}": (solver, n) for name, solver in (("SSOR", "ssor"), ("Jacobi", "jacobi")) for n in (1, 5, 6)},
        {
            f"{name}, Zen 5, 2 threads": column("triad", card_columns.named_stencil, f"{ZEN_5}/relaxations_2", "OpenMP", kernel)
            for name, kernel in (("solve", "solve"), ("factorization", "factor"))
        },
    ),
    "krylov": Card(
        "BiCGStab with BILU(0) to 1e-10, n = 5",
        "points of the grid",
        {"whole solve": (5,)},
        {
            "Zen 5, 2 threads": column("triad", card_columns.bicgstab, f"{ZEN_5}/krylov_2", "OpenMP"),
            "H100": column("copy", card_columns.bicgstab, f"{H100}/krylov_16", "Cuda"),
            "H200": column("copy", card_columns.bicgstab, f"{H200}/krylov_16", "Cuda"),
        },
    ),
    "line-implicit": Card(
        "LineImplicit",
        "direction of the lines",
        {"factorization": ("factor",), "iteration": ("iteration",)},
        {"H200": column("copy", card_columns.line_implicit, f"{H200}/line_implicit_16", "Cuda")},
    ),
    "swept": Card(
        "Swept rule, over a pass through memory for each step",
        "points",
        {"heat": ("heat", 1), "Kuramoto-Sivashinsky": ("ks", 1), "Euler": ("euler", 3)},
        {
            "Zen 4, 2 threads": column("copy", card_columns.swept, f"{ZEN}/swept_2", f"{ZEN}/machine_2", "OpenMP", "(?:shared|tiles)"),
            "H200": column("copy", card_columns.swept, f"{H200}/swept_cuda", f"{H200}/machine_16", "Cuda", "automatic"),
        },
        most=16,
    ),
    "grid-blocks": Card(
        "MultiBlock of BlockIlu0",
        "points of a grid block",
        solve_and_factor(5, 6),
        {
            "Xeon, 16 threads": column("triad", card_columns.grid_blocks, f"{H200}/blocks_16", "OpenMP"),
            "H100": column("copy", card_columns.grid_blocks, f"{H100}/blocks_16", "Cuda"),
            "H200": column("copy", card_columns.grid_blocks, f"{H200}/blocks_16", "Cuda"),
        },
    ),
    "sip": Card(
        "Sip",
        "points of the grid",
        {"solve": ("solve",), "coefficients": ("coefficients",), "iteration": ("iteration",)},
        {
            "Zen 5, 2 threads": column("triad", card_columns.sip, *3 * [f"{ZEN_5}/sip_2"], "OpenMP"),
            "Xeon, 2 threads": column("triad", card_columns.sip, *3 * [f"{H200}/sip_2"], "OpenMP"),
            "H200": column("copy", card_columns.sip, f"{H200}/sip_16", f"{H200}/sip_storages_16", f"{H200}/sip_coefficients_16", "Cuda"),
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
            "Zen 4, 2 threads": column("triad", card_columns.primitives, f"{ZEN}/primitives_2", "OpenMP"),
            "Xeon, 2 threads": column("triad", card_columns.primitives, f"{H200}/primitives_2", "OpenMP"),
            "H200": column("copy", card_columns.primitives, f"{H200}/primitives_cuda", "Cuda"),
        },
    ),
    "lines": Card(
        "BlockTridiagonal",
        "points of all lines",
        solve_and_factor(5, 15),
        {
            "Zen 4, 1 thread": column("triad", card_columns.lines, f"{ZEN}/block_tridiagonal_1", f"{ZEN}/peers_kokkos_kernels_1", "OpenMP"),
            "Xeon, 2 threads": column("triad", card_columns.lines, f"{H200}/block_tridiagonal_2", f"{H200}/peers_kokkos_kernels_2", "OpenMP"),
            "H200": column("copy", card_columns.lines, f"{H200}/block_tridiagonal_16", f"{H200}/peers_kokkos_kernels_16", "Cuda"),
        },
    ),
}
