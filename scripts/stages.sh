# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Stages of `run test`, and where its time goes. Sourced by `run` and scripts/test.sh, in the repository.

# A line for each stage: when it began, in seconds since 1970, and its name.
readonly stages=build/stages

# stage NAME: what comes next, and when it began.
stage() {
  printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1
  mkdir -p "${stages%/*}"
  printf '%(%s)T %s\n' -1 "$1" >>"$stages"
}

# stage_seconds: one line with the seconds of all stages since the list was begun.
stage_seconds() {
  printf '%(%s)T end\n' -1 >>"$stages"
  awk '{
    if (NR == 1) first = $1
    else line = line sprintf("%s %d, ", name, $1 - last)
    last = $1
    name = substr($0, index($0, " ") + 1)
  }
  END { printf "seconds: %sall %d\n", line, last - first }' "$stages"
}
