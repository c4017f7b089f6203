# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fractions of the bandwidth of copy or triad, from the raw files in docs/measurements: what columns of scripts/card_values.py show."""

import math
import sys

from performance_page import MESH, is_measured, raw

STORAGES = ("double", "float")
# Of factors; 8 bits are those of BlockIlu0 on hosts.
SHORT_STORAGES = ("half", "bfloat16", "quarter")
ORDERS = "(natural|rcm|colours)"


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
    own = ((name, name, "hyperplane_best_ms") for name in (*STORAGES, *SHORT_STORAGES))
    for label, storage, field in (*own, ("PETSc", "double", "best_ms")):
        of_storage = (text.replace("STORAGE", storage) for text in (pattern, model_pattern))
        values[label] = of_peer(stem, next(of_storage), field, model, next(of_storage), limit, key)
    return values


# Functions of columns ------------------------------------------------------------------------------------------------


def stencil(stem, path, limit, kernel, n):
    return by_storage(stem, f"{kernel}/{path}/STORAGE/n={n}/(.*)", limit)


def stencil_short(stem, path, limit, kernel, n):
    """Also factors of few bits."""
    names = {storage: storage for storage in SHORT_STORAGES}
    return stencil(stem, path, limit, kernel, n) | by_name(stem, f"{kernel}/{path}/NAME/n={n}/(.*)", limit, names)


def stencil_petsc(machine, limit, kernel, n):
    pattern, model = (f"{kernel}/{path}/STORAGE/n={n}/(.*)" for path in ("PETSc", "OpenMP/slab"))
    return beside_petsc(f"{machine}/peers_petsc_1", pattern, f"{machine}/block_ilu0_2", model, limit)


def stencil_cusparse(stem, large, limit, kernel, n):
    """Beside cuSPARSE, and in all types where the grid is large, of several files: the last one that has a grid counts."""
    names = {"double": "Hyperplane_slab", "float": "Hyperplane_slab_float_storage", "cuSPARSE": "(?:bsr|SpSV).*"}
    values = by_name(stem, f"{kernel}/NAME/double/n={n}/(.*)", limit, names)
    storages = {storage: storage for storage in (*STORAGES, *SHORT_STORAGES)}
    for file in large:
        of_large = by_name(file, f"{kernel}/slab/NAME/n={n}/(.*)", limit, storages)
        values |= {label: values.get(label, {}) | of_label for label, of_label in of_large.items()}
    return values


def named_stencil(stem, space, kernel, limit, solver, n):
    """Of a benchmark that has the kernel and the solver in its names."""
    storages = {storage: storage for storage in (*STORAGES, "half")}
    return by_name(stem, f"{kernel}/{space}/{solver}/NAME/n={n}/(.*)", limit, storages)


def sip(stem, storages, coefficients, space, limit, routine):
    """Cubes alone: long boxes have other hyperplanes. Types may have been measured into files of their own."""
    pattern = rf"sip_{routine}/{space}/NAME/((\d+)x\2x\2)"
    types = coefficients if routine == "coefficients" else storages
    values = by_name(types, pattern, limit, {"double": "slab", "float": "slab/float", "half": "slab/half"})
    return values | by_name(stem, pattern, limit, {"portable path": "portable"})


def lines(stem, peers, space, limit, kernel, n):
    """The best path; few lines in as many parts as the plan chooses."""
    values = by_storage(stem, f"line_{kernel}/{space}/[a-z]*/STORAGE/n={n}/([^/]*)(?:/load=.*|/parts=automatic)?", limit)
    return values | by_name(peers, f"line_{kernel}/NAME/{space}/double/n={n}/(.*)", limit, {"Kokkos Kernels": "KokkosKernels.*"})


def csr(stem, space, mesh, limit, kernel):
    values = by_storage(stem, f"{kernel}/{space}/iluk=0/{ORDERS}/STORAGE/n=5/{mesh}", limit, str)
    # Of float factors, too, the matrix of a product is double.
    return {"double": values["double"]} if kernel == "apply" else values


def csr_solvers(stem, space, mesh, limit, kernel):
    names = {"BILU(0)": "iluk=0", "DILU": "dilu", "LU-SGS": "lu-sgs"}
    return by_name(stem, f"{kernel}/{space}/NAME/{ORDERS}/double/n=5/{mesh}", limit, names, str)


