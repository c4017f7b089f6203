#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every header that needs no CUDA toolkit by itself, as far as the front end and its errors go:
check_headers.py BUILD, a build folder with a compile_commands.json. Called by scripts/test.sh."""
import concurrent.futures
import graphlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

from library_sources import INCLUDE, compile_commands, host_headers, library_entry, mpi_flags

CONDITION = re.compile(r"\s*#\s*(if|endif)")
INCLUDED = re.compile(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")
KOKKOS = "Kokkos_Core.hpp"


def includes_always(header):
    """What a header includes outside of any #if."""
    depth = 0
    for line in (INCLUDE / header).read_text().splitlines():
        if match := CONDITION.match(line):
            depth += 1 if match[1] == "if" else -1
        elif depth == 0 and (match := INCLUDED.match(line)):
            yield match[1]


def closures(headers):
    """For each header, itself and all that it includes, always: headers of this project, and Kokkos."""
    direct = {header: {name for name in includes_always(header) if name in headers or name == KOKKOS} for header in headers}
    found = {KOKKOS: {KOKKOS}}
    for header in graphlib.TopologicalSorter(direct).static_order():
        if header != KOKKOS:
            found[header] = {header}.union(*(found[name] for name in direct[header]))
    return found


# These take as long to parse, with what they include and instantiate, as so many lines of this project.
KOKKOS_LINES = 30000
INTRINSICS_LINES = 6000


def lines_of(header):
    if header == KOKKOS:
        return KOKKOS_LINES
    text = (INCLUDE / header).read_text()
    return text.count("\n") + INTRINSICS_LINES * ("<immintrin.h>" in text)


def bases(below):
    """For each header what is precompiled before it, or None: a few of the headers that many include, each taken because
    it leaves the fewest lines to parse, its own included."""
    lines = {header: lines_of(header) for header in below}
    size = {header: sum(lines[name] for name in names) for header, names in below.items()}
    size[None] = 0
    base_of = dict.fromkeys(below)

    def saved(base):
        of_each = (size[base] - size[base_of[header]] for header in below if base in below[header])
        return sum(more for more in of_each if more > 0) - size[base]

    while saved(base := max(below, key=saved)) > 0:
        for header in below:
            if base in below[header] and size[base] > size[base_of[header]]:
                base_of[header] = base
    return base_of


def compiler(build):
    """How a file of the library is compiled, without its name, its object and what a build adds for itself."""
    entry = library_entry(compile_commands(build))
    command = []
    skipped = {"-o", "-MF", "-MT", "-include", "-Xclang"}
    words = iter(shlex.split(entry["command"]))
    for word in words:
        if word in skipped:
            next(words)
        elif word not in ("-c", "-MD", "-Winvalid-pch", entry["file"]):
            command.append(word)
    return command


def main():
    if len(sys.argv) != 2:
        sys.exit("check_headers.py: a build folder, please")
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "headers"
    folder.mkdir(exist_ok=True)
    mpi = mpi_flags()
    headers = host_headers(mpi is not None)

    # Parsing what headers include takes most of the time. One of it comes precompiled: a header then lacks an include only
    # where one that it includes lacks it too, by itself.
    command = [*compiler(build), *(mpi or [])]
    base_of = bases(closures(headers))

    def compiles(header, *arguments):
        done = subprocess.run([*command, *arguments], cwd=build, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{done.stderr}check_headers.py: {header} does not compile by itself", file=sys.stderr, flush=True)
        return done.returncode == 0

    def stub(header):
        return folder / header.replace("/", "_")

    # Clang instantiates what a precompiled header asks for once, not in each file that uses it.
    once = ["-fpch-instantiate-templates"] if "clang" in pathlib.Path(command[0]).name else []

    def precompile(header):
        stub(header).write_text(f"#include <{header}>\n")
        return compiles(header, *once, "-x", "c++-header", str(stub(header)), "-o", f"{stub(header)}.gch")

    def check(header):
        if base_of[header] == header:
            return True  # precompiled already
        source = folder / f"{stub(header).name}.cpp"
        source.write_text(f"#include <{header}>\n")
        first = ["-include", str(stub(base_of[header]))] if base_of[header] else []
        return compiles(header, *first, "-fsyntax-only", str(source))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = all(list(pool.map(precompile, set(base_of.values()) - {None}))) and all(list(pool.map(check, headers)))
    for precompiled in folder.glob("*.gch"):
        precompiled.unlink()
    if not good:
        sys.exit(1)
    print(f"check_headers.py: {len(headers)} headers compile by themselves")


main()
