#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which folder of include/hyperplane includes which, and fails where the list of floors in docs/design.md does not
allow it: an include of a higher floor, a cycle of folders or of headers, an include of another folder's detail/, or a
folder that the list does not have. Fails also where a document names a header by its folder and no such header exists,
where a header of the repository has a KOKKOS_LAMBDA, and where one of CUDA alone, which `compile_cuda.sh` compiles without Kokkos, includes
a header that needs Kokkos. Called by `run test`."""

import re
import sys
from collections import defaultdict
from pathlib import Path

repository = Path(__file__).resolve().parent.parent
headers = repository / "include" / "hyperplane"
design = repository / "docs" / "design.md"


def read_floors():
    """{folder: floor} of the table, whose rows begin with `| 3 | `folder/``."""
    floors = {}
    for line in design.read_text().splitlines():
        row = re.match(r"\| (\d+) \| ([^|]+)\|", line)
        if row:
            for folder in re.findall(r"`(\w+)/`", row.group(2)):
                floors[folder] = int(row.group(1))
    return floors


def read_includes():
    """{header: headers that it includes}, relative to include/hyperplane, of headers in folders."""
    includes = {}
    for path in sorted(headers.rglob("*.hpp")):
        name = path.relative_to(headers).as_posix()
        if "/" in name:
            found = re.findall(r"^\s*#\s*include <hyperplane/([^>]+)>", path.read_text(), re.MULTILINE)
            includes[name] = [other for other in found if "/" in other]
    return includes


def folder(header):
    return header.split("/")[0]


def find_cycle(graph):
    """A path that ends where it begins, or None."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for other in graph.get(node, ()):
            if state.get(other) == "open":
                return path[path.index(other):] + [other]
            if other not in state:
                cycle = visit(other)
                if cycle:
                    return cycle
        path.pop()
        state[node] = "done"
        return None

    for node in graph:
        if node not in state:
            cycle = visit(node)
            if cycle:
                return cycle
    return None


def find_stale_names():
    """Headers that documents name as folder/name.hpp, from include/, include/hyperplane/ or the repository, and that do not
    exist. CHANGELOG.md is left out: it tells what moved."""
    wrong = []
    documents = [repository / "README.md", repository / "CONTRIBUTING.md", *sorted((repository / "docs").rglob("*.md"))]
    for document in documents:
        for number, line in enumerate(document.read_text().splitlines(), 1):
            for name in re.findall(r"(?<![\w./*-])[\w.-]+(?:/[\w.-]+)+\.hpp\b", line):
                if not any((root / name).is_file() for root in (headers, headers.parent, repository)):
                    wrong.append(f"{document.relative_to(repository)}:{number}: there is no header {name}")
    return wrong


def find_lambdas():
    """Headers with lambdas for hosts and devices. What nvcc makes of one calls it through pointers that each file of a
    program has for itself; where the linker takes one function from this file and another from that, they are null."""
    wrong = []
    for top in ("include", "src", "tools", "executables", "examples", "unit_tests", "perf_tests"):
        for path in sorted((repository / top).rglob("*.hpp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r"\bKOKKOS_(CLASS_)?LAMBDA\b", line):
                    wrong.append(f"{path.relative_to(repository)}:{number}: KOKKOS_LAMBDA, which does not work in a header with "
                                 "nvcc: write a struct with operator()")
    return wrong


def find_kokkos_below_cuda(includes):
    """Headers of CUDA alone, those of compile_cuda.sh, by way of which headers they include Kokkos."""
    own = {header for header in includes if re.search(r"<Kokkos_", (headers / header).read_text())}
    wrong = []
    for header in includes:
        if header in own or not re.search(r"/cuda/|_cuda[^/]*$", "/" + header):
            continue
        way, reached = [[header]], {header}
        while way:
            path = way.pop(0)
            if path[-1] in own:
                wrong.append(" includes ".join(path) + ", which needs Kokkos")
                break
            for other in includes.get(path[-1], ()):
                if other not in reached:
                    reached.add(other)
                    way.append([*path, other])
    return wrong


def main():
    floors, includes = read_floors(), read_includes()
    wrong = []
    folders = defaultdict(lambda: defaultdict(int))
    for header, others in includes.items():
        if folder(header) not in floors:
            wrong.append(f"{header}: docs/design.md has no floor for {folder(header)}/")
            continue
        for other in others:
            if other not in includes:
                wrong.append(f"{header} includes {other}, which does not exist")
                continue
            if folder(other) == folder(header):
                continue
            folders[folder(header)][folder(other)] += 1
            if floors.get(folder(other), 0) > floors[folder(header)]:
                wrong.append(f"{header} includes {other}, of a higher floor")
            if "/detail/" in other:
                wrong.append(f"{header} includes {other}, which is private to {folder(other)}/")
    for graph in (folders, includes):
        cycle = find_cycle(graph)
        if cycle:
            wrong.append("a cycle: " + " -> ".join(cycle))
    wrong += find_stale_names() + find_lambdas() + find_kokkos_below_cuda(includes)
    for name in sorted(folders, key=lambda name: (floors[name], name)):
        print(f"{floors[name]} {name} -> " + ", ".join(f"{other} {count}" for other, count in sorted(folders[name].items())))
    for line in dict.fromkeys(wrong):
        print(f"check_floors.py: error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