def csr_fill(stem, limit, kernel):
    levels = {f"k = {fill}": str(fill) for fill in (0, 1, 2)}
    return by_name(stem, f"{kernel}/OpenMP/iluk=NAME/(natural|rcm|colours|lines)/double/n=5/.*", limit, levels, str)


def csr_ilut(machine, limit, kernel):
    """Of each drop tolerance; the bytes are those of ILU(0) with as many times the blocks."""
    stem, model, n = f"{machine}/peers_hypre_1", f"{kernel}/OpenMP/iluk=0/rcm/double/n=5/{MESH}", 5
    pattern, values = rf"{kernel}/hypre/ilut=([\d.]+),20/double/n={n}/{MESH}", {}
    vectors = 4 * 8 * n
    blocks = raw(f"{machine}/csr_2").one(model, "bytes/point") - vectors
    for label, which in (("double", "hyperplane_"), ("hypre", "")):
        times, fills, triads = (best(stem, pattern, field, str) for field in (f"{which}best_ms", f"{which}fill", f"{limit}_GB/s"))
        moved = {case: 1e-6 * points(MESH) * (blocks * fills[case] + vectors) for case in times}
        values[label] = {f"drop {case}": moved[case] / times[case] / triads[case] for case in times}
    return values


def bicgstab(stem, space, limit, n):
    names = {"double": "double", "factors in float": "float_factors", "float": "float", "factors in half": "half_factors", "half": "half"}
    return by_name(stem, f"bicgstab/{space}/NAME/n={n}/(.*)", limit, names)


def line_implicit(stem, space, limit, kernel):
    sizes = {f"n = {n}": str(n) for n in (3, 5, 10, 15)}
    return by_name(stem, f"{kernel}/{space}/([ijk])/double/n=NAME/.*", limit, sizes, lambda direction: f"lines along {direction}")


def swept(stem, machine, space, fastest, limit, equation, values):
    """A pass over memory for each step reads and writes all values of a point."""
    copy = raw(machine).one(f"machine/(?:device_)?{limit}", "GB/s")
    found = {}
    for label, name in (("classic", "classic"), ("swept rule", fastest)):
        times = best(stem, f"{equation}/{space}/{name}/N=(.*)", "us/step", int)
        found[label] = {size: 16e-3 * values * size / time / copy for size, time in times.items()}
    return found


def csr_petsc_hypre(machine, limit, kernel):
    """Of both the rows are in the order of reverse Cuthill-McKee. Beside hypre whole set-ups were measured, no factorizations."""
    pattern, model = (f"{kernel}/{path}/STORAGE/n=5/(.*)" for path in ("PETSc/mesh/ilu0", "OpenMP/iluk=0/rcm"))
    values = beside_petsc(f"{machine}/peers_petsc_mesh_1", pattern, f"{machine}/csr_2", model, limit, lambda mesh: "rcm")
    hypre, model = (f"{kernel}/{path}/double/n=5/(.*)" for path in ("hypre/iluk=0", "OpenMP/iluk=0/rcm"))
    values["hypre"] = of_peer(f"{machine}/peers_hypre_1", hypre, "best_ms", f"{machine}/csr_2", model, limit, lambda mesh: "rcm")
    return values


def csr_kokkos_kernels(stem, space, limit, kernel):
    names = {"double": "Hyperplane", "Kokkos Kernels": "KokkosKernels.*"}
    return by_name(stem, f"{kernel}/NAME/{space}/stencil/k=0/{ORDERS}/n=5/.*", limit, names, str)


def csr_cusparse(stem, limit, kernel):
    names = {"double": "Hyperplane_csr_tickets", "cuSPARSE": "(?:bsr|SpSV).*", "BlockIlu0 on the grid": "Hyperplane_slab"}
    pattern = f"{kernel}/NAME/double/n=5/([0-9]+)x.*"
    return by_name(stem, pattern, limit, names, lambda edge: f"natural, {edge}³")


def grid_blocks(stem, space, limit, kernel, n):
    """Several grid blocks of one size."""
    names = {"together": "none", "one after the other": "one_by_one"}
    return by_name(stem, f"{kernel}/{space}/NAME/double/n={n}/((?!1_)[0-9]+_of_.*)", limit, names)


def primitives(stem, space, limit, kernel, peers):
    return by_storage(stem, f"{kernel}/{space}/STORAGE/(.*)", limit) | by_name(stem, f"NAME/{space}/double/(.*)", limit, peers)
