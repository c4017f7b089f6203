#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs clang-tidy over all headers that need no CUDA toolkit, the compiled library and the command line: tidy.sh BUILD,
# a build folder with a compile_commands.json of Clang. Called by scripts/test.sh.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

build=${1:?a build folder}
if ! command -v clang-tidy-19 >/dev/null; then
  echo "tidy.sh: clang-tidy-19 is not installed; sources not checked by it"
  exit 0
fi

python3 - "$build" <<'PYTHON'
import json, pathlib, re, shlex, sys

sys.path.insert(0, "scripts")
from library_sources import ROOT as root, compile_commands, host_headers, library_entry, mpi_flags

build = pathlib.Path(sys.argv[1]).resolve()
# Files that are compiled together stand in one that CMake makes.
together = [build / f"{folder}.dir/Unity"
            for folder in ("src/CMakeFiles/hyperplane_c", "tools/CMakeFiles/hyperplane_commands",
                           "tools/CMakeFiles/hyperplane_cli_ranks", "tools/CMakeFiles/hyperplane_tools")]
folders = (root / "src", root / "src/mpi", build / "src", build / "src/mpi", root / "tools", root / "executables", *together)
commands = {}
for entry in compile_commands(build):
    folder = pathlib.Path(entry["file"]).parent
    if folder in folders:
        commands.setdefault(entry["file"], entry)
library = library_entry(commands.values())
tidy = build / "tidy"
tidy.mkdir(exist_ok=True)
# Templates that the library instantiates for each block size are the same code: one size, of those above 1, will do, and
# those of a folder are parsed together.
instances = {}
for name in [name for name in commands if "#define HYPERPLANE_SIZES" in pathlib.Path(name).read_text()]:
    entry = commands.pop(name)
    source = pathlib.Path(name).read_text()
    sizes = re.search(r"#define HYPERPLANE_SIZES (.*)", source)[1].split(",")
    together, included = instances.setdefault(pathlib.Path(name).parent, (entry, set()))
    included.add(re.search(r'#include "(.*)"', source)[1])
for number, (entry, included) in enumerate(instances.values()):
    file = tidy / f"instances_{number}.cpp"
    size = next((n for n in sizes if n != "1"), "1")
    file.write_text(f"#define HYPERPLANE_GROUP 0\n#define HYPERPLANE_SIZES {size}\n" +
                    "".join(f'#include "{header}"\n' for header in sorted(included)))
    commands[str(file)] = dict(entry, file=str(file), command=entry["command"].replace(entry["file"], shlex.quote(str(file))))
# All headers in one file: templates are checked as they are written, once. It is compiled as a file of the library is,
# where there is MPI, with MPI.
mpi = mpi_flags()
headers = host_headers(mpi is not None)
all_headers = str(build / "every_header.cpp")
pathlib.Path(all_headers).write_text("".join(f"#include <{header}>\n" for header in headers))
commands[all_headers] = dict(library, file=all_headers,
                             command=library["command"].replace(library["file"], shlex.quote(all_headers)) +
                             " " + shlex.join(mpi or []))
# What is precompiled may not have been built.
precompiled = {word for entry in commands.values() for word in shlex.split(entry["command"]) if word.endswith((".pch", ".gch"))}
(tidy / "precompiled").write_text("".join(f"{pathlib.Path(file).relative_to(build)}\n" for file in sorted(precompiled)))
(tidy / "compile_commands.json").write_text(json.dumps(list(commands.values())))
# The long one first.
(tidy / "files").write_text("".join(f"{name}\n" for name in [all_headers, *sorted(commands.keys() - {all_headers})]))
PYTHON
xargs -r cmake --build "$build" --target <"$build/tidy/precompiled"
xargs -P "$(nproc)" -n 1 clang-tidy-19 --quiet --warnings-as-errors='*' -p "$build/tidy" <"$build/tidy/files"
echo "tidy.sh: $(wc -l <"$build/tidy/files") files are clean, one of them with $(wc -l <"$build/every_header.cpp") headers"
