#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every header that needs no CUDA toolkit by itself, as far as the front end and its errors go:
check_headers.py BUILD, a build folder with a compile_commands.json. Called by scripts/test.sh."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

from library_sources import INCLUDE, compile_commands, host_headers, library_entry, mpi_flags

CONDITION = re.compile(r"\s*#\s*(if|endif)")
INCLUDED = re.compile(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")


def includes_always(header):
    """What a header includes outside of any #if."""
    depth = 0
    for line in (INCLUDE / header).read_text().splitlines():
        if match := CONDITION.match(line):
            depth += 1 if match[1] == "if" else -1
        elif depth == 0 and (match := INCLUDED.match(line)):
            yield match[1]


def with_kokkos(headers):
    """The headers that include Kokkos, or one that does."""
    includes = {header: set(includes_always(header)) for header in headers}
    found = {header for header in headers if "Kokkos_Core.hpp" in includes[header]}
    while more := {header for header in headers if header not in found and includes[header] & found}:
        found |= more
    return found


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

    # Parsing Kokkos takes most of the time of most headers. Where it is included anyhow, it comes precompiled: a header
    # then lacks an include only where one that it includes lacks it too, by itself.
    command = [*compiler(build), *(mpi or [])]
    kokkos = folder / "kokkos.hpp"
    kokkos.write_text("#include <Kokkos_Core.hpp>\n")
    subprocess.run([*command, "-x", "c++-header", str(kokkos), "-o", f"{kokkos}.gch"], cwd=build, check=True)
    precompiled = with_kokkos(headers)

    def compiles(header):
        source = folder / (header.replace("/", "_") + ".cpp")
        source.write_text(f"#include <{header}>\n")
        first = ["-include", str(kokkos)] if header in precompiled else []
        done = subprocess.run([*command, *first, "-fsyntax-only", str(source)], cwd=build, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{done.stderr}check_headers.py: {header} does not compile by itself", file=sys.stderr, flush=True)
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if not all(list(pool.map(compiles, headers))):
            sys.exit(1)
    print(f"check_headers.py: {len(headers)} headers compile by themselves")


main()
