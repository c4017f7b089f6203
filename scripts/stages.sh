# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Stages of `run test`, where its time goes, and what it could not check. Sourced by `run` and scripts/test.sh, in the repository.

# A line for each stage: when it began, in seconds since 1970, and its name.
readonly stages=build/stages
# A line for each thing that could not be checked.
readonly unchecked=build/unchecked

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

# not_checked WHAT: says so, here and at the end.
not_checked() {
  printf 'not checked: %s\n' "$*"
  mkdir -p "${unchecked%/*}"
  printf '%s\n' "$*" >>"$unchecked"
}

# closing_line: that all tests passed, and what was not checked.
closing_line() {
  local line="all tests passed" what
  if [[ -s $unchecked ]]; then
    line+="; NOT CHECKED:"
    while read -r what; do line+=" $what;"; done <"$unchecked"
  fi
  printf '%s\n' "${line%;}"
}
