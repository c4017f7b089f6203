#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the program of docs/blocks.md for ranks against an installed Hyperplane, and runs it:
# check.sh SOURCE FOLDER PREFIX MPIEXEC ARGUMENT ...
set -euo pipefail

source=$1 folder=$2 prefix=$3
shift 3

# block LANGUAGE: the last block of code in that language.
block() {
  awk -v "fence=\`\`\`$1" '
    $0 == fence { inside = 1; text = ""; next }
    /^```/ { inside = 0 }
    inside { text = text $0 "\n" }
    END { printf "%s", text; exit text == "" }' "$source/docs/blocks.md"
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
block cmake >CMakeLists.txt
block cpp >main.cpp
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix"
cmake --build build
"$@" build/my_flow_code | tee output
grep -q '^converged after [0-9]* iterations$' output
