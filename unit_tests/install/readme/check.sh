#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Does what README.md says: check.sh SOURCE FOLDER STEP, where STEP is
#   headers   configure and install the headers, into FOLDER/prefix
#   library   configure with the compiled library; building it is what other tests do
#   program   build and run the program against FOLDER/prefix
set -euo pipefail

source=$1 folder=$2 step=$3

# block LANGUAGE NUMBER: a block of code of README.md, counted from 1.
block() {
  awk -v "fence=\`\`\`$1" -v "number=$2" '
    $0 == fence { inside = ++count == number; found = found || inside; next }
    /^```/ { inside = 0 }
    inside
    END { exit !found }' "$source/README.md"
}

# run_block NUMBER [SED_COMMAND ...]: runs the lines of a shell block, with other folders.
run_block() {
  local script
  script=$(block sh "$1" | sed "${@:2}" -e "s|/where/you/like|$folder/prefix|g")
  printf '%s\n' "$script"
  bash -euo pipefail -c "$script"
}

mkdir -p "$folder"
case $step in
  headers)
    rm -rf "$folder/headers" "$folder/prefix"
    run_block 1 -e "s|--preset headers|& -S $source -B $folder/headers|" -e "s|--install build/|--install $folder/|"
    ;;
  library)
    rm -rf "$folder/library"
    block sh 2 >"$folder/library.sh"
    grep -q '^cmake --preset library' "$folder/library.sh"
    cmake -S "$source" -B "$folder/library" --preset library
    cmake --build "$folder/library" --target help | grep -q hyperplane_c
    ;;
  program)
    rm -rf "$folder/program"
    mkdir "$folder/program"
    cd "$folder/program"
    block cmake 1 >CMakeLists.txt
    block cpp 1 >main.cpp
    run_block 3
    ;;
esac
